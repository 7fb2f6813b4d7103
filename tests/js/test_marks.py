"""Marks and notes: the functions that need no page."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Page


def event(iteration: int, kind: str = "lead") -> dict[str, Any]:
    return {"iteration": iteration, "kind": kind, "node": 0, "text": f"{kind} {iteration}"}


def test_marks_that_are_too_near_to_tell_apart_become_one(canvas: Page) -> None:
    found = canvas.evaluate(
        "events => mcts.marks.clusters(events, t => t).map(({x, events}) => [x, events.length])",
        [event(0), event(5), event(8), event(9), event(30)],
    )
    assert found == [[0, 3], [9, 1], [30, 1]]  # 9 is 9 pixels from 0: apart


def test_events_are_told_by_iteration_and_then_by_kind(canvas: Page) -> None:
    events = [event(7, "depth"), event(3), event(7, "note"), event(7, "lead")]
    found = canvas.evaluate("events => mcts.marks.sorted(events).map(e => e.text)", events)
    assert found == ["lead 3", "note 7", "lead 7", "depth 7"]


def test_the_next_mark_is_at_the_nearest_other_iteration(canvas: Page) -> None:
    events = [event(3), event(7), event(7, "depth"), event(9)]
    ask = "([events, t, way]) => mcts.marks.beside(events, t, way).map(e => e.text)"
    assert canvas.evaluate(ask, [events, 3, 1]) == ["lead 7", "depth 7"]
    assert canvas.evaluate(ask, [events, 5, 1]) == ["lead 7", "depth 7"]
    assert canvas.evaluate(ask, [events, 9, -1]) == ["lead 7", "depth 7"]
    assert canvas.evaluate(ask, [events, 3, -1]) == []
    assert canvas.evaluate(ask, [events, 9, 1]) == []


def test_the_address_holds_what_differs_from_the_default(canvas: Page) -> None:
    there_and_back = """search => {
        const {off, threshold} = mcts.marks.fromQuery(search);
        return [[...off], threshold, mcts.marks.toQuery({off, threshold}, "?trace=x")];
    }"""
    assert canvas.evaluate(there_and_back, "?marks-off=depth,nonsense,lead&threshold=-0.25") == [
        ["depth", "lead"], -0.25, "?trace=x&marks-off=lead,depth&threshold=-0.25",
    ]  # fmt: skip
    assert canvas.evaluate(there_and_back, "?threshold=much") == [[], None, "?trace=x"]
    assert canvas.evaluate(there_and_back, "") == [[], None, "?trace=x"]


def test_the_legend_names_the_moves_that_led_longest_first(canvas: Page) -> None:
    stretches = [
        {"node": 1, "from": 0, "to": 10}, {"node": 2, "from": 10, "to": 80}, {"node": 1, "from": 80, "to": 100},
    ]  # fmt: skip
    assert canvas.evaluate("s => mcts.timeline.leaders(s)", stretches) == [
        {"node": 2, "share": 0.7},
        {"node": 1, "share": 0.3},
    ]


def test_a_text_that_the_server_does_not_have_yet_wins_over_what_it_has(canvas: Page) -> None:
    saved = [
        {"id": "a", "iteration": 1, "text": "old", "where": "x"},
        {"id": "b", "iteration": 2, "text": "b"},
    ]
    unsaved = [
        {"id": "a", "iteration": 1, "text": "typed"},
        {"id": "c", "iteration": 0, "text": "new"},
    ]
    found = canvas.evaluate(
        "([saved, unsaved]) => mcts.notes.sorted(mcts.notes.merged(saved, unsaved).values())"
        ".map(n => [n.id, n.text, n.where ?? '', Boolean(n.unsaved)])",
        [saved, unsaved],
    )
    assert found == [["c", "new", "", True], ["a", "typed", "x", True], ["b", "b", "", False]]


def test_a_text_that_was_not_saved_is_its_tabs_and_later_anybodys(canvas: Page) -> None:
    found = canvas.evaluate(
        """() => {
            const keep = (key, text, tab, at) => localStorage.setItem(`mcts-note:${key}`,
                JSON.stringify({id: "a", iteration: 1, node: 0, text, revision: 0, tab, at}));
            keep("x:a", "mine", "this", 100000);
            keep("x:b", "being written elsewhere", "other", 99000);
            keep("x:c", "left behind", "other", 50000);
            keep("xy:a", "of another trace", "this", 100000);
            localStorage.setItem("mcts-note:x:d", "{broken");
            const notes = mcts.notes.stored("x", "this", 100001);
            localStorage.clear();
            return [notes.map(n => n.text).sort(), Object.keys(notes[0])];
        }"""
    )
    assert found == [["left behind", "mine"], ["id", "iteration", "node", "text", "revision"]]
