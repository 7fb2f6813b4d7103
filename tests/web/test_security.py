"""Who may ask the page, and what other web sites get of it: attacks, each of which has to fail."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from playwright.sync_api import expect
from werkzeug.test import TestResponse

import mcts_viz as mv
from mcts_viz import PageError, page
from mcts_viz.web import access
from mcts_viz.web.access import Access
from mcts_viz.web.ids import Ids
from mcts_viz.web.library import Library
from mcts_viz.web.routes.notes_file import Note, text_of
from tests.web.recordings import CONNECT_FOUR
from tests.web.screen import Screen

TOKEN = "a-token-that-nobody-guesses"
FOREIGN = ["evil.example", "evil.example:8050", "127.0.0.1.evil.example", "192.168.1.7:8050", ""]
OWN = ["localhost", "localhost:8050", "127.0.0.1:1", "127.1.2.3", "[::1]:8050", "LOCALHOST.:80"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one trace."""
    folder = tmp_path_factory.mktemp("served")
    mv.search("tic_tac_toe", iterations=20, seed=1, path=folder / "mine.mcts")
    return folder


@pytest.fixture(scope="module")
def client(folder: Path) -> FlaskClient:
    """A page for this machine alone."""
    return page.make_app([folder], store=folder, access=Access()).server.test_client()


def key_of(client: FlaskClient, **headers: Any) -> str:
    return str(client.get("/api/start", **headers).get_json()["key"])


@pytest.mark.parametrize("name", FOREIGN)
def test_a_name_that_is_not_this_servers_gets_nothing(client: FlaskClient, name: str) -> None:
    for path in ("/", f"/api/trace/{key_of(client)}/file", "/_dash-layout", "/assets/mcts.js"):
        answer = client.get(path, headers={"Host": name})
        assert answer.status_code == 403
        assert b"does not answer to the name" in answer.data


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_file_that_was_named_and_became_another_thing_is_not_handed_out(tmp_path: Path) -> None:
    """A pipe held a thread of the server for ever."""
    path = tmp_path / "mine.mcts"
    mv.search("tic_tac_toe", iterations=20, seed=1, path=path)
    app = page.make_app([path], store=tmp_path / "store", access=Access())
    client = app.server.test_client()
    address = f"/api/trace/{key_of(client)}/file"
    assert client.get(address).data == path.read_bytes()
    path.write_bytes(b"a secret")
    assert b"mine.mcts: no trace now" in client.get(address).data
    path.unlink()
    os.mkfifo(path)
    assert b"mine.mcts: no trace now" in client.get(address).data


@pytest.mark.parametrize("name", OWN)
def test_every_name_of_ones_own_machine_is_answered(client: FlaskClient, name: str) -> None:
    assert client.get("/api/start", headers={"Host": name}).status_code == 200


CHANGES = [
    ("POST", "/api/upload?name=evil.mcts"),
    ("PUT", "/api/trace/{key}/notes/0123456789abcdef"),
    ("DELETE", "/api/trace/{key}/notes/0123456789abcdef"),
    ("POST", "/_dash-update-component"),
    ("POST", "/"),
]
SITES = [
    {"Origin": "https://evil.example"},
    {"Origin": "null"},
    {"Origin": "http://localhost:8888"},
    {"Origin": "http://evil.localhost"},
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
    {"Sec-Fetch-Site": "cross-site", "Origin": "http://localhost"},
]


@pytest.mark.parametrize(("method", "path"), CHANGES)
@pytest.mark.parametrize("headers", SITES, ids=str)
def test_other_sites_change_nothing(
    client: FlaskClient, folder: Path, method: str, path: str, headers: dict[str, str]
) -> None:
    before = sorted(folder.iterdir())
    content = (folder / "mine.mcts").read_bytes()
    address = path.format(key=key_of(client))
    answer = client.open(
        address, method=method, data=content, content_type="text/plain", headers=headers
    )
    assert answer.status_code == 403
    assert sorted(folder.iterdir()) == before


