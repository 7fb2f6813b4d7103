"""Whether the root's children in a tree that was kept follow from the root's state by their moves, where no rules are
known. Where the tree of another move was kept and its root got the true state, they do not: they follow from the state
that the other move leads to.

What a move changes is learnt from the other nodes of the tree: in each field of the recorded text a difference of two
whole numbers, or else the letters before and after. A field counts where its changes are few and go by the move, and
where those of each depth are known from the other depths, so that nothing that happens at one turn alone is taken for a
mistake."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.health.outcomes.replays import sample
from mcts_viz.health.tree.fields import Boards, boards_of
from mcts_viz.health.tree.kept_boards import LAST_KEPT, has_kept_states

MOST_FIELDS = 300_000  # of all positions looked at
FEW = 20  # nodes with a move, and at a depth
FEW_DEPTHS = 3
MOST_NEW = 0.005  # changes of one depth that no other one has
MOST_KINDS = 3  # of changes of a field by a move, as at the edge of a board and elsewhere
FEW_CHILDREN = 2  # that do not follow: each alone is rarer than the number above, where it is right
APART = 2  # moves, of each of the two positions after the last one that both came by
LONG_TEXT = 70  # letters that a message shows

Change = int | tuple[str, str]  # of a field: a difference, or what it was and is


class MoveStep(NamedTuple):
    """A node, its move, and the fields before and after."""

    node: int
    depth: int
    action: int
    before: list[str]
    after: list[str]


def check_kept_states(search: CheckedSearch) -> Iterator[Finding]:
    """An error where the root's children in a tree that was kept follow from another state than the root's."""
    states = search.trace.columns.nodes.state
    if states is None or not has_kept_states(search):
        return
    node = np.arange(1, search.N)
    is_kept = search.born[node] <= LAST_KEPT
    of_root = search.parent[node] == 0
    learnt = node[~of_root]
    boards = boards_of(states[0], (states[each] for each in sample(learnt, 1_000)))
    children = _edges(search, boards, node[of_root & is_kept].tolist())
    if len(children) < FEW_CHILDREN or not boards.root:
        return
    some = sample(learnt, max(MOST_FIELDS // len(boards.root), FEW))
    changes = MoveChanges(_edges(search, boards, some))
    children = [each for each in children if changes.n[each.action] >= FEW]
    bad = _of_another_state(changes, children)
    if len(bad) < FEW_CHILDREN:
        return
    first, field = bad[0]
    yield found(
        "reuse-start", int(search.born[first.node]), first.node,
        f"the root's children do not follow from its state by their moves: {_step_words(search, first, field)}, and "
        f"at {changes.n[first.action]:,} other nodes this move {_usual_words(changes, first, field)}; so it is with "
        f"{len(bad):,} of {len(children):,} children that were kept. They do follow from another state that is a move "
        "or two apart: the tree that was kept is not that of the move that was played, as where children are in the "
        "order in which they were made and are taken by the number of the move, children[move], while the root gets "
        "the true state",
        times=len(bad), looked_at=len(children),
    )  # fmt: skip


def _edges(search: CheckedSearch, boards: Boards, nodes: list[int]) -> list[MoveStep]:
    states = search.trace.columns.nodes.state
    assert states is not None
    edges = []
    for node in nodes:
        before, after = (boards.fields(states[at]) for at in (int(search.parent[node]), node))
        action = int(search.action[node])
        if before is not None and after is not None and action >= 0:
            depth = int(search.topology.depth[node])
            edges.append(MoveStep(node, depth, action, before, after))
    return edges


class MoveChanges:
    """What moves change, learnt from the nodes below the root's children."""

    def __init__(self, edges: list[MoveStep]) -> None:
        self._edges = edges
        self.n = Counter(each.action for each in edges)
        self.kinds: dict[tuple[int, int], set[Change]] = defaultdict(set)  # by action and field
        self.of_field: dict[int, set[Change]] = defaultdict(set)  # of any action
        for each in edges:
            for field, (before, after) in enumerate(zip(each.before, each.after)):
                change = _change(before, after)
                self.kinds[each.action, field].add(change)
                self.of_field[field].add(change)

    @cached_property
    def fields(self) -> list[int]:
        """Those whose changes are few and go by the move, and are known from other depths."""
        often = [action for action, n in self.n.items() if n >= FEW]
        by_move = [
            field
            for field in self.of_field
            if len({frozenset(self.kinds[action, field]) for action in often}) > 1
            and all(len(self.kinds[action, field]) <= MOST_KINDS for action in often)
        ]
        return [field for field in by_move if self._is_known(field)]

    def _is_known(self, field: int) -> bool:
        """Whether each depth has the changes of others."""
        by_depth: dict[int, Counter[tuple[int, Change]]] = defaultdict(Counter)
        total: Counter[tuple[int, Change]] = Counter()
        for each in self._edges:
            if self.n[each.action] >= FEW:
                kind = each.action, _change(each.before[field], each.after[field])
                by_depth[each.depth][kind] += 1
                total[kind] += 1
        many = [kinds for kinds in by_depth.values() if kinds.total() >= FEW]
        new = sum(n for kinds in many for kind, n in kinds.items() if total[kind] == n)
        return len(many) >= FEW_DEPTHS and new <= MOST_NEW * total.total()

    def near(self, field: int, value: str) -> set[str]:
        """What the field may be in states that are a move or two apart."""
        reached, steps = {value}, self.of_field[field]
        for _ in range(APART):
            reached |= {one for each in reached for step in steps for one in _undone(each, step)}
        for _ in range(APART):
            reached |= {one for each in reached for step in steps for one in _done(each, step)}
        return reached


