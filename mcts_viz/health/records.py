"""Searches of agents, whose nodes have documents and scores: work done twice, scores that tell nothing, an answer
that was left lying, money spent after it was found. Other searches have neither, and are left alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TypeAlias

import numpy as np

from mcts_viz.analysis.node.branch import ERROR, SCORE, amount, is_derived, spent_names
from mcts_viz.health.catalogue import found
from mcts_viz.health.checked_search import CheckedSearch
from mcts_viz.health.finding import Finding
from mcts_viz.health.tree.duplicate_moves import is_sentence
from mcts_viz.trace.node_documents import DocumentEntry, each_packed
from mcts_viz.trace.players import CHANCE
from mcts_viz.trace.record_text import has_added_root
from mcts_viz.trace.trace import Trace
from mcts_viz.types import Bools, Floats

# names of documents that say what a node is made of; the first that it has counts
WORK = (
    "code",
    "child_code",
    "program",
    "solution",
    "action",
    "answer",
    "text",
    "diff",
    "thought",
    "response",
    "completion",
)
PROBLEM = ("problem", "question", "task")  # names of the document that says what is asked
CHOSEN = "chosen"  # number: 1 where the program took this node in the end
SAME_CHILDREN = 3  # children of a family that is looked at for equal scores, and families
MOST_SHOWN = 3  # nodes in a message
# siblings of an older one, and share of the families whose children are all the same; by chance, with four answers that
# are drawn evenly, once in 65,000 searches
FEW_AGAIN, ALIKE = 8, 0.9
WITHOUT_EFFECT = 0.1  # share of the nodes, below which a change that changes nothing happens
Contents: TypeAlias = dict[
    int, dict[str, bytes]
]  # by node and name, packed: equal where the documents are


def check_records(search: CheckedSearch) -> Iterator[Finding]:
    """Findings about nodes with documents or scores."""
    trace = search.trace
    numbers = trace.columns.numbers(trace.n_iterations)
    if search.alone and not trace.columns.asides.documents and (search.to_move != CHANCE).all():
        yield from _same_names(trace)
    if not numbers and not trace.columns.asides.documents:
        return
    if is_derived(trace.meta):
        yield found(
            "record-derived", None, None,
            "the log has no visits: visits are records at and below a node, values the means of their scores; checks "
            "of visits and values say nothing about the program",
        )  # fmt: skip
    contents = _contents(trace.columns.asides.documents)
    yield from _twice(trace, contents)
    yield from _without_effect(trace, contents)
    yield from _other_problem(trace, contents)
    scores = numbers.get(SCORE)
    if scores is not None and np.isfinite(scores).any():
        yield from _constant(trace, scores)
        yield from _best_left(trace, scores, numbers)
        yield from _spent_after(trace, scores, numbers)


def _contents(entries: list[DocumentEntry]) -> Contents:
    contents: Contents = {}
    for each, packed in each_packed(entries):
        contents.setdefault(each.node, {})[each.name.lower()] = packed
    return contents


def _work(contents: Contents, node: int) -> tuple[str, bytes] | None:
    """What the node is made of: the name of that document, and the document."""
    documents = contents.get(node, {})
    return next(((name, documents[name]) for name in WORK if name in documents), None)


def _twice(trace: Trace, contents: Contents) -> Iterator[Finding]:
    works = [_work(contents, node) for node in range(trace.n_nodes)]
    again = _again(trace, works)
    if again:
        what = f"{_name(contents, again[0][0])} as an older sibling"
        yield _duplicate(trace, again, works, what)


def _same_names(trace: Trace) -> Iterator[Finding]:
    """Siblings of the same name, where it is a sentence: a thought, a step of an answer."""
    labels = trace.columns.nodes.label

    def sentence(node: int) -> str | None:
        name = None if labels is None else labels[node]
        return name if is_sentence(name) else None

    names = [sentence(node) for node in range(trace.n_nodes)]
    again = _again(trace, names)
    if again:
        yield _duplicate(trace, again, names, "name as an older sibling, a text")


def _again(trace: Trace, has: Sequence[object]) -> list[tuple[int, int]]:
    """Nodes of which an older sibling has the same, and that sibling; has: [N], None: nothing."""
    parent, again = trace.columns.nodes.parent, []
    seen: dict[tuple[int, object], int] = {}
    for node in range(1, trace.n_nodes):
        mine = has[node]
        if mine is not None and (first := seen.setdefault((int(parent[node]), mine), node)) != node:
            again.append((node, first))
    return again


def _duplicate(
    trace: Trace, again: list[tuple[int, int]], has: Sequence[object], what: str
) -> Finding:
    """A warning where siblings are all the same; else a note, however many there are, as an answer that is drawn, or
    a rounded name, may come again."""
    node, first = again[0]
    one = found(
        "record-duplicate", _born(trace, node), node,
        f"{_nodes(len(again))} the same {what}: node {node:,} as node {first:,}{_others(again)}",
        times=len(again), nodes=trace.n_nodes,
    )  # fmt: skip
    families, alike = _families(trace, has)
    if len(again) >= FEW_AGAIN and alike >= ALIKE * families:
        of = "" if alike == families else f" of {families:,}"
        return replace(
            one,
            message=f"{one.message}. The children of {alike:,}{of} nodes with several are all the same: whatever is "
            "asked again there has the same answer, as at temperature 0, or from a cache",
        )
    return one.as_note(
        f"{one.message}. So it may be where they are drawn, and no child is left out for being there already; each "
        "has visits of its own"
    )


def _families(trace: Trace, has: Sequence[object]) -> tuple[int, int]:
    """How many nodes have two children or more of which something is known, and how many of these have the same in
    all."""
    children: dict[int, list[object]] = {}
    for node, above in enumerate(trace.columns.nodes.parent[1 : trace.n_nodes].tolist(), 1):
        if has[node] is not None:
            children.setdefault(above, []).append(has[node])
    several = [each for each in children.values() if len(each) > 1]
    return len(several), sum(len(set(each)) == 1 for each in several)


def _without_effect(trace: Trace, contents: Contents) -> Iterator[Finding]:
    parent = trace.columns.nodes.parent
    same, compared = [], 0
    for node in range(1, trace.n_nodes):
        work, above = _work(contents, node), _work(contents, int(parent[node]))
        if work is None or above is None or work[0] != above[0] or work[0] in ("diff", "action"):
            continue
        compared += 1
        if work[1] == above[1]:
            same.append((node, int(parent[node])))
    if same and len(same) >= max(2, WITHOUT_EFFECT * compared):
        node, above_node = same[0]
        what = _name(contents, node)
        one = found(
            "record-no-effect", _born(trace, node), node,
            f"{len(same):,} of {compared:,} iterations change nothing: node {node:,} has the same {what} as its "
            f"parent, node {above_node:,}{_others(same)}",
            times=len(same), iterations=compared,
        )  # fmt: skip
        # of a program somebody would have seen that
        yield (
            one if what == "code" else one.as_note(f"{one.message}. A model may say the same again")
        )


def _other_problem(trace: Trace, contents: Contents) -> Iterator[Finding]:
    """Below the root, or below the first nodes of the log where a root was added above several."""
    firsts = _firsts(trace)
    for name in PROBLEM:
        asked = {node: has[name] for node, has in contents.items() if name in has}
        others = [node for node, what in asked.items() if asked.get(firsts[node], what) != what]
        if others:
            first = firsts[others[0]]
            where = f"the first node of its branch, node {first:,}" if first else "the root"
            yield found(
                "record-other-problem", _born(trace, others[0]), others[0],
                f"{_nodes(len(others))} another {name} than {where}: the tree of an earlier problem is used for a "
                f"later one, from node {others[0]:,} on",
                times=len(others),
            )  # fmt: skip


def _firsts(trace: Trace) -> list[int]:
    """[N] the first node of the log above each: the root, or the child of a root that was added."""
    if not has_added_root(trace.meta.notes):
        return [0] * trace.n_nodes
    firsts = [0]
    for node, above in enumerate(trace.columns.nodes.parent[1:].tolist(), 1):
        firsts.append(firsts[above] if above else node)
    return firsts


def _constant(trace: Trace, scores: Floats) -> Iterator[Finding]:
    """Children of one parent that all have one score, wherever several have some."""
    children: dict[int, list[float]] = {}
    for node in range(1, len(scores)):
        if np.isfinite(scores[node]):
            children.setdefault(int(trace.columns.nodes.parent[node]), []).append(
                float(scores[node])
            )
    families = {parent: each for parent, each in children.items() if len(each) >= SAME_CHILDREN}
    n = sum(len(each) for each in families.values())
    if len(families) >= SAME_CHILDREN and all(len(set(each)) == 1 for each in families.values()):
        first = min(families)
        yield found(
            "record-constant-score", None, first,
            f"the {n:,} children of {len(families):,} nodes with {SAME_CHILDREN} or more have the score of their "
            f"siblings, everywhere: {families[first][0]:g} below node {first:,}; no child can be told from another",
            families=len(families), children=n,
        )  # fmt: skip


def _best_left(trace: Trace, scores: Floats, numbers: dict[str, Floats]) -> Iterator[Finding]:
    """A better node than the one taken, that could have been taken: not one that failed, and finished where that is."""
    could = np.isfinite(scores) & ~_failed(scores, numbers)
    taken = np.flatnonzero(could & (numbers.get(CHOSEN, np.zeros_like(scores)) > 0)).tolist()
    if not taken:
        return
    own = max(taken, key=lambda node: scores[node])
    ends = np.isfinite(trace.columns.nodes.outcome[: len(scores)])
    if ends[own]:
        could &= ends
    best = int(np.argmax(np.where(could, scores, -np.inf)))
    if scores[best] > scores[own]:
        yield found(
            "record-best-left", None, best,
            f"the search took node {own:,} with the score {scores[own]:.4g}, and node {best:,}, made in iteration "
            f"{_born(trace, best) or 0:,}, has {scores[best]:.4g}",
            chosen=own, best=best, score=float(scores[own]), best_score=float(scores[best]),
        )  # fmt: skip


def _failed(scores: Floats, numbers: dict[str, Floats]) -> Bools:
    return numbers.get(ERROR, np.zeros_like(scores)) > 0


def _spent_after(trace: Trace, scores: Floats, numbers: dict[str, Floats]) -> Iterator[Finding]:
    """After the first finished node with the best score of all, how much more was spent."""
    ends = np.isfinite(trace.columns.nodes.outcome[: len(scores)]) & ~_failed(scores, numbers)
    best = np.flatnonzero(ends & (scores == np.nanmax(scores)))
    if not len(best) or best[0] == len(scores) - 1:
        return
    node = int(best[0])
    after = len(scores) - 1 - node
    parts = []
    for name in spent_names(numbers):
        spent = np.nan_to_num(numbers[name])
        if spent.sum() > 0:
            parts.append(
                f"{name} {amount(name, spent[node + 1 :].sum())} of {amount(name, spent.sum())}"
            )
    yield found(
        "record-spent-after", _born(trace, node), node,
        f"the best answer, node {node:,} with the score {scores[node]:.4g}, was there in iteration "
        f"{_born(trace, node) or 0:,}; {after:,} of {len(scores):,} nodes came after it"
        f"{', with ' if parts else ''}{', '.join(parts)}",
        after=after, nodes=len(scores),
    )  # fmt: skip


def _born(trace: Trace, node: int) -> int | None:
    born = int(trace.columns.nodes.born[node])
    return born or None


def _name(contents: Contents, node: int) -> str:
    work = _work(contents, node)
    return "" if work is None else work[0]


def _nodes(n: int) -> str:
    return f"{n:,} node{' has' if n == 1 else 's have'}"


def _others(pairs: list[tuple[int, int]]) -> str:
    more = ", ".join(f"{node:,} as {first:,}" for node, first in pairs[1:MOST_SHOWN])
    return f", {more}{', …' * (len(pairs) > MOST_SHOWN)}" if more else ""
