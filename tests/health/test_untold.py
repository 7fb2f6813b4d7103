"""What is found where only visits and values are recorded, and no outcome is told."""

import math
import random
from typing import Any

import pytest

import mcts_viz as mv
from mcts_viz.games import game
from tests.complaints import complaints
from tests.health import unusual
from tests.health.test_own_rules import Stones
from tests.health.unusual import Batch, Rules, Thompson
from tests.health.zoo import STARTS, UNTOLD, Node, Search, watched

NAME = "tic_tac_toe"


def searched(mistake: str | None, **told: Any) -> list[tuple[str, str]]:
    """Check and severity of each finding."""
    search = Search(game(NAME), mistake, 1, STARTS[NAME])
    return [
        (one.check, one.severity) for one in watched(search, NAME, **{"game": NAME, **told}).check()
    ]


@pytest.mark.parametrize("mistake", UNTOLD)
def test_a_mistake_in_what_results_are_worth_is_named(mistake: str) -> None:
    assert UNTOLD[mistake] in [check for check, _ in searched(mistake)]


def test_a_correct_search_is_healthy() -> None:
    assert [check for check, severity in searched(None) if severity != "note"] == []


def test_a_range_that_was_left_out_is_a_note_and_spoils_no_other_check() -> None:
    asked = {"value_range": (-1.0, 1.0)}
    found = searched(None, **asked)
    assert ("value-range", "note") in found
    assert [check for check, severity in found if severity != "note"] == []
    assert "value-range" not in [check for check, _ in searched(None)]
    for mistake in ("draws like wins", "sum overwritten"):
        told, left_out = searched(mistake), searched(mistake, **asked)
        assert [one for one in left_out if one[0] != "value-range"] == told


def plain(mistake: str | None) -> list[tuple[str, str]]:
    """The same where not even the game and its players are told."""
    search = Search(game(NAME), mistake, 1)
    trace = watched(search, NAME)
    return [(one.check, one.severity) for one in trace.check()]


@pytest.mark.parametrize(
    ("mistake", "finding"),
    [
        (None, None),
        ("draws like wins", ("value-draw-as-win", "warning")),
        ("draws like losses", ("value-draw-as-loss", "note")),
        ("sign does not alternate", ("value-same-view", "note")),
        ("sum overwritten", ("value-overwritten", "error")),
        ("mean in place of the sum", ("value-mean", "error")),
    ],
)
def test_values_show_by_themselves_that_players_take_turns(
    mistake: str | None, finding: tuple[str, str] | None
) -> None:
    findings = [one for one in plain(mistake) if one[0].startswith("value-")]
    assert findings == ([] if finding is None else [finding])


class Backed(Search):
    """Begins its back-up at the parent of the leaf, which then has no visits, and comes first again."""

    def select(self) -> Node:
        node = self.root
        while node.children:
            node = self.best(node)
        return node

    def expand(self, node: Node) -> Node:
        while node.untried and (node.visits or node is self.root):
            self.add_child(node)
        return node.children[0] if node.children else node

    def backpropagate(self, leaf: Node) -> None:
        super().backpropagate(leaf.parent or leaf)


def test_a_back_up_that_never_reaches_a_child_is_named() -> None:
    findings = watched(Backed(game(NAME)), NAME, 50).check()
    assert "visits-leaf" in [one.check for one in findings]


class Weighed(Search):
    """c = √2, and 1e-6 in the denominators."""

    c = math.sqrt(2)

    def score(self, node: Node, child: Node) -> float:
        n = child.visits + 1e-6
        return child.value / n + self.c * math.sqrt(math.log(node.visits + 1) / n)


def test_a_weight_that_is_declared_but_rounded_is_no_error() -> None:
    trace = watched(Weighed(game(NAME)), NAME, selection="ucb1", c=1.414)
    assert "selection-not-declared" not in [one.check for one in trace.check()]


class OnAnotherScale(Search):
    """Values of −1 to 1 in the score, though its nodes keep 0 to 1."""

    def score(self, node: Node, child: Node) -> float:
        if not child.visits:
            return math.inf
        q = 2 * child.value / child.visits - 1
        return q + self.c * math.sqrt(math.log(node.visits) / child.visits)


