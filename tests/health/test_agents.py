"""Searches of agents, as public packages write them: a node is chosen once and expanded several times, priors follow
from the values, and a node gets a further child when a draw says so. Correct, and no reason for a warning."""

import math
import random
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

import mcts_viz as mv
from mcts_viz.trace.asides import PRIORS_CHANGE
from tests.complaints import complaints


@dataclass(eq=False)
class Attempt:
    parent: "Attempt | None" = None
    quality: float = 0.5
    prior: float = 1.0
    visits: int = 0
    total: float = 0.0
    children: list["Attempt"] = field(default_factory=list)


class Sampling:
    """Chooses a node, and asks for `samples` new children of it, one an iteration (TreeQuest's StandardMCTS)."""

    def __init__(self, samples: int, seed: int = 1) -> None:
        self.root, self.samples, self.draw = Attempt(), samples, random.Random(seed)
        self.queue: list[Attempt] = []

    def score(self, parent: Attempt, child: Attempt) -> float:
        explored = math.sqrt(2 * math.log(parent.visits) / child.visits)
        return child.total / child.visits + child.prior * explored

    def chosen(self) -> Attempt:
        node = self.root
        while node.children:
            parent = node
            node = max(parent.children, key=lambda child: self.score(parent, child))
        return node

    def attempt(self, at: Attempt) -> None:
        child = Attempt(at, min(1, max(0, at.quality + self.draw.uniform(-0.2, 0.25))))
        at.children.append(child)
        node: Attempt | None = child
        while node is not None:
            node.visits, node.total, node = node.visits + 1, node.total + child.quality, node.parent
        weights = [math.exp(each.quality) for each in at.children]
        for each, weight in zip(at.children, weights):
            each.prior = weight / sum(weights)

    def step(self) -> None:
        self.queue = self.queue or [self.chosen()] * self.samples
        self.attempt(self.queue.pop())


class Widening(Sampling):
    """A draw says at each node whether it gets a further child (as Thompson sampling does in AB-MCTS)."""

    def step(self) -> None:
        node = self.root
        while node.children and self.draw.random() < 0.7:
            node = max(node.children, key=lambda child: self.draw.betavariate(1 + child.total, 2))
        self.attempt(node)


def recorded(
    search: Sampling,
    score: Callable[[Attempt, Attempt], float] | None,
    iterations: int = 200,
    prior: str | None = "prior",
) -> mv.Trace:
    with mv.record(
        root=search.root, children="children", visits="visits", value="total", prior=prior,
        players=("agent",), score=score,
    ) as rec:  # fmt: skip
        for _ in rec.steps(search.step, iterations):
            pass
    return rec.trace


@pytest.mark.parametrize("samples", [2, 4])
def test_a_node_chosen_once_may_be_expanded_several_times(samples: int) -> None:
    search = Sampling(samples)
    trace = recorded(search, search.score)
    assert complaints(trace) == []
    rule = next(finding for finding in trace.check() if finding.check == "selection-rule")
    assert "chooses once for several" in str(rule)


@pytest.mark.thorough
def test_a_score_that_is_another_is_still_an_error() -> None:
    search = Sampling(4)
    trace = recorded(search, lambda parent, child: -search.score(parent, child))
    assert "selection-own-score" in complaints(trace)


@pytest.mark.thorough
def test_priors_that_change_are_said_and_no_rule_is_expected_of_the_first_ones() -> None:
    trace = recorded(Sampling(4), None)
    assert PRIORS_CHANGE in trace.meta.notes
    assert complaints(trace) == []


def test_an_agent_may_widen_a_node_whenever_it_likes() -> None:
    trace = recorded(Widening(1), None, 150, prior=None)
    found = {finding.check: finding for finding in trace.check()}
    assert complaints(trace) == []
    assert "AB-MCTS" in str(found["selection-untried"])


