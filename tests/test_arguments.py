"""An argument of another type than a function takes is told in words, never by an error of the program."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import mcts_viz as mv
from mcts_viz.arguments import names_wrong_arguments, wrong_argument


@pytest.fixture(scope="module")
def trace() -> mv.Trace:
    return mv.search("tic_tac_toe", iterations=60, seed=1, compile=False)


FIELDS: dict[str, Any] = {"children": "children", "visits": "visits", "value": "value"}
CALLS: list[tuple[Callable[[Any], object], str]] = [
    (lambda _: mv.record(root=SimpleNamespace(), **FIELDS, players=1), "players=1"),
    (lambda _: mv.record(root=SimpleNamespace(), **FIELDS, start=1), "start=1"),
    (lambda _: mv.record(root=SimpleNamespace(), **FIELDS, value_view=["a"]), "value_view=['a']"),
    (lambda _: mv.search("tic_tac_toe", begins=1), "begins=1"),
    (lambda _: mv.search("tic_tac_toe", iterations=5, path=1), "path=1"),
    (lambda _: mv.search("tic_tac_toe", iterations=5, stop=1), "stop=1"),
    (lambda _: mv.search_many(3, "many.many"), "searches=3"),
    (lambda _: mv.open(b"a.mcts"), "path=b'a.mcts'"),
    (lambda trace: mv.compare(trace, 5), "b=5"),
    (lambda trace: trace.truth(nodes=1), "nodes=1"),
    (lambda trace: trace.check(played="x"), "played='x'"),
    (lambda trace: trace.explain(why_not=[1]), "why_not=[1]"),
    (lambda trace: trace.rerun(resume="x"), "iteration 'x'"),
    (lambda trace: trace.rerun(resume=-1), "iteration -1"),
    (lambda trace: trace.iterations_through(0, -1), "iteration -1"),
    (lambda trace: trace.totals("x"), "first='x'"),
    (lambda trace: trace.at(9).figure(size=5), "size=5"),
    (lambda trace: trace.at(9).figure(size=(1, 2)), "size=(1, 2)"),
    (lambda trace: trace.at(9).to_json(1), "path=1"),
    (lambda trace: trace.at(9).scores(3), "nodes=3"),
    (lambda trace: trace.at(9).scores([1, 99]), "node 99"),
    (lambda trace: trace.at(9).standing([-1]), "node -1"),
    (lambda trace: trace.at(9).results_of("x"), "nodes='x'"),
    (lambda trace: trace.at(9).subtree_sum("cost"), "'cost'"),
    (lambda trace: trace.sums_of(9, [2.5]), "nodes=[2.5]"),
    (lambda trace: trace.action_name("x"), "action 'x'"),
    (lambda trace: trace.find_text(3), "words=3"),
    (lambda _: mv.import_trace("", "a.mcts"), "source"),
    (lambda _: mv.import_trace([], "a.mcts"), "source"),
    (lambda _: mv.watch_mctspy(1), "root=1"),
]


@pytest.mark.parametrize(("call", "said"), CALLS, ids=[said for _, said in CALLS])
def test_it_is_named_with_its_value(
    call: Callable[[mv.Trace], object], said: str, trace: mv.Trace
) -> None:
    with pytest.raises(mv.MctsVizError) as caught:
        call(trace)
    assert said in str(caught.value)


def test_what_behaves_like_a_list_is_taken(trace: mv.Trace) -> None:
    assert trace.truth(nodes=np.array([0, 1])).nodes.tolist() == [0, 1]  # type: ignore[arg-type]
    assert wrong_argument(mv.Trace.origin, (trace, np.int64(0)), {"t": np.int32(3)}) is None


def test_an_error_of_the_program_stays_one() -> None:
    @names_wrong_arguments
    def broken(n: int, scale: float = 1.0) -> float:
        return scale / [0.0][n]

    with pytest.raises(IndexError):
        broken(1, 2)
    with pytest.raises(mv.ArgumentError, match=r"n='1' is of type str; give int$"):
        broken("1")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="missing"):
        broken()  # type: ignore[call-arg]


def test_a_warning_is_told_of_the_line_that_called() -> None:
    with pytest.warns(UserWarning, match="may need some") as told:
        mv.search("connect_four", iterations=10**9, seconds=0.01, compile=False)
    assert told[0].filename == __file__
