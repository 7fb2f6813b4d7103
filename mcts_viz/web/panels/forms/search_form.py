"""The form of a new search: its controls, and what they say."""

from __future__ import annotations

import dash_mantine_components as dmc
from dash import html

from mcts_viz.engine.presets import PRESETS
from mcts_viz.games import LISTED, game
from mcts_viz.games import PARAMETERS as SIZES
from mcts_viz.web.ids import SEARCH_FORM, Ids
from mcts_viz.web.jobs.searches import SearchRequest
from mcts_viz.web.panels.elements import Part
from mcts_viz.web.panels.forms.controls import (
    always_shown,
    budget,
    count_box,
    moves_of,
    number_of,
    options_of,
    policies,
)
from mcts_viz.web.panels.forms.presets import USUAL_GAME, USUAL_PRESET, preset_of
from mcts_viz.web.panels.forms.running import Fields
from mcts_viz.web.panels.forms.start import start_board


def form() -> list[Part]:
    """All controls, from the game to the policies."""
    preset = preset_of(USUAL_PRESET)
    seed = count_box(Ids.SEARCH_SEED, "Seed", "a new one", "same seed, same tree", 0)
    return [
        _game(),
        budget(SEARCH_FORM, preset),
        html.Div(
            className="form-row form-start",
            children=[
                *always_shown(SEARCH_FORM, preset),
                seed,
                count_box(Ids.SEARCH_WORKERS, "Workers", "1", "side by side"),
                dmc.TextInput(
                    id=Ids.SEARCH_MOVES,
                    label="Start position",
                    description="moves before the search: typed, or clicked on the board",
                    placeholder="none",
                ),
            ],
        ),
        start_board(SEARCH_FORM),
        policies(SEARCH_FORM, preset),
    ]


def _game() -> Part:
    return html.Div(
        className="form-row",
        children=[
            dmc.Select(
                id=Ids.SEARCH_GAME,
                label="Game",
                description="a board of the usual size",
                allowDeselect=False,
                data=[{"value": name, "label": game(name).title} for name in LISTED],
                value=USUAL_GAME,
            ),
            dmc.TextInput(
                id=Ids.SEARCH_SIZE,
                label="Another size",
                description=" or ".join(f"{family}:{sizes}" for family, sizes in SIZES.items()),
                placeholder="the usual one",
            ),
            dmc.Select(
                id=Ids.SEARCH_PRESET,
                label="Preset",
                description="policies of a known search",
                allowDeselect=False,
                data=list(PRESETS),
                value=USUAL_PRESET,
            ),
        ],
    )


def search_request(fields: Fields) -> SearchRequest:
    """What the form says; raises PageError for a half-typed field."""
    workers = number_of("Workers", fields["workers"], whole=True)
    options = options_of(fields, start=moves_of(fields["moves"]), workers=workers)
    return SearchRequest((fields["size"] or "").strip() or fields["game"], options)
