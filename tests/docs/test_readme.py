"""Every example of README.md runs as it stands there and gives what it says; every link leads somewhere."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import threading
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from dash import Dash

from mcts_viz import cli, page
from tests.docs.examples import examples, run_python

ROOT = Path(__file__).parent.parent.parent
README = ROOT / "README.md"
TEXT = README.read_text(encoding="utf-8")
SECONDS = 120  # that a command may take on a busy machine
ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+/")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where a reader of the page would be, with the commands `python` and `mcts-viz` that `pip install .` gives."""
    commands = tmp_path / "commands"
    commands.mkdir()
    for name, arguments in (("python", ""), ("mcts-viz", " -m mcts_viz")):
        command = commands / name
        command.write_text(f'#!/bin/sh\nexec "{sys.executable}"{arguments} "$@"\n', "utf-8")
        command.chmod(0o755)
    monkeypatch.setenv("PATH", f"{commands}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("PYTHONUNBUFFERED", "1")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_examples_run_from_top_to_bottom(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In one folder and one Python, as for somebody who types them all: later ones read what earlier ones wrote."""
    monkeypatch.setattr(page, "serve", ask_for_the_page)
    names: dict[str, Any] = {}
    ran: set[str] = set()
    for example in examples(README):
        if example.language == "python":
            run_python(example, names)
        for command in example.commands:
            run_command(command, folder, example.place)
        ran.add(example.language)
    assert ran == {"python", "sh"}


def run_command(command: str, folder: Path, place: str) -> None:
    if command.startswith("make "):
        run(f"{command} --dry-run --directory {shlex.quote(str(ROOT))}", folder, place)
    elif " show " in command or "app.py" in command:
        serve(command, folder, place)
    else:
        run(command, folder, place)


def run(command: str, folder: Path, place: str) -> None:
    """Run a command to its end."""
    finished = subprocess.run(
        shlex.split(command),
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert finished.returncode == 0, f"{place}: {command}: {finished.stderr}"


def serve(command: str, folder: Path, place: str) -> None:
    """Start a command that shows the page, ask for the page, and stop it."""
    with subprocess.Popen(
        [*shlex.split(command), "--no-browser", "--port", "0"],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        alarm = threading.Timer(SECONDS, process.kill)
        alarm.start()
        try:
            assert process.stdout is not None
            printed = ""
            while (address := ADDRESS.search(printed)) is None:
                line = process.stdout.readline()
                assert line, f"{place}: {command}: ended without an address: {printed}"
                printed += line
            with urllib.request.urlopen(address[0], timeout=SECONDS) as answer:
                assert b"mcts_viz" in answer.read()
        finally:
            alarm.cancel()
            process.kill()


def ask_for_the_page(app: Dash, *_: Any, **__: Any) -> None:
    """Instead of serving until somebody interrupts."""
    assert app.server.test_client().get("/").status_code == 200


def test_the_plain_way_to_start_is_there(folder: Path) -> None:
    assert "`pip install -r requirements.txt && python app.py`" in TEXT
    assert (ROOT / "requirements.txt").is_file()
    serve("python app.py", ROOT, "README.md")


def test_the_first_screen_is_a_picture_a_sentence_and_two_commands() -> None:
    first_screen = TEXT.split("```")
    assert first_screen[1] == "sh\nmake run\nmake test\n"
    assert re.search(r"^!\[.{20,}\]\(docs/page\.png\)$", first_screen[0], re.MULTILINE)


@pytest.mark.parametrize(
    "document", ["README.md", *(f"docs/{p.name}" for p in (ROOT / "docs").glob("*.md"))]
)
def test_every_link_leads_to_a_file_of_the_project(document: str) -> None:
    text = (ROOT / document).read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", text)
    missing = [
        link
        for link in links
        if "://" not in link and not ((ROOT / document).parent / link).is_file()
    ]
    assert not missing


def test_every_file_that_the_architecture_names_is_there() -> None:
    text = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`([\w./]+(?:\.py|\.js|/))`", text))
    folders = (ROOT, ROOT / "mcts_viz", ROOT / "mcts_viz/web")
    assert len(named) > 20
    assert not {name for name in named if not any((folder / name).exists() for folder in folders)}


@pytest.mark.parametrize("command", cli.COMMANDS, ids=lambda command: command.__name__)
def test_every_command_has_an_example(command: Any) -> None:
    name = command.__name__.rpartition(".")[2].rstrip("_")  # import_, as import is Python's
    assert f"mcts-viz {name} " in TEXT
