"""What holds of every kind of search: what a trace says of it is what the search itself compared."""

from functools import cache
from typing import Any

import numpy as np
import pytest

import mcts_viz as mv
from mcts_viz.engine.presets import PRESETS, policies
from mcts_viz.engine.search import Search, run
from mcts_viz.formulas.selection import selection_formula
from mcts_viz.games import LISTED, game
from tests.engine.live import live_trees, same
from tests.engine.test_compilation import assert_same_trace
from tests.searches import prepare
from tests.variants import few, in_turn

ITERATIONS = 250
# a start position from which the end of the game is near: finished games in the tree, proven nodes
LATE = [0, 1, 2]
KINDS: dict[str, dict[str, Any]] = {
    **{preset: {"preset": preset} for preset in PRESETS},
    "ucb1_tuned": {"selection": "ucb1_tuned"},
    "ucb1_tuned, all children": {"selection": "ucb1_tuned", "expansion": "all_children"},
    "ucb1_tuned, three decisive rollouts": {
        "selection": "ucb1_tuned", "expansion": "all_children", "simulation": "decisive", "n_rollouts": 3,
    },
    "puct with rollouts": {"selection": "puct", "expansion": "all_children", "order": "random"},
    "first-play urgency": {"preset": "tech_io", "fpu": 0.6},
    "puct without urgency": {"preset": "alphazero", "fpu": None, "simulate_from": "last_child"},
    "decisive": {"simulation": "decisive"},
    "three rollouts": {"preset": "tech_io", "n_rollouts": 3},
    "solver": {"solver": True},
    "solver, all children": {"preset": "tech_io", "solver": True, "order": "random"},
    "solver with values": {"preset": "alphazero", "solver": True},
    "last legal first, from the leaf": {
        "preset": "tech_io", "order": "last_legal_first", "simulate_from": "leaf",
    },
}  # fmt: skip
# to compile takes seconds: each game and each preset once, then what is left of every pair of them
ONE_SIZE = [name for name in LISTED if name not in ("mnk:15,15,5", "connect_four:7,7")]
EACH_ONCE = list(
    dict.fromkeys(
        (ONE_SIZE[k % len(ONE_SIZE)], list(PRESETS)[k % len(PRESETS)])
        for k in range(max(len(ONE_SIZE), len(PRESETS)))
    )
)
EACH_PAIR = [
    (name, preset) for name in LISTED for preset in PRESETS if (name, preset) not in EACH_ONCE
]
# kinds with a function that no preset has, then those that are made of functions which others have
OF_THEIR_OWN = ["ucb1_tuned, three decisive rollouts", "solver with values"]
COMPILED_ONCE = few(
    [*OF_THEIR_OWN, *(kind for kind in KINDS if kind not in (*PRESETS, *OF_THEIR_OWN))],
    1,
)
GAMES: dict[str, list[str | int]] = {"tic_tac_toe": [*LATE], "connect_four": []}
every_kind = pytest.mark.parametrize(("kind", "name"), in_turn(KINDS, GAMES, 3))


def plan(name: str, kind: str, **options: Any) -> Search:
    chosen: dict[str, Any] = {"iterations": ITERATIONS, "seed": 5, "compile": False}
    return prepare(name, **{**KINDS[kind], **chosen, "start": GAMES[name], **options})


@cache
def trace(name: str, kind: str) -> mv.Trace:
    chosen: dict[str, Any] = {"iterations": ITERATIONS, "seed": 5, "compile": False}
    return mv.search(name, **{**KINDS[kind], **chosen, "start": GAMES[name]})


@every_kind
def test_a_snapshot_is_the_live_tree(name: str, kind: str) -> None:
    trees = live_trees(plan(name, kind))
    assert len(trees) == trace(name, kind).n_iterations
    for t, tree in enumerate(trees, start=1):
        now = trace(name, kind).at(t)
        for column in ("parent", "action", "to_move", "prior", "outcome", "visits", "value_sum"):
            assert same(getattr(now, column), tree[column]), (t, column)
        assert same(now.proven, tree["proven"])


