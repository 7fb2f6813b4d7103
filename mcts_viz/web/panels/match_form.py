"""The form that sets a match up: the game, who plays which side with what, and where it begins."""

from __future__ import annotations

from typing import Any

import dash_mantine_components as dmc
from dash import State, html

from mcts_viz.errors import PageError
from mcts_viz.web.attributes import aria
from mcts_viz.web.ids import Ids
from mcts_viz.web.library import Library
from mcts_viz.web.panels.match_table import asking
from mcts_viz.web.services import EngineRequest, MatchRequest

PERSON = "person"
UNITS = ("iterations", "seconds")  # of a budget


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
                size="xs",
                allowDeselect=False,
                data=[{"value": g.name, "label": g.title} for g in services.games],
                value=services.default_game,
            ),
            _side(
                library,
                "X, moves first",
                PERSON,
                (Ids.MATCH_FIRST, Ids.MATCH_FIRST_ENGINE),
                (Ids.MATCH_FIRST_BUDGET, Ids.MATCH_FIRST_UNIT, Ids.MATCH_FIRST_C),
            ),
            _side(
                library,
                "O, moves second",
                services.default_preset,
                (Ids.MATCH_SECOND, Ids.MATCH_SECOND_ENGINE),
                (Ids.MATCH_SECOND_BUDGET, Ids.MATCH_SECOND_UNIT, Ids.MATCH_SECOND_C),
            ),
            dmc.TextInput(
                id=Ids.MATCH_START.value,
                label="Start position",
                size="xs",
                placeholder="moves with commas; empty: the first position",
            ),
            dmc.Group(
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
            ),
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
    )


def _side(
    library: Library, label: str, value: str, who: tuple[Ids, Ids], engine: tuple[Ids, Ids, Ids]
) -> Any:
    """Who plays a side, and with what."""
    (select, row), (budget, unit, c) = who, engine
    preset_names = [preset.name for preset in library.services.presets]
    return html.Div(
        [
            dmc.Select(
                id=select.value,
                label=label,
                size="xs",
                allowDeselect=False,
                data=[
                    {"value": PERSON, "label": "a person"},
                    *({"value": p, "label": f"engine: {p}"} for p in preset_names),
                ],
                value=value,
            ),
            html.Div(
                id=row.value,
                className="match-engine",
                hidden=value == PERSON,
                children=[
                    dmc.NumberInput(
                        id=budget.value,
                        value=1000,
                        min=0,
                        size="xs",
                        thousandSeparator=",",
                        hideControls=True,
                        **aria(f"budget of a move of {label[0]}"),
                    ),
                    dmc.Select(
                        id=unit.value,
                        data=list(UNITS),
                        value="iterations",
                        allowDeselect=False,
                        size="xs",
                        **aria(f"unit of the budget of {label[0]}"),
                    ),
                    dmc.NumberInput(
                        id=c.value,
                        placeholder="preset",
                        leftSection=html.Span("c", className="select-label"),
                        leftSectionWidth=22,
                        min=0,
                        step=0.1,
                        size="xs",
                        hideControls=True,
                        **aria(f"c, exploration, of {label[0]}"),
                    ),
                ],
            ),
        ]
    )


FORM = tuple(
    State(each.value, "value")
    for each in (
        Ids.MATCH_GAME,
        Ids.MATCH_START,
        Ids.MATCH_SEED,
        Ids.MATCH_FIRST,
        Ids.MATCH_FIRST_BUDGET,
        Ids.MATCH_FIRST_UNIT,
        Ids.MATCH_FIRST_C,
        Ids.MATCH_SECOND,
        Ids.MATCH_SECOND_BUDGET,
        Ids.MATCH_SECOND_UNIT,
        Ids.MATCH_SECOND_C,
    )
)


def match_request(
    game: str,
    start: str | None,
    seed: Any,
    first: str,
    first_budget: Any,
    first_unit: str,
    first_c: Any,
    second: str,
    second_budget: Any,
    second_unit: str,
    second_c: Any,
) -> MatchRequest:
    """What the form says; raises PageError for an empty or half-typed field."""
    return MatchRequest(
        game=game,
        sides=(
            engine_request("X", first, first_budget, first_unit, first_c),
            engine_request("O", second, second_budget, second_unit, second_c),
        ),
        start=tuple(move.strip() for move in (start or "").split(",") if move.strip()),
        seed=seed if isinstance(seed, int) else None,
    )


def engine_request(
    symbol: str, preset: str, budget: Any, unit: str, c: Any
) -> EngineRequest | None:
    """A side of the form; None for a person."""
    if preset == PERSON:
        return None
    if not isinstance(budget, (int, float)):
        raise PageError(f"Budget of {symbol}: give a number of {unit}")
    return EngineRequest(
        preset=preset,
        iterations=budget if unit == "iterations" else None,  # type: ignore[arg-type] # checked
        seconds=float(budget) if unit == "seconds" else None,
        c=float(c) if isinstance(c, (int, float)) else None,
    )
