"""The node inspector: board, statistics, and the score split into its two terms; and the move that would be played."""

from __future__ import annotations

from typing import Any

from dash import ALL, ClientsideFunction, Dash, Input, Output, html

from mcts_viz.analysis.decision import BY_VISITS, Decision, decision
from mcts_viz.analysis.node_facts import NodeFacts, node_facts
from mcts_viz.analysis.point_of_view import outcome_text
from mcts_viz.web.attributes import HIDDEN, aria
from mcts_viz.web.cursor import Place, place
from mcts_viz.web.ids import Ids, node_action
from mcts_viz.web.library import Library
from mcts_viz.web.panels.bar import icon_button
from mcts_viz.web.panels.position import position
from mcts_viz.web.words import count, kept_words, number, plural, small, sum_of

LONG_TITLE = 60  # characters; one with more is written smaller, and may scroll
SMALL_BOARD = 49  # actions; the cells of a game with more need a larger picture


def layout() -> Any:
    """An empty panel; the callback fills it."""
    return html.Section(id=Ids.NODE.value, className="node", **aria("selected node"))


def register(app: Dash, library: Library) -> None:
    """Callbacks of the inspector."""

    @app.callback(
        Output(Ids.NODE.value, "children"),
        Output(Ids.DECISION.value, "children"),
        Input(Ids.CURSOR.value, "data"),
        Input(Ids.PROVIDER.value, "forceColorScheme"),
        prevent_initial_call=True,
    )
    def node(cursor: dict[str, Any] | None, theme: str | None) -> tuple[Any, Any]:
        here = place(library, cursor)
        decided = decision_line(decision(here.snapshot))
        if not here.node_exists:
            return not_yet(here), decided
        facts = node_facts(here.snapshot, here.node)
        picture, is_wide = board(library, here, theme)
        return card(here, facts, picture, is_wide), decided

    app.clientside_callback(
        ClientsideFunction("mctsTree", "doWithNode"),
        Input({"type": "node-action", "action": ALL}, "n_clicks"),
        prevent_initial_call=True,
    )


def board(library: Library, here: Place, theme: str | None) -> tuple[Any, bool]:
    """The position, and whether it needs the width of the panel: a picture where the game is known,
    the recorded text where it is not."""
    if library.board_svg(here.key, here.node) is not None:
        address = f"api/trace/{here.key}/board/{here.node}.svg?theme={theme or 'light'}"
        many = int((here.trace.meta.get("game") or {}).get("n_actions") or 0) > SMALL_BOARD
        look = "board large" if many else "board"
        return html.Img(src=address, alt="position at the node", className=look), False
    return position(here.trace.meta, here.snapshot.state(here.node))


def card(here: Place, facts: NodeFacts, picture: Any, is_wide: bool) -> list[Any]:
    """What there is to say about the node; `picture` is its position."""
    over = facts.outcome is not None
    title = "Root" if facts.node == 0 else facts.move
    line = " · ".join(facts.line) if facts.line else "the start position"
    turn = f"game over: {outcome_text(here.trace.meta, facts.outcome)}" if over else turn_of(facts)
    if facts.proven is not None:
        turn += f" · proven: {facts.proven}"
    return [
        html.Div(
            className="node-head",
            children=[
                None if is_wide else picture,
                html.Div(
                    children=[
                        html.Div([heading(title), node_actions()], className="node-title"),
                        html.P(turn, className="turn"),
                        html.P(line, className="line", title=line),
                        html.P(
                            f"node {facts.node:,} · depth {facts.depth} · "
                            + (
                                f"made in iteration {facts.born:,}"
                                if facts.born
                                else kept_words(here.trace.meta) or "there from the start"
                            ),
                            className="dim",
                        ),
                    ]
                ),
            ],
        ),
        picture if is_wide else None,
        html.Dl(
            className="facts",
            children=[
                *fact("visits", count(facts.visits)),
                *fact("value sum", sum_of(facts.value_sum)),
                *fact("mean value", number(facts.mean_value)),
            ],
        ),
        view_line(facts),
        uct_line(facts),
    ]


def heading(title: str) -> Any:
    """The node's name; a very long one scrolls in a few lines, also by keys."""
    return (
        html.H2(title, className="long", tabIndex=0) if len(title) > LONG_TITLE else html.H2(title)
    )


def turn_of(facts: NodeFacts) -> str:
    """Who chooses at the node; nothing worth a line where one plays alone or nobody knows."""
    if facts.chance:
        return "chance decides here"
    return "" if facts.alone or facts.to_move == "unknown" else f"{facts.to_move} to move"


