"""A correct search yields no error and no warning: ours with every game and policy, mctspy, and
OpenSpiel's Python search. Two presets are not correct, and are named for what they are."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mctspy.games.examples.tictactoe import TicTacToeGameState
from mctspy.tree.nodes import TwoPlayersGameMonteCarloTreeSearchNode
from mctspy.tree.search import MonteCarloTreeSearch

import mcts_viz as mv
from mcts_viz.engine.presets import PRESETS
from mcts_viz.games import LISTED
from tests.complaints import complaints
from tests.engine.test_reuse import kept_tree, next_search, recorded
from tests.lazy import open_spiel_mcts as mcts
from tests.lazy import pyspiel
from tests.recording.mctx_searches import run
from tests.recording.test_mctx import KINDS, POLICIES
from tests.variants import few, in_turn

INCORRECT = {"rhu2001": "value-one-side", "baeldung": "value-out-of-range"}
WAYS: dict[str, dict[str, Any]] = {
    "solver": {"preset": "uct", "solver": True},
    "solver, all children": {"preset": "tech_io", "solver": True},
    "solver, priors": {"preset": "alphazero", "solver": True},
    "solver, wins less losses": {"preset": "mctspy", "solver": True},
    "four rollouts": {"preset": "uct", "n_rollouts": 4},
    "four rollouts, odd scores": {"preset": "uct", "n_rollouts": 4, "win": 3, "draw": 0.5},
    "decisive": {"preset": "uct", "simulation": "decisive"},
    "tuned": {"preset": "uct", "selection": "ucb1_tuned", "c": 1.0},
    "tuned, all children": {"preset": "tech_io", "selection": "ucb1_tuned", "c": 0.7},
    "no exploration": {"preset": "uct", "c": 0.0},
    "urgency": {"preset": "tech_io", "fpu": 0.4},
    "last child": {"preset": "tech_io", "simulate_from": "last_child", "order": "random"},
    "secure": {"preset": "mctspy", "final_move": "secure"},
    "draw like a loss": {"preset": "uct", "draw": 0.0},
}
SEEDS = range(20)
every_seed = pytest.mark.parametrize("seeds", few([SEEDS[:1], SEEDS[1:]]), ids=["few", "many"])
LARGEST = "mnk:15,15,5"
LONG, SHORT, SHORTEST = 400, 64, 24  # iterations: a check takes longer than its search
SAMPLES = Path(__file__).parents[2] / "samples"


@every_seed
@pytest.mark.parametrize(
    ("name", "preset"),
    [
        *in_turn([name for name in LISTED if name != LARGEST], PRESETS, 2),
        *few([(LARGEST, preset) for preset in PRESETS], 0),
    ],
)
def test_a_preset_of_ours_is_healthy_or_named(name: str, preset: str, seeds: range) -> None:
    for seed in seeds:
        iterations = SHORTEST if name == LARGEST else LONG if seed == 0 else SHORT
        trace = mv.search(name, preset, iterations=iterations, seed=seed, compile=False)
        found = complaints(trace)
        if preset == "baeldung":  # unless nobody has lost at once in so few iterations
            poisoned = bool((trace.at(iterations).value_sum < 0).any())
            assert found == ["value-out-of-range"] * poisoned
        else:
            assert found == ([INCORRECT[preset]] if preset in INCORRECT else [])


@pytest.mark.thorough
@pytest.mark.parametrize("seeds", few([[2], [1]]), ids=["from a position", "from the start"])
@pytest.mark.parametrize("name", few(["tic_tac_toe", "connect_four", "mnk:5,5,4"]))
@pytest.mark.parametrize("way", WAYS)
def test_every_kind_of_correct_search_is_healthy(name: str, way: str, seeds: Sequence[int]) -> None:
    for seed in seeds:
        start = [4, 3] if seed == 2 else []
        trace = mv.search(name, iterations=400, seed=seed, start=start, compile=False, **WAYS[way])
        assert complaints(trace) == []


@pytest.mark.parametrize("preset", INCORRECT)
def test_the_incorrect_presets_are_named(preset: str) -> None:
    trace = mv.search("tic_tac_toe", preset, iterations=500, seed=1, compile=False)
    (error,) = (finding for finding in trace.check() if finding.severity == "error")
    assert error.check == INCORRECT[preset]
    if preset == "rhu2001":
        assert "nodes that O moved into always get 0" in error.message
    else:
        assert error.evidence["farthest"] == pytest.approx(-(2.0**31), abs=1_000)


@pytest.mark.parametrize("preset", INCORRECT)
def test_the_bundled_samples_of_them_are_named(preset: str) -> None:
    trace = mv.open(SAMPLES / f"{preset}.mcts")
    assert complaints(trace) == [INCORRECT[preset]]


@pytest.mark.parametrize(
    ("kind", "solver"), in_turn(["uct", "tech_io", "alphazero", "mctspy"], [False, True])
)
@pytest.mark.parametrize("name", few(["tic_tac_toe", "connect_four"]))
def test_a_kept_tree_is_healthy(kind: str, solver: bool, name: str) -> None:
    options: dict[str, Any] = {"preset": kind, "solver": solver}
    trace = recorded(next_search(name, options), kept_tree(name, options, iterations=1_000))
    assert complaints(trace) == []


@every_seed
def test_mctspy_is_healthy(seeds: range) -> None:
    for seed in seeds:
        np.random.seed(seed)  # noqa: NPY002 (the generator that mctspy draws from)
        state = TicTacToeGameState(state=np.zeros((3, 3)), next_to_move=1)
        root = TwoPlayersGameMonteCarloTreeSearchNode(state=state)
        search = MonteCarloTreeSearch(root)
        # without the formula, so that it has to be found
        with mv.watch_mctspy(root, game="tic_tac_toe", selection=None, c=None) as rec:
            for _ in rec.steps(lambda search=search: search.best_action(1), 150):  # type: ignore[misc]
                pass
        found = rec.trace.check()
        assert [finding.check for finding in found if finding.severity != "note"] == []
        (rule,) = (finding for finding in found if finding.check == "selection-rule")
        # its constant 1.4 stands before √(2 ln N / n)
        assert rule.evidence["c_low"] <= 1.4 * 2**0.5 <= rule.evidence["c_high"]


def test_mctspy_selects_as_its_adapter_says() -> None:
    for seed in SEEDS[:3]:
        np.random.seed(seed)  # noqa: NPY002
        root = TwoPlayersGameMonteCarloTreeSearchNode(TicTacToeGameState(np.zeros((3, 3)), 1))
        search = MonteCarloTreeSearch(root)
        with mv.watch_mctspy(root) as rec:
            for _ in rec.steps(lambda search=search: search.best_action(1), 150):  # type: ignore[misc]
                pass
        assert complaints(rec.trace) == []
        assert set(str(rec.trace.at(150).state(3)).split()) == {"X", "."}


@every_seed
@pytest.mark.parametrize("solve", [False, True])
@pytest.mark.parametrize(
    ("name", "formula"),
    in_turn(["tic_tac_toe", "connect_four", "pig"], ["uct_value", "puct_value"]),
)
def test_open_spiels_python_search_is_healthy(
    name: str, formula: str, solve: bool, seeds: range
) -> None:
    played = pyspiel.load_game(name)
    for seed in seeds:
        random = np.random.RandomState(seed)
        bot = mcts.MCTSBot(
            played, 2.0, 150, mcts.RandomRolloutEvaluator(1, random), solve=solve,
            random_state=random, child_selection_fn=getattr(mcts.SearchNode, formula),
        )  # fmt: skip
        with mv.watch_open_spiel(bot) as watched:
            bot.step(played.new_initial_state())
        found = watched.trace.check()
        assert [finding.check for finding in found if finding.severity != "note"] == []
        (rule,) = (finding for finding in found if finding.check == "selection-rule")
        assert "with the declared c = 2 explains all" in rule.message


@pytest.mark.thorough
@every_seed
def test_heavy_rollouts_are_noted_and_random_ones_are_not(seeds: range) -> None:
    for seed in seeds:
        random = mv.search("connect_four", iterations=400, seed=seed, compile=False)
        assert "simulation-not-random" not in [finding.check for finding in random.check()]
    heavy = mv.search(
        "mnk:5,5,4", iterations=600, seed=1, simulation="decisive", start=[12, 0, 11], compile=False
    )
    assert "simulation-not-random" in [finding.check for finding in heavy.check()]


@pytest.mark.thorough  # tests/recording/test_mctx.py checks a search by each policy
@every_seed
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("policy", POLICIES)
def test_mctx_is_healthy(policy: str, kind: str, seeds: range) -> None:
    for seed in seeds:
        for trace in mv.from_mctx(run(policy, 24, seed, *KINDS[kind])):
            found = trace.check()
            assert [finding.check for finding in found if finding.severity != "note"] == []
            (rule,) = (finding for finding in found if finding.check == "selection-rule")
            assert f"{policy.removesuffix('_policy')} explains all" in rule.message


@pytest.mark.thorough
def test_a_discount_that_is_declared_is_held_to() -> None:
    """The same search, with another discount than it says."""
    trace = mv.from_mctx(run("muzero_policy", 24, 1, 0.9))[0]
    assert complaints(trace) == []
    assert complaints(mv.Trace({**trace.meta, "discount": 0.5}, trace.columns)) == [
        "value-not-discounted"
    ]
    undeclared = {key: told for key, told in trace.meta.items() if key != "discount"}
    found = {one.check: one.message for one in mv.Trace(undeclared, trace.columns).check()}
    assert "declare it: discount=" in found.get("value-discount", "") or "value-uneven" in found
