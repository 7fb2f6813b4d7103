"""Every number on the page is the trace's own, for searches of other kinds than the plain one: all children at once,
first-play urgency and priors, a solver, UCB1-Tuned, and a tree kept from an earlier search."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import expect

import mcts_viz as mv
from tests.variants import few
from tests.web.recordings import ALPHAZERO, KEPT, SOLVER, TECH_IO, TUNED, record_kinds
from tests.web.screen import Screen, Site, served
from tests.web.test_numbers import assert_picture, expected_rows, four, score

ONE_PAGE = True  # see the fixture `page`

KINDS = [TECH_IO, ALPHAZERO, SOLVER, TUNED, KEPT]


@pytest.fixture(scope="module")
def site(port: int, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder: Path = tmp_path_factory.mktemp("kinds")
    record_kinds(folder)
    with served(folder, port) as site:
        yield site


def outcome_words(outcome: float) -> str:
    return {1.0: "X wins", -1.0: "O wins", 0.0: "draw"}.get(outcome, "")


def rows_of(trace: mv.Trace, t: int, parent: int) -> list[dict[str, str]]:
    """The children's table as it has to read, with the columns that this kind of search has more."""
    snapshot = trace.at(t)
    rows = expected_rows(snapshot, parent)
    ids = sorted(snapshot.children(parent), key=lambda v: (-snapshot.visits[v], v))
    for row, v in zip(rows, ids):
        if trace.meta["policies"]["preset"] == ALPHAZERO:
            row["prior"] = f"{snapshot.prior[v]:.3f}"
        if trace.meta["policies"]["backpropagation"]["solver"]:
            assert snapshot.proven is not None
            row["proven"] = outcome_words(float(snapshot.proven[v]))
    return rows


def assert_colours(screen: Screen, snapshot: Any) -> None:
    """What the canvas colours by, in both modes that are computed in the browser."""
    for mode, measure in [("uct", snapshot.uct), ("exploration", snapshot.exploration_term)]:
        screen.page.evaluate("(colour) => mcts.app.setView({colour})", mode)
        screen.wait_for("d.options.colour === arg", arg=mode)
        items = screen.items()
        assert len(items) > 1
        for node, item in items.items():
            expected = float(measure[node])
            if math.isfinite(expected):
                assert item["measure"] == pytest.approx(expected, abs=1e-9), (node, mode)
            else:
                assert item["measure"] is None or math.isnan(item["measure"]), (node, mode)


@pytest.mark.thorough
@pytest.mark.parametrize("name", few([ALPHAZERO, TECH_IO, SOLVER, TUNED, KEPT]))
def test_picture_tables_and_colours_equal_the_trace(screen: Screen, name: str) -> None:
    trace = screen.site.trace(name)
    n = trace.n_iterations
    screen.open(name, 3)
    for key, t in [
        ("", 3),
        ("Shift+ArrowRight", 13),
        ("End", n),
    ]:
        if key:
            screen.press(key).wait(t)
        assert_picture(screen, trace, t)
        screen.expect_table("children-table", rows_of(trace, t, 0))
    assert_colours(screen, trace.at(n))


@pytest.mark.thorough
@pytest.mark.parametrize("name", few(KINDS))
def test_the_inspector_equals_the_trace_also_for_a_child_without_visits(
    screen: Screen, name: str
) -> None:
    trace = screen.site.trace(name)
    snapshot = trace.at(30)
    unvisited = np.flatnonzero(snapshot.visits == 0).tolist()[:2]
    for node in [*snapshot.principal_path[1:3], *unvisited]:
        screen.open(name, 30, node=node)
        screen.expect_facts(
            visits=str(snapshot.visits[node]), mean_value=four(snapshot.mean_value[node])
        )
        if snapshot.uct[node] == math.inf:
            expect(screen.text("node-panel")).to_contain_text(
                "Not visited yet: its selection score is ∞"
            )
            continue
        expect(screen.term("value-term")).to_have_text(four(snapshot.value_term[node]))
        expect(screen.term("exploration-term")).to_have_text(four(snapshot.exploration_term[node]))
        expect(screen.term("score")).to_have_text(four(snapshot.uct[node]))


