"""Whether the positions of younger siblings have fewer pieces than those of older ones: one board serves all nodes, and
moves on it are not taken back completely."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.health.tree.boards import FEW_BOARD, MOST_KINDS, MOST_TEXTS
from mcts_viz.health.tree.fields import TOKEN
from mcts_viz.types import Ints

FEW_SIBLINGS = 6  # made one after another
FEW_NUMBERS = 5  # of pieces, of these
FEW_FIELDS = 6  # that change from the first sibling to the last
FEW_PIECES = 3  # of each of two kinds, of that
AT_ONCE = 1 << 14  # nodes


def check_decay(search: CheckedSearch) -> Iterator[Finding]:
    """A warning where pieces of two kinds get fewer, or more, from each sibling to the next: a move may take many of
    them, but the order in which moves are tried does not go by that."""
    states = search.trace.columns.nodes.state
    root = Counter(TOKEN.findall(states[0] or "")) if states is not None else Counter[str]()
    if states is None or root.total() < FEW_BOARD or len(root) > MOST_KINDS:
        return
    seen = 0
    for parent, begin, children in search.families.parts(AT_ONCE):
        for above, family in zip(parent.tolist(), np.split(children, begin[1:])):
            born = search.born[family]
            if len(family) < FEW_SIBLINGS or len(np.unique(born)) < len(family):
                continue
            seen += len(family)
            if seen > MOST_TEXTS:
                return
            texts = [Counter(TOKEN.findall(states[child] or "")) for child in family.tolist()]
            if any(text.total() != root.total() for text in texts):
                continue
            told = _drift(texts)
            if told:
                yield _finding(search, above, family, told, fewer=told[0][1] > told[0][2])
                return


def _drift(texts: list[Counter[str]]) -> list[tuple[str, int, int]]:
    """The pieces that get fewer, or more, with how many the first text and the last one have; none where no two
    kinds do so together at the cost, or in favour, of a third one."""
    kinds = sorted(set[str]().union(*texts))
    if len(kinds) > MOST_KINDS:
        return []
    counts = np.array([[text[kind] for kind in kinds] for text in texts])
    steps, change = np.diff(counts, axis=0), counts[-1] - counts[0]
    one_way = np.all(steps >= 0, axis=0) | np.all(steps <= 0, axis=0)
    field = int(np.argmax(np.abs(change)))  # that is empty
    if not one_way[field] or abs(change[field]) < FEW_FIELDS:
        return []
    if len(np.unique(counts[:, field])) < FEW_NUMBERS:
        return []
    pieces = np.flatnonzero(change * np.sign(change[field]) <= -FEW_PIECES)
    if len(pieces) < 2:
        return []
    return [(kinds[at], int(counts[0, at]), int(counts[-1, at])) for at in pieces.tolist()]


def _finding(
    search: CheckedSearch, parent: int, family: Ints, told: list[tuple[str, int, int]], fewer: bool
) -> Finding:
    last = int(family[-1])
    pieces = " and ".join(f"{before} to {after} of “{kind}”" for kind, before, after in told)
    return found(
        "expansion-state-changes", int(search.born[last]), last,
        f"the later a child of node {parent:,} is made, the {'fewer' if fewer else 'more'} pieces its position has: "
        f"from the first of its {len(family):,} children to the last, made in iteration {int(search.born[last]):,}, it "
        f"goes from {pieces}, though each of them is one move away from the same position. So it is where one board "
        "serves all nodes and a move on it is not taken back completely: where undo() does not put back the piece "
        "that a move has taken, or is called less often than moves were made",
        children=len(family),
    ).as_warning()  # fmt: skip
