"""What the New search form shows and says, as plain functions: no page, no browser."""

from __future__ import annotations

from typing import Any

import pytest

from mcts_viz.engine.parameters import EXPANSION_ORDERS, PARAMETERS, SIMULATE_FROM
from mcts_viz.engine.presets import PRESETS
from mcts_viz.errors import PageError
from mcts_viz.formulas.final_move import FINAL_MOVE_RULES
from mcts_viz.formulas.selection import SELECTION_FORMULAS
from mcts_viz.games.evaluators import EVALUATORS
from mcts_viz.runs.options import SearchOptions
from mcts_viz.web.ids import SEARCH_FORM, SIDE_FORMS, WHAT_IF_FORM, Ids, field, no_field
from mcts_viz.web.jobs.searches import SearchRequest
from mcts_viz.web.panels.forms.controls import (
    LIMITS,
    PHASES,
    budget_placeholders,
    changed_words,
    cleared,
    has_none_box,
)
from mcts_viz.web.panels.forms.presets import preset_of
from mcts_viz.web.panels.forms.running import message
from mcts_viz.web.panels.forms.search_form import form, search_request
from mcts_viz.web.panels.forms.what_if import _form
from mcts_viz.web.panels.match.form import _side


def fields(**given: Any) -> dict[str, Any]:
    """An untouched form, with some of its fields filled in; `none` lists the ticked boxes."""
    filled: dict[str, Any] = {
        "game": "tic_tac_toe", "size": None, "preset": "uct", "iterations": "", "seconds": "",
        "nodes": "", "memory": "", "decided": False, "seed": "", "workers": "", "moves": None,
        "parameters": {each.name: cleared(each) for each in PARAMETERS.values()},
        "none": {each.name: False for each in PARAMETERS.values() if has_none_box(each)},
    }  # fmt: skip
    for name, value in given.items():
        if name == "none":
            filled["none"].update(dict.fromkeys(value, True))
        else:
            (filled if name in filled else filled["parameters"])[name] = value
    return filled


def request(**given: Any) -> SearchRequest:
    return search_request(fields(**given))


def components(component: Any) -> list[Any]:
    """It and all components in it."""
    if isinstance(component, (list, tuple)):
        return [found for each in component for found in components(each)]
    if component is None or isinstance(component, str):
        return []
    return [component, *components(getattr(component, "children", None))]


@pytest.mark.parametrize(
    ("of", "shown"),
    [
        (SEARCH_FORM, form()),
        (WHAT_IF_FORM, _form()),
        *((of, _side(player, "", "uct")) for player, of in enumerate(SIDE_FORMS)),
    ],
)
def test_every_parameter_of_a_search_has_one_control_with_all_its_choices(
    of: str, shown: Any
) -> None:
    by_id = {getattr(each, "id", None): each for each in components(shown)}
    for each in PARAMETERS.values():
        control = by_id[field(of, each.name)]
        assert each.name == "c" or control.label == each.title
        if each.choices is not None:
            assert [option["value"] for option in control.data] == list(each.choices)
    assert [option["value"] for option in by_id[field(of, "evaluator")].data] == [
        *EVALUATORS, "none"
    ]  # fmt: skip
    assert {each.phase for each in PARAMETERS.values()} == set(PHASES)


def test_no_two_components_share_an_id() -> None:
    of_searches = (*LIMITS, "decided", "policies", "changed")
    of_sides = ("budget", "unit", "engine", "more", "done", "error", "policies", "changed")
    ids = [
        *(
            field(form, name)
            for form in (SEARCH_FORM, WHAT_IF_FORM, *SIDE_FORMS)
            for name in PARAMETERS
        ),
        *(field(form, name) for form in (SEARCH_FORM, WHAT_IF_FORM) for name in of_searches),
        *(field(form, name) for form in SIDE_FORMS for name in of_sides),
        *(
            no_field(form, name)
            for form in (SEARCH_FORM, WHAT_IF_FORM, *SIDE_FORMS)
            for name in PARAMETERS
        ),
        *SIDE_FORMS,
        *(each.value for each in Ids),
    ]
    assert len(set(ids)) == len(ids)


