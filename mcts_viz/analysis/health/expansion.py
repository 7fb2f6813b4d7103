"""Whether the tree's nodes are the positions that the game's moves lead to."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mcts_viz.analysis.health.catalogue import found
from mcts_viz.analysis.health.course import Course, Ints
from mcts_viz.analysis.health.finding import Finding
from mcts_viz.analysis.health.replays import MOST_NODES, Position, positions, sample

FEW_NODES = 5


def check_expansion(course: Course) -> Iterator[Finding]:
    """Findings about expansion."""
    yield from _duplicates(course)
    yield from _below_the_end(course)
    yield from _equal_states(course)
    if course.referee is not None:
        yield from _against_the_rules(course)


def _duplicates(course: Course) -> Iterator[Finding]:
    key = course.parent[1:] * (int(course.action.max()) + 2) + course.action[1:] + 1
    order = np.argsort(key, kind="stable")
    again = np.flatnonzero(np.diff(key[order]) == 0)
    if len(again):
        node = int(order[again + 1].min()) + 1
        yield found(
            "expansion-duplicate", int(course.born[node]), node,
            f"node {int(course.parent[node]):,} has two children for the move "
            f"{course.trace.action_name(int(course.action[node]))}; so it is {len(again):,} times",
            times=len(again),
        )  # fmt: skip


def _below_the_end(course: Course) -> Iterator[Finding]:
    bad = np.flatnonzero(~np.isnan(course.outcome[course.parent[1:]])) + 1
    if len(bad):
        yield _grown_after_the_end(course, bad)


def _grown_after_the_end(course: Course, bad: Ints) -> Finding:
    node = int(bad[0])
    return found(
        "expansion-below-end", int(course.born[node]), node,
        f"node {int(course.parent[node]):,} ends the game and has the child {node:,}; "
        f"{len(bad):,} nodes stand below an end",
        nodes=len(bad),
    )  # fmt: skip


def _equal_states(course: Course) -> Iterator[Finding]:
    columns = course.trace.columns
    if not columns.has_texts:
        return
    texts: dict[int, list[str]] = {}
    for node in range(1, course.N):
        text = columns.state[node]
        if text is not None:
            texts.setdefault(int(course.parent[node]), []).append(text)
    families = {node: states for node, states in texts.items() if len(states) > 1}
    alike = [node for node, states in families.items() if len(set(states)) == 1]
    if len(alike) >= FEW_NODES and len(alike) > len(families) / 2:
        node = alike[0]
        yield found(
            "expansion-equal-states", int(course.born[node]), node,
            f"all {len(families[node])} children of node {node:,} are recorded with the same position; "
            f"so it is with {len(alike):,} of {len(families):,} nodes",
            nodes=len(alike), of=len(families),
        )  # fmt: skip


def _against_the_rules(course: Course) -> Iterator[Finding]:
    told = positions(course, sample(np.arange(course.N), MOST_NODES))
    illegal = [place for place in told if place.illegal is not None]
    reached = [place for place in told if place.illegal is None]
    over = {place.node for place in reached if place.outcome is not None}
    below = [p for p in illegal if int(course.parent[p.illegal or 0]) in over]
    ends = sum(1 for p in below if np.isnan(course.outcome[course.parent[p.illegal or 0]]))
    if below and ends == len(below):
        nodes = np.unique([place.illegal or 0 for place in below])
        yield _grown_after_the_end(course, nodes)
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
    _, chosen, _ = course.choices()
    parents = np.unique(course.parent[chosen])
    have = course.n_children(parents, course.N)
    bad = [
        (int(node), len(reached[int(node)].legal) - int(k))
        for node, k in zip(parents, have)
        if int(node) in reached and int(k) < len(reached[int(node)].legal)
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