def test_a_weight_that_is_right_on_another_scale_is_a_note() -> None:
    trace = watched(OnAnotherScale(game(NAME)), NAME, selection="ucb1", c=1.4)
    assert [one.severity for one in trace.check() if one.check == "selection-not-declared"] == [
        "note"
    ]
    other = watched(OnAnotherScale(game(NAME)), NAME, selection="ucb1", c=1.0)
    assert [one.severity for one in other.check() if one.check == "selection-not-declared"] == [
        "error"
    ]


@pytest.mark.thorough
@pytest.mark.parametrize(("kind", "iterations"), [(Thompson, 800), (Batch, 150)])
def test_values_in_the_wrong_view_show_where_no_rule_of_selection_does(
    kind: type[unusual.Search], iterations: int
) -> None:
    told: dict[str, Any] = {"game": None, "start": None, "iterations": iterations}
    for view in ("mover", "to_move"):
        trace = unusual.watched(kind(Rules("connect_four", []), 1), value_view=view, **told)
        serious = [each for each in trace.check() if each.severity != "note"]
        names = [each.check for each in serious]
        assert names == ([] if view == "mover" else ["selection-wrong-view"])
        assert all("is worse for the player who chooses" in each.message for each in serious)


class ThompsonOfOne(Thompson):
    """At the nodes of the second player the least sample is taken, though values are those of who chooses."""

    def choose(self, node: unusual.Node) -> unusual.Node:
        def drawn(child: unusual.Node) -> float:
            wins = (child.W + child.N) / 2
            return self.random.betavariate(1 + wins, 1 + child.N - wins)

        return (min if node.player else max)(node.children, key=drawn)


def test_one_player_who_takes_what_is_best_for_the_opponent_shows_as_well() -> None:
    told: dict[str, Any] = {"game": None, "start": None, "iterations": 800}
    trace = unusual.watched(ThompsonOfOne(Rules("connect_four", []), 1), **told)
    (one,) = (each for each in trace.check() if each.severity != "note")
    assert one.check == "selection-wrong-view"
    assert "where player 1 chooses, the children with the most visits are the worst" in one.message


class LowerBound(unusual.Search):
    """Takes the exploration term off, and so keeps to a child."""

    def score(self, node: unusual.Node, child: unusual.Node) -> float:
        return child.Q - self.c * math.sqrt(math.log(node.N) / child.N)


def test_a_lower_bound_is_not_taken_for_a_child_that_is_kept() -> None:
    search = LowerBound(Rules("tic_tac_toe", []), 1)
    findings = unusual.watched(search, game=None, start=None).check()
    assert [each.check for each in findings if each.severity != "note"] == ["selection-minus"]


def test_a_beam_that_counts_no_visits_is_not_called_wrong() -> None:
    """A tree of thoughts: each node is evaluated once, and the best of a level have children."""
    root: dict[str, Any] = {"children": [], "visits": 1, "value": 0.5}
    beam, draw = [root], random.Random(1)
    with mv.record(
        root=root, children="children", visits="visits", value="value", value_kind="mean",
        players=("agent",), value_range=(0, 1),
    ) as rec:  # fmt: skip
        for _ in range(4):
            for node in beam:
                for _ in range(3):
                    node["children"].append({"children": [], "visits": 1, "value": draw.random()})
                    rec.iteration()
            below = [child for node in beam for child in node["children"]]
            beam = sorted(below, key=lambda node: -node["value"])[:3]
    assert complaints(rec.trace) == []


class OneList(unusual.Search):
    """`def __init__(self, untried=[])`: all nodes share one list of untried moves, so the root takes them all."""

    def __init__(self, rules: Any, seed: int) -> None:
        self.shared: list[int] | None = None
        super().__init__(rules, seed)

    def grow(self, node: unusual.Node) -> unusual.Node | None:
        if self.shared is None:
            self.shared = list(self.rules.moves(node.state))
        node.untried = self.shared
        return super().grow(node)


def test_a_list_of_untried_moves_that_all_nodes_share_is_worth_a_note() -> None:
    """Flat UCB looks the same, and is right."""
    trace = unusual.watched(OneList(Rules("connect_four", []), 1), 400)
    assert trace.n_nodes == 8
    (finding,) = (one for one in trace.check() if one.check == "expansion-stops")
    assert finding.severity == "note"
    assert "share one list of untried moves" in finding.message


