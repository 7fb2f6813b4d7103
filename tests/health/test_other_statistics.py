"""Correct searches whose nodes keep something else than the mean of their own visits: medians, quantiles, power means,
games that were never played, amounts won, bounds. And the mistakes that look a little like them."""

from __future__ import annotations

import math
import random
import statistics
from typing import Any

import pytest

from mcts_viz.health.values import check
from tests.health.unusual import INFINITY, Node, Rules, Search, watched
from tests.variants import few

MEAN: dict[str, Any] = {"value": "kept", "value_kind": "mean"}


class Median(Search):
    """A node's value is the median of its results."""

    def node(self, state: Any, parent: Any, move: int) -> Any:
        made: Any = super().node(state, parent, move)
        made.kept, made.seen = 0.0, []
        return made

    def evaluate(self, leaf: Node) -> float:
        """Results that are seldom equal: a quick win counts more."""
        return (super().evaluate(leaf) + self.random.uniform(-0.5, 0.5)) / 1.5

    def keep(self, seen: list[float]) -> float:
        return statistics.median(seen)

    def backpropagate(self, path: list[Any], outcome: float) -> None:
        for node in path:
            node.N += 1
            node.seen.append(self.worth(node, outcome))
            node.kept = self.keep(node.seen)

    def score(self, node: Any, child: Any) -> float:
        if not child.N:
            return INFINITY
        return float(child.kept + self.c * math.sqrt(math.log(node.N) / child.N))


class Quantile(Median):
    def keep(self, seen: list[float]) -> float:
        return sorted(seen)[int(0.7 * (len(seen) - 1))]


class Overwritten(Median):
    """A mistake: the last result alone."""

    def keep(self, seen: list[float]) -> float:
        return seen[-1]


class Halfway(Median):
    """A mistake: (q + v) / 2."""

    def keep(self, seen: list[float]) -> float:
        value = seen[0]
        for each in seen[1:]:
            value = (value + each) / 2
        return value


class PowerMean(Median):
    """The power mean of the children's values, of the player who chooses (Dam et al. 2019)."""

    def backpropagate(self, path: list[Any], outcome: float) -> None:
        leaf = path[-1]
        for node in path:
            node.N += 1
        was = (leaf.N - 1) * leaf.kept
        leaf.kept = (was + self.worth(leaf, outcome)) / leaf.N
        for node in reversed(path[:-1]):
            n = sum(child.N for child in node.children)
            powers = (child.N / n * ((child.kept + 1) / 2) ** 4 for child in node.children)
            node.kept = 1 - 2 * sum(powers) ** 0.25


@pytest.mark.parametrize("kind", few([Median, Quantile, PowerMean], 2))
@pytest.mark.parametrize("told", [{}, {"policies": {"backpropagation": {"name": "my own"}}}])
def test_another_back_up_than_a_mean_is_a_note(kind: type[Search], told: dict[str, Any]) -> None:
    trace = watched(kind(Rules("tic_tac_toe", []), 1), **MEAN, **told)
    findings = trace.check()
    assert [str(one) for one in findings if one.severity != "note"] == []
    assert "value-backup" in [one.check for one in findings]


@pytest.mark.parametrize(
    ("kind", "check"), [(Overwritten, "value-overwritten"), (Halfway, "value-mean")]
)
def test_a_mistaken_mean_is_named_as_before(kind: type[Search], check: str) -> None:
    found = watched(kind(Rules("tic_tac_toe", []), 1), **MEAN).check()
    assert check in [one.check for one in found if one.severity == "error"]


class VirtualGames(Search):
    """Each node begins with games that were never played, as a heuristic says they end (Gelly and Silver 2007)."""

    games = 6

    def node(self, state: Any, parent: Any, move: int) -> Any:
        made: Any = super().node(state, parent, move)
        if parent is not None:
            made.N = self.games + (move % 2 if self.games > 2 else 0)
            made.W = made.N * random.Random(str(state)).uniform(-0.5, 0.5)
        return made


