"""Which files the page lists: the traces in some folders, and nothing else that lies there.

A file of a trace's own suffix is listed whatever is in it, as a damaged one should be seen to be damaged; another
one by what it says. A link that leads out of its folder is none.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from mcts_viz.fleets.place import TABLES_FOLDER, Folder
from mcts_viz.importing.snapshot_schema import FORMAT
from mcts_viz.runs.match_files import DOCUMENT, MARK
from mcts_viz.trace.format import MANY_SUFFIX, META_KEY, SUFFIX
from mcts_viz.trace.reader import CONTINUATION
from mcts_viz.web.routes.notes_file import is_notes_file

SUFFIXES = (SUFFIX, MANY_SUFFIX, ".json")
PIECE = 1 << 20  # bytes
LONGEST_HEADER = 1 << 26  # bytes


class TraceFiles:
    """The traces in some files and folders."""

    def __init__(self, sources: Sequence[Path]) -> None:
        self._sources = sources
        self._known: dict[Path, tuple[tuple[int, int, int], bool]] = {}

    def listed(self) -> Iterator[tuple[Path, str]]:
        """(a trace, the name of its match). A file that was named is listed whatever is in it."""
        for source in self._sources:
            if source.is_dir():
                inside = sorted(source.iterdir())
                yield from ((path, "") for path in inside if self._is_trace(path, source))
                for folder in inside:
                    if is_within(folder, source) and _is_match(folder / DOCUMENT):
                        traces = sorted(
                            path for path in folder.iterdir() if self._is_trace(path, folder)
                        )
                        yield from ((path, folder.name) for path in traces)
            elif source.exists():
                yield source, ""

    def in_fleets(self) -> Iterator[Path]:
        """All files, however deep, of the folders that are fleets; more than a list has room for."""
        for source in self._sources:
            if source.joinpath(TABLES_FOLDER).is_dir():
                yield from (source / each.name for each in Folder(str(source)).traces())

    def _is_trace(self, path: Path, folder: Path) -> bool:
        if path.suffix.lower() not in SUFFIXES or not is_within(path, folder):
            return False
        try:
            if not path.is_file():
                return False
            if path.suffix.lower() in (SUFFIX, MANY_SUFFIX):
                return True
            stat = path.stat()
            state = (stat.st_mtime_ns, stat.st_size, stat.st_ino)
            known = self._known.get(path)
            if known is None or known[0] != state:
                known = self._known[path] = (state, says_trace(path))
        except OSError:  # gone, or not for us
            return False
        return known[1]


def is_within(path: Path, folder: Path) -> bool:
    """Whether a file is in a folder, or in one of its own, wherever links lead."""
    try:
        return path.resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError):  # links in a circle
        return False


def says_trace(path: Path) -> bool:
    """Whether a file begins as a trace does, or is about to, or is a snapshot's JSON. Raises OSError."""
    with path.open("rb") as file:
        head = file.read(8)
        if CONTINUATION.startswith(head[:4]):
            length = int.from_bytes(head[4:], "little")
            header = file.read(min(length, LONGEST_HEADER))
            return len(header) < length or length == 0 or META_KEY in header
        if path.suffix.lower() == SUFFIX and not head.lstrip().startswith(b"{"):
            return False
    return not is_notes_file(path) and not _is_match(path) and _says(path, FORMAT.encode())


def _says(path: Path, words: bytes) -> bool:
    """Whether they stand anywhere in the file, in whichever Unicode it is written."""
    before = b""
    with path.open("rb") as file:
        while piece := file.read(PIECE):
            seen = before + piece.replace(b"\0", b"")
            if words in seen:
                return True
            before = seen[-len(words) :]
    return False


def _is_match(path: Path) -> bool:
    """Whether this is the document of a match, and not a snapshot of that name."""
    if path.name != DOCUMENT:
        return False
    try:
        with path.open("rb") as file:
            return MARK.encode() in file.read(64)
    except OSError:
        return False
