"""Phases in the browser: what the picture shows in each."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page

from mcts_viz.analysis.point_of_view import Viewpoint
from tests.browser import value_of
from tests.js.conftest import TRACES, open_trace, wait_for_iteration

UCT = TRACES["uct"]
BEFORE = ("select", "expand", "simulate")


def debug(page: Page) -> dict[str, Any]:
    found: dict[str, Any] = value_of(page, "mcts.app.debug()")
    return found


def test_the_picture_has_the_numbers_before_the_iteration_until_backpropagation(
    canvas: Page,
) -> None:
    for t in (1, 700, 1_024, 1_025, 3_000):
        for phase in (*BEFORE, "backpropagate"):
            expect_numbers(canvas, t, phase)


def expect_numbers(canvas: Page, t: int, phase: str) -> None:
    """The picture of an iteration's phase has the numbers before it, or after it in backpropagation."""
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


@pytest.mark.thorough
def test_leaving_a_phase_brings_the_numbers_after_the_iteration_back(tree: Page) -> None:
    for key in ("ArrowDown", "ArrowDown", "Escape"):
        tree.keyboard.press(key)
    tree.wait_for_function("() => mcts.app.debug().phase === null")
    snapshot = UCT.at(1_500)
    for item in debug(tree)["items"]:
        if not item["stub"]:
            assert item["visits"] == snapshot.visits[item["node"]]


@pytest.mark.thorough
def test_arrows_walk_across_the_border_of_two_windows_and_back(canvas: Page) -> None:
    open_trace(canvas, "uct", 1_024)
    canvas.keyboard.press("ArrowUp")
    canvas.wait_for_function("() => mcts.app.debug().phase === 'backpropagate'")
    for key, t, phase in [
        ("ArrowDown", 1_025, "select"), ("ArrowDown", 1_025, "expand"),
        ("ArrowUp", 1_025, "select"), ("ArrowUp", 1_024, "backpropagate"),
    ]:  # fmt: skip
        canvas.keyboard.press(key)
        wait_for_iteration(canvas, t)
        assert debug(canvas)["phase"] == phase
        assert debug(canvas)["cursor"]["phase"] == phase


@pytest.mark.thorough
def test_a_step_playing_and_escape_leave_the_phases(tree: Page) -> None:
    for leave in ("ArrowRight", "ArrowLeft", "Space", "Escape", "Home"):
        tree.keyboard.press("ArrowDown")
        tree.wait_for_function("() => mcts.app.debug().phase === 'select'")
        tree.keyboard.press(leave)
        tree.wait_for_function(
            "() => mcts.app.debug().cursor.phase === null && mcts.app.debug().phase === null"
        )
        tree.evaluate("mcts.app.stop()")


@pytest.mark.thorough
def test_the_slider_leaves_the_arrows_up_and_down_to_the_phases(tree: Page) -> None:
    tree.get_by_role("slider", name="iteration").focus()
    tree.keyboard.press("ArrowDown")
    tree.wait_for_function("() => mcts.app.debug().phase === 'select'")
    assert debug(tree)["t"] == 1_500


def marks(page: Page) -> dict[int, list[str]]:
    page.wait_for_function("() => mcts.app.debug().marks.length > 0")
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
        if lines == ["…"]:  # the table has it
            assert node not in path
            continue
        told = numbers(lines)
        expected = [snapshot.value_term[node], snapshot.exploration_term[node], snapshot.uct[node]]
        assert told == pytest.approx(expected[-len(told) :], abs=0.006)


def test_what_changed_stands_beside_the_nodes_in_backpropagation(tree: Page) -> None:
    tree.keyboard.press("ArrowUp")
    found = marks(tree)
    before, after = UCT.at(1_499), UCT.at(1_500)
    was, now = (Viewpoint().mean(each, 0) for each in (before, after))  # of who is to move
    visits = f"visits {before.visits[0]:,} → {after.visits[0]:,}"
    assert found[0] == [f"{visits} · mean {was:.4f} → {now:.4f}"]
    assert set(found) <= set(after.path(int(UCT.columns.leaf[1_499])))


@pytest.mark.thorough
def test_only_the_new_nodes_are_marked_in_expand_and_nothing_is_written_in_simulate(
    canvas: Page,
) -> None:
    canvas.evaluate("mcts.app.openTrace('uct', {iteration: 4, phase: 'expand'})")
    wait_for_iteration(canvas, 4)
    made = set(range(int(UCT.columns.node_count[3]), int(UCT.columns.node_count[4])))
    assert made
    assert set(marks(canvas)) == made
    canvas.keyboard.press("ArrowDown")
    canvas.wait_for_function("() => mcts.app.debug().phase === 'simulate'")
    wait_for_iteration(canvas, 4)
    canvas.wait_for_function("() => mcts.app.debug().marks.length === 0")  # in its next picture
    assert debug(canvas)["marks"] == []


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
