"""The parts of a node's card about several players: its value for each, and where all choose at once their moves and
payoffs."""

from __future__ import annotations

from dash import html

from mcts_viz.analysis.choice.joint_choice import JointChoice, Marginal, Payoff, joint_choice
from mcts_viz.analysis.point_of_view import Viewpoint
from mcts_viz.views.board import PLAYER_COLOURS
from mcts_viz.web.cursor import Place
from mcts_viz.web.panels.elements import Part, aria, data
from mcts_viz.web.words import count, number, percent

MOST_MOVES = 12  # of a player that a table shows, the most visited


def player_parts(here: Place) -> list[Part]:
    """Nothing for a node with one value at which one player chooses."""
    joint = joint_choice(here.snapshot, here.node)
    return [*_values(here), *([] if joint is None else _joint(here, joint))]


def _values(here: Place) -> list[Part]:
    """The mean value for each player."""
    snapshot, node = here.snapshot, here.node
    if snapshot.player_sums is None or not snapshot.visits[node]:
        return []
    means = [
        html.Span([f"{name} ", html.B(number(Viewpoint(player).mean(snapshot, node)))])
        for player, name in enumerate(snapshot.meta.player_names)
    ]
    return [html.Div([html.Span("mean for each player:"), *means], className="node-numbers")]


def _joint(here: Place, joint: JointChoice) -> list[Part]:
    names = here.trace.meta.player_names
    if joint.payoffs:
        return [_matrix(here, joint, names)]
    return [
        html.Table(
            [
                html.Caption(f"own moves of {name}, whatever the others choose"),
                html.Tr(
                    [html.Th(each) for each in ("move", "visits", "share", f"mean for {name}")]
                ),
                *(
                    html.Tr(
                        [
                            html.Th(each.move, scope="row"),
                            html.Td(count(each.visits)),
                            html.Td(percent(each.share)),
                            html.Td(number(each.mean_value)),
                        ]
                    )
                    for each in own[:MOST_MOVES]
                ),
                *_left_out(len(own) - MOST_MOVES, 4),
            ],
            className="joint",
        )
        for name, own in zip(names, joint.marginals)
    ]


def _matrix(here: Place, joint: JointChoice, names: list[str]) -> Part:
    """The payoff of every pair of moves, with the marginal of each player's own move at its edge, not in rows and
    columns more: three moves of each have room beside the smallest tree."""
    rows, columns = (own[:MOST_MOVES] for own in joint.marginals)
    shown = 1 if here.view.player == 1 else 0
    known = any(
        each is not None and each.values[shown] is not None for row in joint.payoffs for each in row
    )
    shown = shown if known else 0
    low, high = here.trace.meta.value_range
    head = html.Tr(
        [
            html.Th([f"{names[0]} ↓", html.Br(), f"{names[1]} →"], className="dim"),
            *(_own_move(each, "col") for each in columns),
        ]
    )
    body = [
        html.Tr(
            [
                _own_move(own, "row"),
                *(_cell(each, shown, low, high) for each in payoffs[: len(columns)]),
            ]
        )
        for own, payoffs in zip(rows, joint.payoffs)
    ]
    more = max(len(own) for own in joint.marginals) - MOST_MOVES
    caption = f"mean for {names[shown]}, visits; edges: one player's move"
    return html.Div(
        html.Table(
            [html.Caption(caption), head, *body, *_left_out(more, len(columns) + 1)],
            className="joint matrix",
        ),
        className="joint-scroll",
        tabIndex=0,
        **aria("payoffs"),
    )


def _own_move(own: Marginal, scope: str) -> Part:
    """The head of a row or column: the move, and what it brought and how often it was made with whatever move of the
    other player."""
    share = f"made in {percent(own.share)} of the visits"
    told = html.Small(f"{number(own.mean_value)} {count(own.visits)}", title=share)
    return html.Th([own.move, told], scope=scope)


def _cell(payoff: Payoff | None, shown: int, low: float, high: float) -> Part:
    if payoff is None:
        return html.Td("–", className="dim", title="never tried")
    value = payoff.values[shown]
    looks = {}
    if value is not None:  # the one colour above the middle of the range, the other below it
        part = max(-1.0, min(1.0, (2 * value - low - high) / (high - low)))
        colour = PLAYER_COLOURS[0 if part > 0 else 1]
        looks = {"background": f"color-mix(in srgb, {colour} {45 * abs(part):.0f}%, transparent)"}
    inside = [html.B(number(value)), html.Small(count(payoff.visits))]
    button = html.Button(
        inside, type="button", title="show this node", **data("select", str(payoff.node))
    )
    return html.Td(button, style=looks)


def _left_out(n: int, columns: int) -> list[Part]:
    if n <= 0:
        return []
    return [
        html.Tr(html.Td(f"and {n:,} moves more, visited less", colSpan=columns, className="dim"))
    ]
