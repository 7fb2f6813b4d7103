"""Who may ask the page: which names of this server, which machines, which other web sites, with which token.

Decides about one request by what its WSGI environment says, and knows no answer but a refusal in words.
"""

from __future__ import annotations

import hmac
import ipaddress
import os
import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple
from urllib.parse import parse_qsl, urlsplit

from mcts_viz.errors import PageError

Environ = Mapping[str, object]  # of a WSGI request

# of programs that show notebooks and run on the reader's own machine
NOTEBOOKS = (
    *(
        f"{scheme}://{name}:*"
        for scheme in ("http", "https")
        for name in ("localhost", "127.0.0.1")
    ),
    "vscode-webview:",
)
SAFE = ("GET", "HEAD", "OPTIONS")  # methods that change nothing
# what a link on another site may lead to; all else is asked for by our own page
OPEN_TO_LINKS = re.compile(r"/(?!(?:fleet/)?(?:api/|_dash-(?!component-suites/)|_reload|_alive))")
SHORTEST_TOKEN = 16  # characters
_TOKEN = re.compile(r"[\w.~-]+", re.ASCII)
_HOST = re.compile(r"[\w.-]+|\[?[0-9a-f:.]+\]?", re.ASCII | re.IGNORECASE)
_ORIGIN = re.compile(r"https?://(?:[\w.-]+|\[[0-9a-f:]+\])(?::\d+)?", re.ASCII | re.IGNORECASE)


class Refusal(NamedTuple):
    """Why a request gets no answer."""

    status: str
    words: str


@dataclass(frozen=True)
class Access:
    """What a page is protected by. By default browsers and programs of this machine may ask."""

    hosts: frozenset[str] = frozenset()  # names of this server beside the loopback ones
    any_address: bool = False  # whether any number, such as 192.168.1.7, is a name of it too
    origins: tuple[str, ...] = ()  # other sites that may change things and frame the page
    framed_by: tuple[str, ...] = ()  # sources of a Content-Security-Policy that may frame it
    token: str | None = None  # what everybody has to show, if anything
    prefix: str = "/"  # of the page's address as the browser sees it

    @classmethod
    def from_environment(cls, variables: Mapping[str, str] = os.environ) -> Access:
        """What MCTS_VIZ_TOKEN, MCTS_VIZ_ALLOW_HOST and MCTS_VIZ_ALLOW_ORIGIN say, names separated by
        commas. No token is made: of several processes, each would make its own. Raises PageError for
        what cannot be."""
        hosts, origins = (
            tuple(filter(None, variables.get(name, "").replace(" ", "").split(",")))
            for name in ("MCTS_VIZ_ALLOW_HOST", "MCTS_VIZ_ALLOW_ORIGIN")
        )
        token = variables.get("MCTS_VIZ_TOKEN") or None
        if token is not None and not (len(token) >= SHORTEST_TOKEN and _TOKEN.fullmatch(token)):
            raise PageError(
                f"MCTS_VIZ_TOKEN has to be at least {SHORTEST_TOKEN} letters, digits, '.', '_', '~' or '-'"
            )
        return cls(token=token).opened("localhost", hosts, origins)

    def opened(
        self, host: str, allow_host: Sequence[str] = (), allow_origin: Sequence[str] = ()
    ) -> Access:
        """The same for a page that listens at `host`, with more names and more sites that may use it.
        Raises PageError for what is no name or no site."""
        names = {checked_host(name) for name in (*allow_host, host)}
        foreign = frozenset(name for name in names if not is_loopback(name))
        everywhere = self.any_address or any(is_everywhere(name) for name in foreign)
        origins = (*self.origins, *(_checked_origin(origin) for origin in allow_origin))
        return replace(self, hosts=self.hosts | foreign, any_address=everywhere, origins=origins)

    def with_token(self) -> Access:
        """The same, with a token if it needs one: as soon as more than this machine's own names leads
        to the page."""
        needed = self.token is None and self.hosts
        return replace(self, token=secrets.token_hex(24)) if needed else self

    def framed(self, address: str) -> Access:
        """The same for a page in a frame under a notebook's cell, at an address that ends in a token."""
        token = self.token or secrets.token_hex(24)
        prefix = f"{urlsplit(address).path.rstrip('/')}/{token}/"
        return replace(self, token=token, framed_by=NOTEBOOKS, prefix=prefix)

    def refusal(self, environ: Environ) -> Refusal | None:
        """Why a request gets no answer; None where it gets one. The path is one without `prefix`."""
        name = host_of(environ)
        if not self._is_name(name):
            return Refusal(
                "403 Forbidden",
                f"This server does not answer to the name {name[:80]!r}. To let it, start it with --allow-host and "
                "that name, or set MCTS_VIZ_ALLOW_HOST.",
            )
        if self.token is None and not (is_loopback(name) and is_local(environ)):
            return Refusal(
                "403 Forbidden",
                "This page can be reached from its own machine only: it was started without a token. To reach it "
                "from another machine, start it with --host, or set MCTS_VIZ_TOKEN.",
            )
        if self.token is not None and not self._shows_token(environ, self.token):
            return Refusal(
                "401 Unauthorized",
                "This page needs its token. Open the address that the program printed when it began, which ends in "
                "?token=…",
            )
        return self._refused_site(environ, name)

    def _is_name(self, name: str) -> bool:
        return is_loopback(name) or name in self.hosts or (self.any_address and _is_number(name))

    def _shows_token(self, environ: Environ, token: str) -> bool:
        shown = (
            asked_token(environ),
            _header(environ, "Authorization").removeprefix("token ").removeprefix("Bearer "),
            *_cookies(environ),
            str(environ.get("mcts_viz.token", "")),  # of the path
        )
        # in constant time
        return any(hmac.compare_digest(each.encode(), token.encode()) for each in shown)

    def _refused_site(self, environ: Environ, name: str) -> Refusal | None:
        """The page's own scripts may ask for all; another site's links lead to the page alone."""
        method, path = str(environ.get("REQUEST_METHOD")), str(environ.get("PATH_INFO", ""))
        if method in SAFE and OPEN_TO_LINKS.match(path or "/"):
            return None
        origin, site = _header(environ, "Origin"), _header(environ, "Sec-Fetch-Site")
        if origin in self.origins:
            return None
        own = not origin or _name_and_port(origin.partition("://")[2]) == _name_and_port(
            _header(environ, "Host")
        )
        if own and site in ("", "same-origin", "none"):
            return None
        return Refusal(
            "403 Forbidden",
            f"Another web site ({(origin or site)[:80]}) asked for this, and is not allowed to. To allow it, start the "
            "page with --allow-origin (or MCTS_VIZ_ALLOW_ORIGIN).",
        )


