"""A match: a game played by persons and engines, move by move, in a folder of its own.

Each engine's move leaves the trace of its search there, and `game.json` says what was played and which
trace decided which move: the folder is the export. Ties games, searches and recordings together;
knows no page and no terminal.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from mcts_viz import games
from mcts_viz.analysis.point_of_view import outcome_text
from mcts_viz.engine.phases import RANDOM_ORDER
from mcts_viz.engine.presets import name_of
from mcts_viz.engine.reuse import node_after, subtree
from mcts_viz.engine.search import Search, search_moves
from mcts_viz.engine.tree import Tree
from mcts_viz.errors import ExportError, GameError, SearchError
from mcts_viz.games.position import Target, targets
from mcts_viz.runs.engine_move import MoveSearch, Watch, search_move, unwatched
from mcts_viz.runs.match_files import DOCUMENT
from mcts_viz.runs.options import SearchOptions
from mcts_viz.runs.search import prepare
from mcts_viz.trace.format import SUFFIX
from mcts_viz.trace.meta import TraceMeta
from mcts_viz.types import Document
from mcts_viz.views.board_text import board_text

VERSION = 1  # of the document
PART = ".part"  # of a trace whose move is not decided yet


class Move(NamedTuple):
    """A move that was made."""

    number: int  # from the game's first position, from 1 up
    player: int
    action: int
    name: str
    search: MoveSearch | None  # None for a person's
    trace: str | None  # file in the match's folder


class MatchState(NamedTuple):
    """The state of a match. Never changed, so that a thread can read it while another makes the next."""

    actions: tuple[int, ...]  # from the game's first position
    moves: tuple[Move, ...]  # since the match's start position
    taken_back: tuple[Move, ...]  # whose traces are still in the folder
    to_move: int | None  # player; None when the game is over
    legal: tuple[int, ...]  # ascending; none when the game is over
    outcome: float | None  # view of player 0; None while the game goes on


MOST_TREES = 3  # of a side, so that some moves can be taken back without losing their trees


class TreeAt(NamedTuple):
    """A tree that an engine has searched, for reuse at its next move."""

    actions: tuple[int, ...]  # from the game's first position to its root
    tree: Tree


class Match:
    """A match and its folder, which is made here and brought up to date after every move.

    `sides` are player 0 and player 1: what an engine searches with, its budget that of a move and its
    seed None for the match's, or None for a person. `start` holds moves that lead to the start position. The same
    seed, settings and moves of persons give the same match. Everything is checked before anything is
    written: raises GameError, SearchError, or ExportError for a folder that cannot be had.
    """

    def __init__(
        self,
        game: games.AnyGame,
        sides: Sequence[SearchOptions | None],
        folder: str | Path,
        *,
        start: Sequence[str | int] = (),
        seed: int | None = None,
    ) -> None:
        self.game = games.any_game(game)
        self.sides = tuple(sides)
        self.seed = int(np.random.SeedSequence().generate_state(1)[0]) if seed is None else seed
        self.start = check(self.game, self.sides, start, self.seed)
        self.folder = new_folder(Path(folder))
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
    def engine(self) -> SearchOptions | None:
        """The engine whose turn it is; None for a person's turn, and when the game is over."""
        player = self.standing.to_move
        return None if player is None else self.sides[player]

    @property
    def result(self) -> str | None:
        """In words; None while the game goes on."""
        outcome = self.standing.outcome
        told = TraceMeta({"players": self.players, "reward_range": self.game.reward_range})
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

    def targets(self) -> dict[int, Target]:
        """Each legal action, as one points to it."""
        return targets(self.game, self.standing.actions, self.standing.legal)

    def play(self, move: str | int) -> Move:
        """Make a person's move, an action id or a name. Raises GameError, with the legal moves, for
        one that cannot be made."""
        player = self.standing.to_move
        if player is None:
            raise GameError(f"the game is over ({self.result}): {move!r} cannot be played any more")
        if self.sides[player] is not None:
            raise GameError(f"it is the turn of {self.players[player]}, which an engine plays")
        return self._made(self._legal_action(move), None, None)

    def think(
        self,
        watch: Watch = unwatched,
        stop: Callable[[], bool] = lambda: False,
        memory: int | None = None,
    ) -> Move:
        """Let the engine to move search and make its move. When stopped, or at that many megabytes, it
        plays the best move so far."""
        plan, player = self.plan(), self.standing.to_move
        number = f"{len(self.standing.actions) + 1:0{max(2, len(str(self.game.max_moves)))}d}"
        stem = f"{number}_{self.players[player or 0]}"
        part = self.folder / f"{stem}{SUFFIX}{PART}"
        try:
            found, tree = search_move(plan, part, watch, stop, self._reused(plan), memory)
            name = re.sub(r"[^\w-]+", "_", self.game.action_labels[found.action])
            path = _free(self.folder, f"{stem}_{name}")
            part.rename(path)
        except BaseException:
            part.unlink(missing_ok=True)
            raise
        if plan.policies.keep_tree:
            self._trees[player or 0].append(TreeAt(self.standing.actions, tree))
        return self._made(found.action, found, path.name)

    def plan(self) -> Search:
        """The search of the engine to move; raises GameError where the game is over, or a person is to move."""
        now, engine = self.standing, self.engine
        if engine is None or now.to_move is None:
            raise GameError("no engine is to move here: a person is, or the game is over")
        return self.plan_at(now.actions, now.to_move)

    def plan_at(self, actions: Sequence[int], player: int) -> Search:
        """The search of that player's engine after the actions from the game's first position."""
        engine = self.sides[player]
        if engine is None:
            raise GameError(f"{self.players[player]} is played by a person")
        return _plan(self.game, engine, actions, self.seed, player)

    def _reused(self, plan: Search) -> Tree | None:
        """The part of the engine's last tree below the current position, where its preset reuses trees
        and the tree reaches that position."""
        now, trees = self.standing.actions, self._trees[self.standing.to_move or 0]
        # trees of moves that have been taken back are dropped
        trees[:] = [at for at in trees if at.actions == now[: len(at.actions)]][-MOST_TREES:]
        if not plan.policies.keep_tree or not trees or trees[-1].actions == now:
            return None
        node = node_after(trees[-1].tree, now[len(trees[-1].actions) :])
        if node is None:
            return None
        return subtree(trees[-1].tree, node, sort_untried=plan.settings.order == RANDOM_ORDER)

    def undo(self) -> Move:
        """Take the last move back; its trace stays. Raises GameError at the start position."""
        moves, taken_back = self.standing.moves, self.standing.taken_back
        if not moves:
            raise GameError("there is no move to take back: this is the match's start position")
        self._stand_and_save(moves[:-1], (*taken_back, moves[-1]))
        return moves[-1]

    def take_back(self) -> list[Move]:
        """Undo the moves since the last turn of a person, that one included, or one move where engines play
        each other; returns them, last first. Raises GameError where a person has not moved yet."""
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

    def document(self) -> Document:
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

    def _made(self, action: int, found: MoveSearch | None, trace: str | None) -> Move:
        now = self.standing
        assert now.to_move is not None
        name, number = self.game.action_labels[action], len(now.actions) + 1
        move = Move(number, now.to_move, action, name, found, trace)
        self._stand_and_save((*now.moves, move), now.taken_back)
        return move

    def _stand(self, moves: tuple[Move, ...], taken_back: tuple[Move, ...]) -> MatchState:
        actions = (*self.start, *(move.action for move in moves))
        state, _ = self.game.position(actions)
        legal = tuple(self.game.legal(state))
        return MatchState(
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

    def _move(self, move: Move) -> Document:
        told: Document = {
            "number": move.number,
            "player": self.players[move.player],
            "action": move.action,
            "name": move.name,
            "trace": move.trace,
        }
        if move.search is not None:
            found = move.search._asdict()
            del found["action"]
            told["search"] = found
        return told


def check(
    game: games.AnyGame,
    sides: Sequence[SearchOptions | None],
    start: Sequence[str | int] = (),
    seed: int | None = None,
) -> tuple[int, ...]:
    """Action ids of the start position of a match that can be played; raises GameError or SearchError
    naming what is wrong with it."""
    if len(sides) != 2:
        raise GameError(
            f"{len(sides)} sides: a match has two, each with SearchOptions, or None for a person"
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
    game: games.FlatGame, engine: SearchOptions, actions: Sequence[int], seed: int, player: int
) -> Search:
    """The engine's search at a position, with a seed of its own for every player and move."""
    own = seed if engine.seed is None else engine.seed  # checked below
    search = prepare(game, replace(engine, seed=own, start=actions))
    entropy = np.random.SeedSequence([search.seed, player, len(actions)])
    return replace(search, seed=int(entropy.generate_state(1)[0]))


def _side(side: SearchOptions | None, player: str) -> Document:
    if side is None:
        return {"player": player, "by": "person"}
    return {
        "player": player,
        "by": "engine",
        "preset": side.preset or "uct",
        "iterations": side.iterations,
        "seconds": side.seconds,
        "seed": side.seed,
        "overrides": {
            name: name_of(value) if callable(value) else value
            for name, value in side.overrides.items()
        },
    }


def new_folder(folder: Path) -> Path:
    """The folder, made where it is not there; raises ExportError where it cannot be, or is not empty."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        taken = any(folder.iterdir())
    except OSError as err:
        raise ExportError(f"{folder}: this folder cannot be made: {err.strerror}") from err
    if taken:
        raise ExportError(f"{folder}: this folder is not empty; name a new one for the match")
    return folder


def _free(folder: Path, stem: str) -> Path:
    """A free file name in the folder: the same move may have been played before and taken back."""
    path, number = folder / f"{stem}{SUFFIX}", 2
    while path.exists():
        path, number = folder / f"{stem}-{number}{SUFFIX}", number + 1
    return path
