"""A search of one's own from the page: the form, its progress, Stop, and the trace that comes of it."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

import mcts_viz as mv
from mcts_viz.engine.search import Chunk, Search, run
from mcts_viz.games import game
from tests.conftest import Console
from tests.web.recordings import FOREIGN, TIC_TAC_TOE
from tests.web.screen import Screen

ONE_PAGE = True  # see the fixture `page`


def dialog(screen: Screen) -> Locator:
    screen.page.get_by_role("button", name="New search").click()
    found = screen.page.get_by_role("dialog", name="New search")
    expect(found).to_be_visible()
    return found


def fill(screen: Screen, **fields: str) -> None:
    for name, value in fields.items():
        screen.text(f"search-{name}").fill(value)


def choose(screen: Screen, field: str, option: str) -> None:
    screen.text(field).click()
    screen.page.get_by_role("option", name=option, exact=True).click()
    expect(screen.text(field)).to_have_value(option)


def open_policies(screen: Screen) -> None:
    screen.page.get_by_role("button", name="Policies").click()
    expect(screen.text("search-order")).to_be_visible()


def made(screen: Screen, before: set[str]) -> mv.Trace:
    """The trace of the one file that came since."""
    (name,) = screen.site.names() - before
    return mv.open(screen.site.folder / name)


def test_a_search_runs_with_what_the_form_says_and_opens(screen: Screen) -> None:
    before = screen.site.names()
    screen.open(TIC_TAC_TOE, 100)
    form = dialog(screen)
    screen.text("search-game").click()
    screen.page.get_by_role("option", name="Tic-Tac-Toe", exact=True).click()
    fill(screen, iterations="400", c="0.5", seed="11", moves="4, a1")
    screen.text("search-start").click()
    expect(form).to_be_hidden()
    screen.wait_for("d.n_iterations === 400")
    screen.wait(400)
    screen.expect_facts(visits="400")
    trace = made(screen, before)
    assert trace.complete
    assert trace.n_iterations == 400
    assert trace.meta["seed"] == 11
    assert trace.meta["policies"]["selection"]["c"] == 0.5
    expected = mv.search(TIC_TAC_TOE, iterations=400, c=0.5, seed=11, start=["4", "a1"])
    assert trace.at(400).visits.tolist() == expected.at(400).visits.tolist()
    expect(screen.text("trace-select")).to_have_value(trace.path.stem if trace.path else "")
    screen.press("End").wait(400)


@pytest.mark.thorough
@pytest.mark.own_page
def test_the_forms_begin_with_the_game_of_the_open_trace(screen: Screen) -> None:
    screen.visit()
    mv.search("mnk:4,4,3", iterations=60, seed=1, path=screen.site.folder / "small.mcts")
    screen.open(TIC_TAC_TOE, 100)
    for name, title in ((TIC_TAC_TOE, "Tic-Tac-Toe"), ("small", game("mnk:4,4,3").title)):
        screen.open(name, 50)
        form = dialog(screen)
        expect(screen.text("search-game")).to_have_value(title)
        choose(screen, "search-game", "Connect Four")
        screen.press("Escape")
        expect(form).to_be_hidden()
        dialog(screen)
        expect(screen.text("search-game")).to_have_value("Connect Four")  # what was chosen stays
        screen.press("Escape")
        screen.page.get_by_role("button", name="Play", exact=True).click()
        expect(screen.text("match-game")).to_have_value(title)
        screen.page.locator("#match-panel").get_by_role("button", name="Close").click()
    screen.open(FOREIGN, 10)
    screen.page.get_by_role("button", name="Play", exact=True).click()
    expect(screen.text("match-game")).to_have_value("Connect Four")


@pytest.mark.thorough
def test_a_formula_and_a_rule_are_chosen_in_the_form(screen: Screen) -> None:
    before = screen.site.names()
    screen.open(TIC_TAC_TOE, 100)
    form = dialog(screen)
    open_policies(screen)
    for field, own in [
        ("selection", "UCB1: q + c √(ln N / n)"),
        ("final-move", "most visits (robust)"),
    ]:
        expect(screen.text(f"search-{field}")).to_have_value("")
        expect(screen.text(f"search-{field}")).to_have_attribute("placeholder", own)
    choose(screen, "search-game", "Tic-Tac-Toe")
    choose(screen, "search-selection", "UCB1: q + c √(2 ln N / n)")
    choose(screen, "search-final-move", "highest mean (max)")
    fill(screen, iterations="300", seed="5")
    expect(screen.text("search-start")).to_be_in_viewport()
    screen.text("search-start").click()
    expect(form).to_be_hidden()
    screen.wait_for("d.n_iterations === 300")
    screen.wait(300)
    trace = made(screen, before)
    assert trace.meta["policies"]["selection"]["name"] == "ucb1_double_log"
    assert trace.meta["policies"]["final_move"] == {"name": "highest_mean"}
    now = trace.at(300)
    best = max(now.children(0), key=lambda v: (now.mean_value[v], -v))
    expect(screen.text("decision")).to_contain_text(f"{now.label(best)} would be played")
    told = f"highest mean: {now.mean_value[best]:.4f} · {now.visits[best]} of 300 visits"
    expect(screen.text("decision")).to_contain_text(told)


@pytest.mark.thorough
def test_what_cannot_run_is_told_beside_the_form(screen: Screen) -> None:
    before = screen.site.names()
    screen.open(TIC_TAC_TOE, 100)
    form = dialog(screen)
    error = screen.text("search-error")
    for fields, told in [
        ({"size": "chess"}, "game 'chess' is not known"),
        ({"size": "", "iterations": "100", "moves": "nonsense"}, "nonsense"),
        ({"moves": "3, 3, 3, 3, 3, 3, 3"}, "3"),
    ]:
        fill(screen, **fields)
        with screen.page.expect_response(
            lambda each: "search-go" in (each.request.post_data or "")
        ):
            screen.text("search-start").click()
        expect(error).to_contain_text(told)
        expect(form).to_be_visible()
        assert screen.site.names() == before  # the answer is there, and nothing has started
    fill(screen, moves="")
    expect(error).to_be_empty()
    screen.press("Escape")
    expect(form).to_be_hidden()
    assert screen.site.names() == before
    screen.press("ArrowRight").wait(101)


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Searches rest after each chunk: a tree that grows all the while, and leaves the processor to the
    page."""

    def rested(plan: Search, consumer: Any, stop: Any, **more: Any) -> None:
        def consume(chunk: Chunk) -> None:
            consumer(chunk)
            threading.Event().wait(0.1)

        run(plan, consume, stop, **more)

    monkeypatch.setattr("mcts_viz.runs.search.run", rested)


