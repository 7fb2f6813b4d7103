"""The start position of a search is set on its board: what is clicked is what is written, and the other way round."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from mcts_viz.engine.search import run
from mcts_viz.runs.options import SearchOptions
from mcts_viz.web.jobs.searches import STOPPED_AT_ONCE, Jobs, SearchRequest
from mcts_viz.web.library import Library
from mcts_viz.web.panels.forms.start import start_shown
from tests.web.recordings import CONNECT_FOUR, TIC_TAC_TOE
from tests.web.screen import Screen
from tests.web.test_search_form import components


def clicks(game: str, *moves: str) -> dict[str, str]:
    """What a click on each button of the board would write."""
    found = components(start_shown("text", game, moves, "light"))
    named = {each.to_plotly_json()["props"].get("title"): each for each in found}
    return {
        name: each.to_plotly_json()["props"]["data-start"] for name, each in named.items() if name
    }


def test_a_click_writes_the_moves_with_the_names_on_the_board() -> None:
    after = clicks("connect_four", "4", "4")
    assert after["column 3"] == "column 4, column 4, column 3"
    assert len(after) == 7


def test_of_moves_that_are_not_legal_the_board_shows_those_before() -> None:
    assert clicks("tic_tac_toe", "b2", "b2", "a1")["c3"] == "b2, c3"
    assert "2 moves more" in str(start_shown("text", "tic_tac_toe", ("b2", "b2", "a1"), "light"))


def test_a_game_without_a_board_has_none() -> None:
    assert start_shown("text", "pig", (), "light") == []
    assert start_shown("text", "no such game", (), "light") == []


@pytest.mark.thorough
def test_the_board_of_a_new_search_and_its_text_agree(screen: Screen) -> None:
    screen.open(CONNECT_FOUR, 100)
    screen.page.get_by_role("button", name="New search").click()
    text, board = screen.text("search-moves"), screen.page.locator("#search-start-board")
    board.get_by_role("button", name="column 5").click()
    expect(text).to_have_value("column 5")
    expect(board.get_by_role("status")).to_have_text("X column 5")
    board.get_by_role("button", name="column 1").click()
    expect(board.get_by_role("status")).to_have_text("X column 5 · O column 1")
    board.get_by_role("button", name="Undo").click()
    expect(text).to_have_value("column 5")
    text.fill("4, 4, 3")
    expect(board.get_by_role("status")).to_have_text("X column 4 · O column 4 · X column 3")
    screen.press("Escape")


@pytest.mark.thorough
def test_a_search_is_what_the_form_showed_when_start_was_pressed(screen: Screen) -> None:
    before = screen.site.names()
    screen.open(TIC_TAC_TOE, 100)
    screen.page.get_by_role("button", name="New search").click()
    field = screen.text("search-iterations")
    field.fill("70")
    screen.page.evaluate("""() => {
        document.getElementById("search-start").click();
        const field = document.getElementById("search-iterations");
        field.focus();
        document.execCommand("insertText", false, "0");
    }""")
    screen.wait_for("d.n_iterations === 70")
    (made,) = screen.site.names() - before
    assert screen.site.trace(made.removesuffix(".mcts")).n_iterations == 70


def test_a_search_stopped_before_its_first_iteration_leaves_no_trace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    goes_on = threading.Event()

    def late(*arguments: Any, **more: Any) -> object:
        goes_on.wait()
        return run(*arguments, **more)

    monkeypatch.setattr("mcts_viz.runs.search.run", late)
    jobs = Jobs(Library([], tmp_path))
    job = jobs.job(jobs.start(SearchRequest("tic_tac_toe", SearchOptions("uct", iterations=100))))
    assert job is not None
    job.end()
    goes_on.set()
    while not job.finished:
        threading.Event().wait(0.01)
    assert job.error == STOPPED_AT_ONCE
    assert list(tmp_path.iterdir()) == []
