"""A trace of a finished mctx tree tells every simulation that made it, with mctx's own numbers."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mcts_viz as mv
from tests.adapters.mctx_searches import BATCH, run

N = 24
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


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("policy", POLICIES)
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


@pytest.mark.parametrize("kind", KINDS)
def test_every_simulation_is_the_one_that_mctx_made(kind: str) -> None:
    """A search of fewer simulations with the same key is the beginning of the longer one."""
    discount, rewards = KINDS[kind]
    traces = mv.from_mctx(run("muzero_policy", N, 5, discount, rewards))
    for n in (1, 2, 11):
        shorter = run("muzero_policy", n, 5, discount, rewards).search_tree
        for number, trace in enumerate(traces):
            assert_is_tree(trace.at(n), shorter, number, -1 if discount < 0 else 1)


def test_the_root_is_evaluated_before_the_first_simulation() -> None:
    output = run("muzero_policy", N, 1)
    trace = mv.from_mctx(output)[0]
    assert trace.n_iterations == N
    assert trace.at(0).visits.tolist() == [1]
    assert trace.at(0).value_sum[0] == -float(output.search_tree.raw_values[0, 0])


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
    one = run("muzero_policy", 1, 1).search_tree
    with pytest.raises(mv.TraceError, match="a batch of searches has two axes"):
        mv.from_mctx(one.replace(node_visits=one.node_visits[0]))
