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
from mcts_viz.games.position import board_after
from mcts_viz.recording.libraries.mctspy import cell_changed, first_player, moves_to
from tests.complaints import complaints
from tests.variants import few, in_turn

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
        text = str(trace.at(120).state(1))
        stones = {"X": 1, "O": -1, ".": 0}
        board = [[stones[cell] for cell in line.split()] for line in text.splitlines()]
        assert board == root.children[0].state.board.tolist()


class Drops:
    """Connect Four by rows, the first one at the top: the lowest free cell of a column is taken."""

    def __init__(self, board: Any, next_to_move: int):
        self.board, self.next_to_move = board, next_to_move

    @property
    def game_result(self) -> float | None:
        for player in (1, -1):
            own = self.board == player
            rows, columns = range(len(own) - 3), range(len(own[0]) - 3)
            across = any(own[:, i : i + 4].all(axis=1).any() for i in columns)
            if across or any(own[i : i + 4].all(axis=0).any() for i in rows):
                return player
            for r in rows:
                for c in columns:
                    square = own[r : r + 4, c : c + 4]
                    if square.trace() == 4 or square[::-1].trace() == 4:
                        return player
        return None if (self.board == 0).any() else 0.0

    def is_game_over(self) -> bool:
        return self.game_result is not None

    def get_legal_actions(self) -> list[tuple[int, int]]:
        free = (self.board == 0).sum(axis=0)
        return [(int(n) - 1, column) for column, n in enumerate(free) if n]

    def move(self, cell: tuple[int, int]) -> "Drops":
        board = self.board.copy()
        board[cell] = self.next_to_move
        return type(self)(board, -self.next_to_move)


class Columns(Drops):
    """As in mctspy's README: `board[column, height]`."""

    def get_legal_actions(self) -> list[tuple[int, int]]:
        heights = (self.board != 0).sum(axis=1)
        return [(column, int(n)) for column, n in enumerate(heights) if n < self.board.shape[1]]


@pytest.mark.parametrize("start", few([[3, 3, 0, 3], [], [6, 5, 6, 5, 5, 5]]))
@pytest.mark.parametrize(("shape", "kind"), in_turn([(7, 7), (7, 6), (6, 7)], [Drops, Columns]))
def test_columns_of_connect_four_and_its_start_are_told_by_the_board(
    shape: tuple[int, int], kind: type[Drops], start: list[int]
) -> None:
    np.random.seed(3)  # noqa: NPY002
    column = 0 if kind is Columns else 1
    n_columns = shape[column]
    moves = [move % n_columns for move in start]
    state = kind(np.zeros(shape), 1)
    for move in moves:
        (cell,) = [cell for cell in state.get_legal_actions() if cell[column] == move]
        state = state.move(cell)
    root = TwoPlayersGameMonteCarloTreeSearchNode(state)
    search = MonteCarloTreeSearch(root)
    with mv.watch_mctspy(root, game="connect_four") as rec:
        for _ in rec.steps(lambda: search.best_action(1), 60):
            pass
    trace = rec.trace
    assert complaints(trace) == []
    name = f"connect_four:{shape[1 - column]},{n_columns}"
    assert trace.meta.game.name == name.replace(":6,7", "")
    assert len(trace.meta.start or ()) == len(moves)
    snapshot = trace.at(60)
    labels = [snapshot.label(node) for node in snapshot.children(0)]
    assert labels == [f"column {move}" for move in range(n_columns, 0, -1)]


@pytest.mark.parametrize("begins", few([-1, 1]))
@pytest.mark.parametrize("game", ["tic_tac_toe", "connect_four", None])
def test_either_player_begins_and_the_board_may_be_of_another_size(
    game: str | None, begins: int
) -> None:
    np.random.seed(3)  # noqa: NPY002
    state = TicTacToeGameState(np.zeros((3, 3)), begins)
    if game == "connect_four":
        state = Drops(np.zeros((7, 7)), begins)
    root = TwoPlayersGameMonteCarloTreeSearchNode(state)
    search = MonteCarloTreeSearch(root)
    with mv.watch_mctspy(root, game=game) as rec:
        for _ in rec.steps(lambda: search.best_action(1), 100):
            pass
    trace = rec.trace
    assert complaints(trace) == []
    assert trace.meta.root.to_move == 0
    snapshot = trace.at(100)
    for node, child in zip(range(1, 4), root.children):
        assert (
            snapshot.mean_value[node] == child.q / child.n
        )  # view of who moved there, as mctspy's
    if game is not None:
        assert trace.meta.players == (("X", "O") if begins == 1 else ("O", "X"))
        first = board_after(trace.meta.game.name, [4], trace.meta.players)
        assert first is not None
        assert first.symbols[first.last or 0] == ("X" if begins == 1 else "O")
    if game == "connect_four":
        assert trace.meta.game.name == "connect_four:7,7"
        assert snapshot.label(1) == "column 7"


def test_each_move_of_a_game_has_a_root_of_its_own() -> None:
    np.random.seed(5)  # noqa: NPY002
    state: Any = TicTacToeGameState(np.zeros((3, 3)), -1)
    while state.game_result is None:
        root = TwoPlayersGameMonteCarloTreeSearchNode(state)
        search = MonteCarloTreeSearch(root)
        with mv.watch_mctspy(root, game="tic_tac_toe") as rec:
            for _ in rec.steps(lambda search=search: search.best_action(1), 40):
                pass
        assert complaints(rec.trace) == []
        state = search.best_action(1).state


def test_stones_that_were_not_set_in_turn_tell_no_start() -> None:
    board = np.array([[1, 1, 1], [0, 0, 0], [0, 0, 0]])
    state = SimpleNamespace(board=board, is_game_over=lambda: False)
    assert moves_to(state, 1, columns=False, columns_first=False) == []
    hanging = SimpleNamespace(board=np.array([[1, 1], [-1, -1]]), is_game_over=lambda: False)
    assert moves_to(hanging, -1, columns=True, columns_first=False) == [0, 0, 1, 1]
    assert moves_to(hanging, 1, columns=True, columns_first=False) == []


def test_who_began_is_told_by_the_stones() -> None:
    def state(*stones: int, to_move: int) -> Any:
        return SimpleNamespace(board=np.array(stones), next_to_move=to_move)

    assert first_player(state(0, 0, to_move=-1)) == -1
    assert first_player(state(1, 0, to_move=-1)) == 1
    assert first_player(state(-1, 0, to_move=1)) == -1
    assert first_player(state(-1, 1, to_move=1)) == 1
    assert first_player(SimpleNamespace(next_to_move=-1)) == 1
