"""Tables of positions whose key leaves out the player to move."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest

import mcts_viz as mv
from tests.variants import few

CHECK = "shared-player"
State = tuple[int, int]  # coins left, player to move


class Coins:
    """Take one to four coins; whose turn it is when none are left has lost. Where turns are kept, who takes three moves
    again."""

    name, n_actions, start = "coins", 5, 21

    def __init__(self, keeps_turn: bool = False) -> None:
        self.keeps_turn = keeps_turn

    def initial_state(self) -> State:
        return self.start, 0

    def to_move(self, state: State) -> int:
        return state[1]

    def legal_actions(self, state: State) -> list[int]:
        return [n for n in (1, 2, 3, 4) if n <= state[0]]

    def play(self, state: State, action: int) -> State:
        again = self.keeps_turn and action == 3
        return state[0] - action, state[1] if again else 1 - state[1]

    def action_name(self, action: int) -> str:
        return str(action)

    def outcome(self, state: State) -> float | None:
        return None if state[0] else (1.0 if state[1] else -1.0)


class Entry:
    def __init__(self, state: State) -> None:
        self.coins, self.player = state
        self.moves: dict[int, Entry] = {}
        self.visits, self.total = 0, 0.0


class Table:
    """UCT over a table; sums are in the view of player 0, or of the player to move."""

    def __init__(self, game: Coins, key: str, view: str = "player0", seed: int = 1) -> None:
        self.game, self.key, self.view = game, key, view
        self.random = random.Random(seed)
        self.known: dict[Any, Entry] = {}
        self.root = self.entry(game.initial_state())

    def entry(self, state: State) -> Entry:
        key = state if self.key == "all" else state[0]
        return self.known.setdefault(key, Entry(state))

    def choose(self, entry: Entry, player: int) -> int:
        def score(move: int) -> float:
            child = entry.moves[move]
            if not child.visits:
                return math.inf
            total = -child.total if self.view == "to_move" or player else child.total
            return total / child.visits + math.sqrt(2 * math.log(entry.visits) / child.visits)

        return max(entry.moves, key=score)

    def step(self) -> None:
        state, path = self.game.initial_state(), [(self.root, 0)]
        while path[-1][0].moves:
            move = self.choose(path[-1][0], state[1])
            state = self.game.play(state, move)
            path.append((path[-1][0].moves[move], state[1]))
        for move in self.game.legal_actions(state):
            path[-1][0].moves[move] = self.entry(self.game.play(state, move))
        while (outcome := self.game.outcome(state)) is None:
            state = self.game.play(state, self.random.choice(self.game.legal_actions(state)))
        for entry, player in path:
            entry.visits += 1
            entry.total += -outcome if self.view == "to_move" and player else outcome


def recorded(search: Table, **told: Any) -> mv.Trace:
    with mv.record(
        root=search.root, shared=True, children="moves", visits="visits", value="total", value_view=search.view,
        to_move="player", **told,
    ) as rec:  # fmt: skip
        for _ in rec.steps(search.step, 600):
            pass
    return rec.trace


def found(search: Table, **told: Any) -> mv.Finding | None:
    return next((one for one in recorded(search, **told).check() if one.check == CHECK), None)


def test_a_key_without_the_player_is_named() -> None:
    one = found(Table(Coins(), "coins"))
    assert one is not None
    assert one.severity == "error"
    assert "leaves out the player to move" in one.message
    assert found(Table(Coins(), "all")) is None


def test_choices_that_nothing_explains_follow_from_it() -> None:
    findings = recorded(Table(Coins(), "coins"), selection="ucb1", c=math.sqrt(2)).check()
    assert [one.check for one in findings if one.severity != "note"] == [CHECK]


@pytest.mark.parametrize("seed", few(range(4)))
@pytest.mark.parametrize("key", ["all", "coins"])
def test_of_turns_that_are_kept_nothing_is_said(key: str, seed: int) -> None:
    """Paths of any length lead to either player: without the rules nobody knows."""
    assert found(Table(Coins(keeps_turn=True), key, seed=seed)) is None


@pytest.mark.parametrize("keeps_turn", [False, True])
def test_where_the_rules_are_known_they_say_who_is_to_move(keeps_turn: bool) -> None:
    game = Coins(keeps_turn)
    one = found(Table(game, "coins"), game=game)
    assert one is not None
    assert one.severity == "error"
    assert "by the rules" in one.message
    assert found(Table(game, "all"), game=game) is None


@pytest.mark.parametrize("told", [{}, {"game": Coins()}], ids=["no rules", "rules"])
def test_values_of_the_player_to_move_may_be_shared(told: dict[str, Any]) -> None:
    """Coins are worth the same to either player."""
    one = found(Table(Coins(), "coins", "to_move"), **told)
    assert one is not None
    assert one.severity == "note"
    assert "Right where" in one.message
    assert found(Table(Coins(), "all", "to_move"), **told) is None


class Edges:
    """UCT for coins over tables of edges: the coins left tell no player, values are those of who is to move."""

    start = Coins.start

    def __init__(self, seed: int = 1) -> None:
        self.random = random.Random(seed)
        self.n: dict[int, dict[int, int]] = {}
        self.w: dict[int, dict[int, float]] = {}
        self.search(self.start)

    def moves(self, coins: int) -> list[int]:
        return [n for n in (1, 2, 3, 4) if n <= coins]

    def search(self, coins: int) -> float:
        """What a visit is worth to who is to move."""
        moves = self.moves(coins)
        if not moves:
            return -1.0
        if coins not in self.n:
            self.n[coins], self.w[coins] = dict.fromkeys(moves, 0), dict.fromkeys(moves, 0.0)
            return self.random.choice([-1.0, 1.0])
        n, w = self.n[coins], self.w[coins]
        log = math.log(sum(n.values()) or 1)

        def score(move: int) -> float:
            return w[move] / n[move] + math.sqrt(2 * log / n[move]) if n[move] else math.inf

        move = max(moves, key=score)
        value = -self.search(coins - move)
        n[move], w[move] = n[move] + 1, w[move] + value
        return value


class SeldomEven(Edges):
    """Nearly all numbers of coins are left to one player alone: an even one is taken at three alone."""

    start = 30

    def moves(self, coins: int) -> list[int]:
        return [n for n in ((1, 2) if coins == 3 else (1, 5)) if n <= coins]


def of_edges(search: Edges) -> dict[str, mv.Finding]:
    with mv.record_tables(
        Nsa=search.n, Qsa=search.w, root=search.start, next=lambda coins, move: coins - move, value_kind="sum",
        to_move=0, value_range=(-1, 1),
    ) as rec:  # fmt: skip
        for _ in rec.steps(lambda: search.search(search.start), 400):
            pass
    return {one.check: one for one in rec.trace.check()}


def test_a_node_s_player_is_not_that_of_every_way_to_it() -> None:
    """Values of one path that turn at each move are right, though nodes of the first way have one player."""
    findings = of_edges(Edges())
    assert findings[CHECK].severity == "note"
    assert "value-uneven" not in findings


def test_few_nodes_of_both_players_are_no_alarm() -> None:
    findings = of_edges(SeldomEven())
    assert [str(one) for one in findings.values() if one.severity != "note"] == []
    assert CHECK not in findings
