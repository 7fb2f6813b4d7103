"""Compare, What if and How sure on the page: what is read there is what the API says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Route, expect

import mcts_viz as mv
from mcts_viz.analysis.comparison.trees import Row
from mcts_viz.trace.words import plural
from mcts_viz.web.panels.compare import CHOOSE
from tests.web.recordings import CONNECT_FOUR, FOREIGN, TIC_TAC_TOE
from tests.web.screen import Screen, Site, served

OTHER = "other"
CALL = "**/_dash-update-component*"  # of the server, by a call-back


@pytest.fixture(scope="module")
def site(port: int, recordings: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """The usual traces, and one more search of Connect Four."""
    folder = tmp_path_factory.mktemp("compare")
    for name in (f"{CONNECT_FOUR}.mcts", f"{TIC_TAC_TOE}.mcts", f"{FOREIGN}.mcts"):
        (folder / name).write_bytes((recordings / name).read_bytes())
    mv.search("connect_four", iterations=1_500, seed=2, c=0.4, path=folder / f"{OTHER}.mcts")
    with served(folder, port) as site:
        yield site


def told(screen: Screen, at_a: int, at_b: int, other: str = OTHER) -> mv.TreeComparison:
    a, b = screen.site.trace(CONNECT_FOUR), screen.site.trace(other)
    return mv.compare(a, b, at_a, at_b)


def cells(row: Row) -> dict[str, str]:
    """A row as the table writes it."""

    def signed(value: float | None, text: str) -> str:
        return "–" if value is None else format(value, text).replace("-", "−")

    def mean(value: float | None) -> str:
        return "–" if value is None else f"{value:.4f}".replace("-", "−")

    return {
        "line": row.line,
        "visits_a": f"{row.visits_a:,}",
        "visits_b": f"{row.visits_b:,}",
        "share_difference": signed(row.share_difference, "+.1%"),
        "mean_a": mean(row.mean_a),
        "mean_b": mean(row.mean_b),
        "mean_difference": signed(row.mean_difference, "+.4f"),
        "only_in": row.only_in,
    }


def expect_rows(screen: Screen, rows: list[Row], n: int = 5) -> None:
    """The first rows of the table; those below are not all drawn."""
    wanted = [cells(row) for row in rows[:n]]
    screen.expect_table("compare-table", wanted, first=n)


def figure(screen: Screen, visits: int) -> dict[int, dict[str, Any]]:
    """Marks of the picture by union id, once A's root has so many visits there."""
    screen.page.wait_for_function(
        """(text) => document.querySelector("#compare-graph .js-plotly-plot")?._fullData
            .find((each) => each.name === "nodes")?.hovertext?.[0]?.includes(text)""",
        arg=f"A: {visits:,} visits",
    )
    marks: list[dict[str, Any]] = screen.page.evaluate("""() => {
        const {_fullData: data} = document.querySelector("#compare-graph .js-plotly-plot");
        const nodes = data.find((each) => each.name === "nodes");
        const list = (each) => Array.from(each);
        return list(nodes.customdata).map(([node], i) => ({node, x: nodes.x[i], y: nodes.y[i],
          colour: nodes.marker.color[i], symbol: nodes.marker.symbol?.[i], hover: nodes.hovertext[i]}));
    }""")
    return {mark["node"]: mark for mark in marks}