class Steps:
    """RAP's back-up: what a node gets is the average of the scores of the steps from it to the end of the path."""

    def __init__(self, score: Callable[[tuple[int, ...]], float]) -> None:
        self.score, self.draw = score, random.Random(1)
        self.tree: dict[tuple[int, ...], tuple[int, float]] = {(): (0, 0.0)}

    def step(self) -> None:
        path: list[tuple[int, ...]] = [()]
        while len(path) <= 4:
            path.append((*path[-1], self.draw.randrange(2)))
        for i, node in enumerate(path):
            below = [self.score(each) for each in path[i:]]
            visits, total = self.tree.get(node, (0, 0.0))
            self.tree[node] = visits + 1, total + sum(below) / len(below)

    def trace(self) -> mv.Trace:
        with mv.record(
            root=(),
            children=lambda node: [(*node, i) for i in (0, 1) if (*node, i) in self.tree],
            visits=lambda node: self.tree[node][0], value=lambda node: self.tree[node][1],
            action=lambda node: node[-1] if node else None,
            players=("agent",), value_range=(0, 1),
        ) as rec:  # fmt: skip
            for _ in rec.steps(self.step, 100):
                pass
        return rec.trace


def test_rewards_that_are_averaged_over_the_path_are_a_note() -> None:
    trace = Steps(lambda node: random.Random(str(node)).random()).trace()
    uneven = next(finding for finding in trace.check() if finding.check == "value-uneven")
    assert uneven.severity == "note"
    assert "averaged" in uneven.message


def test_scores_that_change_are_no_average_of_rewards() -> None:
    draw = random.Random(2)
    assert "value-uneven" in complaints(Steps(lambda node: draw.random()).trace())


@dataclass(eq=False)
class Answer:
    parent: "Answer | None"
    q: float
    visits: int = 0
    children: list["Answer"] = field(default_factory=list)


class Refining:
    """MCTS self-refine: q of an answer moves halfway to that of its best child, and so on up to the root."""

    def __init__(self) -> None:
        self.draw, self.all = random.Random(1), [Answer(None, 50.0)]

    def step(self) -> None:
        chosen = max(
            (each for each in self.all if len(each.children) < 2),
            key=lambda each: each.q + 20 / (1 + each.visits),
        )
        child = Answer(chosen, min(95.0, chosen.q + self.draw.gauss(3, 15)), 1)
        self.all.append(child)
        chosen.children.append(child)
        node: Answer | None = chosen
        while node is not None:
            node.visits += 1
            node.q = (node.q + max(each.q for each in node.children)) / 2
            node = node.parent


def test_values_that_move_halfway_to_the_best_child_are_no_mean_and_no_mistake() -> None:
    search = Refining()
    with mv.record(
        root=search.all[0], children="children", visits="visits", value="q", value_kind="mean",
        players=("agent",), value_range=(-100, 100),
    ) as rec:  # fmt: skip
        for _ in rec.steps(search.step, 150):
            pass
    assert complaints(rec.trace) == []
    backup = next(finding for finding in rec.trace.check() if finding.check == "value-backup")
    assert "halfway" in backup.message


@pytest.mark.parametrize("sums", [False, True])
def test_sums_in_place_of_means_are_beyond_the_range_of_a_back_up_of_best_values(
    sums: bool,
) -> None:
    root, draw = Attempt(total=0.0), random.Random(1)

    def step() -> None:
        path = [root]
        while path[-1].children:
            path.append(
                max(path[-1].children, key=lambda each: each.total if each.visits else math.inf)
            )
        if path[-1].visits and len(path) < 5:
            path[-1].children = [Attempt(path[-1], draw.random(), total=0.0) for _ in range(3)]
            path.append(path[-1].children[0])
        leaf = path[-1]
        leaf.total = leaf.quality + (leaf.total if sums else 0.0)
        for node in reversed(path):
            node.visits += 1
            if node.children:
                node.total = max(child.total for child in node.children)

    with mv.record(
        root=root, children="children", visits="visits", value="total", value_kind="mean", players=("agent",),
        value_range=(0, 1), backup="max",
    ) as rec:  # fmt: skip
        for _ in rec.steps(step, 200):
            pass
    found = [one for one in rec.trace.check() if one.check == "value-out-of-range"]
    assert len(found) == sums
    assert not sums or "a sum of one of them" in found[0].message


