"""Presets against independent searches: over many seeds, the same visits and values at the root; where
nothing is random, the same tree to the last bit.

The test for each root move is Welch's t-test of the means over seeds, at the 1 % level shared among
all comparisons of a position (Bonferroni).
"""

import math
import random
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any

import numpy as np
import pytest
from mctspy.games.examples.tictactoe import TicTacToeGameState
from mctspy.tree.nodes import TwoPlayersGameMonteCarloTreeSearchNode
from mctspy.tree.search import MonteCarloTreeSearch

import mcts_viz as mv
from mcts_viz.api import prepare
from mcts_viz.search.engine import run, tree_columns
from tests.search import references
from tests.search.references import THREATENED, TURNING_POINT, Root

SEEDS = 200
WORST_MEAN = -10.0  # what a poisoned mean counts here: the others are not below 0

# sends to one local board: nine root moves, so that a hundred iterations are mostly selection
SUDO_START = ("board 5 cell 1",)


def mctspy(start: Sequence[Any], iterations: int, seed: int) -> Root:
    assert not start
    np.random.seed(seed)  # noqa: NPY002 (the generator that mctspy draws from)
    root = TwoPlayersGameMonteCarloTreeSearchNode(TicTacToeGameState(np.zeros((3, 3)), 1))
    MonteCarloTreeSearch(root).best_action(iterations)
    return {
        8 - i: (child.n, child.q / child.n)
        for i, child in enumerate(root.children)  # its last legal action comes first
    }


def plain(search: Callable[..., Root]) -> Callable[[Sequence[int], int, int], Root]:
    """A reference over plain Tic-Tac-Toe."""

    def reference(start: Sequence[int], iterations: int, seed: int) -> Root:
        position = references.after("tic_tac_toe", start)
        return search(references.tic_tac_toe, position, iterations, random.Random(seed))

    return reference


REFERENCES: dict[str, Callable[[Sequence[Any], int, int], Root]] = {
    "baeldung": plain(references.baeldung),
    "mctspy": mctspy,
    "rhu2001": plain(references.rhu2001),
    "sudo_tic_tac_toe": references.sudo_tic_tac_toe,
    "tech_io": plain(references.tech_io),
    "uct": plain(references.uct),
}
ITERATIONS: dict[Sequence[Any], int] = {
    (): 150,
    THREATENED: 100,
    TURNING_POINT: 60,
    SUDO_START: 100,
}
COMPARED: list[tuple[str, tuple[Any, ...]]] = [
    ("mctspy", ()),
    ("sudo_tic_tac_toe", SUDO_START),
    *(
        (preset, start)
        for preset in ("baeldung", "rhu2001", "tech_io", "uct")
        for start in ((), THREATENED, TURNING_POINT)
    ),
]


@cache
def theirs(preset: str, start: Sequence[Any]) -> list[Root]:
    search = REFERENCES[preset]
    return [search(start, ITERATIONS[start], 10_000 + seed) for seed in range(SEEDS)]


def ours(preset: str, start: Sequence[Any], **overrides: Any) -> list[Root]:
    return [one_of_ours(preset, start, seed, overrides) for seed in range(SEEDS)]


def one_of_ours(preset: str, start: Sequence[Any], seed: int, overrides: dict[str, Any]) -> Root:
    plan = prepare(
        "sudo_tic_tac_toe" if start == SUDO_START else "tic_tac_toe",
        preset,
        iterations=ITERATIONS[start],
        seed=seed,
        start=start,
        compile=False,
        **overrides,
    )
    tree = tree_columns(run(plan))
    return {
        int(tree["action"][child]): (
            float(tree["visits"][child]),
            float(tree["value_sum"][child] / tree["visits"][child]),
        )
        for child in np.flatnonzero(tree["parent"] == 0)
    }


def assert_same_means(mine: list[Root], theirs: list[Root]) -> None:
    """Visits and mean values of every root move agree within sampling error, and so does how much
    the visits are concentrated."""
    # two-sided 1 % shared by all comparisons, normal approximation (200 seeds each)
    level = 0.01 / (2 * len(theirs[0]) + 1)
    limit = _normal_quantile(1 - level / 2)
    assert {tuple(sorted(root)) for root in mine} == {tuple(sorted(root)) for root in theirs}
    for what, measure in measures(theirs[0]).items():
        a, b = (np.array([measure(root) for root in roots]) for roots in (mine, theirs))
        error = math.sqrt(a.var(ddof=1) / len(a) + b.var(ddof=1) / len(b))
        assert abs(a.mean() - b.mean()) <= limit * max(error, 1e-12), what


