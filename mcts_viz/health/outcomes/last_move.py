"""Whether what new leaves get goes by their last move alone: an answer for it is used wherever it is made."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.health.outcomes.new_leaves import NewLeaves
from mcts_viz.types import Floats, Ints

FEW_MOVES = 5  # that are made below several nodes
FEW_AGAIN = 20  # leaves, beside the first of each
KINDS = 5  # values: results of games are too few
# or so few moves and values, of hardly more than there are results of games, each of which has so many further leaves,
# at several depths, and all leaves get the same: were what a leaf gets drawn from as few values by chance, that would
# happen once in 3³⁰ searches
FEW_KINDS, OFTEN = 3, 10
NEARLY_ALL = 0.98


def check_last_move(search: CheckedSearch, leaves: NewLeaves) -> Iterator[Finding]:
    """A note where leaves with the same last move get the same, whatever led there, and others something else."""
    if search.has_rewards or search.meta.step_rewards:
        return
    goes_on = (leaves.node > 0) & ~search.ended[leaves.node]  # a result is that of the game
    iteration, node, value = _once_a_position(search, leaves.where(goes_on))
    if len(np.unique(np.round(value, 6))) < FEW_KINDS:
        return
    value = np.round(value, 6)
    move = search.action[node].astype(np.int64)
    order = np.lexsort((iteration, move))
    iteration, node, value, move = iteration[order], node[order], value[order], move[order]
    first = np.flatnonzero(np.diff(move, prepend=move[:1] - 1))
    size = np.diff(np.append(first, len(move)))
    as_first = value == np.repeat(value[first], size)
    again = int((size - 1).sum())
    several = size > 1
    kinds = len(np.unique(value[first[several]]))
    many = min(kinds, int(several.sum())) >= FEW_MOVES and again >= FEW_AGAIN
    many &= len(np.unique(value)) >= KINDS
    depths = len(np.unique(search.topology.depth[node]))
    often = len(np.unique(value[first[size > OFTEN]])) >= FEW_KINDS
    if not (many or (often and depths > 1 and as_first.all())):
        return
    if as_first.sum() - len(first) < NEARLY_ALL * again or _by_level(search, node, value):
        return
    at = int(first[np.argmax(several)])
    one, other = int(node[at]), int(node[at + 1])
    alike = int(as_first.sum()) - len(first)
    yield found(
        "simulation-last-move", int(iteration[at + 1]), other,
        f"nodes {one:,} and {other:,}, to which the same move leads from different positions, both get "
        f"{value[at]:.6g} at first; so it is with {alike:,} of {again:,} leaves whose last move was made elsewhere "
        f"before, {int(several.sum()):,} moves in all, which differ from one another: what a leaf gets goes by its "
        "last move alone. So it is where answers are kept in a table (a cache) by the last move, or the text of the "
        "last step, alone, or the evaluation is asked without the steps before it; right where nothing else counts",
        leaves=again, moves=int(several.sum()),
    )  # fmt: skip


def _once_a_position(search: CheckedSearch, leaves: NewLeaves) -> NewLeaves:
    """Without positions that were there before, which get the same by right."""
    states = search.trace.columns.nodes.state
    if states is None:
        return leaves
    seen: set[str] = set()
    fresh = np.ones(len(leaves.node), np.bool_)
    for i, node in enumerate(leaves.node.tolist()):
        text = states[node]
        fresh[i] = text is None or text not in seen
        if text is not None:
            seen.add(text)
    return leaves.where(fresh)


def _by_level(search: CheckedSearch, node: Ints, value: Floats) -> bool:
    """Whether the depth decides the value as well."""
    depth = search.topology.depth[node]
    return all(len(np.unique(value[depth == each])) == 1 for each in np.unique(depth))