@pytest.mark.thorough
@pytest.mark.parametrize("name", few(KINDS))
def test_every_choice_is_explained_by_the_scores_before_it(screen: Screen, name: str) -> None:
    trace = screen.site.trace(name)
    screen.open(name, 4)
    screen.tab("This iteration")
    for key, t in [("", 4), ("Shift+ArrowRight", 14), ("End", trace.n_iterations)]:
        if key:
            screen.press(key).wait(t)
        told, before, after = trace.iteration(t), trace.at(t - 1), trace.at(t)
        rows = []
        for node in told.path[1:]:
            known = node < len(before)
            rows.append({
                "move": after.label(node),
                "value_term": four(before.value_term[node] if known else None),
                "exploration_term": score(before.exploration_term[node]) if known else "–",
                "score": score(before.uct[node]) if known else "–",
            })  # fmt: skip
        screen.expect_table("iteration-table", rows)
        for row in screen.table("iteration-table"):
            assert "nan" not in row["over"]
            assert not row["over"].endswith("by –")


@pytest.mark.thorough
def test_a_proven_result_is_told_where_it_is_known_and_not_before(screen: Screen) -> None:
    trace = screen.site.trace(SOLVER)
    columns = trace.columns
    inner = [
        (int(node), int(at), float(result))
        for node, at, result in zip(columns.proven.node, columns.proven.at, columns.proven.outcome)
        if node != 0
    ]
    node, at, result = inner[-1]
    told = f"proven: {outcome_words(result)}"
    screen.open(SOLVER, at - 1, node=node)
    expect(screen.page.locator(".turn")).not_to_contain_text("proven")
    screen.press("ArrowRight").wait(at)
    expect(screen.page.locator(".turn")).to_contain_text(told)
    expect(screen.text("node-panel")).to_contain_text("its proven result is the score")
    expect(screen.text("children-note")).to_contain_text(f"Proven here: {outcome_words(result)}.")
    note = screen.text("trace-note")
    n = trace.n_iterations
    expect(note).to_contain_text(
        f"The search ended after {n} of 900 iterations: the result is proven"
    )


@pytest.mark.thorough
def test_a_kept_tree_is_there_before_the_first_iteration_and_says_where_it_is_from(
    screen: Screen,
) -> None:
    trace = screen.site.trace(KEPT)
    start = trace.at(0)
    assert len(start) > 9
    screen.open(KEPT, 0)
    assert_picture(screen, trace, 0)
    screen.expect_facts(visits=str(start.visits[0]))
    screen.expect_table("children-table", expected_rows(start, 0))
    told = f"This tree was kept from the move before: {start.visits[0]} visits, {len(start)} nodes"
    expect(screen.text("trace-note")).to_contain_text(told)
    expect(screen.text("node-panel")).to_contain_text("kept from the move before")
    screen.tab("This iteration")
    expect(screen.text("iteration-note")).to_contain_text("the tree was kept from the move before")


@pytest.mark.thorough
def test_the_card_beside_the_mouse_tells_urgency_prior_and_proof(screen: Screen) -> None:
    trace = screen.site.trace(ALPHAZERO)
    snapshot = trace.at(4)
    node = next(v for v in snapshot.children(0) if snapshot.visits[v] == 0)
    screen.open(ALPHAZERO, 4)
    screen.hover_node(node)
    card = screen.text("hover-card")
    expect(card).to_contain_text(f"selection score{snapshot.uct[node]:.4f}")
    expect(card).to_contain_text(f"prior{snapshot.prior[node]:.4f}")
    expect(card).to_contain_text("mean value–")


@pytest.mark.thorough
def test_a_trace_without_the_squares_it_needs_offers_no_colour_by_score(screen: Screen) -> None:
    path = screen.site.folder / "tuned_snapshot.json"
    screen.site.trace(TUNED).at(100).to_json(path)
    document = json.loads(path.read_text("utf-8"))
    for node in document["nodes"]:  # as another program writes it
        node.pop("square_sum", None)
    path.write_text(json.dumps(document), "utf-8")
    screen.open("tuned_snapshot", 1, node=1, colour="uct")
    assert screen.debug()["options"]["colour"] == "mean_value"
    screen.text("colour-select").click()
    expect(screen.page.get_by_role("option")).to_have_text(
        ["mean value", "visits", "player", "last visit", "true value"]
    )
    screen.page.keyboard.press("Escape")
    expect(screen.text("node-panel")).to_contain_text("without the squares of its values")
    screen.delete(path)
