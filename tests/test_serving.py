"""The page is served on this machine only, on a port that is free, and its address is printed."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
import urllib.request
import webbrowser
from collections.abc import Iterator
from pathlib import Path

import pytest

import app
from mcts_viz import PageError, cli, page
from mcts_viz.cli import show
from mcts_viz.web import server

ROOT = Path(__file__).parent.parent
SECONDS = 60


@pytest.fixture
def taken() -> Iterator[int]:
    """A port that somebody else listens on."""
    with socket.create_server((server.HOST, 0)) as somebody:
        yield int(somebody.getsockname()[1])


def test_a_taken_port_is_passed_over(taken: int) -> None:
    with server.listen(taken) as listener:
        assert taken < server.port_of(listener) <= taken + server.PORTS_TRIED


def test_nobody_else_can_connect() -> None:
    with server.listen(0) as listener:
        assert listener.getsockname()[0] == "127.0.0.1"


@pytest.mark.parametrize("port", [-1, 65_536])
def test_a_number_that_is_no_port_is_refused(port: int) -> None:
    with pytest.raises(PageError, match=f"{port} is not a port; choose one from 1 to 65535"):
        server.listen(port)


def test_all_ports_taken_is_said(taken: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "PORTS_TRIED", 1)
    with pytest.raises(PageError, match=f"ports {taken} to {taken} are all taken"):
        server.listen(taken)


def test_app_py_says_where_the_page_is_and_nothing_else(taken: int) -> None:
    with subprocess.Popen(
        [sys.executable, "-u", "app.py", "--no-browser", "--port", str(taken)],
        cwd=ROOT,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        alarm = threading.Timer(SECONDS, process.kill)
        alarm.start()
        assert process.stdout is not None
        said = [process.stdout.readline(), process.stdout.readline()]
        try:
            address = next(word for word in said[1].split() if word.startswith("http"))
            with urllib.request.urlopen(address, timeout=SECONDS) as answer:
                assert b"mcts_viz" in answer.read()
        finally:
            alarm.cancel()
            process.terminate()
        said.append(process.stdout.read())
    port = address.rpartition(":")[2].strip("/")
    assert said == [
        f"Port {taken} is taken, so this page is on port {port}.\n",
        f"mcts_viz is at http://127.0.0.1:{port}/   (Ctrl+C stops it)\n",
        "",
    ]


@pytest.mark.parametrize(
    ("browser", "opens"),
    [(webbrowser.BackgroundBrowser("x-browser"), True), (webbrowser.GenericBrowser("lynx"), False)],
)
def test_a_browser_that_fills_the_terminal_is_not_opened(
    browser: webbrowser.BaseBrowser, opens: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "get", lambda: browser)
    monkeypatch.setattr(webbrowser, "open", opened.append)
    page._open_browser("http://127.0.0.1:1/")
    assert bool(opened) == opens


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["no.mcts"], "no.mcts: there is no such file or folder"),
        ([str(ROOT / "README.md")], "README.md"),
        (["--port", "70000"], "70000 is not a port"),
    ],
)
def test_app_py_says_what_it_cannot_show(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert app.main(["--no-browser", *arguments]) == 2
    said = capsys.readouterr().err
    assert said.startswith("app.py: ")
    assert message in said
    assert len(said.splitlines()) == 1


def test_only_the_command_that_serves_the_page_loads_dash() -> None:
    others = [f"mcts_viz.cli.{cli.module_name(name)}" for name in cli.COMMANDS if name != "show"]
    code = (
        f"import sys, {', '.join(others)}; "
        "print([name for name in ('dash', 'plotly') if name in sys.modules])"
    )
    finished = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent)},
    )  # fmt: skip
    assert finished.stdout == "[]\n"


def test_the_help_names_the_port_that_is_tried_first() -> None:
    assert f"default {page.PORT}" in Path(show.__file__).read_text(encoding="utf-8")
