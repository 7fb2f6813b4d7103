"""What all forms that ask for a search have in common: the limits of its budget, and a control for each of its
parameters. A box that is left empty means what stands in it in grey: what the preset has, or the search that is run
again.

The parameters come from the table that the services bring along; there is no list of them here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import dash_mantine_components as dmc
from dash import Input, Output, State, html, set_props

from mcts_viz.errors import PageError
from mcts_viz.web.ids import field, no_field
from mcts_viz.web.services import ParameterChoice, PresetChoice, Services

PHASES = {
    "select": "Select",
    "expand": "Expand",
    "simulate": "Simulate",
    "backpropagate": "Backpropagate",
    "play": "Play",
}
ALWAYS_SHOWN = ("c",)  # the other parameters are in a fold
LIMITS = ("iterations", "seconds", "nodes", "memory")
WORDS_BELOW = ["label", "input", "description"]  # so that boxes stand in a row
NONE = "none"  # the choice that there is no such value
NO_LIMIT = "no limit"

# values of a form's controls: limits and "decided" by name, "parameters" and "none" by parameter
Fields = Mapping[str, Any]


# ---- controls ----------------------------------------------------------------------------------------


def budget(form: str, preset: PresetChoice) -> Any:
    """The limits of a search."""
    iterations, seconds = budget_placeholders(preset, None, None)
    return html.Fieldset(
        className="form-group",
        children=[
            html.Legend("Budget: the first limit reached ends the search"),
            html.Div(
                className="form-row form-four",
                children=[
                    count_box(field(form, "iterations"), "Iterations", iterations, step=1_000),
                    dmc.NumberInput(
                        id=field(form, "seconds"), label="Seconds", placeholder=seconds, min=0,
                        step=0.5,
                    ),
                    count_box(field(form, "nodes"), "Nodes", NO_LIMIT, step=1_000),
                    count_box(field(form, "memory"), "Memory, MB", NO_LIMIT, step=100),
                ],
            ),
            dmc.Checkbox(
                id=field(form, "decided"), size="xs", checked=False,
                label="Stop when decided: when the runner-up can no longer overtake",
            ),
        ],
    )  # fmt: skip


def policies(form: str, services: Services, preset: PresetChoice) -> Any:
    """A fold with the parameters that are not always shown."""
    label = html.Span(
        [html.B("Policies"), html.Span(id=field(form, "changed"), className="dim")],
        className="form-policies",
    )
    panel = parameters_by_phase(form, services, preset)
    return dmc.Accordion(
        id=field(form, "policies"),
        variant="contained",
        chevronPosition="left",
        children=dmc.AccordionItem(
            [dmc.AccordionControl(label), dmc.AccordionPanel(panel)], value="policies"
        ),
    )


def parameters_by_phase(form: str, services: Services, preset: PresetChoice) -> list[Any]:
    """The controls of the parameters that are not always shown."""
    groups: list[Any] = [
        html.P("In grey what holds. Change what shall differ from it.", className="dim")
    ]
    for phase, name in PHASES.items():
        there = [
            control(form, each, preset)
            for each in services.parameters
            if each.phase == phase and each.name not in ALWAYS_SHOWN
        ]
        groups.append(
            html.Fieldset(
                className="form-group",
                children=[html.Legend(name), html.Div(there, className="form-row")],
            )
        )
    return groups


def always_shown(form: str, services: Services, preset: PresetChoice) -> list[Any]:
    """Controls of the parameters outside the fold."""
    return [control(form, each, preset) for each in services.parameters if each.name in ALWAYS_SHOWN]  # fmt: skip


def control(form: str, choice: ParameterChoice, preset: PresetChoice) -> Any:
    """The control of a parameter, at first empty, with a box for "none" where only that can say
    it."""
    common: dict[str, Any] = {
        "id": field(form, choice.name),
        "label": choice.title,
        "description": choice.words,
        "placeholder": preset.words[choice.name],
        **({} if choice.name in ALWAYS_SHOWN else {"inputWrapperOrder": WORDS_BELOW}),
    }
    if choice.kind == "count":
        return dmc.NumberInput(**common, min=1, allowDecimal=False, thousandSeparator=",")
    if choice.kind == "number":
        box = dmc.NumberInput(**common, step=0.1)
        return html.Div([box, _none(form, choice)]) if choice.optional else box
    options = dict(choice.names) if choice.kind == "choice" else {"yes": "yes", "no": "no"}
    if choice.optional:
        options[NONE] = "none"
    return dmc.Select(
        **common, clearable=True, data=[{"value": v, "label": text} for v, text in options.items()]
    )


def _none(form: str, choice: ParameterChoice) -> Any:
    return dmc.Checkbox(
        id=no_field(form, choice.name), label="none", size="xs", checked=False, mt=4,
    )  # fmt: skip


def count_box(
    id_: str,
    label: str,
    placeholder: str,
    description: str | None = None,
    least: int = 1,
    step: int = 1,
) -> Any:
    """A box for a whole number."""
    more = {} if description is None else {"description": description}
    return dmc.NumberInput(
        id=id_, label=label, placeholder=placeholder, min=least, step=step,
        allowDecimal=False, thousandSeparator=",", **more,
    )  # fmt: skip


# ---- their values ------------------------------------------------------------------------------------


def budget_fields(kind: type[Input] | type[State], form: str) -> dict[str, Any]:
    """The limits, for a callback."""
    limits: dict[str, Any] = {name: kind(field(form, name), "value") for name in LIMITS}
    return {**limits, "decided": kind(field(form, "decided"), "checked")}


def parameter_fields(
    kind: type[Input] | type[State], form: str, services: Services
) -> dict[str, Any]:
    """The parameters, for a callback."""
    return {
        "parameters": {
            each.name: kind(field(form, each.name), "value") for each in services.parameters
        },
        "none": {
            each.name: kind(no_field(form, each.name), "checked")
            for each in services.parameters
            if has_none_box(each)
        },
    }


def has_none_box(choice: ParameterChoice) -> bool:
    """Whether a box of its own says that there is no such value."""
    return choice.kind == "number" and choice.optional


def limits_of(fields: Fields) -> dict[str, Any]:
    """The limits that were given, by name, and whether to stop when decided; raises PageError for a
    half-typed one."""
    titles = {name: "Memory" if name == "memory" else name.capitalize() for name in LIMITS}
    limits = {
        name: number_of(title, fields[name], whole=name != "seconds")
        for name, title in titles.items()
    }
    return {**limits, "decided": bool(fields["decided"])}


def changed(fields: Fields, parameters: Sequence[ParameterChoice]) -> dict[str, Any]:
    """The parameters that were given, by name; raises PageError for a half-typed one."""
    found: dict[str, Any] = {}
    for each in parameters:
        given = fields["parameters"][each.name]
        if fields["none"].get(each.name):
            if not is_empty(given):
                raise PageError(
                    f"{each.title}: there is a number and none is ticked; leave one out"
                )
            found[each.name] = None
        elif not is_empty(given):
            found[each.name] = _value(each, given)
    return found


def changed_words(
    fields: Fields, parameters: Sequence[ParameterChoice], unchanged: str = "as the preset has them"
) -> str:
    """Which parameters in the fold differ from what stands in grey."""
    given = [
        each.title
        for each in parameters
        if each.name not in ALWAYS_SHOWN
        and (not is_empty(fields["parameters"][each.name]) or fields["none"].get(each.name))
    ]
    return f"changed: {', '.join(given)}" if given else unchanged


def _value(choice: ParameterChoice, given: Any) -> Any:
    if choice.kind in ("number", "count"):
        return number_of(choice.title, given, whole=choice.kind == "count")
    if choice.kind == "switch":
        return given == "yes"
    return None if choice.optional and given == NONE else given


def is_empty(given: Any) -> bool:
    """Whether there is nothing in a control."""
    return given is None or given == ""


def number_of(title: str, given: Any, whole: bool = False) -> Any:
    """None for an empty box; raises PageError for what is not a number yet."""
    if is_empty(given):
        return None
    is_number = isinstance(given, int if whole else (int, float)) and not isinstance(given, bool)
    if not is_number:
        wanted = "whole number" if whole else "number"
        raise PageError(f"{title}: {given!r} is not a {wanted}; give one, or leave the box empty")
    return given


def moves_of(text: str | None) -> tuple[str, ...]:
    """Moves that were written with commas."""
    return tuple(move.strip() for move in (text or "").split(",") if move.strip())


# ---- what stands in grey -----------------------------------------------------------------------------


def preset_of(services: Services, name: str) -> PresetChoice:
    """The preset of that name."""
    return next(preset for preset in services.presets if preset.name == name)


def budget_placeholders(preset: PresetChoice, iterations: Any, seconds: Any) -> tuple[str, str]:
    """What stands in the empty boxes for iterations and seconds: the preset's budget, which counts
    as long as neither is given."""
    if not is_empty(iterations) or not is_empty(seconds):
        return NO_LIMIT, NO_LIMIT
    return (
        NO_LIMIT if preset.iterations is None else f"{preset.iterations:,}",
        NO_LIMIT if preset.seconds is None else f"{preset.seconds:g}",
    )


def cleared(choice: ParameterChoice) -> str | None:
    """The value of its empty control."""
    return "" if choice.kind in ("number", "count") else None


def reset_outputs(form: str, services: Services) -> dict[str, Any]:
    """Of a callback that returns `reset_values`."""
    names = [each.name for each in services.parameters]
    with_none = [each.name for each in services.parameters if has_none_box(each)]
    return {
        "values": {name: Output(field(form, name), "value") for name in names},
        "placeholders": {name: Output(field(form, name), "placeholder") for name in names},
        "none": {name: Output(no_field(form, name), "checked") for name in with_none},
    }


def reset_values(services: Services, preset: PresetChoice) -> dict[str, dict[str, Any]]:
    """All parameters empty, with what the preset has in grey."""
    return {
        "values": {each.name: cleared(each) for each in services.parameters},
        "placeholders": {each.name: preset.words[each.name] for each in services.parameters},
        "none": {each.name: False for each in services.parameters if has_none_box(each)},
    }


def reset(form: str, services: Services, preset: PresetChoice) -> None:
    """The same, from within any callback."""
    told = reset_values(services, preset)
    for name, words in told["placeholders"].items():
        set_props(field(form, name), {"placeholder": words, "value": told["values"][name]})
    for name in told["none"]:
        set_props(no_field(form, name), {"checked": False})