def test_every_formula_rule_order_and_place_can_be_chosen() -> None:
    for name, known in [
        ("selection", SELECTION_FORMULAS), ("final_move", FINAL_MOVE_RULES),
        ("order", EXPANSION_ORDERS), ("simulate_from", SIMULATE_FROM),
    ]:  # fmt: skip
        assert list(PARAMETERS[name].choices or ()) == list(known)


def test_an_untouched_form_is_the_preset() -> None:
    assert request() == SearchRequest("tic_tac_toe", SearchOptions("uct"))
    assert request(moves="").options.start == ()
    for preset in PRESETS:
        assert request(preset=preset).plan().search.policies.preset == preset


def test_a_form_becomes_a_request() -> None:
    asked = request(
        game="connect_four", iterations=500, seconds=1.5, nodes=90, memory=200, decided=True, seed=7,
        moves=" 3, 3 ,, column 4 ", c=0, selection="puct", expansion="all_children", solver="yes",
        evaluator="none", fpu=-1,
    )  # fmt: skip
    assert asked == SearchRequest(
        "connect_four",
        SearchOptions(
            "uct", 500, 1.5, 90, 200, True, 7, ("3", "3", "column 4"),
            overrides={
                "c": 0, "selection": "puct", "expansion": "all_children", "solver": True,
                "evaluator": None, "fpu": -1,
            },
        ),
    )  # fmt: skip


def test_a_game_of_another_size_takes_the_place_of_the_listed_one() -> None:
    assert request(size=" mnk:7,6,4 ").game == "mnk:7,6,4"
    assert request(size="  ").game == "tic_tac_toe"
    assert request(size="connect_four:5,8").plan().search.game.n_actions == 8


def test_none_is_said_by_a_box_of_its_own_where_a_number_stands() -> None:
    assert request(preset="alphazero", none=["fpu"]).options.overrides == {"fpu": None}
    with pytest.raises(PageError, match="First-play urgency: give a number, or tick none"):
        request(fpu=0.5, none=["fpu"])


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"iterations": "12-"}, "Iterations: '12-' is not a whole number; give one"),
        ({"iterations": 1.5}, "Iterations: 1.5 is not a whole number"),
        ({"seconds": "-"}, "Seconds: '-' is not a number; give one, or leave the box empty"),
        ({"n_rollouts": 2.5}, "Rollouts a leaf: 2.5 is not a whole number"),
        ({"c": "."}, "c, exploration: '.' is not a number"),
    ],
)
def test_half_typed_numbers_are_refused_in_words(given: dict[str, Any], told: str) -> None:
    with pytest.raises(PageError) as error:
        request(**given)
    assert told in str(error.value)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({}, ""),
        ({"selection": "puct"}, "give expansion='all_children' with it"),
        ({"fpu": 0.5}, "with one child at a time there is none"),
        ({"selection": "ucb1_tuned", "loss": -1}, "made for scores from 0 to 1"),
        ({"size": "mnk:99,9,9"}, "mnk"),
        ({"size": "chess"}, "game 'chess' is not known"),
        ({"iterations": 0}, "iterations = 0"),
        ({"preset": "baeldung", "decided": True}, "needs a number of iterations"),
    ],
)
def test_what_cannot_run_is_told_with_its_remedy(given: dict[str, Any], told: str) -> None:
    said = message(lambda: request(**given).plan())
    assert told in said
    assert bool(said) == bool(told)


def test_what_differs_from_the_preset_is_named() -> None:
    assert changed_words(fields(c=3)) == "as the preset has them"
    told = changed_words(fields(order="random", none=["fpu"]))
    assert told == "changed: First-play urgency, Order of moves"


def test_empty_boxes_show_what_the_preset_has() -> None:
    shown = preset_of("alphazero").words
    assert (shown["c"], shown["fpu"], shown["poison"]) == ("1.25", "0", "none")
    assert shown["expansion"] == "all children at once"
    assert (shown["solver"], shown["collect"]) == ("no", "both sides")
    assert preset_of("uct").words["c"] == "1.4142"
    assert preset_of("baeldung").words["poison"] == "-2,147,483,648"
    assert budget_placeholders(preset_of("uct"), "", None) == ("1,000", "no limit")
    assert budget_placeholders(preset_of("baeldung"), "", "") == ("no limit", "1")
    assert budget_placeholders(preset_of("uct"), "", 2) == ("no limit", "no limit")
