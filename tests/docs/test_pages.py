"""The examples of the pages that lead on from the README run from top to bottom."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mcts_viz import cli
from tests.docs.commands import ROOT, run_page
from tests.docs.examples import examples, run_python

DOCS = ROOT / "docs"
PAGES = [
    "tutorial.md",
    "python.md",
    "own-game.md",
    pytest.param("command-line.md", marks=pytest.mark.thorough),  # starts every command
    pytest.param("many-searches.md", marks=pytest.mark.thorough),  # starts processes
    "workers.md",
    pytest.param("fleet.md", marks=pytest.mark.thorough),  # starts processes
]


@pytest.mark.parametrize("name", PAGES)
def test_the_examples_run(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run_page(DOCS / name, tmp_path, monkeypatch)


def test_the_page_on_truth_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It opens one of the samples."""
    (tmp_path / "samples").symlink_to(ROOT / "samples")
    names: dict[str, Any] = {}
    assert run_page(DOCS / "truth.md", tmp_path, monkeypatch, names) == {"sh", "python"}
    assert names["values"].best_moves  # the position is solved
    assert str(names["judged"]).startswith(
        "b3 would be played. It is a mistake: it loses in 4 plies"
    )


@pytest.mark.parametrize("command", cli.COMMANDS)
def test_every_command_has_an_example(command: str) -> None:
    assert f"mcts-viz {command} " in (DOCS / "command-line.md").read_text(encoding="utf-8")


def test_the_tutorial_shows_what_the_check_prints(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The findings in it are those that its own example prints."""
    monkeypatch.chdir(tmp_path)
    text = (DOCS / "tutorial.md").read_text(encoding="utf-8")
    shown = [line for line in text.splitlines() if line.startswith(("error: ", "note: "))]
    names: dict[str, Any] = {}
    for example in examples(DOCS / "tutorial.md"):
        if example.language == "python":
            run_python(example, names)
    printed = capsys.readouterr().out.splitlines()
    assert len(shown) == 2
    assert [line for line in shown if line not in printed] == []


def test_every_sample_is_in_the_gallery() -> None:
    text = (DOCS / "gallery.md").read_text(encoding="utf-8")
    names = sorted(path.stem for path in (ROOT / "samples").glob("*.mcts"))
    assert [name for name in names if f"`{name}.mcts`: " not in text] == []
    assert [name for name in names if not (DOCS / f"gallery/{name}.png").is_file()] == []