def start_long(screen: Screen, **fields: str) -> None:
    """A search that would go on for long, until its trace is open and followed."""
    form = dialog(screen)
    fill(screen, **fields)
    screen.text("search-start").click()
    expect(form).to_be_hidden(timeout=120_000)
    expect(screen.text("search-run")).to_be_visible()
    expect(screen.text("follow-button")).to_have_attribute("aria-pressed", "true")


@pytest.mark.thorough
@pytest.mark.usefixtures("slow")
def test_a_long_search_grows_on_the_page_and_stops_when_asked(screen: Screen) -> None:
    before = screen.site.names()
    screen.open(TIC_TAC_TOE, 100)
    start_long(screen, iterations="20000000", seed="1")
    progress = screen.text("search-run-words")
    expect(progress).to_contain_text("of 20,000,000 iterations")
    seen = 0
    for _ in range(3):  # the cursor rides at its end
        screen.page.wait_for_function(
            "(n) => mcts.app.painted() > n && mcts.app.debug().t === mcts.app.debug().n_iterations",
            arg=seen,
        )
        seen = screen.page.evaluate("mcts.app.painted()")
    screen.page.get_by_role("button", name="New search").click()
    expect(screen.text("search-start")).to_be_disabled()  # one at a time
    screen.press("Escape")
    screen.text("search-run-stop").click()
    expect(screen.text("search-run")).to_be_hidden()
    trace = made(screen, before)
    n = trace.n_iterations
    assert 0 < n < 20_000_000
    assert trace.complete
    screen.wait_for(f"d.n_iterations === {n} && d.t === {n} && d.paint.t === {n}")
    expect(screen.text("follow-button")).to_be_hidden()
    assert "follow=" not in screen.page.url
    assert trace.path is not None
    expect(screen.text("trace-select")).to_have_value(trace.path.stem)
    best = trace.best_action_name
    expect(screen.text("decision")).to_contain_text(f"{best} would be played")
    told = f"ended after {n:,} of 20,000,000 iterations: stopped before its budget was used up."
    expect(screen.text("trace-note")).to_contain_text(told)
    screen.delete(trace.path)


@pytest.mark.thorough
@pytest.mark.usefixtures("slow")
def test_while_a_search_grows_the_cursor_stays_where_the_person_looks(screen: Screen) -> None:
    before = screen.site.names()
    screen.open(TIC_TAC_TOE, 100)
    start_long(screen, seconds="3600", seed="1")
    expect(screen.text("search-run-words")).to_contain_text("about 59 min")
    screen.page.wait_for_function("() => mcts.app.painted() > 50")
    screen.press("Home").wait(0)
    screen.press("ArrowRight").wait(1)
    expect(screen.text("follow-button")).to_have_attribute("aria-pressed", "false")
    length = screen.debug()["n_iterations"]
    screen.wait_for(f"d.n_iterations > {length} && d.t === 1")
    screen.text("search-run-stop").click()
    expect(screen.text("search-run")).to_be_hidden()
    trace = made(screen, before)
    screen.wait_for(f"d.n_iterations === {trace.n_iterations} && d.t === 1")
    assert trace.path is not None
    screen.delete(trace.path)