def _of_another_state(changes: MoveChanges, children: list[MoveStep]) -> list[tuple[MoveStep, int]]:
    """Children that do not follow from the root's state, each with a field that says so; none where they do not all
    follow from one other state that is near."""
    bad: dict[int, tuple[MoveStep, int]] = {}
    for field in changes.fields:
        if not children:
            break
        own = children[0].before[field]
        states = changes.near(field, own)
        for each in children:
            kinds = changes.kinds[each.action, field]
            fits = {one for one in states | {own} if _change(one, each.after[field]) in kinds}
            states &= fits
            if own not in fits:
                bad.setdefault(each.node, (each, field))
        if not states:
            return []
    return list(bad.values())


def _change(before: str, after: str) -> Change:
    """0 where it stays the same."""
    if before == after:
        return 0
    try:
        return int(after) - int(before)
    except ValueError:
        return before, after


def _done(value: str, change: Change) -> Iterator[str]:
    """The value after the change, where it can be made."""
    if isinstance(change, tuple):
        yield from change[1:] if value == change[0] else ()
    elif value.lstrip("-").isdigit():
        yield str(int(value) + change)


def _undone(value: str, change: Change) -> Iterator[str]:
    """The value before it."""
    return _done(value, -change if isinstance(change, int) else (change[1], change[0]))


def _step_words(search: CheckedSearch, edge: MoveStep, field: int) -> str:
    """What the move changes here."""
    states = search.trace.columns.nodes.state
    assert states is not None
    move = search.trace.action_name(edge.action)
    before, after = states[0] or "", states[edge.node] or ""
    text = f"move {move} changes field {field + 1} of the state from {edge.before[field]} to {edge.after[field]}"
    if max(len(before), len(after)) <= LONG_TEXT and "\n" not in before + after:
        text += f' ("{before}" and then "{after}")'
    return text


def _usual_words(changes: MoveChanges, edge: MoveStep, field: int) -> str:
    """What the move changes elsewhere."""
    kinds = sorted(
        f"changes it by {kind:+d}"
        if isinstance(kind, int)
        else "changes it from {} to {}".format(*kind)
        for kind in changes.kinds[edge.action, field] - {0}
    )
    stays = ["leaves it as it is"] if 0 in changes.kinds[edge.action, field] else []
    return " or ".join(stays + kinds)
