"""A trace of a finished mctx tree tells every simulation that made it, with mctx's own numbers."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mcts_viz as mv
from tests.recording.mctx_searches import BATCH, _compiled, run
from tests.variants import few, in_turn

N, FEWER = 24, 11
POLICIES = ("muzero_policy", "gumbel_muzero_policy")
KINDS = {"two players": (-1.0, False), "rewards": (0.9, True), "discount": (0.97, False),
         "two players, discount": (-0.95, False)}  # fmt: skip


def assert_is_tree(snapshot: mv.Snapshot, tree: Any, number: int, sign: int) -> None:
    """All nodes, visits and Q-values are those of the tree."""
    n = len(snapshot)
    parent, action = (
        np.asarray(column[number])[1:n] for column in (tree.parents, tree.action_from_parent)
    )
    assert snapshot.parent[1:].tolist() == parent.tolist()
    assert snapshot.action[1:].tolist() == action.tolist()
    assert snapshot.visits.tolist() == np.asarray(tree.node_visits[number])[:n].tolist()
    q = np.asarray(tree.children_rewards + tree.children_discounts * tree.children_values)[number]
    np.testing.assert_allclose(snapshot.mean_value[1:], q[parent, action], rtol=1e-4, atol=1e-5)
    root = sign * float(tree.node_values[number, 0])
    np.testing.assert_allclose(snapshot.mean_value[0], root, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(("kind", "policy"), in_turn(KINDS, POLICIES, 2))
def test_the_last_snapshot_is_the_tree(policy: str, kind: str) -> None:
    discount, rewards = KINDS[kind]
    output = run(policy, N, 3, discount, rewards)
    traces = mv.from_mctx(output)
    assert len(traces) == BATCH
    for number, trace in enumerate(traces):
        assert_is_tree(trace.at(N), output.search_tree, number, -1 if discount < 0 else 1)
        assert trace.meta["policies"]["selection"]["name"] == policy.removesuffix("_policy")
        assert len(trace.meta["players"]) == (2 if discount < 0 else 1)
        assert trace.meta.get("discount", 1.0) == abs(discount)
        assert trace.meta.get("step_rewards", False) is rewards
        assert "terminal" in trace.meta["not_observed"]
        assert trace.at(N).prior[1:].min() > 0


def test_a_batch_goes_into_one_file(tmp_path: Path) -> None:
    with mv.ManyWriter(tmp_path / "a.many") as many:
        traces = mv.from_mctx(run("muzero_policy", N, 5, *KINDS[next(iter(KINDS))]), into=many)
    for found, trace in zip(mv.ManyTraces(tmp_path / "a.many"), traces, strict=True):
        assert found.meta == trace.meta
        assert found.at(N).visits.tolist() == trace.at(N).visits.tolist()


@pytest.mark.parametrize("kind", few(KINDS))
def test_every_simulation_is_the_one_that_mctx_made(kind: str) -> None:
    """A search of fewer simulations with the same key is the beginning of the longer one."""
    discount, rewards = KINDS[kind]
    traces = mv.from_mctx(run("muzero_policy", N, 5, discount, rewards))
    shorter = run("muzero_policy", FEWER, 5, discount, rewards).search_tree
    for number, trace in enumerate(traces):
        assert_is_tree(trace.at(FEWER), shorter, number, -1 if discount < 0 else 1)


def test_the_root_is_evaluated_before_the_first_simulation() -> None:
    output = run("muzero_policy", N, 1)
    trace = mv.from_mctx(output)[0]
    assert trace.n_iterations == N
    assert trace.at(0).visits.tolist() == [1]
    assert trace.at(0).value_sum[0] == -float(output.search_tree.raw_values[0, 0])


@pytest.mark.thorough
def test_simulations_that_end_in_an_old_node_leave_the_tree_as_a_whole() -> None:
    output = run("muzero_policy", N, 1, depth=2)
    trace = mv.from_mctx(output)[1]
    assert (trace.n_iterations, trace.meta["kind"]) == (1, "snapshot")
    made = np.flatnonzero(np.asarray(output.search_tree.node_visits[1]))
    assert trace.at(1).visits.tolist() == output.search_tree.node_visits[1][made].tolist()
    assert "max_depth" in trace.meta["notes"][0]


def test_files_labels_and_positions(tmp_path: Path) -> None:
    labels = ["left", "stay", "right"]
    traces = mv.from_mctx(
        run("gumbel_muzero_policy", N, 2).search_tree, tmp_path / "a.mcts", players=("A", "B"),
        action_labels=labels, state=lambda search, node: f"position {search}:{node}",
    )  # fmt: skip
    for number, trace in enumerate(traces):
        opened = mv.open(tmp_path / f"a-{number + 1}.mcts")
        assert opened.complete
        assert opened.at(N).visits.tolist() == trace.at(N).visits.tolist()
        assert opened.at(N).state(3) == f"position {number}:3"
        assert opened.at(N).label(3) in labels


def test_what_is_no_tree_is_refused() -> None:
    with pytest.raises(
        mv.TraceError, match="dict is no search tree of mctx: it has no node_visits"
    ):
        mv.from_mctx({})
    one = run("muzero_policy", FEWER, 1).search_tree
    with pytest.raises(mv.TraceError, match="a batch of searches has two axes"):
        mv.from_mctx(one.replace(node_visits=one.node_visits[0]))


@pytest.mark.parametrize("policy", POLICIES)
def test_scores_explain_every_choice_and_the_move_is_that_of_the_policy(policy: str) -> None:
    output = run(policy, N, 4)
    for number, trace in enumerate(mv.from_mctx(output)):
        assert [finding.check for finding in trace.check()] == ["selection-rule"]
        assert f"{policy.removesuffix('_policy')} explains all" in trace.check()[0].message
        assert np.isfinite(trace.at(5).uct[1:]).any()
        if policy == "gumbel_muzero_policy":
            assert trace.best_action == int(output.action[number])


def test_wrong_options_are_no_silent_scores() -> None:
    output = run("gumbel_muzero_policy", N, 4)
    findings = mv.from_mctx(output, options={"max_num_considered_actions": 2})[0].check()
    assert "selection-halving" in {finding.check for finding in findings}


def test_mctx_is_watched_inside_compiled_functions(tmp_path: Path) -> None:
    _compiled.cache_clear()
    with mv.watch_mctx(tmp_path / "a.many") as watched:
        outputs = [run("gumbel_muzero_policy", N, seed) for seed in (1, 2)]
    _compiled.cache_clear()
    run("gumbel_muzero_policy", N, 3)  # after the block nobody listens
    assert len(watched.traces) == 2 * BATCH
    assert_is_tree(watched.trace.at(N), outputs[1].search_tree, BATCH - 1, -1)
    assert len(mv.ManyTraces(tmp_path / "a.many")) == 2 * BATCH
    with (
        pytest.raises(mv.TraceError, match="no policy of mctx was seen in the block"),
        mv.watch_mctx(),
    ):
        pass
