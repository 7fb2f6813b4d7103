"""The form of a new search: its controls, and what they say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dash_mantine_components as dmc
from dash import html

from mcts_viz.web.ids import SEARCH_FORM, Ids
from mcts_viz.web.panels.search_controls import (
    Fields,
    always_shown,
    budget,
    changed,
    count_box,
    limits_of,
    moves_of,
    number_of,
    policies,
    preset_of,
)
from mcts_viz.web.services import ParameterChoice, SearchRequest, Services


def form(services: Services) -> list[Any]:
    """All controls, from the game to the policies."""
    preset = preset_of(services, services.default_preset)
    seed = count_box(Ids.SEARCH_SEED.value, "Seed", "a new one", "the same one, the same tree", 0)
    return [
        _game(services),
        budget(SEARCH_FORM, preset),
        html.Div(
            className="form-row form-start",
            children=[
                *always_shown(SEARCH_FORM, services, preset),
                seed,
                dmc.TextInput(
                    id=Ids.SEARCH_MOVES.value,
                    label="Start position",
                    description="moves played before the search, with commas",
                    placeholder="none, or for example 3, 3, 2",
                ),
            ],
        ),
        policies(SEARCH_FORM, services, preset),
    ]


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


def search_request(fields: Fields, parameters: Sequence[ParameterChoice]) -> SearchRequest:
    """What the form says; raises PageError for a half-typed field."""
    return SearchRequest(
        game=(fields["size"] or "").strip() or fields["game"],
        preset=fields["preset"],
        **limits_of(fields),
        seed=number_of("Seed", fields["seed"], whole=True),
        start=moves_of(fields["moves"]),
        parameters=changed(fields, parameters),
    )
