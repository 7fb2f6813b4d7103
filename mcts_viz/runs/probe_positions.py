"""The positions that a search is probed from: the opening, the middle, the end of games, and positions
where something is forced. Random play finds them; knows no search."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, overload

from mcts_viz.games import FlatGame
from mcts_viz.games.rules import State
from mcts_viz.solver.tactics import LOSS_1, LOSS_2, LOST_1, LOST_2, WIN_1, WIN_2, Tactics, Task
from mcts_viz.views.board_text import board_text

OPENING, MIDDLE, FEW_MOVES, OWN = "opening", "middle", "few moves", "your own"
NEAR_END, NEAR_DRAW = "near the end", "near a draw"
QUIET_TRIES = 8  # moves that are tried, until one does not end the game
GAMES, LONG_GAMES = 80, 30  # played at random, and those in which no side ends the game early
LOOKS = 60_000  # positions looked at for what is forced
LOOKS_EACH = 4_000
# how many positions of each kind; of those with something forced half for each player
WANTED = {
    OPENING: 2,
    MIDDLE: 3,
    NEAR_END: 6,
    NEAR_DRAW: 2,
    FEW_MOVES: 3,
    WIN_1: 6,
    LOSS_1: 4,
    WIN_2: 2,
    LOSS_2: 2,
    LOST_1: 2,
    LOST_2: 1,
}


@dataclass(frozen=True, eq=False)
class ProbePosition(Sequence[int]):
    """A position to search from: a sequence of the actions that lead to it from the game's first
    position, and what else a search may want to begin with."""

    game: FlatGame = field(repr=False)
    moves: tuple[int, ...]  # action ids from the game's first position
    kind: str  # "opening", "middle", "near the end", "win in 1", …
    right: frozenset[int] | None = None  # moves that solve it; None: nothing is forced
    own: bool = field(default=False, repr=False)  # whether the game is the user's own `Game`

    @property
    def state(self) -> State:
        """A fresh state: what your own `Game` uses; of a built-in game a list of ints, as in its
        file in `mcts_viz/games`."""
        state = self.flat_state
        return state[0] if self.own else state

    @property
    def flat_state(self) -> State:
        """A fresh state as the rules use it."""
        return self.game.position(self.moves)[0]

    @property
    def names(self) -> list[str]:
        """The moves by their readable names."""
        return [self.game.action_labels[action] for action in self.moves]

    @property
    def to_move(self) -> int:
        """0 or 1."""
        return int(self.game.rules.to_move(self.flat_state))

    @property
    def legal(self) -> list[int]:
        """Legal action ids, ascending."""
        return self.game.legal(self.flat_state)

    @property
    def text(self) -> str:
        """The board in characters, or `str` of your own game's state."""
        if self.game.board is not None:
            return board_text(self.game.board(self.moves))
        return "" if self.game.text is None else self.game.text(self.flat_state)

    def __str__(self) -> str:
        player = self.game.players[self.to_move]
        return f"{self.kind}, {player} to move after {', '.join(self.names) or 'no move'}"

    @overload
    def __getitem__(self, index: int) -> int: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[int, ...]: ...
    def __getitem__(self, index: int | slice) -> int | tuple[int, ...]:
        return self.moves[index]

    def __len__(self) -> int:
        return len(self.moves)


class Playout(NamedTuple):
    """A game played at random."""

    moves: list[int]
    states: list[State]  # before each move, and the last one after it
    drawn: bool


