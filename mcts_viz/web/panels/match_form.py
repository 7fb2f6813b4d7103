"""The form that sets a match up: the game, who plays which side with what, and where it begins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dash_mantine_components as dmc
from dash import Input, State, html

from mcts_viz.errors import MctsVizError, PageError
from mcts_viz.web.attributes import aria
from mcts_viz.web.ids import SIDE_FORMS, Ids, field
from mcts_viz.web.library import Library
from mcts_viz.web.panels.match_table import asking
from mcts_viz.web.panels.search_controls import (
    WORDS_BELOW,
    Fields,
    changed,
    changed_words,
    moves_of,
    parameter_fields,
    parameters_by_phase,
    preset_of,
)
from mcts_viz.web.services import (
    EngineRequest,
    MatchRequest,
    ParameterChoice,
    PresetChoice,
    Services,
)

PERSON = "person"
UNITS = ("iterations", "seconds")  # of a budget
SYMBOLS = ("X", "O")


def form(library: Library) -> Any:
    """Game, sides, start position and seed."""
    services = library.services
    return dmc.Stack(
        id=Ids.MATCH_SETUP.value,
        gap=8,
        children=[
            dmc.Select(
                id=Ids.MATCH_GAME.value,
                label="Game",
                description="one of ours; your own is played from Python",
                inputWrapperOrder=WORDS_BELOW,
                size="xs",
                allowDeselect=False,
                data=[{"value": g.name, "label": g.title} for g in services.games],
                value=services.default_game,
            ),
            _side(services, 0, "X, moves first", PERSON),
            _side(services, 1, "O, moves second", services.default_preset),
            dmc.TextInput(
                id=Ids.MATCH_START.value,
                label="Start position",
                size="xs",
                placeholder="moves with commas; empty: the first position",
            ),
            _start_and_seed(),
            html.Div(
                className="match-foot",
                children=[
                    html.Div(id=Ids.MATCH_ERROR.value, className="form-error", role="alert"),
                    dmc.Group(
                        justify="flex-end",
                        gap=8,
                        children=[
                            asking("Back to the game", "back", size="xs", class_name="match-back"),
                            dmc.Button("Start", id=Ids.MATCH_BEGIN.value, size="xs"),
                        ],
                    ),
                ],
            ),
        ],
    )


def _start_and_seed() -> Any:
    return dmc.Group(
        justify="space-between",
        gap=6,
        wrap="nowrap",
        children=[
            dmc.Button(
                "From selected node",
                id=Ids.MATCH_FROM_NODE.value,
                size="compact-xs",
                variant="default",
            ),
            dmc.NumberInput(
                id=Ids.MATCH_SEED.value,
                placeholder="new",
                leftSection=html.Span("seed", className="select-label"),
                leftSectionWidth=40,
                size="xs",
                w=92,
                min=0,
                allowDecimal=False,
                hideControls=True,
                **aria("seed"),
            ),
        ],
    )


def _side(services: Services, player: int, label: str, value: str) -> Any:
    """Who plays a side, and with what."""
    of = SIDE_FORMS[player]
    return html.Div(
        [
            dmc.Select(
                id=of,
                label=label,
                size="xs",
                allowDeselect=False,
                data=[
                    {"value": PERSON, "label": "a person"},
                    *({"value": p.name, "label": f"engine: {p.name}"} for p in services.presets),
                ],
                value=value,
            ),
            html.Div(
                id=field(of, "engine"),
                hidden=value == PERSON,
                children=_engine(services, of, SYMBOLS[player]),
            ),
        ]
    )


def _engine(services: Services, of: str, symbol: str) -> list[Any]:
    """Budget of a move and c; the other parameters are in a dialog."""
    preset = preset_of(services, services.default_preset)
    row = html.Div(
        className="match-engine",
        children=[
            dmc.NumberInput(
                id=field(of, "budget"),
                value=1000,
                min=0,
                size="xs",
                thousandSeparator=",",
                hideControls=True,
                **aria(f"budget of a move of {symbol}"),
            ),
            dmc.Select(
                id=field(of, "unit"),
                data=list(UNITS),
                value="iterations",
                allowDeselect=False,
                size="xs",
                **aria(f"unit of the budget of {symbol}"),
            ),
            dmc.NumberInput(
                id=field(of, "c"),
                placeholder=preset.words["c"],
                leftSection=html.Span("c", className="select-label"),
                leftSectionWidth=22,
                min=0,
                step=0.1,
                size="xs",
                hideControls=True,
                **aria(f"c, exploration, of {symbol}"),
            ),
        ],
    )
    more = html.Div(
        className="match-more",
        children=[
            dmc.Button(
                "More…", id=field(of, "more"), size="compact-xs", variant="default",
                **aria(f"more parameters of the engine of {symbol}"),
            ),
            html.Span(id=field(of, "changed"), className="dim"),
        ],
    )  # fmt: skip
    return [row, more, _dialog(services, of, symbol, preset)]


def _dialog(services: Services, of: str, symbol: str, preset: PresetChoice) -> Any:
    done = dmc.Button("Done", id=field(of, "done"))
    return dmc.Modal(
        [
            *parameters_by_phase(of, services, preset),
            html.Div(
                className="form-footer",
                children=[
                    html.Div(id=field(of, "error"), className="form-error", role="alert"),
                    dmc.Group(done, justify="flex-end"),
                ],
            ),
        ],
        id=field(of, "policies"),
        title=f"Engine of {symbol}",
        size=820,
        yOffset="3dvh",
        className="search-dialog",
        closeButtonProps=aria("close"),
    )


def fields_of(kind: type[Input] | type[State], services: Services) -> dict[str, Any]:
    """All of the form's controls, as `match_request` reads them."""
    return {
        "game": kind(Ids.MATCH_GAME.value, "value"),
        "start": kind(Ids.MATCH_START.value, "value"),
        "seed": kind(Ids.MATCH_SEED.value, "value"),
        "sides": [
            {
                "by": kind(of, "value"),
                "budget": kind(field(of, "budget"), "value"),
                "unit": kind(field(of, "unit"), "value"),
                **parameter_fields(kind, of, services),
            }
            for of in SIDE_FORMS
        ],
    }


