"""A game of the user's own, as the search takes it: a `Game` turned into a `FlatGame`, with every
return value of its methods checked.

The engine copies positions element by element, so a state here is a list of two: the user's state,
and the moves that led to it, which a message names. Runs interpreted only, for states may be any
Python objects. Knows nothing of searches.
"""

from __future__ import annotations

import math
import numbers
from typing import Any, NamedTuple, TypeAlias

from mcts_viz.errors import GameContractError
from mcts_viz.games.protocol import ATTRIBUTES, METHODS, Game
from mcts_viz.games.rules import RUNNING, Buffer, FlatGame, Rules
from mcts_viz.types import is_real, is_whole

MOST_ACTIONS = 32_767  # the tree counts a node's children in 16 bits
MOST_MOVES = 10_000  # for each iteration of a chunk the search's log has room for the longest game
DEFAULT_MOVES = 1_000
MOVES_SHOWN = 30  # in a message


class Moves(NamedTuple):
    """The moves up to a position, the last one first; positions share what they have in common."""

    number: int  # of moves
    action: int
    earlier: Moves | None  # None: the first position


OwnState: TypeAlias = list[Any]  # [the user's position, its Moves or None]


class OwnRules:
    """A user's game: its methods, asked with care, over states `[the user's state, Moves | None]`.

    Each method raises GameContractError, which names the user's method and the position, when the
    user's one fails or gives what it must not. An exception of the user's is its cause.
    """

    def __init__(self, game: Game) -> None:
        _check_interface(game)
        self._game = game
        self.name = _checked_text(type(game).__name__, "name", game.name)
        self.title = _checked_text(self.name, "title", getattr(game, "title", self.name))
        self.n_actions = self._whole("n_actions", game.n_actions, MOST_ACTIONS)
        max_moves = getattr(game, "max_moves", DEFAULT_MOVES)
        self.max_moves = self._whole("max_moves", max_moves, MOST_MOVES)
        self.players = self._players(getattr(game, "players", ("X", "O")))
        self.reward_range = self._reward_range(getattr(game, "reward_range", (-1.0, 1.0)))
        self.labels = self._labels()

    def first(self) -> OwnState:
        """The first position."""
        try:
            position = self._game.initial_state()
        except Exception as err:
            raise self.broken("initial_state", _failure(err)) from err
        if position is None:
            raise self.broken("initial_state", "gave None; return the first position")
        return [position, None]

    def play(self, state: OwnState, action: int) -> None:
        """Put the position after a legal action into `state`; the user's old one stays as it is."""
        position, moves = state
        number = 1 if moves is None else moves.number + 1
        if number > self.max_moves:
            raise self.broken(
                "outcome",
                f"is still None after max_moves = {self.max_moves:,} moves; give a result there, or "
                f"let the game say how long it may be: max_moves = …, {MOST_MOVES:,} at most",
                state,
            )
        try:
            after = self._game.play(position, action)
        except Exception as err:
            raise self.broken(f"play(state, {action})", _failure(err), state) from err
        if after is None:
            raise self.broken(
                f"play(state, {action})",
                "gave None; return the new position, and leave the given one as it was",
                state,
            )
        state[0] = after
        state[1] = Moves(number, action, moves)

    def legal_actions(self, state: OwnState, out: Buffer) -> int:
        """Write the legal actions of a running game into `out`, in the game's order; how many."""
        try:
            actions = list(self._game.legal_actions(state[0]))
        except Exception as err:
            raise self.broken("legal_actions", _failure(err), state) from err
        if not actions:
            raise self.broken(
                "legal_actions",
                "gave no action, and outcome gave None; give an action, or the outcome when the "
                "game is over",
                state,
            )
        for action in actions:
            if not is_whole(action) or not 0 <= action < self.n_actions:
                raise self.broken(
                    "legal_actions",
                    f"gave {action!r}; actions are ints from 0 to n_actions - 1 = {self.n_actions - 1}",
                    state,
                )
        if len(set(actions)) < len(actions):
            twice = next(action for action in actions if actions.count(action) > 1)
            raise self.broken(
                "legal_actions", f"gave {int(twice)} more than once; give each action once", state
            )
        for k, action in enumerate(actions):
            out[k] = int(action)
        return len(actions)

    def outcome(self, state: OwnState) -> float:
        """The outcome, view of player 0; RUNNING for the user's None."""
        try:
            result = self._game.outcome(state[0])
        except Exception as err:
            raise self.broken("outcome", _failure(err), state) from err
        if result is None:
            return RUNNING
        low, high = self.reward_range
        # True would be a win, and False a draw, which hardly anybody means
        if not is_real(result):
            raise self.broken(
                "outcome",
                f"gave {result!r}, not a number; give one from {low:g} to {high:g} in the view of "
                "player 0, or None while the game goes on",
                state,
            )
        if not low <= result <= high:  # nan is not
            raise self.broken(
                "outcome",
                f"gave {float(result):g}, which is not in {low:g} to {high:g}; give a number there in "
                "the view of player 0, None while the game goes on, or set reward_range",
                state,
            )
        return float(result)

    def to_move(self, state: OwnState) -> int:
        """The player to move."""
        try:
            player = self._game.to_move(state[0])
        except Exception as err:
            raise self.broken("to_move", _failure(err), state) from err
        if not isinstance(player, numbers.Integral) or player not in (0, 1):
            raise self.broken("to_move", f"gave {player!r}; players are 0 and 1", state)
        return int(player)

    def text(self, state: OwnState) -> str:
        """The position as people see it."""
        position = state[0]
        kind: Any = type(position)
        if kind.__str__ is object.__str__ and kind.__repr__ is object.__repr__:
            raise self.broken(
                "str(state)",
                f"has nothing to show: give {kind.__name__} a __str__ that writes the position",
                state,
            )
        try:
            text = str(position)
            text.encode()
        except Exception as err:
            raise self.broken("str(state)", _failure(err), state) from err
        return text

    def broken(
        self, method: str, what: str, state: OwnState | None = None, text: str | None = None
    ) -> GameContractError:
        """The error to raise: that method broke the contract, at that position (None: there is none
        yet), whose text was that (None: ask for it)."""
        where = ""
        if state is not None:
            shown = _shown(state[0]) if text is None else text
            where = f"\nPosition {_place(state[1])}:" + (
                f"\n{shown}" if "\n" in shown else f" {shown}"
            )
        return GameContractError(f"{self.name}: {method} {what}.{where}")

    def _labels(self) -> tuple[str, ...]:
        labels: dict[str, int] = {}
        for action in range(self.n_actions):
            method = f"action_name({action})"
            try:
                label = self._game.action_name(action)
            except Exception as err:
                raise self.broken(method, _failure(err)) from err
            _checked_text(self.name, method, label)
            if label in labels:
                raise self.broken(
                    method,
                    f"gave {label!r}, as action_name({labels[label]}) did; give each action a name "
                    "of its own",
                )
            labels[label] = action
        return tuple(labels)

    def _whole(self, attribute: str, value: object, most: int) -> int:
        if not is_whole(value) or not 1 <= value <= most:
            raise GameContractError(
                f"{self.name}: {attribute} = {value!r} is not a whole number from 1 to {most:,}; give one"
            )
        return int(value)

    def _players(self, value: object) -> tuple[str, str]:
        if not isinstance(value, (tuple, list)) or len(value) != 2 or value[0] == value[1]:
            raise GameContractError(
                f"{self.name}: players = {value!r} is not a pair of symbols; give two, such as ('X', 'O')"
            )
        first, second = (_checked_text(self.name, "players", symbol) for symbol in value)
        return first, second

    def _reward_range(self, value: object) -> tuple[float, float]:
        try:
            low, high = (float(bound) for bound in value)  # type: ignore[attr-defined]
        except (TypeError, ValueError, OverflowError):
            low = high = math.nan
        # a draw is 0, and what one player wins the other one loses
        if not (0 < high < math.inf and low == -high):
            raise GameContractError(
                f"{self.name}: reward_range = {value!r} is not a pair (-r, r); give the least and the "
                "greatest outcome, such as (-1, 1)"
            )
        return low, high


