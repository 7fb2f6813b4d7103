"""A correct search yields no error and no warning: ours with every game and policy, mctspy, and
OpenSpiel's Python search. Two presets are not correct, and are named for what they are."""

from typing import Any

import numpy as np
import pyspiel
import pytest
from mctspy.games.examples.tictactoe import TicTacToeGameState
from mctspy.tree.nodes import TwoPlayersGameMonteCarloTreeSearchNode
from mctspy.tree.search import MonteCarloTreeSearch
from open_spiel.python.algorithms import mcts

import mcts_viz as mv
from mcts_viz.games import LISTED
from mcts_viz.search.presets import PRESETS
from tests.search.test_reuse import kept_tree, next_search, recorded

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


def complaints(trace: mv.Trace) -> list[str]:
    return [finding.check for finding in trace.check() if finding.severity != "note"]


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("name", LISTED)
def test_a_preset_of_ours_is_healthy_or_named(name: str, preset: str) -> None:
    large = name == "mnk:15,15,5"
    iterations = 150 if large else 300
    for seed in (1,) if large else (1, 2, 3):
        trace = mv.search(name, preset, iterations=iterations, seed=seed, compile=False)
        found = complaints(trace)
        if preset == "baeldung":  # unless nobody has lost at once in so few iterations
            poisoned = bool((trace.at(iterations).value_sum < 0).any())
            assert found == ["value-out-of-range"] * poisoned
        else:
            assert found == ([INCORRECT[preset]] if preset in INCORRECT else [])


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", ["tic_tac_toe", "connect_four", "mnk:5,5,4"])
def test_every_kind_of_correct_search_is_healthy(name: str, way: str) -> None:
    for seed in (1, 2):
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


@pytest.mark.parametrize("kind", ["uct", "tech_io", "alphazero", "mctspy"])
@pytest.mark.parametrize("solver", [False, True])
def test_a_kept_tree_is_healthy(kind: str, solver: bool) -> None:
    for name in ("tic_tac_toe", "connect_four"):
        options: dict[str, Any] = {"preset": kind, "solver": solver}
        trace = recorded(next_search(name, options), kept_tree(name, options, iterations=1_000))
        assert complaints(trace) == []


def test_mctspy_is_healthy() -> None:
    for seed in SEEDS:
        np.random.seed(seed)  # noqa: NPY002 (the generator that mctspy draws from)
        state = TicTacToeGameState(state=np.zeros((3, 3)), next_to_move=1)
        root = TwoPlayersGameMonteCarloTreeSearchNode(state=state)
        search = MonteCarloTreeSearch(root)
        with mv.record(
            root=root,
            children="children",
            visits="n",
            value=lambda node: node.q if node.parent else None,
            action=lambda node: int((node.state.board != node.parent.state.board).argmax()),
            to_move=lambda node: 0 if node.state.next_to_move == 1 else 1,
            game="tic_tac_toe",
        ) as rec:
            for _ in rec.steps(lambda search=search: search.best_action(1), 150):  # type: ignore[misc]
                pass
        found = rec.trace.check()
        assert [finding.check for finding in found if finding.severity != "note"] == []
        (rule,) = (finding for finding in found if finding.check == "selection-rule")
        # its constant 1.4 stands before √(2 ln N / n)
        assert rule.evidence["c_low"] <= 1.4 * 2**0.5 <= rule.evidence["c_high"]


class WatchedBot(mcts.MCTSBot):  # type: ignore[misc]
    """Tells when an iteration is over: at the beginning of the next."""

    recording: Any = None
    began = False

    def _apply_tree_policy(self, root: Any, state: Any) -> Any:
        if self.recording is None:
            self.recording = mv.record(
                root=root, children="children", visits="explore_count", value="total_reward",
                action="action", game=self.game_name,
            )  # fmt: skip
        elif self.began:
            self.recording.iteration()
        self.began = True
        return super()._apply_tree_policy(root, state)


@pytest.mark.parametrize("formula", ["uct_value", "puct_value"])
@pytest.mark.parametrize("name", ["tic_tac_toe", "connect_four"])
def test_open_spiels_python_search_is_healthy(name: str, formula: str) -> None:
    played = pyspiel.load_game(name)
    for seed in SEEDS:
        random = np.random.RandomState(seed)
        bot = WatchedBot(
            played, 2.0, 150, mcts.RandomRolloutEvaluator(1, random), solve=False,
            random_state=random, child_selection_fn=getattr(mcts.SearchNode, formula),
        )  # fmt: skip
        bot.game_name = name
        bot.mcts_search(played.new_initial_state())
        bot.recording.iteration()
        bot.recording.close()
        assert complaints(bot.recording.trace) == []