class Overlapping(unusual.Search):
    """Three descents are under way at a time, as in threads: a child may be made before another one's first visit."""

    def __init__(self) -> None:
        super().__init__(Rules(NAME, []), 1)
        self.under_way: list[list[unusual.Node]] = []

    def score(self, node: unusual.Node, child: unusual.Node) -> float:
        n = child.N + child.virtual
        return child.W / n + self.c * math.sqrt(math.log(node.N + node.virtual) / n)

    def descend(self) -> list[unusual.Node]:
        path = [self.root]
        while path[-1].outcome is None:
            new = self.grow(path[-1])
            path.append(new or self.choose(path[-1]))
            if new is not None:
                break
        for node in path:
            node.virtual += 1
        return path

    def step(self) -> None:
        while len(self.under_way) < 3:
            self.under_way.append(self.descend())
        path = self.under_way.pop(0)
        for node in path:
            node.virtual -= 1
        self.backpropagate(path, self.evaluate(path[-1]))


def test_a_child_of_another_descent_is_tried_first_without_a_complaint() -> None:
    assert complaints(unusual.watched(Overlapping(), 600, thorough=True)) == []


def test_a_rule_that_is_declared_without_its_weight_is_compared_with_any() -> None:
    search = unusual.Search(Rules(NAME, []), 1)
    trace = unusual.watched(search, 600, policies={"selection": {"name": "ucb1"}})
    assert complaints(trace) == []
    rule = next(finding for finding in trace.check() if finding.check == "selection-rule")
    assert "UCB1 with c" in rule.message


class BackedUpTwice(unusual.Search):
    """The simulation backs up its result, and so does the step that called it."""

    def backpropagate(self, path: list[unusual.Node], outcome: float) -> None:
        super().backpropagate(path, outcome)
        super().backpropagate(path, outcome)


class TwoSimulations(unusual.Search):
    def backpropagate(self, path: list[unusual.Node], outcome: float) -> None:
        super().backpropagate(path, outcome)
        super().backpropagate(path, self.evaluate(path[-1]))


@pytest.mark.parametrize("kind", [BackedUpTwice, TwoSimulations])
def test_one_result_that_is_backed_up_twice_is_a_note(kind: type[unusual.Search]) -> None:
    told = {"players": None, "to_move": "player", "value_range": (-1.0, 1.0)}
    trace = unusual.watched(kind(Stones(), 1), 300, **told)  # a game without draws
    found = {one.check: one for one in trace.check()}
    assert ("visits-double" in found) == (kind is BackedUpTwice)
    assert kind is TwoSimulations or "backed up 2 times" in found["visits-double"].message


class Scored(unusual.Alone):
    """Each thought has a score of its own, as of a language model, that varies from time to time."""

    times = 1

    def backpropagate(self, path: list[unusual.Node], outcome: float) -> None:
        for _ in range(self.times):
            super().backpropagate(path, self.random.random())


class ScoredTwice(Scored):
    times = 2


class ScoreBackedUpTwice(Scored):
    def backpropagate(self, path: list[unusual.Node], outcome: float) -> None:
        score = self.random.random()
        for _ in range(2):
            unusual.Alone.backpropagate(self, path, score)


@pytest.mark.parametrize("kind", [Scored, ScoredTwice, ScoreBackedUpTwice])
def test_scores_that_are_backed_up_twice_are_a_note(kind: type[unusual.Search]) -> None:
    """Of sums of two that are all different nobody knows whether they are of one score or of two: both are said."""
    for leaves in (1, 2):
        told: dict[str, Any] = {} if leaves == 1 else {"leaves": leaves}
        search = kind(unusual.Walk(), 1)
        with mv.record(
            root=search.root, children="children", visits="N", value="W", players=("agent",),
            value_range=(0, 1),
        ) as rec:  # fmt: skip
            for _ in range(300):
                search.step()
                rec.iteration(**told)
        found = {one.check: one for one in rec.trace.check()}
        assert ("visits-double" in found) == (kind is not Scored and leaves == 1)
        if "visits-double" in found:
            assert found["visits-double"].severity == "note"
            assert "one evaluation is backed up 2 times" in found["visits-double"].message
            assert "leaves=2" in found["visits-double"].message
        elif kind is not Scored:
            assert complaints(rec.trace) == []


@pytest.mark.parametrize("kind", [BackedUpTwice, TwoSimulations])
def test_so_is_a_result_among_which_are_draws(kind: type[unusual.Search]) -> None:
    told = {"game": None, "start": None, "outcome": "outcome", "value_range": (-1.0, 1.0)}
    trace = unusual.watched(kind(Rules(NAME, [0, 4]), 1), 300, **told)
    found = {one.check: one for one in trace.check()}
    assert ("visits-double" in found) == (kind is BackedUpTwice)


