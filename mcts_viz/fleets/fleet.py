"""A fleet as its users see it: tables of all searches in a folder, questions, findings, and each search as a trace."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Generic, TypeVar

import pyarrow as pa
import pyarrow.compute as pc

from mcts_viz.errors import TraceError
from mcts_viz.fleets.answer import Answer
from mcts_viz.fleets.building import refresh
from mcts_viz.fleets.columns import TABLES, schema
from mcts_viz.fleets.difference import (
    DETAILS,
    DifferentPair,
    FleetDifference,
    difference_rows,
)
from mcts_viz.fleets.parting import parting
from mcts_viz.fleets.place import place
from mcts_viz.fleets.query import Source, connection, fetched, query_made, runs_table
from mcts_viz.fleets.questions.findings import BY_CHECK, findings_by_check
from mcts_viz.fleets.questions.question import AnswerRow, Question
from mcts_viz.fleets.questions.registry import QUESTIONS
from mcts_viz.fleets.store import PartFiles
from mcts_viz.fleets.workers import HERE, Workers
from mcts_viz.health.finding import SEVERITIES, Finding
from mcts_viz.importing.opening import open_trace
from mcts_viz.trace.format import MANY_SUFFIX
from mcts_viz.trace.trace import Trace

if TYPE_CHECKING:
    import duckdb

AnyTrace = TypeVar("AnyTrace", bound=Trace)


class SearchFleet(Generic[AnyTrace]):
    """All searches in a folder. The tables are read when they are asked for."""

    def __init__(
        self,
        address: str | os.PathLike[str],
        workers: Workers = HERE,
        truth: int = 0,
        progress: bool = False,
        make: Callable[..., AnyTrace] = Trace,  # type: ignore[assignment]
        scanned: bool = True,
    ) -> None:
        """scanned: False takes the tables as they are. truth: positions that the solver may look at for each root
        move of a search. Raises TraceError for a missing folder, or unknown workers."""
        self._make = make
        self._files = PartFiles(place(address))
        self._kept: deque[duckdb.DuckDBPyConnection] = deque(maxlen=16)
        if scanned:
            self._parts = refresh(self._files, workers.checked(), truth, progress)
        else:
            self._parts = self._files.parts()

    @property
    def address(self) -> str:
        """Its folder, or its address in a store."""
        return self._files.at.address

    @cached_property
    def searches(self) -> pa.Table:
        """A row for each search, in the order of files and of their searches."""
        return self._table("searches").sort_by([("file", "ascending"), ("offset", "ascending")])

    @cached_property
    def moves(self) -> pa.Table:
        """A row for each move at a root, most visits first for each search."""
        return self._table("moves").sort_by(
            [("search_id", "ascending"), ("visits", "descending"), ("node", "ascending")]
        )

    @cached_property
    def findings(self) -> pa.Table:
        """A row for each finding of each search."""
        return self._table("findings").sort_by([("search_id", "ascending")])

    def __len__(self) -> int:
        return int(self._table("searches", ["offset"]).num_rows)

    def open(self, search_id: str) -> AnyTrace:
        """The search of that id as a trace; raises TraceError for one that is not there, or cannot be read."""
        is_it = pc.field("search_id") == search_id
        columns = ["file", "offset"]
        rows = self._files.read("searches", self._parts, columns, is_it).to_pylist()
        if not rows:
            raise TraceError(
                f"{search_id!r} is no id of a search here; take one of the column search_id, such as {self._example()}"
            )
        name, number = rows[0]["file"], rows[0]["offset"]
        with self._files.at.opened(name) as path:
            is_many = name.lower().endswith(MANY_SUFFIX)
            found = open_trace(self._make, path, None, number if is_many else None)
            _ = found.columns  # read while the file is there
            return found

    def sql(self, query: str, safe: bool = False) -> duckdb.DuckDBPyRelation:
        """What a query selects from the tables `searches`, `moves`, `findings` and `runs` (run, tags), as a relation of
        DuckDB: `.df()`, `.arrow()`, `.fetchall()`. safe: for a query that comes from elsewhere, which can read nothing
        but these tables and change nothing. Raises TraceError, which says what is wrong and what columns there are."""
        made = connection(self.tables(safe), safe)
        self._kept.append(made)  # a relation of some versions does not hold its own
        return query_made(made, query)

    def ask(self, name: str) -> Answer:
        """The answer to a stored question: its rows, its picture, and what they show to be wrong. Raises TraceError
        for an unknown question; `questions` has their names."""
        if name not in QUESTIONS:
            raise TraceError(
                f"there is no stored question {name!r}; there are {', '.join(QUESTIONS)}"
            )
        return self._answer(QUESTIONS[name], connection(self.tables(), safe=False))

    @property
    def questions(self) -> dict[str, str]:
        """The stored questions: the sentence of each by its name."""
        return {name: each.sentence for name, each in QUESTIONS.items()}

    def check(self) -> list[Finding]:
        """What is wrong with the fleet, worst first: what the stored questions find across searches, then the findings
        of single searches, each check once, with how many have it. Empty for a fleet without searches."""
        made = connection(self.tables(), safe=False)
        found = [
            each
            for question in QUESTIONS.values()
            for each in self._answer(question, made).findings
        ]
        found += findings_by_check(fetched(query_made(made, BY_CHECK)).to_pylist(), len(self))
        return sorted(found, key=lambda each: SEVERITIES.index(each.severity))

    def diff(self, other: SearchFleet[AnyTrace], details: int = DETAILS) -> FleetDifference:
        """This fleet, A, beside another one, B: which searches of the same game, position, seed and budget differ,
        worst first; of the first `details` pairs from which iteration and node on, by which score. A pair has in common
        whatever setting has the same values in both fleets, so that one that was changed on purpose does not count."""
        keys, n, table = difference_rows(self.tables(), other.tables())
        pairs = tuple(self._pair(other, row) for row in table.slice(0, details).to_pylist())
        return FleetDifference(
            (self.address, other.address), keys, len(self), len(other), n, table, pairs
        )

    def _pair(self, other: SearchFleet[AnyTrace], row: AnswerRow) -> DifferentPair:
        try:
            a, b = self.open(str(row["search_id_a"])), other.open(str(row["search_id_b"]))
            return DifferentPair(row, parting(a, b))
        except TraceError as err:  # the files are gone, or are other ones by now
            return DifferentPair(row, None, str(err))

    def _answer(self, question: Question, made: duckdb.DuckDBPyConnection) -> Answer:
        return Answer(question, fetched(query_made(made, question.sql)))

    def tables(self, safe: bool = False) -> dict[str, Source]:
        """What a query may select from; safe: as Arrow's tables, for a database that may read no files."""
        self._parts = self._files.parts()
        found: dict[str, Source] = {}
        for name in TABLES:
            paths = None if safe else self._files.paths(name, self._parts)
            if not self._parts:
                found[name] = schema(name).empty_table()
            else:
                found[name] = self._files.dataset(name, self._parts) if paths is None else paths
        runs = sorted({part.run for part in self._parts})
        return {**found, "runs": runs_table(runs, self.tags)}

    @property
    def tags(self) -> dict[str, list[str]]:
        """The tags of each run that has some."""
        return self._files.tags()

    def tag_run(self, run: str, tags: Sequence[str]) -> None:
        """Give a run its tags, in place of those it has; raises TraceError for an unknown run."""
        self.files_of(run)
        self._files.set_tags(run, tags)

    def files_of(self, run: str) -> list[str]:
        """The trace files of a run; raises TraceError for an unknown run."""
        runs = sorted({part.run for part in self._parts})
        if run not in runs:
            raise TraceError(
                f"{self.address}: there is no run {run!r}; there are {', '.join(runs[:20]) or 'none'}"
            )
        names = self._files.read("searches", [p for p in self._parts if p.run == run], ["file"])
        return sorted(set(names["file"].to_pylist()))

    def delete_run(self, run: str) -> None:
        """Delete the traces and the rows of a run, and its tags; raises TraceError for an unknown run."""
        for name in self.files_of(run):
            self._files.at.delete(name)
        for part in self._parts:
            if part.run == run:
                self._files.delete(part)
        self._files.set_tags(run, ())
        self._changed()

    def compact(self) -> tuple[int, int]:
        """Make few files of the many that the tables lie in; how many parts there were, and are."""
        counts = self._files.compact()
        self._changed()
        return counts

    def _changed(self) -> None:
        self._parts = self._files.parts()
        for name in TABLES:
            vars(self).pop(name, None)

    def _example(self) -> str:
        ids = self.searches["search_id"]
        return repr(ids[0].as_py()) if len(ids) else "runs/a.many#0"

    def _table(self, name: str, columns: Sequence[str] | None = None) -> pa.Table:
        try:
            return self._files.read(name, self._parts, columns)
        except FileNotFoundError:  # another process has built or compacted the fleet since
            self._changed()
            return self._files.read(name, self._parts, columns)

    def __repr__(self) -> str:
        return f"<fleet of {len(self):,} searches in {self.address}>"
