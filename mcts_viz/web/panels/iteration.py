"""The tab of the iteration shown: what it did as a whole, or in the phase that is shown; and that
phase in a line under the tree."""

from __future__ import annotations

from typing import Any, NamedTuple

import dash_mantine_components as dmc
from dash import Dash, Input, Output, State, html, no_update

from mcts_viz.analysis.iteration_story import IterationStory, Level, iteration_story
from mcts_viz.analysis.phase_captions import caption, choice_caption
from mcts_viz.analysis.phases import (
    Added,
    Candidate,
    Change,
    Choice,
    PhaseStory,
    has_phases,
    phase_story,
)
from mcts_viz.web.cursor import Place, phase_of
from mcts_viz.web.ids import Ids, cursor_for
from mcts_viz.web.library import Library
from mcts_viz.web.panels.rollout_player import no_simulation, numbered, player
from mcts_viz.web.panels.tables import (
    COUNT,
    FOUR,
    LONG_NAMES,
    PRIOR,
    SCORE,
    Columns,
    grid,
    number_column,
    place_in_tab,
)
from mcts_viz.web.words import count, kept_words, number, small, sum_of

TAB = "iteration"
NO_PHASES = (
    "This file holds whole trees, not the single iterations that made them: there is no path, no "
    "simulation and no phase to show."
)
VIEW_OF_CHOOSER = "Scores before the choice, in the view of the player who chose."


class Shown(NamedTuple):
    """What the tab shows."""

    note: Any  # above the table
    rows: list[dict[str, Any]]
    columns: Columns


def tab() -> Any:
    """Its head among the tabs."""
    return dmc.TabsTab("This iteration", value=TAB)


def panel() -> Any:
    """Its body: words, or a simulation, over a table."""
    return dmc.TabsPanel(
        [
            html.Div(id=Ids.STORY_NOTE.value, className="note iteration-note"),
            html.Div(grid(Ids.STORY, level_columns()), className="grid iteration-grid"),
        ],
        value=TAB,
    )


def register(app: Dash, library: Library) -> None:
    """Callbacks of the tab and of the caption."""

    @app.callback(
        Output(Ids.STORY_NOTE.value, "children"),
        Output(Ids.STORY.value, "rowData"),
        Output(Ids.STORY.value, "columnDefs"),
        Input(cursor_for(TAB), "data"),
        Input(Ids.PROVIDER.value, "forceColorScheme"),
        State(Ids.TABS.value, "value"),
        State(Ids.STORY.value, "columnDefs"),
        prevent_initial_call=True,
    )
    def story(
        cursor: dict[str, Any] | None, theme: str | None, tab: str | None, had: Columns
    ) -> tuple[Any, list[dict[str, Any]], Any]:
        here = place_in_tab(library, cursor, tab, TAB)
        shown = iteration_shown(library, here, cursor or {}, theme)
        same = [each["field"] for each in had or []] == [each["field"] for each in shown.columns]
        return shown.note, shown.rows, no_update if same else shown.columns

    @app.callback(
        Output(Ids.PHASE_CAPTION.value, "children"),
        Output(Ids.PHASE_CAPTION.value, "title"),
        Input(cursor_for("caption"), "data"),
        prevent_initial_call=True,
    )
    def captioned(cursor: dict[str, Any] | None) -> tuple[Any, str]:
        phase = phase_of(cursor or {})
        if cursor is None or phase is None:
            return "", ""
        trace = library.trace(cursor["trace"])
        t = min(int(cursor["iteration"]), trace.n_iterations)
        if t == 0 or not has_phases(trace):
            return "", ""
        said = caption(phase_story(trace, t), phase)
        return [html.B(phase), " ", said], said


def iteration_shown(
    library: Library, here: Place, cursor: dict[str, Any], theme: str | None
) -> Shown:
    """The iteration as a whole, or its phase."""
    phase = phase_of(cursor)
    t = min(int(cursor.get("iteration") or 0), here.trace.n_iterations)
    if t == 0:
        return Shown(before_the_first(here), [], level_columns())
    if not has_phases(here.trace):
        return Shown(NO_PHASES, [], level_columns())
    if phase is None:
        told = iteration_story(here.trace, t)
        return Shown(story_note(told), [level_row(level) for level in told.levels], level_columns())
    found = phase_story(here.trace, t)
    if phase == "simulate":
        return Shown(simulation_shown(library, here.key, found, theme), [], level_columns())
    show = {"select": selection_shown, "expand": expansion_shown, "backpropagate": update_shown}
    return show[phase](found)


