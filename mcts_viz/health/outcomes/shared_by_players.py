"""Whether positions with the same text and the other player to move are evaluated alike, in the view of one player: so
it is where evaluations are kept by a key that leaves out who is to move, and where they do not see it.

Of these two, finished games tell: where every move ends the game, and with the opposite result for the other player to
move, an evaluation that is the one result for both is a game that was not played from there.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import NamedTuple

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.health.outcomes.evaluations_of_others import evaluations, words_of
from mcts_viz.health.outcomes.new_leaves import NewLeaves
from mcts_viz.trace.sibling_terms import EVALUATION

FEW_PAIRS = 20
FEW_TEXTS = 8  # of these pairs
NEARLY_ALL = 0.98  # pairs: a table may forget
# different values: results of games are fewer; means of two or three of them are the same by chance in a third of cases
KINDS = 5
ROUNDED = 1e-5  # of a result
FEW_WRONG = 5  # nodes, from each of which the game can end in one way only


class _SharedValue(NamedTuple):
    node: int
    other: int  # the same text, and the other player to move
    value: float  # view of player 0, from the middle of the range


def check_shared_by_players(
    search: CheckedSearch, leaves: NewLeaves | None = None
) -> Iterator[Finding]:
    """A note; a warning where finished games contradict it."""
    if search.alone or search.meta.shared or len(search.meta.player_names) != 2:
        return
    states = search.trace.columns.nodes.state
    if states is None:
        return
    node, value = evaluations(search, leaves)
    value = np.where(search.to_move[node] == 0, value, -value)
    first: dict[Hashable, tuple[int, float]] = {}
    alike: list[_SharedValue] = []
    other = 0
    for each, own in zip(node.tolist(), value.tolist(), strict=True):
        text, player = states[each], int(search.to_move[each])
        first.setdefault((text, player), (each, own))
        before = first.get((text, 1 - player))
        near = search.slack + 1e-6 * abs(own)
        if before is None or max(abs(own), abs(before[1])) <= near:
            continue  # nothing to compare with, or the same in both views
        if abs(own - before[1]) <= near:
            alike.append(_SharedValue(before[0], each, own))
        else:
            other += 1
    if len(alike) < FEW_PAIRS or len(alike) < NEARLY_ALL * (len(alike) + other):
        return
    of_texts = {states[pair.other]: round(pair.value, 5) for pair in alike}
    if len(of_texts) < FEW_TEXTS or len({*of_texts.values()}) < KINDS:
        return
    yield _finding(search, alike, len(alike) + other)


def _finding(search: CheckedSearch, alike: list[_SharedValue], pairs: int) -> Finding:
    wrong = [pair for pair in alike if _is_contradicted(search, pair)]
    enough = len(wrong) >= FEW_WRONG
    one = wrong[0] if enough else alike[0]
    names = [search.meta.player_names[search.to_move[node]] for node in (one.node, one.other)]
    of_leaves = search.trace.columns.numbers(search.T).get(EVALUATION) is None
    value = one.value + (sum(search.value_range) / 2 if of_leaves else 0.0)
    finding = found(
        "simulation-shared-value", int(search.born[one.other]), one.other,
        f"nodes {one.node:,} and {one.other:,} have the same text, {words_of(search, one.other)}, with {names[0]} to "
        f"move at the first and {names[1]} at the second, and both are evaluated with exactly {value:.4g} in the view "
        f"of {search.meta.player_names[0]}; so it is with {len(alike):,} of {pairs:,} such pairs. So it is where "
        "evaluations are kept in a table (a cache) by a key that leaves out the player to move: the second position "
        "gets the value of the first, which may have the wrong sign there; or an evaluation in the view of the player "
        "to move is backed up as that of one player",
        pairs=pairs, alike=len(alike), wrong=len(wrong),
    )  # fmt: skip
    if not enough:
        right = "Right where the evaluation does not depend on who is to move, as a score of the board alone"
        return finding.as_note(f"{finding.message}. {right}")
    proof = (
        f"From {len(wrong):,} of these nodes every move ends the game with the opposite of that number, and from the "
        "node of the other player with that number"
    )
    return finding.as_warning(f"{finding.message}. {proof}")


def _is_contradicted(search: CheckedSearch, pair: _SharedValue) -> bool:
    """Whether the game can end from both in one way only, from the one with the value, and from the other with its
    opposite."""
    low, high = search.value_range
    share = 2 * pair.value / (high - low)
    return (
        abs(abs(share) - 1) <= ROUNDED
        and abs(_only_result(search, pair.node) - share) <= ROUNDED
        and abs(_only_result(search, pair.other) + share) <= ROUNDED
    )


def _only_result(search: CheckedSearch, node: int) -> float:
    """That of all children, from −1 to 1 in the view of player 0; nan where they differ, or the game goes on."""
    below = search.children(np.array([node]))
    results = np.unique(search.share(search.outcome[below].astype(np.float64), 0))
    return float(results[0]) if len(results) == 1 else np.nan
