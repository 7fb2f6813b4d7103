"""The scan: trace files into part files, task by task, each in a process of its own where there are several.

A task reads some files of one run and writes one part. What a part is called follows from what it is made of, so that a
task that was done twice is there once.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa

from mcts_viz.errors import MctsVizError
from mcts_viz.fleets.columns import TABLES, schema
from mcts_viz.fleets.matches import MatchFolders
from mcts_viz.fleets.place import Folder, FoundFile, Store
from mcts_viz.fleets.store import Part, PartFiles, part_name
from mcts_viz.fleets.summary import Depth, Row, Summary, summary
from mcts_viz.importing.opening import open_trace
from mcts_viz.trace.format import MANY_SUFFIX
from mcts_viz.trace.many_file import ManyFile
from mcts_viz.trace.trace import Trace

TASK_BYTES = 3 << 19  # of traces: a second or two of work
SEARCH_BYTES = 4 << 10  # that each search counts for beside its own
SAMPLED = 100  # one search of this many is checked in full
# what a damaged or hostile file may lead to; every one of them becomes the `error` of a row
FAILURES = (
    MctsVizError, ArithmeticError, AttributeError, LookupError, MemoryError, OSError, RuntimeError,
    TypeError, ValueError,
)  # fmt: skip


class Piece(NamedTuple):
    """Searches of a file."""

    file: FoundFile
    first: int
    last: int | None  # the first one after the range; None: to the end of the file
    weight: int  # bytes, as work goes by them


class MissingSearches(NamedTuple):
    """A file of which searches are to be scanned."""

    file: FoundFile
    known: frozenset[int]  # numbers of those that were


class ScanTask(NamedTuple):
    """What one part is made of."""

    run: str
    pieces: tuple[Piece, ...]

    @property
    def n(self) -> int:
        """Searches."""
        return sum(1 if piece.last is None else piece.last - piece.first for piece in self.pieces)


def tasks(
    at: Folder | Store, missing: Iterable[MissingSearches], run_of: Callable[[str], str]
) -> list[ScanTask]:
    """The searches, in tasks of at least a second where there is so much."""
    by_run: dict[str, list[Piece]] = {}
    for each in missing:
        by_run.setdefault(run_of(each.file.name), []).extend(_pieces(at, *each))
    return [
        ScanTask(run, group) for run, pieces in sorted(by_run.items()) for group in _groups(pieces)
    ]


def _pieces(at: Folder | Store, file: FoundFile, known: frozenset[int]) -> Iterator[Piece]:
    whole = Piece(file, 0, None, SEARCH_BYTES + file.size)
    if not file.name.lower().endswith(MANY_SUFFIX) or isinstance(at, Store):
        yield whole  # what is in a store, only workers fetch
        return
    try:
        with at.opened(file.name) as path:
            n = _rows_of(ManyFile(path))
    except FAILURES:
        yield whole
        return
    each = SEARCH_BYTES + file.size // n
    most, first = max(1, TASK_BYTES // each), 0
    for number in range(n + 1):
        if number == n or number in known or number - first == most:
            if number > first:
                yield Piece(file, first, number, each * (number - first))
            first = number + (number in known)


def _rows_of(many: ManyFile[Trace]) -> int:
    """A row for each search, and one that says what is lost, or that there is none."""
    return len(many) + (many.damage is not None or len(many) == 0)


def _groups(pieces: Sequence[Piece]) -> Iterator[tuple[Piece, ...]]:
    group: list[Piece] = []
    weight = 0
    for piece in pieces:
        if group and weight + piece.weight > TASK_BYTES:
            yield tuple(group)
            group, weight = [], 0
        group.append(piece)
        weight += piece.weight
    if group:
        yield tuple(group)


def scan(at: Folder | Store, task: ScanTask, truth: int) -> int:
    """Write a task's part; how many searches the task had."""
    matches = MatchFolders(at)
    rows: dict[str, list[Row]] = {table: [] for table in TABLES}
    for piece in task.pieces:
        for search in _searches(at, piece, truth):
            search_id = str(search.search["search_id"])
            owner = {"search_id": search_id, "run": task.run}
            rows["searches"].append(
                {**search.search, **matches.about(piece.file.name, search.search), **owner}
            )
            rows["moves"] += ({**move, **owner} for move in search.moves)
            rows["findings"] += ({**finding, **owner} for finding in search.findings)
    tables = {table: _table(table, each) for table, each in rows.items()}
    PartFiles(at).write(Part(task.run, part_name([task, truth])), tables)
    return task.n


def _table(name: str, rows: Sequence[Mapping[str, object]]) -> pa.Table:
    return pa.Table.from_pylist(list(rows), schema=schema(name))


def _searches(at: Folder | Store, piece: Piece, truth: int) -> Iterator[Summary]:
    """A row for each search of a piece, whatever is in the file."""
    file = piece.file
    try:
        with at.opened(file.name) as path:
            if file.name.lower().endswith(MANY_SUFFIX):
                many: ManyFile[Trace] = ManyFile(path)
                n = _rows_of(many)
                for number in range(piece.first, n if piece.last is None else piece.last):
                    yield _of_many(many, number, file, n, truth)
            else:
                yield _row(lambda: open_trace(Trace, path), file, 0, 1, f"{file.name}#0", truth)
    except FAILURES as err:  # not to be opened at all
        yield _failed(file, 0, 1, f"{file.name}#0", _words(err, file))


def _of_many(many: ManyFile[Trace], number: int, file: FoundFile, n: int, truth: int) -> Summary:
    search_id = f"{file.name}#{number}"
    if number >= len(many):
        lost = many.damage or "holds no search"
        return _failed(file, number, n, search_id, lost)
    return _row(lambda: many[number], file, number, n, search_id, truth)


def _row(
    opened: Callable[[], Trace], file: FoundFile, number: int, n: int, search_id: str, truth: int
) -> Summary:
    full = zlib.crc32(search_id.encode()) % SAMPLED == 0
    try:
        found = summary(opened(), Depth(full, truth))
    except FAILURES as err:
        return _failed(file, number, n, search_id, _words(err, file))
    return Summary(
        {**found.search, **_origin(file, number, n, search_id)}, found.moves, found.findings
    )


def _failed(file: FoundFile, number: int, n: int, search_id: str, words: str) -> Summary:
    return Summary({**_origin(file, number, n, search_id), "error": words})


def _words(err: BaseException, file: FoundFile) -> str:
    """What is wrong, without the folder that the file is in here."""
    told = str(err) or type(err).__name__
    words = re.sub(rf"^.*?{re.escape(Path(file.name).name)}(: |, )", "", told)
    return words if isinstance(err, MctsVizError) else f"{type(err).__name__}: {words}"


def _origin(file: FoundFile, number: int, n: int, search_id: str) -> Row:
    return {
        "search_id": search_id,
        "file": file.name,
        "offset": number,
        "file_searches": n,
        "file_bytes": file.size,
        "file_state": file.state,
    }
