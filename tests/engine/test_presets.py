"""Presets against their originals, written again from their descriptions: with the same random
numbers the same tree; with others, over many seeds, the same nodes, visits, values and choices.

The test for each number is Welch's t-test of its mean over seeds; choices are compared by χ².
"""

import math
import random
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pytest
from mctspy.games.examples.tictactoe import TicTacToeGameState
from mctspy.tree.nodes import TwoPlayersGameMonteCarloTreeSearchNode
from mctspy.tree.search import MonteCarloTreeSearch

import mcts_viz as mv
from mcts_viz.engine.search import run
from mcts_viz.runs.engine_move import best_actions
from tests.engine import references
from tests.engine.references import THREATENED, TURNING_POINT
from tests.searches import prepare, tree_columns
from tests.variants import few

SEEDS = 400
MOST_Z, MOST_CHI = 4.0, 2.0
WORST_MEAN = -10.0  # what a poisoned mean counts here: the others are not below 0
STARTS = ((), (4, 0), (4, 0, 8, 1), (0, 4, 8))
ITERATIONS = {"tech_io": 1_000, "sudo_tic_tac_toe": 100}  # of the others 300


class Found(NamedTuple):
    """What a search of Tic-Tac-Toe found."""

    nodes: int
    choice: int
    moves: dict[int, tuple[float, float]]  # action -> (visits, mean value)


def theirs(preset: str, start: Sequence[int], seed: int) -> Found:
    choose = random.Random(seed)
    original = references.ORIGINALS[preset]
    position = references.after("tic_tac_toe", start)
    n = ITERATIONS.get(preset, 300)
    root = original.search(references.tic_tac_toe, position, n, choose.randrange)
    moves = {each.action: (each.visits, max(each.mean, WORST_MEAN)) for each in root.children}
    return Found(references.tree_size(root), original.choice(root), moves)


def mctspy_itself(start: Sequence[int], seed: int) -> Found:
    assert not start
    np.random.seed(seed)  # noqa: NPY002 (the generator that mctspy draws from)
    root = TwoPlayersGameMonteCarloTreeSearchNode(TicTacToeGameState(np.zeros((3, 3)), 1))
    MonteCarloTreeSearch(root).best_action(300)
    # its last legal action comes first
    moves = {8 - i: (float(child.n), child.q / child.n) for i, child in enumerate(root.children)}
    return Found(0, max(moves, key=lambda action: moves[action][1]), moves)


def ours(preset: str, start: Sequence[int], seed: int, **overrides: Any) -> Found:
    n = ITERATIONS.get(preset, 300)
    plan = prepare(
        "tic_tac_toe", preset, iterations=n, seed=seed, start=start, compile=True, **overrides
    )
    tree = run(plan)
    columns = tree_columns(tree)
    moves = {
        int(columns["action"][child]): (
            float(columns["visits"][child]),
            max(float(columns["value_sum"][child] / columns["visits"][child]), WORST_MEAN),
        )
        for child in np.flatnonzero(columns["parent"] == 0)
    }
    return Found(int(tree.size[0]), best_actions(plan, tree)[0], moves)


def assert_same_statistics(mine: list[Found], original: list[Found], nodes: bool = True) -> None:
    """Nodes, visits and mean values of every root move, how much the visits are concentrated, and
    the choices agree within sampling error."""
    assert {tuple(sorted(one.moves)) for one in mine} == {
        tuple(sorted(one.moves)) for one in original
    }
    for what, measure in measures(original[0].moves).items():
        if what == "nodes" and not nodes:
            continue
        a, b = (np.array([measure(one) for one in found]) for found in (mine, original))
        error = math.sqrt(a.var(ddof=1) / len(a) + b.var(ddof=1) / len(b))
        assert abs(a.mean() - b.mean()) <= MOST_Z * max(error, 1e-12), what
    choices = [Counter(one.choice for one in found) for found in (mine, original)]
    assert chi_squared(*choices) < MOST_CHI, choices


def measures(moves: Iterable[int]) -> dict[str, Callable[[Found], float]]:
    """The numbers that are compared, each with its name."""
    found: dict[str, Callable[[Found], float]] = {
        "nodes": lambda one: one.nodes,
        # where all moves are alike, their mean visits say nothing of the search
        "squared visits": lambda one: sum(visits**2 for visits, _ in one.moves.values()),
    }
    for action in moves:
        found[f"visits of {action}"] = lambda one, action=action: one.moves[action][0]  # type: ignore[misc]
        found[f"value of {action}"] = lambda one, action=action: one.moves[action][1]  # type: ignore[misc]
    return found


def chi_squared(mine: Counter[int], original: Counter[int]) -> float:
    """Of two samples of the same size, for each degree of freedom; actions that are seldom chosen
    count together."""
    both = mine + original
    often = [action for action, n in both.items() if n >= 10]
    pairs = [(mine[action], original[action]) for action in often]
    rest = tuple(one.total() - sum(one[action] for action in often) for one in (mine, original))
    if sum(rest) >= 10:
        pairs.append(rest)
    return sum((a - b) ** 2 / (a + b) for a, b in pairs) / max(1, len(pairs) - 1)


def sequences(node: references.Node, actions: tuple[int, ...] = ()) -> references.Statistics:
    """The statistics of each node by the actions that lead to it, as `tree_of`."""
    found = {actions: (node.visits, node.score)}
    for child in node.children:
        found.update(sequences(child, (*actions, child.action)))
    return found


