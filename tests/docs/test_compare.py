"""The examples of docs/compare.md run, and say what comes out."""

from pathlib import Path
from typing import Any

import pytest

from mcts_viz.web.jobs.grids import MOST_ITERATIONS
from tests.docs.examples import examples, run_python

PAGE = Path(__file__).parent.parent.parent / "docs" / "compare.md"


def test_the_examples_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    for example in examples(PAGE):
        run_python(example, names)


def test_the_limit_of_the_page_is_the_one_told() -> None:
    assert f"up to {MOST_ITERATIONS:,} iterations" in PAGE.read_text(encoding="utf-8")
