"""mctx (DeepMind's search in JAX): the trees that its policies return, simulation by simulation.

A finished tree tells how it grew: node i was made by simulation i, and what that simulation added to
the nodes above it follows from its raw value, the rewards and the discounts on the way. So everything
is derived from arrays, and needs neither mctx nor JAX. mctx counts in float32; the sums here are
exact, so means agree to about six digits.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mcts_viz.errors import TraceError
from mcts_viz.recording.recording import AnyTrace, TraceMaker
from mcts_viz.recording.whole_trace import base_meta, value_range, whole_trace
from mcts_viz.trace.asides import PlayedMove
from mcts_viz.trace.format import Rows
from mcts_viz.trace.many_writer import ManyWriter, checked_many
from mcts_viz.trace.meta import TraceMeta
from mcts_viz.trace.rows import RowLog
from mcts_viz.trace.sibling_choices import compared, sibling_choices
from mcts_viz.trace.sibling_terms import EVALUATION, GUMBEL, sibling_terms
from mcts_viz.trace.software import software
from mcts_viz.trace.trace import root_columns
from mcts_viz.types import Document, Floats, Ints, Numbers, ReadDocument

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
SAMPLED = "sampled_by_visits"  # `muzero_policy` draws its move, by a temperature
NO_OPTIONS = (
    "What the policy was called with is not known, and mctx's own numbers do not explain its choices: no selection "
    "scores. Give them: from_mctx(output, options={'max_num_considered_actions': 8}), or use watch_mctx."
)
# transformation of values that a policy uses unless it is given another one
TRANSFORMS = {
    "muzero": "qtransform_by_parent_and_siblings",
    "gumbel_muzero": "qtransform_completed_by_mix_value",
}
# names of mctx's keywords, and ours
OPTIONS = {"pb_c_init": "c_init", "pb_c_base": "c_base"}
TRANSFORM_OPTIONS = {
    "value_scale": "value_scale", "maxvisit_init": "visit_offset", "rescale_values": "rescale",
    "use_mixed_value": "mixed",
}  # fmt: skip
StateText = Callable[[int, int], str]  # of a search of the batch, and a node


class SearchTree(NamedTuple):
    """One tree of a batch as numpy arrays; N nodes, A actions."""

    visits: npt.NDArray[np.int64]  # [N] 0: no node
    raw_value: Floats  # [N] the network's, view of the player to move
    value: Floats  # [N] mean, the same view
    parent: npt.NDArray[np.int64]  # [N]
    action: npt.NDArray[np.int64]  # [N]
    prior: Floats  # [N, A] of the moves at each node
    gumbel: Floats | None  # [A] noise of the root's moves, where the policy draws such
    n_valid: int  # moves that the root has
    reward: Floats  # [N, A] of the moves at each node
    discount: Floats  # [N, A] −1 where the other side moves next; 0 at the end of an episode


def from_mctx(
    trace: TraceMaker[AnyTrace],
    /,
    tree: object,
    path: str | Path | None = None,
    *,
    into: ManyWriter | None = None,
    players: Sequence[str] | None = None,
    game: str = "mctx",
    action_labels: Sequence[str] | None = None,
    state: StateText | None = None,
    options: ReadDocument | None = None,
) -> list[AnyTrace]:
    """The searches of a batch that a policy of mctx has run, from its output or its `search_tree`.

    path: a file; run-1.mcts, run-2.mcts, … where the batch has several searches. into: a
    file of many searches, to which they are added. players: two names,
    or one for a search without an opponent; without it there are two where a discount is negative.
    state: the text of a position, from the number of the search and of the node. options: keywords that the policy was
    called with, such as max_num_considered_actions or pb_c_init; without, those of mctx are tried, and scores are
    shown if they explain the choices. Raises TraceError for what is no search tree.
    """
    into = checked_many(into)
    played = getattr(tree, "action", None) if hasattr(tree, "search_tree") else None
    columns = _arrays(getattr(tree, "search_tree", tree))
    trees = [_one(columns, number) for number in range(len(columns["node_visits"]))]
    name = "muzero" if trees[0].gumbel is None else "gumbel_muzero"
    found: list[AnyTrace] = []
    siblings = rule_settings(name, trees[0], options)
    for number, one in enumerate(trees):
        text = None if state is None else (lambda node, number=number: state(number, node))
        told, rows = trace_rows(one, players, text)
        selection: Document = {"name": name}
        told = {
            **base_meta(game, "mcts_viz.from_mctx", software()), **told,
            "action_labels": None if action_labels is None else list(action_labels),
            "policies": {"selection": selection, "simulation": {"name": "value"},
                         "final_move": {"name": name if one.gumbel is not None else SAMPLED}},
            **({"slot": number} if len(trees) > 1 else {}),
        }  # fmt: skip
        if siblings is not None and told["kind"] == "trace":
            considered = min(siblings["considered"], one.n_valid)
            selection["siblings"] = {**siblings, "considered": considered}
            if number == 0 and options is None and not _explains(told, rows):
                siblings = None
                del selection["siblings"]
        if siblings is None:
            told["notes"] += [NO_OPTIONS]
        if played is not None:
            rows.asides.played.append(PlayedMove(rows.n - 1, 0, int(np.asarray(played)[number])))
        found.append(whole_trace(told, rows, _path(path, number, len(trees)), trace))
        if into is not None:
            into.append(found[-1])
    return found


def rule_settings(name: str, tree: SearchTree, options: ReadDocument | None) -> Document | None:
    """The numbers of the policy's rule, from the keywords it was called with; None where it has a transformation of
    values that is not known here."""
    told = dict(options or {})
    given = told.get("qtransform")
    transform: Document = {}
    while isinstance(given, functools.partial):
        if given.args:
            return None
        transform = {**given.keywords, **transform}
        given = given.func
    if given is not None and getattr(given, "__name__", "") != TRANSFORMS[name]:
        return None
    settings: Document = {
        "actions": tree.prior.shape[1],
        "simulations": len(tree.visits) - 1,
        "considered": int(told.get("max_num_considered_actions", 16)),
        **{ours: float(told[theirs]) for theirs, ours in OPTIONS.items() if theirs in told},
    }
    for theirs, ours in TRANSFORM_OPTIONS.items():
        if theirs in transform:
            settings[ours] = transform[theirs]
    return settings


def _explains(meta: ReadDocument, rows: Rows) -> bool:
    """Whether the rule explains all choices of the search."""
    document = TraceMeta(meta, "the search of mctx")
    columns = root_columns(document)
    columns.append(rows)
    terms = functools.partial(sibling_terms, document)
    choices = sibling_choices(document, columns)
    return all(compared(choice, terms).is_explained for choice in choices)


def _arrays(tree: object) -> dict[str, Numbers]:
    missing = [name for name in FIELDS if not hasattr(tree, name)]
    if missing:
        raise TraceError(
            f"{type(tree).__name__} is no search tree of mctx: it has no {', '.join(missing)}; give the `search_tree` "
            "of a policy's output, or the output itself"
        )
    columns = {name: np.asarray(getattr(tree, name)) for name in FIELDS}
    extra = getattr(tree, "extra_data", tree)
    for name, found in (
        ("root_gumbel", getattr(extra, "root_gumbel", None)),
        ("invalid", getattr(tree, "root_invalid_actions", None)),
    ):
        if found is not None:
            columns[name] = np.asarray(found)
    if columns["node_visits"].ndim != 2:
        raise TraceError(
            f"node_visits has the shape {columns['node_visits'].shape}; a batch of searches has two axes, searches and "
            "nodes: give the tree as the policy returns it"
        )
    return columns


def _one(columns: dict[str, Numbers], number: int) -> SearchTree:
    at = {name: column[number] for name, column in columns.items()}
    return SearchTree(
        visits=at["node_visits"].astype(np.int64),
        raw_value=at["raw_values"].astype(np.float64),
        value=at["node_values"].astype(np.float64),
        parent=at["parents"].astype(np.int64),
        action=at["action_from_parent"].astype(np.int64),
        prior=_softmax(at["children_prior_logits"].astype(np.float64)),
        gumbel=at["root_gumbel"].astype(np.float64) if "root_gumbel" in at else None,
        n_valid=int((at["invalid"] == 0).sum())
        if "invalid" in at
        else at["children_prior_logits"].shape[-1],
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
) -> tuple[Document, Rows]:
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
        log.tell_number(0, EVALUATION, float(tree.raw_value[0]))
        for node in range(1, n_nodes):
            values += _log_simulation(log, tree, node, two, state)
    sizes = np.unique(np.abs(discounts[discounts != 0]))
    values_seen = value_range(min(values), max(values), two)
    meta: Document = {
        "root": {"to_move": 0, "state": None if state is None else state(0)},
        "players": list(players) if players else ["player 0", "player 1"] if two else ["agent"],
        "value_range": values_seen,
        "reward_range": values_seen,
        "inherited": None if whole else {"visits": 1, "nodes": 1},
        "budget": {"iterations": n_simulations, "seconds": None},
        "not_observed": NOT_OBSERVED,
        "notes": [AS_A_WHOLE.format(n=n_simulations + 1 - n_nodes) if whole else DERIVED],
    }
    if whole:
        meta |= {"kind": "snapshot", "snapshot_iteration": n_simulations}
    if len(sizes) and (len(sizes) > 1 or sizes[0] != 1.0 or (discounts == 0).any()):
        meta |= {"discount": _short(sizes[0]) if len(sizes) == 1 else None}
    if (rewards != 0).any():
        meta |= {"step_rewards": True}
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
    log.add_to_node("prior", float(tree.prior[parent, action]))
    if state is not None:
        log.add_to_node("state", state(node))
    return path


def _log_simulation(
    log: RowLog, tree: SearchTree, node: int, two: bool, state: Callable[[int], str] | None
) -> list[float]:
    """Log the simulation that made the node; the values that it added, leaf first."""
    path = _log_node(log, tree, node, two, state)
    value = float(tree.raw_value[node])
    log.tell_number(node, EVALUATION, value)
    if tree.gumbel is not None and tree.parent[node] == 0:
        log.tell_number(node, GUMBEL, float(tree.gumbel[tree.action[node]]))
    outcome = -value if two and len(path) % 2 == 0 else value
    added = []
    for below in path[:-1]:  # in the view of the player who moved into each
        edge = (int(tree.parent[below]), int(tree.action[below]))
        value = float(tree.reward[edge] + tree.discount[edge] * value)
        added.append(value)
    log.updates += (0, 1, _root_view(value, two))
    for below, value in zip(reversed(path[:-1]), reversed(added)):
        log.updates += (below, 1, value)
    log.end_iteration(node, 0, outcome=outcome)
    return added


def _log_as_a_whole(
    log: RowLog, tree: SearchTree, made: Ints, two: bool, state: Callable[[int], str] | None
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
