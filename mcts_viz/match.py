"""A match: a game played by persons and engines, move by move, in a folder of its own.

Each engine's move leaves the trace of its search there, and `game.json` says what was played and which
trace decided which move: the folder is the export. Ties games, searches and recordings together;
knows no page and no terminal.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from mcts_viz import games
from mcts_viz.analysis.point_of_view import outcome_text
from mcts_viz.api import prepare
from mcts_viz.errors import ExportError, GameError, SearchError
from mcts_viz.search.engine import Search, search_moves
from mcts_viz.search.reuse import node_after, subtree
from mcts_viz.search.tree import Tree
from mcts_viz.thought import Thought, Watcher, nobody, think
from mcts_viz.trace.format import SUFFIX
from mcts_viz.views.board import board_text

DOCUMENT = "game.json"
VERSION = 1  # of the document
PART = ".part"  # of a trace whose move is not decided yet


@dataclass(frozen=True)
class Engine:
    """A side that a search plays; None in its place is a person."""

    preset: str = "uct"
    iterations: int | None = None  # the preset's where neither is given
    seconds: float | None = None
    seed: int | None = None  # None: the match's
    overrides: Mapping[str, Any] = field(default_factory=dict)  # of the preset's parameters: c=0.5

    @property
    def title(self) -> str:
        """The preset and what was changed in it: "uct, c = 0.5"."""
        return ", ".join([self.preset, *(f"{k} = {v}" for k, v in self.overrides.items())])


class Move(NamedTuple):
    """A move that was made."""

    number: int  # from the game's first position, from 1 up
    player: int
    action: int
    name: str
    thought: Thought | None  # None for a person's
    trace: str | None  # file in the match's folder


class Standing(NamedTuple):
    """Where a match stands: a value, so that one thread may read what another one replaces."""

    actions: tuple[int, ...]  # from the game's first position
    moves: tuple[Move, ...]  # since the match's start position
    taken_back: tuple[Move, ...]  # whose traces are still in the folder
    to_move: int | None  # player; None when the game is over
    legal: tuple[int, ...]  # ascending; none when the game is over
    outcome: float | None  # view of player 0; None while the game goes on


MOST_TREES = 3  # kept of a side, so that some moves can be taken back without losing them


class TreeAt(NamedTuple):
    """What an engine has left behind."""

    actions: tuple[int, ...]  # from the game's first position to its root
    tree: Tree


class Match:
    """A match and its folder, which is made here and kept up to date after every move.

    `sides` are player 0 and player 1. `start` holds moves that lead to the start position. The same
    seed, settings and moves of persons give the same match. Everything is checked before anything is
    written: raises GameError, SearchError, or ExportError for a folder that cannot be had.
    """

    def __init__(
        self,
        game: str | games.Game | games.FlatGame,
        sides: Sequence[Engine | None],
        folder: str | Path,
        *,
        start: Sequence[str | int] = (),
        seed: int | None = None,
    ) -> None:
        self.game = games.any_game(game)
        self.sides = tuple(sides)
        self.seed = int(np.random.SeedSequence().generate_state(1)[0]) if seed is None else seed
        self.start = check(self.game, self.sides, start, self.seed)
        self.folder = _new_folder(Path(folder))
        self._trees: tuple[list[TreeAt], list[TreeAt]] = ([], [])  # of each player's engine
        self.standing = self._stand((), ())
        self._save()

    @property
    def title(self) -> str:
        """The game's."""
        return self.game.title

    @property
    def players(self) -> tuple[str, str]:
        """Their symbols."""
        return self.game.players

    @property
    def engine(self) -> Engine | None:
        """The engine whose turn it is; None for a person's turn, and when the game is over."""
        player = self.standing.to_move
        return None if player is None else self.sides[player]

    @property
    def result(self) -> str | None:
        """In words; None while the game goes on."""
        outcome = self.standing.outcome
        told = {"players": self.players, "reward_range": self.game.reward_range}
        return None if outcome is None else outcome_text(told, outcome)

    @property
    def legal_names(self) -> list[str]:
        """Names of the legal moves."""
        return [self.game.action_labels[action] for action in self.standing.legal]

    def board(self) -> games.Board | None:
        """What the position looks like; None for a game that has no picture."""
        return None if self.game.board is None else self.game.board(self.standing.actions)

    def text(self) -> str:
        """The position as text."""
        board = self.board()
        if board is not None:
            return board_text(board)
        state, _ = self.game.position(self.standing.actions)
        return str(state) if self.game.text is None else self.game.text(state)

    def targets(self) -> dict[int, tuple[str, int | None]]:
        """Each legal action, with its name and the cell of the board that it would take."""
        now, labels, board = self.standing, self.game.action_labels, self.game.board
        return {
            a: (labels[a], None if board is None else board([*now.actions, a]).last)
            for a in now.legal
        }

    def play(self, move: str | int) -> Move:
        """Make a person's move, an action id or a name. Raises GameError, with the legal moves, for
        one that cannot be made."""
        player = self.standing.to_move
        if player is None:
            raise GameError(f"the game is over ({self.result}): {move!r} cannot be played any more")
        if self.sides[player] is not None:
            raise GameError(f"it is the turn of {self.players[player]}, which an engine plays")
        return self._made(self._legal_action(move), None, None)

    def think(self, watch: Watcher = nobody, stop: Callable[[], bool] = lambda: False) -> Move:
        """Let the engine to move search and make its move. Stopped, it plays the best move so far."""
        plan, player = self.plan(), self.standing.to_move
        number = f"{len(self.standing.actions) + 1:0{max(2, len(str(self.game.max_moves)))}d}"
        stem = f"{number}_{self.players[player or 0]}"
        part = self.folder / f"{stem}{SUFFIX}{PART}"
        try:
            thought, tree = think(plan, part, watch, stop, self._kept(plan))
            name = re.sub(r"[^\w-]+", "_", self.game.action_labels[thought.action])
            path = _free(self.folder, f"{stem}_{name}")
            part.rename(path)
        except BaseException:
            part.unlink(missing_ok=True)
            raise
        if plan.policies.keep_tree:
            self._trees[player or 0].append(TreeAt(self.standing.actions, tree))
        return self._made(thought.action, thought, path.name)

    def plan(self) -> Search:
        """The search of the engine to move; raises GameError where it is nobody's turn, or a person's."""
        now, engine = self.standing, self.engine
        if engine is None or now.to_move is None:
            raise GameError("no engine is to move here: a person is, or the game is over")
        return _plan(self.game, engine, now.actions, self.seed, now.to_move)

    def _kept(self, plan: Search) -> Tree | None:
        """The part of the engine's last tree below the position at hand, where its preset goes on with
        it and it comes so far."""
        now, trees = self.standing.actions, self._trees[self.standing.to_move or 0]
        # what was searched in a line that has been taken back is gone
        trees[:] = [at for at in trees if at.actions == now[: len(at.actions)]][-MOST_TREES:]
        if not plan.policies.keep_tree or not trees or trees[-1].actions == now:
            return None
        node = node_after(trees[-1].tree, now[len(trees[-1].actions) :])
        return None if node is None else subtree(trees[-1].tree, node)

    def undo(self) -> Move:
        """Take the last move back; its trace stays. Raises GameError at the start position."""
        moves, taken_back = self.standing.moves, self.standing.taken_back
        if not moves:
            raise GameError("there is no move to take back: this is the match's start position")
        self._stand_and_save(moves[:-1], (*taken_back, moves[-1]))
        return moves[-1]

    def take_back(self) -> list[Move]:
        """Undo to the last turn of a person, or by one move where engines play each other; returns
        the moves, last first. Raises GameError where a person has not moved yet."""
        if None not in self.sides:
            return [self.undo()]
        if all(self.sides[move.player] is not None for move in self.standing.moves):
            raise GameError("there is no move of yours to take back")
        taken = [self.undo()]
        while self.sides[taken[-1].player] is not None:
            taken.append(self.undo())
        return taken

    def again(self, folder: str | Path, start: Sequence[str | int] | None = None) -> Match:
        """A new match of the same sides, from the same position or another one, with the next seed."""
        moves = self.start if start is None else start
        return Match(self.game, self.sides, folder, start=moves, seed=self.seed + 1)

    def document(self) -> dict[str, Any]:
        """What `game.json` says."""
        now, names = self.standing, self.game.action_labels
        return {
            "kind": "match",
            "format_version": VERSION,
            "game": {"name": self.game.name, "title": self.game.title},
            "seed": self.seed,
            "sides": [_side(s, p) for s, p in zip(self.sides, self.players)],
            "start": [{"action": action, "name": names[action]} for action in self.start],
            "moves": [self._move(move) for move in now.moves],
            "taken_back": [self._move(move) for move in now.taken_back],
            "outcome": now.outcome,
            "result": self.result,
        }

    def _legal_action(self, move: str | int) -> int:
        legal = f"legal here: {', '.join(self.legal_names)}"
        try:
            action = self.game.action(move)
        except GameError as err:
            raise GameError(f"{err}; {legal}") from err
        if action not in self.standing.legal:
            raise GameError(f"{move!r} is not legal here; {legal}")
        return action

    def _made(self, action: int, thought: Thought | None, trace: str | None) -> Move:
        now = self.standing
        assert now.to_move is not None
        name, number = self.game.action_labels[action], len(now.actions) + 1
        move = Move(number, now.to_move, action, name, thought, trace)
        self._stand_and_save((*now.moves, move), now.taken_back)
        return move

    def _stand(self, moves: tuple[Move, ...], taken_back: tuple[Move, ...]) -> Standing:
        actions = (*self.start, *(move.action for move in moves))
        state, _ = self.game.position(actions)
        legal = tuple(self.game.legal(state))
        return Standing(
            actions,
            moves,
            taken_back,
            self.game.rules.to_move(state) if legal else None,
            legal,
            None if legal else float(self.game.rules.outcome(state)),
        )

    def _stand_and_save(self, moves: tuple[Move, ...], taken_back: tuple[Move, ...]) -> None:
        self.standing = self._stand(moves, taken_back)
        self._save()

    def _save(self) -> None:
        """Replace the document at once: no reader ever sees half of one."""
        part = self.folder / f"{DOCUMENT}{PART}"
        text = json.dumps(self.document(), ensure_ascii=False, indent=1, allow_nan=False)
        try:
            part.write_text(text + "\n", encoding="utf-8")
            part.replace(self.folder / DOCUMENT)
        except OSError as err:
            raise ExportError(
                f"{self.folder / DOCUMENT}: cannot be written: {err.strerror}; make room and write access there"
            ) from err

    def _move(self, move: Move) -> dict[str, Any]:
        told: dict[str, Any] = {
            "number": move.number,
            "player": self.players[move.player],
            "action": move.action,
            "name": move.name,
            "trace": move.trace,
        }
        if move.thought is not None:
            thought = move.thought._asdict()
            del thought["action"]
            told["search"] = thought
        return told


