"""Every example of docs/watch-your-own-search.md runs."""

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from mctspy.games.examples.tictactoe import TicTacToeGameState
from mctspy.tree.nodes import TwoPlayersGameMonteCarloTreeSearchNode

import mcts_viz as mv
from tests.adapters.searches import PlainUCT

PAGE = Path(__file__).parents[2] / "docs" / "watch-your-own-search.md"
EXAMPLES = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
FIELDS = {"children": "children", "visits": "visits", "value": "wins"}


class Reusing(PlainUCT):
    """Keeps the most visited part of its tree."""

    def advance(self) -> None:
        self.root = max(self.root.children, key=lambda child: child.visits, default=self.root)


def names(example: str) -> dict[str, Any]:
    """What the example takes for granted."""
    if "mctspy" in example:
        root = TwoPlayersGameMonteCarloTreeSearchNode(TicTacToeGameState(np.zeros((3, 3)), 1))
        return {"root": root}
    if "az.mcts" in example:
        return {"root": SimpleNamespace(N=0, Q=0.0, P=1.0, player=0, children={})}
    tree = SimpleNamespace(children=[[]], visits=[0], value=[0.0], action=[-1])
    return {"search": Reusing(), "fields": FIELDS, "tree": tree}


@pytest.mark.filterwarnings("ignore")  # mctspy's own
@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_an_example_runs(number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    example = EXAMPLES[number].replace("1000", "60")
    exec(compile(example, str(PAGE), "exec"), {"mv": mv, **names(example)})
    traces = [mv.open(path) for path in tmp_path.glob("*.mcts")]
    assert traces
    assert all(trace.n_iterations % 60 == 0 for trace in traces)
