"""Compares the choices of a search with the score by which its author says that it selects.

Before an iteration the children of every node that it would come to are scored, and after it the child that it took is
compared with the best. Nothing is asked of nodes that the search would not come to. An attribute is read after the
iteration, too: many searches write it while they choose.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from mcts_viz.errors import TraceError
from mcts_viz.recording.careful_reader import brief
from mcts_viz.recording.fields import Field, Node, reader, unreadable
from mcts_viz.recording.watched_node import WatchedNode
from mcts_viz.trace.players import CHANCE, EVERYBODY
from mcts_viz.trace.rows import RowLog

MOST_NODES = 64  # scored before an iteration; equal scores lead to more than one path
MOST_MISSES = 1_000  # listed one by one; all are counted
TOLERANCE = 1e-6  # up to which two scores count as equal, of their magnitude
WRITE = "give a number for every child, such as score=lambda parent, child: math.inf if not child.visits else …"

Score: TypeAlias = "Field | Callable[[Node, Node], object]"


class _Scored(NamedTuple):
    """The children of a node before an iteration."""

    children: list[WatchedNode]
    visits: list[int]
    scores: list[float]  # nan: an attribute that is None so far


class OwnScores:
    """Raises TraceError for a score that cannot be had."""

    def __init__(self, score: Score, root: Node, log: RowLog) -> None:
        self._given, self._log = score, log
        self._of_child = None if _takes_two(score) else reader("score", score, root)
        self._scored: dict[int, _Scored] = {}  # by id of the node
        self._n_misses = 0

    def look(self, root: WatchedNode) -> None:
        """Compare the choices of the iteration that the watcher has looked at, and make ready for the next."""
        if self._scored:
            self._compare(root)
        self._scored.clear()
        to_visit = [root]
        while to_visit and len(self._scored) < MOST_NODES:
            node = to_visit.pop()
            if not node.children or node.to_move in (CHANCE, EVERYBODY) or node.id in self._scored:
                continue
            scores = [self._score(node, child) for child in node.children]
            self._scored[node.id] = _Scored(node.children[:], _visits(node.children), scores)
            best = max((score for score in scores if score == score), default=math.nan)
            to_visit += [
                child.same or child
                for child, score in zip(node.children, scores)
                if score != score or _equal(score, best)
            ]

    def _compare(self, root: WatchedNode) -> None:
        compared = unexplained = 0
        node: WatchedNode | None = root
        while node is not None:
            scored = self._scored.get(node.id)
            if scored is None or len(node.children) != len(scored.children):
                break  # a new child was no choice among those there were
            more = [now - then for now, then in zip(_visits(scored.children), scored.visits)]
            taken = [at for at, n in enumerate(more) if n]
            if len(taken) != 1 or more[taken[0]] != 1:
                break  # several leaves in one iteration
            if len(scored.children) > 1:
                told = self._told(node, scored)
                compared += bool(told)
                unexplained += bool(told) and self._is_miss(node, scored.children, told, taken[0])
            node = scored.children[taken[0]].same or scored.children[taken[0]]
        self._log.tell_iteration("compared", compared)
        self._log.tell_iteration("unexplained", unexplained)

    def _told(self, parent: WatchedNode, scored: _Scored) -> list[list[float]]:
        """The scores by which the children may have been compared: before the iteration, and those of an attribute
        after it."""
        found = [scored.scores]
        if not callable(self._given):
            found.append([self._score(parent, child) for child in scored.children])
        return [scores for scores in found if not any(map(math.isnan, scores))]

    def _is_miss(
        self, node: WatchedNode, children: list[WatchedNode], told: list[list[float]], taken: int
    ) -> bool:
        if any(_equal(scores[taken], max(scores)) for scores in told):
            return False
        scores = told[-1]
        best = max(range(len(scores)), key=scores.__getitem__)
        self._n_misses += 1
        if self._n_misses <= MOST_MISSES:
            finite = [
                each if math.isfinite(each) else None for each in (scores[taken], scores[best])
            ]
            self._log.tell_miss(
                node.id, children[taken].id, children[best].id, finite[0], finite[1]
            )
        return True

    def _score(self, parent: WatchedNode, child: WatchedNode) -> float:
        try:
            if self._of_child is not None:
                found = self._of_child(child.node)
            else:
                found = self._given(parent.node, child.node)  # type: ignore[operator, call-arg]
        except Exception as err:
            if not callable(self._given):
                raise unreadable("score", self._given, child.node, str(child), err) from err
            raise TraceError(
                f"score=, a function, fails at {child}: {type(err).__name__}: {err}; {WRITE}"
            ) from err
        if found is None and not callable(self._given):
            return math.nan
        shown = "(a function)" if callable(self._given) else repr(self._given)
        try:
            number = math.nan if isinstance(found, (str, bytes)) else float(found)
        except (TypeError, ValueError, OverflowError):
            number = math.nan
        if math.isnan(number):
            raise TraceError(
                f"score={shown} gives {brief(found)} at {child}, not a number; {WRITE}"
            )
        return number


def _visits(children: list[WatchedNode]) -> list[int]:
    """Of the nodes themselves, where several ways lead to one."""
    return [(child.same or child).visits for child in children]


def _equal(score: float, best: float) -> bool:
    if math.isinf(best):
        return score == best
    return best - score <= TOLERANCE * max(1.0, abs(best))


def _takes_two(score: Score) -> bool:
    """Whether it is a function of parent and child, not of the child alone."""
    if not callable(score):
        return False
    try:
        parameters = inspect.signature(score).parameters.values()
    except (TypeError, ValueError):  # written in C
        return True
    needed = [
        each
        for each in parameters
        if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)
        and each.default is each.empty
    ]
    if len(needed) > 2:
        names = ", ".join(each.name for each in needed)
        raise TraceError(
            f"score=, a function, takes {len(needed)} arguments ({names}); give a function of parent and child: "
            "score=lambda parent, child: …"
        )
    return len(needed) != 1
