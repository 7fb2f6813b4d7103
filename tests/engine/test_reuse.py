"""Trees kept between moves: the subtree is the old one's, and the next trace is exact from t = 0."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mcts_viz as mv
from mcts_viz.engine.reuse import node_after, subtree
from mcts_viz.engine.search import Search, run
from mcts_viz.engine.tree import Tree, branch_of_node
from mcts_viz.runs.recorder import Recorder
from mcts_viz.views.timeline import RootReplay
from tests.engine.live import same
from tests.engine.test_compilation import assert_same_trace
from tests.searches import prepare, tree_columns
from tests.variants import few

KINDS: list[dict[str, Any]] = [
    {"preset": "uct"},
    {"preset": "rhu2001"},
    {"preset": "baeldung"},
    {"preset": "alphazero"},
    {"preset": "tech_io", "solver": True},
]
every_kind = pytest.mark.parametrize(
    "kind", KINDS, ids=lambda kind: "-".join(map(str, kind.values()))
)
every_game = pytest.mark.parametrize("name", few(["tic_tac_toe", "connect_four"]))
MOVES = [4, 3]


def first_search(name: str, kind: dict[str, Any], **options: Any) -> Tree:
    return run(
        prepare(name, **{"iterations": 3_000, "seed": 3, "compile": False, **kind, **options})
    )


def next_search(name: str, kind: dict[str, Any], **options: Any) -> Search:
    chosen: dict[str, Any] = {"iterations": 150, "seed": 4, "compile": False, "start": MOVES}
    return prepare(name, **{**chosen, **kind, **options})


def recorded(plan: Search, kept: Tree, path: Path | None = None) -> mv.Trace:
    with Recorder(plan, path, kept) as recorder:
        run(plan, recorder, reused=kept)
    return recorder.trace(mv.Trace)


def kept_tree(name: str, kind: dict[str, Any], **options: Any) -> Tree:
    tree = first_search(name, kind, **options)
    node = node_after(tree, MOVES)
    assert node is not None
    return subtree(tree, node)


@every_kind
@every_game
def test_a_subtree_has_the_nodes_below_with_their_statistics(
    name: str, kind: dict[str, Any]
) -> None:
    tree = first_search(name, kind)
    before = {column: values.copy() for column, values in tree_columns(tree).items()}
    root = node_after(tree, MOVES)
    assert root is not None
    below = subtree(tree, root)
    for column, values in tree_columns(tree).items():
        assert same(values, before[column])
    inside = [root]
    for v in range(root + 1, int(tree.size[0])):
        if int(tree.parent[v]) in inside:
            inside.append(v)
    assert int(below.size[0]) == len(inside)
    into, into_old = branch_of_node(below), branch_of_node(tree)
    for new, old in enumerate(inside):
        for column in ("to_move", "outcome", "proven", "visits", "value_sum"):
            assert same(getattr(below, column)[new], getattr(tree, column)[old]), column
        above, above_old = into[new], into_old[old]
        for column in ("weight", "n_children", "n_untried"):
            assert same(getattr(below, column)[above], getattr(tree, column)[above_old]), column
        if new:
            assert inside[below.parent[new]] == tree.parent[old]
            assert below.action[new] == tree.action[old]
            assert same(below.prior[new], tree.prior[old])
        n = int(tree.n_children[above_old]) + max(int(tree.n_untried[above_old]), 0)
        if not tree.n_children[above_old]:
            continue
        mine, theirs = int(below.first_branch[above]), int(tree.first_branch[above_old])
        for k in range(n):
            assert below.branch_action[mine + k] == tree.branch_action[theirs + k]
            if k < tree.n_children[above_old]:
                assert inside[below.branch_child[mine + k]] == tree.branch_child[theirs + k]
                for column in ("branch_value", "branch_width", "branch_squares"):
                    assert same(getattr(below, column)[mine + k], getattr(tree, column)[theirs + k])
    assert (below.parent[0], below.action[0]) == (-1, -1)


@every_kind
@every_game
def test_a_search_that_goes_on_with_a_tree_is_recorded_from_its_beginning(
    name: str, kind: dict[str, Any], tmp_path: Path
) -> None:
    plan = next_search(name, kind)
    inherited = kept_tree(name, kind)
    trees = []
    kept = kept_tree(name, kind)

    def copy(chunk: Any) -> None:
        trees.append(
            (chunk.first + chunk.n, {k: v.copy() for k, v in tree_columns(chunk.tree).items()})
        )

    run(plan, copy, reused=kept)
    trace = recorded(plan, kept_tree(name, kind), tmp_path / "run.mcts")
    opened = mv.open(tmp_path / "run.mcts")
    assert_same_trace(opened, trace)
    assert trace.meta["inherited"] == {
        "visits": int(inherited.visits[0]), "nodes": int(inherited.size[0]),
    }  # fmt: skip
    for now, tree in [(opened.at(0), tree_columns(inherited))] + [
        (opened.at(t), c) for t, c in trees
    ]:
        for column in ("parent", "action", "to_move", "prior", "outcome", "visits", "value_sum"):
            assert same(getattr(now, column), tree[column]), (now.iteration, column)
        assert same(now.proven, tree["proven"])
    assert len(trees) > 2
    assert np.all(opened.at(0).born == 0)
    t = opened.n_iterations
    assert opened.at(t).visits[0] == inherited.visits[0] + t
    assert same(opened.at(0).visits, opened.at(0).visits)  # back from the end


@every_game
def test_history_begins_with_what_was_inherited(name: str) -> None:
    inherited = kept_tree(name, KINDS[0])
    trace = recorded(next_search(name, KINDS[0]), kept_tree(name, KINDS[0]))
    for node in range(20):
        history = trace.history(node)
        assert history.visits[0] == inherited.visits[node]
        assert history.value_sum[0] == inherited.value_sum[node]
        for t in (0, 1, 77, 150):
            assert history.visits[t] == trace.at(t).visits[node]
            assert history.value_sum[t] == trace.at(t).value_sum[node]


@pytest.mark.parametrize("kind", few(KINDS), ids=str)
@pytest.mark.parametrize("name", few(["tic_tac_toe", "connect_four"]))
def test_compiled_and_interpreted_searches_go_on_alike(name: str, kind: dict[str, Any]) -> None:
    slow = recorded(next_search(name, kind), kept_tree(name, kind))
    fast = recorded(next_search(name, kind, compile=True), kept_tree(name, kind, compile=True))
    assert_same_trace(fast, slow)


@every_game
def test_the_scores_compared_are_exact_from_the_first_iteration(name: str) -> None:
    for kind in KINDS:
        trace = recorded(next_search(name, kind), kept_tree(name, kind))
        for t in range(1, trace.n_iterations + 1):
            for found in trace.iteration(t).comparisons:
                first = found.children[int(np.argmax(found.scores))]
                latest = trace.meta["policies"]["selection"]["ties"] == "latest"
                assert found.chosen == first or (latest and first in found.ties), (kind, t)


def test_the_root_moves_of_the_page_begin_with_what_was_inherited() -> None:
    trace = recorded(next_search("tic_tac_toe", KINDS[0]), kept_tree("tic_tac_toe", KINDS[0]))
    leaders = RootReplay(trace.columns, trace.meta, trace.n_iterations).leaders(
        0, trace.n_iterations
    )
    for t in range(0, trace.n_iterations + 1, 10):
        assert trace.columns.nodes.action[leaders[t]] == trace.at(t).best_action


def test_a_move_that_the_tree_does_not_have_leads_nowhere() -> None:
    tree = run(prepare("connect_four", iterations=3, seed=1, compile=False))
    tried = set(tree.action[1:4].tolist())
    assert node_after(tree, []) == 0
    assert node_after(tree, [min(set(range(7)) - tried)]) is None
    assert node_after(tree, [int(tree.action[1]), 0]) is None
