"""Phases and rollouts on the page: what a person reads, compared with the API."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs, urlparse

import pytest
from playwright.sync_api import expect

import mcts_viz as mv
from mcts_viz.analysis.iteration.captions import caption
from mcts_viz.analysis.iteration.phases import PHASES, phase_story
from mcts_viz.analysis.point_of_view import Viewpoint
from mcts_viz.web.library import Library
from tests.conftest import Console
from tests.variants import few
from tests.web.recordings import CONNECT_FOUR, FOREIGN, INTERRUPTED, SNAPSHOT, TIC_TAC_TOE
from tests.web.screen import Screen, Site

ONE_PAGE = True  # see the fixture `page`

TABLE, CAPTION = "iteration-table", "phase-caption"


def four(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}".replace("-", "−")


def expect_caption(screen: Screen, trace: mv.Trace, t: int, phase: str) -> None:
    said = caption(phase_story(trace, t), phase)
    expect(screen.text(CAPTION)).to_have_text(f"{phase} {said}")


def address(screen: Screen) -> dict[str, list[str]]:
    return parse_qs(urlparse(screen.page.url).query)


def pressed(screen: Screen) -> list[str]:
    """The phases whose buttons are marked."""
    found: list[str] = screen.page.evaluate(
        "[...document.querySelectorAll('[data-phase][aria-pressed=true]')].map(b => b.dataset.phase)"
    )
    return found


@pytest.mark.thorough
def test_arrows_walk_the_phases_and_the_caption_says_what_happens(
    screen: Screen, site: Site
) -> None:
    trace = site.trace(TIC_TAC_TOE)
    screen.open(TIC_TAC_TOE, 100)
    way = [(100, phase) for phase in PHASES] + [(101, phase) for phase in PHASES]
    for t, phase in way:
        screen.press("ArrowDown").wait(t)
        expect_caption(screen, trace, t, phase)
        assert pressed(screen) == [phase]
    for t, phase in reversed(way[:-1]):
        screen.press("ArrowUp").wait(t)
        expect_caption(screen, trace, t, phase)
    screen.press("ArrowUp").wait(99)
    expect_caption(screen, trace, 99, "backpropagate")


@pytest.mark.thorough
def test_the_buttons_show_a_phase_and_leave_it(screen: Screen, site: Site) -> None:
    screen.open(TIC_TAC_TOE, 100)
    for phase in PHASES:
        screen.page.locator(f"[data-phase={phase}]").click()
        expect_caption(screen, site.trace(TIC_TAC_TOE), 100, phase)
        assert pressed(screen) == [phase]
    screen.page.locator("[data-phase=backpropagate]").click()
    expect(screen.text(CAPTION)).to_have_text("")
    assert pressed(screen) == []
    screen.press("Home").wait(0)
    screen.page.locator("[data-phase=select]").click()
    screen.wait(1)
    expect_caption(screen, site.trace(TIC_TAC_TOE), 1, "select")


@pytest.mark.thorough
def test_the_address_carries_the_phase_and_a_reload_brings_it_back(
    screen: Screen, site: Site
) -> None:
    screen.open(TIC_TAC_TOE, 100, phase="simulate")
    expect_caption(screen, site.trace(TIC_TAC_TOE), 100, "simulate")
    screen.press("ArrowUp").wait(100)
    expect_caption(screen, site.trace(TIC_TAC_TOE), 100, "expand")
    assert address(screen)["phase"] == ["expand"]
    screen.page.reload()
    screen.wait(100)
    expect_caption(screen, site.trace(TIC_TAC_TOE), 100, "expand")
    screen.press("ArrowRight").wait(101)
    expect(screen.text(CAPTION)).to_be_hidden()
    assert "phase" not in address(screen)


@pytest.mark.thorough
def test_the_tab_of_the_iteration_comes_with_the_phases_and_goes_with_them(screen: Screen) -> None:
    screen.open(TIC_TAC_TOE, 100)
    screen.tab("Siblings")
    selected = screen.page.locator("#tabs [role=tab][aria-selected=true]")
    screen.press("ArrowDown").wait(100)
    expect(selected).to_have_text("This iteration")
    screen.press("Escape").wait(100)
    expect(selected).to_have_text("Siblings")


@pytest.mark.thorough  # test_phase_panels.py and tests/js/test_phases.py have it
def test_select_shows_every_child_compared_with_its_terms(screen: Screen, site: Site) -> None:
    trace = site.trace(CONNECT_FOUR)
    screen.open(CONNECT_FOUR, 1_500, phase="select")
    rows = []
    for compared in trace.iteration(1_500).comparisons:
        order = sorted(
            range(len(compared.children)),
            key=lambda i: (-compared.scores[i], compared.children[i] != compared.chosen, i),
        )
        for i in order:
            node = compared.children[i]
            said = ["selected"] if node == compared.chosen else []
            if compared.ties and node in (*compared.ties, compared.chosen):
                said.append("tie")
            rows.append(
                {
                    "depth": str(len(trace.at(1_500).path(node)) - 1),
                    "move": trace.at(1_499).label(node),
                    "visits": str(compared.visits[i]),
                    "value_term": four(compared.value_terms[i]),
                    "exploration_term": four(compared.exploration_terms[i]),
                    "score": four(compared.scores[i]),
                    "said": ", ".join(said),
                }
            )
    assert len(rows) > 14
    shown = first_rows(screen, len(rows), rows[0]["score"])
    assert shown == rows[: len(shown)]
    assert len(shown) > 5


def first_rows(screen: Screen, n: int, score: str = "") -> list[dict[str, str]]:
    """The rows that the grid has drawn, from the top, once the first one has that score."""
    screen.page.wait_for_function(
        """([id, score]) => document.querySelector(`#${id} [col-id=said]`)
            && (document.querySelector(`#${id} [row-index="0"] [col-id=score]`)?.textContent ?? "") === score""",
        arg=[TABLE, score],
    )
    return screen.table(TABLE)[:n]


@pytest.mark.thorough
def test_the_node_has_the_numbers_before_the_iteration_until_backpropagation(
    screen: Screen, site: Site
) -> None:
    trace = site.trace(TIC_TAC_TOE)
    screen.open(TIC_TAC_TOE, 100)
    for _ in PHASES[:-1]:
        screen.press("ArrowDown").wait(100)
        screen.expect_facts(visits=str(trace.at(99).visits[0]))
    screen.press("ArrowDown").wait(100)
    screen.expect_facts(visits=str(trace.at(100).visits[0]))


@pytest.mark.thorough
def test_expand_shows_what_was_added(screen: Screen, site: Site) -> None:
    trace = site.trace(TIC_TAC_TOE)
    screen.open(TIC_TAC_TOE, 100, phase="expand")
    new = trace.iteration(100).new_nodes
    tree = trace.at(100)
    rows = [
        {"node": str(v), "move": tree.label(v), "position": tree.label(int(tree.parent[v]))}
        for v in new
    ]
    assert rows
    screen.expect_table(TABLE, rows)


@pytest.mark.thorough
def test_backpropagate_shows_each_node_before_and_after(screen: Screen, site: Site) -> None:
    trace = site.trace(TIC_TAC_TOE)
    screen.open(TIC_TAC_TOE, 100, phase="backpropagate")
    before, after = trace.at(99), trace.at(100)
    rows = []
    for v in trace.iteration(100).path:
        is_there = v < before.n_nodes
        old = Viewpoint().mean(before, v) if is_there else None
        n = before.visits[v] if is_there else 0
        rows.append(
            {
                "move": "the root" if v == 0 else after.label(v),
                "visits": f"{n} → {after.visits[v]}",
                "mean_value": f"{four(old)} → {four(Viewpoint().mean(after, v))}",
            }
        )
    screen.expect_table(TABLE, rows)


def board_of(screen: Screen) -> str:
    """The picture that the simulation shows, as its address gives it."""
    board = screen.page.locator(".rollout-board")
    found: str = screen.page.evaluate(
        "async (u) => (await fetch(u)).text()", board.get_attribute("src")
    )
    return found


def expected_board(site: Site, t: int, n_moves: int, name: str = TIC_TAC_TOE) -> str | None:
    """The position after some moves of the iteration's simulation, drawn from the API's moves."""
    library, trace = Library([], site.folder), site.trace(name)
    told = trace.iteration(t)
    assert told.rollout is not None
    actions = [int(trace.columns.nodes.action[v]) for v in told.path[1:]] + told.rollout[:n_moves]
    return library.position_svg(trace, actions, "light")


def test_the_simulation_is_stepped_through_on_the_board(screen: Screen, site: Site) -> None:
    told = site.trace(TIC_TAC_TOE).iteration(100)
    assert told.rollout is not None
    n = len(told.rollout)
    screen.open(TIC_TAC_TOE, 100, phase="simulate")
    place = screen.page.locator(".rollout-place")
    expect(place).to_have_text(f"0 / {n}")
    expect(screen.page.get_by_role("button", name="one move back")).to_be_disabled()
    assert board_of(screen) == expected_board(site, 100, 0)
    names = [site.trace(TIC_TAC_TOE).action_name(a) for a in told.rollout]
    assert screen.page.locator(".rollout ol button").all_text_contents() == names
    for k in (1, 2):
        screen.page.get_by_role("button", name="one move on").click()
        expect(place).to_have_text(f"{k} / {n}")
        assert board_of(screen) == expected_board(site, 100, k)
    screen.page.get_by_role("button", name="the end of the simulation").click()
    expect(place).to_have_text(f"{n} / {n}")
    assert board_of(screen) == expected_board(site, 100, n)
    result = {1.0: "X wins", -1.0: "O wins", 0.0: "draw"}[told.outcome or 0.0]
    expect(screen.page.locator(".rollout-result")).to_have_text(f"result: {result}")
    screen.page.locator(".rollout ol button").first.click()
    expect(place).to_have_text(f"1 / {n}")
    # its panel is made anew: the place stays
    screen.page.locator(".rollout").evaluate(
        "(player) => { player.dataset.before = ''; mcts.following.again(); }"
    )
    expect(screen.page.locator(".rollout:not([data-before])")).to_be_visible()
    expect(place).to_have_text(f"1 / {n}")
    screen.page.get_by_role("button", name="one move back").click()
    expect(place).to_have_text(f"0 / {n}")


@pytest.mark.thorough
def test_another_iteration_begins_its_simulation_at_the_beginning(
    screen: Screen, site: Site
) -> None:
    trace = site.trace(TIC_TAC_TOE)
    screen.open(TIC_TAC_TOE, 100, phase="simulate")
    screen.page.get_by_role("button", name="the end of the simulation").click()
    for t in (101, 102, 103, 104):
        for _ in PHASES:
            screen.press("ArrowDown")
        screen.wait(t)
        expect_caption(screen, trace, t, "simulate")
        moves = trace.iteration(t).rollout
        assert moves
        expect(screen.page.locator(".rollout-place")).to_have_text(f"0 / {len(moves)}")
        assert board_of(screen) == expected_board(site, t, 0)


@pytest.mark.thorough
def test_a_snapshot_says_that_it_has_no_phases_and_no_rollouts(screen: Screen) -> None:
    screen.open(SNAPSHOT, 1, phase="select")
    expect(screen.text(CAPTION)).to_have_text("")
    screen.press("ArrowDown").wait(1)  # which says why nothing happens: test_states.py
    assert pressed(screen) == []
    screen.tab("Rollouts")
    expect(screen.text("rollouts-note")).to_contain_text("no history")


@pytest.mark.thorough
def test_a_foreign_search_has_its_phases_without_scores_and_moves(screen: Screen) -> None:
    screen.open(FOREIGN, 40, phase="select")
    expect(screen.text("iteration-note")).to_contain_text("is not known")
    shown = first_rows(screen, 9)
    assert all("score" not in row and row["mean_value"] for row in shown)
    screen.press("ArrowDown", "ArrowDown").wait(40)
    expect(screen.text("iteration-note")).to_contain_text("were not recorded")
    expect(screen.page.locator(".rollout")).to_have_count(0)
    screen.tab("Rollouts")
    expect(screen.text("rollouts-note")).to_contain_text(
        "moves of the simulations were not recorded"
    )
    expect(screen.page.locator(".rollout")).to_have_count(0)


@pytest.mark.thorough
def test_an_interrupted_trace_has_phases_up_to_where_it_was_cut_off(
    screen: Screen, site: Site
) -> None:
    trace = site.trace(INTERRUPTED)
    last = trace.n_iterations
    screen.open(INTERRUPTED, last, phase="backpropagate")
    expect_caption(screen, trace, last, "backpropagate")
    screen.press("ArrowDown").wait(last)
    assert pressed(screen) == ["backpropagate"]


# ---- rollouts ----------------------------------------------------------------------------------------------------


def through(trace: mv.Trace, node: int, t: int) -> list[int]:
    return [
        i for i in range(1, t + 1) if node in trace.topology.path(int(trace.columns.leaf[i - 1]))
    ]


def rollout_row(trace: mv.Trace, t: int) -> dict[str, str]:
    told = trace.iteration(t)
    names = {1.0: "X wins", -1.0: "O wins", 0.0: "draw"}
    moves = told.rollout or []
    return {
        "iteration": f"{t:,}",
        "result": names[told.outcome or 0.0],
        "length": str(len(moves)),
        "moves": " ".join(trace.action_name(a).removeprefix("column ") for a in moves)
        or "game over",
    }


@pytest.mark.thorough  # test_phase_panels.py has it
def test_the_rollouts_through_a_node_are_counted_and_listed(screen: Screen, site: Site) -> None:
    trace = site.trace(TIC_TAC_TOE)
    screen.open(TIC_TAC_TOE, 120, node=3)
    screen.tab("Rollouts")
    mine = through(trace, 3, 120)
    outcomes = [trace.iteration(t).outcome for t in mine]
    note = screen.text("rollouts-note")
    for name, outcome in (("X wins", 1.0), ("O wins", -1.0), ("draw", 0.0)):
        n = outcomes.count(outcome)
        if n:
            expect(note).to_contain_text(f"{name} {n} ({100 * n / len(mine):.1f} %)")
    expect(note).to_contain_text(f"All {len(mine)}, newest first.")
    rows = [rollout_row(trace, t) for t in reversed(mine)]
    screen.page.wait_for_selector("#rollouts-table .ag-row")
    shown = screen.table("rollouts-table")
    assert shown
    assert shown == rows[: len(shown)]


@pytest.mark.thorough
def test_a_row_is_played_and_its_iteration_is_gone_to(screen: Screen, site: Site) -> None:
    trace = site.trace(TIC_TAC_TOE)
    screen.open(TIC_TAC_TOE, 120, node=3)
    screen.tab("Rollouts")
    mine = through(trace, 3, 120)
    head = screen.page.locator("#rollouts-player h3")
    expect(head).to_have_text(f"Iteration {mine[-1]}")
    wanted = mine[-2]
    cell = screen.page.locator(f"#rollouts-table .ag-row[row-id='{wanted}'] [col-id=result]")
    cell.click()
    expect(head).to_have_text(f"Iteration {wanted}")
    n = len(trace.iteration(wanted).rollout or [])
    expect(screen.page.locator(".rollout-place")).to_have_text(f"0 / {n}")
    screen.page.get_by_role("button", name="one move on").click()
    expect(screen.page.locator(".rollout-place")).to_have_text(f"1 / {n}")
    assert board_of(screen) == expected_board(site, wanted, 1)
    screen.page.locator(f"#rollouts-table .ag-row[row-id='{wanted}'] [col-id=iteration]").click()
    screen.wait(wanted)
    expect(head).to_have_text(f"Iteration {wanted}")


@pytest.mark.thorough
def test_a_long_list_has_pages_and_says_how_many_are_on_the_others(
    screen: Screen, site: Site
) -> None:
    trace = site.trace(CONNECT_FOUR)
    screen.open(CONNECT_FOUR, 2_000)
    screen.tab("Rollouts")
    note = screen.text("rollouts-note")
    expect(note).to_contain_text("1 to 250 of 2,000, newest first.")
    screen.page.locator("#rollouts-page").get_by_role("button", name="8", exact=True).click()
    expect(note).to_contain_text("1,751 to 2,000 of 2,000, newest first")
    cell = screen.page.locator("#rollouts-table .ag-row[row-index='0'] [col-id=iteration]")
    expect(cell).to_have_text("250")
    row = {**rollout_row(trace, 250)}
    assert screen.table("rollouts-table")[0] == row


@pytest.mark.thorough
def test_a_node_that_nothing_passed_through_says_so(screen: Screen, site: Site) -> None:
    screen.open(TIC_TAC_TOE, 0)
    screen.tab("Rollouts")
    note = screen.text("rollouts-note")
    expect(note).to_contain_text("No simulation has passed through this node yet.")
    screen.visit(f"?trace={site.key(TIC_TAC_TOE)}&iteration=10&node=50")
    screen.tab("Rollouts")
    expect(note).to_contain_text("is not in the tree yet")


@pytest.mark.parametrize(
    ("path", "said"),
    few(
        [
            ("rollout/0/0/0.svg", "choose one from 1"),
            ("rollout/100/1/0.svg", "counted from 0"),
            ("rollout/100/0/99.svg", "moves"),
        ]
    ),
)
def test_a_position_that_there_is_not_is_refused_in_words(
    screen: Screen, site: Site, console: Console, path: str, said: str
) -> None:
    console.allow("400")
    screen.open(TIC_TAC_TOE, 100)
    told: dict[str, Any] = screen.page.evaluate(
        "async (u) => (await fetch(u)).json()", f"api/trace/{site.key(TIC_TAC_TOE)}/{path}"
    )
    assert said in told["error"]
