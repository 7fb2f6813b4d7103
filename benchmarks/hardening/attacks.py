"""What other web sites, other machines and odd addresses try on a page, and how often they get in."""

from __future__ import annotations

from pathlib import Path

from flask.testing import FlaskClient
from werkzeug.test import TestResponse

import mcts_viz as mv
from mcts_viz import page
from mcts_viz.web.access import Access
from tests.web.test_security import CHANGES, FOREIGN, SITES

SECRET = b"what nobody else may read"
UP = ["/../secret.json", "/%2e%2e/secret.json", "/assets/../../secret.json", "/assets/%2e%2e%2fsecret.json",
      "/static/..%2f..%2fsecret.json", "/_dash-component-suites/dash/..%2f..%2f..%2fetc%2fpasswd"]  # fmt: skip
READS = ["/", "/_dash-layout", "/api/start", "/api/trace/{key}/file", "/api/trace/{key}/view"]


def let_in(folder: Path) -> tuple[int, int]:
    """How many attacks get in, of how many."""
    served = folder / "served"
    served.mkdir()
    (folder / "secret.json").write_bytes(SECRET)
    (served / "secret.json").write_bytes(b'{"token": "' + SECRET + b'"}')
    (served / "link.mcts").symlink_to(folder / "secret.json")
    mv.search("tic_tac_toe", iterations=20, seed=1, path=served / "mine.mcts")
    app = page.make_app([served], store=served, access=Access())
    client = app.server.test_client()
    before = _contents(served)
    came = [*_names(client), *_sites(client), *_files(client), *_frames(client), *_machines(served)]
    return sum(came) + (_contents(served) != before), len(came) + 1


def _names(client: FlaskClient) -> list[bool]:
    """Under names that are not this machine's, as in DNS rebinding."""
    key = _key(client)
    return [
        client.get(path.format(key=key), headers={"Host": name}).status_code < 400
        for path in READS
        for name in FOREIGN
    ]


def _sites(client: FlaskClient) -> list[bool]:
    """Pages of other sites that send something."""
    key = _key(client)
    return [
        client.open(
            path.format(key=key), method=method, data=b"{}", content_type="text/plain", headers=headers
        ).status_code < 400
        for method, path in CHANGES
        for headers in SITES
    ]  # fmt: skip


def _files(client: FlaskClient) -> list[bool]:
    """Files that are no traces, inside of the folder and outside."""
    keys = [entry for entry in ("secret", "link") for entry in (entry, f"{entry}-00000000")]
    addresses = [*UP, *(f"/api/trace/{key}/file" for key in keys)]
    answers = [client.get(address) for address in addresses]
    listed = client.get("/_dash-layout")
    return [
        *(SECRET in each.data or each.status_code >= 500 for each in answers),
        b"secret" in listed.data,
    ]


def _frames(client: FlaskClient) -> list[bool]:
    """Pages of other sites that frame ours, and scripts in it that are not ours."""
    said = client.get("/").headers["Content-Security-Policy"]
    return [
        "frame-ancestors 'self'" not in said,
        "'unsafe-eval'" in said,
        "script-src 'self'" not in said,
    ]


def _machines(served: Path) -> list[bool]:
    """Other machines, without the token or with another one."""
    access = Access().opened("0.0.0.0", [], []).with_token()
    client = page.make_app([served], store=served, access=access).server.test_client()
    there = {"REMOTE_ADDR": "192.168.1.9"}
    tried: list[TestResponse] = [
        client.get(path, headers={"Host": "192.168.1.7:8050", **more}, environ_overrides=there)
        for path in ("/", "/api/start", "/?token=", "/?token=x", "/_dash-layout")
        for more in ({}, {"Authorization": "token x"}, {"Cookie": "mcts_viz=x"})
    ]
    return [answer.status_code < 400 for answer in tried]


def _key(client: FlaskClient) -> str:
    return str(client.get("/api/start").get_json()["key"])


def _contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}
