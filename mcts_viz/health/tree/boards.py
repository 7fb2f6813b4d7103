"""Whether boards fill up, or empty, move by move, as far as their texts show: a rollout that is played on a node's own
board, before a recorder sees the node, fills or empties it at once, and the moves below it have nothing to do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.health.outcomes.replays import sample
from mcts_viz.health.tree.fields import boards_of

FEW_FIELDS = 4
FEW_EMPTY, FEW_BOARD = 5, 9  # empty fields of the root, and all
MOST_KINDS = 8  # of what may stand on a field
FEW_MOVES = 3  # of the root
FEW_BELOW = 20  # moves below these
FEW_STILL = 10  # of them, where most change nothing
FEW_BELOW_FULL = 5  # of them, where each of the root's moves fills all of an empty board
MOST = 0.5  # of these
MOST_TEXTS = 1_000
AT_ONCE = 3  # fields, at least, that each move of the root fills, or empties
SLOWER = 0.25  # of that, on average, below
# the fullest move fills so many times what the emptiest one does: what sets pieces by the rules sets as many each time
UNEVEN = 1.5


class _FieldsOfMoves(NamedTuple):
    """How many fields each move fills, or empties."""

    words: str  # of which kind there are more, or fewer
    first: list[int]  # of the root
    below: list[int]


class _FieldsOfStep(NamedTuple):
    """From a position to a child's."""

    of_root: bool
    is_still: bool  # whether no field changes
    more: Counter[str]  # how many more fields the child has of each kind; fewer: negative


def check_boards(search: CheckedSearch) -> Iterator[Finding]:
    """A note or a warning where each move of the root fills, or empties, several fields, and the moves below hardly
    any."""
    states = search.trace.columns.nodes.state
    if states is None or search.rules is not None:
        return
    nodes = sample(range(1, search.N), MOST_TEXTS)
    boards = boards_of(states[0], (states[node] for node in nodes))
    if len(boards.root) < FEW_BOARD:
        return
    steps = list[_FieldsOfStep]()
    for node in nodes:
        above = int(search.parent[node])
        own, before = (boards.fields(states[each]) for each in (node, above))
        if own is None or before is None:
            continue
        more = Counter(own)
        more.subtract(before)
        steps.append(_FieldsOfStep(above == 0, own == before, more))
    of_root = Counter(boards.root)
    kinds = sorted(set(of_root).union(*(step.more for step in steps)))
    if len(kinds) > MOST_KINDS:  # counts and the like, but for what an empty board is full of
        kinds = [kind for kind in kinds if of_root[kind] == len(boards.root)]
    still = [step.is_still for step in steps if not step.of_root]
    most_still = bool(still) and np.mean(still) >= MOST
    uneven = []
    for moves in _of_each_kind(of_root, kinds, steps):
        at_once = min(moves.first, default=0) == len(boards.root)  # the whole board
        enough = FEW_BELOW_FULL if at_once else FEW_STILL if most_still else FEW_BELOW
        if len(moves.first) >= FEW_MOVES and len(moves.below) >= enough and _is_uneven(moves):
            uneven.append(moves)
    if uneven:
        most = max(uneven, key=lambda moves: float(np.mean(moves.first)))
        yield _finding(len(boards.root), search, most, sum(still) if most_still else 0)


def _of_each_kind(
    of_root: Counter[str], kinds: list[str], steps: list[_FieldsOfStep]
) -> Iterator[_FieldsOfMoves]:
    """Of what may stand for a field to be filled, as there are many of it at the root, and for one that is cleared, as
    no move makes fewer of it."""
    for kind in kinds:
        if of_root[kind] >= FEW_EMPTY:
            yield _moves(f"fewer “{kind}”", steps, kind, -1)
        if all(step.more[kind] >= 0 for step in steps):
            yield _moves(f"more “{kind}”", steps, kind, 1)


def _moves(words: str, steps: list[_FieldsOfStep], kind: str, sign: int) -> _FieldsOfMoves:
    first, below = (
        [sign * step.more[kind] for step in steps if step.of_root is of_root]
        for of_root in (True, False)
    )
    return _FieldsOfMoves(words, first, below)


def _is_uneven(moves: _FieldsOfMoves) -> bool:
    """Whether each move of the root changes several fields, and the moves below hardly any."""
    few = np.mean(moves.below) <= SLOWER * np.mean(moves.first)
    return min(moves.first) >= AT_ONCE and bool(few)


def _finding(fields: int, search: CheckedSearch, moves: _FieldsOfMoves, still: int) -> Finding:
    """still: moves below that change nothing, where most are such."""
    first, n = moves.first, len(moves.below)
    node = int(np.flatnonzero(search.parent == 0)[0])
    changed = f"{min(first)}" if min(first) == max(first) else f"{min(first)} to {max(first)}"
    fewer = max(0.0, float(np.mean(moves.below)))
    nothing = ""
    if still:
        nothing = f": {still:,} of these {n:,} leave the position as it is, as there is nothing left to play"
    finding = found(
        "expansion-state-changes", int(search.born[node]), node,
        f"each move of the root changes {changed} of its {fields} fields at once ({moves.words}), and the moves below "
        f"{fewer:.2g} on average{nothing}. More was played on the positions of nodes than the move that leads there, "
        "before they were first seen. So it is where rollouts are played on the node's own board, and no copy is made. "
        "Right where the first move sets, or takes, many pieces",
        first=float(np.mean(first)), below=fewer,
    )  # fmt: skip
    # a move that sets many pieces by the rules sets as many wherever it is made
    is_sure = bool(still) or max(first) >= UNEVEN * min(first)
    return finding.as_warning() if is_sure else finding.as_note()
