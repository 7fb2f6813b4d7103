"""Runs the shell commands of a page as a reader would, in a folder of their own."""

from __future__ import annotations

import contextlib
import io
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
SECONDS = 120  # that a command may take on a busy machine
ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+/")


def run_page(
    path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch, names: dict[str, Any] | None = None
) -> set[str]:
    """Run all examples of a page from top to bottom, in one folder and one Python, as for somebody who
    types them all: later ones read what earlier ones wrote. Gives the languages that ran."""
    use_our_commands(folder, monkeypatch)
    monkeypatch.setattr(page, "serve", ask_for_the_page)
    names = {} if names is None else names
    ran: set[str] = set()
    for example in examples(path):
        if example.language == "python":
            run_python(example, names)
        for command in example.commands:
            run_command(command, folder, example.place)
        ran.add(example.language)
    return ran


def use_our_commands(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Go to the folder, with the commands `python` and `mcts-viz` that `pip install .` gives."""
    commands = folder / "commands"
    commands.mkdir()
    for name, arguments in (("python", ""), ("mcts-viz", " -m mcts_viz")):
        command = commands / name
        command.write_text(f'#!/bin/sh\nexec "{sys.executable}"{arguments} "$@"\n', "utf-8")
        command.chmod(0o755)
    monkeypatch.setenv("PATH", f"{commands}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("PYTHONUNBUFFERED", "1")
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.chdir(folder)


def run_command(command: str, folder: Path, place: str) -> None:
    """One line of a shell block; `make` is asked only what it would do."""
    if command.startswith("make "):
        run(f"{command} --dry-run --directory {shlex.quote(str(ROOT))}", folder, place)
    elif " show " in command or "app.py" in command:
        serve(command, folder, place)
    elif command.startswith("mcts-viz "):
        call(command, place)
    else:
        run(command, folder, place)


def call(command: str, place: str) -> None:
    """Run a command of ours in this process, in its folder and without anybody at the keyboard: what one
    has imported and compiled is there for the next. test_installed.py starts the command itself."""
    said = io.StringIO()
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stderr(said):
        patch.setattr(sys, "stdin", io.StringIO())
        try:
            code = cli.main(shlex.split(command)[1:])
        except SystemExit as end:  # of --help
            code = int(end.code or 0)
    assert code == 0, f"{place}: {command}: {said.getvalue()}"


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