@pytest.mark.thorough
def test_a_short_search_opens_when_it_is_done_and_not_before(screen: Screen) -> None:
    screen.open(TIC_TAC_TOE, 100)
    screen.page.evaluate(
        """() => {
            window.followed = 0;
            const follow = mcts.live.followToEnd;
            mcts.live.followToEnd = () => { followed += 1; follow(); };
        }"""
    )
    form = dialog(screen)
    choose(screen, "search-game", "Tic-Tac-Toe")
    fill(screen, iterations="70", seed="1")
    screen.text("search-start").click()
    expect(form).to_be_hidden()
    screen.wait_for("d.n_iterations === 70 && d.t === 70")
    assert screen.page.evaluate("followed") == 0
    expect(screen.text("search-run")).to_be_hidden()


@pytest.mark.thorough
def test_a_search_that_breaks_while_it_is_followed_says_so_on_the_page(
    screen: Screen, monkeypatch: pytest.MonkeyPatch
) -> None:
    breaks = threading.Event()

    def full(plan: Search, consumer: Any, *_: Any, **more: Any) -> None:
        def consume(chunk: Chunk) -> None:
            consumer(chunk)
            breaks.wait(0.1)

        run(plan, consume, breaks.is_set, **more)
        raise mv.MctsVizError("the disk is full; make room and start again")

    monkeypatch.setattr("mcts_viz.runs.search.run", full)
    before = screen.site.names()
    screen.open(TIC_TAC_TOE, 100)
    start_long(screen, seconds="3600", seed="1")
    breaks.set()
    expect(screen.text("search-run-words")).to_contain_text("Stopped: the disk is full")
    expect(screen.text("search-run-stop")).to_be_disabled()
    expect(screen.text("trace-note")).to_contain_text("This recording broke off")
    screen.wait()
    screen.delete(*(screen.site.folder / name for name in screen.site.names() - before))


