"""Which built-in game a search plays whose author told boards and no game: with its rules, the tree is checked as if it
had been told.

A board alone does not say what its players play for. So a game counts as known where the tree has ends that only it
explains: outcomes told by the author that are those of its rules at every node, or, without any, lines below which
nothing was searched, however often they were visited, and whose visits brought wins or losses.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mcts_viz.games.position import StartPosition, built_in
from mcts_viz.games.rules import FlatGame, State
from mcts_viz.health.told.board_cells import EMPTY, OTHER, OWN, BoardCells, below, board_cells
from mcts_viz.health.told.cells_of_moves import cells_of_moves
from mcts_viz.health.told.layouts import falls, has_line, layouts, moves_to
from mcts_viz.trace.meta import TraceMeta
from mcts_viz.trace.trace import Trace
from mcts_viz.types import Bools, Floats, Ints

MOST_NODES = 200_000
FEW_ENDS = 8  # nodes with a line
# what is nearly always played on 3 × 3 cells, and with discs that fall on 6 × 7
KNOWN_BY_THEIR_BOARDS = ("tic_tac_toe", "connect_four")
AGAIN = 3  # iterations that end at a node, from which on one without children seems to be an end
NEARLY_ALL = 0.9  # of such nodes
SOME_WINS = 0.1  # of nodes with a line, that bring wins to who has it: where none does, it may lose
# nodes with a single visit; that none of so many is drawn is by chance once in a million
MANY_ONCE = 100
TINY = 1e-6
SHORTEST_LINE, FOUR = 3, 4


class ToldGame(NamedTuple):
    """The rules of a game, and the tree's moves as its actions."""

    rules: StartPosition
    action: npt.NDArray[np.int32]  # [N]; −1 at the root, and where it is not known
    is_certain: bool  # by the ends in the tree, and not by the board alone
    # where lines seem to lose: values have the wrong sign, or the rules are others
    lost: LostLines | None


class LostLines(NamedTuple):
    """Visits of nodes with a line that brought the value of a loss to who has it."""

    node: Ints
    visits: int  # of all of these nodes


class GameFit(NamedTuple):
    """How well a game explains the ends of a tree; see `ToldGame`."""

    is_certain: bool
    lost: LostLines | None


class ToldPosition(StartPosition):
    """A start position in whose outcomes the players are those of a trace."""

    def __init__(
        self,
        game: FlatGame,
        moves: Sequence[int],
        first_player: int,
        reward_range: tuple[float, float],
    ) -> None:
        """first_player: who the trace says begins the game. reward_range: of its outcomes."""
        super().__init__(game, moves)
        self._first_player, self._range = first_player, reward_range

    def to_move(self, state: State) -> int:
        """0 or 1, as the trace numbers them."""
        return super().to_move(state) ^ self._first_player

    def as_told(self, outcomes: Floats) -> Floats:
        """Outcomes of the game, as the trace has them."""
        (low, high), (least, most) = self._range, self.game.reward_range
        share = (outcomes - least) / (most - least)
        return low + (high - low) * (1 - share if self._first_player else share)

    def outcome(self, state: State) -> float | None:
        """View of the trace's player 0."""
        outcome = super().outcome(state)
        return None if outcome is None else float(self.as_told(np.array(outcome)))


def line_length(game: FlatGame) -> int | None:
    """Marks of a line that wins; None where lines do not, or the game is not one of ours."""
    kind = game.name.partition(":")[0]
    if kind == "mnk":
        return dict(game.parameters)["k"]
    return dict(zip(KNOWN_BY_THEIR_BOARDS, (SHORTEST_LINE, FOUR))).get(kind)


def told_boards(trace: Trace, meta: TraceMeta) -> BoardCells | None:
    """What stands on the boards of a search of two players, by the texts told, or else by the moves; None where these
    are no such boards."""
    columns, n = trace.columns, trace.columns.n_nodes
    states = columns.nodes.state
    if not FEW_ENDS < n <= MOST_NODES or not _may_be_a_board_game(trace, meta):
        return None
    tree = _TreeColumns.of(trace)
    if states is None:
        return cells_of_moves(
            tree.parent, tree.depth, tree.action, trace.at(trace.n_iterations).label
        )
    return board_cells([states[node] for node in range(n)], tree.parent, tree.depth)


