"""The nodes of a snapshot's JSON as checked columns.

A table says what each field may hold. Nodes come in chunks, and each field of a chunk is checked as
a whole; only when something is wrong is the culprit looked for. Knows the fields of a node; knows
nothing of the tree that they form.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple, NoReturn

import numpy as np
import numpy.typing as npt

from mcts_viz.errors import ImportFormatError
from mcts_viz.export.fields import Kind
from mcts_viz.trace.surrogates import without_lone_surrogates

CHUNK = 8_192  # nodes checked at once
INT32_MAX = 2**31 - 1
MISSING = object()


class NodeField(NamedTuple):
    """What a field of a node may hold. A field that is not required may also be absent or null."""

    name: str
    kind: Kind
    dtype: npt.DTypeLike = object
    required: bool = False
    nullable: bool = True
    none: float = np.nan  # what null becomes in the column
    greatest: int = INT32_MAX  # of an integer; the least is 0


NODE_FIELDS: tuple[NodeField, ...] = (
    NodeField("action", "integer", np.int32, required=True, none=-1),
    NodeField("to_move", "integer", np.int8, required=True, none=-1, greatest=1),
    NodeField("chance", "boolean", np.int8, none=0),  # absent in older files
    NodeField("visits", "integer", np.int32, required=True, nullable=False),
    NodeField("value_sum", "number", np.float64, required=True, nullable=False),
    NodeField("prior", "number", np.float32),
    NodeField("outcome", "number", np.float32),
    NodeField("proven", "number", np.float32),
    NodeField("terminal", "boolean", np.int8, none=-1),
    NodeField("born", "integer", np.int32, none=0),
    NodeField("label", "text"),
    NodeField("state", "text"),
    # computed afresh from the others, so only looked at for their type
    NodeField("mean_value", "number", np.float64),
    NodeField("value_term", "number", np.float64),
    NodeField("exploration_term", "number", np.float64),
    NodeField("uct", "number", np.float64),
    NodeField("depth", "integer", np.int32, none=-1),
)
TYPES: dict[Kind, frozenset[type]] = {  # exact types: a bool is no number here
    "integer": frozenset({int, float}),
    "number": frozenset({int, float}),
    "boolean": frozenset({bool}),
    "text": frozenset({str}),
}


class NodeTable(NamedTuple):
    """The nodes in the order of the file."""

    ids: list[int | str]  # [N] distinct
    parents: list[
        Any
    ]  # [N] id of the parent, None at the root, MISSING where the node does not say
    columns: dict[str, npt.NDArray[Any]]  # [N] each, the fields that are not text
    texts: dict[str, list[str | None]]  # [N] each


def read_nodes(items: Iterable[Any], source: str) -> NodeTable:
    """The nodes' columns; raises ImportFormatError naming the node and the field that is wrong."""
    table = NodeTable([], [], {}, {f.name: [] for f in NODE_FIELDS if f.kind == "text"})
    parts: dict[str, list[npt.NDArray[Any]]] = {
        f.name: [np.zeros(0, f.dtype)] for f in NODE_FIELDS if f.kind != "text"
    }
    for nodes in _chunks(items):
        ids = _ids(nodes, len(table.ids), source)
        for field in NODE_FIELDS:
            values = [node.get(field.name, MISSING) for node in nodes]
            column = _column(field, values, ids, source)
            if field.kind == "text":
                table.texts[field.name].extend(column)
            else:
                parts[field.name].append(column)
        table.parents.extend(node.get("parent", MISSING) for node in nodes)
        table.ids.extend(ids)
    table.columns.update({name: np.concatenate(part) for name, part in parts.items()})
    return table


def shown(value: object) -> str:
    """A bad value as an error message quotes it: on one line, and not at length."""
    text = repr(value) if not isinstance(value, int) or abs(value) < 10**30 else "a huge number"
    return text if len(text) <= 60 else f"{text[:57]}…"


def _chunks(items: Iterable[Any]) -> Iterator[list[Any]]:
    iterator = iter(items)
    while chunk := list(islice(iterator, CHUNK)):
        yield chunk


def _ids(nodes: list[Any], first: int, source: str) -> list[int | str]:
    ids: list[int | str] = []
    for position, node in enumerate(nodes, first):
        if type(node) is not dict:
            raise ImportFormatError(
                f"{source}: nodes[{position}] is {shown(node)}; a node must be a JSON object"
            )
        node_id = node.get("id", MISSING)
        if type(node_id) is not int and type(node_id) is not str:
            what = 'has no "id"' if node_id is MISSING else f"has the id {shown(node_id)}"
            raise ImportFormatError(
                f"{source}: nodes[{position}] {what}; give it a whole number or a text as id"
            )
        ids.append(node_id)
    return ids


def _column(
    field: NodeField, values: list[Any], ids: Sequence[int | str], source: str
) -> Any:  # a list of texts, or an array
    def check(is_bad: Callable[[Any], bool]) -> None:
        for value, node_id in zip(values, ids, strict=True):
            if is_bad(value):
                _refuse(field, value, node_id, source)

    types = set(map(type, values))
    if object in types:
        if field.required:
            check(lambda value: value is MISSING)
        values = [None if value is MISSING else value for value in values]
        types = (types - {object}) | {type(None)}
    allowed = TYPES[field.kind] | ({type(None)} if field.nullable else set())
    if not types <= allowed:
        check(lambda value: type(value) not in allowed)
    if field.kind == "text":
        return [None if value is None else without_lone_surrogates(value) for value in values]
    is_none = np.array([value is None for value in values], bool)
    if field.kind == "integer":
        if float in types:
            check(lambda value: type(value) is float and not value.is_integer())
        bounds = (0, field.greatest)
        if _is_outside(values, bounds):
            check(lambda value: value is not None and not bounds[0] <= value <= bounds[1])
    column = _numbers(field, values)
    if field.kind == "number" and not np.isfinite(column[~is_none]).all():
        check(lambda value: value is not None and not np.isfinite(_numbers(field, [value]))[0])
    return column


def _is_outside(values: list[Any], bounds: tuple[int, int]) -> bool:
    present = [value for value in values if value is not None]
    return bool(present) and (min(present) < bounds[0] or max(present) > bounds[1])


def _numbers(field: NodeField, values: list[Any]) -> npt.NDArray[Any]:
    filled = [field.none if value is None else value for value in values]
    try:
        wide = np.array(filled, np.float64 if field.kind == "number" else np.int64)
    except OverflowError:  # an integer of hundreds of digits
        wide = np.array([_as_float(value) for value in filled])
    with np.errstate(over="ignore"):  # infinite then, and so refused
        return wide.astype(field.dtype)


def _as_float(value: float) -> float:
    try:
        return float(value)
    except OverflowError:
        return np.inf


def _refuse(field: NodeField, value: object, node_id: int | str, source: str) -> NoReturn:
    where = f"{source}: node {shown(node_id)}"
    if value is MISSING:
        raise ImportFormatError(f'{where} has no "{field.name}"; it needs {_expected(field)}')
    raise ImportFormatError(
        f'{where}: "{field.name}" is {shown(value)}; it must be {_expected(field)}'
    )


def _expected(field: NodeField) -> str:
    expected = {
        "integer": f"a whole number from 0 to {field.greatest}",
        "number": f"a number that fits {np.dtype(field.dtype).name}",
        "boolean": "true or false",
        "text": "text in double quotes",
    }[field.kind]
    return f"{expected}, or null" if field.nullable else expected