@every_kind
def test_the_scores_of_a_snapshot_are_those_that_the_search_compares(name: str, kind: str) -> None:
    search = plan(name, kind)
    formula = selection_formula(search.policies.selection)
    for t, tree in list(enumerate(live_trees(search), start=1))[::7]:
        now = trace(name, kind).at(t)
        everything = (now.value_term, now.exploration_term, now.uct)
        for some in (np.arange(len(now)), np.array([0]), np.arange(1, len(now))[::-3]):
            for of_some, of_all in zip(now.scores(some), everything):
                assert same(of_some, of_all[some])
        for above in np.flatnonzero(tree["n_children"]).tolist():
            first = int(tree["first_branch"][above])
            for branch in range(first, first + int(tree["n_children"][above])):
                child = int(tree["branch_child"][branch])
                value = tree["branch_value"][branch]
                exploration = formula.exploration(
                    tree["weight"][above],
                    tree["branch_width"][branch],
                    value,
                    tree["branch_squares"][branch],
                    search.policies.c,
                )
                assert now.uct[child] == value + exploration, (t, child)
                if np.isfinite(value):
                    assert now.value_term[child] == value
                    assert now.exploration_term[child] == exploration


@every_kind
def test_selection_took_the_best_of_the_recorded_scores(name: str, kind: str) -> None:
    recorded = trace(name, kind)
    latest_first = recorded.meta.policies.selection.ties == "latest"
    chosen_at: dict[int, int] = {}  # last iteration that chose it, by child
    compared = 0
    for t in range(1, recorded.n_iterations + 1):
        before = recorded.at(t - 1)
        for found in recorded.iteration(t).comparisons:
            assert found.children == before.children(found.node)
            best = [found.children[k] for k in np.flatnonzero(found.scores == found.scores.max())]
            if latest_first:
                best.sort(key=lambda child: -chosen_at.get(child, 0))
            assert found.chosen == best[0]
            chosen_at[found.chosen] = t
            assert np.array_equal(found.scores, before.uct[found.children])
            compared += 1
    assert compared > recorded.n_iterations / 2


@every_kind
def test_visits_are_own_evaluations_and_the_childrens_visits(name: str, kind: str) -> None:
    recorded = trace(name, kind)
    for t in range(0, recorded.n_iterations + 1, 5):
        now = recorded.at(t)
        evaluations = np.bincount(recorded.columns.leaf[:t], minlength=len(now))
        below = np.bincount(now.parent[1:], now.visits[1:], minlength=len(now))
        assert np.array_equal(now.visits, evaluations + below)
        assert now.visits[0] == t


@every_kind
def test_a_file_holds_what_the_search_did(name: str, kind: str, tmp_path: Any) -> None:
    search = {**KINDS[kind], "iterations": ITERATIONS, "seed": 5, "start": GAMES[name]}
    written = mv.search(name, path=tmp_path / "run.mcts", compile=False, **search)
    opened = mv.open(tmp_path / "run.mcts")
    assert_same_trace(opened, trace(name, kind))
    last = opened.at(opened.n_iterations)
    assert same(last.uct, written.at(written.n_iterations).uct)
    assert same(last.proven, trace(name, kind).at(opened.n_iterations).proven)


@every_kind
def test_children_are_legal_and_all_there_where_all_are_made_at_once(name: str, kind: str) -> None:
    recorded, rules = trace(name, kind), game(name)
    final = recorded.at(recorded.n_iterations)
    at_once = recorded.meta["policies"]["expansion"]["name"] == "all_children"
    for node in range(len(final)):
        children = final.children(node)
        if not children:
            continue
        path = [int(final.action[v]) for v in final.path(node)[1:]]
        legal = rules.legal(rules.position([*recorded.meta["start"], *path])[0])
        actions = [int(final.action[v]) for v in children]
        assert len(set(actions)) == len(actions)
        assert set(actions) <= set(legal)
        if at_once:
            assert sorted(actions) == legal
            assert len({int(final.born[v]) for v in children}) == 1