def before_the_first(here: Place) -> str:
    """In place of an iteration."""
    kept = kept_words(here.trace.meta)
    begun = "nothing has happened yet" if kept is None else f"the tree was {kept}"
    return f"Before the first iteration: {begun}."


# ---- the iteration as a whole ------------------------------------------------------------------------------------


def level_row(level: Level) -> dict[str, Any]:
    """One level of the selected path as the grid takes it."""
    over = ""
    if level.kind == "added":
        over = "new node"
    elif level.by_chance:
        over = "chance decides"
    elif level.comes_first:
        over = f"first of {len(level.ties) + 1:,} unvisited" if level.ties else "not visited before"
    elif level.ties:
        over = f"tie with {', '.join(level.ties)}: first made wins"
    elif level.margin is not None and level.margin < 0:
        over = f"(behind {level.runner_up}, by {small(-level.margin)})"
    elif level.runner_up is not None:
        over = f"{level.runner_up}, by {small(level.margin)}"
    elif level.score is not None:
        over = "only child"
    return {**level.__dict__, "id": str(level.node), "ties": None, "over": over}


def story_note(told: IterationStory) -> Any:
    """The iteration in a sentence, and its simulation."""
    lines: list[Any] = [html.Span(told.summary)]
    for which, moves in enumerate(told.rollouts or (), start=1):
        if moves:
            name = f" {which}" if len(told.rollouts or ()) > 1 else ""
            title = html.Summary(f"moves of the simulation{name}")
            lines.append(html.Details([title, ", ".join(moves)]))
    if any(level.score is not None for level in told.levels):
        lines.append(html.Div(VIEW_OF_CHOOSER, className="dim"))
    return lines


def level_columns() -> Columns:
    """Columns of the table of one iteration's choices."""
    return [
        {"field": "depth", "headerName": "", "width": 32},
        {"field": "move", "width": 84, **LONG_NAMES},
        number_column("value_term", FOUR, 66, "value"),
        number_column("exploration_term", SCORE, 62, "explor."),
        number_column("score", SCORE, 62, "UCT"),
        {
            "field": "over",
            "headerName": "ahead of",
            "flex": 1,
            "minWidth": 130,
            "tooltipField": "over",
        },
    ]


# ---- its phases --------------------------------------------------------------------------------------------------


def selection_shown(told: PhaseStory) -> Shown:
    """Every child that was compared, level by level."""
    note: list[Any] = [phase_head(told, "select")]
    if told.choices:
        said = html.Ol([html.Li(level_words(choice)) for choice in told.choices])
        note.append(html.Details([html.Summary("each level in words"), said]))
        says = VIEW_OF_CHOOSER if told.knows_scores else NO_SCORES
        if any(each.comes_first for choice in told.choices for each in choice.candidates):
            says += " A child that was never visited comes first."
        note.append(html.Div(says, className="dim"))
    rows = [
        candidate_row(choice, each, place == 0)
        for choice in told.choices
        for place, each in enumerate(choice.candidates)
    ]
    return Shown(note, rows, candidate_columns(told.knows_scores))


NO_SCORES = (
    "Which scores were compared is not known: the trace does not tell enough for its selection "
    "formula. Visits and means before the choice, in the view of the player who chose."
)


def level_words(choice: Choice) -> str:
    """A level of the path in words: who chose, where."""
    where = "at the root" if choice.parent == 0 else f"after {choice.position}"
    return f"{choice.chooser} {where}: {choice_caption(choice)}."


def candidate_row(choice: Choice, each: Candidate, is_first: bool) -> dict[str, Any]:
    """A compared child as the grid takes it."""
    return {
        **each.__dict__,
        "id": str(each.node),
        "depth": choice.level.depth,
        "chosen": each.is_chosen,
        "first": is_first and choice.level.depth > 1,
        "said": candidate_words(each),
    }


def candidate_words(each: Candidate) -> str:
    """What there is to say of it beside its numbers."""
    said = ["selected"] if each.is_chosen else []
    if each.is_tied:
        said.append("tie")
    if each.proven is not None:
        said.append(f"proven: {each.proven}")
    elif each.has_urgency:
        said.append("not visited: first-play urgency")
    elif each.visits == 0:
        said.append("not visited")
    return ", ".join(said)


