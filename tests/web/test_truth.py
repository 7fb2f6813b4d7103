"""Exact results on the page: the colour, the column, the strip, and the sentence in Why this move."""

from __future__ import annotations

import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import expect

import mcts_viz as mv
from mcts_viz.analysis.game_value.values import GameValues
from mcts_viz.web.jobs.truths import Truths
from mcts_viz.web.routes.truth import MOST_STRETCHES, shown_stretches
from tests.web.recordings import CONNECT_FOUR, FOREIGN, TIC_TAC_TOE
from tests.web.screen import Screen

SAMPLES = Path(__file__).parents[2] / "samples"

ONE_PAGE = True  # see the fixture `page`

RESULTS = {1: "X wins", 0: "draw", -1: "O wins"}


def solved(screen: Screen, iteration: int = 250) -> Screen:
    """Tic-Tac-Toe once its results are there."""
    screen.open(TIC_TAC_TOE, iteration)
    expect(screen.page.locator("#truth-strip")).to_be_visible()
    return screen


@pytest.mark.thorough
def test_the_colour_is_the_exact_result(screen: Screen) -> None:
    solved(screen).choose("colour-select", "true value")
    told = screen.site.trace(TIC_TAC_TOE).truth()
    expected = dict(zip(told.nodes.tolist(), told.results.tolist()))
    shown = screen.page.evaluate("mcts.app.debug().items.filter((i) => !i.stub)")
    assert len(shown) > 50
    for item in shown:
        result = expected.get(item["node"], np.nan)
        assert item["measure"] == (None if np.isnan(result) else result)
    expect(screen.page.locator(".mcts-legend")).to_contain_text("true value")


@pytest.mark.thorough
def test_the_children_have_a_column_of_results(screen: Screen) -> None:
    solved(screen)
    told = screen.site.trace(TIC_TAC_TOE).truth(250)
    for each in told.moves:
        cell = screen.page.locator(f"#children-table [row-id='{each.node}'] [col-id='truth']")
        assert each.result is not None
        sign = 1 if screen.site.trace(TIC_TAC_TOE).at(0).to_move[0] == 0 else -1
        expect(cell).to_have_text(RESULTS[sign * each.result])


def test_why_this_move_says_whether_it_is_right(screen: Screen) -> None:
    solved(screen).tab("Why this move")
    told = screen.site.trace(TIC_TAC_TOE).truth(250)
    text = " ".join("".join(phrase.text for phrase in each) for each in told.prose[:-1])
    expect(screen.page.locator("#why .why-truth")).to_have_text(text)


@pytest.mark.thorough
def test_why_this_move_says_so_of_the_selected_node_too(screen: Screen) -> None:
    trace = screen.site.trace(TIC_TAC_TOE)
    node = trace.at(250).ranked_children(0)[0]
    screen.open(TIC_TAC_TOE, 250, node=node).tab("Why this move")
    screen.page.get_by_text("at the selected node").click()
    told = trace.truth(250, node, nodes=())
    assert told.mistake is not None
    text = " ".join("".join(phrase.text for phrase in each) for each in told.verdict_prose)
    expect(screen.page.locator("#why .why-truth")).to_have_text(text, timeout=60_000)


@pytest.mark.thorough
def test_the_strip_tells_of_each_iteration(screen: Screen) -> None:
    solved(screen)
    told = screen.site.trace(TIC_TAC_TOE).truth()
    answer = screen.page.evaluate(
        "fetch(`api/trace/${mcts.app.cursor().trace}/truth`).then((answer) => answer.json())"
    )
    assert [tuple(each) for each in answer["stretches"]] == told.stretches
    words = screen.page.evaluate(
        "(stretches) => [0, 5, 250].map((t) => mcts.truth.verdictAt(stretches, t))",
        answer["stretches"],
    )
    names = {1: "right", 0: "a mistake", -1: "not known"}
    assert words == [names[int(told.verdict[t])] for t in (0, 5, 250)]
    told_of = {names[int(verdict)] for verdict in told.verdict[1:]}
    key = screen.page.locator(".truth-key").text_content() or ""
    assert {name for name in names.values() if name in key} == told_of


@pytest.mark.thorough
def test_what_is_not_known_is_said_to_be(screen: Screen) -> None:
    screen.open(FOREIGN, 60).tab("Why this move")
    expect(screen.page.locator("#why .why-truth")).to_contain_text("not known")
    expect(screen.page.locator("#truth-strip")).to_be_hidden()


@pytest.mark.thorough
def test_a_position_too_early_is_not_known(screen: Screen) -> None:
    screen.open(CONNECT_FOUR, 100).tab("Why this move")
    expect(screen.page.locator("#why .why-truth")).to_contain_text(
        "is a mistake is not known", timeout=60_000
    )


def test_requests_do_not_wait_for_the_solver() -> None:
    trace = mv.search("tic_tac_toe", iterations=20, seed=1, compile=False)
    may_go_on, calls = threading.Event(), []

    def solve(asked: Any, node: int) -> Any:
        calls.append(asked)
        assert may_go_on.wait(20)
        return trace.truth(limit=1_000)

    truths = Truths(solve)
    assert truths.ask("a", trace) is None
    assert truths.ask("a", trace) is None
    assert truths.known("a", trace) is None
    may_go_on.set()
    done = threading.Event()
    while not done.wait(0.01) and truths.known("a", trace) is None:
        pass
    assert truths.ask("a", trace) is truths.known("a", trace)
    assert calls == [trace]


def test_a_node_is_solved_beside_the_root_and_does_not_displace_it() -> None:
    trace = mv.search("tic_tac_toe", iterations=20, seed=1, compile=False)
    calls = []

    def solve(asked: Any, node: int) -> Any:
        calls.append(node)
        return trace.truth(node=node, limit=1_000)

    truths = Truths(solve)
    for node in [0, *range(1, 10)]:
        while truths.ask("a", trace, node) is None:
            pass
    root, third = truths.ask("a", trace), truths.ask("a", trace, 3)
    assert isinstance(root, GameValues)
    assert isinstance(third, GameValues)
    assert (root.node, third.node) == (0, 3)
    assert truths.known("a", trace) is root
    assert calls == list(range(10))


def test_an_incomplete_trace_is_not_solved_and_an_error_is_said() -> None:
    trace = mv.search("tic_tac_toe", iterations=20, seed=1, compile=False)

    def fail(asked: Any, node: int) -> Any:
        raise mv.TraceError("no such thing")

    truths = Truths(fail)
    growing: Any = SimpleNamespace(complete=False, n_iterations=20)
    assert "complete" in str(truths.ask("a", growing))
    found = None
    while found is None:
        found = truths.ask("a", trace)
    assert found == "no such thing"
    assert truths.known("a", trace) is None


def test_a_game_whose_rules_are_not_known_waits_for_no_solver() -> None:
    def solve(asked: Any, node: int) -> Any:
        raise AssertionError("there is nothing to solve")

    told = Truths(solve).ask("a", mv.open(SAMPLES / "pig.mcts"))
    assert told == "the rules of pig are not known here"


def test_very_many_stretches_are_cut_to_the_longest() -> None:
    stretches = [(2 * i, 2 * i + (i == 7), i % 2) for i in range(MOST_STRETCHES + 5)]
    told: Any = SimpleNamespace(stretches=stretches)
    shown = shown_stretches(told)
    assert len(shown) == MOST_STRETCHES
    assert stretches[7] in shown
    assert shown == sorted(shown)