def told_game(trace: Trace, meta: TraceMeta, cells: BoardCells) -> ToldGame | None:
    """None where no built-in game explains the boards and the ends. cells: the boards."""
    columns, tree = trace.columns, _TreeColumns.of(trace)
    states = columns.nodes.state
    for boards, game in _candidates(cells):
        moves = moves_to(boards.marks[0], _discs_fall(boards, game))
        fits = None if moves is None else _explains(trace, meta, tree, boards, game)
        actions = None if fits is None else _actions(boards, game, tree)
        if moves is None or fits is None or actions is None:
            continue
        if not fits.is_certain and (states is None or _never_drawn(trace, meta, game)):
            continue
        if len(columns.rollout.action) and (actions[1:] != tree.action[1:]).any():
            return None  # those of rollouts cannot be told
        rules = ToldPosition(game, moves, tree.player ^ (len(moves) % 2), meta.reward_range)
        return ToldGame(rules, actions.astype(np.int32), *fits)
    return None


def _never_drawn(trace: Trace, meta: TraceMeta, game: FlatGame) -> bool:
    """Whether a game in which an eighth of the random games are drawn never is, so that it is another one, as Hex on
    3 × 3 cells."""
    if game.name != KNOWN_BY_THEIR_BOARDS[0]:
        return False
    last = trace.at(trace.n_iterations)
    once = np.flatnonzero(last.visits == 1)
    low, high = meta.value_range
    value = last.value_sum[once]
    decided = (np.abs(value - low) <= TINY) | (np.abs(value - high) <= TINY)
    return len(once) >= MANY_ONCE and bool(decided.all())


class _TreeColumns(NamedTuple):
    """Columns of a trace, [N] each."""

    parent: Ints
    depth: Ints
    action: Ints
    outcome: Floats  # view of player 0; nan where none was told
    times: Ints  # iterations that ended at each node
    is_leaf: Bools  # without children
    player: int  # who moves at the root; 0 where it was not told

    @classmethod
    def of(cls, trace: Trace) -> _TreeColumns:
        columns, n = trace.columns, trace.columns.n_nodes
        parent = np.asarray(columns.nodes.parent[:n], np.int64)
        is_leaf = np.ones(n, np.bool_)
        is_leaf[parent[1:]] = False
        return cls(
            parent,
            np.asarray(trace.topology.depth[:n], np.int64),
            np.asarray(columns.nodes.action[:n], np.int64),
            np.asarray(columns.nodes.outcome[:n], np.float64),
            np.bincount(np.asarray(columns.leaf[: columns.n_iterations]), minlength=n),
            is_leaf,
            max(int(columns.nodes.to_move[0]), 0),
        )


def _may_be_a_board_game(trace: Trace, meta: TraceMeta) -> bool:
    """Whether two players move by turns, and nothing was told that would have other actions than the rules."""
    columns = trace.columns
    if meta.n_players != 2 or not meta.mirrors or meta.step_rewards:
        return False
    if meta.root_actions is not None or meta.player_values:
        return False
    return bool((columns.nodes.to_move[: columns.n_nodes] >= -1).all())


def _candidates(cells: BoardCells) -> Iterator[tuple[BoardCells, FlatGame]]:
    """Games that may be played on such boards, and the boards with their rows from the top."""
    for boards in layouts(cells):
        rows, columns = boards.marks.shape[1:]
        if falls(boards):
            games = [f"connect_four:{rows},{columns}"]
        elif rows == columns == SHORTEST_LINE:
            games = ["tic_tac_toe"]
        else:
            games = [
                f"mnk:{columns},{rows},{k}" for k in range(SHORTEST_LINE, max(rows, columns) + 1)
            ]
        yield from ((boards, game) for name in games if (game := built_in(name)) is not None)


def _discs_fall(boards: BoardCells, game: FlatGame) -> bool:
    """Whether the game's actions are columns."""
    return bool(game.n_actions < boards.marks[0].size)