def judged_together(score: Callable[[Attempt, Attempt], float]) -> mv.Trace:
    """Three new children of a chosen node an iteration, each of which is judged and backed up (LATS)."""
    root, draw = Attempt(), random.Random(1)

    def step() -> int:
        node = root
        while node.children:
            parent = node
            node = max(parent.children, key=lambda child: score(parent, child))
        node.children = [Attempt(node, draw.random()) for _ in range(3)]
        for child in node.children:
            above: Attempt | None = child
            while above is not None:
                above.visits, above.total = above.visits + 1, above.total + child.quality
                above = above.parent
        return 3

    with mv.record(
        root=root, children="children", visits="visits", value="total", players=("agent",), value_range=(0, 1),
    ) as rec:  # fmt: skip
        for _ in range(100):
            rec.iteration(leaves=step())
    return rec.trace


def test_new_siblings_that_are_judged_together_are_no_batch_without_virtual_loss() -> None:
    assert complaints(judged_together(Sampling(3).score)) == []


def test_values_that_are_all_0_are_not_taken_for_what_nodes_begin_with() -> None:
    found = {one.check: one for one in Steps(lambda node: 0.0).trace().check()}
    assert "visits-given" not in found
    assert [one.check for one in found.values() if one.severity != "note"] == []


def tried(limit: Callable[[int], float], depth: int) -> mv.Trace:
    """Progressive widening, with a limit to the number of children of a node, down to a depth."""
    root, draw = Attempt(), random.Random(1)

    def step() -> None:
        path = [root]
        while len(path) <= depth and len(path[-1].children) >= limit(path[-1].visits):
            path.append(max(path[-1].children, key=lambda child: child.total / child.visits))
        add_attempt(path, draw, len(path) <= depth)

    return of_attempts(root, step, 200)


def of_attempts(root: Attempt, step: Callable[[], None], n: int) -> mv.Trace:
    """Iterations of a search for the best attempt."""
    with mv.record(
        root=root, children="children", visits="visits", value="total", players=("agent",), value_range=(0, 1),
    ) as rec:  # fmt: skip
        for _ in rec.steps(step, n):
            pass
    return rec.trace


def add_attempt(path: list[Attempt], draw: random.Random, is_new: bool) -> None:
    """Make a further attempt below the last one of a path, and back up."""
    if is_new:
        path.append(Attempt(path[-1], draw.random()))
        path[-2].children.append(path[-1])
    for node in path:
        node.visits, node.total = node.visits + 1, node.total + path[-1].quality


@pytest.mark.parametrize(
    ("limit", "depth", "words"),
    [
        (lambda n: 1, 3, "no node has more than one child"),
        (lambda n: n + 1, 3, "none is tried twice"),
        (lambda n: max(1, n**0.5), 3, None),
    ],
)
def test_widening_that_never_or_always_widens_is_a_note(
    limit: Callable[[int], float], depth: int, words: str | None
) -> None:
    messages = [
        one.message for one in tried(limit, depth).check() if one.check == "expansion-stops"
    ]
    assert len(messages) == (words is not None)
    assert words is None or words in messages[0]


def test_a_selection_that_stops_at_the_roots_children_is_a_note() -> None:
    root, draw = Attempt(), random.Random(1)

    def step() -> None:
        path = [root]
        if len(root.children) >= 3:
            path.append(max(root.children, key=lambda child: child.total / child.visits))
        add_attempt(path, draw, True)

    found = of_attempts(root, step, 150).check()
    stops = next(one for one in found if one.check == "expansion-stops")
    assert stops.severity == "note"
    assert "are made at depth 2" in stops.message


def test_a_tree_of_the_roots_children_alone_is_a_note() -> None:
    root, draw = Attempt(), random.Random(1)
    root.children = [Attempt(root, 0.2 * i) for i in range(1, 4)]

    def step() -> None:
        child = max(
            root.children,
            key=lambda each: (
                each.total / each.visits + math.sqrt(math.log(root.visits) / each.visits)
                if each.visits
                else math.inf
            ),
        )
        add_attempt([root, child], draw, False)

    found = of_attempts(root, step, 200).check()
    stops = next(one for one in found if one.check == "expansion-stops")
    assert stops.severity == "note"
    assert "below the root's 3 children" in stops.message


