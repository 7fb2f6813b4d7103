"""The rules of a game from a start position on: what a trace's moves are replayed and checked with."""

from __future__ import annotations

import math
import weakref
from collections.abc import Sequence
from typing import NamedTuple

from mcts_viz.errors import GameError
from mcts_viz.games import GAMES, Board, FlatGame, Game, any_game
from mcts_viz.games import game as game_named
from mcts_viz.games.first_player import as_told
from mcts_viz.games.rules import State
from mcts_viz.types import Floats


class Target(NamedTuple):
    """A legal move, as one points to it."""

    name: str
    cell: int | None  # of the board that it would take; None for a game without one


def targets(game: FlatGame, actions: Sequence[int], legal: Sequence[int]) -> dict[int, Target]:
    """The legal moves after some actions, by action."""
    labels, board = game.action_labels, game.board
    return {
        a: Target(labels[a], None if board is None else board([*actions, a]).last) for a in legal
    }


class StartPosition:
    """A game, and the position that `moves` lead to: asks the rules from there on.

    A state is whatever the rules use; `state` gives a fresh one. Raises GameError for moves that the
    game does not allow.
    """

    def __init__(self, game: FlatGame, moves: Sequence[str | int] = ()) -> None:
        self.game = game
        self._state, self.actions = game.position(moves)

    @property
    def legal(self) -> list[int]:
        """Legal actions at the start position."""
        return self.game.legal(self._state)

    @property
    def targets(self) -> dict[int, Target]:
        """The legal moves at the start position, as one points to them."""
        return targets(self.game, self.actions, self.legal)

    def state(self) -> State:
        """A fresh state of the start position."""
        return list(self._state)

    def copy(self, state: State) -> State:
        """A list with the same elements, as the search's own: rules replace them, and change none."""
        return list(state)

    def play(self, state: State, action: int) -> State:
        """The state after a legal action, changed in place."""
        self.game.rules.play(state, action)
        return state

    def child(self, state: State, action: int) -> State:
        """A fresh state after a legal action; raises GameError for another one."""
        if action not in self.game.legal(state):
            raise GameError(f"{self.game.name}: action {action} is not legal there")
        return self.play(self.copy(state), action)

    def after(self, actions: Sequence[int]) -> State | None:
        """A fresh state after these actions; None where one of them is not legal."""
        state = self.state()
        for action in actions:
            if action not in self.game.legal(state):
                return None
            self.game.rules.play(state, action)
        return state

    def legal_actions(self, state: State) -> list[int]:
        """Ascending; none where the game is over."""
        return self.game.legal(state)

    def to_move(self, state: State) -> int:
        """0 or 1."""
        return int(self.game.rules.to_move(state))

    def outcome(self, state: State) -> float | None:
        """View of player 0; None while the game goes on."""
        outcome = float(self.game.rules.outcome(state))
        return None if math.isnan(outcome) else outcome

    def as_told(self, outcomes: Floats) -> Floats:
        """Outcomes of the game as `outcome` gives them."""
        return outcomes

    def board_text(self, actions: Sequence[int] = ()) -> str | None:
        """The board after these legal actions: a line a row, a player's symbol or "." a cell; None
        for a game without boards."""
        if self.game.board is None:
            return None
        board = self.game.board([*self.actions, *actions])
        symbols = [symbol or "." for symbol in board.symbols]
        rows = range(0, len(symbols), board.columns)
        return "\n".join("".join(symbols[row : row + board.columns]) for row in rows)

    def text_after(self, text: str, action: int, n_moves: int) -> str | None:
        """`board_text` after one more action, of that text after `n_moves` actions: sooner than from
        the beginning."""
        if self.game.cell_in_text is None:
            return None
        place = self.game.cell_in_text(text, action)
        symbol = self.game.players[(len(self.actions) + n_moves) % 2]
        return f"{text[:place]}{symbol}{text[place + 1 :]}"

    def text(self, state: State) -> str | None:
        """The position as people see it; None for a game that has boards instead."""
        return None if self.game.text is None else self.game.text(state)


class PositionTexts:
    """The texts of the positions of a growing tree, for a game that has texts; keeps the state of every
    node, from which those of its children are made."""

    def __init__(self, start: StartPosition) -> None:
        self._start = start
        self._states = [start.state()]  # [N] by node

    @property
    def there_are(self) -> bool:
        """Whether the game has texts."""
        return self._start.game.text is not None

    def of_new_nodes(
        self, parents: Sequence[int], actions: Sequence[int]
    ) -> list[str | None] | None:
        """The texts of the nodes after the last ones asked for, from the parent of each and the action
        into it; None for a game that has none."""
        if not self.there_are:
            return None
        texts: list[str | None] = []
        for parent, action in zip(parents, actions):
            state = self._start.play(self._start.copy(self._states[parent]), action)
            self._states.append(state)
            texts.append(self._start.text(state))
        return texts


def start_position(
    name: str,
    moves: Sequence[int],
    game: Game | FlatGame | None = None,
    players: Sequence[str] = (),
) -> StartPosition | None:
    """The position after some moves of `game`, else of the built-in game of that name; None where
    there is none, or the moves are not legal in it. players: who moves first and second, as a trace tells."""
    if game is None and name.partition(":")[0] not in GAMES:
        return None
    try:
        played = as_told(any_game(name if game is None else game), players)
        return StartPosition(played, moves)
    except GameError:
        return None


# the game of its author's own that each trace was recorded with, as long as the trace is there
_recorded_with: weakref.WeakKeyDictionary[object, FlatGame] = weakref.WeakKeyDictionary()


def recorded_with(trace: object, game: FlatGame) -> None:
    """Remember the game of a trace, whose file has but its name."""
    _recorded_with[trace] = game


def game_of(trace: object) -> FlatGame | None:
    """The game that a trace was recorded with in this program; None where it is built in, or was read from a file."""
    return _recorded_with.get(trace)


def built_in(name: str, players: Sequence[str] = ()) -> FlatGame | None:
    """The built-in game of that name, with those players; None for another one."""
    try:
        return as_told(game_named(name), players)
    except GameError:
        return None


def position_after(
    name: str, actions: Sequence[int], players: Sequence[str] = ()
) -> StartPosition | None:
    """The position after `actions` from the first one of a built-in game; None for another
    game, or for moves that it does not have."""
    played = built_in(name, players)
    try:
        return None if played is None else StartPosition(played, actions)
    except GameError:
        return None


def board_after(name: str, actions: Sequence[int], players: Sequence[str] = ()) -> Board | None:
    """What that position looks like; None as well for a game that has no picture."""
    found = position_after(name, actions, players)
    return None if found is None or found.game.board is None else found.game.board(actions)