def check(
    game: str | games.Game | games.FlatGame,
    sides: Sequence[Engine | None],
    start: Sequence[str | int] = (),
    seed: int | None = None,
) -> tuple[int, ...]:
    """Action ids of the start position of a match that can be played; raises GameError or SearchError
    naming what is wrong with it."""
    if len(sides) != 2:
        raise GameError(
            f"{len(sides)} sides: a match has two, each an Engine, or None for a person"
        )
    played = games.any_game(game)
    actions = search_moves(played, start)
    for player, (side, symbol) in enumerate(zip(sides, played.players)):
        if side is None:
            continue
        try:
            _plan(played, side, actions, 0 if seed is None else seed, player)
        except SearchError as err:
            raise SearchError(f"engine of {symbol}: {err}") from err
    return actions


def _plan(
    game: games.FlatGame, engine: Engine, actions: Sequence[int], seed: int, player: int
) -> Search:
    """The engine's search at a position, with a seed of its own for every player and move."""
    plan = prepare(
        game,
        engine.preset,
        iterations=engine.iterations,
        seconds=engine.seconds,
        seed=seed if engine.seed is None else engine.seed,  # checked there
        start=actions,
        **engine.overrides,
    )
    entropy = np.random.SeedSequence([plan.seed, player, len(actions)])
    return replace(plan, seed=int(entropy.generate_state(1)[0]))


def _side(side: Engine | None, player: str) -> dict[str, Any]:
    if side is None:
        return {"player": player, "by": "person"}
    return {
        "player": player,
        "by": "engine",
        "preset": side.preset,
        "iterations": side.iterations,
        "seconds": side.seconds,
        "seed": side.seed,
        "overrides": dict(side.overrides),
    }


def _new_folder(folder: Path) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        taken = any(folder.iterdir())
    except OSError as err:
        raise ExportError(f"{folder}: this folder cannot be made: {err.strerror}") from err
    if taken:
        raise ExportError(f"{folder}: this folder is not empty; name a new one for the match")
    return folder


def _free(folder: Path, stem: str) -> Path:
    """A file name that no trace of the folder has: a move taken back may have been the same one."""
    path, number = folder / f"{stem}{SUFFIX}", 2
    while path.exists():
        path, number = folder / f"{stem}-{number}{SUFFIX}", number + 1
    return path
