"""`import mcts_viz` loads next to nothing, and every public name when it is asked for."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import mcts_viz as mv

ROOT = Path(__file__).parent.parent
HEAVY = ("numba", "pyarrow", "dash", "plotly", "networkx", "numpy", "rich", "joblib")


def loaded(code: str) -> set[str]:
    """Which of the heavy libraries a new process has loaded after some code."""
    finished = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys\nprint(*sys.modules)"],
        cwd=ROOT, capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    return set(HEAVY) & set(finished.stdout.split())


@pytest.mark.parametrize("code", ["import mcts_viz", "import mcts_viz.cli"])
def test_a_bare_import_loads_no_library(code: str) -> None:
    assert loaded(code) == set()


def test_the_help_of_the_command_line_loads_no_library() -> None:
    code = "from mcts_viz import cli\ntry: cli.main(['--help'])\nexcept SystemExit: pass"
    assert loaded(code) == set()


def test_what_type_checkers_read_is_what_the_table_says() -> None:
    tree = ast.parse(Path(mv.__file__).read_text(encoding="utf-8"))
    (block,) = [node for node in tree.body if isinstance(node, ast.If)]
    read = {
        alias.name: str(node.module).removeprefix("mcts_viz.")
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert read == mv.MODULES


def test_every_name_is_there_by_a_star_import_and_in_dir() -> None:
    names: dict[str, object] = {}
    exec("from mcts_viz import *", names)
    assert set(mv.__all__) <= names.keys() & set(dir(mv))


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'mcts_viz' has no attribute 'serach'"):
        _ = mv.serach
