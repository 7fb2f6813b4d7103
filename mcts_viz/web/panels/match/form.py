"""The form that sets a match up: the game, who plays which side with what, and where it begins."""

from __future__ import annotations

import dash_mantine_components as dmc
from dash import Input, State, html

from mcts_viz.engine.presets import PRESETS
from mcts_viz.errors import PageError
from mcts_viz.games import LISTED, game
from mcts_viz.runs.options import SearchOptions
from mcts_viz.web.ids import SIDE_FORMS, Ids, field
from mcts_viz.web.jobs.matches import MatchRequest
from mcts_viz.web.library import Library
from mcts_viz.web.panels.elements import LARGE_DIALOG, Part, aria, dialog
from mcts_viz.web.panels.forms.controls import (
    WORDS_BELOW,
    changed,
    changed_words,
    moves_of,
    parameter_fields,
    parameters_by_phase,
)
from mcts_viz.web.panels.forms.presets import USUAL_GAME, USUAL_PRESET, PresetChoice, preset_of
from mcts_viz.web.panels.forms.running import Fields, Wiring, message
from mcts_viz.web.panels.forms.start import start_board
from mcts_viz.web.panels.match.table import asking

PERSON = "person"
MATCH_FORM = "match"
UNITS = ("iterations", "seconds")  # of a budget
SYMBOLS = ("X", "O")


def form(library: Library) -> Part:
    """Game, sides, start position and seed."""
    return dmc.Stack(
        id=Ids.MATCH_SETUP,
        gap=8,
        children=[
            dmc.Select(
                id=Ids.MATCH_GAME,
                label="Game",
                description="built in; your own is played from Python",
                inputWrapperOrder=WORDS_BELOW,
                size="xs",
                allowDeselect=False,
                data=[{"value": name, "label": game(name).title} for name in LISTED],
                value=USUAL_GAME,
            ),
            _side(0, "X, moves first", PERSON),
            _side(1, "O, moves second", USUAL_PRESET),
            dmc.TextInput(
                id=Ids.MATCH_START,
                label="Start position",
                size="xs",
                placeholder="moves, or click the board",
            ),
            start_board(MATCH_FORM),
            _start_and_seed(),
            html.Div(
                className="match-foot",
                children=[
                    html.Div(id=Ids.MATCH_ERROR, className="form-error", role="alert"),
                    dmc.Group(
                        justify="flex-end",
                        gap=8,
                        children=[
                            asking("Back to the game", "back", size="xs", class_name="match-back"),
                            dmc.Button("Start", id=Ids.MATCH_BEGIN, size="xs"),
                        ],
                    ),
                ],
            ),
        ],
    )


def _start_and_seed() -> Part:
    return dmc.Group(
        justify="space-between",
        gap=6,
        wrap="nowrap",
        children=[
            dmc.Button(
                "From selected node",
                id=Ids.MATCH_FROM_NODE,
                size="compact-xs",
                variant="default",
            ),
            dmc.NumberInput(
                id=Ids.MATCH_SEED,
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


def _side(player: int, label: str, value: str) -> Part:
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
                    *({"value": name, "label": f"engine: {name}"} for name in PRESETS),
                ],
                value=value,
            ),
            html.Div(
                id=field(of, "engine"),
                hidden=value == PERSON,
                children=_engine(of, SYMBOLS[player]),
            ),
        ]
    )


def _engine(of: str, symbol: str) -> list[Part]:
    """Budget of a move and c; the other parameters are in a dialog."""
    preset = preset_of(USUAL_PRESET)
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
    return [row, more, _dialog(of, symbol, preset)]


def _dialog(of: str, symbol: str, preset: PresetChoice) -> Part:
    done = dmc.Button("Done", id=field(of, "done"))
    return dialog(
        field(of, "policies"),
        f"Engine of {symbol}",
        [
            *parameters_by_phase(of, preset),
            html.Div(
                className="form-footer",
                children=[
                    html.Div(id=field(of, "error"), className="form-error", role="alert"),
                    dmc.Group(done, justify="flex-end"),
                ],
            ),
        ],
        "search-dialog",
        **LARGE_DIALOG,
    )


def fields_of(kind: type[Input] | type[State]) -> Wiring:
    """All of the form's controls, as `match_request` reads them."""
    return {
        "game": kind(Ids.MATCH_GAME, "value"),
        "start": kind(Ids.MATCH_START, "value"),
        "seed": kind(Ids.MATCH_SEED, "value"),
        "sides": [
            {
                "by": kind(of, "value"),
                "budget": kind(field(of, "budget"), "value"),
                "unit": kind(field(of, "unit"), "value"),
                **parameter_fields(kind, of),
            }
            for of in SIDE_FORMS
        ],
    }


def match_request(fields: Fields) -> MatchRequest:
    """What the form says; raises PageError for an empty or half-typed field."""
    first, second = (engine_options(symbol, side) for symbol, side in zip(SYMBOLS, fields["sides"]))
    return MatchRequest(
        game=fields["game"],
        sides=(first, second),
        start=moves_of(fields["start"]),
        seed=fields["seed"] if isinstance(fields["seed"], int) else None,
    )


def engine_options(symbol: str, side: Fields) -> SearchOptions | None:
    """A side of the form; None for a person."""
    if side["by"] == PERSON:
        return None
    budget, unit = side["budget"], side["unit"]
    if not isinstance(budget, (int, float)):
        raise PageError(f"Budget of {symbol}: give a number of {unit}")
    try:
        given = changed(side)
    except PageError as err:
        raise PageError(f"Engine of {symbol}: {err}") from err
    return SearchOptions(
        preset=side["by"],
        iterations=budget if unit == "iterations" else None,  # type: ignore[arg-type] # checked
        seconds=float(budget) if unit == "seconds" else None,
        overrides=given,
    )


def complaint(fields: Fields) -> str:
    """What is wrong with the form; nothing where it can be played."""
    return message(lambda: match_request(fields).check())


def more_words(fields: Fields) -> list[str]:
    """Which parameters of each engine differ from its preset."""
    return [changed_words(side) for side in fields["sides"]]


def preset_beside(by: str) -> PresetChoice:
    """The preset of a side; the usual one while a person plays it."""
    return preset_of(USUAL_PRESET if by == PERSON else by)
