"""Every example of docs/watch-your-own-search.md runs."""

import random
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from mctspy.games.examples.tictactoe import TicTacToeGameState
from mctspy.tree.nodes import TwoPlayersGameMonteCarloTreeSearchNode

import mcts_viz as mv
from tests.recording.batch_searches import BatchUCT
from tests.recording.belief_searches import Pomcp
from tests.recording.graph_searches import GraphUCT
from tests.recording.late_searches import Leaves, MuZero, uct
from tests.recording.player_searches import DecoupledUCT
from tests.recording.searches import Node, PlainUCT
from tests.recording.table_searches import TableSearch

PAGE = Path(__file__).parents[2] / "docs" / "watch-your-own-search.md"
EXAMPLES = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
FIELDS = {"children": "children", "visits": "visits", "value": "wins"}


class Reusing(PlainUCT):
    """Keeps the most visited part of its tree."""

    def advance(self) -> None:
        self.root = max(self.root.children, key=lambda child: child.visits, default=self.root)

    def sample(self) -> Node:
        """The child that is played."""
        return self.random.choices(self.root.children, [c.visits for c in self.root.children])[0]


def names(example: str) -> dict[str, Any]:
    """What the example takes for granted."""
    if "mctspy" in example:
        root = TwoPlayersGameMonteCarloTreeSearchNode(TicTacToeGameState(np.zeros((3, 3)), 1))
        return {"root": root}
    if "pomcp.mcts" in example:
        return {"search": Pomcp()}
    if "simultaneous=True" in example:
        return {"search": DecoupledUCT()}
    if "rec.descent" in example:
        return {"search": PlainUCT(), "fields": FIELDS}
    if "leaves=k" in example:
        return {"search": BatchUCT(), "fields": FIELDS}
    if "shared=True" in example:
        return {"search": GraphUCT(), "fields": FIELDS}
    if "record_tables" in example:
        return {"mcts": TableSearch()}
    if "on=(MCTS" in example:
        fields = {"children": "children", "visits": "visit_count", "value": "value_sum"}
        return {"MCTS": MuZero, "mcts": MuZero(), "fields": fields}
    if "on=(Node" in example:
        return {"Node": Leaves, "uct": uct, "state": random.Random(1), "fields": FIELDS}
    if "gumbel.mcts" in example:
        node = {"N": 0, "W": 0.0, "player": 0, "action": 0, "prior": 1.0, "value": 0.0, "g": 0.0}
        return {"root": SimpleNamespace(children=[], **node)}
    if "az.mcts" in example or "selection=" in example:
        node = {"N": 0, "Q": 0.0, "W": 0.0, "P": 1.0, "player": 0, "children": {}, "reward": 0.0}
        bot = {"explore_count": 0, "total_reward": 0.0, "action": 0, "prior": 1.0}
        mcts = SimpleNamespace(ucb_score=lambda parent, child: 0.0)
        return {"root": SimpleNamespace(**node, **bot), "mcts": mcts}
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