@pytest.mark.thorough
def test_a_search_that_breaks_says_so_in_the_form(
    screen: Screen, console: Console, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise mv.MctsVizError("the disk is full; make room and start again")

    monkeypatch.setattr("mcts_viz.runs.search.run", full)
    before = screen.site.names()
    screen.open(TIC_TAC_TOE, 100)
    dialog(screen)
    fill(screen, iterations="100")
    screen.text("search-start").click()
    expect(screen.text("search-progress")).to_contain_text("Stopped: the disk is full")
    expect(screen.text("search-start")).to_be_enabled()
    screen.delete(*(screen.site.folder / name for name in screen.site.names() - before))


@pytest.mark.thorough
def test_a_preset_and_a_game_of_nine_boards_run_from_the_form(screen: Screen) -> None:
    before = screen.site.names()
    screen.open(TIC_TAC_TOE, 100)
    form = dialog(screen)
    choose(screen, "search-game", "Sudo Tic-Tac-Toe")
    choose(screen, "search-preset", "mctspy")
    open_policies(screen)
    choose(screen, "search-order", "first legal first")
    fill(screen, iterations="90", moves="board 5 cell 1")
    screen.text("search-start").click()
    expect(form).to_be_hidden()
    screen.wait_for("d.n_iterations === 90")
    policies = made(screen, before).meta["policies"]
    assert (policies["preset"], policies["expansion"]["order"]) == ("mctspy", "first_legal_first")
    screen.wait()
    screen.page.locator("#node-panel img.board.large").wait_for()
    assert screen.items()[1]["label"] == "board 1 cell 1"


@pytest.mark.thorough
def test_keys_alone_start_a_search(screen: Screen) -> None:
    before = screen.site.names()
    screen.open(TIC_TAC_TOE, 100)
    screen.text("new-search-button").focus()
    screen.press("Enter")
    form = screen.page.get_by_role("dialog", name="New search")
    expect(form).to_be_visible()
    # the dialog takes the focus a moment after it is seen: keys pressed sooner would go elsewhere
    form.locator(":focus").wait_for()
    tab_to(screen, "search-iterations")
    screen.press("Control+a")
    screen.page.keyboard.type("50")
    expect(screen.text("search-iterations")).to_have_value("50")
    tab_to(screen, "search-start")
    screen.press("Enter")
    expect(form).to_be_hidden()
    screen.wait_for("d.n_iterations === 50")
    assert made(screen, before).n_iterations == 50
    screen.wait()


def tab_to(screen: Screen, id_: str) -> None:
    for _ in range(25):
        if screen.page.evaluate("document.activeElement.id") == id_:
            return
        screen.press("Tab")
    raise AssertionError(f"Tab does not reach {id_}")


@pytest.mark.thorough
def test_all_children_priors_and_an_evaluator_are_chosen_in_the_form(screen: Screen) -> None:
    before = screen.site.names()
    screen.open(TIC_TAC_TOE, 100)
    form = dialog(screen)
    open_policies(screen)
    error = screen.text("search-error")
    fill(screen, size="mnk:4,4,3", iterations="120", seed="3", c="1.5")
    expect(screen.text("search-game")).to_be_disabled()
    choose(screen, "search-selection", "PUCT: q + c P √N / (1 + n)")
    expect(error).to_contain_text("give expansion='all_children' with it")  # as one types
    choose(screen, "search-expansion", "all children at once")
    expect(error).to_be_empty()
    choose(screen, "search-simulate-from", "the leaf itself")
    choose(screen, "search-simulation", "the evaluator's value, no rollout")
    choose(screen, "search-evaluator", "uniform")
    choose(screen, "search-solver", "yes")
    fill(screen, fpu="0.25")
    told = "changed: Selection formula, First-play urgency, Expansion, Simulate from, Simulation, Evaluator, Solver"
    expect(screen.text("search-changed")).to_have_text(told)
    screen.text("search-start").click()
    expect(form).to_be_hidden()
    screen.wait_for("d.n_iterations === 120")
    trace = made(screen, before)
    assert trace.meta["game"]["name"] == "mnk:4,4,3"
    policies = trace.meta["policies"]
    wanted = {"name": "puct", "c": 1.5, "unvisited": 0.25, "ties": "first"}
    assert policies["selection"] == wanted
    assert policies["expansion"]["name"] == "all_children"
    assert policies["simulation"]["evaluator"] == "uniform"
    assert policies["backpropagation"]["solver"] is True
    screen.wait()
    expected = mv.search(
        "mnk:4,4,3", iterations=120, seed=3, c=1.5, selection="puct", expansion="all_children",
        simulate_from="leaf", simulation="value", evaluator="uniform", solver=True, fpu=0.25,
    )  # fmt: skip
    assert trace.at(120).visits.tolist() == expected.at(120).visits.tolist()


@pytest.mark.thorough
def test_another_preset_empties_the_policies_and_shows_its_own(screen: Screen) -> None:
    screen.open(TIC_TAC_TOE, 100)
    form = dialog(screen)
    open_policies(screen)
    choose(screen, "search-order", "last legal first")
    fill(screen, c="3", win="2")
    form.get_by_label("none", exact=True).first.check()
    expect(screen.text("search-changed")).to_contain_text(
        "changed: First-play urgency, Order of moves, Win"
    )
    choose(screen, "search-preset", "baeldung")
    for field, own in [
        ("order", "first legal first"), ("c", "1.41"), ("win", "10"), ("poison", "-2,147,483,648"),
        ("fpu", "none"), ("keep-tree", "no"), ("iterations", "no limit"), ("seconds", "1"),
    ]:  # fmt: skip
        expect(screen.text(f"search-{field}")).to_have_value("")
        expect(screen.text(f"search-{field}")).to_have_attribute("placeholder", own)
    expect(form.get_by_label("none", exact=True).first).not_to_be_checked()
    expect(screen.text("search-changed")).to_have_text("as the preset has them")
    screen.press("Escape")
    expect(form).to_be_hidden()


@pytest.mark.thorough
def test_a_preset_of_one_second_runs_that_long(screen: Screen) -> None:
    before = screen.site.names()
    screen.open(TIC_TAC_TOE, 100)
    form = dialog(screen)
    choose(screen, "search-preset", "rhu2001")
    fill(screen, nodes="5,000", seed="1")
    screen.text("search-start").click()
    expect(form).to_be_hidden()
    screen.wait_for("d.n_iterations !== 300")
    trace = made(screen, before)
    assert trace.meta["budget"]["seconds"] == 1.0
    assert trace.meta["budget"]["iterations"] is None
    assert trace.meta["budget"]["nodes"] == 5_000
    screen.wait()


@pytest.mark.thorough
def test_a_search_that_is_decided_says_so_when_it_opens(screen: Screen) -> None:
    before = screen.site.names()
    screen.open(TIC_TAC_TOE, 100)
    form = dialog(screen)
    choose(screen, "search-game", "Tic-Tac-Toe")
    fill(screen, iterations="1000", seed="1", moves="a1, a2, b1, b2")
    form.get_by_label("Stop when decided").check()
    screen.text("search-start").click()
    expect(form).to_be_hidden()
    screen.wait_for("d.n_iterations !== 300")
    n = made(screen, before).n_iterations
    told = f"ended after {n} of 1,000 iterations: the runner-up could no longer overtake."
    expect(screen.text("trace-note")).to_contain_text(told)
    screen.wait()
