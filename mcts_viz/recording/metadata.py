"""The metadata document of a recording: what is known about a foreign search, and what is
not.

Written before the first iteration, so it says nothing that only happens later. Knows the trace
format; what concerns a built-in game comes in from above.
"""

from __future__ import annotations

import datetime
import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from mcts_viz.recording.fields import NodeFields
from mcts_viz.recording.values import Values
from mcts_viz.recording.watched_node import shared_key
from mcts_viz.recording.watched_tree import WatchedTree
from mcts_viz.trace.asides import LATE
from mcts_viz.trace.format import (
    CHANCE_VERSION,
    FIELDS_VERSION,
    FORMAT_VERSION,
    PLAYERS_VERSION,
    document_of,
)
from mcts_viz.trace.meta import TraceMeta
from mcts_viz.trace.players import UNKNOWN
from mcts_viz.trace.states import GRID, TEXT

PLAYERS = ("player 0", "player 1")
SOUGHT = (
    "to_move",
    "prior",
    "reward",
    "label",
    "state",
)  # fields of which a note says where they never came
FURTHER_WAYS = (
    "Each way to a node with several parents has a row of its own with the visits and values of that way; the node's "
    "children are below the first."
)
DERIVED_WAYS = (
    "A node with several parents is recorded once. Each further way to it has a row of its own with the visits and "
    "values that came that way, which are derived: an iteration is a path over the nodes that it changed."
)
ON_THE_PATH = (
    "Only children of nodes whose visits changed were looked at; a change anywhere else shows as soon as the visits "
    "of its parent change."
)


class GameFacts(NamedTuple):
    """What a trace says about the game."""

    game: Mapping[str, Any]  # name, and for a built-in one title, parameters, n_actions
    start: Sequence[int] = ()  # action ids from the game's first position to the root
    action_labels: Sequence[str] | None = None
    players: Sequence[str] = PLAYERS  # names; that of one who plays alone
    reward_range: tuple[float, float] = (-1.0, 1.0)
    discount: float | None = None  # by which a value shrinks from a node to its parent
    state_format: str | None = None  # None: a grid where states are rows of cells, else text
    step_rewards: bool = False  # whether there are rewards on the way, not at the end alone


def foreign_meta(
    tree: WatchedTree,
    fields: NodeFields,
    values: Values,
    facts: GameFacts,
    policies: Mapping[str, Any],
    thorough: bool,
    software: Mapping[str, str],
    unturned: bool = False,
) -> TraceMeta:
    """The metadata; `not_observed` lists outcome and rollout until the first ones come. unturned: whether the tree was
    kept with values in the view of the root before."""
    content = {
        "kind": "trace",
        "format_version": _version(tree, fields),
        "game": {"parameters": {}, "n_actions": None, **facts.game},
        "start": list(facts.start),
        "root": {
            "to_move": tree.root.to_move,
            "state": tree.root_state,
            "outcome": tree.root_outcome,
        },
        "action_labels": None if facts.action_labels is None else list(facts.action_labels),
        "players": list(facts.players),
        "reward_range": list(facts.reward_range),
        "value_range": [values.low, values.high],
        **({} if facts.discount is None else {"discount": facts.discount}),
        **({"step_rewards": True} if facts.step_rewards else {}),
        **({} if tree.player_values is None else {"player_values": True}),
        **_written_in(tree, facts.state_format),
        **_shared(fields),
        "policies": dict(policies),
        "seed": None,
        "budget": {"iterations": None, "seconds": None},
        "recorded_by": "mcts_viz.record",
        "recorded_at": datetime.datetime.now(datetime.timezone.utc).isoformat(),
        "software": dict(software),
        "watched": {
            "node_type": type(tree.root.node).__qualname__,
            "value_view": values.view,
            "value_kind": values.kind,
            "thorough": thorough,
            "visits_before": tree.root_visits,
            **({"grown_before": True} if tree.grown_before else {}),
            "score": fields.score is not None,
            "fields": [name for name in LATE if name in SOUGHT and fields.told(name)],
            **({"values_unturned": True} if unturned else {}),
        },
        "not_observed": not_observed(tree, fields, policies),
        "notes": notes(tree, fields, thorough),
    }
    # as a file would give it back, whatever the names
    return TraceMeta(
        json.loads(document_of(content)), "the recording", remedy="correct what is recorded"
    )


def _shared(fields: NodeFields) -> dict[str, str]:
    """Whose numbers the first way to a node has, where nodes are shared."""
    if fields.shared is None:
        return {}
    return {"shared": "nodes" if fields.shared is shared_key else "edges"}


def _version(tree: WatchedTree, fields: NodeFields) -> int:
    """The oldest that has all columns there will be."""
    if tree.n_players > 2 or tree.player_values is not None or fields.simultaneous is not None:
        return PLAYERS_VERSION
    if tree.virtual_loss is not None or any(
        fields.told(name) for name in ("reward", "score", "shared")
    ):
        return FIELDS_VERSION
    return FORMAT_VERSION if fields.chance is None else CHANCE_VERSION


def _written_in(tree: WatchedTree, given: str | None) -> dict[str, str]:
    """What states are written in; nothing where it is plain text."""
    found = given or (GRID if tree.has_grids else TEXT)
    return {} if found == TEXT else {"state_format": found}


def not_observed(tree: WatchedTree, fields: NodeFields, policies: Mapping[str, Any]) -> list[str]:
    """What a search of our own would have recorded, and this one does not."""
    unseen = {
        "outcome": True,
        "rollout": True,
        "to_move": tree.root.to_move == UNKNOWN and not tree.players_known,
        "prior": fields.prior is None,
        "terminal": fields.outcome is None,
        "selection": "selection" not in policies,
        "value of the root": not tree.root_has_value,
    }
    return [name for name, is_unseen in unseen.items() if is_unseen]


def notes(tree: WatchedTree, fields: NodeFields, thorough: bool) -> list[str]:
    """How to read the trace, for a person."""
    of_shared = {"edges": FURTHER_WAYS, "nodes": DERIVED_WAYS}
    shared = _shared(fields).get("shared", "")
    found = [of_shared[shared]] if shared else []
    if not thorough:
        found.append(ON_THE_PATH)
    if tree.root_visits:
        found.append(
            f"The root had {tree.root_visits:,} visits before the recording began; iteration 1 contains them."
        )
    if tree.grown_before:
        found.append(
            "Nodes below the root had visits before the recording began, and the root had none; iteration 1 contains "
            "them."
        )
    if fields.action is None:
        found.append(
            "No action was named: a child's key in its parent's dict, or its place in the list, stands for it."
        )
    return found
