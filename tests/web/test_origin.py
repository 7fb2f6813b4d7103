"""Where a number comes from, on the page: what is clicked, what is then told, and the steps through one node alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flask.testing import FlaskClient
from playwright.sync_api import expect

import mcts_viz as mv
from mcts_viz import page as pages
from mcts_viz.web.library import Library
from mcts_viz.web.routes.binary import unpack
from mcts_viz.web.routes.origin import BINS, POINTS, ROWS
from tests.web.accessibility import violations
from tests.web.recordings import CONNECT_FOUR, SNAPSHOT, TIC_TAC_TOE, record_kept
from tests.web.screen import Screen

ONE_PAGE = True  # see the fixture `page`


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Ask a route about a search of 2,000 iterations, or one that goes on with an earlier tree ("kept")."""
    folder: Path = tmp_path_factory.mktemp("traces")
    mv.search("connect_four", iterations=2_000, seed=2, path=folder / "long.mcts")
    record_kept(folder / "kept.mcts")
    client: FlaskClient = pages.make_app([folder], store=folder).server.test_client()

    def asked(question: str, name: str = "long", status: int = 200) -> Any:
        key = Library([], folder).key_of(folder / f"{name}.mcts")
        answer = client.get(f"/api/trace/{key}/{question}")
        assert answer.status_code == status
        return json.loads(answer.data) if answer.is_json else unpack(answer.data)

    return asked


def test_an_answer_is_a_window_of_what_made_the_number(ask: Any) -> None:
    told = ask("origin?node=0&number=visits&t=2000&near=950")
    assert (told["total"], told["n"], told["first"]) == (2_000, 2_000, 900)
    assert [row["iteration"] for row in told["rows"]] == list(range(901, 901 + ROWS))
    assert len(told["curve"]["iteration"]) == POINTS
    assert (len(told["bins"]), sum(told["bins"])) == (BINS, 2_000)
    assert sum(child["n"] for child in told["children"]) == 2_000


def test_what_was_kept_from_the_move_before_is_told_apart(ask: Any) -> None:
    told = ask("origin?node=1&number=visits&t=60", "kept")
    assert told["kept_visits"] + told["n"] == told["total"]
    assert told["kept_visits"] > 0


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("origin?node=0&number=score&t=5", "the root has no selection score"),
        ("origin?node=1&number=luck&t=5", "choose one of: visits"),
        ("totals?first=9&last=3", "choose a first one from 1 to 3"),
        ("through?node=99999&n_iterations=9", "99999 is not in the tree"),
    ],
)
def test_what_makes_no_sense_is_refused_in_words(ask: Any, question: str, said: str) -> None:
    assert said in ask(question, status=400)["error"]


def test_a_mean_outcome_tells_its_range_where_values_have_another(ask: Any) -> None:
    assert ask("totals?first=1&last=100")["view"] == ", view of X, from −1 to 1"


def test_the_iterations_through_a_node_come_as_bits(ask: Any) -> None:
    meta, columns = ask("through?node=3&n_iterations=2000")
    found = np.flatnonzero(np.unpackbits(columns["bits"], bitorder="little"))
    assert len(found) == meta["n"]
    assert meta["move"] == "column 4" or meta["move"].startswith("column")


def panel(screen: Screen) -> Any:
    return screen.page.get_by_role("region", name="where a number comes from")


@pytest.mark.thorough
def test_a_number_of_the_card_leads_to_the_iterations_that_made_it(screen: Screen) -> None:
    trace = screen.site.trace(TIC_TAC_TOE)
    node = trace.at(300).ranked_children(0)[0]
    made = trace.origin(node, "visits", 300)
    screen.open(TIC_TAC_TOE, 300, node=node)
    screen.page.locator("#node-panel [data-origin$=' visits']").click()
    box = panel(screen)
    expect(box.get_by_role("heading", level=3)).to_contain_text(f"{len(made)} visits of ")
    expect(box).to_contain_text(f"{len(made)} iterations made it")
    rows = box.locator("tbody tr")
    shown = [int(each) for each in rows.locator("button").all_inner_texts()]
    assert shown[-1] == made.iteration[-1]
    assert violations(screen.page) == []
    rows.locator("button").first.click()
    screen.wait(shown[0])
    expect(box.get_by_role("heading", level=3)).to_contain_text(
        f"{trace.at(shown[0]).visits[node]} visits of "
    )
    screen.page.keyboard.press("Escape")
    expect(box).to_be_hidden()


