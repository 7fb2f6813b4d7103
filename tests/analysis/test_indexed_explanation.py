"""Of a long trace a question looks at a few stretches alone, and its answer is that of a look at everything."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

import mcts_viz as mv
from mcts_viz.analysis.choice import selections
from mcts_viz.analysis.history import siblings
from mcts_viz.analysis.history.events import events
from mcts_viz.analysis.history.root import RootHistory
from mcts_viz.trace.index import building, family, told_family
from mcts_viz.trace.index.told_columns import ToldColumns
from mcts_viz.trace.index.told_family import ToldFamily
from tests.indexed import with_index
from tests.trace.test_index import SEARCHES, WORTHS, made_up, small
from tests.trace.test_told_index import TRACES
from tests.variants import few

RULES = ("most_visits", "highest_mean", "highest_total", "robust_max", "secure")


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have short traces looked at as long ones."""
    small(monkeypatch)
    for module, name, value in (
        (siblings, "MOST_BY_STEPS", 100), (siblings, "RUNS", 4), (selections, "MOST_SELECTIONS", 40),
        (siblings, "BLOCK", 11), (family, "SORTED", 30), (told_family, "SORTED", 30), (told_family, "WINDOWS", 13),
    ):  # fmt: skip
        monkeypatch.setattr(module, name, value)


def same(plain: mv.Trace, indexed: mv.Trace, draw: random.Random) -> None:
    """What both answer at some nodes and iterations."""
    n = plain.n_iterations
    for t in (n, draw.randint(1, n), draw.randint(1, n)):
        tree = plain.at(t)
        for node in {0, *tree.children(0)[:2], draw.randrange(tree.n_nodes)}:
            assert str(plain.explain(t, node)) == str(indexed.explain(t, node))
            asked = plain.explain(t, node).as_json()
            assert asked == indexed.explain(t, node).as_json()
            for child in tree.children(node)[:4]:
                why_not = int(tree.action[child])
                assert (
                    plain.explain(t, node, why_not=why_not).as_json()
                    == indexed.explain(t, node, why_not=why_not).as_json()
                )
        assert events(plain, t=t) == events(indexed, t=t)
        a, b = (RootHistory(each).leaders(t) for each in (plain, indexed))
        assert (a[0].tolist(), a[1].tolist()) == (b[0].tolist(), b[1].tolist())
    grown = RootHistory(indexed)
    for t in sorted(draw.randint(0, n) for _ in range(4)):
        assert grown.leaders(t)[0].tolist() == RootHistory(plain).leaders(t)[0].tolist()


@pytest.mark.thorough
@pytest.mark.parametrize(("game", "options"), few(SEARCHES))
@pytest.mark.parametrize("rule", few(list(RULES)))
def test_searches_of_ours(game: str, options: dict[str, Any], rule: str, tmp_path: Path) -> None:
    trace = mv.search(game, iterations=500, seed=2, compile=False, final_move=rule, **options)
    same(trace, with_index(trace, tmp_path), random.Random(rule))


@pytest.mark.parametrize("seed", few(range(6)))
def test_whatever_a_search_has_done(seed: int, tmp_path: Path) -> None:
    draw = random.Random(seed)
    trace = made_up(draw, draw.choice([0.0, 0.0, 0.1]), draw.choice(WORTHS))
    same(trace, with_index(trace, tmp_path), draw)


@pytest.mark.parametrize("rule", few(list(RULES)))
@pytest.mark.parametrize("name", few([*TRACES, "values that round", "values in range"]))
def test_whatever_was_recorded_with_all_updates(
    name: str, rule: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(building, "FEW_KEPT", 0)
    if name in TRACES:
        trace = TRACES[name]()
        policies = {**trace.meta.get("policies", {}), "final_move": {"rule": rule}}
        trace = type(trace)(type(trace.meta)({**trace.meta, "policies": policies}), trace.columns)
    else:
        win = 0.9 if name == "values that round" else 1.0
        trace = mv.search(
            "tic_tac_toe", iterations=900, seed=3, compile=False, final_move=rule, win=win, loss=0.0, draw=0.5
        )  # fmt: skip
    same(trace, with_index(trace, tmp_path), random.Random(rule + name))


@pytest.mark.parametrize("seed", few(range(6)))
def test_whatever_a_search_has_done_with_all_updates(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(building, "FEW_KEPT", 0)
    draw = random.Random(seed)
    trace = made_up(draw, 0.3, draw.choice(WORTHS))
    same(trace, with_index(trace, tmp_path), draw)


@pytest.mark.thorough
def test_single_visits_of_an_inherited_tree_are_none_of_the_search(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Children with one visit each, to begin with."""
    monkeypatch.setattr(building, "FEW_KEPT", 0)
    odd = {"win": 0.9, "draw": 0.3, "loss": 0.1}
    few_visits = mv.search("tic_tac_toe", iterations=9, seed=1, compile=False, **odd)
    trace = few_visits.rerun(resume=9, iterations=300, seed=2)
    indexed = with_index(trace, tmp_path)
    assert isinstance(indexed.columns, ToldColumns)
    same(trace, indexed, random.Random(1))


@pytest.mark.parametrize("kind", [family.NodeFamily, ToldFamily])
def test_only_a_few_stretches_are_looked_at(
    kind: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = {"win": 0.9, "draw": 0.3, "loss": 0.1} if kind is ToldFamily else {}
    trace = mv.search("connect_four", iterations=3_000, seed=1, compile=False, **options)
    if kind is ToldFamily:
        monkeypatch.setattr(building, "FEW_KEPT", 0)
        trace = trace.rerun(resume=3_000, iterations=3_000, seed=2)
    trace = with_index(trace, tmp_path)
    assert isinstance(trace.columns, ToldColumns) == (kind is ToldFamily)
    looked: list[tuple[int, int]] = []
    original = kind.states

    def states(self: Any, after: int, until: int, *rest: Any) -> Any:
        looked.append((after, until))
        return original(self, after, until, *rest)

    monkeypatch.setattr(kind, "states", states)
    trace.explain()
    assert looked
    assert sum(until - after for after, until in looked) < 1_000