class VirtualGamesOfAll(VirtualGames):
    """The same where all children are made at once."""

    def node(self, state: Any, parent: Any, move: int) -> Any:
        made: Any = super().node(state, parent, move)
        made.N = self.games
        return made

    def grow(self, node: Node) -> Node | None:
        if node.children:
            return None
        for move in self.rules.moves(node.state):
            self.add(node, move)
        return self.choose(node)


class VirtualGamesOfFewValues(VirtualGamesOfAll):
    """A heuristic that says the same of most positions."""

    def node(self, state: Any, parent: Any, move: int) -> Any:
        made: Any = super().node(state, parent, move)
        if parent is not None:
            made.W = self.games * (0.5 if random.Random(str(state)).random() < 0.05 else 0.0)
        return made


class VirtualGamesByKnowledge(VirtualGamesOfAll):
    """As many games as the heuristic is sure of; the root has one."""

    def node(self, state: Any, parent: Any, move: int) -> Any:
        made: Any = super().node(state, parent, move)
        sure = random.Random(str(state)).random()
        made.N, share = (1, 0.0) if parent is None else (8, 0.3) if sure < 0.2 else (4, -0.1)
        made.W = made.N * share * (1.0 if sure < 0.6 else 0.5)
        return made


class VirtualGamesBelowLeaves(VirtualGamesOfAll):
    """Children are made below a leaf, which is evaluated by itself: none of them is visited then."""

    def step(self) -> None:
        path = [self.root]
        while path[-1].children:
            path.append(self.choose(path[-1]))
        if path[-1].outcome is None:
            for move in self.rules.moves(path[-1].state):
                self.add(path[-1], move)
        self.backpropagate(path, self.evaluate(path[-1]))


class Weighted(Median):
    """A mean in which results near the end count a little more."""

    def evaluate(self, leaf: Node) -> float:
        return self.rollout(leaf.state) * (1.0 if self.iterations % 50 == 0 else 0.8)

    def backpropagate(self, path: list[Any], outcome: float) -> None:
        weight = 1 + len(path) / 300
        for node in path:
            node.N += 1
            node.seen.append((weight, self.worth(node, outcome)))
            total = sum(each for each, _ in node.seen)
            node.kept = sum(each * result for each, result in node.seen) / total


class BeyondRange(Median):
    """A mistake: some results lie outside the range, and so do means."""

    def keep(self, seen: list[float]) -> float:
        return statistics.mean(seen)

    def evaluate(self, leaf: Node) -> float:
        return (1.3 if self.iterations % 3 else 1.0) * self.rollout(leaf.state)


