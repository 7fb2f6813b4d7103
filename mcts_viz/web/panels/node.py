"""The node inspector: board, statistics, and the score split into its two terms; and the move that would be played."""

from __future__ import annotations

import re

from dash import ALL, Dash, Input, Output, html

from mcts_viz.analysis.choice.decision import BY_VISITS, Decision, decision
from mcts_viz.analysis.node.facts import NodeFacts, node_facts
from mcts_viz.analysis.node.halving import halving_phase
from mcts_viz.analysis.point_of_view import outcome_text
from mcts_viz.web.cursor import Cursor, Place, place
from mcts_viz.web.ids import Ids, node_action
from mcts_viz.web.library import Library
from mcts_viz.web.panels import documents, verdict
from mcts_viz.web.panels.documents import OpenDocument
from mcts_viz.web.panels.elements import (
    HIDDEN,
    Content,
    Part,
    aria,
    asked_number,
    data,
    icon_button,
    in_browser,
)
from mcts_viz.web.panels.players import player_parts
from mcts_viz.web.panels.position import position, text_words
from mcts_viz.web.words import NOTHING, count, kept_words, number, plural, small, sum_of

LONG_TITLE = 60  # characters; one with more is written smaller, and may scroll
MOST_WAYS = 6  # to a shared node, that are named
VISITS = re.compile(r"([\d,]+) of ([\d,]+)")
SMALL_BOARD = 49  # actions; the cells of a game with more need a larger picture


def layout() -> Part:
    """An empty panel; the callback fills it."""
    return html.Section(id=Ids.NODE, className="node", **aria("selected node"))


def register(app: Dash, library: Library) -> None:
    """Callbacks of the inspector."""

    @app.callback(
        Output(Ids.NODE, "children"),
        Output(Ids.DECISION, "children"),
        Output(Ids.VERDICT, "children"),
        Input(Ids.CURSOR, "data"),
        Input(Ids.DOCUMENT, "data"),
        prevent_initial_call=True,
    )
    def node(
        cursor: Cursor | None, opened: OpenDocument | None
    ) -> tuple[Content, Content, Content]:
        here = place(library, cursor)
        is_end = here.snapshot.iteration >= here.trace.n_iterations
        decided = decision_line(decision(here.snapshot), is_end)
        judged = verdict.words(verdict.verdict_here(library, here), here.trace.meta)
        if not here.node_exists:
            return not_yet(here), decided, judged
        facts = node_facts(here.snapshot, here.node, here.view)
        picture, is_wide = board(library, here)
        shown = [
            *card(here, facts, picture, is_wide),
            *player_parts(here),
            *documents.reading(here, opened),
        ]
        return shown, decided, judged

    in_browser(
        app, "mctsTree.doWithNode", Input({"type": "node-action", "action": ALL}, "n_clicks")
    )


def board(library: Library, here: Place) -> tuple[Part, bool]:
    """The position, and whether it needs the width of the panel: a picture where the game is known,
    the recorded text where it is not."""
    if library.board_svg(here.key, here.node) is not None:
        t = f"&t={here.snapshot.iteration}" if here.node_exists else ""
        view = f"&viewpoint={here.viewpoint}" if here.view.player is not None else ""
        address = f"api/trace/{here.key}/board/{here.node}.svg?theme={here.theme}{t}{view}"
        many = (here.trace.meta.game.n_actions or 0) > SMALL_BOARD
        look = "board large" if many else "board"
        bigger = {
            **data("open", "board"),
            "title": "the moves of the search; a click shows them larger",
        }
        return html.Img(src=address, alt="position at the node", className=look, **bigger), False
    return position(here.trace.meta, here.snapshot.state(here.node))


def card(here: Place, facts: NodeFacts, picture: Part, is_wide: bool) -> list[Part]:
    """The node's card; `picture` shows its position."""
    over = facts.outcome is not None
    title = "Root" if facts.node == 0 else facts.move
    begin = "the start" if facts.alone else "the start position"
    line = " · ".join(facts.line) if facts.line else begin
    turn = f"game over: {outcome_text(here.trace.meta, facts.outcome)}" if over else turn_of(facts)
    if facts.proven is not None:
        turn += f" · proven: {facts.proven}"
    tried = expansion_words(facts)
    turn = " · ".join(filter(None, (turn, tried)))
    return [
        html.Div(
            className="node-head",
            children=[
                None if is_wide else picture,
                html.Div(
                    className="node-told",
                    children=[
                        html.Div([heading(title), node_actions()], className="node-title"),
                        html.P(turn, className="turn"),
                        None
                        if len(facts.line) == 1  # it is the title
                        else html.P(line, className="line", title=line),
                        html.P(about(here, facts), className="dim about"),
                        statistics(facts),
                        view_line(facts),
                        halving_line(here, facts),
                        ways_line(facts),
                    ],
                ),
            ],
        ),
        picture if is_wide else None,
        text_line(here),
        score_line(facts),
    ]


