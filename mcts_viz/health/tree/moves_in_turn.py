"""Whether a move sets pieces of the player who makes it alone: where a rollout is played on a node's own board before a
recorder sees the node, its position has what both players have set in turn since its parent's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.health.outcomes.replays import sample
from mcts_viz.health.tree.boards import FEW_BOARD, FEW_EMPTY, MOST_TEXTS
from mcts_viz.health.tree.fields import boards_of

FEW_MOVES = 3  # of the root
FEW_NODES = 5
FEW_FIELDS = 3  # that one move fills: a move and the reply to it fill two
MOST_MARKS = 2  # fields that no piece is set on and that change: who is to move, and such
MOSTLY = 0.6  # of the nodes
NEARLY_ALL = 0.9  # of the root's moves


class Step(NamedTuple):
    """The fields of a node's position and of its parent's."""

    node: int
    mover: int  # player 0 or 1
    before: list[str]
    after: list[str]


class PiecesSet(NamedTuple):
    """What the move to a node has set on empty fields."""

    node: int
    mover: int
    pieces: Counter[str]


def check_moves_in_turn(search: CheckedSearch) -> Iterator[Finding]:
    """A warning where the root's moves, or most moves, each set pieces of both players, as many as these set in
    turn."""
    if search.alone or search.meta.n_players != 2:
        return
    steps, fields = _steps(search)
    for empty, n in Counter(fields).most_common():
        if n < FEW_EMPTY or len(fields) < FEW_BOARD:
            return
        moves = [_pieces_set(step, empty) for step in steps]
        own = _own_pieces(moves)
        if own is None:
            continue
        several = [each for each in moves if _are_set_in_turn(each, own)]
        # a piece that is written with several signs always sets the same ones
        numbers = {tuple(each.pieces[piece] for piece in own) for each in several}
        if len(numbers) > 1 and _is_a_rule(search, several, moves):
            yield _finding(search, several, moves, own)
            return


def _steps(search: CheckedSearch) -> tuple[list[Step], list[str]]:
    """Some of them, where both texts show boards, and the fields of the root's."""
    states, steps = search.trace.columns.nodes.state, list[Step]()
    if states is None:
        return [], []
    nodes = sample(range(1, search.N), MOST_TEXTS)
    boards = boards_of(states[0], (states[node] for node in nodes))
    for node in nodes:
        before, after = (boards.fields(states[at]) for at in (int(search.parent[node]), node))
        mover = int(search.mover[node])
        if before is not None and after is not None and mover in (0, 1):
            steps.append(Step(node, mover, before, after))
    return steps, boards.root


def _pieces_set(step: Step, empty: str) -> PiecesSet:
    """Nothing where other fields change as well: pieces that move or are taken, boards that are turned."""
    changed = [(a, b) for a, b in zip(step.before, step.after) if a != b]
    pieces = Counter(b for a, b in changed if a == empty)
    if len(changed) - pieces.total() > MOST_MARKS or any(b == empty for _, b in changed):
        pieces = Counter()
    return PiecesSet(step.node, step.mover, pieces)


def _own_pieces(moves: list[PiecesSet]) -> tuple[str, str] | None:
    """What stands for a piece of player 0, and of player 1."""
    pieces = sum((each.pieces for each in moves), Counter[str]())
    if len(pieces) < 2:
        return None
    (one, _), (other, _) = pieces.most_common(2)
    ways = ((one, other), (other, one))
    return max(ways, key=lambda own: sum(_are_set_in_turn(each, own) for each in moves))


def _are_set_in_turn(move: PiecesSet, own: tuple[str, str]) -> bool:
    """Whether two players set these in turn, the one who makes the move first: as many of each, or one more."""
    mine, others = (move.pieces[own[player]] for player in (move.mover, 1 - move.mover))
    n = mine + others
    return others > 0 and n >= FEW_FIELDS and n == move.pieces.total() and mine - others in (0, 1)


def _is_a_rule(search: CheckedSearch, several: list[PiecesSet], moves: list[PiecesSet]) -> bool:
    """Whether it is so with nearly all of the root's moves, or with most of all moves."""
    of_root = _of_root(search, several)
    at_root = of_root >= max(FEW_MOVES, NEARLY_ALL * _of_root(search, moves))
    return len(several) >= FEW_NODES and (at_root or len(several) >= MOSTLY * len(moves))


def _of_root(search: CheckedSearch, moves: list[PiecesSet]) -> int:
    return sum(int(search.parent[each.node]) == 0 for each in moves)


def _finding(
    search: CheckedSearch, several: list[PiecesSet], moves: list[PiecesSet], own: tuple[str, str]
) -> Finding:
    node, mover, pieces = several[0]
    mine, other = own[mover], own[1 - mover]
    return found(
        "expansion-state-changes", int(search.born[node]), node,
        f"the move of {search.meta.player_names[mover]} to node {node:,} sets {pieces[mine]} of “{mine}” and "
        f"{pieces[other]} of “{other}” at once: its position is not its parent's with one move made, but has what both "
        f"players set in {pieces.total()} moves, in turn. So it is with {_of_root(search, several):,} of the root's "
        f"{_of_root(search, moves):,} moves, and with {len(several):,} of {len(moves):,} looked at in all. More was "
        "played on these positions than the moves that lead there, before they were first seen: so it is where a "
        "rollout is played on the node's own board and not on a copy, and children are made from where it has ended. "
        "Right where a move is played on with the replies to it, or `state=` of the recording shows the end of a "
        "rollout",
        nodes=len(several), looked_at=len(moves),
    ).as_warning()  # fmt: skip
