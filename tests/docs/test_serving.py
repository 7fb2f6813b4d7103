"""The examples of docs/serving.md run: its Python, and the factory that its command names."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from mcts_viz import page
from tests.docs.examples import examples, run_python

PAGE = Path(__file__).parents[2] / "docs" / "serving.md"


def test_the_python_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    blocks = [example for example in examples(PAGE) if example.language == "python"]
    for example in blocks:
        run_python(example, names)
    assert (tmp_path / "steps.html").exists()


def test_gunicorns_argument_makes_the_app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "traces").mkdir()
    commands = [command for example in examples(PAGE) for command in example.commands]
    (found,) = [
        each for command in commands for each in re.findall(r'"mcts_viz\.page:(.+?)"', command)
    ]
    app = eval(found, vars(page))
    assert app.test_client().get("/api/start").json["key"] is None
