"""What the page reads of a fleet: rows, counts, histograms and answers. One database in memory over the tables, which
can read nothing else.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import pyarrow as pa

from mcts_viz.errors import PageError, TraceError
from mcts_viz.fleets.answer import Answer
from mcts_viz.fleets.columns import TABLES
from mcts_viz.fleets.fleet import SearchFleet
from mcts_viz.fleets.place import TABLES_FOLDER
from mcts_viz.fleets.query import Source, connection, fetched, query_made
from mcts_viz.fleets.questions.findings import BY_CHECK, findings_by_check
from mcts_viz.fleets.questions.question import Cell
from mcts_viz.fleets.questions.registry import QUESTIONS
from mcts_viz.health.finding import Finding
from mcts_viz.trace.trace import Trace
from mcts_viz.views.histogram_figure import Histogram
from mcts_viz.web.cache import Cache
from mcts_viz.web.fleet_page.query import (
    ALWAYS,
    Asked,
    Sql,
    is_number,
    ordered,
    quoted,
    where,
)

if TYPE_CHECKING:
    import duckdb

Row: TypeAlias = dict[str, Cell]
Value: TypeAlias = Cell | list[Cell]  # of a question mark
MOST_ROWS = 1_000  # in one answer
BY_FILE, IN_ORDER = (
    'order by file, "offset"',
    100_000,
)  # of more rows that takes a second, and says little
BINS = 30
FEW = 20  # different values that have a bar each
TAIL = 0.002  # of the values at each end share a bar, or one far away would leave all others in one
ANSWERS_KEPT = 60
ORDERS_KEPT = 3  # of a million rows some 40 MB each
LARGEST_WHOLE = 2**53  # that a browser can tell from the next one
WORST = "case severity when 'error' then 0 when 'warning' then 1 else 2 end"


class BarScale(NamedTuple):
    """Where a column's bars are."""

    low: float = 0.0
    high: float = 0.0
    names: tuple[Cell, ...] = ()  # of bars with a value each; without them, BINS from low to high


