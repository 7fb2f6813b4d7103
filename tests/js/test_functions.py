"""The front end's functions by themselves, each called in the browser."""

from __future__ import annotations

import base64
import math
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from playwright.sync_api import Page

from mcts_viz.formulas.selection import SELECTION_FORMULAS
from mcts_viz.views.colours import colour_of
from mcts_viz.views.tree_figure import view_scales
from mcts_viz.views.visible import ViewSpec, visible_items
from mcts_viz.web.binary import pack
from tests.js.conftest import TRACES


def test_binary_columns_arrive_with_type_and_value(canvas: Page) -> None:
    columns: dict[str, npt.NDArray[Any]] = {
        "a": np.array([1, -2, 3], np.int8),
        "b": np.array([], np.int32),
        "c": np.array([0.1, math.inf, math.nan]),
        "d": np.array([1.5], np.float32),
    }
    message = base64.b64encode(pack({"text": "é – ♟"}, columns)).decode()
    meta, arrived = canvas.evaluate(
        """text => {
            const bytes = Uint8Array.from(atob(text), c => c.charCodeAt(0));
            const {meta, columns} = mcts.binary.unpack(bytes.buffer);
            return [meta, Object.fromEntries(Object.entries(columns).map(
              ([name, c]) => [name, [c.constructor.name, Array.from(c)]]))];
        }""",
        message,
    )
    assert meta == {"text": "é – ♟"}
    assert arrived["a"] == ["Int8Array", [1, -2, 3]]
    assert arrived["b"] == ["Int32Array", []]
    assert arrived["c"][1][:2] == [0.1, math.inf]
    assert math.isnan(arrived["c"][1][2])
    assert arrived["d"] == ["Float32Array", [1.5]]


TERMS = """([selection, cases]) => {
    const f = mcts.formulas.terms(selection);
    return f && cases.map(c => f(...c));
}"""


