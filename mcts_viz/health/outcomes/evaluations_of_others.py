"""Whether different positions are evaluated alike wherever the same moves led to them in another order: so it is where
evaluations are kept in a table by a key that leaves out who is to move, or a score.

The recorded texts of positions tell which differ, or else the player to move. It is looked at told evaluations, or else
at what new leaves get, in the view of the player to move."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import NamedTuple

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.health.outcomes.new_leaves import NewLeaves
from mcts_viz.trace.players import CHANCE
from mcts_viz.trace.sibling_terms import EVALUATION
from mcts_viz.types import Floats, Ints

FEW_PAIRS = 20  # of positions that differ, and of positions that do not: texts that tell all moves merge none
NEARLY_ALL = 0.98  # pairs: a table may forget
KINDS = 5  # different values of these: results of games are fewer
MOST_NODES = 20_000
MOST_CHARACTERS = 60  # of a text


class _EvaluatedAlike(NamedTuple):
    node: int
    other: int
    value: float


def check_evaluations_of_others(
    search: CheckedSearch, leaves: NewLeaves | None = None
) -> Iterator[Finding]:
    """A note: a network that does not see the difference says the same."""
    if search.meta.shared:
        return
    node, value = evaluations(search, leaves)
    if len(np.unique(np.round(value, 5))) < KINDS or (search.action[1:] < 0).any():
        return
    first: dict[Hashable, tuple[int, float]] = {}
    alike: list[_EvaluatedAlike] = []
    same = other = 0
    for each, own in zip(node.tolist(), value.tolist()):
        before, theirs = first.setdefault(_moves_to(search, each), (each, own))
        if before == each:
            continue
        if _position(search, before) == _position(search, each):
            same += 1
        elif abs(own - theirs) <= search.slack + 1e-6 * abs(own):
            alike.append(_EvaluatedAlike(before, each, own))
        else:
            other += 1
    if min(len(alike), same) < FEW_PAIRS or len(alike) < NEARLY_ALL * (len(alike) + other):
        return
    if len({round(pair.value, 5) for pair in alike}) < KINDS:
        return
    yield _finding(search, alike, len(alike) + other)


def _finding(search: CheckedSearch, alike: list[_EvaluatedAlike], pairs: int) -> Finding:
    one = alike[0]
    told = [words_of(search, node) for node in (one.node, one.other)]
    return found(
        "simulation-shared-value", int(search.born[one.other]), one.other,
        f"nodes {one.node:,} and {one.other:,} are different positions, {told[0]} and {told[1]}, to which the same "
        f"moves lead in another order, and both are evaluated with exactly {one.value:.4g} for the player to move; so "
        f"it is with {len(alike):,} of {pairs:,} such pairs. So it is where evaluations are kept in a table (a cache) "
        "by a key that leaves out what differs there, as the player to move, or the score: the second position gets "
        "the value of the first. Right where what differs is not to count, or the evaluation does not see it",
        pairs=pairs, alike=len(alike),
    )  # fmt: skip


def evaluations(search: CheckedSearch, leaves: NewLeaves | None) -> tuple[Ints, Floats]:
    """Nodes below the root where the game goes on, and what each was evaluated with, view of the player to move."""
    told = search.trace.columns.numbers(search.T).get(EVALUATION)
    if told is not None:
        node = np.flatnonzero(~np.isnan(told))
        goes_on = ~search.ended[node]
        value = told[node].astype(np.float64)
    elif leaves is None or search.has_rewards or search.meta.step_rewards:
        return np.zeros(0, np.int64), np.zeros(0)
    else:
        node, middle = leaves.node, sum(search.value_range) / 2
        turned = (search.to_move[node] != search.mover[node]) & (not search.alone)
        value = np.where(turned, -1.0, 1.0) * (leaves.value - middle)
        goes_on = search.n_children(node) > 0  # also where nobody tells which games are over
    use = (node > 0) & goes_on & (search.to_move[node] != CHANCE)
    return node[use][:MOST_NODES], value[use][:MOST_NODES]


def _moves_to(search: CheckedSearch, node: int) -> tuple[int, ...]:
    """The moves that lead to a node, in any order."""
    return tuple(sorted(int(search.action[each]) for each in search.topology.path(node)[1:]))


def _position(search: CheckedSearch, node: int) -> tuple[Hashable, int]:
    states = search.trace.columns.nodes.state
    return None if states is None else states[node], int(search.to_move[node])


def words_of(search: CheckedSearch, node: int) -> str:
    text, player = _position(search, node)
    if text is None:
        return f"{search.meta.player_names[player]} to move"
    short = " / ".join(str(text).splitlines())
    return f"‘{short if len(short) <= MOST_CHARACTERS else short[: MOST_CHARACTERS - 1] + '…'}’"
