"""Every number on the page is the trace's own, at any iteration and after any way there."""

from __future__ import annotations

import math
import shutil
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

import mcts_viz as mv
from tests.variants import few
from tests.web.recordings import CONNECT_FOUR, TIC_TAC_TOE
from tests.web.screen import Screen

ONE_PAGE = True  # see the fixture `page`

SAMPLES = Path(__file__).parents[2] / "samples"
GAMES = [TIC_TAC_TOE, CONNECT_FOUR]
WAYS = {
    TIC_TAC_TOE: [("", 37), ("Control+ArrowRight", 137), ("ArrowLeft", 136), ("End", 300)],
    CONNECT_FOUR: [("", 900), ("Control+ArrowRight", 1_000), ("Control+ArrowRight", 1_100),
                   ("Shift+ArrowLeft", 1_090), ("ArrowLeft", 1_089)],
}  # fmt: skip


def four(value: float | None) -> str:
    if value is None or not math.isfinite(value):
        return "–"
    return "0.0000" if abs(value) < 0.00005 else f"{value:.4f}".replace("-", "−")


def score(value: float) -> str:
    return "∞" if value == math.inf else four(value)


def grouped(value: float) -> str:
    return f"{value:,.4f}".rstrip("0").rstrip(".").replace("-", "−")


def assert_picture(screen: Screen, trace: mv.Trace, t: int) -> None:
    """The numbers that the canvas is drawn from equal the snapshot and the iteration."""
    shown, snapshot = screen.debug(), trace.at(t)
    assert shown["t"] == t
    nodes = [item for item in shown["items"] if not item["stub"]]
    assert len(nodes) == min(len(snapshot), len(nodes)) > 0
    for item in nodes:
        node = item["node"]
        assert (item["visits"], item["value_sum"]) == (
            snapshot.visits[node], snapshot.value_sum[node],
        )  # fmt: skip
        assert item["label"] == snapshot.label(node)
    hidden = {item["node"]: item for item in shown["items"] if item["stub"]}
    visible = {item["node"] for item in nodes}
    for node, stub in hidden.items():
        left_out = [v for v in snapshot.children(node) if v not in visible]
        assert stub["count"] >= len(left_out) > 0
        assert stub["visits"] == snapshot.visits[left_out].sum()
    if t == 0:
        return
    told = trace.iteration(t)
    assert shown["leaf"] == told.leaf
    assert shown["outcome"] == pytest.approx(told.outcome)
    inside = [v for v in told.path if v in visible]
    assert [v for v in shown["path"] if v in visible][: len(inside)] == inside
    assert {v for v in shown["updated"] if v in visible} >= {
        u.node for u in told.updates if u.node in visible
    }
    assert {v for v in told.new_nodes if v in visible} <= set(shown["made"])
    assert shown["chosen"] == snapshot.ranked_children(0)[0]


def expected_rows(snapshot: Any, parent: int) -> list[dict[str, str]]:
    """The children's table as it has to read."""
    ids = sorted(snapshot.children(parent), key=lambda v: (-snapshot.visits[v], v))
    return [
        {
            "move": snapshot.label(v),
            "visits": f"{snapshot.visits[v]:,}",
            "share": f"{100 * snapshot.visits[v] / snapshot.visits[parent]:.1f}%",
            "mean_value": four(snapshot.mean_value[v]),
            "exploration_term": score(snapshot.exploration_term[v]),
            "score": score(snapshot.uct[v]),
        }
        for v in ids
    ]


def expect_inspector(screen: Screen, snapshot: Any, node: int) -> None:
    screen.expect_facts(
        visits=f"{snapshot.visits[node]:,}",
        value_sum=grouped(snapshot.value_sum[node]),
        mean_value=four(snapshot.mean_value[node]),
    )
    value, exploration, score = (
        snapshot.value_term[node], snapshot.exploration_term[node], snapshot.uct[node],
    )  # fmt: skip
    assert value + exploration == pytest.approx(score, abs=1e-12)
    expect(screen.term("value-term")).to_have_text(four(value))
    expect(screen.term("exploration-term")).to_have_text(four(exploration))
    expect(screen.term("score")).to_have_text(four(score))