def text_line(here: Place) -> Part:
    """A line that says that the position changed after it was recorded; None where it did not."""
    words = text_words(here.trace, here.node)
    return html.P(words, className="dim state-words", title=words) if words else None


def about(here: Place, facts: NodeFacts) -> str:
    """Number, depth and origin of the node."""
    born = (
        f"iteration {facts.born:,}"
        if facts.born
        else kept_words(here.trace.meta) or "from the start"
    )
    return f"node {facts.node:,} · depth {facts.depth} · {born}"


def statistics(facts: NodeFacts) -> Part:
    """Visits and values, a number over its name."""
    return html.Dl(
        className="facts",
        children=[
            *fact("visits", asked(count(facts.visits), facts, "visits")),
            *fact("value sum", asked(sum_of(facts.value_sum), facts, "value_sum")),
            *fact("mean value", asked(number(facts.mean_value), facts, "mean_value")),
        ],
    )


def halving_line(here: Place, facts: NodeFacts) -> Part:
    """At the root of a Gumbel search, the phase of sequential halving."""
    phase = halving_phase(here.snapshot) if facts.node == 0 else None
    return html.P(phase.words(here.snapshot), className="dim") if phase else None


def heading(title: str) -> Part:
    """The node's name; a very long one scrolls in a few lines, also by keys."""
    return (
        html.H2(title, className="long", tabIndex=0) if len(title) > LONG_TITLE else html.H2(title)
    )


def turn_of(facts: NodeFacts) -> str:
    """Who chooses at the node; empty in a game of one player and where the player is unknown."""
    if facts.chance:
        return "chance decides here"
    if facts.together:
        return "all choose at once"
    return "" if facts.alone or facts.to_move == "unknown" else f"{facts.to_move} to move"


def view_line(facts: NodeFacts) -> Part:
    """Whose view the values are; nothing where there is one player."""
    if facts.alone:
        return None
    if facts.view == "unknown":
        text = "values in the view of the player who moved here; the trace does not say who"
    elif facts.all_moved:
        text = f"values in the view of {facts.view}; all moved here at once"
    elif facts.view != facts.mover:
        text = f"values in the view of {facts.view}"
        text += ", who is to move" if facts.view == facts.to_move else ""
    elif facts.by_chance:
        text = f"values in the view of {facts.view}, who moved before chance did"
    else:
        text = f"values in the view of {facts.view}{', who moved here' if facts.node else ''}"
    return html.P(text, className="dim view")


def ways_line(facts: NodeFacts) -> Part:
    """By which ways a shared node is reached, with the visits of each, and where it goes on."""
    if not facts.ways:
        return None
    parts: list[Part | str] = [
        f"{len(facts.ways)} ways lead here, with {plural(facts.all_visits, 'visit')} together: "
    ]
    for i, way in enumerate(facts.ways[:MOST_WAYS]):
        text = f"{' · '.join(way.line) or 'the root'} ({count(way.visits)})"
        here = way.node == facts.node
        parts += [", "] if i else []
        parts.append(
            html.B(text)
            if here
            else html.Button(
                text, className="why-link", type="button", **data("select", str(way.node))
            )
        )
    more = len(facts.ways) - MOST_WAYS
    parts.append(f" and {more:,} more. " if more > 0 else ". ")
    if facts.ways[0].node != facts.node:
        parts.append("The tree goes on below the first.")
    return html.P(parts, className="dim ways")


def expansion_words(facts: NodeFacts) -> str:
    """How many legal moves have a child; nothing where the game is over, or the rules are not known."""
    if facts.untried is None or facts.outcome is not None:
        return ""
    n = facts.untried + facts.n_children
    return (
        f"{facts.untried} of {n} moves untried"
        if facts.untried
        else f"{plural(n, 'move')}, all tried"
    )


def node_actions() -> Part:
    """What can be done with the node beside reading it."""
    small = {"size": "md", "variant": "subtle"}
    return html.Div(
        [
            icon_button("copy", node_action("copy"), "Copy the moves that lead here", "c", **small),
            icon_button(
                "subtree",
                node_action("subtree"),
                "Expand or collapse the whole subtree",
                "shift e",
                **small,
            ),
        ],
        className="node-actions",
    )