def measures(moves: Iterable[int]) -> dict[str, Callable[[Root], float]]:
    """The numbers that are compared, each with its name."""
    found: dict[str, Callable[[Root], float]] = {
        # where all moves are alike, their mean visits say nothing of the search
        "squared visits": lambda root: sum(visits**2 for visits, _ in root.values())
    }
    for action in moves:
        found[f"visits of {action}"] = lambda root, action=action: root[action][0]  # type: ignore[misc]
        found[f"value of {action}"] = lambda root, action=action: max(root[action][1], WORST_MEAN)  # type: ignore[misc]
    return found


def _normal_quantile(p: float) -> float:
    low, high = 0.0, 10.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (
            (middle, high) if (1 + math.erf(middle / math.sqrt(2))) / 2 < p else (low, middle)
        )
    return low


@pytest.mark.parametrize(("preset", "start"), COMPARED)
def test_visits_and_values_agree_with_an_independent_search(
    preset: str, start: Sequence[Any]
) -> None:
    assert_same_means(ours(preset, start), theirs(preset, start))


@pytest.mark.parametrize(
    ("preset", "start", "mistake"),
    [
        ("baeldung", THREATENED, {"poison": None}),
        ("baeldung", TURNING_POINT, {"win": 1.0}),
        ("mctspy", (), {"c": 1.0}),
        ("rhu2001", THREATENED, {"collect": "both"}),
        ("rhu2001", THREATENED, {"loss": 0.0}),
        ("sudo_tic_tac_toe", SUDO_START, {"c": 0.4}),
        ("tech_io", THREATENED, {"expand_on": "first_visit"}),
        ("tech_io", THREATENED, {"simulate_from": "random_child"}),
        ("tech_io", (), {"c": math.sqrt(2)}),
        ("uct", (), {"c": 1.0}),
        ("uct", TURNING_POINT, {"draw": 0.0}),
    ],
)
def test_the_comparison_sees_a_mistake(
    preset: str, start: Sequence[Any], mistake: dict[str, Any]
) -> None:
    with pytest.raises(AssertionError):
        assert_same_means(ours(preset, start, **mistake), theirs(preset, start))


def test_the_comparison_passes_a_search_that_only_has_other_seeds() -> None:
    same = REFERENCES["uct"]
    others = [same((), ITERATIONS[()], 20_000 + seed) for seed in range(SEEDS)]
    assert_same_means(others, theirs("uct", ()))


@pytest.mark.parametrize("scores", [{}, {"win": 0.1, "draw": 0.03}, {"win": 1 / 3, "loss": -0.1}])
def test_a_poisoned_sum_is_never_changed_again(scores: dict[str, Any]) -> None:
    visits_after = 0
    for seed in range(6):
        trace = mv.search(
            "tic_tac_toe",
            "baeldung",
            iterations=300,
            seed=seed,
            start=THREATENED,
            compile=False,
            **scores,
        )
        poisoned: dict[int, float] = {}
        for t in range(1, 301):
            now = trace.at(t)
            visits_after += sum(update.node in poisoned for update in trace.iteration(t).updates)
            for node, value_sum in poisoned.items():
                assert now.value_sum[node] == value_sum
            for node in np.flatnonzero(now.value_sum < -1e6).tolist():
                poisoned[node] = float(now.value_sum[node])
        assert np.allclose(list(poisoned.values()), references.LEAST_INT32, rtol=1e-12)
    assert visits_after > 100


OPINIONS = {
    "even": references.even,
    "whimsical": references.whimsical,
    "centred": references.centred,
}
# (game, evaluator of ours, opinion of theirs, start, iterations)
WITHOUT_CHANCE: list[tuple[str, str, str, Sequence[int], int]] = [
    ("tic_tac_toe", "uniform", "even", (), 600),
    ("tic_tac_toe", "uniform", "even", THREATENED, 100),
    ("tic_tac_toe", "uniform", "even", TURNING_POINT, 60),
    ("tic_tac_toe", "own", "whimsical", (), 600),
    ("tic_tac_toe", "own", "whimsical", (4,), 600),
    ("tic_tac_toe", "own", "whimsical", THREATENED, 300),
    ("tic_tac_toe", "own", "whimsical", TURNING_POINT, 300),
    ("connect_four", "centre", "centred", (), 300),
    ("connect_four", "centre", "centred", (3, 3, 2, 4, 1), 300),
    ("connect_four", "uniform", "even", (3, 3, 2, 4, 1), 300),
]