@pytest.mark.parametrize(("name", "preset"), few(EACH_ONCE + EACH_PAIR))
def test_compiled_and_interpreted_traces_are_bit_identical(name: str, preset: str) -> None:
    options: Any = {"iterations": 60, "seed": 8}
    fast = mv.search(name, preset, compile=True, **options)
    assert_same_trace(fast, mv.search(name, preset, compile=False, **options))


@pytest.mark.thorough
@pytest.mark.parametrize("kind", COMPILED_ONCE)
def test_so_are_those_of_every_kind(kind: str) -> None:
    name = "tic_tac_toe"  # near the end of the game, with proofs; compiling takes its time
    slow = trace(name, kind)
    search = {**KINDS[kind], "iterations": ITERATIONS, "seed": 5, "start": GAMES[name]}
    assert_same_trace(mv.search(name, compile=True, **search), slow)


def first_rollout(**options: Any) -> mv.Trace:
    return mv.search(
        "tic_tac_toe", "tech_io", iterations=1, seed=2, start=[0], compile=False, **options
    )


@pytest.mark.parametrize(
    ("simulate_from", "order", "leaf"),
    [
        ("first_child", "first_legal_first", 1),
        ("first_child", "last_legal_first", 8),
        ("last_child", "first_legal_first", 8),
        ("leaf", "first_legal_first", None),
    ],
)
def test_the_simulation_starts_from_the_child_that_was_asked_for(
    simulate_from: str, order: str, leaf: int | None
) -> None:
    trace = first_rollout(simulate_from=simulate_from, order=order)
    node = trace.iteration(1).leaf
    assert (None if node == 0 else int(trace.columns.nodes.action[node])) == leaf
    assert trace.n_nodes == 9


def test_a_random_child_is_each_as_often() -> None:
    leaves = np.zeros(9, int)
    for seed in range(800):
        options: Any = {"simulate_from": "random_child", "iterations": 1, "start": [0]}
        tree = run(prepare("tic_tac_toe", "tech_io", seed=seed, compile=False, **options))
        leaves[int(tree.action[1:9][tree.visits[1:9] == 1][0])] += 1
    # 100 expected; 8 cells: beyond 4 standard deviations a good generator comes once in 2,000 tests
    assert np.all(np.abs(leaves[1:] - 100) < 4 * np.sqrt(800 / 8 * 7 / 8))


def test_a_leaf_gets_its_children_on_the_visit_that_was_asked_for() -> None:
    def visits_before(expand_on: str) -> set[int]:
        found = mv.search(
            "connect_four", "tech_io", iterations=300, seed=1, expand_on=expand_on, compile=False
        )
        opened = {}
        for node in range(1, found.n_nodes):
            opened.setdefault(
                int(found.columns.nodes.parent[node]), int(found.columns.nodes.born[node])
            )
        return {int(found.at(t - 1).visits[v]) for v, t in opened.items() if v != 0 and t > 1}

    assert visits_before("first_visit") == {0, 1}  # the first child was simulated from
    assert visits_before("second_visit") == {1}


def test_unvisited_children_come_first_in_order() -> None:
    found = mv.search("tic_tac_toe", "tech_io", iterations=9, seed=1, compile=False)
    leaves = [found.iteration(t).path[1] for t in range(1, 10)]
    assert found.columns.nodes.action[leaves].tolist() == list(range(9))


def test_a_high_urgency_tries_all_children_and_a_low_one_stays_with_the_first() -> None:
    def tried(fpu: float) -> int:
        options: Any = {"fpu": fpu, "c": 0.0, "iterations": 30, "seed": 3, "compile": False}
        return int((mv.search("tic_tac_toe", "tech_io", **options).at(30).visits[1:10] > 0).sum())

    assert tried(1.0) == 9
    assert tried(-1.0) == 1