def candidate_columns(knows_scores: bool) -> Columns:
    """Columns of what selection compared; means where the scores are not known."""
    scores = [
        number_column("value_term", FOUR, 60, "value"),
        number_column("exploration_term", SCORE, 60, "explor."),
        number_column("score", SCORE, 60, "score"),
    ]
    return [
        {"field": "depth", "headerName": "", "width": 30, "headerTooltip": "depth of the child"},
        {"field": "move", "width": 80, **LONG_NAMES},
        number_column("visits", COUNT, 52),
        *(scores if knows_scores else [number_column("mean_value", FOUR, 70, "mean")]),
        {"field": "said", "headerName": "", "flex": 1, "minWidth": 70, "tooltipField": "said"},
    ]


def expansion_shown(told: PhaseStory) -> Shown:
    """Every node that was added."""
    note = [phase_head(told, "expand"), html.Div(caption(told, "expand"))]
    return Shown(note, [added_row(each) for each in told.added], added_columns())


def added_row(each: Added) -> dict[str, Any]:
    """A new node as the grid takes it."""
    said = ["the iteration goes on from it"] if each.on_path else []
    if each.outcome is not None:
        said.append(f"game over: {each.outcome}")
    return {
        **each.__dict__,
        "id": str(each.node),
        "chosen": each.on_path,
        "said": ", ".join(said),
    }  # fmt: skip


def added_columns() -> Columns:
    """Columns of the nodes that were added."""
    return [
        number_column("node", COUNT, 70),
        {"field": "move", "width": 84, **LONG_NAMES},
        {"field": "position", "headerName": "below", "width": 90, "tooltipField": "position"},
        number_column("prior", PRIOR, 58),
        {"field": "said", "headerName": "", "flex": 1, "minWidth": 120, "tooltipField": "said"},
    ]


def update_shown(told: PhaseStory) -> Shown:
    """Every node that backpropagation changed."""
    view = "Values in the view of the player who moved into the node."
    note = [
        phase_head(told, "backpropagate"),
        html.Div(caption(told, "backpropagate")),
        html.Div(view, className="dim"),
    ]
    return Shown(note, [change_row(each) for each in told.changes], change_columns())


def change_row(each: Change) -> dict[str, Any]:
    """A node before and after as the grid takes it; the texts are those of the columns."""
    said = [] if each.on_path else ["not on the path"]
    if each.added is None:
        said.append("not updated")
    if each.proven is not None:
        said.append(f"proven: {each.proven}")
    return {
        "id": str(each.node),
        "depth": each.depth,
        "move": each.move,
        "visits": " → ".join(count(n) for n in each.visits),
        "added": None if each.added is None else sum_of(each.added),
        "value_sum": " → ".join(sum_of(value) for value in each.value_sum),
        "mean_value": " → ".join(number(value) for value in each.mean_value),
        "mover": each.mover,
        "said": ", ".join(said),
    }


def change_columns() -> Columns:
    """Columns of what backpropagation changed."""

    def text(field: str, name: str, width: int) -> dict[str, Any]:
        return {
            "field": field, "headerName": name, "width": width, "type": "rightAligned",
            "sortable": False, "tooltipField": field,
        }  # fmt: skip

    return [
        {"field": "depth", "headerName": "", "width": 30},
        {"field": "move", "width": 74, **LONG_NAMES},
        text("visits", "visits", 104),
        text("mean_value", "mean", 118),
        text("value_sum", "value sum", 104),
        text("added", "added", 60),
        {"field": "mover", "headerName": "view of", "width": 62},
        {"field": "said", "headerName": "", "flex": 1, "minWidth": 90, "tooltipField": "said"},
    ]


def simulation_shown(library: Library, key: str, told: PhaseStory, theme: str | None) -> list[Any]:
    """The simulations of the leaf, each to step through; words where there is none."""
    head, story = phase_head(told, "simulate"), told.story
    if not story.rollouts or story.is_over:
        return [head, no_simulation(caption(told, "simulate"))]
    several = len(story.rollouts) > 1
    said = SEVERAL if several else caption(told, "simulate")
    result = "result: not recorded by itself" if several else f"result: {story.outcome_words}"
    players = [
        player(library, key, told.t, which, told.leaf, result, theme)
        for which in range(len(story.rollouts))
    ]
    return [head, html.Div([said.format(story.result)]), *numbered(players)]


SEVERAL = "{}. The trace has the moves of each simulation, but of their results only the mean."


def phase_head(told: PhaseStory, phase: str) -> Any:
    """Which phase of which iteration, and of when its numbers are."""
    when = "before → after" if phase == "backpropagate" else "numbers before it"
    return html.Div(
        [html.B(phase.capitalize()), html.Span(f" · iteration {told.t:,} · {when}", className="dim")]
    )  # fmt: skip
