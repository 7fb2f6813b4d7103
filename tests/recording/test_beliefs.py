"""POMCP: beliefs and particles of nodes; continuous actions by value."""

from __future__ import annotations

import math
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import mcts_viz as mv
from mcts_viz.analysis.point_of_view import Viewpoint
from mcts_viz.recording.beliefs import action_vector, belief_of
from mcts_viz.trace.players import CHANCE
from mcts_viz.views.action_scatter import action_scatter, action_scatter_svg
from tests.recording.belief_searches import (
    POMCP_FIELDS,
    WIDENING_FIELDS,
    Act,
    Belief,
    Pomcp,
    Widening,
)


def watched(search: Pomcp, n: int = 300, path: Path | None = None, **more: Any) -> mv.Trace:
    with mv.record(path, root=search.root, **{**POMCP_FIELDS, **more}) as rec:
        for _ in rec.steps(search.step, n):
            pass
    return rec.trace


def by_line(root: Belief) -> dict[tuple[str, ...], Belief | Act]:
    found: dict[tuple[str, ...], Belief | Act] = {}
    nodes: list[tuple[tuple[str, ...], Belief | Act]] = [((), root)]
    while nodes:
        line, node = nodes.pop()
        found[line] = node
        nodes += [((*line, name), child) for name, child in node.children.items()]
    return found


def test_actions_and_observations_alternate_with_the_searchs_numbers(tmp_path: Path) -> None:
    search = Pomcp()
    watched(search, path=tmp_path / "run.mcts")
    trace = mv.open(tmp_path / "run.mcts")
    last, own = trace.at(300), by_line(search.root)
    assert len(last) == len(own)
    for node in range(len(last)):
        line = tuple(last.label(each) for each in last.path(node)[1:])
        assert last.visits[node] == own[line].num_visits
        assert (last.to_move[node] == CHANCE) == own[line].is_chance
        if own[line].num_visits:
            assert last.mean_value[node] == pytest.approx(own[line].value)
    assert {finding.severity for finding in trace.check()} <= {"note"}
    assert "listen" in str(trace.explain())


def test_the_card_has_the_belief_of_the_iteration_shown() -> None:
    trace = watched(Pomcp())
    (early,) = trace.columns.documents(0, 1)
    assert early.text.startswith("200 particles: ")
    node = next(v for v in range(1, trace.n_nodes) if trace.at(300).label(v) == "hear tiger-left")
    told = [len(trace.columns.documents(node, t)) for t in (1, 300)]
    assert told == [0, 1]
    (late,) = trace.columns.documents(node, 300)
    assert "% tiger-left" in late.text
    assert trace.at(300).numbers["particles"][node] >= trace.at(300).visits[node] // 2


def test_particle_starvation_is_named() -> None:
    for kept, words in ((0, "has no particles"), (1, "has 1 particle after")):
        found = watched(Pomcp(kept), 600).check()
        found = [each for each in found if each.severity != "note"]
        assert [each.check for each in found] == ["particle-starvation"]
        assert words in str(found[0])
    search = Pomcp()
    search.root.particles = search.root.particles[:2]
    found = [each for each in watched(search).check() if each.severity != "note"]
    assert [(each.check, each.node) for each in found] == [("particle-starvation", 0)]
    found = watched(
        Pomcp(), belief=None, particles=lambda node: None if node.is_chance else 7
    ).check()
    assert {each.severity for each in found} <= {"note"}  # 7 at each: nothing usual to compare with
    found = watched(
        Pomcp(), belief=lambda node: [] if node.is_chance else node.particles
    ).check()  # after an action nobody believes anything
    assert {each.severity for each in found} <= {"note"}


def test_ends_of_episodes_believe_nothing() -> None:
    fields = {"belief": lambda node: None if node.is_chance else node.particles}
    search = Pomcp(ends=True)
    found = watched(search, 2_000, **fields).check()
    assert any(act.children.get("end", search.root).num_visits >= 20 for act in acts(search))
    assert {each.severity for each in found} <= {"note"}
    for kept in (0, 1):
        found = watched(Pomcp(kept, ends=True), 2_000, **fields).check()
        found = [each for each in found if each.severity != "note"]
        assert [each.check for each in found] == ["particle-starvation"]
        assert "hear" in watched(Pomcp(kept, ends=True), 2_000, **fields).at(2_000).label(
            found[0].node or 0
        )


def acts(search: Pomcp) -> list[Act]:
    return [node for node in by_line(search.root).values() if isinstance(node, Act)]


@pytest.mark.parametrize(
    ("found", "text", "particles"),
    [
        ("probably left", "probably left", None),
        ({"left": 3.0, "right": 1.0}, "75% left, 25% right", None),
        ({}, "no state has any weight", None),
        ([], "no particles", 0),
        (["a"], "1 particle: 100% a", 1),
        (
            [0.01 * i for i in range(101)],
            "101 particles: mean 0.5, standard deviation 0.292, from 0 to 1",
            101,
        ),
        (SimpleNamespace(particles=["a", "b", "b", "b"]), "4 particles: 75% b, 25% a", 4),
        (SimpleNamespace(get_histogram=lambda: {"x": 1.0}), "100% x", None),
    ],
)
def test_beliefs_are_summed_up(found: object, text: str, particles: int | None) -> None:
    assert belief_of(found) == (text, particles)


def test_what_is_no_belief_is_said() -> None:
    with pytest.raises(mv.TraceError, match="the root: belief= gives 5; give a text"):
        watched(Pomcp(), 5, belief=lambda node: 5)


def test_continuous_actions_keep_their_numbers() -> None:
    assert action_vector(0.5) == [0.5]
    assert action_vector((0.5, 1)) == [0.5, 1.0]
    for other in (3, (1, 2), "x", (0.5, "x"), float("nan"), True, ()):
        assert action_vector(other) == []


def test_widening_beyond_its_own_law_is_named() -> None:
    for until, severity in ((math.inf, "note"), (250, "warning")):
        search = Widening(until=until)
        with mv.record(root=search.root, **WIDENING_FIELDS) as rec:
            for _ in rec.steps(search.step, 350):
                pass
        (found,) = (each for each in rec.trace.check() if each.check == "selection-widening")
        assert found.severity == severity
        assert ("The limit does not hold there" in str(found)) == (severity == "warning")


@pytest.mark.parametrize("pairs", [False, True])
def test_actions_are_drawn_by_value(pairs: bool) -> None:
    search = Widening(pairs)
    with mv.record(root=search.root, **WIDENING_FIELDS) as rec:
        for _ in rec.steps(search.step, 300):
            pass
    last = rec.trace.at(300)
    found = action_scatter(last, 0, Viewpoint())
    assert found is not None
    arms = search.root.children
    wanted = [list(arm.action) if isinstance(arm.action, tuple) else [arm.action] for arm in arms]
    assert found.actions.tolist() == wanted
    assert last.label(1) == ", ".join(f"{number:.4g}" for number in wanted[0])
    assert found.visits.tolist() == [arm.visits for arm in arms]
    assert found.mean.tolist() == [arm.value / arm.visits for arm in arms]
    for theme in ("light", "dark"):
        svg = action_scatter_svg(found, last.ranked_children(0)[0], theme)
        assert svg.count("<circle") == len(arms)
        assert svg.count('stroke-width="2"') == 1
    assert action_scatter(last, 1, Viewpoint()) is None
    assert {finding.severity for finding in rec.trace.check()} <= {"note"}