@pytest.mark.parametrize("name", sorted(SELECTION_FORMULAS))
def test_the_browsers_formula_agrees_with_pythons(canvas: Page, name: str) -> None:
    rng = np.random.default_rng(5)
    cases = []
    for n in rng.integers(1, 1_000, 100).tolist():
        values = rng.choice([0.0, 0.5, 1.0], n)
        parent_visits, prior = n + int(rng.integers(0, 10_000)), float(rng.random())
        squares = float((values**2).sum())
        cases.append((float(values.sum()), n, parent_visits, prior, squares))
    found = canvas.evaluate(TERMS, [{"name": name, "c": 1.25}, cases])
    assert found is not None, f"the page cannot colour by {name}"
    for (w, n, parent_visits, prior, squares), terms in zip(cases, found):
        expected = SELECTION_FORMULAS[name](
            w, n, parent_visits, math.log(parent_visits), prior, 1.25, squares
        )
        assert terms == pytest.approx([float(term) for term in expected], rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("name", sorted(SELECTION_FORMULAS))
def test_the_browsers_first_play_urgency_agrees_with_pythons(canvas: Page, name: str) -> None:
    cases = [(0, 0, N, prior, 0) for N in (1, 2, 50, 999) for prior in (0.0, 0.25, 1.0)]
    for urgency in (0.0, -0.5, 1.1):
        selection = {"name": name, "c": 1.25, "unvisited": urgency}
        found = canvas.evaluate(TERMS, [selection, cases])
        for (_, _, N, prior, _), terms in zip(cases, found):
            expected = SELECTION_FORMULAS[name].unvisited(N, math.log(N), prior, 1.25, urgency)
            assert terms == pytest.approx([float(term) for term in expected], rel=1e-12)
    first = canvas.evaluate(TERMS, [{"name": name, "c": 1, "unvisited": "first"}, cases])
    assert all(exploration == math.inf for _, exploration in first)


def test_a_proven_item_competes_with_its_result_alone_from_its_proof_on(canvas: Page) -> None:
    found = canvas.evaluate(
        """() => {
            const geometry = {parent: [-1, 0], prior: [NaN, NaN], proven_at: [2147483647, 7], proven_score: [NaN, 0.5]};
            const score = mcts.formulas.ofItems(geometry, {selection: {name: "ucb1", c: 1}});
            const at = (t) => score(1, {t, valueSum: [9, 3], visits: [10, 4], squareSum: null});
            return [at(6), at(7), at(8), mcts.formulas.ofItems(geometry, {selection: null})];
        }"""
    )
    before = [0.75, math.sqrt(math.log(10) / 4)]
    assert found == [pytest.approx(before), [0.5, 0], [0.5, 0], None]


def test_the_sum_of_squares_goes_forward_and_back_with_the_windows(canvas: Page) -> None:
    found = canvas.evaluate(
        """() => {
            const columns = {
                base_visits: [2, 1], base_value_sum: [1, .5], base_square_sum: [.5, .25], base_count: [1, 1],
                node_count: [2, 2, 2], update_offset: [0, 2, 3], update_item: [0, 1, 0], update_visits: [1, 1, 1],
                update_value: [.1, .9, .3], new_offset: [0, 0, 0], new_item: [],
            };
            const replay = mcts.replay.create({
                nIterations: 2, nItems: 2, parent: [-1, 0], fetchWindow: null, onMove() {}, onError() {},
            });
            replay.keep(0, {meta: {from: 0, to: 2}, columns});
            return [0, 2, 1, 0, 1].map((t) => { replay.seek(t); return Array.from(replay.state.squareSum); });
        }"""
    )
    one = [0.5 + 0.1 * 0.1, 0.25 + 0.9 * 0.9]
    assert found == [[0.5, 0.25], [one[0] + 0.3 * 0.3, one[1]], one, [0.5, 0.25], one]


def test_a_hand_that_draws_the_slider_on_sees_what_it_passes(canvas: Page) -> None:
    found = canvas.evaluate(
        """async () => {
            const n = 20000, moves = [], asked = [];
            const replay = mcts.replay.create({
                nIterations: n, nItems: 1, parent: [-1],
                fetchWindow: async (from, to) => {
                    asked.push([from, to]);
                    await null;
                    const zeros = new Int32Array(to - from + 1);
                    return {meta: {from, to}, columns: {
                        base_visits: [from], base_value_sum: [0], base_count: [1], node_count: zeros,
                        update_offset: zeros, update_item: [], update_visits: [], update_value: [],
                        new_offset: zeros, new_item: [],
                    }};
                },
                onMove: (t) => moves.push([t, replay.wanted()]), onError: (error) => moves.push(String(error)),
            });
            for (const t of [5000, 5100, 9000]) replay.seek(t); // the hand moves on at once
            while (moves.length < 1) await null;
            replay.seek(13000); // and on, while the second answer is on its way
            while (replay.isWaiting()) await new Promise((done) => setTimeout(done, 5));
            return {moves, asked: asked.slice(0, 4), t: replay.state.t, visits: replay.state.visits[0]};
        }"""
    )
    assert found["moves"] == [[5000, 9000], [9000, 13000], [13000, 13000], [13000, 13000]]
    whole, passed = [4096, 5120], [[8999, 9000], [12999, 13000]]
    assert found["asked"] == [whole, *passed, [12288, 13312]]  # where it rests, all of it at last
    assert (found["t"], found["visits"]) == (13000, 12288)


def test_an_unknown_formula_gives_no_terms_and_an_unvisited_child_an_infinite_one(
    canvas: Page,
) -> None:
    assert canvas.evaluate("mcts.formulas.terms({name: 'secret'})") is None
    assert canvas.evaluate("mcts.formulas.terms(null)") is None
    assert canvas.evaluate("mcts.formulas.terms({name: 'ucb1', c: 1})(0, 0, 5, NaN)[1]") == math.inf


def test_the_browsers_colours_agree_with_pythons(canvas: Page) -> None:
    trace = TRACES["uct"]
    final = trace.at(trace.n_iterations)
    visible = visible_items(trace.columns, final.visits, ViewSpec())
    for scale in view_scales(trace.columns, final, visible).values():
        values = np.linspace(scale.low, scale.high, 9)
        found = canvas.evaluate(
            """([scale, values]) => {
               const table = mcts.colours.table(scale.stops.dark), place = mcts.colours.placer(scale);
               return values.map(v => table.fills[place(v)].match(/\\d+/g).map(Number)); }""",
            [scale._asdict(), values.tolist()],
        )
        for rgb, expected in zip(found, colour_of(scale, "dark", values)):
            channels = [int(expected[i : i + 2], 16) for i in (1, 3, 5)]
            assert max(abs(a - b) for a, b in zip(rgb, channels)) <= 4


def test_an_address_restores_the_cursor_and_keeps_foreign_parameters(canvas: Page) -> None:
    part = canvas.evaluate(
        "mcts.cursor.fromQuery('?trace=a%2Fb&iteration=0&node=7&budget=50&opened=1,5&colour=uct')"
    )
    assert part == {
        "trace": "a/b", "iteration": 0, "node": 7,
        "view": {"budget": 50, "opened": [1, 5], "colour": "uct"},
    }  # fmt: skip
    query = canvas.evaluate(
        """part => mcts.cursor.toQuery({...part, view: {...mcts.cursor.VIEW, ...part.view}}, '?theme=dark&budget=9')""",
        part,
    )
    assert query == "?theme=dark&trace=a%2Fb&iteration=0&node=7&budget=50&colour=uct&opened=1,5"


@pytest.mark.parametrize(
    ("labels", "short"),
    [
        (["root", "column 4", "column 5"], ["root", "4", "5"]),
        (["root", "a", "b"], ["root", "a", "b"]),
        (["root", "e2 e4", "e2 e3"], ["root", "e4", "e3"]),
        (["root", "only"], ["root", "only"]),
        (["root", "a" * 40], ["root", "a" * 40]),
        (["root", "a" * 41], ["root", "a" * 39 + "…"]),
        (["root", "go " + "𝔸" * 41, "go b"], ["root", "𝔸" * 39 + "…", "b"]),
    ],
)
def test_labels_lose_the_words_they_share(
    canvas: Page, labels: list[str], short: list[str]
) -> None:
    assert canvas.evaluate("mcts.geometry.shortened", labels) == short


def test_every_key_has_a_meaning_in_words(canvas: Page) -> None:
    keys: list[dict[str, Any]] = canvas.evaluate("mcts.app.keys()")
    assert {"key": " ", "needs": "", "text": "play or pause"} in keys
    assert all(key["text"] for key in keys)


def test_a_reign_ends_where_the_next_begins(canvas: Page) -> None:
    assert canvas.evaluate("mcts.timeline.reigns([0, 1, 5, 9], [-1, 3, 3, 4])") == [
        {"node": 3, "from": 1, "to": 9},
        {"node": 4, "from": 9, "to": 9},
    ]


@pytest.mark.parametrize(
    ("direction", "found"),
    [
        ("[1, 0]", 1),  # the next in the row, not the nearer one below it
        ("[0, 1]", 2),
        ("[-1, 0]", -1),
        ("[0, -1]", -1),
        ("null", 0),  # by distance alone
    ],
)
def test_an_arrow_goes_to_the_nearest_cell_that_way(
    canvas: Page, direction: str, found: int
) -> None:
    places = "[[0, 0], [40, 0], [20, 20]]"
    assert canvas.evaluate(f"mcts.match.nearest([0, 0], {places}, {direction})") == found