class FleetSource:
    """The tables of a folder. Raises TraceError where they cannot be read. Thread-safe."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._lock = threading.Lock()
        self._made: duckdb.DuckDBPyConnection | None = None
        self._state: tuple[object, ...] = ()
        self._kept, self._orders = Cache(ANSWERS_KEPT), Cache(ORDERS_KEPT)

    @property
    def name(self) -> str:
        """The name of its folder."""
        return self.folder.resolve().name

    @property
    def is_there(self) -> bool:
        """Whether the folder has tables, by which it is a fleet."""
        return any(self.folder.joinpath(TABLES_FOLDER).rglob("*.parquet"))

    def renew(self) -> None:
        """Look whether the tables have changed; asked when the page is opened."""
        files = self.folder.joinpath(TABLES_FOLDER).rglob("*.parquet")
        state = tuple(sorted(str(each) for each in files))
        with self._lock:
            if state != self._state:
                self._made, self._state = None, state
                self._kept, self._orders = Cache(ANSWERS_KEPT), Cache(ORDERS_KEPT)

    def count(self, asked: Asked) -> int:
        """How many searches are shown."""
        return self._kept.get(("count", where(asked)), lambda: self._counted(where(asked)))

    def rows(self, asked: Asked, first: int, last: int) -> list[Row]:
        """Rows from `first` up to `last`, with the columns that are shown."""
        if not 0 <= first <= last <= first + MOST_ROWS:
            raise PageError(f"rows {first} to {last}: ask for at most {MOST_ROWS:,}")
        names = ", ".join(quoted(each) for each in dict.fromkeys((*ALWAYS, *asked.columns)))
        if (
            asked.sort and first >= MOST_ROWS
        ):  # far down, where sorting all rows anew would take a second each time
            ids = self._order(asked)[first:last].to_pylist()
            found = self._ask(
                f"select {names} from all_searches where search_id in (select unnest(?))", None, ids
            )
            return sorted(found, key=lambda row: ids.index(str(row["search_id"])))
        order = ordered(asked) or (BY_FILE if self.count(Asked()) <= IN_ORDER else "")
        end = f"{order} limit {last - first:d} offset {first:d}"
        return self._ask(f"select {names} from all_searches where {{}} {end}", where(asked))

    def _order(self, asked: Asked) -> pa.ChunkedArray:
        """The ids of all rows that are shown, in their order."""
        among = where(asked)
        text = f"select search_id from all_searches where {among.text} {ordered(asked)}"
        return self._orders.get(
            (among, asked.sort), lambda: self._table(text, among.values)["search_id"]
        )

    def search(self, search_id: str) -> Row:
        """The row of a search; raises PageError for an unknown one."""
        found = self._ask("select * from all_searches where {}", Sql("search_id = ?", (search_id,)))
        if not found:
            raise PageError(f"there is no search {search_id[:80]!r} in this fleet (any more)")
        return found[0]

    def worst_finding(self, search_id: str, check: str = "") -> Row | None:
        """The finding of a search that matters: of that check where it has one, else the worst, the first of those."""
        rows = self._ask(
            f'select * from all_findings where {{}} order by "check" <> ?, {WORST}, iteration nulls last limit 1',
            Sql("search_id = ?", (search_id,)), check,
        )  # fmt: skip
        return rows[0] if rows else None

    def histogram(self, asked: Asked, column: str) -> Histogram:
        """How many searches have each value of a column: of all, and of those that every other condition lets pass."""
        scale = self._kept.get(("scale", column), lambda: self._scale(column))
        alone = Asked()
        everything = self._kept.get(("all", column), lambda: self._bars(alone, column, scale))
        shown = everything if where(asked) == where(alone) else self._bars(asked, column, scale)
        return Histogram(column, scale.names, scale.low, scale.high, everything, shown)

    def answer(self, name: str, asked: Asked) -> Answer:
        """The answer to a stored question about the searches that the filters let pass, whatever is brushed in it."""
        if name not in QUESTIONS:
            raise PageError(f"there is no stored question {name[:40]!r}")
        among = where(asked, brushed=False)
        return self._kept.get(("answer", name, among), lambda: self._answered(name, among))

    def checks(self) -> list[Finding]:
        """The findings of single searches, each check once."""
        rows = self._kept.get(
            "checks", lambda: self._ask(BY_CHECK.replace("from findings", "from all_findings"))
        )
        return list(findings_by_check(rows, self.count(Asked())))

    def _answered(self, name: str, among: Sql) -> Answer:
        question = QUESTIONS[name]
        if among.text == "true":
            text = "with searches as (select * from all_searches), moves as (select * from all_moves), "
            text += "findings as (select * from all_findings) "
        else:
            text = (
                f"with searches as materialized (select * from all_searches where {among.text}), "
            )
            text += ", ".join(
                f"{part} as (select * from all_{part} semi join searches using (search_id))"
                for part in ("moves", "findings")
            )
        return Answer(question, self._table(f"{text} select * from ({question.sql})", among.values))

    def _scale(self, column: str) -> BarScale:
        name, known = quoted(column), f"from all_searches where {quoted(column)} is not null"
        n = f"select approx_count_distinct({name}) as n {known}"
        is_few = int(self._ask(n)[0]["n"] or 0) <= 2 * FEW
        if is_few or not is_number(column):
            most = self._ask(
                f"select {name} as value, count(*) as n {known} group by 1 order by n desc, value limit {FEW + 1}"
            )
            names = [each["value"] for each in most]
            if not is_number(column) or (len(names) <= FEW and all(map(_is_short, names))):
                sort = sorted(names[:FEW], key=lambda each: (isinstance(each, str), each))
                return BarScale(names=tuple(sort))
        (ends,) = self._ask(
            f"select approx_quantile({name}, {TAIL}) as low, approx_quantile({name}, {1 - TAIL}) as high {known} "
            f"and isfinite({name}::double)"
        )
        low, high = (0.0 if each is None else float(each) for each in (ends["low"], ends["high"]))
        return BarScale(low, high if high > low else low + 1)

    def _bars(self, asked: Asked, column: str, scale: BarScale) -> tuple[int, ...]:
        """[bars] searches in each."""
        name, among = quoted(column), where(asked, but=column)
        if scale.names:
            text = f"select {name} as bar, count(*) as n from all_searches where {{}} group by 1"
            counted = {each["bar"]: int(each["n"] or 0) for each in self._ask(text, among)}
            return tuple(counted.get(each, 0) for each in scale.names)
        width = (scale.high - scale.low) / BINS
        bar = (
            f"least(greatest(floor(({name} - {scale.low!r}) / {width!r}), 0), {BINS - 1})::integer"
        )
        text = f"select {bar} as bar, count(*) as n from all_searches where {name} is not null and ({{}}) group by 1"
        counted = {each["bar"]: int(each["n"] or 0) for each in self._ask(text, among)}
        return tuple(counted.get(each, 0) for each in range(BINS))

    def _counted(self, among: Sql) -> int:
        (found,) = self._ask("select count(*) as n from all_searches where {}", among)
        return int(found["n"] or 0)

    def _ask(self, text: str, among: Sql | None = None, *values: Value) -> list[Row]:
        if among is not None:
            text, values = text.format(among.text), (*among.values, *values)
        rows: list[Row] = self._table(text, values).to_pylist()
        return [{name: _told(value) for name, value in row.items()} for row in rows]

    def _table(self, text: str, values: Sequence[Value]) -> pa.Table:
        try:
            return fetched(query_made(self._cursor(), text, values))
        except TraceError:  # another process has built or compacted the fleet since
            with self._lock:
                self._made = None
            return fetched(query_made(self._cursor(), text, values))

    def _cursor(self) -> duckdb.DuckDBPyConnection:
        """A new connection to the database."""
        with self._lock:
            if self._made is None:
                tables: dict[str, Source] = SearchFleet[Trace](self.folder, scanned=False).tables()
                self._made = connection({f"all_{name}": tables[name] for name in TABLES}, safe=True)
            return self._made.cursor()


def _is_short(value: Cell) -> bool:
    """Whether it has room under a bar."""
    return isinstance(value, (int, float)) and float(f"{value:.3g}") == value


def _told(value: Cell) -> Cell:
    """A value as JSON can carry it to a browser."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, int) and abs(value) > LARGEST_WHOLE:
        return str(value)
    return value