@pytest.mark.parametrize(
    "path", ["/api/start", "/_dash-layout", "/_dash-dependencies", "/fleet/_dash-layout"]
)
def test_other_sites_read_nothing_even_with_a_link(client: FlaskClient, path: str) -> None:
    assert client.get(path, headers={"Sec-Fetch-Site": "cross-site"}).status_code == 403
    assert client.get("/", headers={"Sec-Fetch-Site": "cross-site"}).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Origin": "http://localhost", "Sec-Fetch-Site": "same-origin"},
        {"Sec-Fetch-Site": "none"},
    ],
    ids=str,
)
def test_the_page_itself_and_programs_may_change_things(
    client: FlaskClient, headers: dict[str, str]
) -> None:
    answer = client.post("/api/upload?name=nothing.mcts", data=b"no trace", headers=headers)
    assert answer.status_code == 400
    assert "nothing.mcts" in answer.get_json()["error"]


def test_every_answer_says_what_a_browser_may_do_with_it(client: FlaskClient) -> None:
    for path in ("/", "/api/start", "/api/trace/none/view", "/assets/mcts.js", "/nowhere/.."):
        headers = client.get(path).headers
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "no-referrer"
        assert headers["X-Frame-Options"] == "SAMEORIGIN"
        rules = dict(rule.split(" ", 1) for rule in headers["Content-Security-Policy"].split("; "))
        assert rules["frame-ancestors"] == "'self'"
        assert rules["object-src"] == "'none'"
        assert rules["script-src"].startswith("'self' 'sha256-")
        assert "unsafe" not in rules["script-src"]


@pytest.mark.parametrize(
    "path",
    [
        "/_dash-component-suites/dash/../../../etc/passwd",
        "/_dash-component-suites/dash/deps/../../x.js",
        "/assets/../app.py",
        "/assets/core/../../app.py",
        "/../x",
        "/%2e%2e/x",
    ],
)
def test_a_way_up_leads_nowhere(client: FlaskClient, path: str) -> None:
    assert client.get(path).status_code == 404


def test_an_unknown_library_is_not_found(client: FlaskClient) -> None:
    for path in ("/_dash-component-suites/os/path.js", "/_dash-component-suites/dash/none.js"):
        assert client.get(path).status_code == 404


# ---- tokens ----------------------------------------------------------------------------------------


def open_app(folder: Path, host: str = "0.0.0.0", **more: Any) -> FlaskClient:
    opened = Access(token=TOKEN).opened(host, **more)
    return page.make_app([folder], store=folder, access=opened).server.test_client()


def ask(client: FlaskClient, path: str, **headers: str) -> TestResponse:
    return client.get(path, headers=headers, environ_overrides={"REMOTE_ADDR": "192.168.1.9"})


def test_without_a_token_only_this_machine_is_answered(client: FlaskClient) -> None:
    for address in ("192.168.1.9", "::ffff:10.0.0.1", "nonsense"):
        answer = client.get("/", environ_overrides={"REMOTE_ADDR": address})
        assert answer.status_code == 403
        assert b"without a token" in answer.data
    for address in ("127.0.0.1", "127.8.8.8", "::1", "::ffff:127.0.0.1", ""):
        assert client.get("/", environ_overrides={"REMOTE_ADDR": address}).status_code == 200


def test_a_name_of_its_own_makes_a_token() -> None:
    assert Access().opened("127.0.0.1").with_token().token is None
    for opened in (Access().opened("0.0.0.0"), Access().opened("localhost", ["a.example"])):
        token = opened.with_token().token
        assert token is not None
        assert len(token) == 48
        assert opened.with_token().token != token


def test_a_token_opens_the_page_once_and_a_cookie_from_then_on(folder: Path) -> None:
    client = open_app(folder)
    for wrong in ("/", "/?token=wrong", f"/?token={TOKEN}x", "/api/start", "/assets/mcts.js"):
        answer = ask(client, wrong)
        assert answer.status_code == 401
        assert TOKEN.encode() not in answer.data
    answer = ask(client, f"/?trace=x&token={TOKEN}")
    assert (answer.status_code, answer.headers["Location"]) == (303, "/?trace=x")
    cookie = answer.headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie
    assert ask(client, "/api/start").status_code == 200  # the client keeps cookies
    assert ask(open_app(folder), "/api/start").status_code == 401