def probe_positions(game: FlatGame, own: bool, seed: int) -> list[ProbePosition]:
    """A spread of positions in which the game goes on, none of them twice; the same seed has the same
    ones."""
    chosen = _Chosen(game, own)
    draw = random.Random(seed)
    games = [playout(game, draw, quiet=False) for _ in range(GAMES)]
    long_games = [playout(game, draw, quiet=True) for _ in range(LONG_GAMES)]
    chosen.take(OPENING, games[0], 0)
    for each in games:
        chosen.take(OPENING, each, 2)
        chosen.take(MIDDLE, each, len(each.moves) // 2)
    for i, each in enumerate(games):
        chosen.take(NEAR_END, each, len(each.moves) - 3 - i % 3)
    for i, each in enumerate(long_games):
        kind = NEAR_DRAW if each.drawn else FEW_MOVES
        chosen.take(kind, each, len(each.moves) - 3 - i % 3)
    tactics = Tactics(game, LOOKS)
    for back in (1, 2, 3, 4, 5):
        for each in [*games, *long_games]:
            chosen.take_forced(tactics, each, len(each.moves) - back, moves=1 if back < 3 else 2)
    return chosen.in_order()


def playout(game: FlatGame, draw: random.Random, quiet: bool) -> Playout:
    """A random game; `quiet`: moves that do not end it come first, so that boards become full."""
    state, states, moves = game.start_state(), list[State](), list[int]()
    while legal := game.legal(state):
        states.append(state)
        tries = draw.sample(legal, min(len(legal), QUIET_TRIES)) if quiet else [draw.choice(legal)]
        for move in tries:
            after = list(state)
            game.rules.play(after, move)
            if game.legal(after):
                break
        moves.append(move)
        state = after
    return Playout(moves, [*states, state], game.rules.outcome(state) == 0)


class _Chosen:
    """The positions taken so far."""

    def __init__(self, game: FlatGame, own: bool) -> None:
        self._game, self._own = game, own
        self._first = len(game.legal(game.start_state()))
        self._taken: list[ProbePosition] = []
        self._seen: set[str] = set()  # states, as texts
        self._n: Counter[tuple[str, int]] = Counter()  # by kind and player to move

    def take(self, kind: str, played: Playout, ply: int) -> None:
        """The position of a game before its move `ply`, if there is need of it."""
        if not 0 <= ply < len(played.moves):
            return
        few = len(self._game.legal(played.states[ply])) < self._first
        if kind == FEW_MOVES and not few:
            return
        if sum(n for (of, _), n in self._n.items() if of == kind) < WANTED[kind]:
            self._add(kind, played, ply, None)

    def take_forced(self, tactics: Tactics, played: Playout, ply: int, moves: int) -> None:
        """Take the positions in which something is forced within that many moves of each side."""
        if ply < 0 or tactics.looks <= 0 or not self._lacks(moves):
            return
        state = played.states[ply]
        kept, tactics.looks = tactics.looks, min(LOOKS_EACH, tactics.looks)
        spent = tactics.looks
        task = tactics.task(state, moves)
        tactics.looks = kept - (spent - tactics.looks)
        player = int(self._game.rules.to_move(state))
        if task is not None and self._n[task.kind, player] < max(WANTED[task.kind] // 2, 1):
            self._add(task.kind, played, ply, task)

    def _lacks(self, moves: int) -> bool:
        kinds = (WIN_1, LOSS_1, LOST_1) if moves == 1 else (WIN_2, LOSS_2, LOST_2)
        return any(self._n[kind, player] < WANTED[kind] / 2 for kind in kinds for player in (0, 1))

    def _add(self, kind: str, played: Playout, ply: int, task: Task | None) -> None:
        state = played.states[ply]
        name = str(state[0]) if self._own else str(state)
        if name in self._seen and (task is None or not task.right):
            return
        self._seen.add(name)
        right = task.right if task is not None and task.right else None
        self._taken.append(
            ProbePosition(self._game, tuple(played.moves[:ply]), kind, right, self._own)
        )
        self._n[kind, int(self._game.rules.to_move(state))] += 1

    def in_order(self) -> list[ProbePosition]:
        kinds = list(WANTED)
        return sorted(self._taken, key=lambda position: kinds.index(position.kind))


def own_positions(
    game: FlatGame, own: bool, wanted: Sequence[Sequence[str | int]]
) -> Iterator[ProbePosition]:
    """Positions that the user names by moves, with what is forced there; raises GameError for moves
    that the game does not have."""
    tactics = Tactics(game, LOOKS)
    for moves in wanted:
        state, actions = game.position(moves)
        task = tactics.task(state)
        forced = task is not None and bool(task.right)
        yield ProbePosition(
            game, tuple(actions), task.kind if task is not None else OWN,
            task.right if task is not None and forced else None, own,
        )  # fmt: skip