@pytest.mark.thorough
def test_a_number_of_a_table_is_asked_about_without_selecting_its_row(screen: Screen) -> None:
    screen.open(CONNECT_FOUR, 2_000).tab("Children")
    cell = screen.page.locator("#children-table .ag-row[row-index='1'] [col-id=score]")
    value = cell.inner_text()
    cell.click()
    heading = panel(screen).get_by_role("heading", level=3)
    expect(heading).to_contain_text("selection score of ")
    assert heading.inner_text().split()[0] == value
    assert screen.cursor()["node"] == 0
    screen.page.keyboard.press("Escape")


def test_steps_go_through_the_iterations_of_a_node_alone(screen: Screen) -> None:
    trace = screen.site.trace(TIC_TAC_TOE)
    node = trace.at(300).ranked_children(0)[2]
    through = trace.iterations_through(node)
    screen.open(TIC_TAC_TOE, 0, node=node)
    screen.page.keyboard.press("i")
    chip = screen.page.locator(".mcts-passing")
    expect(chip).to_contain_text(f"only the {len(through)} iterations through ")
    screen.page.keyboard.press("ArrowRight")
    screen.wait(through[0])
    screen.page.keyboard.press("Shift+ArrowRight")
    screen.wait(through[10])
    screen.page.keyboard.press("ArrowLeft")
    screen.wait(through[9])
    screen.page.keyboard.press("End")
    screen.wait(300)
    assert f"through={node}" in screen.page.url
    screen.page.keyboard.press("n")
    assert screen.page.evaluate("mcts.app.wanted()") == 300
    screen.page.evaluate("mcts.app.setSpeed(10000)")
    screen.page.evaluate(f"mcts.app.seek({through[-3]})")
    screen.page.keyboard.press("Space")
    screen.wait(through[-1])
    chip.click()
    expect(chip).to_have_count(0)
    assert "through=" not in screen.page.url


def test_a_stretch_brushed_on_the_timeline_has_totals(screen: Screen) -> None:
    screen.open(TIC_TAC_TOE, 300)
    canvas = screen.page.locator("#timeline canvas")
    width = canvas.evaluate("(canvas) => canvas.clientWidth") - 16
    screen.page.keyboard.down("Shift")
    canvas.hover(position={"x": 8 + width * 100 / 300, "y": 20})  # waits until it stands still
    screen.page.mouse.down()
    canvas.hover(position={"x": 8 + width * 199 / 300, "y": 20})
    screen.page.mouse.up()
    screen.page.keyboard.up("Shift")
    told = screen.site.trace(TIC_TAC_TOE).totals(100, 199)
    box = panel(screen)
    expect(box).to_contain_text(f"100 iterations · {told.new_nodes} new nodes")
    counts = dict(
        zip(*(box.locator(f".origin-bars li > {each}").all_inner_texts() for each in (":first-child", "b")))
    )  # fmt: skip
    for move in told.moves:
        assert counts[move.move] == str(move.iterations)
    for name, n in (told.reasons | told.outcomes).items():
        assert counts[name] == str(n)
    assert screen.cursor()["iteration"] == 300
    box.get_by_label("last iteration").fill("150")
    box.get_by_label("last iteration").press("Tab")
    expect(box).to_contain_text("51 iterations")
    screen.page.keyboard.press("Escape")
    expect(box).to_be_hidden()


@pytest.mark.thorough
def test_a_file_without_single_iterations_says_so(screen: Screen) -> None:
    screen.open(SNAPSHOT, 1)
    screen.page.locator("#node-panel [data-origin$=' visits']").click()
    expect(panel(screen)).to_contain_text("holds a whole tree, not the iterations that made it")
    screen.page.keyboard.press("Escape")
