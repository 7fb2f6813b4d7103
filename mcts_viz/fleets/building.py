"""Brings the tables of a fleet up to date: what is missing or changed is scanned, what is gone leaves the tables."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from mcts_viz.errors import TraceError, WorkersKilledError
from mcts_viz.fleets.matches import MatchFolders
from mcts_viz.fleets.place import FoundFile
from mcts_viz.fleets.scan import MissingSearches, scan, tasks
from mcts_viz.fleets.store import Part, PartFiles
from mcts_viz.fleets.workers import Workers
from mcts_viz.runs.progress import bar_of_searches
from mcts_viz.trace.words import plural
from mcts_viz.types import Document

ATTEMPTS = 5  # in a row without any progress, while processes are killed
OF_FILES = ["file", "file_bytes", "file_state"]


def refresh(
    files: PartFiles, workers: Workers, truth: int = 0, progress: bool = False
) -> list[Part]:
    """Scan what is missing; the parts that there are then. Interrupted, it keeps what is done."""
    at, attempts = files.at, 0
    matches = MatchFolders(at)
    found = at.traces()
    parts, missing = consistent(files, found)
    while missing:
        todo = tasks(at, missing, lambda name: matches.run_of(name, at.name))
        before, done = missing, 0
        try:
            with bar_of_searches(sum(task.n for task in todo), progress) as told:
                for n in workers.results(functools.partial(scan, at, truth=truth), todo):
                    done += n
                    told(done, 0)
        except WorkersKilledError as err:
            attempts = 0 if done else attempts + 1
            if attempts == ATTEMPTS:
                raise TraceError(
                    f"{at.address}: {plural(ATTEMPTS, 'scan')} in a row ended because a process was killed, for "
                    f"want of memory perhaps; what is done is kept. Use fewer jobs; next is {before[0].file.name}"
                ) from err
        parts, missing = consistent(files, found)
        if missing == before and done:
            break  # files that change while they are scanned: the next time
    return parts


def consistent(
    files: PartFiles, found: Sequence[FoundFile]
) -> tuple[list[Part], list[MissingSearches]]:
    """The parts, rid of rows that are stale or there twice, and the files whose searches are not all there."""
    parts = files.parts()
    now = {file.name: file for file in found}
    groups = _files_of(files, parts)
    stale = {each["file"] for each in groups if not _is_as_it_was(each, now)}
    if stale or any(each["offset_count"] > each["offset_count_distinct"] for each in groups):
        _clean(files, parts, now)
        parts = files.parts()
        groups = _files_of(files, parts)
    whole = {each["file"] for each in groups if each["offset_count"] == each["file_searches_max"]}
    begun = {each["file"] for each in groups} - whole
    known: dict[str, set[int]] = {name: set() for name in begun}
    if begun:
        rows = files.read("searches", parts, ["file", "offset"])
        rows = rows.filter(pc.is_in(rows["file"], pa.array(sorted(begun), pa.string())))
        for name, number in zip(*(column.to_pylist() for column in rows.columns)):
            known[name].add(number)
    return parts, [
        MissingSearches(file, frozenset(known.get(file.name, ())))
        for file in found
        if file.name not in whole
    ]


def _files_of(files: PartFiles, parts: Sequence[Part]) -> list[Document]:
    """Each file with how many of its searches there are, for each state that it was scanned in."""
    table = files.read("searches", parts, [*OF_FILES, "offset", "file_searches"])
    counted = table.group_by(OF_FILES).aggregate(
        [("offset", "count"), ("offset", "count_distinct"), ("file_searches", "max")]
    )
    found: list[Document] = counted.to_pylist()
    return found


def _is_as_it_was(row: Document, now: dict[str, FoundFile]) -> bool:
    file = now.get(row["file"])
    return file == FoundFile(row["file"], row["file_bytes"], row["file_state"])


def _clean(files: PartFiles, parts: Sequence[Part], now: dict[str, FoundFile]) -> None:
    """Take out of the parts what is stale, and what another one has."""
    seen: set[str] = set()
    for part in parts:
        rows = files.read("searches", [part], ["search_id", *OF_FILES]).to_pylist()
        wrong = {each["search_id"] for each in rows if not _is_as_it_was(each, now)}
        wrong |= {each["search_id"] for each in rows} & seen
        seen |= {each["search_id"] for each in rows} - wrong
        if wrong:
            files.without(part, pa.array(sorted(wrong), pa.string()))