@pytest.mark.thorough
def test_an_address_opens_the_comparison(screen: Screen) -> None:
    screen.open(CONNECT_FOUR, 900, compare=f"{screen.site.key(OTHER)}:1200")
    found = told(screen, 900, 1200)
    expect_rows(screen, found.rows(100))
    paragraphs = screen.page.locator("#compare-text p").all_text_contents()
    assert paragraphs[2:5] == found.sentences
    assert "after 900 of 2,000 iterations" in paragraphs[0]
    assert "after 1,200 of 1,500 iterations" in paragraphs[1]
    halves = screen.page.evaluate("""() => {
        const {_fullLayout: layout} = document.querySelector("#compare-graph .js-plotly-plot");
        const drawn = document.querySelectorAll("#compare-graph .shapelayer path[data-index]").length;
        return [layout.shapes.map((each) => each.name), drawn]; }""")
    marks = figure(screen, 900)
    there = {"A": found.in_a, "B": found.in_b}
    wanted = {f"{side} {node}" for node in marks for side in "AB" if there[side][node]}
    assert (set(halves[0]), halves[1]) == (wanted, len(wanted))
    screen.page.locator("#compare-colour").click()
    screen.page.get_by_role("option", name="difference in visits").click()
    expect(screen.text("compare-caption")).to_contain_text("only in A")
    marks = figure(screen, 900)
    for node, mark in marks.items():
        assert mark["colour"] == pytest.approx(found.share_difference[node])
        only = {(True, False): "triangle-left", (False, True): "triangle-right"}
        both = bool(found.in_a[node]), bool(found.in_b[node])
        assert mark["symbol"] == only.get(both, "circle")
        in_words = f"A: {plural(int(found.visits_a[node]), 'visit')}"
        assert in_words in mark["hover"] or found.only_b[node]
    shown = screen.page.locator("#compare-caption")
    expect(shown).to_contain_text(
        f"{len(marks):,} of {int((found.in_a | found.in_b).sum()):,} nodes"
    )


def test_three_clicks_compare_two_searches(screen: Screen) -> None:
    screen.open(CONNECT_FOUR, 700)
    screen.page.get_by_role("button", name="Compare", exact=True).click()
    expect(screen.text("compare-text")).to_have_text(CHOOSE)
    screen.page.locator("#compare-trace").click()
    screen.page.get_by_role("option", name=OTHER, exact=True).click()
    expect_rows(screen, told(screen, 700, 700).rows(100))
    assert f"compare={screen.site.key(OTHER)}" in screen.page.url
    screen.page.get_by_role("button", name="Close").click()
    expect(screen.text("compare-panel")).to_be_hidden()
    assert "compare=" not in screen.page.url


@pytest.mark.thorough
def test_b_moves_with_a_and_nothing_moves_on_the_picture(screen: Screen) -> None:
    screen.open(CONNECT_FOUR, 1_000, compare=screen.site.key(OTHER))
    expect_rows(screen, told(screen, 1_000, 1_000).rows(100))
    before = figure(screen, 1_000)
    screen.press("Control+ArrowRight").wait(1_100)
    expect_rows(screen, told(screen, 1_100, 1_100).rows(100))
    after = figure(screen, 1_100)
    both = before.keys() & after.keys()
    assert len(both) > 50
    assert all((before[v]["x"], before[v]["y"]) == (after[v]["x"], after[v]["y"]) for v in both)
    screen.page.get_by_text("in step").click()
    screen.press("Control+ArrowRight").wait(1_200)
    expect_rows(screen, told(screen, 1_200, 1_100).rows(100))


@pytest.mark.thorough
@pytest.mark.thorough
def test_two_iterations_of_one_search_are_compared_by_writing_the_other(screen: Screen) -> None:
    """In step with itself a search is the same twice: it begins half way, and an iteration that is written counts."""
    screen.open(CONNECT_FOUR, 1_000)
    screen.page.get_by_role("button", name="Compare").click()
    screen.choose("compare-trace", CONNECT_FOUR)
    box = screen.page.locator("#compare-at")
    expect(box).to_have_value("500")
    expect(screen.text("compare-text")).to_contain_text("after 500 of 2,000 iterations")
    screen.page.locator("label", has_text="in step").click()
    expect(box).to_have_value("1,000")
    box.fill("40")
    expect(screen.text("compare-text")).to_contain_text("after 40 of 2,000 iterations")
    expect(screen.page.locator("#compare-step")).not_to_be_checked()


