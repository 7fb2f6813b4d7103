"""Imports what other programs have written about their searches, as a trace file.

One small table says which formats there are; a new one is a line in it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from mcts_viz import games
from mcts_viz.adapters.event_header import Game
from mcts_viz.adapters.event_stream import EventStream, looks_like_events
from mcts_viz.adapters.import_report import ImportReport
from mcts_viz.adapters.sources import STANDARD_INPUT, Source
from mcts_viz.errors import GameError, ImportFormatError
from mcts_viz.formulas.selection import SELECTION_FORMULAS
from mcts_viz.libraries import from_llm_reasoners, from_snapshots
from mcts_viz.recorder import software
from mcts_viz.trace.trace import Trace

BEGINS_LIKE_A_LOG = re.compile(rb'\s*\{\s*"logs"\s*:')
SAYS_SNAPSHOT = re.compile(rb'"format"\s*:\s*"mcts_viz\.snapshot"')


class Importer(NamedTuple):
    """One format."""

    title: str
    recognises: Callable[[bytes], bool]  # by how it begins
    # (what to read, the trace to write, whether to skip what is bad) -> what came of it
    run: Callable[[Sequence[Source], Path, bool], ImportReport]


def import_trace(
    source: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    lenient: bool = False,
) -> ImportReport:
    """Write a trace file from what another program has written; docs/trace-format.md specifies the
    events that any language can write.

    source: a file, several of them, or "-" for standard input, which may still be open: what comes
    is written at once, so that the file can be followed. format: one of `IMPORTERS`; None: told by
    how the source begins. lenient: skip and count bad lines, where they would raise an error; what a
    program says before its events is such a line.

    Raises ImportFormatError naming the line, its field, what was expected and how to mend it; what
    came before it is in the file.
    """
    names = [source] if isinstance(source, (str, os.PathLike)) else list(source)
    target = Path(path)
    for name in names:
        if target.exists() and Path(name).exists() and os.path.samefile(name, target):
            raise ImportFormatError(
                f"{target}: would be read and written at once; write to another file"
            )
    sources = [Source(name) for name in names]
    try:
        importer = _importer(format, sources[0], lenient)
        return importer.run(sources, target, lenient)
    finally:
        for each in sources:
            each.close()


def _importer(name: str | None, source: Source, lenient: bool) -> Importer:
    if name is not None:
        if name not in IMPORTERS:
            raise ImportFormatError(
                f"there is no format {name!r}; choose one of: {', '.join(IMPORTERS)}"
            )
        return IMPORTERS[name]
    head = source.head()
    for importer in IMPORTERS.values():
        if importer.recognises(head):
            return importer
    if lenient and _has_events_later(source, head):
        return IMPORTERS["events"]
    known = "; ".join(f"{name}: {importer.title}" for name, importer in IMPORTERS.items())
    raise ImportFormatError(
        f"{source.name}: not a format that is known by how it begins; choose one with --format ({known})"
    )


def _has_events_later(source: Source, head: bytes) -> bool:
    """Whether there may be events after lines that are none. A pipe is taken to have some: nobody can
    look ahead in it without waiting, and no other format comes by one."""
    return not source.is_file or any(looks_like_events(line) for line in head.splitlines())


def _import_events(sources: Sequence[Source], path: Path, lenient: bool) -> ImportReport:
    if len(sources) > 1:
        raise ImportFormatError(
            f"{sources[1].name}: events come as one stream; import each file into a trace of its own"
        )
    return EventStream(sources[0], path, find_game, check_metadata, software(), lenient).run()


def _import_log(sources: Sequence[Source], path: Path, lenient: bool) -> ImportReport:
    if len(sources) > 1:
        raise ImportFormatError(
            f"{sources[1].name}: a log holds a search; import each file into a trace of its own"
        )
    return _report(from_llm_reasoners(_files(sources)[0], path), path)


def _import_snapshots(sources: Sequence[Source], path: Path, lenient: bool) -> ImportReport:
    return _report(from_snapshots(_files(sources), path), path)


def _files(sources: Sequence[Source]) -> list[str]:
    """Names of sources that are read as a whole."""
    if any(source.path == STANDARD_INPUT for source in sources):
        raise ImportFormatError(
            "standard input: this format is read as a whole; write it to a file first, and name that"
        )
    return [source.path for source in sources]


def _report(trace: Trace, path: Path) -> ImportReport:
    return ImportReport(path, trace.n_iterations, trace.n_nodes, n_lines=trace.n_iterations)


def find_game(name: str, start: list[Any]) -> Game | None:
    """The built-in game of that name at the position after some moves; None for another one. Raises
    ImportFormatError for moves that it does not have."""
    try:
        played = games.game(name)
    except GameError:
        return None
    try:
        position, actions = played.position(start)
    except GameError as err:
        raise ImportFormatError(f"start: {err}") from err
    about = {
        "name": played.name,
        "title": played.title,
        "parameters": dict(played.parameters),
        "n_actions": played.n_actions,
    }
    to_move = played.rules.to_move(position)
    labels = list(played.action_labels)
    return Game(about, actions, to_move, labels, played.players, played.reward_range)


def check_metadata(meta: Mapping[str, Any]) -> None:
    """Raise ImportFormatError for a formula of ours that lacks its constant."""
    selection = meta["policies"].get("selection") or {}
    c = selection.get("c")
    if selection.get("name") in SELECTION_FORMULAS:
        if isinstance(c, (int, float)) and not isinstance(c, bool):
            return
        raise ImportFormatError(
            f"policies.selection.c: {c!r}; write the formula's constant, such as 1.4"
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
}