def test_several_rollouts_a_leaf_are_one_visit_worth_their_mean() -> None:
    rules = game("tic_tac_toe")
    found = mv.search("tic_tac_toe", iterations=200, seed=1, n_rollouts=4, compile=False)
    seen = 0
    for t in range(1, 201):
        told = found.iteration(t)
        assert told.rollout is not None
        assert told.outcome is not None
        path = [int(found.columns.nodes.action[v]) for v in told.path[1:]]
        rollouts = "/".join(map(str, told.rollout)).split("/-1/") if told.rollout else [""]
        if len(rollouts) > 1:
            seen += 1
        outcomes = []
        for moves in rollouts:
            tail = [int(move) for move in moves.split("/")] if moves else []
            outcomes.append(rules.rules.outcome(rules.position([*path, *tail])[0]))
        assert told.outcome == pytest.approx(np.mean(outcomes))
        score = {1.0: 1.0, 0.0: 0.5, -1.0: 0.0}
        assert told.updates[1].value == pytest.approx(np.mean([score[r] for r in outcomes]))
        assert [update.visits for update in told.updates] == [1] * len(told.path)
    assert seen > 150


def test_only_the_searching_sides_nodes_collect() -> None:
    found = mv.search("tic_tac_toe", "rhu2001", iterations=400, seed=1, start=[4], compile=False)
    final = found.at(400)
    theirs = final.depth % 2 == 0  # the opponent moved into them
    assert np.all(final.value_sum[theirs] == 0)
    assert final.visits[theirs].sum() > 400
    assert np.any(final.value_sum[~theirs] < 0)
    assert found.meta["value_range"] == [-1.0, 1.0]


def test_a_childs_immediate_loss_poisons_its_parent_for_good() -> None:
    found = mv.search("tic_tac_toe", "baeldung", iterations=600, seed=1, compile=False)
    final = found.at(600)
    poison = -2_147_483_648.0
    poisoned = np.flatnonzero(final.value_sum == poison)
    assert len(poisoned) > 0
    for node in poisoned.tolist():
        sums = found.history(node).value_sum
        assert final.depth[node] % 2 == 1  # the searching player moved into it
        lost = [v for v in final.children(node) if final.outcome[v] == -1 and final.visits[v]]
        assert lost
        since = int(np.argmax(sums == poison))
        assert np.all(sums[since:] == poison)
    for node in range(len(final)):
        if final.depth[node] % 2 == 1:
            lost = [v for v in final.children(node) if final.outcome[v] == -1 and final.visits[v]]
            assert (final.value_sum[node] == poison) == bool(lost)


def test_a_decisive_simulation_takes_the_win_or_stops_the_opponents() -> None:
    rules = game("tic_tac_toe")
    found = mv.search("tic_tac_toe", iterations=200, seed=1, simulation="decisive", compile=False)
    out = [0] * 9
    moves_seen = 0
    for t in range(1, 201):
        told = found.iteration(t)
        state, _ = rules.position([int(found.columns.nodes.action[v]) for v in told.path[1:]])
        for move in told.rollout or []:
            assert rules.rules.decisive_actions is not None
            assert move in out[: rules.rules.decisive_actions(state, out)]
            rules.rules.play(state, move)
            moves_seen += 1
    assert moves_seen > 200


# an evaluator of the user's own: Connect Four, every column alike but one


def fond_of_the_left(position: list[int], legal: list[int]) -> tuple[list[float], float]:
    priors = [4.0 if action == 0 else 1.0 for action in legal]
    return [prior / sum(priors) for prior in priors], 0.1


