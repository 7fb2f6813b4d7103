"""A node at which all players choose at once: what each one's own moves were worth, whatever the others chose, and for
two players the payoff of every pair of moves."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mcts_viz.analysis.point_of_view import Viewpoint, has_view
from mcts_viz.trace.joint_moves import moves_in
from mcts_viz.trace.players import EVERYBODY
from mcts_viz.trace.snapshot import Snapshot


class Marginal(NamedTuple):
    """One player's own move, over all moves that the others chose with it."""

    move: str
    visits: int
    share: float  # of the node's visits below it, in [0, 1]
    mean_value: float | None  # view of that player; None where it is not known, or without visits


class Payoff(NamedTuple):
    """What one joint move came to."""

    node: int
    visits: int
    values: tuple[float | None, ...]  # mean for each player, in that player's own view


class JointChoice(NamedTuple):
    """A node's joint moves."""

    marginals: tuple[tuple[Marginal, ...], ...]  # by player, the most visited first
    # of two players by the moves of both, in the order of the marginals; None: never tried. Empty for more players
    payoffs: tuple[tuple[Payoff | None, ...], ...]


def joint_choice(snapshot: Snapshot, node: int) -> JointChoice | None:
    """None where not all choose at once, where nothing has been tried yet, and where the names of the moves do not tell
    each player's own."""
    n = snapshot.meta.n_players
    if int(snapshot.to_move[node]) != EVERYBODY:
        return None
    below: dict[tuple[str, ...], Payoff] = {}
    for child in snapshot.children(node):
        moves = moves_in(snapshot.label(child), n)
        if moves is None:
            return None
        below[tuple(moves)] = _payoff(snapshot, child, n)
    if not below:
        return None
    marginals = tuple(_marginals(below, player) for player in range(n))
    if n != 2:
        return JointChoice(marginals, ())
    rows, columns = ([each.move for each in own] for own in marginals)
    return JointChoice(
        marginals, tuple(tuple(below.get((row, column)) for column in columns) for row in rows)
    )


def _payoff(snapshot: Snapshot, child: int, n: int) -> Payoff:
    views = (
        Viewpoint(player).mean(snapshot, child) if has_view(snapshot, player, 0) else np.nan
        for player in range(n)
    )
    values = tuple(None if np.isnan(value) else float(value) for value in views)
    return Payoff(child, int(snapshot.visits[child]), values)


def _marginals(below: dict[tuple[str, ...], Payoff], player: int) -> tuple[Marginal, ...]:
    total = sum(payoff.visits for payoff in below.values())
    found = []
    for move in dict.fromkeys(moves[player] for moves in below):
        own = [payoff for moves, payoff in below.items() if moves[player] == move]
        visits = sum(payoff.visits for payoff in own)
        told = [(payoff.visits, payoff.values[player]) for payoff in own if payoff.visits]
        known = bool(told) and all(value is not None for _, value in told)
        mean = sum(n * (value or 0.0) for n, value in told) / visits if known else None
        found.append(Marginal(move, visits, visits / total if total else 0.0, mean))
    return tuple(sorted(found, key=lambda each: -each.visits))
