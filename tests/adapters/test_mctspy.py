"""mctspy by its adapter: its own numbers after every iteration, and the search that it would be alone."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from mctspy.games.examples.tictactoe import TicTacToeGameState
from mctspy.tree.nodes import TwoPlayersGameMonteCarloTreeSearchNode
from mctspy.tree.search import MonteCarloTreeSearch

import mcts_viz as mv
from mcts_viz.adapters.mctspy import cell_changed

pytestmark = pytest.mark.filterwarnings("ignore")  # mctspy's own


def search_of(seed: int) -> Any:
    np.random.seed(seed)  # noqa: NPY002 (mctspy draws from it)
    root = TwoPlayersGameMonteCarloTreeSearchNode(TicTacToeGameState(np.zeros((3, 3)), 1))
    return root, MonteCarloTreeSearch(root)


def tree_of(root: Any) -> dict[tuple[int, ...], tuple[int, float]]:
    found, nodes = {}, [((), root)]
    while nodes:
        moves, node = nodes.pop()
        found[moves] = (int(node.n), float(node.q) if node.parent else 0.0)
        for child in node.children:
            move = int((child.state.board != node.state.board).argmax())
            nodes.append(((*moves, move), child))
    return found


def told(snapshot: mv.Snapshot) -> dict[tuple[int, ...], tuple[int, float]]:
    moves: list[tuple[int, ...]] = [()]
    for parent, action in zip(snapshot.parent[1:].tolist(), snapshot.action[1:].tolist()):
        moves.append((*moves[parent], action))
    return dict(zip(moves, zip(snapshot.visits.tolist(), snapshot.value_sum.tolist())))


@pytest.mark.parametrize(
    "kinds", [(float, float), (np.int8, np.int8), ("<U1", "<U1"), (object, object), (int, float)]
)
@pytest.mark.parametrize("shape", [(3, 3), (6, 7), (19,)])
def test_the_move_is_the_cell_that_changed_whatever_the_board_is_made_of(
    kinds: tuple[Any, Any], shape: tuple[int, ...]
) -> None:
    before = np.full(shape, 10**6 if kinds[0] is object else 0).astype(kinds[0])
    above = SimpleNamespace(state=SimpleNamespace(board=before))
    for cell in range(before.size):
        board = np.full(shape, 10**6 if kinds[0] is object else 0).astype(kinds[1])
        board.flat[cell] = 1
        node = SimpleNamespace(state=SimpleNamespace(board=board), parent=above)
        assert cell_changed(node) == cell


@pytest.mark.parametrize("game", ["tic_tac_toe", None])
def test_every_number_is_mctspys_own_and_it_plays_as_if_alone(
    game: str | None, tmp_path: Path
) -> None:
    alone, search = search_of(7)
    search.best_action(120)
    root, search = search_of(7)
    path = tmp_path / "run.mcts"
    with mv.watch_mctspy(root, path, game=game) as rec:
        steps = rec.steps(lambda: search.best_action(1), 120)
        seen = [tree_of(root) for _ in steps]
    assert tree_of(root) == tree_of(alone)
    trace = mv.open(path)
    assert [told(trace.at(t)) for t in range(1, 121)] == seen
    assert {"value of the root", "outcome", "rollout"} <= set(trace.meta["not_observed"])
    assert trace.meta["policies"]["selection"] == {"name": "ucb1_double_log", "c": 1.4}
    if game is None:
        assert trace.at(120).state(1) == str(root.children[0].state.board)
