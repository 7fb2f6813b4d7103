"""`mv.show(rec)` and `mcts-viz show --follow`: the page beside a search that is still running."""

import json
import re
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any

import pytest

import mcts_viz as mv
from mcts_viz import page as pages
from mcts_viz.errors import PageError

ROOT = Path(__file__).parent.parent


class Node:
    def __init__(self) -> None:
        self.children: list[Node] = []
        self.visits = 0
        self.value = 0.0


def ask(address: str) -> Any:
    with urllib.request.urlopen(address, timeout=60) as answer:
        return json.load(answer)


def test_a_recording_is_shown_beside_the_search(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(pages, "PORT", 0)
    monkeypatch.setattr(pages, "_open_browser", lambda address: None)
    root = Node()
    with mv.record(
        tmp_path / "a.mcts", root=root, children="children", visits="visits", value="value"
    ) as rec:
        address = mv.show(rec)
        assert address is not None
        assert address in capsys.readouterr().out
        start = ask(f"{address}api/start")
        assert start["follow"] is True
        child = Node()
        child.visits = root.visits = 1
        root.children.append(child)
        rec.iteration()
        rec.keep_up()
        deadline = time.monotonic() + 60
        while ask(f"{address}api/trace/{start['key']}/live")["n_iterations"] < 1:
            assert time.monotonic() < deadline
    assert ask(f"{address}api/trace/{start['key']}/live")["state"] == "complete"


def test_a_recording_in_memory_cannot_be_shown() -> None:
    rec = mv.record(root=Node(), children="children", visits="visits", value="value")
    with pytest.raises(PageError, match="record it with path="):
        mv.show(rec)


def test_following_waits_for_a_recording_to_begin(tmp_path: Path) -> None:
    path = tmp_path / "run.mcts"
    command = [
        sys.executable,
        "-m",
        "mcts_viz",
        "show",
        str(path),
        "--follow",
        "--no-browser",
        "--port",
        "0",
    ]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        assert (
            process.stdout.readline()
            == f"Waiting for {path} to be recorded (Ctrl+C stops waiting).\n"
        )
        mv.search("tic_tac_toe", iterations=5, seed=1, path=path)
        found = re.search(r"http://\S+", process.stdout.readline())
        assert found is not None
        assert ask(f"{found.group()}api/start")["follow"] is True
    finally:
        process.kill()
        process.wait()
