"""Whether half of the moves are missing at every node, where no rules are known, but boards on which a move fills one
empty field, or moves that are made once each: a list from which moves are removed while it is looped over skips every
second one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.health.outcomes.replays import sample
from mcts_viz.health.tree.boards import FEW_BOARD
from mcts_viz.health.tree.fields import Boards, boards_of
from mcts_viz.health.tree.pruning import is_full

MOST_NODES = 500  # with children
FEW_NODES, FEW_SIZES = 10, 3  # nodes; different numbers of empty fields
FEW_LEFT = 4  # fields, or moves
NEARLY_ALL = 0.98  # of the nodes
SETTLED = 3  # visits for each empty field, by which a node has all the children that it will get
MOST_MARKS = 2  # fields that no piece is set on and that change: who is to move, and such
MANY_FIELDS = 500  # empty ones at a node and below it
# correlation of having a move at a node and at its child: without one, of so many fields, less than 0.15 in 99.9 % of
# cases. What leaves moves out by a heuristic, or by what lies near, has 0.3 and more
INDEPENDENT = 0.15


class _Node(NamedTuple):
    """A node whose children each fill one field, or make one of the moves that are left."""

    node: int
    left: frozenset[int]  # empty fields, or moves
    made: frozenset[int]  # those for which there is a child


def check_every_second(search: CheckedSearch) -> Iterator[Finding]:
    """A warning where each node has half of the moves, rounded up, as there are empty fields, or moves that nobody
    above has made: every second in order, or now these, now others."""
    if search.rules is not None or search.is_pruned or search.meta.shared or is_full(search):
        return
    chosen = sample(np.flatnonzero(search.n_children(np.arange(search.N)) > 1), MOST_NODES)
    of_boards = _by_boards(search, chosen)
    nodes = of_boards or _by_moves(search, chosen)
    if len(nodes) < FEW_NODES or len({len(each.left) for each in nodes}) < FEW_SIZES:
        return
    halves = [each for each in nodes if len(each.made) == (len(each.left) + 1) // 2]
    if len(halves) < NEARLY_ALL * len(nodes):
        return
    in_order = sum(_is_every_second(each) for each in halves) >= NEARLY_ALL * len(nodes)
    if not in_order and not (_has_even_priors(search) and _are_independent(search, nodes)):
        return
    which = "every second one in order" if in_order else "now these, now others"
    what = "empty fields" if of_boards else "moves that nobody above has made"
    first = halves[0]
    yield found(
        "expansion-missing", None, first.node,
        f"node {first.node:,} has {len(first.left)} {what} and children for {len(first.made)} of them, and so it is "
        f"at {len(halves):,} of {len(nodes):,} nodes looked at, however many there are: each lacks half of its legal "
        f"moves for ever, {which}. So it is where a loop over the list of moves removes from that list, as in "
        "`for move in moves: … moves.remove(move)`, and skips every second one: loop over a copy, or pop() while there "
        "are any. Right where half of the moves is left out on purpose",
        nodes=len(halves), looked_at=len(nodes),
    ).as_warning()  # fmt: skip


def _by_boards(search: CheckedSearch, chosen: list[int]) -> list[_Node]:
    """Those that have all children they will get; none where a move does something else than to fill one field."""
    states = search.trace.columns.nodes.state
    if states is None:
        return []
    boards = boards_of(states[0], (states[node] for node in chosen))
    if len(boards.root) < FEW_BOARD:
        return []
    empty, nodes = _empty_field(search, boards, chosen), list[_Node]()
    for node in chosen:
        own, made = boards.fields(states[node]), set[int]()
        for child in search.children(np.array([node])).tolist():
            field = _filled(own, boards.fields(states[child]), empty)
            if field is None or field in made:
                return []
            made.add(field)
        left = {i for i, field in enumerate(own or []) if field == empty}
        nodes.append(_Node(node, frozenset(left), frozenset(made)))
    return _settled(search, nodes)


def _by_moves(search: CheckedSearch, chosen: list[int]) -> list[_Node]:
    """The same where a move is made once at most on each path; none where some is made again."""
    everything, nodes = frozenset(search.action[1 : search.N].tolist()), list[_Node]()
    for node in chosen:
        path = search.action[search.topology.path(node)[1:]].tolist()
        children = search.action[search.children(np.array([node]))].tolist()
        if len({*path, *children}) < len(path) + len(children):
            return []
        nodes.append(_Node(node, everything - frozenset(path), frozenset(children)))
    return _settled(search, nodes)


def _settled(search: CheckedSearch, nodes: list[_Node]) -> list[_Node]:
    """Those with many moves left that have all children they will get: made at once, or visited often enough since."""
    visits = search.statistics_after(search.T).visits
    return [
        each
        for each in nodes
        if len(each.left) >= FEW_LEFT
        and (
            visits[each.node] >= SETTLED * len(each.left)
            or len(np.unique(search.born[search.children(np.array([each.node]))])) == 1
        )
    ]


def _empty_field(search: CheckedSearch, boards: Boards, nodes: list[int]) -> str:
    """What is replaced most often by moves."""
    states, replaced = search.trace.columns.nodes.state, Counter[str]()
    assert states is not None
    for node in nodes:
        before = boards.fields(states[node])
        for child in search.children(np.array([node])).tolist():
            after = boards.fields(states[child])
            replaced.update(a for a, b in zip(before or [], after or []) if a != b)
    return replaced.most_common(1)[0][0] if replaced else ""


def _filled(before: list[str] | None, after: list[str] | None, empty: str) -> int | None:
    """The one empty field that is filled; None where it is not one, or much else changes."""
    if before is None or after is None:
        return None
    changed = [i for i, (a, b) in enumerate(zip(before, after)) if a != b]
    filled = [i for i in changed if before[i] == empty]
    emptied = any(after[i] == empty for i in changed)
    return (
        filled[0] if len(filled) == 1 and len(changed) <= 1 + MOST_MARKS and not emptied else None
    )


def _is_every_second(node: _Node) -> bool:
    fields = sorted(node.left)
    return sorted(node.made) in (fields[::2], sorted(fields[::-2]))


def _has_even_priors(search: CheckedSearch) -> bool:
    """Whether no policy is told, which may have said what is worth a child."""
    prior = search.trace.columns.nodes.prior[1 : search.N]
    return len(np.unique(prior[:MANY_FIELDS])) == 1


def _are_independent(search: CheckedSearch, nodes: list[_Node]) -> bool:
    """Whether having a move at a node says nothing of having the same move at its child."""
    known = {each.node: each for each in nodes}
    above, below = list[bool](), list[bool]()
    for each in nodes:
        parent = known.get(int(search.parent[each.node]))
        for field in each.left if parent is not None else ():
            above.append(parent is not None and field in parent.made)
            below.append(field in each.made)
    if len(above) < MANY_FIELDS or len(set(above)) < 2 or len(set(below)) < 2:
        return False
    return bool(abs(np.corrcoef(above, below)[0, 1]) <= INDEPENDENT)
