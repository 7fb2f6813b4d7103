"""The functions of filter, icicle and colours by themselves, each called in the browser."""

from __future__ import annotations

import math
from typing import Any

import pytest
from playwright.sync_api import Page

from mcts_viz.views.colours import COLOUR_MODES, SCALES
from mcts_viz.views.tree_figure import MEASURES


@pytest.mark.parametrize(
    ("view", "words"),
    [
        ({}, ""),
        ({"least": 1}, "at least 1 visit"),
        ({"least": 1_000, "top": 3}, "at least 1,000 visits, 3 most visited children"),
        ({"top": 1, "levels": 1}, "most visited child, 1 level"),
        ({"levels": 4, "pv": 1}, "4 levels, principal variation"),
    ],
)
def test_a_filter_is_told_in_words(canvas: Page, view: dict[str, int], words: str) -> None:
    told = canvas.evaluate("view => mcts.filter.words({...mcts.cursor.VIEW, ...view})", view)
    assert told == words


#      10
#     /  \
#   11    12      12 has children that are not shown
#   / stub
#  13
TOGGLE = """(view) => {
  const nNodes = 4, geometry = {
    node: [10, 11, 12, 13, 11], n_children: [2, 3, 5, 0], isStub: (item) => item >= nNodes,
    childrenOf: new Map([[0, [1, 2]], [1, [3, 4]]]),
  };
  return mcts.filter.toggledSubtree({opened: [], closed: [], whole: [], ...view}, geometry, 0);
}"""


def test_a_subtree_that_hides_something_is_opened_as_a_whole(canvas: Page) -> None:
    assert canvas.evaluate(TOGGLE, {"closed": [12, 99]}) == {"whole": [10], "closed": [99]}


def test_a_subtree_of_which_only_a_child_is_shut_is_opened_again(canvas: Page) -> None:
    found = canvas.evaluate(TOGGLE, {"closed": [12], "whole": [10]})
    assert found == {"whole": [10], "closed": []}


def test_an_open_subtree_collapses_with_every_child(canvas: Page) -> None:
    open_one = TOGGLE.replace("n_children: [2, 3, 5, 0]", "n_children: [2, 3, 0, 0]")
    found = canvas.evaluate(open_one, {"opened": [11, 99], "whole": [10]})
    assert found == {"closed": [10, 11], "opened": [99], "whole": []}


def test_an_icicles_children_stand_side_by_side_under_their_parent(canvas: Page) -> None:
    found = canvas.evaluate(
        """() => {
          const geometry = {nItems: 6, order: [0, 2, 1, 4, 3, 5], parent: [-1, 0, 0, 1, 2, 1]};
          const {left, taken, total} = mcts.icicleLayout.spans(geometry, [10, 3, 6, 1, 5, 1]);
          return [Array.from(left), Array.from(taken), total];
        }"""
    )
    # 2 (six visits) stands before 1 (three); one visit ended at the topmost node
    assert found == [[0, 6, 0, 6, 0, 7], [9, 2, 5, 0, 0, 0], 10]


@pytest.mark.parametrize(
    ("levels", "height", "rows"),
    [(3, 400, (56, 3)), (20, 400, (20, 20)), (1_000, 400, (14, 28)), (0, 400, (56, 1))],
)
def test_an_icicles_rows_stay_readable(
    canvas: Page, levels: int, height: int, rows: tuple[int, int]
) -> None:
    found = canvas.evaluate("([n, h]) => mcts.icicleLayout.rows(n, h)", [levels, height])
    assert (found["height"], found["seen"]) == rows


def test_the_last_visit_goes_forward_and_back_with_the_windows(canvas: Page) -> None:
    found = canvas.evaluate(
        """() => {
            const columns = {
                base_visits: [2, 1], base_value_sum: [1, .5], base_last_visit: [40, 7], base_count: [1, 1],
                node_count: [2, 2, 2], update_offset: [0, 2, 3], update_item: [0, 1, 0], update_visits: [1, 1, 1],
                update_value: [.1, .9, .3], new_offset: [0, 0, 0], new_item: [],
            };
            const replay = mcts.replay.create({
                nIterations: 1026, nItems: 2, parent: [-1, 0], fetchWindow: () => new Promise(() => {}),
                onMove() {}, onError() {},
            });
            replay.keep(1, {meta: {from: 1024, to: 1026}, columns});
            return [1026, 1025, 1026, 1025].map((t) => { replay.seek(t); return Array.from(replay.state.lastVisit); });
        }"""
    )
    assert found == [[1026, 1025], [1025, 1025], [1026, 1025], [1025, 1025]]


MEASURE = """(mode) => {
  const geometry = {parent: [-1, 0, 0], mover: [-1, 0, 1], prior: [NaN, 0.25, 0.75]};
  const state = {t: 9, visits: [9, 6, 0], valueSum: [4, 3, 0], lastVisit: [9, 7, 0], squareSum: null};
  const meta = {value_range: [0, 1], selection: null};
  const measure = mcts.colours.measure(mode, geometry, meta);
  return [0, 1, 2].map((item) => measure(item, state));
}"""


@pytest.mark.parametrize(
    ("mode", "shown"),
    [
        ("prior", [math.nan, 0.25, 0.75]),
        ("player", [math.nan, 0, 1]),
        ("last_visit", [1, 3, math.nan]),
        ("visits", [9, 6, math.nan]),
        ("uct", [math.nan, math.nan, math.nan]),
    ],
)
def test_what_a_colour_shows(canvas: Page, mode: str, shown: list[float]) -> None:
    assert canvas.evaluate(MEASURE, mode) == pytest.approx(shown, nan_ok=True)


def test_every_colour_has_a_scale_and_a_measure_in_both_languages(canvas: Page) -> None:
    modes = list(COLOUR_MODES)
    assert list(SCALES) == list(MEASURES) == modes
    # exact results are drawn in the browser alone, where they have been solved
    assert canvas.evaluate("Object.keys(mcts.colours.MEASURES)") == [*modes, "true_value"]


def test_categories_do_not_shade_into_each_other(canvas: Page) -> None:
    fills: list[str] = canvas.evaluate("mcts.colours.table(['#2f7fc1', '#d9730d'], true).fills")
    assert set(fills) == {"rgb(47,127,193)", "rgb(217,115,13)"}


@pytest.mark.parametrize("refused", [False, True])
def test_what_cannot_be_copied_is_shown_to_be_copied_by_hand(canvas: Page, refused: bool) -> None:
    told: Any = canvas.evaluate(
        """async (refused) => {
            const writeText = () => refused ? Promise.reject(new Error("no")) : Promise.resolve();
            Object.defineProperty(navigator, "clipboard", {value: {writeText}, configurable: true});
            return mcts.clipboard.copy("a1, b2");
        }""",
        refused,
    )
    by_hand = "The browser does not let this page copy. The moves are: a1, b2"
    assert told == (by_hand if refused else "Copied: a1, b2")
