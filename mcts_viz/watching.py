"""Records a search of the user's own: ties the watched tree to our games, formulas and traces.

The only place that knows both. The search's code is not touched and its result not changed.
"""

from __future__ import annotations

import math
import numbers
import os
from collections.abc import Mapping, Sequence
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
from mcts_viz.errors import GameError, SearchError, TraceError
from mcts_viz.formulas.selection import selection_formula
from mcts_viz.recorder import software
from mcts_viz.trace.format import document_of
from mcts_viz.trace.states import STATE_FORMATS


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
    state_format: str | None = None,
    label: Field | None = None,
    outcome: Field | None = None,
    chance: Field | None = None,
    proven: Field | None = None,
    game: str | games.FlatGame | games.Game | None = None,
    start: Sequence[str | int] = (),
    value_view: str = "mover",
    value_kind: str = "sum",
    value_range: tuple[float, float] = (-1.0, 1.0),
    reward_range: tuple[float, float] | None = None,
    players: Sequence[str] | None = None,
    discount: float | None = None,
    step_rewards: bool = False,
    selection: str | None = None,
    c: float | None = None,
    policies: Mapping[str, Any] | None = None,
    thorough: bool = False,
) -> Recording[Trace]:
    """Watch a search of your own; docs/watch-your-own-search.md shows how.

        with mcts_viz.record("mine.mcts", root=search.root, children="children", visits="visits",
                             value="value", action="action") as rec:
            for _ in rec.steps(search.step, 1000):
                pass
        rec.trace

    path: the file to write; None keeps the trace in memory. root: the tree's root, or a function
    that gives it, which follows when the search replaces it: `traces` has one for each root.

    Each field of a node is an attribute's name, a key, or a function of the node. children: a list,
    tuple or dict of nodes, or None. visits: a whole number. value: see below; None where a node
    keeps none. action: the move into the node. to_move: 0 or 1. prior: of the move into the node.
    state: the position, a text, or a nested list or an array of rows, which is shown as a grid;
    state_format: what a text is written in: "text", "markdown" or "grid" (lines of cells, tabs
    between them). label: a readable name of the move. outcome: result of the game
    where it is over at the node, view of player 0, else None. chance: true where nobody moves, but
    chance does. proven: the result that the search has proven at the node, view of player 0, else
    None.

    game: a built-in game's name, for boards, or a game of your own; actions are then its action ids
    or names, and it is asked who moves where no to_move is given. Any other name is a name only.
    start: its moves up to the root. value_view: whose view values are: "mover" (the player who moved into the node),
    "to_move", "player0", or "root" (the player to move at the root). value_kind: "sum" or "mean".
    value_range: least and greatest value of one visit; values of the other player's view are turned
    round about its middle. reward_range: the same of outcomes. players: their names; one name for a
    search without an opponent, whose values are all its own. discount: what a value is multiplied
    by on its way from a node to its parent. step_rewards: moves bring rewards, not the end alone.
    selection, c: the formula that the search selects by, such as "ucb1" with c=1.4, so that the page
    can show its terms. policies: what else is known of its phases, as in docs/trace-format.md.
    thorough: look at every node after every iteration, not only below nodes whose visits changed.

    Raises TraceError, GameError or SearchError naming what is wrong and what to write instead.
    """
    _check_path(path)
    played = _game(game)
    fields = NodeFields(
        children, visits, value, action, to_move, prior, state, label, outcome, chance, proven
    )  # fmt: skip
    values = Values.checked(value_view, value_kind, value_range)
    known = {**_checked_policies(policies), **_selection(selection, c)}
    alone = _n_players(players) == 1
    facts = GameFacts(
        {},
        players=PLAYERS if players is None else tuple(players),
        reward_range=checked_range("reward_range", reward_range or _rewards(alone, values)),
        discount=_checked_discount(discount),
        step_rewards=step_rewards,
        state_format=_checked_format(state_format, state),
    )
    actions = ActionIds(None if played is None else played.action)

    def watch(moves: Sequence[int]) -> tuple[WatchedTree, dict[str, Any]]:
        told = _facts(facts, played, game, [*start, *moves], players is not None)
        tree = WatchedTree(
            root,
            fields,
            values,
            actions,
            *_rules(played, told.start),
            thorough=thorough,
            alone=alone,
        )
        return tree, foreign_meta(tree, fields, values, told, known, thorough, software())

    return Recording(watch, actions, path, Trace)


def _checked_format(state_format: str | None, state: Field | None) -> str | None:
    if state_format is None:
        return None
    if state_format not in STATE_FORMATS:
        raise TraceError(
            f"state_format={state_format!r} is not known; choose one of: {', '.join(STATE_FORMATS)}"
        )
    if state is None:
        raise TraceError(
            "state_format= says what states are written in, and there is no state=; give that as well"
        )
    return state_format


