"""Rows as Arrow record batches and back, with the checksum that each batch carries.

Everything follows from the table in `format.py`. Arrow itself does not notice a flipped bit, nor does zstd as Arrow
uses it; hence the checksum.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from typing import Any

import numpy as np
import pyarrow as pa
from zlib_ng import zlib_ng

from mcts_viz.trace.format import Rows
from mcts_viz.trace.groups import AnyField, Column, Group, Lists, OptionalColumn, Text, Texts
from mcts_viz.types import Document, Numbers

BATCH_CRC_KEY = b"mcts_viz.crc32"


def to_batch(rows: Rows, schema: pa.Schema) -> pa.RecordBatch:
    """Rows as one Arrow record batch, without copying the numbers."""
    return pa.RecordBatch.from_arrays(_arrays(rows, list(schema)), schema=schema)


def _arrays(group: Group, wanted: list[pa.Field]) -> list[pa.Array]:
    """The fields of a group that a file of this version has."""
    fields = {_key(field): field for field in group.fields}
    return [_array(fields[each.name], group, each.type) for each in wanted]


def _key(field: AnyField) -> str:
    return str(field.key if isinstance(field, Lists) else field.name)


def _array(field: AnyField, group: Group, arrow_type: pa.DataType) -> pa.Array:
    values = group.values[field.name]
    if values is None:
        return pa.nulls(len(group), arrow_type)
    if isinstance(field, Column):
        return _numbers(values, field.fill)
    if isinstance(field, Text):
        return pa.array(values, pa.string())
    if not values.recorded:
        return pa.nulls(len(group), arrow_type)
    item = arrow_type.value_type
    if values.is_bare:
        items = _numbers(values.values[values.columns[0].name], None)
    else:
        items = pa.StructArray.from_arrays(_arrays(values, list(item)), fields=list(item))
    return pa.ListArray.from_arrays(_numbers(values.offset, None), items, type=arrow_type)


def _numbers(values: Numbers, fill: float | None) -> pa.Array:
    """The numbers as an Arrow array over the same memory. (`pa.array` would import pandas, where
    there is one, to ask it whether this is a Series.)"""
    values = np.ascontiguousarray(values)
    there = None
    if fill is not None:
        missing = np.isnan(values) if np.isnan(fill) else values == fill
        if missing.any():
            there = pa.py_buffer(np.packbits(~missing, bitorder="little"))
    arrow_type = pa.from_numpy_dtype(values.dtype)
    return pa.Array.from_buffers(arrow_type, len(values), [there, pa.py_buffer(values)])


def from_batch(batch: pa.RecordBatch) -> Rows:
    """The flat columns of one record batch; numbers are views into it where Arrow allows. Columns that files of its
    version do not have are filled with what stands for a missing value."""
    return Rows(**_values(Rows, dict(zip(batch.schema.names, batch.columns))))


def _values(group: type[Group], arrays: dict[str, pa.Array]) -> Document:
    return {
        field.name: _read(field, arrays[_key(field)])
        for field in group.fields
        if _key(field) in arrays
    }


def _read(field: AnyField, array: pa.Array) -> object:
    if isinstance(field, (Text, OptionalColumn)) and array.null_count == len(array):
        return None
    if isinstance(field, Text):
        return array.to_pylist()
    if isinstance(field, Column):
        return _numbers_of(array, field.dtype, field.fill)
    if array.null_count:
        return field.group.absent(len(array))
    names = [column.name for column in field.group.columns]
    items = [array.values]
    if not field.group.is_bare:
        names, items = [each.name for each in array.values.type], array.values.flatten()
    offset = _numbers_of(array.offsets, np.dtype(np.int32), None)
    return field.group(offset, **_values(field.group, dict(zip(names, items))))


def _numbers_of(array: pa.Array, dtype: np.dtype, fill: float | None) -> Numbers:
    """The numbers of an Arrow array, over the same memory where none is null. (Its `to_numpy` would import pandas,
    where there is one.)"""
    there, data = array.buffers()
    if data is None:
        return np.zeros(0, dtype)
    values = np.frombuffer(data, dtype, len(array), array.offset * dtype.itemsize)
    if not array.null_count:
        return values
    bits = np.unpackbits(np.frombuffer(there, np.uint8), bitorder="little")
    return np.where(bits[array.offset :][: len(array)], values, dtype.type(fill))


def checksum(rows: Rows, version: int) -> int:
    """CRC-32 over the rows' values, column after column, little-endian; nan stands for a missing
    number. Only columns that files of the version have. What is beside the columns has checksums of its own."""
    crc = 0
    for content in _checked(rows, version):
        if isinstance(content, list):
            if all(text is None for text in content):
                continue  # a column of texts without any comes back as None
            crc = zlib_ng.crc32(json.dumps(content, ensure_ascii=True).encode(), crc)
        else:
            crc = zlib_ng.crc32(np.ascontiguousarray(_one_nan(content)).data, crc)
    return crc


def beyond(rows: Rows, version: int, without: Collection[str] = ()) -> list[str]:
    """Columns that hold something and that a file of the version without some columns has no place for."""
    return [
        name
        for name, (since, *_), values in _contents(rows)
        if values is not None
        and (since > version or (name.rpartition(".")[2] in without and _holds_something(values)))
    ]


def _holds_something(values: Texts | Numbers) -> bool:
    """Whether one of the values, numbers or texts, is not missing."""
    if isinstance(values, list):
        return any(text is not None for text in values)
    return values.dtype.kind != "f" or not bool(np.isnan(values).all())


def _checked(rows: Rows, version: int) -> Iterator[Any]:
    """Offsets and columns in the order of the page of the format: by the version that brought them, in one version
    texts last, and before them lists that may be missing; otherwise as in the file."""
    found = sorted(_contents(rows), key=lambda each: each[1])
    return (values for _, (since, *_), values in found if since <= version and values is not None)


def _contents(rows: Rows) -> Iterator[tuple[str, tuple[int, bool, bool], Any]]:
    """Name, place in the order and values of all offsets and columns, as in the file; None: nothing is there. The place
    is the version that brought it, whether it is text, and whether its list may be missing."""
    for field in rows.fields:
        if not isinstance(field, Lists):
            yield field.name, (field.since, False, False), _there(field, rows)
            continue
        group = rows.values[field.name]
        if not group.recorded or not rows.n:  # a batch of no rows does not say whether it is
            continue
        yield field.name, (field.since, False, field.nullable), group.offset
        for column in field.group.columns:
            since, is_text = max(field.since, column.since), isinstance(column, Text)
            place = (since, is_text, field.nullable)
            yield f"{field.name}.{column.name}", place, _there(column, group)


def _there(column: AnyField, group: Group) -> object:
    """The column, None where it is one without a number that need not be there."""
    values = group.values[column.name]
    missing = isinstance(column, OptionalColumn) and column.is_missing(values)
    return None if missing else values


def _one_nan(column: Numbers) -> Numbers:
    """nan has many bit patterns, and a missing number comes back with another one than it went in
    with."""
    if column.dtype.kind != "f":
        return column
    missing = np.isnan(column)
    return np.where(missing, column.dtype.type(np.nan), column) if missing.any() else column
