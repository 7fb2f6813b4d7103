"""The tab of the iteration shown: what it did as a whole, or in the phase that is shown; and that
phase in a line under the tree."""

from __future__ import annotations

from dash import Dash, Input, Output, State, html, no_update

from mcts_viz.analysis.iteration.captions import caption
from mcts_viz.analysis.iteration.phases import (
    has_phases,
    phase_story,
)
from mcts_viz.analysis.iteration.story import IterationStory, Level, iteration_story
from mcts_viz.web.cursor import Cursor, Place, iteration_of, phase_of, place
from mcts_viz.web.ids import Ids, cursor_for
from mcts_viz.web.library import Library
from mcts_viz.web.panels.elements import Content, Part
from mcts_viz.web.panels.grid import (
    FOUR,
    LONG_NAMES,
    SCORE,
    SENTENCES,
    Cells,
    Columns,
    Rows,
    column,
    noted_grid,
    number_column,
    select_by_row,
)
from mcts_viz.web.panels.tabs.phases import (
    Shown,
    expansion_shown,
    selection_shown,
    simulation_shown,
    update_shown,
    view_of_chooser,
)
from mcts_viz.web.panels.tabs.tab import Tab
from mcts_viz.web.words import kept_words, small

NAME = "iteration"
NO_PHASES = (
    "This file holds whole trees, not the single iterations that made them: there is no path, no "
    "simulation and no phase to show."
)


def body() -> list[Part]:
    """Words, or a simulation, over a table."""
    return noted_grid(Ids.STORY_NOTE, Ids.STORY, level_columns(), "iteration")


def register(app: Dash, library: Library) -> None:
    """Callbacks of the tab and of the caption."""

    @app.callback(
        Output(Ids.STORY_NOTE, "children"),
        Output(Ids.STORY, "rowData"),
        Output(Ids.STORY, "columnDefs"),
        Input(cursor_for(NAME), "data"),
        State(Ids.STORY, "columnDefs"),
        prevent_initial_call=True,
    )
    def story(cursor: Cursor | None, had: Columns) -> tuple[Content, Rows, object]:
        here = place(library, cursor)
        shown = iteration_shown(library, here, cursor or {})
        same = [each["field"] for each in had or []] == [each["field"] for each in shown.columns]
        return shown.note, shown.rows, no_update if same else shown.columns

    @app.callback(
        Output(Ids.PHASE_CAPTION, "children"),
        Output(Ids.PHASE_CAPTION, "title"),
        Input(cursor_for("caption"), "data"),
        prevent_initial_call=True,
    )
    def captioned(cursor: Cursor | None) -> tuple[Content, str]:
        phase = phase_of(cursor or {})
        if phase is None:
            return "", ""
        here = place(library, cursor)
        t = iteration_of(cursor or {}, here.trace)
        if t == 0 or not has_phases(here.trace):
            return "", ""
        said = caption(phase_story(here.trace, t, here.view), phase)
        return [html.B(phase), " ", said], said

    select_by_row(app, Ids.STORY)


def iteration_shown(library: Library, here: Place, cursor: Cursor) -> Shown:
    """The iteration as a whole, or its phase."""
    phase = phase_of(cursor)
    t = iteration_of(cursor, here.trace)
    if t == 0:
        return Shown(before_the_first(here), [], level_columns())
    if not has_phases(here.trace):
        return Shown(NO_PHASES, [], level_columns())
    if phase is None:
        story = iteration_story(here.trace, t)
        return Shown(
            story_note(story), [level_row(level) for level in story.levels], level_columns()
        )
    found = phase_story(here.trace, t, here.view)
    if phase == "simulate":
        return Shown(simulation_shown(library, here.key, found, here.theme), [], level_columns())
    if phase == "backpropagate":
        return update_shown(found, here.view.player is None)
    return selection_shown(found) if phase == "select" else expansion_shown(found)


def before_the_first(here: Place) -> str:
    """The panel before the first iteration."""
    kept = kept_words(here.trace.meta)
    begun = "nothing has happened yet" if kept is None else f"the tree was {kept}"
    return f"Before the first iteration: {begun}."


def level_row(level: Level) -> Cells:
    """One level of the selected path as the grid takes it."""
    over = ""
    if level.kind == "added":
        over = "new node"
    elif level.by_chance:
        over = "chance decides"
    elif level.comes_first:
        over = f"first of {len(level.ties) + 1:,} unvisited" if level.ties else "not visited before"
    elif level.ties:
        why = f": {level.tie_words}" if level.tie_words else ""
        over = f"tie with {', '.join(level.ties)}{why}"
    elif level.margin is not None and level.margin < 0:
        over = f"(behind {level.runner_up}, by {small(-level.margin)})"
    elif level.runner_up is not None:
        over = f"{level.runner_up}, by {small(level.margin)}"
    elif level.score is not None:
        over = "only child"
    return {**level.__dict__, "id": str(level.node), "ties": None, "over": over}


def story_note(story: IterationStory) -> Content:
    """The iteration in a sentence, and its simulation."""
    lines: list[Part] = [html.Span(story.summary)]
    for which, moves in enumerate(story.rollouts or (), start=1):
        if moves:
            name = f" {which}" if len(story.rollouts or ()) > 1 else ""
            title = html.Summary(f"moves of the simulation{name}")
            lines.append(html.Details([title, ", ".join(moves)]))
    if any(level.score is not None for level in story.levels):
        lines.append(html.Div(view_of_chooser(story.n_players), className="dim"))
    return lines


def level_columns() -> Columns:
    """Columns of the table of one iteration's choices."""
    return [
        column("depth", "↓"),
        {"field": "move", "flex": 1, "minWidth": 66, **LONG_NAMES},
        number_column("value_term", FOUR, "value", drop=2),
        number_column("exploration_term", SCORE, "exploration", drop=1),
        number_column("score", SCORE),
        {**column("over", "ahead of"), "minWidth": 96, **SENTENCES},
    ]


TAB = Tab(NAME, "This iteration", body, register)