def expect_decision(screen: Screen, snapshot: Any) -> None:
    """The chosen move, the runner-up and the margin by the final-move rule at t."""
    first, second = snapshot.ranked_children(0)[:2]
    visits = snapshot.visits
    line = screen.text("decision")
    expect(line).to_contain_text(snapshot.label(first))
    expect(line).to_contain_text(f"{visits[first]:,} of {visits[0]:,}")
    expect(line).to_contain_text(f"runner-up {snapshot.label(second)}: {visits[second]:,}")
    expect(line).to_contain_text(f"margin {visits[first] - visits[second]:,} visit")


@pytest.mark.parametrize("name", few(GAMES[::-1]))
def test_picture_inspector_tables_and_decision_equal_the_trace_wherever_one_steps(
    screen: Screen, name: str
) -> None:
    trace = screen.site.trace(name)
    node = trace.at(trace.n_iterations).principal_path[1]
    for key, t in WAYS[name]:
        if key:
            screen.press(key).wait(t)
        else:
            screen.open(name, t, node=node)
        snapshot = trace.at(t)
        assert_picture(screen, trace, t)
        expect_inspector(screen, snapshot, node)
        expect_decision(screen, snapshot)
        screen.expect_table("children-table", expected_rows(snapshot, node))
    screen.tab("Siblings")
    screen.expect_table("siblings-table", expected_rows(snapshot, 0))


@pytest.mark.thorough  # test_panels.py has it
@pytest.mark.parametrize("name", few(GAMES))
def test_the_tables_mark_what_would_be_played_and_what_would_be_selected_next(
    screen: Screen, name: str
) -> None:
    trace = screen.site.trace(name)
    t = trace.n_iterations - 1
    snapshot = trace.at(t)
    screen.open(name, t)
    played = snapshot.ranked_children(0)[0]
    selected = trace.iteration(t + 1).path[1]  # what the search did take next
    ids = sorted(snapshot.children(0), key=lambda v: (-snapshot.visits[v], v))
    marks = [("★" if v == played else "") + ("→" if v == selected else "") for v in ids]
    screen.expect_table("children-table", [{"marks": mark} for mark in marks])
    others = [snapshot.uct[v] for v in ids if v != selected]
    note = screen.text("children-note")
    expect(note).to_contain_text(f"Next selected: {snapshot.label(selected)}")
    margin = snapshot.uct[selected] - max(others)
    if margin >= 0.001:
        expect(note).to_contain_text(f"ahead by {margin:.4f}")


@pytest.mark.thorough
@pytest.mark.parametrize("name", few(GAMES))
def test_an_iteration_is_explained_by_the_scores_before_its_choice(
    screen: Screen, name: str
) -> None:
    trace = screen.site.trace(name)
    t = max(range(20, trace.n_iterations), key=lambda t: len(trace.iteration(t).comparisons))
    screen.open(name, t)
    screen.tab("This iteration")
    told, before, after = trace.iteration(t), trace.at(t - 1), trace.at(t)
    rows = []
    for depth, node in enumerate(told.path[1:], 1):
        existed = node < len(before)
        rows.append({
            "depth": str(depth),
            "move": after.label(node),
            "value_term": four(before.value_term[node] if existed else None),
            "exploration_term": four(before.exploration_term[node] if existed else None),
            "score": four(before.uct[node] if existed else None),
        })  # fmt: skip
    screen.expect_table("iteration-table", rows)
    shown = screen.table("iteration-table")
    for comparison, row in zip(told.comparisons, shown):
        others = [v for v in comparison.children if v != comparison.chosen]
        assert comparison.scores.tolist() == before.uct[comparison.children].tolist()
        if not others:
            assert row["over"] == "only child"
        elif comparison.ties:
            assert row["over"].startswith(f"tie with {before.label(comparison.ties[0])}")
        else:
            second = max(others, key=lambda v: before.uct[v])
            assert row["over"].startswith(f"{before.label(second)}, by ")
    expect(screen.text("iteration-note")).to_contain_text("Scores before the choice")


@pytest.mark.thorough
def test_the_numbers_of_a_selected_node_that_is_not_visited_or_not_born_are_not_made_up(
    screen: Screen,
) -> None:
    trace = screen.site.trace(TIC_TAC_TOE)
    node = trace.n_nodes - 1
    born = int(trace.at(300).born[node])
    screen.open(TIC_TAC_TOE, 100, node=node)
    expect(screen.text("node-panel")).to_have_text(
        f"Node {node:,} is not in the tree yet: iteration {born:,} makes it."
    )
    screen.expect_table("children-table", [])
    screen.press("End").wait(300)
    screen.expect_facts(visits=f"{trace.at(300).visits[node]}")
    screen.press("Home").wait(0)
    expect(screen.text("node-panel")).to_contain_text("is not in the tree yet")
    expect(screen.text("decision")).to_contain_text("No move yet")
    screen.tab("This iteration")
    expect(screen.text("iteration-note")).to_contain_text("Before the first iteration")


