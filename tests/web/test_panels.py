"""What the panels say, as plain functions: no page, no browser."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mcts_viz as mv
from mcts_viz.analysis.choice.decision import RULE_WORDS, decision
from mcts_viz.analysis.iteration.phases import phase_story
from mcts_viz.analysis.iteration.story import iteration_story
from mcts_viz.analysis.node.facts import NodeRow, child_rows, node_facts
from mcts_viz.analysis.node.rollouts import IterationRollout
from mcts_viz.errors import PageError
from mcts_viz.formulas.final_move import FINAL_MOVE_RULES
from mcts_viz.games import game
from mcts_viz.page import make_app
from mcts_viz.runs.options import SearchOptions
from mcts_viz.runs.progress import SearchProgress
from mcts_viz.trace.players import CHANCE
from mcts_viz.trace.words import shared_words
from mcts_viz.web import words
from mcts_viz.web.cursor import Place
from mcts_viz.web.jobs.searches import Job, SearchRequest
from mcts_viz.web.library import Library
from mcts_viz.web.panels.dialogs.finder import found_node
from mcts_viz.web.panels.forms.running import progress_text
from mcts_viz.web.panels.node import decision_line, score_line
from mcts_viz.web.panels.position import text_words
from mcts_viz.web.panels.tabs.children import children_note, children_table, node_row
from mcts_viz.web.panels.tabs.iteration import level_row, story_note
from mcts_viz.web.panels.tabs.phases import selection_shown
from mcts_viz.web.panels.tabs.rollouts import line_of
from mcts_viz.web.panels.tree.tree import trace_note
from mcts_viz.web.scripts import ASSETS
from tests.health.zoo import STARTS, Search
from tests.web.recordings import FOREIGN, INTERRUPTED, SNAPSHOT, TIC_TAC_TOE

SAMPLES = Path(__file__).parents[2] / "samples"


@pytest.fixture(scope="module")
def trace(recordings: Path) -> mv.Trace:
    return mv.open(recordings / f"{TIC_TAC_TOE}.mcts")


def text_of(component: Any) -> str:
    """All text of a component, as a person reads it."""
    if component is None:
        return ""
    if isinstance(component, (str, int, float)):
        return str(component)
    if isinstance(component, (list, tuple)):
        return "".join(text_of(each) for each in component)
    return text_of(getattr(component, "children", None))


def row(node: int, score: float | None, next_selected: bool = False, **more: Any) -> NodeRow:
    told = {
        "node": node, "move": f"m{node}", "visits": 3, "share": 0.5, "mean_value": 0.5,
        "value_term": 0.5, "exploration_term": 0.2, "score": score, "prior": None,
        "next_selected": next_selected, "chosen": False,
    }  # fmt: skip
    return NodeRow(**{**told, **more})


# ---- a running search --------------------------------------------------------------------------------------------


def test_progress_is_told_in_words_and_as_a_share_with_the_time_left() -> None:
    job = Job(SearchRequest("tic_tac_toe", SearchOptions("uct")), Path("x.mcts"), "x", 0.0)
    assert "Starting" in progress_text(job)
    assert job.percent == 0.0
    job.progress(SearchProgress(500, 1, 3.0, 0.25, 2_000))
    assert progress_text(job) == "500 of 2,000 iterations, 1 node, 3.0 s · about 9.0 s left"
    assert job.percent == 25.0
    job.progress(SearchProgress(7_000, 5_001, 100.0, 0.5, None))
    told = "7,000 iterations, 5,001 nodes, 1 min 40 s · about 1 min 40 s left"
    assert progress_text(job) == told
    job.stop.set()
    assert "the best move so far is kept" in progress_text(job)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.04, "0.0 s"), (9.94, "9.9 s"), (59.4, "59 s"), (59.6, "1 min 0 s"), (3_780, "1 h 3 min")],
)
def test_a_duration_is_told_in_the_units_of_its_size(seconds: float, text: str) -> None:
    assert words.duration(seconds) == text


# ---- finding a node ----------------------------------------------------------------------------------------------


def test_a_node_is_found_by_id_by_moves_and_by_actions(trace: mv.Trace) -> None:
    snapshot = trace.at(300)
    line = snapshot.principal_path
    assert found_node(snapshot, "#17") == found_node(snapshot, " 17 ") == 17
    assert found_node(snapshot, "#0") == 0
    named = ", ".join(snapshot.label(v) for v in line[1:])
    assert found_node(snapshot, named) == found_node(snapshot, named.upper() + ",") == line[-1]
    actions = ",".join(str(snapshot.action[v]) for v in line[1:3])
    assert found_node(snapshot, actions) == line[2]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "Type a node id"),
        ("   ", "Type a node id"),
        ("#301", "Node 301 is not in this trace, which has 0 to 300"),
        ("#" + "9" * 5_000, "is not in this trace"),
        ("zz", "No move 'zz' from the root; searched there: "),
        ("#x", "After # a node id is expected, such as #17; got 'x'"),
        ("#-1", "After # a node id is expected, such as #17; got '-1'"),
    ],
)
def test_what_cannot_be_found_is_told_in_words(trace: mv.Trace, text: str, told: str) -> None:
    with pytest.raises(PageError) as error:
        found_node(trace.at(300), text)
    assert told in str(error.value)


# ---- tables ------------------------------------------------------------------------------------------------------


VIEW = "Values in the view of X, who chooses here."


def test_the_note_says_what_comes_next_and_by_how_much() -> None:
    view = VIEW
    rows = [row(1, 0.9), row(2, 0.95, True), row(3, 0.5)]
    assert children_note(rows, VIEW, 3) == f"Next selected: m2, ahead by 0.0500. {view}"
    assert children_note(rows, VIEW, 5) == (
        f"2 of 5 moves untried: the next visit adds one of them. {view}"
    )
    assert children_note([row(1, 0.9, True)], VIEW, 1) == f"Next selected: m1. {view}"
    assert children_note([row(1, None, True)], VIEW, 1) == f"Next: m1, not visited yet. {view}"
    assert children_note([row(1, None)], VIEW, None) == view
    assert children_note([], VIEW, 0) == "The game is over here: no children."
    assert children_note([], VIEW, 4) == "No children yet."
    assert children_note([], VIEW, None) == "No children yet."


def test_the_note_says_so_when_the_next_one_is_tied() -> None:
    rows = [row(1, 0.9, True), row(2, 0.9), row(3, 0.5)]
    assert "tied with m2: the one made first wins" in children_note(rows, VIEW, 3)


def test_the_row_marked_next_is_the_one_that_the_search_takes(trace: mv.Trace) -> None:
    for t in range(9, 300):
        rows = child_rows(trace.at(t), 0, 9)
        following = [r.node for r in rows if r.next_selected]
        assert following == [trace.iteration(t + 1).path[1]]
        assert [r.node for r in rows if r.chosen] == trace.at(t).ranked_children(0)[:1]


def test_a_row_carries_its_marks() -> None:
    told = node_row(row(4, 0.9, True, chosen=True), 4)
    assert (told["marks"], told["selected"], told["id"]) == ("★→", True, "4")


def test_a_level_says_what_it_was_ahead_of(trace: mv.Trace) -> None:
    for t in range(1, 301):
        for level in iteration_story(trace, t).levels:
            told = level_row(level)["over"]
            assert told
            if level.kind == "added":
                assert told == "new node"
            elif level.ties:
                assert told == f"tie with {', '.join(level.ties)}: first made wins"


def test_a_story_sums_the_iteration_up(trace: mv.Trace) -> None:
    told = iteration_story(trace, 150)
    iteration = trace.iteration(150)
    text = text_of(story_note(told))
    assert ", ".join(trace.at(150).label(v) for v in iteration.path[1:]) in text
    assert "1 node added" in text
    assert f"after {len(iteration.rollout or [])} random moves" in text
    assert "Scores before the choice" in text


# ---- the node ----------------------------------------------------------------------------------------------------


def test_the_decision_names_the_rule_the_runner_up_and_the_margin(trace: mv.Trace) -> None:
    for t in (0, 1, 2, 77, 300):
        snapshot = trace.at(t)
        text = text_of(decision_line(decision(snapshot), t == 300))
        ranked = snapshot.ranked_children(0)
        if not ranked:
            assert text == "No move yet: no child of the root has been visited."
            continue
        assert snapshot.label(ranked[0]) in text
        assert ("would be played" if t == 300 else "leads so far") in text
        assert f"most visits: {snapshot.visits[ranked[0]]} of {snapshot.visits[0]}" in text
        if len(ranked) > 1:
            margin = int(snapshot.visits[ranked[0]] - snapshot.visits[ranked[1]])
            assert f"runner-up {snapshot.label(ranked[1])}: {snapshot.visits[ranked[1]]}" in text
            assert f"margin {words.plural(margin, 'visit')}" in text


@pytest.mark.parametrize(
    ("rule", "words_of_rule"),
    [
        ("highest_mean", "highest mean: "),
        ("highest_total", "highest total: "),
        ("secure", "highest lower bound: "),
    ],
)
def test_a_decision_by_values_tells_the_values_that_the_rule_compared(
    rule: str, words_of_rule: str
) -> None:
    searched = mv.search(TIC_TAC_TOE, iterations=300, seed=1, loss=-1, final_move=rule)
    for t in (1, 2, 77, 300):
        snapshot = searched.at(t)
        score = {
            "highest_mean": snapshot.mean_value,
            "highest_total": snapshot.value_sum,
            "secure": snapshot.mean_value - 2 / np.sqrt(snapshot.visits),
        }[rule]
        text = text_of(decision_line(decision(snapshot)))
        first, *others = snapshot.ranked_children(0)
        assert "most visits" not in text
        told = f"{words.number(float(score[first]))} · {snapshot.visits[first]} of {t} visits"
        assert f"{words_of_rule}{told}" in text
        # the style puts the second of two pieces first, where both do not fit: more would stand in another order
        _, reason = decision_line(decision(snapshot))
        assert all(len(part.children) <= 2 for part in reason.children)
        for second in others[:1]:
            assert (
                f"runner-up {snapshot.label(second)}: {words.number(float(score[second]))}" in text
            )
            assert f"margin {words.small(float(score[first] - score[second]))}" in text


def test_robust_max_says_whether_the_child_has_both() -> None:
    searched = mv.search(TIC_TAC_TOE, iterations=300, seed=1, final_move="robust_max")
    seen = set()
    for t in range(1, 301):
        now = searched.at(t)
        played = now.ranked_children(0)[0]
        both = bool(now.mean_value[played] == np.nanmax(now.mean_value[now.children(0)]))
        reason = "most visits and highest mean: " if both else (
            "most visits (not the highest mean): "
        )  # fmt: skip
        assert reason in text_of(decision_line(decision(now)))
        seen.add(both)
    assert seen == {True, False}


def test_every_rule_has_words_on_the_page() -> None:
    assert list(RULE_WORDS) == list(FINAL_MOVE_RULES)


def test_value_plus_exploration_is_the_score(trace: mv.Trace) -> None:
    snapshot = trace.at(250)
    for node in range(1, len(snapshot)):
        facts = node_facts(snapshot, node)
        if facts.visits:
            text = text_of(score_line(facts))
            assert words.number(float(snapshot.value_term[node])) in text
            assert words.number(float(snapshot.exploration_term[node])) in text
            assert words.number(float(snapshot.uct[node])) in text
    assert score_line(node_facts(snapshot, 0)) is None  # the root is compared with nothing


def test_a_trace_without_a_formula_has_no_score(recordings: Path) -> None:
    snapshot = mv.open(recordings / f"{FOREIGN}.mcts").at(60)
    assert "no selection score" in text_of(score_line(node_facts(snapshot, 1)))


@pytest.mark.parametrize(
    ("name", "suffix", "told"),
    [
        (TIC_TAC_TOE, "mcts", ""),
        (INTERRUPTED, "mcts", "This recording broke off: it is complete up to iteration {n}"),
        (SNAPSHOT, "json", "A snapshot taken at iteration 120"),
    ],
)
def test_a_trace_that_is_not_whole_says_so(
    recordings: Path, name: str, suffix: str, told: str
) -> None:
    trace = mv.open(recordings / f"{name}.{suffix}")
    note = trace_note(trace)
    # by how fast the machine is, the batch that was cut off begins earlier or later
    assert told.format(n=trace.n_iterations) in note
    assert bool(note) == bool(told)


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, "–"), (-0.0, "0.0000"), (-0.00001, "0.0000"), (-0.5, "−0.5000"), (10.0, "10.0000")],
)
def test_a_number_has_four_digits_and_zero_no_sign(value: float | None, text: str) -> None:
    assert words.number(value) == text


@pytest.mark.parametrize(
    ("value", "text"), [(None, "–"), (0.0, "0.0000"), (0.05, "0.0500"), (3.7e-5, "3.7e−05")]
)
def test_a_margin_is_never_rounded_to_nothing(value: float | None, text: str) -> None:
    assert words.small(value) == text


# ---- chance, and one player --------------------------------------------------------------------------------------


def sample(name: str, node: int = 0) -> tuple[Library, Place]:
    library = Library([SAMPLES / f"{name}.mcts"], SAMPLES)
    (entry,) = [each for each in library.entries() if each.name == name]
    trace = library.trace(entry.key)
    return library, Place(entry.key, trace, trace.at(trace.n_iterations), node)


def test_children_of_chance_have_no_columns_of_scores() -> None:
    library, here = sample("pig")
    chance = next(
        v
        for v in range(len(here.snapshot))
        if here.snapshot.to_move[v] == CHANCE and here.snapshot.children(v)
    )
    *_, there = children_table(library, here._replace(node=chance), [])
    *_, usual = children_table(library, here, [])
    assert not {"score", "exploration_term"} & {each["field"] for each in there}
    assert {"score", "exploration_term"} <= {each["field"] for each in usual}


def test_one_player_is_no_player_who_chose() -> None:
    _, here = sample("game_of_24")
    assert here.trace.meta.n_players == 1
    told = text_of(selection_shown(phase_story(here.trace, here.trace.n_iterations)).note)
    assert "before the choice" in told
    assert "player" not in told


# ---- tooltips ----------------------------------------------------------------------------------------------------


def test_the_keys_that_tooltips_name_stand_in_the_table_of_keys(recordings: Path) -> None:
    app = make_app([], recordings)
    layout = app.layout() if callable(app.layout) else app.layout
    named = {
        key
        for part in layout._traverse()
        for keys in [getattr(part, "data-key", "")]
        for key in keys.split(",")
        if key
    }
    table = (ASSETS / "page" / "keys.js").read_text("utf-8")
    known = {
        f"{needs} {key}".strip() if key != " " else " "
        for key, needs in re.findall(r'^    \["(.+?)", "(\w*)", ', table, re.MULTILINE)
    }
    assert {"Home", "ctrl ArrowLeft", " ", "/", "?"} <= named <= known


# ---- positions that change ---------------------------------------------------------------------------------------


def test_a_position_that_changed_after_it_was_recorded_says_so(tmp_path: Path) -> None:
    search = Search(game("tic_tac_toe"), "one board for all nodes", 1, STARTS["tic_tac_toe"])
    with mv.record(
        root=search.root, children="children", visits="visits", value="value", action="move",
        state=lambda node: str(node.board),
    ) as rec:  # fmt: skip
        for _ in rec.steps(search.step, 30):
            pass
    trace = rec.trace
    row, node, state = trace.columns.asides.changed_states[-1]
    assert text_words(trace, node) == (
        f"Position as first recorded; seen after iteration {row + 1} it was: {state}"
    )
    assert "this search changes positions later" in text_words(trace, trace.n_nodes - 1)


def test_moves_of_a_rollout_are_listed_without_the_word_that_all_begin_with() -> None:
    each = IterationRollout(1, "draw", (("column 3", "column 4"), ("column 1",)), False, "column 2")
    assert line_of(each, shared_words([f"column {n}" for n in range(1, 8)])) == "3 4 | 1"
    assert line_of(each, 0) == "column 3 column 4 | column 1"
    boards = IterationRollout(1, "draw", (("board 5 cell 1", "board 1 cell 2"),), False, "root")
    assert (
        line_of(boards, shared_words(["board 5 cell 1", "board 1 cell 2"])) == "5 cell 1, 1 cell 2"
    )
    assert shared_words(["a1", "b2"]) == shared_words(["roll"]) == shared_words([]) == 0