class WithoutLock(unusual.Search):
    """Of two threads that write to a node at once, one has added nothing now and then."""

    def backpropagate(self, path: list[unusual.Node], outcome: float) -> None:
        kept = [node for node in path if not node.children or self.random.random() > 0.2]
        super().backpropagate(kept, outcome)

    def score(self, node: unusual.Node, child: unusual.Node) -> float:
        log = math.log(max(node.N, 1))
        return child.Q + self.c * math.sqrt(log / child.N) if child.N else math.inf


def test_updates_that_threads_lose_are_named() -> None:
    found = {one.check: one for one in unusual.watched(WithoutLock(Rules(NAME, []), 1)).check()}
    assert "without a lock" in found["visits-root"].message


@pytest.mark.parametrize("told", ["of the iteration", "of the node"])
def test_outcomes_from_0_to_1_are_a_note_and_no_draws(told: str) -> None:
    class Wins(unusual.Search):
        """1 for a win, a half for a draw and 0 for a loss."""

        def worth(self, node: Any, outcome: float) -> float:
            return (1 + super().worth(node, outcome)) / 2

    def share(outcome: float | None) -> float | None:
        return None if outcome is None else (1 + outcome) / 2

    of_node = told == "of the node"
    search = Wins(Rules("tic_tac_toe", [0, 4]), 1)
    fields: dict[str, Any] = {"outcome": lambda node: share(node.outcome)} if of_node else {}
    with mv.record(
        root=search.root, children="children", visits="N", value="W", action="move", to_move="player",
        value_range=(0, 1), **fields,
    ) as rec:  # fmt: skip
        for _ in range(800):
            search.step()
            rec.iteration(**({} if of_node else {"outcome": share(search.outcome)}))
    found = rec.trace.check()
    assert [str(one) for one in found if one.severity != "note"] == []
    (said,) = [one.message for one in found if one.check == "value-range"]
    assert "Tell reward_range=(0, 1)" in said
    assert any("0 counts as a draw" in note for note in rec.trace.meta.notes)


@pytest.mark.parametrize("draw", [0.5, 0.0])
def test_draws_that_are_worth_more_than_half_of_the_way_are_a_note(draw: float) -> None:
    class Half(unusual.Search):
        def worth(self, node: Any, outcome: float) -> float:
            return draw if outcome == 0 else super().worth(node, outcome)

    told: dict[str, Any] = {"game": None, "start": None, "value_range": (-1, 1)}
    found = unusual.watched(Half(Rules("tic_tac_toe", [4]), 1), 800, **told).check()
    said = [(one.severity, one.message) for one in found if one.check == "value-draw-as-win"]
    assert [severity for severity, _ in said] == (["note"] if draw else [])
    assert not draw or "a draw seems to be worth 0.5 to each" in said[0][1]


@pytest.mark.parametrize("scores", [(100.0, 50.0, 0.0), (3.0, 1.0, 0.0), (10.0, 0.0, -10.0)])
def test_what_wins_draws_and_losses_are_worth_tells_the_range(
    scores: tuple[float, float, float],
) -> None:
    class Scored(unusual.Search):
        def worth(self, node: unusual.Node, outcome: float) -> float:
            own = super().worth(node, outcome)
            return scores[0] if own > 0 else scores[2] if own < 0 else scores[1]

        def score(self, node: unusual.Node, child: unusual.Node) -> float:
            width = scores[0] - scores[2]
            return child.Q + width * math.sqrt(math.log(node.N) / child.N)

    trace = unusual.watched(Scored(Rules(NAME, STARTS[NAME]), 1), 600, value_range=(-1, 1))
    found = {one.check: one for one in trace.check()}
    assert [one.check for one in found.values() if one.severity != "note"] == []
    assert "new leaves get values from" in found["value-range"].message
    assert "all" in found["selection-rule"].message


def test_outcomes_beyond_their_range_are_a_note() -> None:
    search = unusual.Search(Rules(NAME, STARTS[NAME]), 1)
    with mv.record(root=search.root, children="children", visits="N", value="W") as rec:
        for _ in range(50):
            search.step()
            rec.iteration(outcome=5.0)
    (one,) = (one for one in rec.trace.check() if one.check == "value-range")
    assert "outcomes told go from 5 to 5" in one.message
    assert "tell reward_range=" in one.message
