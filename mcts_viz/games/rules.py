"""What a game is to the rest of the package: rules as plain functions, and a description of its
moves and boards.

The rules of a built-in game are functions over a *state*: a sequence of a fixed number of ints,
which is a list when the search is interpreted and an int64 array when numba has compiled it. They
use nothing but indexing and integer arithmetic on it, so that one source serves both. Knows nothing
of trees, searches or pictures.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from mcts_viz.errors import GameError
from mcts_viz.games.moves import MoveNames
from mcts_viz.types import Document, Numbers

# list[int] interpreted, int64 array [state_size] compiled; a user's own game: see `own`
State: TypeAlias = Any
Buffer: TypeAlias = list[Any] | Numbers  # that a function writes numbers into, from place 0 on
LegalActions: TypeAlias = Callable[[State, Buffer], int]  # writes them, ascending; how many
RUNNING = float("nan")  # what `outcome` says of a game that is not over


class Rules(NamedTuple):
    """The rules as functions that numba can compile; players are 0 and 1, player 0 moves first."""

    play: Callable[[State, int], None]  # changes the state in place; the action must be legal
    legal_actions: LegalActions
    outcome: Callable[
        [State], float
    ]  # view of player 0, in the reward range; RUNNING before the end
    to_move: Callable[[State], int]
    # Writes the actions among which a decisive simulation draws, each equally likely, into a buffer,
    # ascending; how many. Those with which the mover wins at once; where there is none, those after
    # which the opponent cannot win at once (a move that ends the game in a draw is one of them);
    # where no legal action or every one is so, all legal ones. Only asked before the game is over;
    # leaves the state as it is. None: to be found by trying out, see `generic_decisive_actions`.
    # Teytaud & Teytaud 2010, "On the Huge Benefit of Decisive Moves in Monte-Carlo Tree Search
    # Algorithms": decisive and anti-decisive moves.
    decisive_actions: LegalActions | None = None
    # One move of a random simulation: (state, share in [0, 1), buffer, legal_actions) -> of n legal
    # actions, ascending, the int(share × n)-th. None: `draw_from_list`, which takes long where there
    # are many.
    draw: Callable[[State, float, Buffer, LegalActions], int] | None = None


def draw_from_list(state: State, share: float, out: Buffer, actions: LegalActions) -> int:
    """The action at that share of those that `actions` writes into `out`."""
    n = actions(state, out)
    return int(out[int(share * n)])


def generic_decisive_actions(rules: Rules, n_actions: int) -> LegalActions:
    """`Rules.decisive_actions` for any rules, by trying out all moves and all replies to them.

    Allocates and calls other functions, so for interpreted searches only; a look two moves ahead
    costs as many calls of `play` as there are pairs of a move and a reply.
    """

    def legal(state: State) -> list[int]:
        buffer = [0] * n_actions
        return buffer[: rules.legal_actions(state, buffer)]

    def after(state: State, action: int) -> State:
        position = list(state)
        rules.play(position, action)
        return position

    def wins(state: State) -> list[int]:
        sign = 1 if rules.to_move(state) == 0 else -1
        return [a for a in legal(state) if sign * rules.outcome(after(state, a)) > 0]

    def is_safe(state: State, action: int) -> bool:
        reply = after(state, action)
        if not np.isnan(rules.outcome(reply)):
            return True
        return rules.to_move(reply) == rules.to_move(state) or not wins(reply)

    def decisive_actions(state: State, out: Buffer) -> int:
        """Write the actions that a decisive simulation draws from into `out`, ascending; how
        many."""
        everything = legal(state)
        actions = wins(state) or [a for a in everything if is_safe(state, a)] or everything
        for i, action in enumerate(actions):
            out[i] = action
        return len(actions)

    return decisive_actions


class Board(NamedTuple):
    """A position to look at: `rows` × `columns` cells, row-major, a player's symbol in each or
    ""."""

    rows: int
    columns: int
    symbols: Sequence[str]
    last: int | None  # cell of the last move
    line: Sequence[int]  # cells of the winning line
    style: str  # "grid", "discs" dropped into columns, or "blocks" of 3 × 3 cells
    region: Sequence[int] = ()  # cells of the local board that the next move must go to
    owners: Sequence[str] = ()  # symbol of the winner of each local board, "" for none


@dataclass(frozen=True)
class FlatGame:
    """A game as the search, the command line and the page know it.

    Its states are flat: a fixed number of ints, which its rules index. A game of the user's own may
    be one, and is then compiled like ours where the budget is worth it; the alternative is a `Game`
    with states of any kind.
    """

    name: str  # as the user writes it, parameters included: "connect_four"
    title: str
    rules: Rules
    state_size: int
    n_actions: int
    max_moves: int  # no game is longer
    action_labels: tuple[str, ...]  # [n_actions] readable move names
    # the position after these actions as a picture; asked of built-in games only
    board: Callable[[Sequence[int]], Board] | None = None
    # (board as text, a line a row and "." in empty cells; action) -> place in the text that it fills
    cell_in_text: Callable[[str, int], int] | None = None
    parameters: tuple[tuple[str, int], ...] = ()
    players: tuple[str, str] = ("X", "O")
    first_state: tuple[State, ...] = ()  # () for all zeros
    reward_range: tuple[float, float] = (-1.0, 1.0)
    # the position as text, which a trace carries where the page has no board for the game
    text: Callable[[State], str] | None = None
    compilable: bool = True  # False: the rules are Python that numba cannot type

    @property
    def facts(self) -> Document:
        """What a trace says of the game."""
        return {
            "name": self.name,
            "title": self.title,
            "parameters": dict(self.parameters),
            "n_actions": self.n_actions,
        }

    def start_state(self) -> list[int]:
        """The first position, as a fresh list."""
        return list(self.first_state) or [0] * self.state_size

    def legal(self, state: State) -> list[int]:
        """The legal actions, ascending; none when the game is over."""
        if not math.isnan(self.rules.outcome(state)):
            return []
        buffer = [0] * self.n_actions
        return buffer[: self.rules.legal_actions(state, buffer)]

    def action(self, move: str | int) -> int:
        """The action id of a move: an int is an id, a text is a name as people type it (`MoveNames`). Raises
        GameError when there is none."""
        if isinstance(move, str):
            names = MoveNames(self.action_labels, range(self.n_actions))
            place = names.place(move)
            if place is not None:
                return place
        elif (
            isinstance(move, numbers.Integral)
            and not isinstance(move, bool)
            and 0 <= move < self.n_actions
        ):
            return int(move)
        raise GameError(
            f"{self.name} has no move {move!r}; give a name such as {self.action_labels[0]!r}, "
            f'or an action id from 0 to {self.n_actions - 1}, in a text as "id:0"'
        )

    def position(self, moves: Sequence[str | int]) -> tuple[list[int], list[int]]:
        """State after `moves` from the first position, and their action ids; raises GameError at an
        illegal one."""
        if isinstance(moves, str) or not isinstance(moves, Iterable):
            raise GameError(
                f"the start position {moves!r} is not a list of moves; give one such as "
                f"{list(self.action_labels[:2])!r}"
            )
        state = self.start_state()
        actions: list[int] = []
        for number, move in enumerate(moves, start=1):
            action = self.action(move)
            legal = self.legal(state)
            if action not in legal:
                names = ", ".join(self.action_labels[a] for a in legal)
                why = f"legal there: {names}" if legal else "the game is over before it"
                raise GameError(
                    f"move {number} of the start position, {move!r}, is not legal in {self.name}; {why}"
                )
            self.rules.play(state, action)
            actions.append(action)
        return state, actions