def flat_game(rules: OwnRules) -> FlatGame:
    """The game as the search takes it. Raises GameContractError where `initial_state` fails."""
    return FlatGame(
        name=rules.name,
        title=rules.title,
        rules=Rules(rules.play, rules.legal_actions, rules.outcome, rules.to_move),
        state_size=2,
        n_actions=rules.n_actions,
        max_moves=rules.max_moves,
        action_labels=rules.labels,
        players=rules.players,
        first_state=tuple(rules.first()),
        reward_range=rules.reward_range,
        text=rules.text,
        compilable=False,
    )


def looks_like_a_game(thing: object) -> bool:
    """Whether it looks like a `Game`: it has at least one method of it."""
    return any(hasattr(thing, method) for method in METHODS)


def _check_interface(game: object) -> None:
    kind = game.__name__ if isinstance(game, type) else type(game).__name__
    if isinstance(game, type):
        raise GameContractError(f"{kind} is a class, not a game; give an instance of it: {kind}()")
    missing = [
        method
        for method in METHODS
        if not callable(getattr(game, method, None))
        # inherited from the protocol, whose methods do nothing
        or getattr(type(game), method, None) is getattr(Game, method)
    ]
    missing += [name for name in ATTRIBUTES if getattr(game, name, None) is None]
    if missing:
        raise GameContractError(
            f"{kind} has no {', '.join(missing)}; a game has the attributes {', '.join(ATTRIBUTES)} and "
            f"the methods {', '.join(METHODS)}"
        )


def _checked_text(game: str, source: str, value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise GameContractError(
            f"{game}: {source} gave {value!r}, not a text; give one that is not empty"
        )
    try:
        value.encode()
    except UnicodeEncodeError as err:
        raise GameContractError(
            f"{game}: {source} gave {value!r}, which is not valid Unicode; give a text that is"
        ) from err
    return value


def _failure(err: Exception) -> str:
    return f"failed with {type(err).__name__}: {err}"


def _place(moves: Moves | None) -> str:
    if moves is None:
        return "at the beginning"
    actions: list[int] = []
    number = moves.number
    earlier: Moves | None = moves
    while earlier is not None:
        actions.append(earlier.action)
        earlier = earlier.earlier
    actions.reverse()
    if number > MOVES_SHOWN:
        first = ", ".join(map(str, actions[:MOVES_SHOWN]))
        return f"after {number:,} moves, [{first}, …]"
    return f"after the moves {actions}"


def _shown(position: object) -> str:
    """Its text, on lines of its own where it has several; never an error of its own."""
    try:
        return str(position)
    except Exception:  # noqa: BLE001 (the message is about something else)
        return f"a {type(position).__name__} whose text cannot be had"
