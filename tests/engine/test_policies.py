"""What a keyword of a search may change, and what is said to the rest."""

import math
from typing import Any

import numpy as np
import pytest

import mcts_viz as mv
from mcts_viz.engine.presets import policies
from mcts_viz.formulas.final_move import FINAL_MOVE_RULES
from mcts_viz.formulas.selection import SELECTION_FORMULAS
from tests.variants import few

REFUSED: list[tuple[dict[str, Any], str]] = [
    (
        {"preset": "alpha"},
        "preset 'alpha' is not known; choose one of: alphazero, baeldung, mctspy, rhu2001, ",
    ),
    ({"preset": None}, "preset None is not known; choose one of: alphazero, baeldung, "),
    ({"preset": ["uct"]}, r"preset \['uct'\] is not known"),
    ({"selection": "ucb2"}, "'ucb2' is not known; choose one of: ucb1, ucb1_double_log"),
    ({"selection": None}, "selection = None is not known; choose one of: ucb1"),
    ({"final_move": "max"}, "final_move = 'max' is not known; choose one of: most_visits"),
    ({"selection": "puct"}, "puct compares all moves .* give expansion='all_children' with it"),
    ({"fpu": 0.5}, "fpu = 0.5 is the value of a child without visits, .* expansion='all_children'"),
    ({"n_rollouts": 0}, "n_rollouts = 0 is not a whole number from 1 to 1,000; give one"),
    ({"n_rollouts": 1.0}, "n_rollouts = 1.0 is not a whole number from 1"),
    (
        {"simulation": "value", "n_rollouts": 2},
        "simulation='value' plays no rollout; leave one out",
    ),
    ({"solver": 1}, "solver = 1 is neither True nor False; give one of them"),
    ({"evaluator": 3}, "evaluator = 3 is neither a name nor a function; give one"),
    ({"poison": 1}, "poison = 1 is no worse than the least score, 0; give a number far below it"),
    ({"poison": "-1"}, "poison = '-1' is not a number"),
    (
        {"selection": "ucb1_tuned", "loss": -1},
        "ucb1_tuned is made for scores from 0 to 1, .* -1 to 1",
    ),
    (
        {"expansion": "some"},
        "expansion = 'some' is not known; choose one of: one_child, all_children",
    ),
    ({"collect": "me"}, "collect = 'me' is not known; choose one of: both, searcher"),
    ({"nodes": 1}, "nodes = 1 is not a whole number from 2"),
    ({"memory": 0.5}, "memory = 0.5 is not a whole number from 1"),
    ({"decided": 1}, "decided = 1 is neither True nor False"),
    ({"decided": True, "seconds": 1}, "decided = True needs a number of iterations"),
    (
        {"exploration": 1, "cc": 2},
        "cc, exploration: not a parameter of a search; choose among: selection, c, fpu, ",
    ),
    ({"c": -0.1}, "c = -0.1 is negative; the weight of the exploration term is 0 or more"),
    ({"c": math.nan}, "c = nan is not a number of magnitude 1,000,000,000,000 at most; give one"),
    ({"c": "1.4"}, "c = '1.4' is not a number"),
    ({"c": None}, "c = None is not a number"),
    ({"c": True}, "c = True is not a number"),
    ({"win": math.inf}, "win = inf is not a number"),
    ({"loss": -1e308}, r"loss = -1e\+308 is not a number of magnitude"),
    ({"draw": 10**400}, "draw = 1000.* is not a number of magnitude"),
    ({"seed": -1}, "seed = -1 is not a whole number from 0 up; give one"),
    ({"seed": 1.0}, "seed = 1.0 is not a whole number"),
    ({"seed": "1"}, "seed = '1' is not a whole number"),
    ({"seed": True}, "seed = True is not a whole number"),
]