def tree_of(trace: mv.Trace) -> references.Statistics:
    final = trace.at(trace.n_iterations)
    actions: list[tuple[int, ...]] = [()]
    for parent, action in zip(final.parent[1:].tolist(), final.action[1:].tolist()):
        actions.append((*actions[parent], action))
    return dict(zip(actions, zip(final.visits.tolist(), final.value_sum.tolist())))


def assert_same_tree(
    name: str, look: references.Look, preset: str, start: Sequence[int], n: int, seed: int
) -> None:
    """Fed with the same random numbers, the original grows the same tree and plays the same move."""
    trace = mv.search(name, preset, iterations=n, seed=seed, start=start, compile=False)
    random_numbers = np.random.default_rng(seed)
    original = references.ORIGINALS[preset]
    position = look("." * 9 if look is references.tic_tac_toe else "")
    for action in start:
        position = look(dict(position.legal)[action])
    root = original.search(look, position, n, lambda k: int(random_numbers.random() * k))
    mine, expected = tree_of(trace), sequences(root)
    assert mine.keys() == expected.keys()
    # a root that is poisoned there keeps its sum here: nothing reads it
    del mine[()], expected[()]
    for actions, (visits, value_sum) in expected.items():
        assert mine[actions] == (visits, pytest.approx(value_sum, rel=1e-12, abs=1e-12)), actions
    chosen = original.choice(root)
    values = {child.action: (child.visits, child.mean) for child in root.children if child.visits}
    at = 0 if original.choice is references.by_visits else 1
    assert values[trace.best_action][at] == values[chosen][at]  # type: ignore[index]


@pytest.mark.parametrize("start", STARTS, ids=str)
@pytest.mark.parametrize("preset", references.ORIGINALS)
def test_a_preset_grows_the_tree_of_its_original(preset: str, start: Sequence[int]) -> None:
    for seed in range(2):
        assert_same_tree("tic_tac_toe", references.tic_tac_toe, preset, start, 200, seed)


@pytest.mark.parametrize("preset", few(["sudo_tic_tac_toe", "tech_io", "mctspy"]))
def test_a_preset_grows_the_tree_of_its_original_on_nine_boards(preset: str) -> None:
    assert_same_tree("sudo_tic_tac_toe", references.sudo, preset, (), 100, 1)


@pytest.mark.thorough
@pytest.mark.parametrize("start", STARTS, ids=str)
@pytest.mark.parametrize("preset", references.ORIGINALS)
def test_nodes_visits_values_and_choices_are_those_of_the_original(
    preset: str, start: Sequence[int]
) -> None:
    mine = [ours(preset, start, seed) for seed in range(SEEDS)]
    assert_same_statistics(mine, [theirs(preset, start, 10_000 + seed) for seed in range(SEEDS)])


@pytest.mark.thorough
def test_mctspy_is_mctspy() -> None:
    mine = [ours("mctspy", (), seed) for seed in range(SEEDS)]
    assert_same_statistics(
        mine, [mctspy_itself((), 10_000 + seed) for seed in range(SEEDS)], nodes=False
    )


@pytest.mark.thorough
def test_sudo_tic_tac_toe_opens_in_the_last_board_nearly_always() -> None:
    opened = [
        mv.search("sudo_tic_tac_toe", "sudo_tic_tac_toe", seed=seed, compile=True).best_action
        for seed in range(SEEDS)
    ]
    share = sum(action is not None and action >= 72 for action in opened) / SEEDS
    assert share == pytest.approx(0.956, abs=0.04)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("preset", "start", "mistake"),
    [
        ("baeldung", (0, 4, 8), {"poison": None}),
        ("baeldung", (4, 0), {"win": 1.0}),
        ("mctspy", (), {"c": 1.0}),
        ("rhu2001", (4, 0), {"collect": "both"}),
        ("rhu2001", (4, 0), {"loss": 0.0}),
        ("sudo_tic_tac_toe", (4, 0), {"c": 0.4}),
        ("sudo_tic_tac_toe", (4, 0), {"order": "random"}),
        ("tech_io", (4, 0), {"ties": "first"}),
        ("tech_io", (4, 0), {"expand_on": "first_visit"}),
        ("tech_io", (4, 0), {"simulate_from": "random_child"}),
        ("tech_io", (), {"c": math.sqrt(2)}),
        ("uct", (), {"c": 1.0}),
        ("uct", (4, 0), {"draw": 0.0}),
    ],
)
def test_the_comparison_sees_a_mistake(
    preset: str, start: Sequence[int], mistake: dict[str, Any]
) -> None:
    mine = [ours(preset, start, seed, **mistake) for seed in range(SEEDS)]
    original = [theirs(preset, start, 10_000 + seed) for seed in range(SEEDS)]
    with pytest.raises(AssertionError):
        assert_same_statistics(mine, original)


@pytest.mark.thorough
def test_the_comparison_passes_a_search_that_only_has_other_seeds() -> None:
    one, other = (
        [theirs("uct", (), first + seed) for seed in range(SEEDS)] for first in (10_000, 20_000)
    )
    assert_same_statistics(one, other)


@pytest.mark.parametrize(
    "scores", few([{}, {"win": 0.1, "draw": 0.03}, {"win": 1 / 3, "loss": -0.1}])
)
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
    return tree_of(trace)


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


@pytest.mark.thorough  # test_kinds_of_search has both in one game
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
