"""Whether the tree's nodes are the positions that the game's moves lead to."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from mcts_viz.analysis.health.catalogue import found
from mcts_viz.analysis.health.course import STRETCH_ROWS, Course
from mcts_viz.analysis.health.finding import Finding
from mcts_viz.analysis.health.replays import MOST_NODES, Position, positions, sample
from mcts_viz.analysis.health.sightings import Sightings

FEW_NODES = 5
MOST_SHOWN = 60  # characters of a position
ADDRESS = re.compile(r" at 0x[0-9A-Fa-f]+")
EMPTY_FIELD = re.compile(r"(?<==)(?:None|\[\]|\(\)|\{\}|set\(\))")


def check_expansion(course: Course) -> Iterator[Finding]:
    """Findings about expansion."""
    yield from _duplicates(course)
    yield from _below_the_end(course)
    yield from _equal_states(course)
    yield from _changed_states(course)
    if course.referee is not None:
        yield from _against_the_rules(course)


def _duplicates(course: Course) -> Iterator[Finding]:
    first, times = course.N, 0
    for _, begin, children in course.families.parts(STRETCH_ROWS):
        family = np.repeat(np.arange(len(begin)), np.diff(begin, append=len(children)))
        action = course.action[children]
        order = np.lexsort((children, action, family))
        again = np.flatnonzero((np.diff(family[order]) == 0) & (np.diff(action[order]) == 0)) + 1
        if len(again):
            first = min(first, int(children[order[again]].min()))
        times += len(again)
    if times:
        name = course.trace.action_name(int(course.action[first]))
        yield found(
            "expansion-duplicate", int(course.born[first]), first,
            f"node {int(course.parent[first]):,} has two children for the move {name}; so it is "
            f"{times:,} times",
            times=times,
        )  # fmt: skip


def _below_the_end(course: Course) -> Iterator[Finding]:
    seen = Sightings()
    for rows in course.blocks(1, course.N):
        ended = ~np.isnan(course.outcome[course.parent[rows]])
        seen.add(ended, course.born[rows], np.arange(rows.start, rows.stop))
    _, node, nodes = seen
    if nodes:
        yield _grown_after_the_end(course, node, nodes)


def _grown_after_the_end(course: Course, node: int, nodes: int) -> Finding:
    return found(
        "expansion-below-end", int(course.born[node]), node,
        f"node {int(course.parent[node]):,} ends the game and has the child {node:,}; "
        f"{nodes:,} nodes stand below an end",
        nodes=nodes,
    )  # fmt: skip


def _equal_states(course: Course) -> Iterator[Finding]:
    columns = course.trace.columns
    if not columns.has_texts:
        return
    several, alike = 0, 0  # families with two texts or more, and with equal ones
    first = (course.N, -1, 0)  # oldest child with a text of such a family, its parent, how many
    for parent, begin, children in course.families.parts(STRETCH_ROWS):
        for node, family in zip(parent.tolist(), np.split(children, begin[1:])):
            with_text = [child for child in family.tolist() if columns.state[child] is not None]
            several += len(with_text) > 1
            if len(with_text) > 1 and len({columns.state[child] for child in with_text}) == 1:
                alike += 1
                first = min(first, (with_text[0], node, len(with_text)))
    if alike >= FEW_NODES and alike > several / 2:
        _, node, n = first
        yield found(
            "expansion-equal-states", int(course.born[node]), node,
            f"all {n} children of node {node:,} are recorded with the same position; "
            f"so it is with {alike:,} of {several:,} nodes",
            nodes=alike, of=several,
        )  # fmt: skip


def _changed_states(course: Course) -> Iterator[Finding]:
    """Positions that were not what they had been when the recorder looked at them again, or that
    ended in their own rollout."""
    columns = course.trace.columns
    changes = [
        (row + 1, node, columns.state[node] or "", state)
        for row, node, state in columns.changed_states
    ]
    changes = [change for change in changes if not shows_the_same(*change[2:])]
    if not changes:
        yield from _ended_by_rollouts(course)
        return
    t, node, before, after = changes[0]
    nodes = len({change[1] for change in changes})
    yield found(
        "expansion-state-changes", t, node,
        f"the position of node {node:,} was {_short(before)} when it was first seen, and is "
        f"{_short(after)} after iteration {t:,}; {nodes:,} nodes were seen to change",
        nodes=nodes, times=len(changes), before=before, after=after,
    )  # fmt: skip


def _ended_by_rollouts(course: Course) -> Iterator[Finding]:
    """Nodes that were first seen after the rollout of the iteration that made them, and are finished
    games by then: the rollout was played on their own board."""
    columns = course.trace.columns
    moves = columns.rollout_offset
    if moves is None:
        return
    seen, n_moves = Sightings(), 0
    for rows in course.blocks(course.base, course.T):
        leaf = course.leaf[rows].astype(np.int64)
        length = np.diff(moves[rows.start : rows.stop + 1])
        iteration = np.arange(rows.start, rows.stop) + 1
        ended = (course.outcome[leaf] == columns.result[rows]) & (length > 0)
        ended &= course.born[leaf] == iteration
        if ended.any() and not seen.times:
            n_moves = int(length[np.argmax(ended)])
        seen.add(ended, iteration, leaf)
    t, node, times = seen
    if times >= FEW_NODES:
        yield found(
            "expansion-state-changes", t, node,
            f"node {node:,} is recorded as a finished game, with the result of the rollout of {n_moves} "
            f"moves that was played from it in iteration {t:,}, which made it: the rollout has changed "
            f"its position. So it is with {times:,} nodes",
            nodes=times, moves=n_moves,
        )  # fmt: skip


def shows_the_same(before: str, after: str) -> bool:
    """Whether two texts show the same position: where objects lie in memory says nothing, nor do
    fields that are filled in late, such as `moves=None`."""
    before, after = ADDRESS.sub("", before), ADDRESS.sub("", after)
    first, *rest = EMPTY_FIELD.split(before)
    if not rest:
        return before == after
    if not after.startswith(first) or not after.endswith(rest[-1]):
        return False
    at, end = len(first), len(after) - len(rest[-1])
    for part in rest[:-1]:
        place = after.find(part, at, end)
        if place < 0:
            return False
        at = place + len(part)
    return at <= end


def _short(text: str) -> str:
    """On one line, and not too long for a message."""
    line = " ".join(text.split())
    return f"“{line}”" if len(line) <= MOST_SHOWN else f"“{line[:MOST_SHOWN]}…”"


def _against_the_rules(course: Course) -> Iterator[Finding]:
    told = positions(course, sample(range(course.N), MOST_NODES))
    illegal = [place for place in told if place.illegal is not None]
    reached = [place for place in told if place.illegal is None]
    over = {place.node for place in reached if place.outcome is not None}
    below = [p for p in illegal if int(course.parent[p.illegal or 0]) in over]
    ends = sum(1 for p in below if np.isnan(course.outcome[course.parent[p.illegal or 0]]))
    if below and ends == len(below):
        nodes = {place.illegal or 0 for place in below}
        yield _grown_after_the_end(course, min(nodes), len(nodes))
    wrong = [place for place in illegal if place not in below]
    if wrong:
        node = wrong[0].illegal or 0
        name = course.trace.action_name(int(course.action[node]))
        yield found(
            "expansion-illegal", int(course.born[node]), node,
            f"the move {name} into node {node:,} is not legal; {len(wrong):,} of {len(told):,} nodes "
            "looked at stand below such a move",
            nodes=len(wrong), looked_at=len(told),
        )  # fmt: skip
    yield from _missing(course, {place.node: place for place in reached})
    yield from _players(course, reached)
    yield from _outcomes(course, reached)


def _missing(course: Course, reached: dict[int, Position]) -> Iterator[Finding]:
    """Nodes whose children were chosen from although some moves never got one."""
    chose = np.zeros(course.N, np.bool_)
    for part in course.stretches():
        chose[course.choices(part).parent] = True
    parents = np.array([node for node in sorted(reached) if chose[node]], np.int64)
    bad = [
        (node, len(reached[node].legal) - k)
        for node, k in zip(parents.tolist(), course.n_children(parents).tolist())
        if k < len(reached[node].legal)
    ]
    if bad:
        node, n = bad[0]
        yield found(
            "expansion-missing", None, node,
            f"{n} legal moves of node {node:,} have no child, and the search chooses among the others; "
            f"so it is with {len(bad):,} nodes",
            nodes=len(bad), moves=n,
        )  # fmt: skip


def _players(course: Course, reached: list[Position]) -> Iterator[Finding]:
    bad = [
        place for place in reached
        if place.outcome is None and course.to_move[place.node] not in (-1, place.to_move)
    ]  # fmt: skip
    if bad:
        node = bad[0].node
        yield found(
            "expansion-player", int(course.born[node]), node,
            f"player {int(course.to_move[node])} is recorded to move at node {node:,}; by the rules it is "
            f"player {bad[0].to_move}. So it is at {len(bad):,} of {len(reached):,} nodes looked at",
            nodes=len(bad), looked_at=len(reached),
        )  # fmt: skip


def _outcomes(course: Course, reached: list[Position]) -> Iterator[Finding]:
    bad = []
    for place in reached:
        recorded = float(course.outcome[place.node])
        if np.isnan(recorded):
            wrong = place.outcome is not None and "terminal" not in course.not_observed
        else:
            wrong = place.outcome is None or abs(place.outcome - recorded) > 1e-6
        if wrong:
            bad.append((place, recorded))
    if bad:
        place, recorded = bad[0]
        says = "goes on" if np.isnan(recorded) else f"ends with {recorded:g}"
        truth = "it goes on" if place.outcome is None else f"it ends with {place.outcome:g}"
        yield found(
            "expansion-outcome", int(course.born[place.node]), place.node,
            f"at node {place.node:,} the game {says} for the search; by the rules {truth} (view of "
            f"player 0). So it is at {len(bad):,} nodes",
            nodes=len(bad),
        )  # fmt: skip