@pytest.mark.parametrize(
    "other", ['a={"x": 1}', "a=b c", "[x]=1", "flag", "expires=1", 'a="x', "=x", "mcts-viz-80=old"]
)
def test_cookies_of_other_servers_of_the_machine_do_not_hide_ours(folder: Path, other: str) -> None:
    """A browser sends all of a name's cookies, whatever the port."""
    client = open_app(folder).application.test_client(use_cookies=False)
    for ours, status in ((f"mcts-viz-80={TOKEN}", 200), (f"mcts-viz-81={TOKEN}", 401)):
        assert ask(client, "/api/start", Cookie=f"{other}; {ours}").status_code == status


@pytest.mark.parametrize("scheme", ["token", "Bearer"])
def test_a_program_or_a_proxy_shows_the_token_in_a_header(folder: Path, scheme: str) -> None:
    client = open_app(folder)
    assert ask(client, "/api/start", Authorization=f"{scheme} {TOKEN}").status_code == 200
    assert ask(client, "/api/start", Authorization=f"{scheme} wröng").status_code == 401


def test_any_number_is_a_name_of_a_server_that_listens_everywhere(folder: Path) -> None:
    client = open_app(folder)
    head = {"Authorization": f"token {TOKEN}"}
    assert ask(client, "/api/start", Host="192.168.1.7:8050", **head).status_code == 200
    assert ask(client, "/api/start", Host="evil.example", **head).status_code == 403
    named = open_app(folder, "localhost", allow_host=["Traces.Example.org"])
    assert ask(named, "/api/start", Host="traces.example.org:443", **head).status_code == 200
    assert ask(named, "/api/start", Host="192.168.1.7:8050", **head).status_code == 403


def test_an_allowed_site_may_change_things_and_frame_the_page(folder: Path) -> None:
    client = open_app(folder, "localhost", allow_origin=["https://hub.example.org"])
    headers = {"Authorization": f"token {TOKEN}", "Sec-Fetch-Site": "cross-site"}
    for origin, status in (("https://hub.example.org", 400), ("https://evil.example", 403)):
        answer = client.post("/api/upload?name=x.mcts", headers={**headers, "Origin": origin})
        assert answer.status_code == status
    policy = client.get("/", headers=headers).headers["Content-Security-Policy"]
    assert policy.endswith("frame-ancestors 'self' https://hub.example.org")


@pytest.mark.parametrize(
    "variables",
    [
        {"MCTS_VIZ_TOKEN": "short"},
        {"MCTS_VIZ_TOKEN": "with a space in it, long"},
        {"MCTS_VIZ_ALLOW_HOST": "https://x.example"},
        {"MCTS_VIZ_ALLOW_ORIGIN": "x.example"},
        {"MCTS_VIZ_ALLOW_ORIGIN": "https://x.example; script-src *"},
        {"MCTS_VIZ_ALLOW_ORIGIN": "https://x.example/path"},
    ],
)
def test_an_environment_that_cannot_be_is_refused(variables: dict[str, str]) -> None:
    with pytest.raises(PageError):
        Access.from_environment(variables)


def test_any_server_reads_the_environment(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        access.Access.from_environment.__func__,  # type: ignore[attr-defined]
        "__defaults__",
        ({"MCTS_VIZ_TOKEN": TOKEN, "MCTS_VIZ_ALLOW_HOST": "a.example, b.example"},),
    )
    client = page.make_app([folder], store=folder).server.test_client()
    assert client.get("/").status_code == 401
    answer = ask(client, "/api/start", Host="b.example", Authorization=f"token {TOKEN}")
    assert answer.status_code == 200


def test_a_frame_has_its_token_in_the_path(folder: Path) -> None:
    framed = Access().framed("http://127.0.0.1:8050/")
    client = page.make_app([folder], store=folder, access=framed).server.test_client()
    text = client.get(framed.prefix).get_data(as_text=True)
    addresses = re.findall(r'(?:src|href)="(?!data:)([^"]+)"', text)
    assert addresses
    addresses = [each for each in addresses if not each.startswith("data:")]  # the icon
    assert all(each.startswith(framed.prefix) for each in addresses)
    for each in addresses[:3]:
        assert client.get(each).status_code == 200
    for outside in ("/", "/api/start", "/0000/api/start"):
        assert client.get(outside).status_code == 401
    policy = client.get(framed.prefix).headers["Content-Security-Policy"]
    assert "http://localhost:*" in policy
    assert "vscode-webview:" in policy


