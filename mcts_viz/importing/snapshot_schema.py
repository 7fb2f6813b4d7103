"""What a snapshot's JSON may hold, as types that msgspec checks; docs/snapshot.schema.json says the same.

Keys that are not listed are kept in the graph, and ignored in nodes and edges. Knows types; knows
nothing of trees.
"""

from __future__ import annotations

from typing import Annotated

import msgspec
import numpy as np
from msgspec import UNSET, Meta, Raw, Struct, UnsetType

from mcts_viz.trace.players import MOST_PLAYERS
from mcts_viz.types import Document

FORMAT = "mcts_viz.snapshot"
VERSION = 1
# keys of the graph that are made of the tree, so no part of the metadata that come back
DERIVED_KEYS = (
    "format",
    "version",
    "iteration",
    "n_nodes",
    "best_action",
    "best_action_name",
    "principal_variation",
)
FLOAT32 = float(np.finfo(np.float32).max)
Whole = Annotated[int, Meta(ge=0, le=2**31 - 1)]
Single = Annotated[float, Meta(ge=-FLOAT32, le=FLOAT32)]  # fits float32
Bounds = tuple[float, float]  # least, greatest


class SnapshotNode(Struct, gc=False):
    """A node; what has a default may be left out."""

    id: int | str
    action: Whole | None
    to_move: Annotated[int, Meta(ge=0, le=MOST_PLAYERS - 1)] | None
    visits: Whole
    value_sum: float
    parent: int | str | UnsetType | None = UNSET
    chance: bool | None = None  # absent in older files
    prior: Single | None = None
    outcome: Single | None = None
    proven: Single | None = None
    terminal: bool | None = None
    born: Whole | None = None
    label: str | None = None
    state: str | None = None
    wins: Whole | None = None
    draws: Whole | None = None
    losses: Whole | None = None
    square_sum: float | None = None
    # in every node of a search that has something of the kind, and otherwise in none
    simultaneous: bool | None = None
    reward: Single | None = None
    same_as: int | str | None = None
    player_sums: list[float] | None = None
    # computed again from the others, so that only their types count
    mean_value: float | None = None
    value_term: float | None = None
    exploration_term: float | None = None
    uct: float | None = None
    depth: Whole | None = None
    untried: Whole | None = None
    fully_expanded: bool | None = None


class SnapshotEdge(Struct, gc=False):
    """An edge from a parent to its child."""

    source: int | str
    target: int | str
    action: Whole | UnsetType | None = UNSET


class NamedGame(Struct):
    """The game, of which the name is needed."""

    name: str


class NamedPolicy(Struct):
    """A policy, of which name and exploration weight are read."""

    name: str = ""
    c: float = 0.0


class NamedPolicies(Struct):
    """The policies by phase."""

    selection: NamedPolicy | None = None
    expansion: NamedPolicy | None = None
    simulation: NamedPolicy | None = None
    backpropagation: NamedPolicy | None = None
    final_move: NamedPolicy | None = None


class SnapshotGraph(Struct):
    """The trace's metadata, and after which iteration the snapshot was taken."""

    game: NamedGame
    policies: NamedPolicies
    iteration: Whole
    players: Annotated[list[str], Meta(min_length=1, max_length=MOST_PLAYERS)]
    reward_range: Bounds
    value_range: Bounds
    start: list[int] | UnsetType = UNSET
    root: Document | UnsetType = UNSET
    action_labels: list[str] | None = None
    seed: int | None = None
    software: Document | UnsetType = UNSET
    recorded_by: str | None = None
    not_observed: list[str] | UnsetType = UNSET


class SnapshotOutline(Struct):
    """The document, its parts not yet looked at; an empty text where one is missing."""

    graph: Raw = Raw()
    directed: bool | UnsetType = UNSET
    multigraph: bool | UnsetType = UNSET
    nodes: Raw = Raw()
    edges: Raw = Raw()
    links: Raw = Raw()  # what networkx called edges before 3.4


OUTLINE = msgspec.json.Decoder(SnapshotOutline)
GRAPH = msgspec.json.Decoder(SnapshotGraph)
ANY_OBJECT = msgspec.json.Decoder(Document)
NODES = msgspec.json.Decoder(list[SnapshotNode])
EDGES = msgspec.json.Decoder(list[SnapshotEdge])
