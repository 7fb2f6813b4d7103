"""Whether a node was proven lost before all its moves had been made, where the legal moves are not known and texts of
positions are: another node with the same position has a move that this one has not."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import RANGE_ROWS, CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.types import Bools, Floats, Ints

Position = tuple[str, int]  # text, and who is to move
FEW = 3  # nodes proven too early
FURTHER = 3  # visits of a node beside those that made its children: by then it has them all
MOST_NODES = 200_000  # of a trace whose texts are read
SAME = 1e-6


def check_early_proofs(search: CheckedSearch, since: Ints, result: Floats) -> Iterator[Finding]:
    """At most one finding. since, result: [N] when each node was proven, and what, view of player 0."""
    states = search.trace.columns.nodes.state
    if search.rules is not None or states is None or search.meta.shared or search.N > MOST_NODES:
        return
    share = np.asarray(search.share(result[: search.N], search.to_move[: search.N]))
    lost = (share <= -1 + SAME) & np.isnan(search.known_outcome[: search.N])
    if int(lost.sum()) < FEW:
        return
    made: dict[int, set[int]] = {}
    for parent, begin, children in search.families.parts(RANGE_ROWS):
        actions = np.split(search.action[children], begin[1:])
        made.update(zip(parent.tolist(), (set(each.tolist()) for each in actions)))
    same: dict[Position, list[int]] = defaultdict(list)
    for node in made:
        text = states[node]
        if text is not None:
            same[text, int(search.to_move[node])].append(node)
    if _texts_leave_something_out(search, made, same, np.isnan(share)):
        return
    # node, another one of the same position, its further move
    early: list[tuple[int, int, int]] = []
    for nodes in same.values():
        for node in nodes:
            if not lost[node]:
                continue
            # one that is lost itself may have shown it, in a table of positions
            others = (one for one in nodes if not lost[one] or since[one] > since[node])
            further = ((one, min(moves)) for one in others if (moves := made[one] - made[node]))
            more = next(further, None)
            if more is not None and _is_carried_up(search, node, since):
                early.append((node, *more))
    if len(early) < FEW:
        return
    node, other, move = min(early)
    beside = next(one for one in search.children(np.array([other])) if search.action[one] == move)
    n = len(made[node])
    yield found(
        "proof-wrong", int(since[node]), node,
        f"node {node:,} is proven lost for the player to move with {n:,} of its moves made; node {other:,} has the "
        f"same position, and a further move, {search.move_into(int(beside))}. A loss is proven too early, before all "
        f"moves are tried; {len(early):,} such nodes of {int(lost.sum()):,} proven lost. Look at untried moves "
        "first: one of them may save the player",
        nodes=len(early),
    )  # fmt: skip


def _is_carried_up(search: CheckedSearch, node: int, since: Ints) -> bool:
    """Whether all children were proven before the node or with it: so the proof seems to come from them."""
    children = search.children(np.array([node]))
    return bool((since[children] <= since[node]).all())


def _texts_leave_something_out(
    search: CheckedSearch,
    made: dict[int, set[int]],
    same: dict[Position, list[int]],
    is_open: Bools,
) -> bool:
    """Whether nodes of one text that have all their moves, and are not proven, differ in them."""
    visits = search.statistics_after(search.T).visits
    for nodes in same.values():
        whole = [one for one in nodes if is_open[one] and visits[one] > len(made[one]) + FURTHER]
        if any(made[one] != made[whole[0]] for one in whole[1:]):
            return True
    return False
