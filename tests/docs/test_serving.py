"""The Python examples of docs/serving.md run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.docs.examples import examples, run_python

PAGE = Path(__file__).parents[2] / "docs" / "serving.md"


def test_the_python_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    blocks = [example for example in examples(PAGE) if example.language == "python"]
    for example in blocks:
        run_python(example, names)
    assert (tmp_path / "steps.html").exists()
