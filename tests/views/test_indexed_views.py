"""A view of a trace shows the same by its index, at every iteration."""

import random
from dataclasses import is_dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mcts_viz as mv
from mcts_viz.trace.index import building
from mcts_viz.views import visible
from mcts_viz.views.icicle import icicle
from mcts_viz.views.measures import trace_scales
from mcts_viz.views.timeline import RootReplay
from mcts_viz.views.view_nodes import visible_of
from mcts_viz.views.view_spec import ViewSpec
from mcts_viz.views.window import VisibleReplay
from tests.indexed import with_index
from tests.trace.test_index import WORTHS, made_up, small
from tests.trace.test_told_index import TRACES
from tests.variants import few


def same(a: Any, b: Any) -> None:
    """Two NamedTuples or dataclasses of columns."""
    fields = a._fields if isinstance(a, tuple) else vars(a)
    for name in fields:
        x, y = getattr(a, name), getattr(b, name)
        if hasattr(x, "_fields") or (is_dataclass(x) and not isinstance(x, ViewSpec)):
            same(x, y)
        elif x is None or y is None:
            assert x is y, name
        elif not isinstance(x, ViewSpec):
            np.testing.assert_array_equal(np.asarray(x), np.asarray(y), name)


def compare(plain: mv.Trace, indexed: mv.Trace, draw: random.Random) -> None:
    """Random views and windows of both."""
    n, n_nodes = plain.n_iterations, plain.n_nodes
    finals = plain.at(n), indexed.at(n)
    assert repr(trace_scales(finals[0])) == repr(trace_scales(finals[1]))

    def nodes() -> frozenset[int]:
        return frozenset(draw.randrange(n_nodes) for _ in range(draw.choice([0, 0, 1, 2])))

    spec = ViewSpec(
        budget=draw.choice([1, 3, 20, 0]), wide=draw.choice([0, 300]), high=300,
        focus=draw.choice([0, draw.randrange(n_nodes)]), opened=nodes(), closed=nodes(), whole=nodes(),
        least=draw.choice([0, 0, 2]), top=draw.choice([0, 0, 2]), levels=draw.choice([0, 0, 2]),
        pv=draw.random() < 0.2,
    )  # fmt: skip
    shown = [visible_of(each.columns, final, spec) for each, final in zip((plain, indexed), finals)]
    same(*shown)
    replays = [
        VisibleReplay(each.columns, there, n, each.meta.keeps_squares)
        for each, there in zip((plain, indexed), shown)
    ]
    roots = [RootReplay(each.columns, each.meta, n) for each in (plain, indexed)]
    same(roots[0].timeline(), roots[1].timeline())
    for _ in range(4):
        first = draw.randint(0, n)
        last = draw.randint(first, n)
        same(replays[0].window(first, last), replays[1].window(first, last))
        assert roots[0].leaders(first, last).tolist() == roots[1].leaders(first, last).tolist()
        focus, wide = draw.choice([0, draw.randrange(n_nodes)]), draw.choice([3, 1_024])
        same(*(
            icicle(each.columns, each.at(first), last, final.visits, focus, wide, lasts=True)
            for each, final in zip((plain, indexed), finals)
        ))  # fmt: skip


@pytest.mark.thorough
@pytest.mark.parametrize("game", few(["tic_tac_toe", "connect_four"]))
def test_searches_of_ours(game: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small(monkeypatch)
    monkeypatch.setattr(visible, "MOST_READ", 50)
    trace = mv.search(game, iterations=500, seed=1, compile=False)
    indexed = with_index(trace, tmp_path)
    for seed in range(12):
        compare(trace, indexed, random.Random(seed))


@given(
    seed=st.integers(0, 2**32),
    share=st.sampled_from([0.0, 0.1, 1.0]),
    worth=st.sampled_from(WORTHS),
)
def test_whatever_a_search_has_done(
    tmp_path_factory: pytest.TempPathFactory, seed: int, share: float, worth: str
) -> None:
    draw = random.Random(seed)
    with pytest.MonkeyPatch.context() as monkeypatch:
        if draw.random() < 0.5:
            small(monkeypatch)
        trace = made_up(draw, share, worth)
        compare(trace, with_index(trace, tmp_path_factory.mktemp("index")), draw)


@pytest.mark.parametrize("is_small", few([True, False]))
@pytest.mark.parametrize("name", few(list(TRACES), 3))
def test_traces_whose_index_has_all_updates(
    name: str, is_small: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(building, "FEW_KEPT", 0)
    monkeypatch.setattr(visible, "MOST_READ", 50)
    if is_small:
        small(monkeypatch)
    trace = TRACES[name]()
    indexed = with_index(trace, tmp_path)
    assert indexed.columns.told is not None
    for seed in range(8):
        compare(trace, indexed, random.Random(seed))
