"""What all forms that ask for a search have in common: the limits of its budget, and a control for each of its
parameters. A box that is left empty means what stands in it in grey: what the preset has, or the search that is run
again.

The parameters come from the table of the engine; there is no list of them here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import dash_mantine_components as dmc
from dash import Dash, Input, Output, State, html, set_props

from mcts_viz.engine.parameters import PARAMETERS, Parameter
from mcts_viz.errors import PageError
from mcts_viz.runs.options import SearchOptions
from mcts_viz.web.cursor import Cursor
from mcts_viz.web.ids import field, no_field
from mcts_viz.web.panels.elements import Attributes, Part
from mcts_viz.web.panels.forms.presets import PresetChoice, names_of
from mcts_viz.web.panels.forms.running import CURSOR, Fields, FieldsOf, Wiring

PHASES = {
    "select": "Select",
    "expand": "Expand",
    "simulate": "Simulate",
    "backpropagate": "Backpropagate",
    "play": "Play",
}
ALWAYS_SHOWN = ("c",)  # the other parameters are in a fold
LIMITS = ("iterations", "seconds", "nodes", "memory")
WORDS_BELOW: Sequence[Literal["label", "input", "description"]] = [
    "label",
    "input",
    "description",
]  # so that boxes stand in a row
NONE = "none"  # the choice that there is no such value
NO_LIMIT = "no limit"
AS_PRESET = "as the preset has them"


# ---- controls ----------------------------------------------------------------------------------------


def budget(form: str, preset: PresetChoice) -> Part:
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
                label="Stop when decided: the runner-up can no longer overtake",
            ),
        ],
    )  # fmt: skip


def policies(form: str, preset: PresetChoice) -> Part:
    """A fold with the parameters that are not always shown."""
    label = html.Span(
        [html.B("Policies"), html.Span(AS_PRESET, id=field(form, "changed"), className="dim")],
        className="form-policies",
    )
    panel = parameters_by_phase(form, preset)
    return dmc.Accordion(
        id=field(form, "policies"),
        variant="contained",
        chevronPosition="left",
        children=dmc.AccordionItem(
            [dmc.AccordionControl(label), dmc.AccordionPanel(panel)], value="policies"
        ),
    )


def parameters_by_phase(form: str, preset: PresetChoice) -> list[Part]:
    """The controls of the parameters that are not always shown."""
    groups: list[Part] = [
        html.P("Grey values hold now. Change what should differ.", className="dim")
    ]
    for phase, name in PHASES.items():
        there = [
            control(form, each, preset)
            for each in PARAMETERS.values()
            if each.phase == phase and each.name not in ALWAYS_SHOWN
        ]
        groups.append(
            html.Fieldset(
                className="form-group",
                children=[html.Legend(name), html.Div(there, className="form-row")],
            )
        )
    return groups


def always_shown(form: str, preset: PresetChoice) -> list[Part]:
    """Controls of the parameters outside the fold."""
    return [control(form, each, preset) for each in PARAMETERS.values() if each.name in ALWAYS_SHOWN]  # fmt: skip


def control(form: str, choice: Parameter, preset: PresetChoice) -> Part:
    """The control of a parameter, at first empty, with a box for "none" where only that can say
    it."""
    common: Attributes = {
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
    options = dict(names_of(choice)) or {"yes": "yes", "no": "no"}
    if choice.optional:
        options[NONE] = "none"
    return dmc.Select(
        **common, clearable=True, data=[{"value": v, "label": text} for v, text in options.items()]
    )


def _none(form: str, choice: Parameter) -> Part:
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
) -> Part:
    """A box for a whole number."""
    more: Attributes = {} if description is None else {"description": description}
    return dmc.NumberInput(
        id=id_, label=label, placeholder=placeholder, min=least, step=step,
        allowDecimal=False, thousandSeparator=",", **more,
    )  # fmt: skip


# ---- their values ------------------------------------------------------------------------------------


def fields_with(
    form: str, own: Mapping[str, str], ticked: Mapping[str, str] | None = None
) -> FieldsOf:
    """The controls of a form, for callbacks: its own by name, boxes to tick among them, and those of every search."""

    def fields_of(kind: type[Input] | type[State]) -> Wiring:
        return {
            **{name: kind(id_, "value") for name, id_ in own.items()},
            **{name: kind(id_, "checked") for name, id_ in (ticked or {}).items()},
            **budget_fields(kind, form),
            **parameter_fields(kind, form),
        }

    return fields_of


def options_of(fields: Fields, **more: Any) -> SearchOptions:
    """What the controls of every search say, and `more`; raises PageError for a half-typed one."""
    seed = number_of("Seed", fields["seed"], whole=True)
    given = {**limits_of(fields), "seed": seed, "overrides": changed(fields), **more}
    return SearchOptions(fields["preset"] or None, **given)


def budget_fields(kind: type[Input] | type[State], form: str) -> Wiring:
    """The limits, for a callback."""
    limits: Wiring = {name: kind(field(form, name), "value") for name in LIMITS}
    return {**limits, "decided": kind(field(form, "decided"), "checked")}


def parameter_fields(kind: type[Input] | type[State], form: str) -> Wiring:
    """The parameters, for a callback."""
    return {
        "parameters": {
            each.name: kind(field(form, each.name), "value") for each in PARAMETERS.values()
        },
        "none": {
            each.name: kind(no_field(form, each.name), "checked")
            for each in PARAMETERS.values()
            if has_none_box(each)
        },
    }


def has_none_box(choice: Parameter) -> bool:
    """Whether a box of its own says that there is no such value."""
    return choice.kind == "number" and choice.optional


def limits_of(fields: Fields) -> Attributes:
    """The limits that were given, by name, and whether to stop when decided; raises PageError for a
    half-typed one."""
    titles = {name: "Memory" if name == "memory" else name.capitalize() for name in LIMITS}
    limits = {
        name: number_of(title, fields[name], whole=name != "seconds")
        for name, title in titles.items()
    }
    return {**limits, "decided": bool(fields["decided"])}


def changed(fields: Fields) -> Fields:
    """The parameters that were given, by name; raises PageError for a half-typed one."""
    found: dict[str, object] = {}
    for each in PARAMETERS.values():
        given = fields["parameters"][each.name]
        if fields["none"].get(each.name):
            if not is_empty(given):
                raise PageError(f"{each.title}: give a number, or tick none, not both")
            found[each.name] = None
        elif not is_empty(given):
            found[each.name] = _value(each, given)
    return found


def changed_words(fields: Fields, unchanged: str = AS_PRESET) -> str:
    """Which parameters in the fold differ from what stands in grey."""
    given = [
        each.title
        for each in PARAMETERS.values()
        if each.name not in ALWAYS_SHOWN
        and (not is_empty(fields["parameters"][each.name]) or fields["none"].get(each.name))
    ]
    return f"changed: {', '.join(given)}" if given else unchanged


def _value(choice: Parameter, given: object) -> object:
    if choice.kind in ("number", "count"):
        return number_of(choice.title, given, whole=choice.kind == "count")
    if choice.kind == "switch":
        return given == "yes"
    return None if choice.optional and given == NONE else given


def is_empty(given: object) -> bool:
    """Whether there is nothing in a control."""
    return given is None or given == ""


def number_of(title: str, given: object, whole: bool = False) -> Any:
    """The number in a box, None for an empty one; raises PageError for half-typed text."""
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


def budget_placeholders(
    preset: PresetChoice, iterations: object, seconds: object
) -> tuple[str, str]:
    """What stands in the empty boxes for iterations and seconds: the preset's budget, which counts
    as long as neither is given."""
    if not is_empty(iterations) or not is_empty(seconds):
        return NO_LIMIT, NO_LIMIT
    return (
        NO_LIMIT if preset.iterations is None else f"{preset.iterations:,}",
        NO_LIMIT if preset.seconds is None else f"{preset.seconds:g}",
    )


def cleared(choice: Parameter) -> str | None:
    """The value of its empty control."""
    return "" if choice.kind in ("number", "count") else None


def reset_outputs(form: str) -> Wiring:
    """The outputs of a callback that returns `reset_values`."""
    names = [each.name for each in PARAMETERS.values()]
    with_none = [each.name for each in PARAMETERS.values() if has_none_box(each)]
    return {
        "values": {name: Output(field(form, name), "value") for name in names},
        "placeholders": {name: Output(field(form, name), "placeholder") for name in names},
        "none": {name: Output(no_field(form, name), "checked") for name in with_none},
    }


def reset_values(preset: PresetChoice) -> dict[str, dict[str, object]]:
    """All parameters empty, with what the preset has in grey."""
    return {
        "values": {each.name: cleared(each) for each in PARAMETERS.values()},
        "placeholders": {each.name: preset.words[each.name] for each in PARAMETERS.values()},
        "none": {each.name: False for each in PARAMETERS.values() if has_none_box(each)},
    }


def reset(form: str, preset: PresetChoice) -> None:
    """The same, from within any callback."""
    empty = reset_values(preset)
    for name, words in empty["placeholders"].items():
        set_props(field(form, name), {"placeholder": words, "value": empty["values"][name]})
    for name in empty["none"]:
        set_props(no_field(form, name), {"checked": False})


def shows_preset(
    app: Dash,
    form: str,
    preset_id: str,
    base: Callable[[str | None, Cursor | None], PresetChoice],
    budget: bool = True,
) -> None:
    """Callbacks for what stands in grey: `base` makes it of the preset's name and the cursor. The parameters begin anew
    with each preset; so does the budget, where the form has one."""

    @app.callback(
        output=reset_outputs(form),
        inputs={"preset": Input(preset_id, "value")},
        state={"cursor": CURSOR},
        prevent_initial_call=True,
    )
    def parameters(preset: str | None, cursor: Cursor | None) -> dict[str, dict[str, object]]:
        return reset_values(base(preset, cursor))

    if not budget:
        return
    limits = [field(form, name) for name in ("iterations", "seconds")]

    @app.callback(
        [Output(limit, "placeholder") for limit in limits],
        Input(preset_id, "value"),
        *(Input(limit, "value") for limit in limits),
        CURSOR,
        prevent_initial_call=True,
    )
    def limited(
        preset: str | None, iterations: object, seconds: object, cursor: Cursor | None
    ) -> tuple[str, str]:
        return budget_placeholders(base(preset, cursor), iterations, seconds)
