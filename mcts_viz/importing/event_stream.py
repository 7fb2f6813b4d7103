"""Imports a stream of events into a trace file, while it comes: the file can be followed.

Ties lines, their metadata and their rows to a trace's writer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec

from mcts_viz.errors import ImportFormatError
from mcts_viz.importing.event_blocks import MOST
from mcts_viz.importing.event_header import MARK, GameFinder, is_header, metadata
from mcts_viz.importing.event_types import FIELDS, SearchEvent, event_of
from mcts_viz.importing.events import EventLog
from mcts_viz.importing.import_report import ImportReport
from mcts_viz.importing.sources import ImportSource, lines
from mcts_viz.importing.stream_ids import LostNodesError
from mcts_viz.trace.format import BATCH_ITERATIONS, BATCH_SECONDS
from mcts_viz.trace.meta import TraceMeta
from mcts_viz.trace.strict_json import is_not_utf8
from mcts_viz.trace.words import plural
from mcts_viz.trace.writer import TraceWriter
from mcts_viz.types import ReadDocument

BEGINS_LIKE_AN_EVENT = re.compile(rb'\s*\{\s*"(%s)"\s*:' % "|".join((MARK, *FIELDS)).encode())
BEGINS_LIKE_AN_OBJECT = re.compile(rb"\s*\{")
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
Checked = Callable[[TraceMeta], None]  # raises MctsVizError for metadata that cannot be shown


def looks_like_events(head: bytes) -> bool:
    """Whether a stream that begins so is one of events."""
    first = head.lstrip(BYTE_ORDER_MARK + b" \t\r\n").split(b"\n")[0]
    if BEGINS_LIKE_AN_EVENT.match(first):
        return True
    line = _any_json(first)
    return isinstance(line, dict) and bool(line.keys() & {MARK, *FIELDS})


class EventStream:
    """One import of one stream. Raises ImportFormatError for a bad line, unless it is lenient: then
    such lines are skipped and counted."""

    def __init__(
        self,
        source: ImportSource,
        path: Path,
        find_game: GameFinder,
        check: Checked,
        software: Mapping[str, str],
        lenient: bool = False,
        sync: float | None = None,
    ) -> None:
        self._source, self._path, self._lenient = source, path, lenient
        self._sync = sync  # as of a `TraceWriter`
        self._find_game, self._check, self._software = find_game, check, software
        self._header: ReadDocument | None = None  # None: no metadata have come
        self._header_at = "line 1"
        self._n_before = 0  # lines that were skipped before the metadata
        self._writer: TraceWriter | None = None
        self._log: EventLog | None = None
        self.report = ImportReport(path)

    def run(self) -> ImportReport:
        """Read to the stream's end. If it ends early, the file holds what was read until then."""
        try:
            for number, found in lines(self._source, BATCH_SECONDS / 2):
                self._take_all(number, found)
                if self.report.given_up:
                    break
                self._pause()
            self._end()
        finally:
            if self._writer is not None:
                self._put()
                self._writer.abandon()  # nothing, where it was closed
        return self.report

    def _take_all(self, first: int, found: list[bytes]) -> None:
        """Lines that have come together, the first of them with that number."""
        told = [(number, line) for number, line in enumerate(found, first) if line.strip()]
        for at in range(0, len(told), MOST):
            some = told[at : at + MOST]
            if self._take_block([line for _, line in some]):
                continue
            for number, line in some:
                self._take(number, line)
                if self.report.given_up:
                    return

    def _take_block(self, found: list[bytes]) -> bool:
        """Take in many events at once; False where they have to be taken one by one."""
        if self._log is None or self._writer is None or not self._log.tries_block(len(found)):
            return False
        self._put()
        rows = self._log.block(found)
        if rows is None:
            return False
        self.report.n_lines += len(found)
        self.report.n_iterations += rows.n
        self.report.n_nodes += len(rows.nodes)
        self._writer.append(rows)
        return True

    def _take(self, number: int, line: bytes) -> None:
        self.report.n_lines += 1
        line = line.removeprefix(BYTE_ORDER_MARK)
        try:
            header = _metadata_in(line) if MARK.encode() in line else None
            if header is not None and is_header(header):
                self._take_header(header, number)
            else:
                self._add(event_of(line))
        except HeaderError:
            raise  # not one of the lines that can be skipped, and it names its own
        except ImportFormatError as err:
            told = f"{self._source.name}, line {number:,}: {err}"
            if not self._lenient:
                raise ImportFormatError(self._with_remedy(told)) from err
            self._skip(told, line, err)

    def _take_header(self, header: ReadDocument, number: int) -> None:
        """The metadata. Whatever was skipped before them was no event: the tree begins here."""
        if self._header is not None or self.report.n_iterations:
            raise ImportFormatError(
                f"{MARK}: metadata can only stand in the first line; begin another stream"
            )
        self._header, self._header_at = header, f"line {number:,}"
        self._n_before = self.report.n_skipped
        self._log = None

    def _add(self, event: SearchEvent) -> None:
        if self._log is None:
            self._log = EventLog(self._metadata({}))
        self._log.resume(event)
        self._log.add(event)
        if self._writer is None:
            self._writer = self._begun(msgspec.structs.asdict(event))
        self.report.n_iterations += 1
        if len(self._log) >= BATCH_ITERATIONS:
            self._put()

    def _begun(self, first: ReadDocument) -> TraceWriter:
        return TraceWriter(self._path, self._metadata(first), sync=self._sync)

    def _metadata(self, first: ReadDocument) -> TraceMeta:
        """The trace's, with the first good event, which tells what all of them have."""
        try:
            header = {MARK: 1} if self._header is None else self._header
            meta = metadata(header, first, self._find_game, self._software)
            self._check(meta)
        except ImportFormatError as err:
            raise HeaderError(f"{self._source.name}, {self._header_at}: {err}") from err
        return meta

    def _skip(self, told: str, line: bytes, err: ImportFormatError) -> None:
        self.report.skip(told, because_of_another=isinstance(err, LostNodesError))
        if self._writer is None and not BEGINS_LIKE_AN_OBJECT.match(line):
            return  # what a program says before its search: no event, so that no node was made
        if self._log is None:
            self._log = EventLog(self._metadata({}))
        self._log.skip(_any_json(line))
        if not self._log.ids.can_go_on:
            self.report.given_up = (
                "nobody knows how many nodes that line made, so the ids of all lines after it are uncertain, and "
                'reading ended there; number the nodes ("node": their id, in new_nodes) to go on after such a line'
            )

    def _with_remedy(self, told: str) -> str:
        if self._writer is None:
            return f"{told} (`mcts-viz import --lenient` skips such lines)"
        return (
            f"{told}. {self._path} holds the {plural(self.report.n_iterations, 'iteration')} before it "
            "(`mcts-viz import --lenient` skips such lines)"
        )

    def _pause(self) -> None:
        """Between two pieces: write what there is, for a page that follows."""
        if self._writer is not None and self._writer.is_due:
            self._put()
            self._writer.flush()
        if self._writer is not None:
            self._writer.make_safe()

    def _put(self) -> None:
        if self._log is not None and self._writer is not None and len(self._log):
            rows = self._log.take()
            self.report.n_nodes += len(rows.nodes)
            self._writer.append(rows)

    def _end(self) -> None:
        if self._writer is None:
            if self._header is None or self.report.n_skipped > self._n_before:
                why = self.report.given_up or "write one JSON object a line"
                raise ImportFormatError(f"{self._source.name}: there is no event in it; {why}")
            self._writer = self._begun({})
        self._put()
        if not self.report.given_up:
            self._writer.close()


class HeaderError(ImportFormatError):
    """Metadata that cannot be used: without them there is no trace."""


def _metadata_in(line: bytes) -> object:
    """The line as JSON of any kind, None where it is none; raises ImportFormatError for one that has their key."""
    try:
        return msgspec.json.decode(line)
    except msgspec.DecodeError as err:
        if (
            is_not_utf8(err)
            or not BEGINS_LIKE_AN_OBJECT.match(line)
            or f'"{MARK}"'.encode() not in line
        ):
            return None
        what = str(err).partition(" - at")[0].removeprefix("JSON is malformed: ")
        raise ImportFormatError(
            f"the metadata are no JSON: {what[:1].lower() + what[1:]}; JSON has no NaN and no Infinity, leave such a "
            "key out"
        ) from err
    except (ValueError, RecursionError):
        return None


def _any_json(line: bytes) -> object:
    """The line as JSON of any kind; None where it is none."""
    try:
        return msgspec.json.decode(line)
    except (ValueError, RecursionError):
        return None
