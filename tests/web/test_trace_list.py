"""The list of traces: what it says of each, that it finds them, and files that are dropped on the page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from playwright.sync_api import expect

import mcts_viz as mv
from mcts_viz import page as pages
from mcts_viz.export.events import event_chunks
from mcts_viz.web.summaries import Summaries
from tests.web.accessibility import violations
from tests.web.recordings import (
    CONNECT_FOUR,
    INTERRUPTED,
    SNAPSHOT,
    TIC_TAC_TOE,
    record_interrupted,
)
from tests.web.screen import Screen

ONE_PAGE = True  # see the fixture `page`


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    mv.search("tic_tac_toe", "tech_io", iterations=60, seed=1, path=tmp_path / "mine.mcts")
    mv.open(tmp_path / "mine.mcts").at(30).to_json(tmp_path / "moment.json")
    record_interrupted(tmp_path / "cut.mcts")
    (tmp_path / "broken.mcts").write_bytes(b"\xff\xff\xff\xff" + bytes(50))
    return tmp_path


def test_a_trace_is_told_in_a_few_words(folder: Path) -> None:
    summaries = Summaries()
    mine, trace = summaries.of(folder / "mine.mcts"), mv.open(folder / "mine.mcts")
    assert mine[:4] == ("Tic-Tac-Toe", "tech_io", "60 iterations", trace.best_action_name)
    assert summaries.of(folder / "moment.json").iterations.startswith("a snapshot with")
    cut = summaries.of(folder / "cut.mcts")
    assert cut.iterations.endswith("iterations, not whole")
    assert summaries.findings(folder / "cut.mcts") == ""
    assert "cannot be opened" in summaries.of(folder / "broken.mcts").iterations
    assert re.search("findings|error|note|warning", summaries.findings(folder / "mine.mcts"))


def test_what_is_known_of_a_file_is_made_anew_when_it_has_changed(folder: Path) -> None:
    summaries = Summaries()
    before = summaries.of(folder / "mine.mcts")
    assert summaries.of(folder / "mine.mcts") is before
    mv.search("tic_tac_toe", iterations=90, seed=1, path=folder / "mine.mcts")
    assert summaries.of(folder / "mine.mcts").iterations == "90 iterations"


def test_the_picture_of_a_trace_is_small_and_without_words(folder: Path) -> None:
    client: FlaskClient = pages.make_app([folder], store=folder).server.test_client()
    key = client.get("/api/start").get_json()["key"]
    answer = client.get(f"/api/trace/{key}/thumbnail.svg?theme=dark")
    told = client.get(f"/api/trace/{key}/summary").get_json()
    if told["pictures"]:
        assert answer.mimetype == "image/svg+xml"
        assert len(answer.data) < 20_000
        assert b"<text" not in answer.data
    assert client.get(f"/api/trace/{key}/thumbnail.svg?theme=red").status_code == 400


@pytest.mark.thorough
def test_the_list_shows_what_each_trace_is_and_finds_it_by_game_and_preset(screen: Screen) -> None:
    screen.open(CONNECT_FOUR, 10)
    box = screen.text("trace-select")
    box.click()
    option = screen.page.get_by_role("option", name=TIC_TAC_TOE, exact=True)
    trace = screen.site.trace(TIC_TAC_TOE)
    expect(option).to_contain_text("Tic-Tac-Toe · uct · 300 iterations")
    expect(option).to_contain_text(f"★ {trace.best_action_name}")
    expect(option).to_contain_text(re.compile("no findings|error|warning|note"))
    expect(option.locator("img")).to_be_visible()
    expect(screen.page.locator(".mantine-Select-groupLabel").first).to_have_text(
        [screen.site.folder.name]
    )
    assert violations(screen.page) == []
    box.fill("tic uct")
    expect(screen.page.get_by_role("option", name=CONNECT_FOUR, exact=True)).to_have_count(0)
    expect(option).to_be_visible()
    box.fill("chess")
    expect(screen.page.get_by_text("no trace of that name, game or preset")).to_be_visible()
    screen.page.keyboard.press("Escape")
    for name in (INTERRUPTED, SNAPSHOT):
        assert screen.site.path(name).exists()


def test_a_log_that_is_dropped_on_the_page_opens_as_a_trace(screen: Screen) -> None:
    trace = screen.site.trace(TIC_TAC_TOE)
    screen.open(CONNECT_FOUR, 10)
    screen.page.evaluate(
        """(text) => {
            const files = new DataTransfer();
            files.items.add(new File([text], "dropped.ndjson"));
            document.body.dispatchEvent(new DragEvent("drop", {dataTransfer: files, bubbles: true, cancelable: true}));
        }""",
        b"".join(event_chunks(trace)).decode(),
    )
    screen.wait_for("d.n_iterations === 300")
    screen.wait(300)
    expect(screen.text("trace-select")).to_have_value("dropped")
    screen.expect_facts(visits="300")
    screen.delete(screen.site.folder / "dropped.mcts")


def test_the_node_of_the_trace_before_is_not_asked_of_the_next(screen: Screen) -> None:
    """Which has no such node: the server would refuse it, and the console say so."""
    screen.open(CONNECT_FOUR, 2_000, node=1_500)
    screen.choose("trace-select", TIC_TAC_TOE)
    screen.wait(300)
    assert screen.cursor()["node"] == 0
