"""What an iteration did in each of its phases, in the words and rows of the tab *This iteration*."""

from __future__ import annotations

from typing import NamedTuple

from dash import html

from mcts_viz.analysis.iteration.captions import caption, choice_caption
from mcts_viz.analysis.iteration.phases import Added, Candidate, Change, Choice, PhaseStory
from mcts_viz.web.library import Library
from mcts_viz.web.panels.elements import Content, Part
from mcts_viz.web.panels.grid import (
    COUNT,
    FOUR,
    LONG_NAMES,
    PRIOR,
    SCORE,
    SENTENCES,
    Cells,
    Column,
    Columns,
    Rows,
    column,
    number_column,
)
from mcts_viz.web.panels.tabs.rollout_player import no_simulation, numbered, player
from mcts_viz.web.words import count, number, sum_of

NO_SCORES = (
    "Which scores were compared is not known: the trace does not tell enough for its selection "
    "formula. Visits and means before the choice"
)
BY_MOVER = "Values in the view of the player who moved into the node; the root's in that of who is to move."
SEVERAL = "{}. The trace has the moves of each simulation, but of their results only the mean."


class Shown(NamedTuple):
    """What the tab shows."""

    note: Content  # above the table
    rows: Rows
    columns: Columns


def selection_shown(phase_story: PhaseStory) -> Shown:
    """Every child that was compared, level by level."""
    note: list[Part] = [phase_head(phase_story, "select")]
    if phase_story.choices:
        said = html.Ol([html.Li(level_words(choice)) for choice in phase_story.choices])
        note.append(html.Details([html.Summary("each level in words"), said]))
        says = view_of_chooser(
            phase_story.story.n_players,
            "Scores before the choice" if phase_story.knows_scores else NO_SCORES,
        )
        if any(each.comes_first for choice in phase_story.choices for each in choice.candidates):
            says += " A child that was never visited comes first."
        note.append(html.Div(says, className="dim"))
    rows = [
        candidate_row(choice, each, place == 0)
        for choice in phase_story.choices
        for place, each in enumerate(choice.candidates)
    ]
    return Shown(note, rows, candidate_columns(phase_story.knows_scores))


def view_of_chooser(n_players: int, numbers: str = "Scores before the choice") -> str:
    """Whose view the numbers are; one player has no other."""
    return f"{numbers}." if n_players == 1 else f"{numbers}, in the view of the player who chose."


def level_words(choice: Choice) -> str:
    """A level of the path in words: who chose, where."""
    where = "at the root" if choice.parent == 0 else f"after {choice.position}"
    return f"{choice.chooser} {where}: {choice_caption(choice)}."


def candidate_row(choice: Choice, each: Candidate, is_first: bool) -> Cells:
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
    """The words beside a candidate's numbers."""
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
        number_column("value_term", FOUR, "value", drop=2),
        number_column("exploration_term", SCORE, "exploration", drop=1),
        number_column("score", SCORE),
    ]
    return [
        {**column("depth", "↓"), "headerTooltip": "depth of the child"},
        {"field": "move", "flex": 1, "minWidth": 66, **LONG_NAMES},
        number_column("visits", COUNT),
        *(scores if knows_scores else [number_column("mean_value", FOUR, "mean")]),
        {**column("said", "note"), "minWidth": 76, **SENTENCES},
    ]


def expansion_shown(phase_story: PhaseStory) -> Shown:
    """Every node that was added."""
    note = [phase_head(phase_story, "expand"), html.Div(caption(phase_story, "expand"))]
    return Shown(note, [added_row(each) for each in phase_story.added], added_columns())


def added_row(each: Added) -> Cells:
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
        number_column("node", COUNT),
        {"field": "move", "flex": 1, "minWidth": 66, **LONG_NAMES},
        {**column("position", "below"), "minWidth": 70, **SENTENCES},
        number_column("prior", PRIOR, drop=1),
        {**column("said", "note"), "minWidth": 90, **SENTENCES},
    ]


def update_shown(phase_story: PhaseStory, is_by_mover: bool = True) -> Shown:
    """Every node that backpropagation changed. is_by_mover: in the view of each node's own player."""
    note = [
        phase_head(phase_story, "backpropagate"),
        html.Div(caption(phase_story, "backpropagate")),
    ]
    if phase_story.story.n_players > 1:
        views = {each.view_of for each in phase_story.changes}
        one = f"Values in the view of {views.pop()}." if len(views) == 1 else BY_MOVER
        note.append(html.Div(BY_MOVER if is_by_mover else one, className="dim"))
    return Shown(note, [change_row(each) for each in phase_story.changes], change_columns())


def change_row(each: Change) -> Cells:
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
        "view_of": each.view_of,
        "said": ", ".join(said),
    }


def change_columns() -> Columns:
    """Columns of what backpropagation changed."""

    def text(field: str, name: str, drop: int = 0) -> Column:
        return {**column(field, name, drop), "type": "rightAligned", "sortable": False}

    return [
        column("depth", "↓"),
        {"field": "move", "flex": 1, "minWidth": 66, **LONG_NAMES},
        text("visits", "visits"),
        text("mean_value", "mean"),
        text("value_sum", "value sum", drop=1),
        text("added", "added", drop=3),
        {
            **column("view_of", "player", drop=2),
            "headerTooltip": "The values of a row are in this player's view",
        },
        {**column("said", "note", drop=-1), "minWidth": 60, **SENTENCES},
    ]


def simulation_shown(library: Library, key: str, phase_story: PhaseStory, theme: str) -> list[Part]:
    """The simulations of the leaf, each to step through; words where there is none."""
    head, story = phase_head(phase_story, "simulate"), phase_story.story
    if not story.rollouts or story.is_over:
        return [head, no_simulation(caption(phase_story, "simulate"))]
    several = len(story.rollouts) > 1
    said = SEVERAL if several else caption(phase_story, "simulate")
    result = "result: not recorded by itself" if several else f"result: {story.outcome_words}"
    players = [
        player(library, key, phase_story.t, which, phase_story.leaf, result, theme)
        for which in range(len(story.rollouts))
    ]
    return [head, html.Div([said.format(story.result)]), *numbered(players)]


def phase_head(phase_story: PhaseStory, phase: str) -> Part:
    """Which phase of which iteration, and of when its numbers are."""
    when = "before → after" if phase == "backpropagate" else "numbers before it"
    return html.Div(
        [html.B(phase.capitalize()), html.Span(f" · iteration {phase_story.t:,} · {when}", className="dim")]
    )  # fmt: skip