@pytest.mark.thorough
def test_the_colour_of_a_node_shows_the_measure_that_the_legend_names(screen: Screen) -> None:
    trace = screen.site.trace(CONNECT_FOUR)
    screen.open(CONNECT_FOUR, 1_500)
    snapshot = trace.at(1_500)
    value = snapshot.mean_value.copy()  # view of the mover; at the root of X, who is to move
    value[0] = 1 - value[0]
    legend = screen.page.get_by_label("Legend of the tree")
    for option, title, measure in [
        ("mean value", "mean value, view of the mover", value),
        ("visits", "visits (logarithmic)", snapshot.visits.astype(float)),
        ("selection score", "selection score", snapshot.uct),
        ("exploration term", "exploration term", snapshot.exploration_term),
    ]:
        if option != "mean value":
            screen.choose("colour-select", option)
        expect(legend).to_contain_text(f"colour: {title}")
        mode = option.split()[0].replace("mean", "mean_value").replace("selection", "uct")
        screen.wait_for(f"d.options.colour === '{mode}'")
        items = list(screen.items().values())
        colours: dict[float, str] = {}
        for item in items:
            expected = measure[item["node"]]
            if item["visits"] == 0 or not math.isfinite(expected):
                assert item["measure"] is None or math.isnan(item["measure"])
                continue
            assert item["measure"] == pytest.approx(expected, abs=1e-9)
            colours[round(item["measure"], 9)] = item["colour"]
        assert len(set(colours.values())) > 10  # different numbers, different colours
    assert screen.cursor()["view"]["colour"] == "exploration"


@pytest.mark.thorough
def test_the_size_of_a_node_is_its_visits_or_all_the_same(screen: Screen) -> None:
    screen.open(TIC_TAC_TOE, 200)

    def radii() -> list[tuple[int, float]]:
        top = [item for item in screen.items().values() if item["position"]]
        return sorted((i["visits"], i["position"]["radius"]) for i in top if i["visits"] > 10)

    by_visits = radii()
    assert by_visits[0][1] < by_visits[-1][1]
    assert [r for _, r in by_visits] == sorted(r for _, r in by_visits)
    legend = screen.page.get_by_label("Legend of the tree")
    expect(legend).to_contain_text("size: visits · line width: share of the parent's visits")
    screen.choose("size-select", "share")
    screen.wait_for("d.options.size === 'share'")
    expect(legend).to_contain_text("size and line width: share of the parent's visits")
    snapshot = screen.site.trace(TIC_TAC_TOE).at(200)
    child = screen.items()[snapshot.ranked_children(0)[0]]
    share = snapshot.visits[child["node"]] / snapshot.visits[0]
    least, most = 3.5, 22.0  # RADIUS of tree_canvas.js; the root's own may be limited by the room
    assert child["position"]["radius"] == pytest.approx(
        least + (most - least) * math.sqrt(share), abs=0.1
    )
    screen.choose("size-select", "equal")
    screen.wait_for("d.options.size === 'equal'")
    expect(legend).not_to_contain_text("size")
    screen.wait_for("d.items[0].position.radius < 10")
    assert max(r for _, r in radii()) == min(r for _, r in radii())


def test_wide_numbers_lose_decimals_and_nothing_is_cut_off(screen: Screen) -> None:
    """Values of some minus eleven, where most have one digit before the point."""
    name = "planning"
    shutil.copy(SAMPLES / f"{name}.mcts", screen.site.folder)
    screen.open(name, 300)
    table = screen.page.locator("#children-table .ag-center-cols-container")
    expect(table.locator(".ag-row")).to_have_count(4)
    snapshot = screen.site.trace(name).at(300)
    means = sorted(f"{snapshot.mean_value[v]:.3f}".replace("-", "−") for v in snapshot.children(0))
    cells = table.locator(".ag-cell[col-id=mean_value]")
    assert sorted(cells.all_text_contents()) == means
    cut = table.locator(".ag-cell").evaluate_all(
        "(cells) => cells.filter((each) => each.scrollWidth > each.clientWidth).map((each) => each.textContent)"
    )
    assert cut == []
