"""The example of docs/figures.md runs, and its table has every option."""

import inspect
import os
import re
from pathlib import Path

import pytest

import mcts_viz as mv

PAGE = (Path(__file__).parents[2] / "docs" / "figures.md").read_text(encoding="utf-8")


def test_the_example_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    exec(re.search(r"```python\n(.*?)```", PAGE, re.DOTALL)[1], {})  # type: ignore[index]
    assert os.path.getsize("tree.html") > 10_000


def test_the_table_has_every_option() -> None:
    figure = type(mv.search("tic_tac_toe", iterations=1).at(1)).figure  # type: ignore[attr-defined]
    options = [name for name in inspect.signature(figure).parameters if name != "self"]
    assert re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE) == options