class _Rules:
    """A game's rules from the position after `start` on, as a watched tree asks them."""

    def __init__(self, game: games.FlatGame, start: Sequence[int]) -> None:
        self._game, self._start = game, start

    def first(self) -> Any:
        """The root's position."""
        return self._game.position(self._start)[0]

    def after(self, position: Any, action: int) -> Any:
        """The one after a legal action; raises GameError for another."""
        if action not in self._game.legal(position):
            raise GameError(f"{self._game.name}: action {action} is not legal there")
        position = list(position)
        self._game.rules.play(position, action)
        return position

    def to_move(self, position: Any) -> int:
        """0 or 1."""
        return int(self._game.rules.to_move(position))

    def text(self, position: Any) -> str | None:
        """The position as people see it."""
        return None if self._game.text is None else self._game.text(position)


def _rules(played: games.FlatGame | None, start: Sequence[int]) -> tuple[int | None, _Rules | None]:
    """Who moves first in a game in which players take turns, else the rules to ask."""
    if played is None:
        return None, None
    rules = _Rules(played, start)
    if played.name.partition(":")[0] in games.GAMES:  # by turns, and the page has boards
        return rules.to_move(rules.first()), None
    return None, rules


def _check_path(path: Any) -> None:
    if path is not None and not isinstance(path, (str, os.PathLike)):
        raise TraceError(
            f"path={path!r} is no file's name; write a text such as 'mine.mcts', or None for a trace in memory"
        )


def _checked_policies(policies: Any) -> dict[str, Any]:
    """What is told of the search's phases; raises SearchError for what a file cannot hold."""
    if policies is None:
        return {}
    try:
        if not isinstance(policies, Mapping):
            raise TypeError("not a dict")
        document_of(policies)
    except (TypeError, ValueError, RecursionError) as err:
        raise SearchError(
            f"policies={policies!r}: {err}; give a dict of plain texts and numbers, such as "
            "policies={'selection': {'name': 'my rule', 'c': 1.4}}"
        ) from err
    return dict(policies)


def _rewards(alone: bool, values: Values) -> tuple[float, float]:
    """The range of outcomes where none is told."""
    return (values.low, values.high) if alone else (-1.0, 1.0)


def _game(game: str | games.FlatGame | games.Game | None) -> games.FlatGame | None:
    """The game whose rules are known; None for another one."""
    if game is None or (isinstance(game, str) and game.partition(":")[0] not in games.GAMES):
        return None
    return games.any_game(game)


def _n_players(players: Sequence[str] | None) -> int:
    """How many there are; raises GameError for what is no list of one or two names."""
    if players is None:
        return 2
    names = [] if isinstance(players, str) else list(players)
    if len(names) not in (1, 2) or not all(isinstance(name, str) and name for name in names):
        raise GameError(
            f"players={players!r} is neither a pair of names nor one; write players=('X', 'O'), or players=('agent',) "
            "for a search without an opponent"
        )
    return len(names)


def _checked_discount(discount: float | None) -> float | None:
    if discount is None:
        return None
    number = not isinstance(discount, bool) and isinstance(discount, numbers.Real)
    if not number or not 0 < discount <= 1:
        raise SearchError(
            f"discount={discount!r} is not a number above 0 and up to 1; give what a value is multiplied by from a "
            "node to its parent, such as discount=0.99"
        )
    return float(discount)


def _facts(
    known: GameFacts,
    played: games.FlatGame | None,
    game: Any,
    start: Sequence[str | int],
    named: bool,
) -> GameFacts:
    """What the trace says about the game; `named`: the players' names were told."""
    if played is None:
        if not all(isinstance(move, numbers.Integral) for move in start):
            raise GameError(
                f"start={start!r}: the game is not built in, so only action ids can be given"
            )
        name = {"name": "unknown game" if game is None else str(game)}
        moves = [int(move) for move in start]
        return known._replace(game=name, start=moves)
    _, ids = played.position(start)
    about = {
        "name": played.name,
        "title": played.title,
        "parameters": dict(played.parameters),
        "n_actions": played.n_actions,
    }
    return known._replace(
        game=about,
        start=ids,
        action_labels=played.action_labels,
        players=known.players if named else played.players,
    )


def _selection(name: str | None, c: float | None) -> dict[str, Any]:
    """The policy of selection, nothing where it is not told."""
    if name is None:
        if c is not None:
            raise SearchError(f"c={c!r} belongs to a formula; name it as well: selection='ucb1'")
        return {}
    selection_formula(name)
    if isinstance(c, bool) or not isinstance(c, numbers.Real) or not math.isfinite(c):
        raise SearchError(
            f"selection={name!r} with c={c!r}: give the constant that your search uses, such as c=1.4"
        )
    return {"selection": {"name": name, "c": float(c)}}