def _actions(boards: BoardCells, game: FlatGame, tree: _TreeColumns) -> Ints | None:
    """[N] the game's action into each node. Nodes without a board, as of children without visits, have the move that
    bears the same number elsewhere, or its own where all have the game's; None where that is not one move."""
    n = len(tree.parent)
    action = np.full(n, -1, np.int64)
    columns = boards.marks.shape[2]
    place = boards.cell % columns if _discs_fall(boards, game) else boards.cell
    action[boards.node] = np.where(boards.cell < 0, -1, place)
    rest = np.setdiff1d(np.arange(1, n), boards.node)
    if len(rest):
        known = np.unique(np.stack([tree.action, action])[:, boards.node[1:]], axis=1)
        if len(np.unique(known[0])) < known.shape[1]:
            return None
        at = np.minimum(np.searchsorted(known[0], tree.action[rest]), known.shape[1] - 1)
        is_known = known[0][at] == tree.action[rest]
        alike = bool((known[0] == known[1]).all()) and tree.action[rest].max() < game.n_actions
        if not is_known.all() and not alike:
            return None
        action[rest] = np.where(is_known, known[1][at], tree.action[rest])
    return action


def _explains(
    trace: Trace, meta: TraceMeta, tree: _TreeColumns, boards: BoardCells, game: FlatGame
) -> GameFit | None:
    """Whether the ends of the tree are those of the game; or would be, if who has a line lost. What stands below an
    end says nothing of it."""
    k = line_length(game) or SHORTEST_LINE
    own, other = (has_line(boards.marks == mark, k) for mark in (OWN, OTHER))
    ended = own | other | (boards.marks != EMPTY).all(axis=(1, 2))
    first = ~below(ended, boards, tree.parent)
    own, other, ended, node = own[first], other[first], ended[first], boards.node[first]
    few = np.count_nonzero(own | other) < FEW_ENDS
    if own[0] or other[0] or (few and game.name not in KNOWN_BY_THEIR_BOARDS):
        return None
    told = tree.outcome[node]
    if not np.isnan(told).all():
        as_told = _are_told(told, own, other, ended, tree.depth[node], tree.player, meta)
        return GameFit(not few, None) if as_told else None
    line = node[own | other]
    if not tree.is_leaf[line].all():
        return None
    if few:
        return GameFit(False, None)
    again = node[(tree.times[node] >= AGAIN) & tree.is_leaf[node]]
    is_certain = np.isin(again, line).sum() >= FEW_ENDS
    if is_certain and np.isin(again, node[ended]).mean() < NEARLY_ALL:
        return None
    if not is_certain and game.name not in KNOWN_BY_THEIR_BOARDS:
        return None
    return _brought_by_lines(trace, meta, line, bool(is_certain))


def _are_told(
    told: Floats,
    own: Bools,
    other: Bools,
    ended: Bools,
    depth: Ints,
    player: int,
    meta: TraceMeta,
) -> bool:
    """Whether the outcomes told are those of the game, at each node; or but for full boards without a line, if all of
    them are told as won by who moved last. player: who moves at the root."""
    low, high = meta.reward_range
    won, lost = (high, low) if player == 0 else (low, high)
    due = np.where(own, won, np.where(other, lost, np.where(ended, (low + high) / 2, np.nan)))
    is_drawn = ended & ~own & ~other
    of_last = np.where(depth[is_drawn] % 2 == 1, won, lost)
    if is_drawn.any() and (told[is_drawn] == of_last).all():
        due[is_drawn] = of_last
    return bool(np.array_equal(told.astype(np.float32), due.astype(np.float32), equal_nan=True))


def _brought_by_lines(
    trace: Trace, meta: TraceMeta, line: Ints, is_certain: bool
) -> GameFit | None:
    """Whether visits of nodes with a line brought what games bring to who has it: wins to some, or losses to all."""
    last = trace.at(trace.n_iterations)
    seen = line[last.visits[line] > 0]
    visits = last.visits[seen]
    if not len(seen):
        return GameFit(is_certain, None)
    low, high = meta.value_range
    share = (2 * last.value_sum[seen] / visits - low - high) / (high - low)
    won = share * visits  # wins less losses: a draw is worth half of each
    if (np.abs(won - np.round(won)) > TINY * visits).any():
        return None
    if np.mean(share > 0) >= SOME_WINS:
        return GameFit(is_certain, None)
    is_lost = share == -1
    if is_lost.mean() < NEARLY_ALL:
        return None
    return GameFit(is_certain, LostLines(seen[is_lost], int(visits[is_lost].sum())))
