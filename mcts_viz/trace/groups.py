"""Groups of columns: what the table of the format is written with.

A group is a class whose attributes are its columns; an instance holds some rows of it, as numpy arrays and lists of
texts. A group may have lists of rows of other groups: these are flat columns with offsets. Knows no trace.
"""

from __future__ import annotations

from typing import Any, ClassVar, Generic, Protocol, TypeAlias, TypeVar, cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from mcts_viz.types import Document, Numbers

Number = TypeVar("Number", bound=np.generic)
Texts = list[str | None]


class GroupField:
    """One attribute of a group; `since` is the first version of the format that has it."""

    name: str

    def __init__(self, since: int = 1) -> None:
        self.since = since

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name


class Column(GroupField, Generic[Number]):
    """A column of numbers.

    fill: what stands for a missing number, which is null in a file; None: none may be missing. is_node: whether the
    numbers are ids of nodes that exist after the row's iteration. usual: what all of them are in most traces.
    """

    def __init__(
        self,
        dtype: type[Number],
        fill: float | None = None,
        is_node: bool = False,
        since: int = 1,
        usual: float | None = None,
    ) -> None:
        super().__init__(since)
        self.dtype, self.fill, self.is_node = np.dtype(dtype), fill, is_node
        self.usual = usual

    def __get__(self, group: Group, owner: type | None = None) -> npt.NDArray[Number]:
        values: npt.NDArray[Number] = group.values[self.name]
        return values

    def filled(self, n: int) -> npt.NDArray[Number]:
        """A column of missing numbers."""
        return cast(npt.NDArray[Number], np.full(n, self.fill, self.dtype))

    def arrow_field(self, name: str, version: int) -> pa.Field:
        """In a file."""
        return pa.field(name, pa.from_numpy_dtype(self.dtype), nullable=self.fill is not None)


class OptionalColumn(Column[Number]):
    """The same; None where all numbers are missing, so that a trace without them pays nothing."""

    def __get__(  # type: ignore[override]
        self, group: Group, owner: type | None = None
    ) -> npt.NDArray[Number] | None:
        values: npt.NDArray[Number] | None = group.values[self.name]
        return values

    def is_missing(self, values: npt.NDArray[Number] | None) -> bool:
        """Whether there is none of the numbers."""
        return values is None or bool(
            np.all(np.isnan(values) if np.isnan(self.fill or 0) else values == self.fill)
        )


class FileColumn(OptionalColumn[Number]):
    """The same, of a file alone: the rows of a trace have what follows from it in its place."""


class Text(GroupField):
    """A column of texts, each of which may be missing; None where all are."""

    def __get__(self, group: Group, owner: type | None = None) -> Texts | None:
        texts: Texts | None = group.values[self.name]
        return texts

    def arrow_field(self, name: str, version: int) -> pa.Field:
        """In a file."""
        return pa.field(name, pa.string())


class DerivedColumn(GroupField):
    """The iteration of each row, from 0, of which a file knows by the row's place; only a whole trace has it."""

    def __get__(self, group: Group, owner: type | None = None) -> npt.NDArray[np.int32]:
        values: npt.NDArray[np.int32] = group.values[self.name]
        return values


AnyGroup = TypeVar("AnyGroup", bound="Group")


class Lists(GroupField, Generic[AnyGroup]):
    """A list of rows of another group in each row.

    key: its name in a file. nullable: whether the lists may be missing, all of them together: not recorded. offset:
    type of the offsets of a whole trace.
    """

    def __init__(
        self,
        group: type[AnyGroup],
        key: str | None = None,
        nullable: bool = False,
        offset: type[np.integer] = np.int64,
        since: int = 1,
    ) -> None:
        super().__init__(since)
        self.group, self.nullable, self.offset = group, nullable, np.dtype(offset)
        self._key = key

    @property
    def key(self) -> str:
        """Its name in a file."""
        return self._key or self.name

    def __get__(self, group: Group, owner: type | None = None) -> AnyGroup:
        rows: AnyGroup = group.values[self.name]
        return rows

    def arrow_field(self, name: str, version: int) -> pa.Field:
        """In a file."""
        fields = [
            column.arrow_field(column.name, version)
            for column in self.group.columns
            if column.since <= version
        ]
        item = fields[0].type if self.group.is_bare else pa.struct(fields)
        return pa.field(
            name, pa.list_(pa.field("item", item, nullable=False)), nullable=self.nullable
        )


AnyColumn: TypeAlias = Column[Any] | Text
AnyOptional: TypeAlias = OptionalColumn[Any]
AnyLists: TypeAlias = Lists[Any]
AnyField: TypeAlias = AnyColumn | AnyLists


class GroupValues(Protocol):
    """The columns and lists of a group by name."""

    def __getitem__(self, name: str, /) -> Any: ...


class Group:
    """Some rows of a group: flat columns of equal length, and offsets where they are lists in the rows of another."""

    columns: ClassVar[tuple[AnyColumn, ...]] = ()
    lists: ClassVar[tuple[AnyLists, ...]] = ()
    derived: ClassVar[tuple[DerivedColumn, ...]] = ()
    fields: ClassVar[tuple[AnyField, ...]] = ()  # in the order of a file
    is_bare: ClassVar[bool] = False  # whether a list of it holds numbers instead of structs

    def __init_subclass__(cls) -> None:
        found = [field for field in vars(cls).values() if isinstance(field, GroupField)]
        if found:
            cls.columns = tuple(f for f in found if isinstance(f, (Column, Text)))
            cls.lists = tuple(f for f in found if isinstance(f, Lists))
            cls.derived = tuple(f for f in found if isinstance(f, DerivedColumn))
            cls.fields = tuple(f for f in found if isinstance(f, (Column, Text, Lists)))

    def __init__(
        self,
        offset: npt.NDArray[np.int32] | None = None,
        recorded: bool = True,
        **values: Any,
    ) -> None:
        """values: the columns by name. Those that may be missing need not be given; arrays are taken as they are.

        recorded: whether these lists are there; else they are null, and have no rows.
        """
        self.recorded = recorded
        if offset is not None:
            values["offset"] = offset
        self._fill_missing(values)
        self.values: GroupValues = values

    def _fill_missing(self, values: Document) -> None:
        for column in self.columns:
            if values.get(column.name) is not None:
                continue
            if isinstance(column, (Text, OptionalColumn)):
                values[column.name] = None
            elif column.fill is not None:
                values[column.name] = column.filled(len(values[self.columns[0].name]))
            else:
                raise TypeError(f"{type(self).__name__} needs {column.name}")

    @classmethod
    def absent(cls: type[AnyGroup], n: int, dtype: npt.DTypeLike = np.int32) -> AnyGroup:
        """Lists of n rows that were not recorded; dtype: of their offsets."""
        nothing = {
            column.name: np.zeros(0, column.dtype)
            for column in cls.columns
            if isinstance(column, Column) and not isinstance(column, OptionalColumn)
        }
        # of a long trace it takes no memory
        return cls(np.broadcast_to(np.zeros(1, dtype), n + 1), recorded=False, **nothing)

    @classmethod
    def view(cls: type[AnyGroup], values: GroupValues) -> AnyGroup:
        """The group whose columns are those."""
        group = cls.__new__(cls)
        group.values, group.recorded = values, True
        return group

    @property
    def offset(self) -> Numbers:
        """[T + 1] where the list of each row begins, and the end of the last one."""
        offset: Numbers = self.values["offset"]
        return offset

    def __len__(self) -> int:
        return len(self.values[self.columns[0].name])