@pytest.mark.thorough  # tests/analysis/test_comparison.py has it
def test_it_goes_to_the_first_difference(screen: Screen) -> None:
    screen.open(CONNECT_FOUR, 1_000, compare=screen.site.key(OTHER))
    found = told(screen, 1_000, 1_000)
    expect_rows(screen, found.rows(100))
    assert found.first.iteration_a
    screen.page.get_by_role("button", name="First difference").click()
    screen.wait(found.first.iteration_a)
    expect_rows(screen, told(screen, found.first.iteration_a, found.first.iteration_a).rows(100))


@pytest.mark.thorough
def test_a_row_selects_its_node_and_ranks_by_value(screen: Screen) -> None:
    screen.open(CONNECT_FOUR, 1_500, compare=screen.site.key(OTHER))
    found = told(screen, 1_500, 1_500)
    expect_rows(screen, found.rows(100))
    screen.page.get_by_text("in mean value").click()
    expect_rows(screen, found.rows(100, "mean"))
    row = found.rows(1, "mean")[0]
    screen.page.locator("#compare-table .ag-row[row-index='0'] .ag-cell").first.click()
    expect(screen.page.locator("#compare-node b")).to_have_text(row.line)
    expect(screen.text("compare-node")).to_contain_text(f"A: {row.visits_a:,} visits")
    assert row.node_a is not None
    screen.wait_for("d.cursor.node === arg", row.node_a)
    screen.page.wait_for_function(
        """() => document.querySelector("#compare-graph .js-plotly-plot")._fullData
            .find((each) => each.name === "selected").x.length"""
    )
    ring = screen.page.evaluate(
        """() => { const d = document.querySelector("#compare-graph .js-plotly-plot")._fullData;
            const s = d.find((each) => each.name === "selected"); return [s.x[0], s.y[0]]; }"""
    )
    mark = figure(screen, 1_500)[row.node]
    assert ring == [mark["x"], mark["y"]]


@pytest.mark.thorough
def test_a_number_of_either_search_tells_the_iterations_that_made_it(screen: Screen) -> None:
    screen.open(CONNECT_FOUR, 1_500, compare=OTHER)  # a name: the box shows it
    expect(screen.page.locator("#compare-trace")).to_have_value(OTHER)
    row = told(screen, 1_500, 1_500).rows(1)[0]
    expect_rows(screen, [row], 1)
    panel = screen.page.get_by_role("region", name="where a number comes from")
    first = screen.page.locator("#compare-table .ag-row[row-index='0']")
    first.locator("[col-id='visits_a']").click()
    expect(panel.locator("h3")).to_have_text(
        re.compile(rf"^{row.visits_a:,} visits of .*(?<!in B)$")
    )
    screen.press("Escape")
    expect(panel).to_be_hidden()
    first.locator("[col-id='visits_b']").click()
    expect(panel.locator("h3")).to_have_text(re.compile(rf"^{row.visits_b:,} visits of .* in B$"))
    panel.locator(".origin-table .why-link").first.click()
    expect(screen.page.locator("#compare-at")).not_to_have_value("1,500")
    assert screen.debug()["t"] == 1_500  # A stays where it is
    screen.press("Escape")
    expect(panel).to_be_hidden()
    expect(screen.text("compare-panel")).to_be_visible()


@pytest.mark.thorough
def test_an_answer_that_comes_late_leaves_the_iteration_of_b_that_was_chosen(
    screen: Screen,
) -> None:
    screen.open(CONNECT_FOUR, 1_500, compare=screen.site.key(OTHER))
    expect_rows(screen, [told(screen, 1_500, 1_500).rows(1)[0]], 1)
    box, held = screen.page.locator("#compare-at"), list[Route]()
    expect(box).to_have_value("1,500")

    def hold(route: Route) -> None:
        if "compare-graph" in (route.request.post_data or "") and not held:
            held.append(route)
        else:
            route.continue_()

    screen.page.route(CALL, hold)
    with screen.page.expect_request(CALL):
        screen.page.get_by_text("in mean value").click()  # asks while B is in step
    screen.page.evaluate("mcts.compare.goToB(700)")
    panel = screen.page.locator("#compare-panel[data-at='700']")
    panel.wait_for()
    [route] = held
    with screen.page.expect_response(CALL):
        route.continue_()
    screen.press("ArrowLeft")  # the next answer
    screen.wait()
    expect(box).to_have_value("700")
    expect(panel).to_be_visible()