# ---- files -----------------------------------------------------------------------------------------


def test_a_folder_gives_its_traces_alone(tmp_path: Path, folder: Path) -> None:
    secret = tmp_path / "secret.json"
    secret.write_text('{"password": "x"}')
    served = tmp_path / "served"
    (served / "match").mkdir(parents=True)
    shutil.copy(folder / "mine.mcts", served)
    (served / "snapshot.json").write_text(mv.open(folder / "mine.mcts").at(5).to_json() or "")
    (served / "other.json").write_text('{"name": "a package", "version": 1}')
    (served / "private.mcts").write_text("no trace at all")
    (served / "link.json").symlink_to(secret)
    outside = tmp_path / "outside"
    outside.mkdir()
    shutil.copy(folder / "mine.mcts", outside / "theirs.mcts")
    (served / "theirs.mcts").symlink_to(outside / "theirs.mcts")
    (served / "zz-inside.mcts").symlink_to(served / "mine.mcts")
    shutil.copytree(served, tmp_path / "game")
    (tmp_path / "game" / "game.json").write_text('{"kind": "match"}')
    (served / "game").symlink_to(tmp_path / "game")
    client = page.make_app([served], store=served, access=Access()).server.test_client()
    text = client.get("/_dash-layout").get_data(as_text=True)
    names = {entry.name for entry in Library([served], served).entries()}
    assert names == {"mine", "private", "snapshot"}  # called a trace: it is seen not to be one
    assert all(f"{name}-" in text for name in names)
    assert not any(f"{name}-" in text for name in ("other", "link", "theirs"))
    key = Library([served], served).key_of(served / "private.mcts")
    for part in ("file", "view", "summary", "events", "export"):
        told = client.get(f"/api/trace/{key}/{part}")
        assert "no trace at all" not in told.get_data(as_text=True)
        assert told.status_code >= 400 or part == "summary"


def test_a_trace_that_becomes_a_link_is_not_followed(tmp_path: Path, folder: Path) -> None:
    served, secret = tmp_path / "served", tmp_path / "secret.mcts"
    served.mkdir()
    for path in (served / "mine.mcts", secret):
        shutil.copy(folder / "mine.mcts", path)
    client = page.make_app([served], store=served, access=Access()).server.test_client()
    key = key_of(client)
    assert client.get(f"/api/trace/{key}/file").status_code == 200
    (served / "mine.mcts").unlink()
    (served / "mine.mcts").symlink_to(secret)
    assert client.get(f"/api/trace/{key}/file").status_code == 400


def test_notes_that_are_a_link_are_left_alone(tmp_path: Path, folder: Path) -> None:
    shutil.copy(folder / "mine.mcts", tmp_path / "served.mcts")
    other = tmp_path / "other.notes.json"
    other.write_text(text_of([Note("0123456789abcdef", 1, 0, "theirs")]))
    (tmp_path / "served.notes.json").symlink_to(other)
    client = page.make_app([tmp_path], store=tmp_path, access=Access()).server.test_client()
    answer = client.get(f"/api/trace/{key_of(client)}/notes")
    assert answer.status_code == 400
    assert "it is a link" in answer.get_json()["error"]


# ---- a browser -------------------------------------------------------------------------------------


@pytest.mark.thorough
@pytest.mark.own_page
def test_a_walk_through_the_page_breaks_no_rule_of_its_own(screen: Screen) -> None:
    screen.page.add_init_script(
        "window.broken = []; document.addEventListener('securitypolicyviolation', "
        "(event) => window.broken.push(`${event.violatedDirective} ${event.blockedURI}`))"
    )
    screen.open(CONNECT_FOUR, 500)
    tabs = screen.page.locator(f"#{Ids.TABS} [role=tab]")
    for number in range(tabs.count()):
        tabs.nth(number).click()
        expect(
            screen.page.locator(f"#{Ids.TABS} [role=tabpanel]:visible > *").first
        ).to_be_visible()
    screen.press("ArrowRight").wait(501)
    assert screen.page.evaluate("window.broken") == []
