"""Stands before the page's WSGI app, whatever serves it: refuses who may not ask, and says in every answer what a
browser may do with it. What may be asked is decided in access.py.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, quote, urlencode

from mcts_viz.web.access import Access, Refusal, asked_token, cookie_name

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

INLINE = re.compile(r"<script>(.*?)</script>", re.DOTALL)
# a body that is not streamed to a file is held in memory
LARGEST_BODY = 16 << 20  # bytes
UPLOAD = "/api/upload"
TOO_LARGE = Refusal(
    "413 Request Entity Too Large", "This is larger than anything that the page sends."
)
NOT_FOUND = Refusal("404 Not Found", "There is nothing here.")


def policy(hashes: Sequence[str], access: Access) -> str:
    """The Content-Security-Policy: scripts of our own alone, inline ones by their hashes. Styles are
    also set by elements, as Plotly and Mantine do it; pictures are made by the page as well."""
    parts = {
        "default-src": ["'self'"],
        "script-src": ["'self'", *hashes],
        "style-src": ["'self'", "'unsafe-inline'"],
        "img-src": ["'self'", "data:", "blob:"],
        "font-src": ["'self'", "data:"],
        "object-src": ["'none'"],
        "base-uri": ["'none'"],
        "form-action": ["'self'"],
        "frame-ancestors": ["'self'", *access.framed_by, *access.origins],
    }
    return "; ".join(f"{name} {' '.join(sources)}" for name, sources in parts.items())


def hashes_of(html: str) -> list[str]:
    """The hashes of the scripts in a page's HTML."""
    digests = (hashlib.sha256(script.encode()).digest() for script in INLINE.findall(html))
    return [f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests]


class Gate:
    """A WSGI app around another one."""

    def __init__(self, app: WSGIApplication, access: Access, hashes: Sequence[str]) -> None:
        self._app = app
        self._access = access
        self._headers = [
            ("Content-Security-Policy", policy(hashes, access)),
            ("X-Content-Type-Options", "nosniff"),
            ("Referrer-Policy", "no-referrer"),
            ("Cross-Origin-Resource-Policy", "same-origin"),
        ]
        if not (access.framed_by or access.origins):  # it knows no list of sites
            self._headers.append(("X-Frame-Options", "SAMEORIGIN"))

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        begin = self._guarded(start_response)
        self._strip_token(environ)
        refusal = self._access.refusal(environ)
        if refusal is None and ".." in str(environ.get("PATH_INFO", "")).split("/"):
            refusal = NOT_FOUND
        if refusal is None and environ.get("PATH_INFO") != UPLOAD and _is_large(environ):
            refusal = TOO_LARGE
        if refusal is not None:
            return _refuse(refusal, environ, begin)
        if self._access.token is not None and asked_token(environ) and _is_visit(environ):
            return _remember(self._access.token, environ, begin)
        return self._app(environ, begin)

    def _strip_token(self, environ: WSGIEnvironment) -> None:
        """Take the token from the beginning of the path, where a frame has it: a browser may keep no
        cookie of a page inside another one."""
        path, token = str(environ.get("PATH_INFO", "")), self._access.token
        first, _, rest = path.removeprefix("/").partition("/")
        if token is not None and self._access.prefix.endswith(f"/{token}/") and first:
            environ["mcts_viz.token"] = first
            environ["PATH_INFO"] = f"/{rest}"

    def _guarded(self, start_response: StartResponse) -> Callable[..., Callable[[bytes], object]]:
        def begin(
            status: str, headers: list[tuple[str, str]], *error: object
        ) -> Callable[[bytes], object]:
            ours = {name for name, _ in self._headers}
            kept = [(name, value) for name, value in headers if name not in ours]
            return start_response(status, kept + self._headers, *error)  # type: ignore[arg-type]

        return begin


def _is_large(environ: WSGIEnvironment) -> bool:
    """Whether a body is, or does not say its length."""
    length = str(environ.get("CONTENT_LENGTH") or "0")
    chunked = "chunked" in str(environ.get("HTTP_TRANSFER_ENCODING", "")).lower()
    return chunked or not length.isdigit() or int(length) > LARGEST_BODY


def _is_visit(environ: WSGIEnvironment) -> bool:
    return environ["REQUEST_METHOD"] == "GET" and environ.get("PATH_INFO") in ("", "/")


def _remember(
    token: str, environ: WSGIEnvironment, begin: Callable[..., object]
) -> Iterable[bytes]:
    """Send a visitor with a token in the address to the address without, with a cookie instead."""
    query = [(k, v) for k, v in parse_qsl(str(environ["QUERY_STRING"]), True) if k != "token"]
    address = quote(str(environ.get("SCRIPT_NAME", ""))) + "/"
    cookie = f"{cookie_name(environ)}={token}; Path=/; HttpOnly; SameSite=Lax"
    if environ.get("wsgi.url_scheme") == "https":
        cookie += "; Secure"
    target = f"{address}?{urlencode(query)}" if query else address
    begin(
        "303 See Other",
        [
            ("Location", target),
            ("Set-Cookie", cookie),
            ("Cache-Control", "no-store"),
            ("Content-Length", "0"),
        ],
    )
    return []


def _refuse(
    refusal: Refusal, environ: WSGIEnvironment, begin: Callable[..., object]
) -> Iterable[bytes]:
    as_json = str(environ.get("PATH_INFO", "")).startswith("/api/")
    text = json.dumps({"error": refusal.words}) if as_json else f"{refusal.words}\n"
    kind = "application/json" if as_json else "text/plain; charset=utf-8"
    body = text.encode()
    begin(
        refusal.status,
        [("Content-Type", kind), ("Content-Length", str(len(body))), ("Cache-Control", "no-store")],
    )
    return [] if environ["REQUEST_METHOD"] == "HEAD" else [body]