@pytest.mark.thorough
def test_a_click_on_a_node_selects_it(screen: Screen) -> None:
    screen.open(CONNECT_FOUR, 1_500, compare=screen.site.key(OTHER))
    row = told(screen, 1_500, 1_500).rows(1)[0]
    mark = figure(screen, 1_500)[row.node]
    at = screen.page.evaluate(
        """([x, y]) => {
            const graph = document.querySelector("#compare-graph .js-plotly-plot"), {_fullLayout: l} = graph;
            const box = graph.getBoundingClientRect();
            return [box.left + l.xaxis._offset + l.xaxis.l2p(x), box.top + l.yaxis._offset + l.yaxis.l2p(y)];
        }""",
        [mark["x"], mark["y"]],
    )
    screen.page.mouse.move(at[0] - 3, at[1])
    screen.page.mouse.click(*at)
    expect(screen.page.locator("#compare-node b")).to_have_text(row.line)
    screen.wait_for("d.cursor.node === arg", row.node_a)


@pytest.mark.thorough
def test_other_games_are_refused_in_words(screen: Screen) -> None:
    screen.open(CONNECT_FOUR, 1_000, compare=screen.site.key(TIC_TAC_TOE))
    expect(screen.text("compare-text")).to_contain_text("choose two searches of one game")


@pytest.mark.thorough
def test_what_if_searches_again_and_compares(screen: Screen) -> None:
    screen.open(CONNECT_FOUR, 1_000)
    names = screen.site.names()
    screen.page.get_by_role("button", name="What if…").click()
    expect(screen.text("what-if-note")).to_contain_text("Connect Four, uct, c = 1.4142, seed 2")
    screen.page.locator("#what-if-c").fill("0.7")
    screen.page.locator("#what-if-iterations").fill("400")
    screen.page.locator("#what-if-force").click()
    screen.page.get_by_role("option", name="column 2", exact=True).click()
    screen.page.get_by_role("button", name="Search and compare").click()
    screen.page.wait_for_selector("#compare-table .ag-row")
    (made,) = screen.site.names() - names
    trace = mv.open(screen.site.folder / made)
    assert trace.meta["root_actions"] == [1]
    wanted = screen.site.trace(CONNECT_FOUR).rerun(c=0.7, iterations=400, force="column 2")
    assert (trace.at(400).visits == wanted.at(400).visits).all()
    assert re.search(r"compare=[\w-]+:400", screen.page.url.replace("%3A", ":"))
    found = mv.compare(screen.site.trace(CONNECT_FOUR), trace)
    expect_rows(screen, found.rows(100))


@pytest.mark.thorough
def test_what_if_offers_every_parameter_with_what_the_trace_has_in_grey(screen: Screen) -> None:
    screen.open(CONNECT_FOUR, 1_000)
    names = screen.site.names()
    screen.page.get_by_role("button", name="What if…").click()
    expect(screen.text("what-if-changed")).to_have_text("as before")
    for name, told in (
        ("c", "1.4142"),
        ("seed", "2"),
        ("iterations", "2,000"),
        ("order", "random"),
    ):
        expect(screen.text(f"what-if-{name}")).to_have_attribute("placeholder", told)
    screen.page.get_by_role("button", name="Policies").click()
    screen.page.locator("#what-if-fpu").fill("0.5")
    expect(screen.text("what-if-error")).to_contain_text("give expansion='all_children' with it")
    screen.page.locator("#what-if-expansion").click()
    screen.page.get_by_role("option", name="all children at once").click()
    expect(screen.text("what-if-error")).to_be_empty()
    expect(screen.text("what-if-changed")).to_have_text("changed: First-play urgency, Expansion")
    screen.page.locator("#what-if-nodes").fill("300")
    screen.page.get_by_role("button", name="Search and compare").click()
    screen.page.wait_for_selector("#compare-table .ag-row")
    (made,) = screen.site.names() - names
    trace = mv.open(screen.site.folder / made)
    wanted = screen.site.trace(CONNECT_FOUR).rerun(fpu=0.5, expansion="all_children", nodes=300)
    n = wanted.n_iterations
    assert trace.n_iterations == n < 2_000
    assert (trace.at(n).visits == wanted.at(n).visits).all()


