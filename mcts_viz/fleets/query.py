"""SQL over the tables of a fleet, by DuckDB: `searches`, `moves`, `findings`, and `runs` with their tags."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import ModuleType
from typing import TYPE_CHECKING, TypeAlias

import pyarrow as pa

from mcts_viz.errors import TraceError
from mcts_viz.fleets.columns import TABLES
from mcts_viz.fleets.questions.question import Cell

if TYPE_CHECKING:
    import duckdb
    import pyarrow.dataset as ds

Source: TypeAlias = "ds.Dataset | pa.Table | list[str]"  # names of files
RUNS = pa.schema([("run", pa.string()), ("tags", pa.list_(pa.string()))])
REBUILD = "delete the folder of the fleet's tables, and build them again: mcts-viz fleet build"
# names of columns that are words of SQL, where they stand without quotes; texts and quoted names are passed over
KEYWORDS = re.compile(
    r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|\b(check|offset(?!\s+[\d?$]))\b""", re.IGNORECASE
)
# for queries of strangers: no file, no network, no library, and no way to switch that off
LOCKED = (
    "set enable_external_access = false",
    "set python_enable_replacements = false",
    "set memory_limit = '1GB'",
    "set lock_configuration = true",
)
NO_TEXT = "conversion error"  # DuckDB's RuntimeError for a name that is not UTF-8


def connection(tables: Mapping[str, Source], safe: bool) -> duckdb.DuckDBPyConnection:
    """A database in memory that reads the tables where they lie. safe: it reads nothing else, and no query can
    change that. For queries of strangers the tables have to be Arrow's, or they could be overwritten."""
    made: duckdb.DuckDBPyConnection = _duckdb().connect(":memory:")
    for name, table in tables.items():
        if isinstance(table, list):
            try:
                made.execute(_view(name, table))
            except _duckdb().Error as err:
                reason = str(err).partition("\n")[0]
                raise TraceError(
                    f"the table {name} of the fleet is not readable: {reason}; {REBUILD}"
                ) from err
        else:
            made.register(name, table)
    if safe and (
        files := [name for table in tables.values() if isinstance(table, list) for name in table]
    ):
        made.execute("set allowed_paths = ?", [files])
    for command in LOCKED if safe else ():
        made.execute(command)
    return made


def _view(name: str, files: Sequence[str]) -> str:
    """The command that lets DuckDB read files by itself, in half the time that it takes from Arrow."""
    quoted = ", ".join("'" + file.replace("'", "''") + "'" for file in files)
    return (
        f"create view {name} as select * from "
        f"read_parquet([{quoted}], hive_partitioning = true, hive_types = {{'run': varchar}})"
    )


def runs_table(runs: Sequence[str], tags: Mapping[str, Sequence[str]]) -> pa.Table:
    """A row for each run."""
    rows = [{"run": run, "tags": list(tags.get(run, ()))} for run in runs]
    return pa.Table.from_pylist(rows, schema=RUNS)


def query_made(
    made: duckdb.DuckDBPyConnection, query: str, values: Sequence[Cell | list[Cell]] = ()
) -> duckdb.DuckDBPyRelation:
    """What a query selects, read when it is fetched; values: of its question marks. The columns `check` and `offset`
    may stand without the quotes that SQL wants. Raises TraceError, which tells the tables and columns."""
    errors = _duckdb()
    with _own_errors():
        try:
            found = _made(made, query, values)
        except errors.ParserException as err:
            try:
                found = _made(made, KEYWORDS.sub(_quoted, query), values)
            except errors.Error:
                raise err from None  # of the query as it was written
    if found is None:
        raise TraceError(
            "the query selects nothing; write one that begins with select, such as "
            "select game, count(*) from searches group by game"
        )
    return found


@contextmanager
def _own_errors() -> Iterator[None]:
    """Raises TraceError in place of what DuckDB raises."""
    try:
        yield
    except _duckdb().Error as err:
        raise TraceError(_words(str(err))) from err
    except (RuntimeError, UnicodeError) as err:
        if isinstance(err, RuntimeError) and NO_TEXT not in str(err):
            raise
        raise TraceError(
            f"a table of the fleet is damaged: a name or a text in it is not UTF-8; {REBUILD}"
        ) from err


def _made(
    made: duckdb.DuckDBPyConnection, query: str, values: Sequence[Cell | list[Cell]]
) -> duckdb.DuckDBPyRelation | None:
    return made.sql(query, params=list(values)) if values else made.sql(query)


def _quoted(found: re.Match[str]) -> str:
    return f'"{found[1]}"' if found[1] else found[0]


def fetched(found: duckdb.DuckDBPyRelation) -> pa.Table:
    """All rows of the result. Raises TraceError for errors that show only then, such as a division by a text."""
    with _own_errors():
        table = found.arrow()
    return table.read_all() if isinstance(table, pa.RecordBatchReader) else table


def _words(told: str) -> str:
    """DuckDB's message on one line; for an unknown name, with the known ones."""
    told = told.partition("\n\nLINE")[0].partition("Candidate functions")[0]
    line = re.sub(r"\s+", " ", told).strip()[:400]
    columns = "; ".join(
        f"{name}: {', '.join(each.name for each in facts)}" for name, facts in TABLES.items()
    )
    if not line.startswith(("Binder", "Catalog")):
        return f"wrong SQL: {line}"
    return f"wrong SQL: {line}. The tables have the columns {columns}; runs: run, tags"


def _duckdb() -> ModuleType:
    return importlib.import_module("duckdb")  # seldom wanted, and slow to load
