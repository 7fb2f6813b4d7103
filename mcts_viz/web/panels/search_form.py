"""The form of a new search: its controls, and what they say. A box that is left empty means what the preset has,
which stands in it in grey.

The parameters come from the table that the services bring along; there is no list of them here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import dash_mantine_components as dmc
from dash import html

from mcts_viz.errors import PageError
from mcts_viz.web.ids import Ids, no_parameter, parameter
from mcts_viz.web.services import ParameterChoice, PresetChoice, SearchRequest, Services

PHASES = {
    "select": "Select",
    "expand": "Expand",
    "simulate": "Simulate",
    "backpropagate": "Backpropagate",
    "play": "Play",
}
ALWAYS_SHOWN = ("c",)  # the other parameters are in a section to open
WORDS_BELOW = ["label", "input", "description"]  # so that boxes stand in a row
NONE = "none"  # the choice that there is no such value
NO_LIMIT = "no limit"

Fields = Mapping[str, Any]  # values of the form's controls; "parameters" and "none" by parameter


def form(services: Services) -> list[Any]:
    """All controls, from the game to the policies."""
    preset = preset_of(services, services.default_preset)
    return [
        _game(services),
        _budget(preset),
        html.Div(
            className="form-row form-start",
            children=[
                *(control(each, preset) for each in services.parameters if each.name in ALWAYS_SHOWN),
                _count(Ids.SEARCH_SEED, "Seed", "the same one, the same tree", "a new one", least=0),
                dmc.TextInput(
                    id=Ids.SEARCH_MOVES.value,
                    label="Start position",
                    description="moves played before the search, with commas",
                    placeholder="none, or for example 3, 3, 2",
                ),
            ],
        ),
        _policies(services, preset),
    ]  # fmt: skip


def _game(services: Services) -> Any:
    return html.Div(
        className="form-row",
        children=[
            dmc.Select(
                id=Ids.SEARCH_GAME.value,
                label="Game",
                description="a board of the usual size",
                allowDeselect=False,
                data=[{"value": g.name, "label": g.title} for g in services.games],
                value=services.default_game,
            ),
            dmc.TextInput(
                id=Ids.SEARCH_SIZE.value,
                label="Another size",
                description=" or ".join(services.sizes),
                placeholder="the usual one",
            ),
            dmc.Select(
                id=Ids.SEARCH_PRESET.value,
                label="Preset",
                description="policies of a known search",
                allowDeselect=False,
                data=[preset.name for preset in services.presets],
                value=services.default_preset,
            ),
        ],
    )


def _budget(preset: PresetChoice) -> Any:
    iterations, seconds = budget_placeholders(preset, None, None)
    return html.Fieldset(
        className="form-group",
        children=[
            html.Legend("Budget: the first limit reached ends the search"),
            html.Div(
                className="form-row form-four",
                children=[
                    _count(Ids.SEARCH_ITERATIONS, "Iterations", None, iterations, step=1_000),
                    dmc.NumberInput(
                        id=Ids.SEARCH_SECONDS.value, label="Seconds", placeholder=seconds, min=0,
                        step=0.5,
                    ),
                    _count(Ids.SEARCH_NODES, "Nodes", None, NO_LIMIT, step=1_000),
                    _count(Ids.SEARCH_MEMORY, "Memory, MB", None, NO_LIMIT, step=100),
                ],
            ),
            dmc.Checkbox(
                id=Ids.SEARCH_DECIDED.value, size="xs", checked=False,
                label="Stop when decided: when the runner-up can no longer overtake",
            ),
        ],
    )  # fmt: skip


def _policies(services: Services, preset: PresetChoice) -> Any:
    panel: list[Any] = [
        html.P("In grey what the preset has. Change what shall differ from it.", className="dim")
    ]
    for phase, title in PHASES.items():
        there = [
            control(each, preset)
            for each in services.parameters
            if each.phase == phase and each.name not in ALWAYS_SHOWN
        ]
        panel.append(
            html.Fieldset(
                className="form-group",
                children=[html.Legend(title), html.Div(there, className="form-row")],
            )
        )
    label = html.Span(
        [html.B("Policies"), html.Span(id=Ids.SEARCH_CHANGED.value, className="dim")],
        className="form-policies",
    )
    return dmc.Accordion(
        id=Ids.SEARCH_POLICIES.value,
        variant="contained",
        chevronPosition="left",
        children=dmc.AccordionItem(
            [dmc.AccordionControl(label), dmc.AccordionPanel(panel)], value="policies"
        ),
    )


def control(choice: ParameterChoice, preset: PresetChoice) -> Any:
    """The control of a parameter, at first empty, with a box for "none" where only that can say
    it."""
    common: dict[str, Any] = {
        "id": parameter(choice.name),
        "label": choice.title,
        "description": choice.words,
        "placeholder": preset.words[choice.name],
        **({} if choice.name in ALWAYS_SHOWN else {"inputWrapperOrder": WORDS_BELOW}),
    }
    if choice.kind == "count":
        return dmc.NumberInput(**common, min=1, allowDecimal=False, thousandSeparator=",")
    if choice.kind == "number":
        box = dmc.NumberInput(**common, step=0.1)
        return html.Div([box, _none(choice)]) if choice.optional else box
    options = dict(choice.names) if choice.kind == "choice" else {"yes": "yes", "no": "no"}
    if choice.optional:
        options[NONE] = "none"
    return dmc.Select(
        **common, clearable=True, data=[{"value": v, "label": text} for v, text in options.items()]
    )


def _none(choice: ParameterChoice) -> Any:
    return dmc.Checkbox(
        id=no_parameter(choice.name), label="none", size="xs", checked=False, mt=4,
    )  # fmt: skip


def _count(
    id_: Ids, label: str, description: str | None, placeholder: str, least: int = 1, step: int = 1
) -> Any:
    """A box for a whole number."""
    more = {} if description is None else {"description": description}
    return dmc.NumberInput(
        id=id_.value, label=label, placeholder=placeholder, min=least, step=step,
        allowDecimal=False, thousandSeparator=",", **more,
    )  # fmt: skip


def has_none_box(choice: ParameterChoice) -> bool:
    """Whether a box of its own says that there is no such value."""
    return choice.kind == "number" and choice.optional


def cleared(choice: ParameterChoice) -> str | None:
    """The value of its empty control."""
    return "" if choice.kind in ("number", "count") else None


def preset_of(services: Services, name: str) -> PresetChoice:
    """The preset of that name."""
    return next(preset for preset in services.presets if preset.name == name)


def budget_placeholders(preset: PresetChoice, iterations: Any, seconds: Any) -> tuple[str, str]:
    """What stands in the empty boxes for iterations and seconds: the preset's budget, which counts
    as long as neither is given."""
    if not _is_empty(iterations) or not _is_empty(seconds):
        return NO_LIMIT, NO_LIMIT
    return (
        NO_LIMIT if preset.iterations is None else f"{preset.iterations:,}",
        NO_LIMIT if preset.seconds is None else f"{preset.seconds:g}",
    )


def search_request(fields: Fields, parameters: Sequence[ParameterChoice]) -> SearchRequest:
    """What the form says; raises PageError for a half-typed field."""
    return SearchRequest(
        game=(fields["size"] or "").strip() or fields["game"],
        preset=fields["preset"],
        iterations=_number("Iterations", fields["iterations"], whole=True),
        seconds=_number("Seconds", fields["seconds"]),
        nodes=_number("Nodes", fields["nodes"], whole=True),
        memory=_number("Memory", fields["memory"], whole=True),
        decided=bool(fields["decided"]),
        seed=_number("Seed", fields["seed"], whole=True),
        start=tuple(move.strip() for move in (fields["moves"] or "").split(",") if move.strip()),
        parameters=_changed(fields, parameters),
    )


def changed_words(fields: Fields, parameters: Sequence[ParameterChoice]) -> str:
    """Which policies differ from the preset."""
    given = [
        each.title
        for each in parameters
        if each.name not in ALWAYS_SHOWN
        and (not _is_empty(fields["parameters"][each.name]) or fields["none"].get(each.name))
    ]
    return f"changed: {', '.join(given)}" if given else "as the preset has them"


def _changed(fields: Fields, parameters: Sequence[ParameterChoice]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for each in parameters:
        given = fields["parameters"][each.name]
        if fields["none"].get(each.name):
            if not _is_empty(given):
                raise PageError(
                    f"{each.title}: there is a number and none is ticked; leave one out"
                )
            found[each.name] = None
        elif not _is_empty(given):
            found[each.name] = _value(each, given)
    return found


def _value(choice: ParameterChoice, given: Any) -> Any:
    if choice.kind in ("number", "count"):
        return _number(choice.title, given, whole=choice.kind == "count")
    if choice.kind == "switch":
        return given == "yes"
    return None if choice.optional and given == NONE else given


def _is_empty(given: Any) -> bool:
    return given is None or given == ""


def _number(title: str, given: Any, whole: bool = False) -> Any:
    """None for an empty box; raises PageError for what is not a number yet."""
    if _is_empty(given):
        return None
    is_number = isinstance(given, int if whole else (int, float)) and not isinstance(given, bool)
    if not is_number:
        wanted = "whole number" if whole else "number"
        raise PageError(f"{title}: {given!r} is not a {wanted}; give one, or leave the box empty")
    return given
