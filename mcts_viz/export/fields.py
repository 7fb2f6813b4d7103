"""What every export says of a node: its fields, in order, and their text column by column.

JSON, GraphML and CSV print the same fields under the same names; they differ in punctuation alone.
Numbers are formatted by Arrow, a chunk of nodes at a time, as the shortest text that reads back as
the same float64 (a float32 prior is widened first, so that readers who know only float64 get its
exact value). Knows no format.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cache
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from mcts_viz.analysis.node.positions import UNKNOWN, NodePositions, node_positions
from mcts_viz.trace.players import CHANCE, EVERYBODY
from mcts_viz.trace.snapshot import Snapshot
from mcts_viz.types import Wholes

CHUNK = 16_384  # nodes formatted at once: a few MB of text

Kind = Literal["integer", "number", "boolean", "text", "numbers"]  # numbers: a JSON list of them
Ints = Wholes
Floats = npt.NDArray[np.floating]
TextEncoder: TypeAlias = Callable[[str], str]
Texts: TypeAlias = Any  # pyarrow.StringArray [n], null for "none"


class Field(NamedTuple):
    """One statistic of a node."""

    name: str
    kind: Kind


FIELDS: tuple[Field, ...] = (
    Field("id", "integer"),
    Field("parent", "integer"),  # none at the root
    Field("action", "integer"),  # none at the root
    Field("label", "text"),
    Field("to_move", "integer"),  # none where unknown, and where chance decides
    Field("chance", "boolean"),  # whether it does
    Field("visits", "integer"),
    Field("value_sum", "number"),  # view of the player who moved into the node
    Field("mean_value", "number"),
    Field("uct", "number"),  # value_term + exploration_term
    Field("value_term", "number"),
    Field("exploration_term", "number"),
    Field("prior", "number"),
    Field("depth", "integer"),
    Field("born", "integer"),  # iteration
    Field("terminal", "boolean"),
    Field("outcome", "number"),  # view of player 0
    Field("proven", "number"),  # by a solver, or the outcome; view of player 0
    Field("state", "text"),  # as recorded, or by the rules of a built-in game
    Field("untried", "integer"),  # legal moves without a child; none where not known
    Field("fully_expanded", "boolean"),  # whether all are tried
    # how the simulated games through the node ended, view of value_sum; none where not known
    Field("wins", "integer"),
    Field("draws", "integer"),
    Field("losses", "integer"),
    Field("square_sum", "number"),  # of the values' squares, where the selection needs it
)
# fields that every node has where the search has something of the kind, and otherwise none
OPTIONAL: tuple[Field, ...] = (
    Field("simultaneous", "boolean"),  # whether all players choose at once
    Field("reward", "number"),  # of the move into it, view of its mover
    Field("same_as", "integer"),  # the node that it is a further way to; none: its own
    Field("player_sums", "numbers"),  # for each player, in that player's own view
)
RESULTS = ("wins", "draws", "losses")
EDGE_FIELDS = ("id", "parent", "action")  # an edge leads from `parent` to `id`


def fields_of(snapshot: Snapshot) -> tuple[Field, ...]:
    """The fields that each node of the snapshot has."""
    there = {
        "simultaneous": bool((snapshot.to_move == EVERYBODY).any()),
        "reward": snapshot.reward is not None,
        "same_as": snapshot.same_as is not None,
        "player_sums": snapshot.player_sums is not None,
    }
    return (*FIELDS, *(field for field in OPTIONAL if there[field.name]))


@cache
def _compute() -> Any:
    """Arrow's functions of arrays: loaded when something is exported, for that takes a tenth of a
    second. (Its type stubs do not know arrays mixed with plain strings.)"""
    return importlib.import_module("pyarrow.compute")


def integer_text(values: Ints) -> Texts:
    """[n] strings; null where negative, which is how the columns say "none"."""
    return _compute().cast(pa.array(values, mask=np.asarray(values) < 0), pa.string())


def number_text(values: Floats, infinity: str | None) -> Texts:
    """[n] strings that read back as the same float64 and always look like a float; nan is null.

    Infinities are spelt `infinity` (with a minus where due), or null when that is None.
    """
    wide = np.asarray(values, dtype=np.float64)
    finite = np.isfinite(wide)
    text = _compute().cast(pa.array(wide, mask=~finite), pa.string())
    whole = pa.array(finite & (wide == np.floor(wide)))
    bare = _compute().and_not(whole, _compute().match_substring(text, "e"))  # "1", not "1e+20"
    text = _compute().if_else(bare, _compute().binary_join_element_wise(text, ".0", ""), text)
    if infinity is None or not np.isinf(wide).any():
        return text
    text = _compute().if_else(pa.array(wide == np.inf), infinity, text)
    return _compute().if_else(pa.array(wide == -np.inf), f"-{infinity}", text)


def encoded_text(values: Sequence[str | None], encode: TextEncoder) -> Texts:
    """[n] strings, each as `encode` writes it; None is null. Equal texts are encoded once."""
    known: dict[str | None, str | None] = {None: None}
    for value in values:
        if value is not None and value not in known:
            known[value] = encode(value)
    return pa.array([known[value] for value in values], pa.string())


def field_texts(
    snapshot: Snapshot,
    encode: TextEncoder,
    infinity: str | None,
    only: Collection[str] | None = None,
) -> Iterator[dict[str, Texts]]:
    """The fields of all nodes as text, `CHUNK` nodes at a time: {field name: [n] strings}. only: those; None: all."""
    fields = [each for each in fields_of(snapshot) if only is None or each.name in only]
    names = {field.name for field in fields}
    labels = snapshot.labels() if "label" in names else []
    ruled = node_positions(snapshot) if "untried" in names else None
    for start in range(0, snapshot.n_nodes, CHUNK):
        nodes = range(start, min(start + CHUNK, snapshot.n_nodes))
        yield {
            field.name: _field_text(snapshot, field, nodes, labels, ruled, encode, infinity)
            for field in fields
        }


def _field_text(
    snapshot: Snapshot,
    field: Field,
    nodes: range,
    labels: Sequence[str],
    ruled: NodePositions | None,
    encode: TextEncoder,
    infinity: str | None,
) -> Texts:
    rows = slice(nodes.start, nodes.stop)
    if field.name == "id":
        return integer_text(np.arange(nodes.start, nodes.stop))
    if field.name == "label":
        return encoded_text(labels[rows], encode)
    if field.name == "state":
        recorded = snapshot.recorded_states
        states = [None] * len(nodes) if recorded is None else list(recorded[rows])
        if ruled is not None:
            states = [own or ruled.states[v] for v, own in zip(nodes, states)]
        return encoded_text(states, encode)
    if field.name in ("untried", "fully_expanded"):
        untried = np.full(len(nodes), UNKNOWN) if ruled is None else ruled.untried[rows]
        if field.name == "untried":
            return integer_text(untried)
        return _boolean_text(untried == 0, untried < 0)
    if field.name in RESULTS:
        results = snapshot.results
        counts = None if results is None else getattr(results, field.name)[rows]
        return integer_text(np.full(len(nodes), -1) if counts is None else counts)
    if field.name == "square_sum" and snapshot.square_sum is None:
        return number_text(np.full(len(nodes), np.nan), infinity)
    if field.name == "simultaneous":
        return _boolean_text(snapshot.to_move[rows] == EVERYBODY)
    if field.name == "chance":
        return _boolean_text(snapshot.to_move[rows] == CHANCE)
    values = getattr(snapshot, field.name)
    if values is None:  # nothing is proven but finished games
        values = snapshot.outcome
    values = values[rows]
    if field.kind == "integer":
        return integer_text(values)
    if field.kind == "boolean":
        return _boolean_text(values)
    if field.kind == "numbers":
        return joined(["[", joined([number_text(each, None) for each in values.T], ","), "]"])
    return number_text(values, infinity)


def _boolean_text(
    values: npt.NDArray[np.bool_], unknown: npt.NDArray[np.bool_] | None = None
) -> Texts:
    return _compute().cast(pa.array(values, mask=unknown), pa.string())


def joined(pieces: Sequence[Texts | str], separator: str = "") -> Texts:
    """The pieces glued together row by row; a row with a null piece is null."""
    return _compute().binary_join_element_wise(*pieces, separator)


def or_else(texts: Texts, default: str) -> Texts:
    """The texts with `default` for null."""
    return _compute().fill_null(texts, default)


def present(texts: Texts) -> Texts:
    """The texts that are not null."""
    return _compute().drop_null(texts)


def as_bytes(rows: Texts, separator: str) -> bytes:
    """All rows as one piece of UTF-8, with the separator between them."""
    one_list = pa.ListArray.from_arrays(pa.array([0, len(rows)], pa.int32()), rows)
    text: str = _compute().binary_join(one_list, separator)[0].as_py()
    return text.encode()
