"""mctx (DeepMind's search in JAX): the trees that its policies return, simulation by simulation.

A finished tree tells how it grew: node i was made by simulation i, and what that simulation added to
the nodes above it follows from its raw value, the rewards and the discounts on the way. So everything
is derived from arrays, and needs neither mctx nor JAX. mctx counts in float32; the sums here are
exact, so means agree to about six digits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mcts_viz.adapters.recording import AnyTrace, TraceMaker
from mcts_viz.adapters.row_log import RowLog
from mcts_viz.adapters.whole_trace import base_meta, value_range, whole_trace
from mcts_viz.errors import TraceError
from mcts_viz.trace.format import Rows

FIELDS = (
    "node_visits", "raw_values", "node_values", "parents", "action_from_parent",
    "children_prior_logits", "children_rewards", "children_discounts",
)  # fmt: skip
NOT_OBSERVED = ["rollout", "elapsed", "terminal", "the action chosen"]
DERIVED = (
    "mctx returns the finished tree. Its simulations were derived from it: node i was made by simulation i; values "
    "come from the raw value of its leaf, the rewards and the discounts on its path."
)
AS_A_WHOLE = (
    "{n} simulations ended at max_depth in a node that was there already, and the tree does not tell in which; so it "
    "is here as a whole, without its history."
)

Floats = npt.NDArray[np.float64]
StateText = Callable[[int, int], str]  # of a search of the batch, and a node


class SearchTree(NamedTuple):
    """One tree of a batch as numpy arrays; N nodes, A actions."""

    visits: npt.NDArray[np.int64]  # [N] 0: no node
    raw_value: Floats  # [N] the network's, view of the player to move
    value: Floats  # [N] mean, the same view
    parent: npt.NDArray[np.int64]  # [N]
    action: npt.NDArray[np.int64]  # [N]
    prior: Floats  # [N, A] of the moves at each node
    reward: Floats  # [N, A] of the moves at each node
    discount: Floats  # [N, A] −1 where the other side moves next; 0 at the end of an episode


def traces_of(
    tree: Any,
    path: str | Path | None,
    trace: TraceMaker[AnyTrace],
    software: dict[str, str],
    players: Sequence[str] | None = None,
    game: str = "mctx",
    labels: Sequence[str] | None = None,
    state: StateText | None = None,
) -> list[AnyTrace]:
    """A trace for each search of the batch. Raises TraceError for what is no such tree."""
    tree = getattr(tree, "search_tree", tree)
    columns = _arrays(tree)
    n_searches = len(columns["node_visits"])
    name = (
        "gumbel_muzero" if hasattr(getattr(tree, "extra_data", None), "root_gumbel") else "muzero"
    )
    found = []
    for number in range(n_searches):
        one = _one(columns, number)
        text = None if state is None else (lambda node, number=number: state(number, node))
        meta, rows = trace_rows(one, players, text)
        meta = {
            **base_meta(game, "mcts_viz.from_mctx", software), **meta,
            "action_labels": None if labels is None else list(labels),
            "policies": {"selection": {"name": name}, "simulation": {"name": "value"},
                         "final_move": {"name": "most_visits"}},
        }  # fmt: skip
        meta["game"] = {**meta["game"], "n_actions": one.prior.shape[1]}
        found.append(whole_trace(meta, rows, _path(path, number, n_searches), trace))
    return found


def _arrays(tree: Any) -> dict[str, npt.NDArray[Any]]:
    missing = [name for name in FIELDS if not hasattr(tree, name)]
    if missing:
        raise TraceError(
            f"{type(tree).__name__} is no search tree of mctx: it has no {', '.join(missing)}; give the `search_tree` "
            "of a policy's output, or the output itself"
        )
    columns = {name: np.asarray(getattr(tree, name)) for name in FIELDS}
    if columns["node_visits"].ndim != 2:
        raise TraceError(
            f"node_visits has the shape {columns['node_visits'].shape}; a batch of searches has two axes, searches and "
            "nodes: give the tree as the policy returns it"
        )
    return columns


def _one(columns: dict[str, npt.NDArray[Any]], number: int) -> SearchTree:
    at = {name: column[number] for name, column in columns.items()}
    return SearchTree(
        visits=at["node_visits"].astype(np.int64),
        raw_value=at["raw_values"].astype(np.float64),
        value=at["node_values"].astype(np.float64),
        parent=at["parents"].astype(np.int64),
        action=at["action_from_parent"].astype(np.int64),
        prior=_softmax(at["children_prior_logits"].astype(np.float64)),
        reward=at["children_rewards"].astype(np.float64),
        discount=at["children_discounts"].astype(np.float64),
    )


def _softmax(logits: Floats) -> Floats:
    with np.errstate(invalid="ignore"):  # −inf throughout where a node was never made
        weights = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=-1, keepdims=True))


def _path(path: str | Path | None, number: int, n_searches: int) -> Path | None:
    """run.mcts; run-1.mcts, run-2.mcts where there are several."""
    if path is None or n_searches == 1:
        return None if path is None else Path(path)
    return Path(path).with_stem(f"{Path(path).stem}-{number + 1}")


def trace_rows(
    tree: SearchTree,
    players: Sequence[str] | None = None,
    state: Callable[[int], str] | None = None,
) -> tuple[dict[str, Any], Rows]:
    """What the metadata say of one tree, and the rows of its trace."""
    made = np.flatnonzero(tree.visits > 0)
    n_nodes, n_simulations = len(made), len(tree.visits) - 1
    edges = (tree.parent[made[1:]], tree.action[made[1:]])
    discounts, rewards = tree.discount[edges], tree.reward[edges]
    two = len(players) == 2 if players is not None else bool((discounts < 0).any())
    whole = n_nodes <= n_simulations
    log, values = RowLog(), [float(tree.raw_value[0])]
    if whole:
        _log_as_a_whole(log, tree, made, two, state)
    else:
        # the root is evaluated before the first simulation
        log.updates += (0, 1, _root_view(float(tree.raw_value[0]), two))
        log.end_iteration(0, 0)
        for node in range(1, n_nodes):
            values += _log_simulation(log, tree, node, two, state)
    sizes = np.unique(np.abs(discounts[discounts != 0]))
    meta: dict[str, Any] = {
        "root": {"to_move": 0, "state": None if state is None else state(0)},
        "players": list(players) if players else ["player 0", "player 1"] if two else ["agent"],
        "value_range": value_range(min(values), max(values), two),
        "inherited": None if whole else {"visits": 1, "nodes": 1},
        "budget": {"iterations": n_simulations, "seconds": None},
        "not_observed": NOT_OBSERVED,
        "notes": [AS_A_WHOLE.format(n=n_simulations + 1 - n_nodes) if whole else DERIVED],
    }
    meta["reward_range"] = meta["value_range"]
    if whole:
        meta |= {"kind": "snapshot", "snapshot_iteration": n_simulations}
    if len(sizes) and (len(sizes) > 1 or sizes[0] != 1.0 or (discounts == 0).any()):
        meta["discount"] = _short(sizes[0]) if len(sizes) == 1 else None
    if (rewards != 0).any():
        meta["step_rewards"] = True
    return meta, log.take()


def _short(number: float) -> float:
    """The shortest decimal number that is the same in float32: 0.99, not 0.9900000095."""
    return float(str(np.float32(number)))


def _root_view(value: float, two: bool) -> float:
    """A value in the view of the player to move at the root, as a trace keeps the root's."""
    return -value if two else value


