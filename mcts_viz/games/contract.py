"""The contract of a game, tested by random playouts: what the methods say must depend on the
position alone, and positions must share nothing that a move changes.

What a single answer must be like, `own` checks whenever a method is asked; here are the promises
that take several answers to test. `mcts_viz.testing` is the way in for others.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mcts_viz.games.own import OwnRules, OwnState
from mcts_viz.games.rules import FlatGame

# before a search begins: as much work as some dozen simulations
FEW_PLAYOUTS = 3
FEW_ACTIONS = 3


class Answers(NamedTuple):
    """What the methods say of one position."""

    to_move: int
    outcome: float | None  # view of player 0; None while the game goes on
    legal_actions: tuple[int, ...]  # () where the game is over: not asked there
    text: str


METHOD = {"text": "str(state)"}  # that gives an answer, where it has another name


def check_rules(
    rules: OwnRules, playouts: int = FEW_PLAYOUTS, seed: int = 0, actions: int | None = FEW_ACTIONS
) -> None:
    """Raise GameContractError at the first promise that a random playout finds broken.

    In every position on the way that many actions are tried (None: all of them), one of them is
    played.
    """
    rng = random.Random(seed)
    beginning = _answers(rules, rules.first())
    if beginning.outcome is not None:
        raise rules.broken(
            "outcome",
            f"gave {beginning.outcome:g} at the beginning; give None while there is a move to make",
            rules.first(),
        )
    for _ in range(playouts):
        line = _playout(rules, rng, actions)
        for state, before in line:
            name = _difference(before, _ask(rules, state))
            if name is not None:
                raise rules.broken(
                    "play",
                    f"changed a position some moves after it: {name}; copy what a move changes, also "
                    "what lies inside the state",
                    state,
                    before.text,
                )
        again = rules.first()
        name = _difference(beginning, _ask(rules, again))
        if name is not None:
            raise rules.broken(
                "initial_state",
                f"gave another position than at first: {name}; make a new one at every call",
                again,
            )


def _playout(
    rules: OwnRules, rng: random.Random, n_tried: int | None
) -> list[tuple[OwnState, Answers]]:
    """Play at random to the end; every position on the way with what was said of it."""
    state = rules.first()
    line = [(state, _answers(rules, state))]
    while line[-1][1].outcome is None:
        legal = line[-1][1].legal_actions
        tried = rng.sample(legal, len(legal) if n_tried is None else min(n_tried, len(legal)))
        state = _try(rules, *line[-1], tried)
        line.append((state, _answers(rules, state)))
    return line


def _try(rules: OwnRules, state: OwnState, before: Answers, actions: Sequence[int]) -> OwnState:
    """Play each of the actions from this position, and the first one again; the position after it.

    Whatever one of these moves changes beside the position it makes, another answer gives away.
    """
    children: list[tuple[OwnState, Answers]] = []
    for action in actions:
        child = _played(rules, state, action)
        name = _difference(before, _ask(rules, state))
        if name is not None:
            raise rules.broken(
                f"play(state, {action})",
                f"changed the state that it was given: {name}; copy the state, change the copy and "
                "return it",
                state,
                before.text,
            )
        children.append((child, _ask(rules, child)))
    for action, (child, told) in zip(actions, children):
        name = _difference(told, _ask(rules, child))
        if name is not None:
            raise rules.broken(
                f"play(state, {action})",
                f"gave a state that other moves from here change: {name}; return a state that shares "
                "with no other what a move changes",
                state,
            )
    name = _difference(children[0][1], _ask(rules, _played(rules, state, actions[0])))
    if name is not None:
        raise rules.broken(
            f"play(state, {actions[0]})",
            f"gave another position the second time: {name}; let it depend on nothing but the state "
            "and the action",
            state,
        )
    return children[0][0]


def _played(rules: OwnRules, state: OwnState, action: int) -> OwnState:
    after = list(state)
    rules.play(after, action)
    return after


def _answers(rules: OwnRules, state: OwnState) -> Answers:
    """What the methods say of a position, and say again when they are asked a second time."""
    first, second = _ask(rules, state), _ask(rules, state)
    for field, once, twice in zip(Answers._fields, first, second):
        if once != twice:
            raise rules.broken(
                METHOD.get(field, field),
                f"gave {once!r}, and {twice!r} when it was asked again; let it depend on nothing but "
                "the state, and change nothing",
                state,
            )
    return first


def _ask(rules: OwnRules, state: OwnState) -> Answers:
    result = rules.outcome(state)
    if not np.isnan(result):
        return Answers(rules.to_move(state), result, (), rules.text(state))
    buffer = [0] * rules.n_actions
    legal = tuple(buffer[: rules.legal_actions(state, buffer)])
    return Answers(rules.to_move(state), None, legal, rules.text(state))


def _difference(before: Answers, after: Answers) -> str | None:
    """The first answer that is another one, in words; None where all are the same."""
    for field, old, new in zip(Answers._fields, before, after):
        if old != new:
            return f"{METHOD.get(field, field)} gave {old!r}, then {new!r}"
    return None


class FlatAsGame:
    """A `FlatGame` as a `Game`: its states are lists of ints, copied before each move."""

    def __init__(self, flat: FlatGame) -> None:
        self._flat = flat
        self.name, self.title, self.players = flat.name, flat.title, flat.players
        self.n_actions, self.max_moves = flat.n_actions, flat.max_moves
        self.reward_range = flat.reward_range

    def initial_state(self) -> OwnState:
        """The first position."""
        return self._flat.start_state()

    def to_move(self, state: OwnState) -> int:
        """The player to move."""
        return self._flat.rules.to_move(state)

    def legal_actions(self, state: OwnState) -> list[int]:
        """The legal actions."""
        buffer = [0] * self.n_actions
        return buffer[: self._flat.rules.legal_actions(state, buffer)]

    def play(self, state: OwnState, action: int) -> OwnState:
        """The position after the action."""
        after = list(state)
        self._flat.rules.play(after, action)
        return after

    def outcome(self, state: OwnState) -> float | None:
        """None for RUNNING."""
        result = self._flat.rules.outcome(state)
        return None if np.isnan(result) else result

    def action_name(self, action: int) -> str:
        """The action's label."""
        return self._flat.action_labels[action]
