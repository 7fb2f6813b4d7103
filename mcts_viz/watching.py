"""Records a search of the user's own: ties the watched tree to our games, formulas and traces.

The only place that knows both. The search's code is not touched and its result not changed.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mcts_viz import games
from mcts_viz.adapters.actions import ActionIds
from mcts_viz.adapters.fields import Field, NodeFields
from mcts_viz.adapters.metadata import PLAYERS, GameFacts, foreign_meta
from mcts_viz.adapters.recording import Recording
from mcts_viz.adapters.values import Values, checked_range
from mcts_viz.adapters.watched_tree import WatchedTree
from mcts_viz.api import Trace
from mcts_viz.errors import GameError, SearchError
from mcts_viz.formulas.selection import selection_formula
from mcts_viz.recorder import software


def record(
    path: str | Path | None = None,
    *,
    root: Any,
    children: Field,
    visits: Field,
    value: Field,
    action: Field | None = None,
    to_move: Field | None = None,
    prior: Field | None = None,
    state: Field | None = None,
    label: Field | None = None,
    outcome: Field | None = None,
    game: str | games.FlatGame | None = None,
    start: Sequence[str | int] = (),
    value_view: str = "mover",
    value_kind: str = "sum",
    value_range: tuple[float, float] = (-1.0, 1.0),
    reward_range: tuple[float, float] = (-1.0, 1.0),
    players: tuple[str, str] | None = None,
    selection: str | None = None,
    c: float | None = None,
    thorough: bool = False,
) -> Recording[Trace]:
    """Watch a search of your own; docs/watch-your-own-search.md shows how.

        with mcts_viz.record("mine.mcts", root=search.root, children="children", visits="visits",
                             value="value", action="action") as rec:
            for _ in rec.steps(search.step, 1000):
                pass
        rec.trace

    path: the file to write; None keeps the trace in memory. root: the tree's root, or a function
    that gives it, which notices when the search replaces it.

    Each field of a node is an attribute's name, a key, or a function of the node. children: a list,
    tuple or dict of nodes, or None. visits: a whole number. value: see below; None where a node
    keeps none. action: the move into the node. to_move: 0 or 1. prior: of the move into the node.
    state: the position as text. label: a readable name of the move. outcome: result of the game
    where it is over at the node, view of player 0, else None.

    game: a built-in game's name, for boards; actions are then its action ids or names, and players
    alternate where no to_move is given. Any other name is a name only. start: its moves up to the
    root. value_view: whose view values are: "mover" (the player who moved into the node),
    "to_move", "player0", or "root" (the player to move at the root). value_kind: "sum" or "mean".
    value_range: least and greatest value of one visit; values of the other player's view are turned
    round about its middle. reward_range: the same of outcomes. players: their names. selection, c:
    the formula that the search selects by, such as "ucb1" with c=1.4, so that the page can show its
    terms. thorough: look at every node after every iteration, not only below nodes whose visits
    changed.

    Raises TraceError, GameError or SearchError naming what is wrong and what to write instead.
    """
    played = _game(game)
    fields = NodeFields(
        children, visits, value, action, to_move, prior, state, label, outcome
    )  # fmt: skip
    values = Values.checked(value_view, value_kind, value_range)
    facts, first_player = _facts(played, game, start, reward_range, players)
    actions = ActionIds(None if played is None else played.action)
    tree = WatchedTree(root, fields, values, actions, first_player, thorough)
    meta = foreign_meta(tree, fields, values, facts, _selection(selection, c), thorough, software())
    return Recording(tree, actions, meta, path, Trace)


def _game(game: str | games.FlatGame | None) -> games.FlatGame | None:
    """The built-in game meant; None for another one."""
    if isinstance(game, games.FlatGame):
        return game
    if game is None or (isinstance(game, str) and game.partition(":")[0] not in games.GAMES):
        return None
    return games.game(game)


def _facts(
    played: games.FlatGame | None,
    game: Any,
    start: Sequence[str | int],
    reward_range: tuple[float, float],
    players: tuple[str, str] | None,
) -> tuple[GameFacts, int | None]:
    """What the trace says about the game; and who moves at the root, where its rules say so."""
    if players is not None and (len(players) != 2 or not all(isinstance(p, str) for p in players)):
        raise GameError(
            f"players={players!r} is not a pair of names; write two: players=('X', 'O')"
        )
    rewards = checked_range("reward_range", reward_range)
    if played is None:
        if not all(isinstance(move, numbers.Integral) for move in start):
            raise GameError(
                f"start={start!r}: the game is not built in, so only action ids can be given"
            )
        name = {"name": "unknown game" if game is None else str(game)}
        moves = [int(move) for move in start]
        return GameFacts(name, moves, None, players or PLAYERS, rewards), None
    position, ids = played.position(start)
    about = {
        "name": played.name,
        "title": played.title,
        "parameters": dict(played.parameters),
        "n_actions": played.n_actions,
    }
    facts = GameFacts(about, ids, played.action_labels, players or played.players, rewards)
    return facts, played.rules.to_move(position)


def _selection(name: str | None, c: float | None) -> dict[str, Any] | None:
    """The formula that the search selects by, None where it is not told."""
    if name is None:
        if c is not None:
            raise SearchError(f"c={c!r} belongs to a formula; name it as well: selection='ucb1'")
        return None
    selection_formula(name)
    if isinstance(c, bool) or not isinstance(c, numbers.Real) or not math.isfinite(c):
        raise SearchError(
            f"selection={name!r} with c={c!r}: give the constant that your search uses, such as c=1.4"
        )
    return {"name": name, "c": float(c)}