def _log_node(
    log: RowLog, tree: SearchTree, node: int, two: bool, state: Callable[[int], str] | None
) -> list[int]:
    """Log a new node; the path to it, the node first."""
    path = [node]
    while path[-1]:
        path.append(int(tree.parent[path[-1]]))
    parent, action = path[1], int(tree.action[node])
    log.nodes += (parent, action, (len(path) - 1) % 2 if two else 0)
    log.prior.append(float(tree.prior[parent, action]))
    if state is not None:
        log.state.append(state(node))
    return path


def _log_simulation(
    log: RowLog, tree: SearchTree, node: int, two: bool, state: Callable[[int], str] | None
) -> list[float]:
    """Log the simulation that made the node; the values that it added, leaf first."""
    path = _log_node(log, tree, node, two, state)
    value = float(tree.raw_value[node])
    outcome = -value if two and len(path) % 2 == 0 else value
    added = []
    for below in path[:-1]:  # in the view of the player who moved into each
        edge = (int(tree.parent[below]), int(tree.action[below]))
        value = float(tree.reward[edge] + tree.discount[edge] * value)
        added.append(value)
    log.updates += (0, 1, _root_view(value, two))
    for below, value in zip(reversed(path[:-1]), reversed(added)):
        log.updates += (below, 1, value)
    log.end_iteration(node, 0, outcome)
    return added


def _log_as_a_whole(
    log: RowLog, tree: SearchTree, made: Any, two: bool, state: Callable[[int], str] | None
) -> None:
    """One iteration that makes all nodes with all their statistics, numbered afresh."""
    number = {int(node): place for place, node in enumerate(made)}
    log.updates += (0, int(tree.visits[0]), _root_view(float(tree.value[0] * tree.visits[0]), two))
    for node in made[1:].tolist():
        _log_node(log, tree, node, two, state)
        log.nodes[-3] = number[int(tree.parent[node])]
        edge = (int(tree.parent[node]), int(tree.action[node]))
        mean = float(tree.reward[edge] + tree.discount[edge] * tree.value[node])
        visits = int(tree.visits[node])
        log.updates += (number[node], visits, mean * visits)
    log.end_iteration(0, 0)
