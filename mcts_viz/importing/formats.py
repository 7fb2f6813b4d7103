"""Imports what other programs have written about their searches, as a trace file.

One small table says which formats there are; a new one is a line in it.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from mcts_viz import games
from mcts_viz.arguments import names_wrong_arguments
from mcts_viz.errors import GameError, ImportFormatError, TraceError, UnknownFormatError
from mcts_viz.games.position import StartPosition
from mcts_viz.importing.agent_logs import AGENT_LOGS, import_agent_log
from mcts_viz.importing.event_stream import EventStream, looks_like_events
from mcts_viz.importing.import_report import ImportReport
from mcts_viz.importing.llm_reasoners import from_llm_reasoners
from mcts_viz.importing.packed import check_unpacked
from mcts_viz.importing.snapshots import from_snapshots
from mcts_viz.importing.sources import STANDARD_INPUT, ImportSource
from mcts_viz.trace.format import MANY_SUFFIX
from mcts_viz.trace.many_writer import ManyWriter
from mcts_viz.trace.meta import TraceMeta
from mcts_viz.trace.software import software
from mcts_viz.trace.trace import Trace, read_file
from mcts_viz.trace.writer import checked_sync

BEGINS_LIKE_A_LOG = re.compile(rb'\s*\{\s*"logs"\s*:')
SHOWN = 60  # bytes of a line in a message
SAYS_SNAPSHOT = re.compile(rb'"format"\s*:\s*"mcts_viz\.snapshot"')


class ImportOptions(NamedTuple):
    """How something is imported."""

    lenient: bool = False  # skip what is bad
    sync: float | None = (
        None  # seconds between two times that what comes bit by bit is put on the disk
    )
    fields: Mapping[str, str] | None = None  # of records: meaning -> name
    redact: bool = False  # strike out secrets in texts


class Importer(NamedTuple):
    """One format."""

    title: str
    recognises: Callable[[bytes], bool]  # by how it begins
    run: Callable[
        [Sequence[ImportSource], Path, ImportOptions], ImportReport
    ]  # into the trace to write


@names_wrong_arguments
def import_trace(
    source: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    lenient: bool = False,
    sync: float | None = None,
    fields: Mapping[str, str] | None = None,
    redact: bool = False,
) -> ImportReport:
    """Write a trace file from what another program has written; docs/trace-format.md specifies the
    events that any language can write.

    source: a file, several of them, or "-" for standard input, which may still be open: what comes
    is written at once, so that the file can be followed. path: the trace; with the suffix .many a file of many
    searches, to which each source gives one, in their order (all snapshots together give one). format: one of
    `IMPORTERS`; None: told by how the source begins. lenient: skip and count bad lines, where they
    would raise an error; what a program says before its events is such a line. sync: seconds after which what has come
    is on the disk, should the machine fail; None: at the end. fields: of records that name their parents, what the
    log calls their id, parent, order, value, visits, text, cost, error and others (docs/agent-logs.md). redact:
    strike out secrets in the texts of such a log, such as keys of services.

    Raises ImportFormatError naming the line, its field, what was expected and how to mend it; what
    came before it is in the file.
    """
    names = [source] if isinstance(source, (str, os.PathLike)) else list(source)
    target = Path(path)
    if not all(map(str, names)) or not names:
        raise ImportFormatError(
            'source: names no file; give one, several, or "-" for standard input'
        )
    for name in names:
        if target.exists() and Path(name).exists() and os.path.samefile(name, target):
            raise ImportFormatError(
                f"{target}: would be read and written at once; write to another file"
            )
    if target.suffix.lower() == MANY_SUFFIX:
        return _import_many(names, target, ImportOptions(lenient, None, fields, redact), format)
    sources = [ImportSource(name) for name in names]
    try:
        name = _importer(format or ("records" if fields else None), sources[0], lenient)
        if fields and name != "records":
            raise ImportFormatError(
                f"fields: the format {name} has its own names of fields; leave them out, or import it as records"
            )
        if redact and name not in AGENT_LOGS:
            raise ImportFormatError(
                f"redact: secrets can be struck out of logs of agents ({', '.join(AGENT_LOGS)}), and this is {name}; "
                "leave it out"
            )
        return IMPORTERS[name].run(
            sources, target, ImportOptions(lenient, checked_sync(sync), fields, redact)
        )
    finally:
        for each in sources:
            each.close()


def _import_many(
    names: Sequence[str | os.PathLike[str]], path: Path, options: ImportOptions, format: str | None
) -> ImportReport:
    """Each source a search of the file. A source that is wrong ends it; those before are in the file."""
    total = ImportReport(path, n_nodes=0)
    is_one = "snapshots" in (format, _format_of(names[0]))
    with ManyWriter(path) as many, tempfile.TemporaryDirectory() as folder:
        for group in [names] if is_one else [[name] for name in names]:
            part = Path(folder, "one.mcts")
            told = import_trace(
                group, part, format=format, lenient=options.lenient, fields=options.fields, redact=options.redact
            )  # fmt: skip
            file, columns = read_file(part)
            try:
                many.append(Trace(file.meta, columns, file))
            except TraceError as err:
                raise ImportFormatError(f"{os.fspath(group[0])}: {err}") from err
            total.add(told)
    return total


def importable(path: str | os.PathLike[str]) -> str | None:
    """The name of the format of a file that becomes a trace by being imported; None for a trace, a snapshot, and
    what is no format of ours. Raises ImportFormatError for a file that cannot be read."""
    found = _format_of(path)
    return None if found == "snapshots" else found


def _format_of(path: str | os.PathLike[str]) -> str | None:
    """The name of the format of a file; None for standard input, which can be read only once."""
    if os.fspath(path) == STANDARD_INPUT:
        return None
    source = ImportSource(path)
    try:
        return _recognised(source.head())
    finally:
        source.close()


def _recognised(head: bytes) -> str | None:
    """The name of the format that begins so. Events come last: what they call elapsed or outcome may be a field of a
    record as well."""
    names = sorted(IMPORTERS, key="events".__eq__)
    return next((name for name in names if IMPORTERS[name].recognises(head)), None)


def _importer(name: str | None, source: ImportSource, lenient: bool) -> str:
    """The name of the format to read the source as."""
    if name is not None:
        if name not in IMPORTERS:
            raise ImportFormatError(
                f"there is no format {name!r}; choose one of: {', '.join(IMPORTERS)}"
            )
        return name
    head = source.head()
    found = _recognised(head)
    if found is not None:
        return found
    if lenient and _has_events_later(source, head):
        return "events"
    if not head.strip():
        raise ImportFormatError(f"{source.name}: empty, so there is nothing to import")
    check_unpacked(source.name, head)
    known = "; ".join(f"{name}: {importer.title}" for name, importer in IMPORTERS.items())
    why = "not a format that is known by how it begins"
    if not any(bracket in head for bracket in b"{["):
        first = head.lstrip().split(b"\n")[0].strip()[:SHOWN].decode(errors="replace")
        why = f"not a format that is known, and no event in it: it begins with {first!r}"
    raise UnknownFormatError(f"{source.name}: {why}. These can be read: {known}")


def _has_events_later(source: ImportSource, head: bytes) -> bool:
    """Whether events may follow lines that are none. A pipe is taken to have some: one cannot look
    ahead in it without waiting, and no other format is piped."""
    return not source.is_file or any(looks_like_events(line) for line in head.splitlines())


def _import_events(
    sources: Sequence[ImportSource], path: Path, options: ImportOptions
) -> ImportReport:
    if len(sources) > 1:
        raise ImportFormatError(
            f"{sources[1].name}: events come as one stream; import each file into a trace of its own"
        )
    return EventStream(
        sources[0], path, find_game, check_metadata, software(), options.lenient, options.sync
    ).run()


def _import_log(
    sources: Sequence[ImportSource], path: Path, options: ImportOptions
) -> ImportReport:
    return _report(from_llm_reasoners(Trace, _one_file(sources), path), path)


def _agent_importer(name: str) -> Importer:
    """Of a log whose records name their parents."""
    kind = AGENT_LOGS[name]

    def run(sources: Sequence[ImportSource], path: Path, options: ImportOptions) -> ImportReport:
        return import_agent_log(
            kind, _one_file(sources), path, options.fields, options.lenient, options.redact
        )

    return Importer(kind.title, kind.recognises, run)


def _import_snapshots(
    sources: Sequence[ImportSource], path: Path, options: ImportOptions
) -> ImportReport:
    return _report(from_snapshots(Trace, _files(sources), path), path)


def _one_file(sources: Sequence[ImportSource]) -> str:
    if len(sources) > 1:
        raise ImportFormatError(
            f"{sources[1].name}: a log holds a search; import each file into a trace of its own"
        )
    return _files(sources)[0]


def _files(sources: Sequence[ImportSource]) -> list[str]:
    """Names of sources that are read as a whole."""
    if any(source.path == STANDARD_INPUT for source in sources):
        raise ImportFormatError(
            "standard input: this format is read as a whole; write it to a file first, and name that"
        )
    return [source.path for source in sources]


def _report(trace: Trace, path: Path) -> ImportReport:
    return ImportReport(path, trace.n_iterations, trace.n_nodes, n_lines=trace.n_iterations)


def find_game(name: str, start: Sequence[str | int]) -> StartPosition | None:
    """The built-in game of that name at the position after some moves; None for another one. Raises
    ImportFormatError for moves that it does not have."""
    try:
        played = games.game(name)
    except GameError:
        return None
    try:
        return StartPosition(played, start)
    except GameError as err:
        raise ImportFormatError(f"start: {err}") from err


def check_metadata(meta: TraceMeta) -> None:
    """Raise ImportFormatError for a formula of ours that lacks its constant."""
    if meta.formula is not None and meta.policies.selection.c is None:
        raise ImportFormatError(
            "policies.selection.c: None; write the formula's constant, such as 1.4"
        )


IMPORTERS: dict[str, Importer] = {
    "events": Importer(
        "one JSON object an iteration, a line each", looks_like_events, _import_events
    ),
    "llm-reasoners": Importer(
        "a JSON log of llm-reasoners",
        lambda head: BEGINS_LIKE_A_LOG.match(head) is not None,
        _import_log,
    ),
    "snapshots": Importer(
        "snapshots of one search as JSON, several files",
        lambda head: SAYS_SNAPSHOT.search(head) is not None,
        _import_snapshots,
    ),
    **{name: _agent_importer(name) for name in AGENT_LOGS},
}