def match_request(fields: Fields, parameters: Sequence[ParameterChoice]) -> MatchRequest:
    """What the form says; raises PageError for an empty or half-typed field."""
    first, second = (
        engine_request(symbol, side, parameters) for symbol, side in zip(SYMBOLS, fields["sides"])
    )
    return MatchRequest(
        game=fields["game"],
        sides=(first, second),
        start=moves_of(fields["start"]),
        seed=fields["seed"] if isinstance(fields["seed"], int) else None,
    )


def engine_request(
    symbol: str, side: Fields, parameters: Sequence[ParameterChoice]
) -> EngineRequest | None:
    """A side of the form; None for a person."""
    if side["by"] == PERSON:
        return None
    budget, unit = side["budget"], side["unit"]
    if not isinstance(budget, (int, float)):
        raise PageError(f"Budget of {symbol}: give a number of {unit}")
    try:
        given = changed(side, parameters)
    except PageError as err:
        raise PageError(f"Engine of {symbol}: {err}") from err
    return EngineRequest(
        preset=side["by"],
        iterations=budget if unit == "iterations" else None,  # type: ignore[arg-type] # checked
        seconds=float(budget) if unit == "seconds" else None,
        parameters=given,
    )


def complaint(services: Services, fields: Fields) -> str:
    """What is wrong with the form; nothing where it can be played."""
    try:
        services.check_match(match_request(fields, services.parameters))
    except MctsVizError as err:
        return str(err)
    return ""


def more_words(fields: Fields, parameters: Sequence[ParameterChoice]) -> list[str]:
    """Which parameters of each engine differ from its preset."""
    return [changed_words(side, parameters) for side in fields["sides"]]


def preset_beside(services: Services, by: str) -> PresetChoice:
    """The preset of a side; the usual one while a person plays it."""
    return preset_of(services, services.default_preset if by == PERSON else by)