def test_an_evaluator_of_the_users_own_gives_priors_and_values() -> None:
    found = mv.search(
        "connect_four", "alphazero", iterations=50, seed=1, evaluator=fond_of_the_left
    )
    final = found.at(50)
    assert final.prior[1:8] == pytest.approx([0.4] + [0.1] * 6)
    assert found.iteration(1).outcome == pytest.approx(0.1)  # player 0 is to move
    assert found.iteration(2).outcome == pytest.approx(-0.1)
    assert found.meta["policies"]["simulation"]["evaluator"] == "fond_of_the_left"
    with pytest.raises(mv.SearchError, match="give it again, evaluator=fond_of_the_left, or"):
        found.rerun()
    assert found.iteration(3).rollout == []


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (None, "evaluator wrong returned None; it must return"),
        (([0.5, 0.5], 0.0), r"returned the priors \[0.5, 0.5\] for the 7 legal actions"),
        (([0.2] * 7, 0.0), "priors that add up to 1.4; divide them by their sum"),
        (([1, -1, 1, 0, 0, 0, 0], 0.0), "give a number from 0 to 1 for each"),
        (
            ([1 / 7] * 7, 1.5),
            r"returned the value 1.5; it must be in \[-1, 1\], in the view of the",
        ),
        (([1 / 7] * 7, float("nan")), "returned the value nan"),
        (([1 / 7] * 7, "high"), "it must return"),
    ],
)
def test_an_evaluator_that_returns_something_else_is_told_so(answer: Any, message: str) -> None:
    def wrong(position: list[int], legal: list[int]) -> Any:
        return answer

    with pytest.raises(mv.SearchError, match=message):
        mv.search("connect_four", "alphazero", iterations=5, evaluator=wrong)


def test_an_unknown_evaluator_is_refused_with_those_there_are() -> None:
    with pytest.raises(mv.MctsVizError, match="centre"):
        mv.search("connect_four", "alphazero", evaluator="best")
    with pytest.raises(mv.MctsVizError, match="uniform"):
        mv.search("tic_tac_toe", "alphazero", evaluator="centre")


# a rollout policy of the user's own


def last_legal(position: list[int], legal: list[int]) -> int:
    assert len(position) == 3
    return legal[-1]


def test_a_simulation_of_the_users_own_plays_what_it_says() -> None:
    found = mv.search("connect_four", iterations=60, seed=1, simulation=last_legal)
    told = found.iteration(2)
    path = [int(found.columns.nodes.action[v]) for v in told.path[1:]]
    assert told.rollout
    for n, move in enumerate(told.rollout):
        state, _ = mv.games.game("connect_four").position([*path, *told.rollout[:n]])
        assert move == mv.games.game("connect_four").legal(state)[-1]
    assert found.meta.policies.simulation.name == "last_legal"
    again = found.rerun(simulation=last_legal)
    assert again.at(60).visits.tolist() == found.at(60).visits.tolist()
    with pytest.raises(mv.SearchError, match=r"'last_legal' is not known.*or give a function"):
        found.rerun(simulation="last_legal")
    told = r"simulation of this trace, last_legal, is a function, .*give it again, simulation=last_legal, or .* random,"
    with pytest.raises(mv.SearchError, match=told):
        found.rerun()
    assert found.rerun(simulation="random").n_iterations == 60


@pytest.mark.parametrize("answer", ["left", None, 99, 1.5, [1]])
def test_a_simulation_that_returns_no_legal_action_is_told_so(answer: Any) -> None:
    with pytest.raises(mv.SearchError, match=r"simulation <lambda> returned .*one of the legal"):
        mv.search("connect_four", iterations=5, simulation=lambda position, legal: answer)


def test_the_level_of_baeldung_scales_its_seconds() -> None:
    assert policies("baeldung", {"level": 3}).seconds == pytest.approx(0.3)
    assert policies("baeldung", {"level": 1}).seconds == pytest.approx(0.06)
    trace = mv.search("tic_tac_toe", "baeldung", level=1, seed=1)
    assert trace.meta["budget"]["seconds"] == pytest.approx(0.06)
    for wrong, message in (
        ({"preset": "uct", "level": 2}, "level = 2 is for preset baeldung"),
        ({"preset": "baeldung", "level": 0}, "level = 0 is not a whole number"),
        ({"preset": "baeldung", "level": 2, "seconds": 1}, "leave it out, or iterations"),
    ):
        with pytest.raises(mv.SearchError, match=message):
            mv.search("tic_tac_toe", **wrong)