def view_line(facts: NodeFacts) -> Any:
    """Whose view the values are; nothing where there is one player."""
    if facts.alone:
        return None
    if facts.mover == "unknown":
        text = "values in the view of whoever moved here; the trace does not tell who"
    elif facts.by_chance:
        text = f"values in the view of {facts.mover}, who moved before chance did"
    else:
        place = "who moved here" if facts.node else "not to move here"
        text = f"values in the view of {facts.mover}, {place}"
    return html.P(text, className="dim")


def node_actions() -> Any:
    """What can be done with the node beside reading it."""
    small: dict[str, Any] = {"size": "md", "variant": "subtle"}
    return html.Div(
        [
            icon_button(
                "copy", node_action("copy"), "Copy the moves that lead here ( c )", **small
            ),
            icon_button(
                "subtree",
                node_action("subtree"),
                "Expand or collapse the whole subtree ( Shift+E )",
                **small,
            ),
        ],
        className="node-actions",
    )


def uct_line(facts: NodeFacts) -> Any:
    """The score as the next selection would compare it: value + exploration = score."""
    if facts.node == 0:
        return html.P("The root is not compared with anything.", className="uct dim")
    if facts.by_chance:
        return html.P("Chance led here: nothing was compared.", className="uct dim")
    if facts.comes_first:
        return html.P(
            "Not visited yet: UCT ∞, it comes before all siblings that were.", className="uct"
        )
    if facts.score is None:
        return html.P(facts.why_no_score or "No UCT score.", className="uct dim")
    return html.Div(
        className="uct",
        title="as the next selection among its siblings would compare it",
        children=[
            term("value", number(facts.value_term), "value-term"),
            html.Span("+", className="sign"),
            term("exploration", number(facts.exploration_term), "exploration-term"),
            html.Span("=", className="sign"),
            term("UCT score", number(facts.score), "score"),
            html.Small(score_note(facts), className="dim"),
        ],
    )


def score_note(facts: NodeFacts) -> str:
    """Where the terms are not those of a visited node."""
    if facts.result_competes:
        return "a proven result competes alone"
    return "not visited: first-play urgency" if facts.visits == 0 else ""


def term(name: str, value: str, class_name: str) -> Any:
    """A number over its name."""
    return html.Div([html.B(value), html.Small(name)], className=f"term {class_name}")


def fact(name: str, value: str) -> list[Any]:
    """A row of the list of facts."""
    return [html.Dt(name), html.Dd(value)]


def not_yet(here: Place) -> Any:
    """For a node that a later iteration will make."""
    if here.node >= here.trace.n_nodes:
        text = f"Node {here.node:,} is not in this trace, which has {here.trace.n_nodes:,} nodes."
    else:
        born = int(here.trace.columns.born[here.node])
        text = f"Node {here.node:,} is not in the tree yet: iteration {born:,} makes it."
    return html.P(text, className="empty")


def decision_line(chosen: Decision | None) -> Any:
    """The move that would be played now, with the runner-up and the margin."""
    if chosen is None:
        return html.Span("No move yet: no child of the root has been visited.", className="dim")
    reason = decision_reason(chosen)
    return [
        html.Div(
            [
                html.Span("★", className="star", **HIDDEN),
                html.B(chosen.chosen_label),
                " would be played",
            ]
        ),
        html.Div(reason, className="dim", title=reason),
    ]


def decision_reason(chosen: Decision) -> str:
    """The rule, and by what it preferred the move: visits or values, whichever it compares."""
    runner_up = f" · runner-up {chosen.runner_up_label}: "
    if chosen.margin is None and chosen.runner_up is not None:  # a proof has decided
        proof = {1: ", a proven win too", -1: ", a proven loss"}
        also = f"{runner_up}{plural(chosen.runner_up_visits or 0, 'visit')}"
        return _proven_reason(chosen) + also + proof.get(chosen.runner_up_standing or 0, "")
    if chosen.standing > 0:
        return _proven_reason(chosen)
    if chosen.rule in BY_VISITS:
        reason = f"{chosen.rule_words}: {count(chosen.chosen_visits)} of {count(chosen.iterations)}"
        if chosen.margin is not None:
            margin = plural(int(chosen.margin), "visit")
            reason += f"{runner_up}{count(chosen.runner_up_visits)} · margin {margin}"
        return reason
    reason = (
        f"{chosen.rule_words}: {number(chosen.chosen_score)}"
        f" ({count(chosen.chosen_visits)} of {count(chosen.iterations)} visits)"
    )
    if chosen.margin is not None:
        reason += f"{runner_up}{number(chosen.runner_up_score)} · margin {small(chosen.margin)}"
    return reason


def _proven_reason(chosen: Decision) -> str:
    visits = f"{count(chosen.chosen_visits)} of {count(chosen.iterations)} visits"
    return f"{chosen.rule_words} ({visits})"