def cookie_name(environ: Environ) -> str:
    """The cookie of one server: a browser sends cookies to all ports of a machine."""
    return f"mcts-viz-{environ.get('SERVER_PORT', '')}"


def asked_token(environ: Environ) -> str:
    """The token in a request's address; empty where there is none."""
    return dict(parse_qsl(str(environ.get("QUERY_STRING", "")))).get("token", "")


def host_of(environ: Environ) -> str:
    """The name that a request gives this server, without its port and in lower case."""
    return _name_and_port(_header(environ, "Host"))[0]


def is_loopback(name: str) -> bool:
    """Whether the name always means the machine itself, such as localhost."""
    try:
        return name == "localhost" or ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def is_everywhere(name: str) -> bool:
    """Whether a server that listens there can be reached by any address of its machine."""
    try:
        return name == "" or ipaddress.ip_address(name).is_unspecified
    except ValueError:
        return False


def is_local(environ: Environ) -> bool:
    """Whether a request comes from this machine: from a loopback address, or through a file."""
    address = str(environ.get("REMOTE_ADDR") or "")
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return not address
    mapped = getattr(found, "ipv4_mapped", None)
    return (mapped or found).is_loopback


def _is_number(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _name_and_port(text: str) -> tuple[str, str]:
    found = re.fullmatch(r"\[([^\[\]]*)\](?::(\d*))?|([^:]*)(?::(\d*))?", text.strip().lower())
    if found is None:
        return text, ""
    return (found[1] or found[3] or "").removesuffix("."), found[2] or found[4] or ""


def _header(environ: Environ, name: str) -> str:
    return str(environ.get(f"HTTP_{name.upper().replace('-', '_')}", ""))


def _cookies(environ: Environ) -> list[str]:
    """What the cookies of this server's name hold, whatever those of other servers of the machine are like, which a
    browser sends along: Python's own reader gives up at the first one that it cannot read."""
    pairs = (each.partition("=") for each in _header(environ, "Cookie").split(";"))
    return [value.strip() for key, _, value in pairs if key.strip() == cookie_name(environ)]


def checked_host(name: str) -> str:
    """A name in the form in which names are compared; raises PageError for what is none."""
    if not _HOST.fullmatch(name):
        raise PageError(
            f"{name!r} is not the name of a machine; give one such as traces.example.org"
        )
    return name.lower().strip("[]").removesuffix(".")


def _checked_origin(origin: str) -> str:
    if not _ORIGIN.fullmatch(origin):
        raise PageError(
            f"{origin!r} is not the origin of a web site; give one such as https://hub.example.org, without a path"
        )
    return origin.lower()