def own(position: Any, legal_actions: list[int]) -> tuple[Sequence[float], float]:
    """`whimsical` as a function of a user's own, which gets the state of the game."""
    first, second, _ = position
    board = "".join("X" if first >> i & 1 else "O" if second >> i & 1 else "." for i in range(9))
    plain = references.tic_tac_toe(board)
    assert [action for action, _ in plain.legal] == legal_actions
    return references.whimsical(plain)


def tree_of_ours(name: str, evaluator: str, start: Sequence[int], n: int) -> references.Statistics:
    trace = mv.search(
        name,
        "alphazero",
        iterations=n,
        start=start,
        compile=False,
        evaluator=own if evaluator == "own" else evaluator,
    )
    final = trace.at(n)
    actions: list[tuple[int, ...]] = [()]
    for parent, action in zip(final.parent[1:].tolist(), final.action[1:].tolist()):
        actions.append((*actions[parent], action))
    return dict(zip(actions, zip(final.visits.tolist(), final.value_sum.tolist())))


def tree_of_theirs(
    name: str, opinion: str, start: Sequence[int], n: int, **mistake: Any
) -> references.Statistics:
    look, _ = references.GAMES[name]
    return references.alphazero(
        look, references.after(name, start), n, OPINIONS[opinion], **mistake
    )


@pytest.mark.parametrize(("name", "evaluator", "opinion", "start", "n"), WITHOUT_CHANCE)
def test_alphazero_grows_the_tree_of_an_independent_search_to_the_last_bit(
    name: str, evaluator: str, opinion: str, start: Sequence[int], n: int
) -> None:
    mine = tree_of_ours(name, evaluator, start, n)
    assert mine == tree_of_theirs(name, opinion, start, n)
    assert mine[()][0] == n


@pytest.mark.parametrize(
    "mistake", [{"c": 1.3}, {"urgency": -1.0}, {"urgency": 1.0}, {"visits_less": 1}]
)
@pytest.mark.parametrize("evaluator", ["uniform", "own"])
def test_that_comparison_sees_a_mistake(evaluator: str, mistake: dict[str, Any]) -> None:
    opinion = "even" if evaluator == "uniform" else "whimsical"
    seen = [
        tree_of_ours("tic_tac_toe", evaluator, start, n)
        != tree_of_theirs("tic_tac_toe", opinion, start, n, **mistake)
        for start, n in (((), 200), (THREATENED, 100), (THREATENED, 200), (TURNING_POINT, 200))
    ]
    assert any(seen)


@pytest.mark.parametrize("preset", ["mctspy", "sudo_tic_tac_toe"])
@pytest.mark.parametrize("name", ["tic_tac_toe", "connect_four"])
def test_compiled_and_interpreted_runs_of_a_preset_are_the_same(preset: str, name: str) -> None:
    slow, fast = (
        mv.search(name, preset, iterations=4_000, seed=3, compile=compiled).at(4_000)
        for compiled in (False, True)
    )
    for column in ("parent", "action", "visits", "value_sum"):
        assert np.array_equal(getattr(slow, column), getattr(fast, column)), column


@pytest.mark.parametrize(
    ("order", "expected"),
    [("first_legal_first", [3, 4, 5, 6, 7, 8]), ("last_legal_first", [8, 7, 6, 5, 4, 3])],
)
@pytest.mark.parametrize("compiled", [True, False])
def test_untried_moves_get_their_nodes_in_order(
    order: str, expected: list[int], compiled: bool
) -> None:
    trace = mv.search("tic_tac_toe", iterations=6, order=order, start=[0, 1, 2], compile=compiled)
    assert trace.at(6).action[1:7].tolist() == expected
    assert trace.meta["policies"]["expansion"]["order"] == order


def test_a_preset_brings_its_own_budget_and_says_what_it_is() -> None:
    trace = mv.search("sudo_tic_tac_toe", "sudo_tic_tac_toe", seed=1)
    assert trace.n_iterations == 100
    policies = trace.meta["policies"]
    assert policies["preset"] == "sudo_tic_tac_toe"
    assert (policies["selection"]["name"], policies["selection"]["c"]) == ("ucb1_double_log", 0.1)
    assert policies["final_move"]["name"] == "highest_mean"
    assert trace.meta["value_range"] == [-1.0, 1.0]


def test_an_order_that_there_is_not_is_refused_with_those_there_are() -> None:
    with pytest.raises(
        mv.MctsVizError, match="order = 'best' is not known; choose one of: random, "
    ):
        mv.search("tic_tac_toe", order="best")
