"""The examples of docs/adapters.md run, the one of an adapter against a small library."""

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import mcts_viz as mv
from tests.lazy import open_spiel_mcts as mcts
from tests.lazy import pyspiel

PAGE = (Path(__file__).parents[2] / "docs" / "adapters.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


def test_the_bot_of_the_page_is_watched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    game = pyspiel.load_game("tic_tac_toe")
    random = np.random.RandomState(1)
    bot = mcts.MCTSBot(game, 2.0, 50, mcts.RandomRolloutEvaluator(1, random), random_state=random)
    names: dict[str, Any] = {"bot": bot, "state": game.new_initial_state()}
    exec(compile(EXAMPLES[0], "adapters.md", "exec"), names)
    assert mv.open("move.mcts").n_iterations == 50
    assert names["watched"].trace.best_action == names["action"]


class Library:
    """Means in the view of the player to move, who is not always the other one; a tree that is kept."""

    c = 1.5

    def __init__(self) -> None:
        self.root = self.node(None, True)

    def node(self, move: Any, white: bool) -> Any:
        return SimpleNamespace(children=[], n=0, q=0.0, move=move, white_to_move=white, p=0.5)

    def name_of(self, move: int) -> str:
        return f"move {move}"

    def step(self) -> None:
        path = [self.root]
        while len(path[-1].children) == 2 and len(path) < 4:
            path.append(min(path[-1].children, key=lambda child: child.n))
        if len(path) < 4:
            move = len(path[-1].children)
            path[-1].children.append(self.node(move, path[-1].white_to_move != (move == 1)))
            path.append(path[-1].children[-1])
        for node in path:
            node.n += 1
            won = 1.0 if node.white_to_move else 0.0
            node.q += (won - node.q) / node.n


def test_the_adapter_of_the_page_works_in_no_more_than_20_lines() -> None:
    adapter = EXAMPLES[1]
    assert len(adapter[adapter.index("def watch") :].strip().split("\n")) <= 20
    names: dict[str, Any] = {}
    exec(compile(adapter, "adapters.md", "exec"), names)
    search = Library()
    with names["watch"](search) as rec:
        for _ in rec.steps(search.step, 20):
            pass
        search.root = search.root.children[0]
        for _ in rec.steps(search.step, 5):
            pass
    first, second = rec.traces
    assert (first.n_iterations, second.n_iterations) == (20, 5)
    last = first.at(20)
    # white is always right: whoever moves as white into a node has the value 1 there
    white = last.to_move[last.parent[1:]] == 0
    assert np.array_equal(last.mean_value[1:][last.visits[1:] > 0], white[last.visits[1:] > 0])
    assert last.label(1) == "move 0"
    assert second.at(1).visits[0] == search.root.n - 4