def score_line(facts: NodeFacts) -> Part:
    """The score as the next selection would compare it: value + exploration = score."""
    if facts.node == 0:
        return None  # it is compared with nothing
    if facts.by_chance:
        return html.P("Chance led here: nothing was compared.", className="uct dim")
    if facts.comes_first:
        return html.P(
            "Not visited yet: its selection score is ∞, so it comes before siblings that were.",
            className="uct",
        )
    if facts.score is None:
        return html.P(facts.why_no_score or "No selection score.", className="uct dim")
    return html.Div(
        className="uct",
        title="as the next selection among its siblings would compare it",
        children=[
            term("value", asked(number(facts.value_term), facts, "value_term"), "value-term"),
            html.Span("+", className="sign"),
            term(
                "exploration",
                asked(number(facts.exploration_term), facts, "exploration_term"),
                "exploration-term",
            ),
            html.Span("=", className="sign"),
            term("selection score", asked(number(facts.score), facts, "score"), "score"),
            html.Small(score_note(facts), className="dim"),
        ],
    )


def score_note(facts: NodeFacts) -> str:
    """A note where the terms are not those of a visited node."""
    if facts.result_competes:
        return "its proven result is the score"
    if facts.visits == 0:
        return "not visited: first-play urgency"
    return f"in the view of {facts.mover}, who chose" if facts.view != facts.mover else ""


def asked(text: str, facts: NodeFacts, number: str) -> Part:
    """A number of the node that can be asked about."""
    return asked_number(text, facts.node, number) if text != NOTHING else text


def term(name: str, value: Part, class_name: str) -> Part:
    """A number over its name."""
    return html.Div([html.B(value), html.Small(name)], className=f"term {class_name}")


def fact(name: str, value: Part) -> list[Part]:
    """A row of the list of facts."""
    return [html.Dt(name), html.Dd(value)]


def not_yet(here: Place) -> Part:
    """The card of a node that a later iteration will make."""
    if here.node >= here.trace.n_nodes:
        text = f"Node {here.node:,} is not in this trace, which has {here.trace.n_nodes:,} nodes."
    else:
        born = int(here.trace.columns.nodes.born[here.node])
        text = f"Node {here.node:,} is not in the tree yet: iteration {born:,} makes it."
    return html.P(text, className="empty")


def decision_line(chosen: Decision | None, is_end: bool = True) -> Content:
    """The move that would be played now, with the runner-up and the margin; before the end of the search it leads."""
    if chosen is None:
        return html.Span("No move yet: no child of the root has been visited.", className="dim")
    reason = decision_reason(chosen)
    return [
        html.Div(
            [
                html.Span("★", className="star", **HIDDEN),
                html.B(chosen.chosen_label),
                html.Span(f" {chosen.verb}" if is_end else " leads so far"),
            ],
            className="choice",
        ),
        # what has no room goes as a whole, the rule's words first, then the number of all: none is cut
        html.Div(
            [html.Span(_words_apart(asking(part, chosen))) for part in parted(reason)],
            className="dim reason",
            title=reason,
        ),
    ]


def _words_apart(part: list[Part]) -> list[Part]:
    """The part with the words before its numbers by themselves; one piece without such words, as the style puts the
    second piece first where both do not fit."""
    words, colon, others = part[0].partition(": ") if isinstance(part[0], str) else ("", "", "")
    if not colon:
        return [html.Span(part)]
    return [html.Span(f"{words}: "), html.Span([others, *part[1:]])]


def parted(reason: str) -> list[str]:
    """The parts of a reason, the ones behind beginning with their dot."""
    first, *others = reason.split(" · ")
    return [first, *(f" · {part}" for part in others)]


def asking(part: str, chosen: Decision) -> list[Part]:
    """A part of the reason, its numbers of visits such as can be asked about."""
    if found := VISITS.search(part):
        begin, end = part[: found.start()], part[found.end() :]
        own = asked_number(found[1], chosen.chosen, "visits")
        return [begin, own, html.Span([" of ", asked_number(found[2], 0, "visits"), end])]
    name, colon, visits = part.rpartition(": ")
    if colon and chosen.runner_up is not None and visits == count(chosen.runner_up_visits):
        return [f"{name}: ", asked_number(visits, chosen.runner_up, "visits")]
    return [part]


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
        f" · {count(chosen.chosen_visits)} of {count(chosen.iterations)} visits"
    )
    if chosen.margin is not None:
        reason += f"{runner_up}{number(chosen.runner_up_score)} · margin {small(chosen.margin)}"
    return reason


def _proven_reason(chosen: Decision) -> str:
    visits = f"{count(chosen.chosen_visits)} of {count(chosen.iterations)} visits"
    return f"{chosen.rule_words} · {visits}"