@pytest.mark.thorough
def test_what_if_goes_on_from_an_iteration(screen: Screen) -> None:
    screen.open(CONNECT_FOUR, 600)
    names = screen.site.names()
    screen.page.get_by_role("button", name="What if…").click()
    expect(screen.page.locator("#what-if-from")).to_have_value("600")
    screen.page.locator("#what-if-resume").check()
    screen.page.locator("#what-if-iterations").fill("50")
    screen.page.get_by_role("button", name="Search and compare").click()
    screen.page.wait_for_selector("#compare-table .ag-row")
    (made,) = screen.site.names() - names
    trace = mv.open(screen.site.folder / made)
    assert trace.meta["resumed"]["iteration"] == 600
    assert trace.at(50).visits[0] == 650


@pytest.mark.thorough
def test_what_if_says_why_it_cannot(screen: Screen) -> None:
    screen.open(FOREIGN, 60)
    button = screen.page.get_by_role("button", name="What if…")
    expect(button).to_have_attribute("aria-disabled", "true")
    screen.page.mouse.move(1, 1)
    button.hover()
    told = "so it cannot be run again"
    expect(screen.page.get_by_role("tooltip")).to_contain_text(told)
    button.click(force=True)
    expect(screen.message()).to_contain_text(told)
    expect(screen.text("what-if-note")).to_have_count(0)


@pytest.mark.thorough
def test_a_restricted_search_says_so(screen: Screen) -> None:
    path = screen.site.folder / "forbidden.mcts"
    mv.search("tic_tac_toe", iterations=300, seed=1, forbid=["b2"], path=path)
    screen.open("forbidden", 300)
    expect(screen.text("trace-note")).to_contain_text(
        "allowed only these moves at the root: a3, b3"
    )
    expect(screen.text("children-note")).to_contain_text("Next selected")  # none is untried


@pytest.mark.thorough
def test_how_sure_is_counted(screen: Screen) -> None:
    screen.open(TIC_TAC_TOE, 300)
    screen.page.get_by_role("button", name="What if…").click()
    screen.page.get_by_role("tab", name="How sure is this choice?").click()
    screen.page.locator("#sure-c").fill("0.5, 2")
    screen.page.locator("#sure-iterations").fill("100000000")
    expect(screen.text("sure-error")).to_contain_text("the page runs up to 1,000,000")
    screen.page.locator("#sure-iterations").fill("60")
    screen.page.locator("#sure-seeds").fill("3")
    expect(screen.text("sure-error")).to_have_text("")
    screen.page.locator("#sure-start").click()
    screen.page.wait_for_selector("#sure-figure .js-plotly-plot .heatmaplayer")
    found = mv.sensitivity(screen.site.trace(TIC_TAC_TOE), c=[0.5, 2], seeds=3, iterations=60)
    expect(screen.text("sure-text")).to_have_text(str(found).split("\n")[0])
    texts = screen.page.evaluate(
        "Array.from(document.querySelector('#sure-figure .js-plotly-plot').data[0].text, (row) => Array.from(row))"
    )
    chosen = [i for i in range(len(found.labels)) if found.counts[:, i].any()]
    assert texts == [
        [f"{k} of 3" if k else "" for k in found.counts[:, i].tolist()] for i in chosen
    ]
