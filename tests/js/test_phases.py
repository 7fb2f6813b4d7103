"""Phases in the browser: the way from one to the next, what the picture shows in each, and the simulation's steps."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page

from tests.conftest import Console
from tests.js.conftest import TRACES, open_trace, wait_for_iteration

UCT = TRACES["uct"]
BEFORE = ("select", "expand", "simulate")


def debug(page: Page) -> dict[str, Any]:
    found: dict[str, Any] = page.evaluate("mcts.app.debug()")
    return found


@pytest.mark.parametrize(
    ("start", "direction", "end"),
    [
        ((5, None), 1, (5, "select")), ((5, "select"), 1, (5, "expand")),
        ((5, "expand"), 1, (5, "simulate")), ((5, "simulate"), 1, (5, "backpropagate")),
        ((5, "backpropagate"), 1, (6, "select")), ((9, "backpropagate"), 1, None),
        ((0, None), 1, (1, "select")), ((5, None), -1, (5, "backpropagate")),
        ((5, "select"), -1, (4, "backpropagate")), ((5, "backpropagate"), -1, (5, "simulate")),
        ((1, "select"), -1, None), ((0, None), -1, None),
    ],
)  # fmt: skip
def test_phases_follow_one_another_across_iterations(
    canvas: Page, start: tuple[int, str | None], direction: int, end: tuple[int, str] | None
) -> None:
    found = canvas.evaluate(
        "([t, phase, direction]) => mcts.phases.next({iteration: t, phase}, direction, 9)",
        [*start, direction],
    )
    assert found == (None if end is None else {"iteration": end[0], "phase": end[1]})


def test_a_search_without_iterations_has_no_phases(canvas: Page) -> None:
    assert canvas.evaluate("mcts.phases.next({iteration: 0, phase: null}, 1, 0)") is None


@pytest.mark.parametrize(
    ("parts", "least", "text", "score"),
    [
        ([0.61, 0.22, 0.83], 2, "0.61 + 0.22 = 0.83", "0.83"),
        ([0.614, 0.224, 0.838], 2, "0.614 + 0.224 = 0.838", "0.838"),
        ([0.61, 0.22, 0.83], 3, "0.610 + 0.220 = 0.830", "0.830"),
        ([0.61, 0.22, 0.83], 4, "0.6100 + 0.2200 = 0.8300", "0.8300"),
        ([0.61, 0.004, 0.614], 2, "0.6100 + 0.0040 = 0.6140", "0.6140"),
        ([0.5, -0.25, 0.25], 2, "0.50 − 0.25 = 0.25", "0.25"),
    ],
)
def test_a_sum_adds_up_to_the_eye(
    canvas: Page, parts: list[float], least: int, text: str, score: str
) -> None:
    found = canvas.evaluate("([p, least]) => mcts.phases.sumText(...p, least)", [parts, least])
    assert (" ".join(found["parts"]), found["score"]) == (text, score)


def test_the_address_keeps_a_phase_and_ignores_what_is_none(canvas: Page) -> None:
    assert canvas.evaluate("mcts.cursor.fromQuery('?phase=simulate').phase") == "simulate"
    assert canvas.evaluate("mcts.cursor.fromQuery('?phase=__proto__').phase") is None
    query = "mcts.cursor.toQuery({...mcts.cursor.fromQuery('?trace=a&iteration=3&phase=expand'), node: 0}, '?phase=x')"
    assert canvas.evaluate(query) == "?trace=a&iteration=3&phase=expand"


@pytest.mark.parametrize("t", [1, 700, 1_024, 1_025, 3_000])
@pytest.mark.parametrize("phase", [*BEFORE, "backpropagate"])
def test_the_picture_has_the_numbers_before_the_iteration_until_backpropagation(
    canvas: Page, t: int, phase: str
) -> None:
    canvas.evaluate(f"mcts.app.openTrace('uct', {{iteration: {t}, phase: {phase!r}}})")
    wait_for_iteration(canvas, t)
    shown = debug(canvas)
    snapshot = UCT.at(t - 1 if phase in BEFORE else t)
    assert shown["phase"] == phase
    nodes = [item for item in shown["items"] if not item["stub"]]
    assert nodes
    for item in nodes:
        v = item["node"]
        is_new = v >= len(snapshot.visits)
        assert item["visits"] == (0 if is_new else snapshot.visits[v])
        assert item["value_sum"] == (0 if is_new else snapshot.value_sum[v])
        assert not (is_new and phase == "select")


def test_leaving_a_phase_brings_the_numbers_after_the_iteration_back(tree: Page) -> None:
    for key in ("ArrowDown", "ArrowDown", "Escape"):
        tree.keyboard.press(key)
    tree.wait_for_function("mcts.app.debug().phase === null")
    snapshot = UCT.at(1_500)
    for item in debug(tree)["items"]:
        if not item["stub"]:
            assert item["visits"] == snapshot.visits[item["node"]]


def test_arrows_walk_across_the_border_of_two_windows_and_back(canvas: Page) -> None:
    open_trace(canvas, "uct", 1_024)
    canvas.keyboard.press("ArrowUp")
    canvas.wait_for_function("mcts.app.debug().phase === 'backpropagate'")
    for key, t, phase in [
        ("ArrowDown", 1_025, "select"), ("ArrowDown", 1_025, "expand"),
        ("ArrowUp", 1_025, "select"), ("ArrowUp", 1_024, "backpropagate"),
    ]:  # fmt: skip
        canvas.keyboard.press(key)
        wait_for_iteration(canvas, t)
        assert debug(canvas)["phase"] == phase
        assert debug(canvas)["cursor"]["phase"] == phase


@pytest.mark.parametrize("leave", ["ArrowRight", "ArrowLeft", "Space", "Escape", "Home"])
def test_a_step_playing_and_escape_leave_the_phases(tree: Page, leave: str) -> None:
    tree.keyboard.press("ArrowDown")
    tree.wait_for_function("mcts.app.debug().phase === 'select'")
    tree.keyboard.press(leave)
    tree.wait_for_function(
        "mcts.app.debug().cursor.phase === null && mcts.app.debug().phase === null"
    )
    tree.evaluate("mcts.app.stop()")


def test_the_slider_leaves_the_arrows_up_and_down_to_the_phases(tree: Page) -> None:
    tree.get_by_role("slider", name="iteration").focus()
    tree.keyboard.press("ArrowDown")
    tree.wait_for_function("mcts.app.debug().phase === 'select'")
    assert debug(tree)["t"] == 1_500


def marks(page: Page) -> dict[int, list[str]]:
    page.wait_for_function("mcts.app.debug().marks.length > 0")
    return {mark["node"]: mark["lines"] for mark in debug(page)["marks"]}


def numbers(lines: list[str]) -> list[float]:
    text = " ".join(lines).replace("tie", "").replace("+ ", "").replace("= ", "")
    return [float(each) for each in text.split()]


def test_the_scores_beside_the_nodes_are_those_that_were_compared(tree: Page) -> None:
    tree.keyboard.press("ArrowDown")
    found = marks(tree)
    snapshot, path = UCT.at(1_499), UCT.at(1_500).path(int(UCT.columns.leaf[1_499]))
    siblings = {
        v for parent in path[:-1] for v in np.flatnonzero(snapshot.parent == parent).tolist()
    }
    assert set(found) <= siblings
    assert path[1] in found
    chosen = next(m for m in debug(tree)["marks"] if m["kind"] == "chosen")
    assert chosen["node"] in path
    for node, lines in found.items():
        if "visited" in " ".join(lines):
            assert snapshot.visits[node] == 0
            continue
        told = numbers(lines)
        expected = [snapshot.value_term[node], snapshot.exploration_term[node], snapshot.uct[node]]
        assert told == pytest.approx(expected[-len(told) :], abs=0.006)


def test_what_changed_stands_beside_the_nodes_in_backpropagation(tree: Page) -> None:
    tree.keyboard.press("ArrowUp")
    found = marks(tree)
    before, after = UCT.at(1_499), UCT.at(1_500)
    assert found[0] == [
        f"visits {before.visits[0]:,} → {after.visits[0]:,}",
        f"mean {before.mean_value[0]:.4f} → {after.mean_value[0]:.4f}",
    ]
    assert set(found) <= set(after.path(int(UCT.columns.leaf[1_499])))


def test_only_the_new_nodes_are_marked_in_expand_and_nothing_is_written_in_simulate(
    canvas: Page,
) -> None:
    canvas.evaluate("mcts.app.openTrace('uct', {iteration: 4, phase: 'expand'})")
    wait_for_iteration(canvas, 4)
    made = set(range(int(UCT.columns.node_count[3]), int(UCT.columns.node_count[4])))
    assert made
    assert set(marks(canvas)) == made
    canvas.keyboard.press("ArrowDown")
    canvas.wait_for_function("mcts.app.debug().phase === 'simulate'")
    wait_for_iteration(canvas, 4)
    canvas.wait_for_function("mcts.app.debug().marks.length === 0")  # in its next picture
    assert debug(canvas)["marks"] == []


COMPARED = """([visits, values, c]) => {
    const n = visits.length;
    const geometry = {
        parent: [-1, ...visits.map(() => 0)], prior: new Array(n + 1).fill(NaN),
        childrenOf: new Map([[0, visits.map((_, i) => i + 1)]]),
        isStub: () => false, meta: {selection: {name: "ucb1", c}},
    };
    const sum = visits.reduce((a, b) => a + b, 0);
    const count = new Array(n + 1).fill(1);
    const state = {t: 9, visits: [sum, ...visits], valueSum: [0, ...values], count, squareSum: null};
    const [level] = mcts.phaseMarks.comparisons(geometry, {path: [0, 1]}, state);
    return level.map((each) => ({...each, texts: mcts.phaseMarks.scoreTexts(each, state.visits[each.item])}));
}"""


def test_ties_and_children_without_visits_are_said_to_be_so(canvas: Page) -> None:
    tied = canvas.evaluate(COMPARED, [[4, 4, 2], [2, 2, 0], 1])
    assert [(each["item"], each["isTied"]) for each in tied] == [(2, True), (3, False), (1, True)]
    assert all(("tie" in each["texts"][0]) == each["isTied"] for each in tied)
    root = math.sqrt(math.log(10) / 4)
    assert tied[2]["terms"] == pytest.approx([0.5, root])
    first = canvas.evaluate(COMPARED, [[0, 5], [0, 2], 1])
    assert first[1]["texts"][0] == ["not visited"]
    assert first[1]["isChosen"]
    assert "not visited" not in " ".join(first[0]["texts"][0])


def test_scores_that_differ_late_have_the_decimals_that_tell_them_apart(canvas: Page) -> None:
    close = canvas.evaluate(COMPARED, [[1_000, 1_000], [500, 501], 1])
    assert [each["digits"] for each in close] == [3, 3]
    far = canvas.evaluate(COMPARED, [[1_000, 1_000], [500, 900], 1])
    assert [each["digits"] for each in far] == [2, 2]


def test_phases_of_a_snapshot_are_refused_in_words(canvas: Page) -> None:
    open_trace(canvas, "uct", 5)
    canvas.evaluate(
        """() => { const fetchMessage = mcts.binary.fetchMessage;
            mcts.binary.fetchMessage = async (url) => {
                const message = await fetchMessage(url);
                if (url.includes("/view?")) message.meta.has_phases = false;
                return message;
            }; }"""
    )
    canvas.evaluate("mcts.app.openTrace('uct', {iteration: 6, phase: 'select'})")
    wait_for_iteration(canvas, 6)
    assert debug(canvas)["cursor"]["phase"] is None
    canvas.keyboard.press("ArrowDown")
    assert "not the phases" in (canvas.locator("#status-line").text_content() or "")
    assert debug(canvas)["phase"] is None


@pytest.mark.parametrize(
    ("step", "at", "to"),
    [("first", 3, 0), ("last", 0, 5), ("1", 0, 1), ("1", 5, 5), ("-1", 3, 2), ("-1", 0, 0)],
)
def test_the_steps_of_a_simulation_stay_in_it(canvas: Page, step: str, at: int, to: int) -> None:
    assert canvas.evaluate(f"mcts.rollout.after({step!r}, {at}, 5)") == to


def test_the_tab_of_the_iteration_comes_with_a_phase_and_goes_with_it(canvas: Page) -> None:
    found = canvas.evaluate(
        """[[null, null], ["select", "why"], ["expand", "iteration"], ["expand", "health"], [null, "health"],
            ["select", "why"], [null, "iteration"], [null, "why"]].map((each) => mcts.phases.tabFor(...each))"""
    )
    assert found == ["children", "iteration", None, None, None, "iteration", "why", None]


def test_phase_marks_know_nothing_of_a_search_without_a_formula(
    canvas: Page, console: Console
) -> None:
    found = canvas.evaluate(
        "mcts.phaseMarks.comparisons({meta: {selection: null}}, {path: [0, 1]}, {})"
    )
    assert found == []
    assert console.complaints == []