def test_a_search_that_had_begun_stops_at_the_roots_children_too() -> None:
    root, draw = Attempt(visits=1, total=0.5), random.Random(1)

    def step() -> None:
        path = [root]
        if len(root.children) >= 3:
            path.append(max(root.children, key=lambda child: child.total / child.visits))
        for _ in range(3):  # as many as LATS asks for at a time
            add_attempt(list(path), draw, True)

    found = of_attempts(root, step, 50).check()
    assert "expansion-stops" in [one.check for one in found]


class Refined:
    """An answer that is marked again each time that it is refined (MCTSr)."""

    def __init__(self, parent: "Refined | None", mark: float) -> None:
        self.parent, self.children, self.marks = parent, list[Refined](), [mark]
        self.q = mark

    def mark_again(self, mark: float) -> None:
        self.marks.append(mark)
        self.q = (min(self.marks) + sum(self.marks) / len(self.marks)) / 2

    def all(self) -> "list[Refined]":
        return [self, *(each for child in self.children for each in child.all())]


def test_visits_that_count_a_nodes_own_marks_are_a_note() -> None:
    draw = random.Random(3)
    root = Refined(None, 0.3)

    def step() -> None:
        answer: Refined | None = max(
            (each for each in root.all() if len(each.children) < 2),
            key=lambda each: each.q + 1 / len(each.marks),
        )
        assert answer is not None
        answer.mark_again(draw.random())
        answer.children.append(Refined(answer, draw.random()))
        while answer is not None:
            answer.q = (answer.q + max(child.q for child in answer.children)) / 2
            answer = answer.parent

    with mv.record(
        root=root, children="children", visits=lambda each: len(each.marks), value="q", value_kind="mean",
        players=("agent",), value_range=(0, 1), thorough=True,
    ) as rec:  # fmt: skip
        for _ in rec.steps(step, 40):
            pass
    found = rec.trace.check()
    missing = next(one for one in found if one.check == "visits-missing")
    assert missing.severity == "note"
    assert "how often a node itself was marked" in missing.message
    assert not [str(one) for one in found if one.severity != "note"]


class Thought:
    """A step of a chain of thoughts; its mark is a number of its own."""

    def __init__(self, mark: float = 0.5, depth: int = 0) -> None:
        self.mark, self.depth = mark, depth
        self.children: list[Thought] = []
        self.visits, self.value = 0, 0.0


class RunningMeans:
    """Thoughts whose means are kept; `counted`: the present visit counts twice in the weights."""

    def __init__(self, counted: bool, seed: int = 1) -> None:
        self.random, self.counted, self.root = random.Random(seed), counted, Thought()

    def step(self) -> None:
        path = [self.root]
        while path[-1].children:
            log = math.log(path[-1].visits)
            path.append(
                max(
                    path[-1].children,
                    key=lambda one: one.value + math.sqrt(2 * log / one.visits) if one.visits else math.inf,
                )
            )  # fmt: skip
        if path[-1].depth < 4 and (path[-1].visits or path[-1] is self.root):
            marks = (self.random.choice([0.05, 0.2, 0.5, 0.9]) for _ in range(4))
            path[-1].children = [Thought(mark, path[-1].depth + 1) for mark in marks]
            path.append(max(path[-1].children, key=lambda one: one.mark))
        for node in path:
            node.visits += 1
            n = node.visits if self.counted else node.visits - 1
            node.value = (node.value * n + path[-1].mark) / (n + 1)


@pytest.mark.parametrize("counted", [True, False])
def test_a_mean_that_counts_a_visit_twice_is_no_mixture_with_the_best_result(counted: bool) -> None:
    search = RunningMeans(counted)
    with mv.record(
        root=search.root, children="children", visits="visits", value="value", value_kind="mean",
        players=("agent",), value_range=(0, 1),
    ) as rec:  # fmt: skip
        for _ in rec.steps(search.step, 400):
            pass
    found = [one for one in rec.trace.check() if one.check.startswith("value-")]
    assert [one.check for one in found] == ["value-mean"] * counted
    assert all("so every mean is too near to 0" in one.message for one in found)