@pytest.mark.parametrize(("keywords", "message"), REFUSED)
def test_an_argument_that_cannot_be_meant_is_named(keywords: dict[str, Any], message: str) -> None:
    with pytest.raises(mv.SearchError, match=message):
        mv.search("tic_tac_toe", **keywords)


def test_parameters_change_the_search_and_are_told_in_its_trace() -> None:
    trace = mv.search(
        "tic_tac_toe", iterations=200, seed=1, c=np.float32(0.5), win=2, draw=0, loss=np.int64(-2)
    )
    told = trace.meta["policies"]
    assert told["preset"] == "uct"
    assert told["selection"] == {"name": "ucb1", "c": 0.5, "unvisited": "first", "ties": "first"}
    assert told["backpropagation"] == {
        "name": "scores",
        "win": 2.0,
        "draw": 0.0,
        "loss": -2.0,
        "collect": "both",
        "poison": None,
        "solver": False,
    }
    assert told["final_move"] == {"name": "most_visits"}
    assert trace.meta["value_range"] == [-2.0, 2.0]
    assert set(np.unique(trace.columns.updates.value)) <= {2.0, 0.0, -2.0}


@pytest.mark.parametrize("selection", SELECTION_FORMULAS)
@pytest.mark.parametrize("final_move", FINAL_MOVE_RULES)
def test_every_formula_and_rule_can_be_chosen_and_is_told(selection: str, final_move: str) -> None:
    trace = mv.search(
        "tic_tac_toe",
        iterations=20,
        selection=selection,
        final_move=final_move,
        expansion="all_children",
    )
    assert trace.meta["policies"]["selection"]["name"] == selection
    assert trace.meta["policies"]["final_move"] == {"name": final_move}
    assert trace.at(20).final_move == final_move


def test_the_default_is_uct() -> None:
    chosen = policies("uct", {})
    assert chosen.c == math.sqrt(2)
    assert (chosen.win, chosen.draw, chosen.loss) == (1.0, 0.5, 0.0)
    assert chosen.value_range == (0.0, 1.0)


def test_a_seed_is_drawn_and_told_where_none_is_given() -> None:
    first, second = (mv.search("tic_tac_toe", iterations=100) for _ in range(2))
    assert first.meta["seed"] != second.meta["seed"]
    again = mv.search("tic_tac_toe", iterations=100, seed=first.meta["seed"])
    assert again.columns.leaf.tolist() == first.columns.leaf.tolist()


def test_the_same_seed_gives_the_same_tree_and_another_one_another() -> None:
    seeds: list[Any] = [1, 1, np.int64(1), 2]
    runs = [mv.search("connect_four", iterations=300, seed=seed) for seed in seeds]
    actions = [run.columns.nodes.action.tolist() for run in runs]
    assert actions[0] == actions[1] == actions[2] != actions[3]


@pytest.mark.parametrize("compiled", few([False, True]))
@pytest.mark.parametrize("scores", [{"win": 1e12, "loss": -1e12, "draw": 1e-300}, {"c": 1e12}])
def test_extreme_scores_do_not_break_the_search(compiled: bool, scores: dict[str, Any]) -> None:
    trace = mv.search("tic_tac_toe", iterations=2_000, seed=1, compile=compiled, **scores)
    final = trace.at(2_000)
    assert final.visits[0] == 2_000
    assert np.all(np.isfinite(final.value_sum))
    assert np.all(np.isfinite(final.uct[1:]))


def test_a_search_from_a_finished_game_is_refused() -> None:
    with pytest.raises(mv.SearchError, match="the game is over at the start position"):
        mv.search("tic_tac_toe", start=[0, 3, 1, 4, 2])


def test_a_simulation_of_ones_own_that_fails_is_named() -> None:
    with pytest.raises(
        mv.SearchError, match=r"simulation few fails: TypeError.*list of its legal actions"
    ):
        mv.search("tic_tac_toe", iterations=5, simulation=few)


def few(position: Any) -> int:
    return 0