@pytest.mark.parametrize(("kind", "severity"), [(Weighted, "note"), (BeyondRange, "error")])
def test_visits_that_seem_to_be_worth_too_much_are_a_note_as_long_as_no_mean_is(
    kind: type[Search], severity: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # as where too few nodes show of what they are averages
    monkeypatch.setattr(check, "average_of_children", lambda search: None)
    findings = watched(kind(Rules("connect_four", [3, 3, 2, 2]), 1), **MEAN).check()
    (found,) = (one for one in findings if one.check == "value-out-of-range")
    assert found.severity == severity


@pytest.mark.parametrize(
    "kind",
    [
        *few([VirtualGames, VirtualGamesOfAll, VirtualGamesOfFewValues, VirtualGamesBelowLeaves]),
        VirtualGamesByKnowledge,
    ],
)
def test_games_that_nodes_begin_with_are_a_note(kind: type[Search]) -> None:
    findings = watched(kind(Rules("tic_tac_toe", []), 1)).check()
    assert [str(one) for one in findings if one.severity != "note"] == []
    (given,) = (one for one in findings if one.check == "visits-given")
    assert "as of games that were never played" in given.message


class Margin:
    """A row of coins; who takes more from its ends wins."""

    name, n_actions = "coins_in_a_row", 2
    first: Any = ((4, 1, 6, 2, 8, 5, 3, 7, 2), 0, 0)
    initial_state = staticmethod(lambda: Margin.first)

    def to_move(self, state: Any) -> int:
        return int(state[1])

    player = to_move

    def legal_actions(self, state: Any) -> list[int]:
        return [0, 1] if len(state[0]) > 1 else [0]

    moves = legal_actions

    def play(self, state: Any, action: int) -> Any:
        row, player, ahead = state
        coin = row[-action]
        rest = row[:-1] if action else row[1:]
        return rest, 1 - player, ahead + (coin if player == 0 else -coin)

    def outcome(self, state: Any) -> float | None:
        return None if state[0] else float((state[2] > 0) - (state[2] < 0))

    def action_name(self, action: int) -> str:
        return ("left", "right")[action]


class CutOff(Search):
    """A rollout stops after three moves, and is worth what one is ahead by there; so are finished games."""

    def evaluate(self, leaf: Node) -> float:
        state = leaf.state
        for _ in range(3):
            if self.rules.outcome(state) is None:
                state = self.rules.play(state, self.random.choice(self.rules.moves(state)))
        return math.tanh(state[2] / 10)


class Unread(CutOff):
    """A mistake: finished games are evaluated by something that knows nothing of who won."""

    def evaluate(self, leaf: Node) -> float:
        if leaf.outcome is not None:
            return random.Random(str(leaf.state)).uniform(-0.9, 0.9)
        return super().evaluate(leaf)


def of_margins(kind: type[Search], **told: Any) -> list[Any]:
    rules = Margin()
    return watched(
        kind(rules, 1), 600, players=None, value_range=(-1.0, 1.0), game=rules, **told
    ).check()


def test_results_that_count_by_how_much_is_won_are_right() -> None:
    findings = of_margins(CutOff, outcome="outcome")
    assert [str(one) for one in findings if one.severity != "note"] == []


def test_finished_games_that_are_evaluated_are_named() -> None:
    checks = [one.check for one in of_margins(Unread, outcome="outcome") if one.severity == "error"]
    assert "simulation-terminal" in checks


def test_outcomes_that_say_by_how_much_are_a_note() -> None:
    findings = of_margins(
        CutOff, outcome=lambda node: None if node.outcome is None else node.state[2]
    )
    assert [str(one) for one in findings if one.severity != "note"] == []
    (one,) = (one for one in findings if one.check == "expansion-outcome")
    assert "with the same winner each" in one.message


def test_an_outcome_of_the_other_player_is_no_such_amount() -> None:
    findings = of_margins(
        CutOff, outcome=lambda node: None if node.outcome is None else -node.outcome
    )
    assert "expansion-outcome" in [one.check for one in findings if one.severity == "error"]


class Bounded(Search):
    """Nodes keep bounds of their value, and a child that cannot become better than the best one is left aside (Cazenave
    and Saffidine 2010)."""

    def node(self, state: Any, parent: Any, move: int) -> Any:
        made: Any = super().node(state, parent, move)
        made.low, made.high = (-1, 1) if made.outcome is None else (made.outcome, made.outcome)
        return made

    def choose(self, node: Any) -> Node:
        first = node.player == 0
        open_ = [
            child for child in node.children
            if child.low < child.high and (child.high > node.low if first else child.low < node.high)
        ]  # fmt: skip
        return max(open_ or node.children, key=lambda child: self.score(node, child))

    def backpropagate(self, path: list[Any], outcome: float) -> None:
        super().backpropagate(path, outcome)
        for node in reversed(path[:-1]):
            best = max if node.player == 0 else min
            low, high = (
                best(getattr(child, side) for child in node.children) for side in ("low", "high")
            )
            if not node.untried:
                node.low, node.high = low, high
            elif node.player == 0:
                node.low = max(node.low, low)
            else:
                node.high = min(node.high, high)


def test_draws_that_bounds_have_proven_are_right() -> None:
    search = Bounded(Rules("tic_tac_toe", [4, 1, 0]), 1)
    findings = watched(
        search, 500, selection="ucb1", c=1.4, unvisited="first",
        proven=lambda node: node.low if node.low == node.high else None,
    ).check()  # fmt: skip
    assert [str(one) for one in findings if one.severity != "note"] == []


class Preventing(Search):
    """Of moves, the one that wins, else one that prevents the loss alone."""

    def grow(self, node: Node) -> Node | None:
        if node.untried is None:
            node.untried = self.urgent(node.state)
        return super().grow(node)

    def urgent(self, state: Any) -> list[int]:
        moves, mover = self.rules.moves(state), self.rules.player(state)
        wins = [move for move in moves if self.ends(state, move, mover)]
        if wins:
            return wins[:1]
        holds = [move for move in moves if not self.loses(self.rules.play(state, move), 1 - mover)]
        return holds or moves[:1]

    def ends(self, state: Any, move: int, player: int) -> bool:
        outcome = self.rules.outcome(self.rules.play(state, move))
        return outcome is not None and (outcome > 0) == (player == 0) and outcome != 0

    def loses(self, state: Any, player: int) -> bool:
        if self.rules.outcome(state) is not None:
            return False
        return any(self.ends(state, move, player) for move in self.rules.moves(state))


def test_moves_that_lose_at_once_may_be_left_out() -> None:
    findings = watched(Preventing(Rules("connect_four", []), 1), 500).check()
    assert [str(one) for one in findings if one.severity != "note"] == []


class Urgency(Search):
    """A move that has no node counts as 0.6, and gets its node when it is chosen."""

    c = 0.4

    def grow(self, node: Node) -> Node | None:
        if node.untried is None:
            node.untried = self.rules.moves(node.state)
        best = max((self.score(node, child) for child in node.children), default=-1.0)
        return super().grow(node) if best < 0.6 else None


def test_a_told_urgency_may_leave_moves_untried() -> None:
    trace = watched(Urgency(Rules("tic_tac_toe", []), 1), selection="ucb1", c=0.4, unvisited=0.6)
    findings = trace.check()
    assert [str(one) for one in findings if one.severity != "note"] == []
    (untried,) = (one for one in findings if one.check == "selection-untried")
    assert "unvisited=0.6" in untried.message


class RootUncounted(Search):
    """The root keeps nothing, and N is that of all children."""

    def score(self, node: Node, child: Node) -> float:
        n = sum(each.N for each in node.children)
        return child.Q + self.c * math.sqrt(math.log(n) / child.N)

    def backpropagate(self, path: list[Node], outcome: float) -> None:
        super().backpropagate(path[1:], outcome)


class RootMissed(RootUncounted):
    """A mistake: N of the root is asked for, and never counted."""

    def score(self, node: Node, child: Node) -> float:
        return child.Q + self.c * math.sqrt(math.log(max(node.N, 1)) / child.N)


class RootStoodInFor(RootUncounted):
    """A mistake: the same, hidden by a number that stands in for the root's 0 alone."""

    def score(self, node: Node, child: Node) -> float:
        n = node.N or sum(each.N for each in node.children)
        return child.Q + self.c * math.sqrt(math.log(max(n, 2)) / child.N)


@pytest.mark.thorough
def test_a_root_that_nobody_asks_for_its_visits_is_a_note() -> None:
    for told in ({}, {"selection": "ucb1", "c": 1.4, "n": "children"}):
        findings = watched(RootUncounted(Rules("tic_tac_toe", []), 1), 1_000, **told).check()
        assert [str(one) for one in findings if one.severity != "note"] == []
        assert "visits-root" in [one.check for one in findings]


def test_a_root_that_is_asked_and_not_counted_is_an_error() -> None:
    for kind in (RootMissed, RootStoodInFor):
        findings = watched(kind(Rules("tic_tac_toe", []), 1)).check()
        assert "visits-root" in [one.check for one in findings if one.severity == "error"]


class SharedInTable(Median):
    """Nodes of one position share its mean, in a table."""

    def __init__(self, rules: Any, seed: int) -> None:
        self.table: dict[str, list[float]] = {}
        super().__init__(rules, seed)

    def backpropagate(self, path: list[Any], outcome: float) -> None:
        for node in path:
            node.N += 1
            node.seen = self.table.setdefault(str(node.state), [])
            node.seen.append(self.worth(node, outcome))

    @staticmethod
    def mean(node: Any) -> float:
        return sum(node.seen) / max(len(node.seen), 1)

    def score(self, node: Any, child: Any) -> float:
        return self.mean(child) + self.c * math.sqrt(math.log(node.N) / child.N)


def test_means_that_positions_share_are_a_note() -> None:
    search = SharedInTable(Rules("tic_tac_toe", []), 1)
    told: dict[str, Any] = {"value": search.mean, "value_kind": "mean", "thorough": True}
    findings = watched(search, **told).check()
    assert [str(one) for one in findings if one.severity != "note"] == []
    (off,) = (one for one in findings if one.check == "value-off-path")
    assert "share its value in a table" in off.message


class Alone:
    """Four moves of three, and points for each line."""

    first = ()

    def moves(self, state: Any) -> list[int]:
        return [0, 1, 2]

    def play(self, state: Any, move: int) -> Any:
        return (*state, move)

    def player(self, state: Any) -> int:
        return 0

    def outcome(self, state: Any) -> float | None:
        if len(state) < 4:
            return None
        return 100.0 * sum(random.Random(str(state[: i + 1])).random() for i in range(4)) - 200.0


class Points(Search):
    c = 60.0

    def worth(self, node: Node, outcome: float) -> float:
        return outcome


class MixedWithBest(Points):
    """What goes up is mixed with the value of the best child."""

    c = 40.0

    def node(self, state: Any, parent: Any, move: int) -> Any:
        made: Any = super().node(state, parent, move)
        made.kept = 0.0
        return made

    def backpropagate(self, path: list[Any], outcome: float) -> None:
        for node in reversed(path):
            node.N += 1
            node.kept += (outcome - node.kept) / node.N
            best = max((child.kept for child in node.children), default=outcome)
            outcome = 0.7 * outcome + 0.3 * best

    def score(self, node: Any, child: Any) -> float:
        return float(child.kept + self.c * math.sqrt(math.log(node.N) / child.N))


@pytest.mark.parametrize("n", [60, 300])
def test_points_whose_range_was_not_told_are_a_note(n: int) -> None:
    told = {"players": ("one",), "value_range": None, "to_move": None}
    findings = watched(Points(Alone(), 2), n, **told).check()
    assert [str(one) for one in findings if one.severity != "note"] == []


def test_results_mixed_with_the_best_child_are_a_note() -> None:
    for seed in (1, 2, 3):
        told: dict[str, Any] = {
            "value": "kept",
            "value_kind": "mean",
            "value_range": (-200.0, 200.0),
        }
        findings = watched(MixedWithBest(Alone(), seed), 400, **told).check()
        assert [str(one) for one in findings if one.severity != "note"] == []


class Decayed(Median):
    """Sum and number of a node's results are decayed alike whenever a sibling is chosen, which leaves their mean."""

    def node(self, state: Any, parent: Any, move: int) -> Any:
        made = super().node(state, parent, move)
        made.n = made.w = 0.0
        return made

    def backpropagate(self, path: list[Any], outcome: float) -> None:
        for node in path:
            for child in node.children:
                child.n, child.w = 0.97 * child.n, 0.97 * child.w
        for node in path:
            node.N, node.n, node.w = node.N + 1, node.n + 1, node.w + self.worth(node, outcome)
        for node in path:
            for each in (node, *node.children):
                each.kept = each.w / each.n if each.n else 0.0


def test_a_mean_that_is_rounded_otherwise_has_not_changed() -> None:
    findings = watched(Decayed(Rules("tic_tac_toe", []), 1), **MEAN, thorough=True).check()
    assert [str(one) for one in findings if one.severity != "note"] == []
