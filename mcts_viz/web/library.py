"""The traces that the page can show: where they lie, and the few that are open.

Files only: a trace opened here is read-only, so any number of tabs, users and workers can share it. What a user uploads
or records becomes a file in the `store` folder, and stays there.
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import os
import re
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from mcts_viz.errors import MctsVizError, PageError, TraceReplacedError
from mcts_viz.trace.format import SUFFIX
from mcts_viz.trace.trace import Trace
from mcts_viz.views.board import board_svg
from mcts_viz.web.checkups import Checkups
from mcts_viz.web.notes import is_notes_file
from mcts_viz.web.services import Line, Services
from mcts_viz.web.truths import Truths

TRACES_OPEN = 4
LONGEST_NAME = 150  # bytes; file systems take 255, with suffixes
SUFFIXES = (SUFFIX, ".json")
# what a match's folder says of itself: its traces are listed with those of the folder around it
MATCH_DOCUMENT, MATCH_MARK = "game.json", b'"kind": "match"'


class Entry(NamedTuple):
    """A trace file in the list."""

    key: str  # names it in addresses
    name: str  # file name without suffix
    path: Path
    match: str = ""  # name of the match whose move it decided


class Library:
    """Traces in some files and folders, and in the store. Thread-safe."""

    def __init__(
        self,
        services: Services,
        sources: Sequence[Path],
        store: Path,
        sign: Callable[[str], str] = str,
    ) -> None:
        self.services = services
        self.store = store
        self.sign = sign  # makes the number of something that runs here known to other workers
        self.truths = Truths(services.truth)
        self.checkups = Checkups(services.check_health)
        self._sources = sources
        self._open: OrderedDict[str, tuple[tuple[int, int, int], Trace]] = OrderedDict()
        self._seen: dict[str, Entry] = {}  # so that not every question looks through all folders
        self._names: dict[str, str] = {}  # of files seen so far, by key: also of those gone by now
        self._lock = threading.Lock()

    def entries(self) -> list[Entry]:
        """Every trace there is now: those asked for first, then the store's, each folder by name, and
        behind its own those of its matches."""
        found: OrderedDict[Path, Entry] = OrderedDict()
        for path, match in self._files():
            resolved = path.resolve()
            found.setdefault(resolved, Entry(_key(resolved), path.stem, resolved, match))
        self._seen = {entry.key: entry for entry in found.values()}
        self._names.update((entry.key, entry.path.name) for entry in found.values())
        return list(found.values())

    def trace(self, key: str) -> Trace:
        """The open trace of that key, read anew when its file has changed; raises MctsVizError."""
        entry = self.entry(key)
        try:
            state = entry.path.stat()
        except OSError as err:
            raise PageError(_gone(entry.path.name)) from err
        changed = (state.st_mtime_ns, state.st_size, state.st_ino)
        with self._lock:
            if key in self._open:
                was, trace = self._open[key]
                if was == changed or _goes_on(trace):
                    self._open[key] = (changed, trace)
                    self._open.move_to_end(key)
                    return trace
            trace = self.services.open_trace(entry.path)
            self._open[key] = (changed, trace)
            while len(self._open) > TRACES_OPEN:
                self._open.popitem(last=False)
            return trace

    def entry(self, key: str) -> Entry:
        """The entry of that key; raises PageError when there is none."""
        seen = self._seen.get(key)
        if seen is not None and seen.path.is_file():
            return seen
        for entry in self.entries():
            if entry.key == key:
                return entry
        if key in self._names:
            raise PageError(_gone(self._names[key]))
        raise PageError(
            f"there is no trace {key!r} here (any more); choose one from the list, or open its file"
        )

    def actions(self, trace: Trace, node: int) -> list[int]:
        """Actions from the game's first position to the node."""
        columns = trace.columns
        path = trace.topology.path(node)
        return [*trace.meta.get("start", []), *(int(columns.action[v]) for v in path[1:])]

    def board_svg(self, key: str, node: int, theme: str | None = None) -> str | None:
        """The position at a node as an SVG document, None where the game is not known here.

        `theme` fixes its colours, for a picture that stands outside the page's style sheet.
        """
        trace = self.trace(key)
        if not 0 <= node < trace.n_nodes:
            raise PageError(f"node {node} is not in this trace, which has 0 to {trace.n_nodes - 1}")
        return self.position_svg(trace, self.actions(trace, node), theme)

    def rollout_svg(
        self, key: str, t: int, number: int, n_moves: int, theme: str | None = None
    ) -> str | None:
        """The position after some moves of a simulation of iteration t, the first of which is number
        0; None where the game is not known here."""
        trace = self.trace(key)
        rollouts = trace.rollouts(t)
        if rollouts is None:
            raise PageError("this trace's simulations were not recorded")
        if number >= len(rollouts):
            raise PageError(f"iteration {t} has {len(rollouts)} simulations, counted from 0")
        moves, leaf = rollouts[number], int(trace.columns.leaf[t - 1])
        if n_moves > len(moves):
            raise PageError(f"this simulation of iteration {t} has {len(moves)} moves")
        return self.position_svg(trace, [*self.actions(trace, leaf), *moves[:n_moves]], theme)

    def position_svg(
        self, trace: Trace, actions: Sequence[int], theme: str | None = None
    ) -> str | None:
        """The position after some actions as an SVG document, None where the game is not known
        here."""
        board = self.services.board(trace.meta, actions)
        if board is None:
            return None
        game = trace.meta["game"].get("title") or trace.meta["game"]["name"]
        return board_svg(board, title=f"{game} after {len(actions)} moves", theme=theme)

    def n_legal(self, trace: Trace, node: int) -> int | None:
        """Number of legal moves at a node, None where the game is not known here."""
        allowed = trace.meta.get("root_actions")
        if node == 0 and allowed is not None:  # the search may play no other
            return len(allowed)
        return self.services.n_legal(trace.meta, self.actions(trace, node))

    def line(self, trace: Trace, node: int) -> Line:
        """The game and the moves to a node; raises PageError where the game is not known here."""
        line = self.services.line(trace.meta, self.actions(trace, node))
        if line is None:
            raise PageError(
                "This trace's game is not known here, so its positions cannot be played."
            )
        return line

    def new_path(self, name: str) -> Path:
        """A new, empty file in the store, named after `name`; nobody is given it twice, in no worker.

        Raises PageError.
        """
        readable = re.sub(r"[^\w.-]+", "_", Path(name).stem).strip("._") or "trace"
        stem = readable.encode()[:LONGEST_NAME].decode(errors="ignore")
        suffix = Path(name).suffix.lower()
        if suffix not in SUFFIXES:
            raise PageError(f"{name}: not a trace by its name; open a {' or '.join(SUFFIXES)} file")
        return self._new(stem, suffix)

    def new_folder(self, name: str) -> Path:
        """A new folder in the store, for a match; as `new_path`."""
        return self._new(re.sub(r"[^\w-]+", "_", name), "")

    def _new(self, stem: str, suffix: str) -> Path:
        try:
            self.store.mkdir(parents=True, exist_ok=True)
            for number in itertools.count(1):
                path = self.store / f"{stem}{'' if number == 1 else f'-{number}'}{suffix}"
                with contextlib.suppress(FileExistsError):
                    if suffix:
                        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
                    else:
                        path.mkdir()
                    return path
        except OSError as err:
            raise PageError(f"{self.store}: nothing can be stored here: {err.strerror}") from err
        raise AssertionError("there is always a next number")

    def add(self, name: str, content: Iterable[bytes]) -> str:
        """Take in an uploaded file; returns its key. A file that is no trace leaves nothing behind."""
        path = self.new_path(name)
        part = path.with_name(f"{path.name}.part")
        try:
            with part.open("wb") as file:
                for piece in content:
                    file.write(piece)
            self.services.open_trace(part)
            part.replace(path)
        except OSError as err:
            path.unlink(missing_ok=True)
            raise PageError(f"{name}: cannot be stored: {err.strerror or err}") from err
        except MctsVizError as err:
            path.unlink(missing_ok=True)
            raise type(err)(str(err).replace(str(part), name)) from err
        finally:
            part.unlink(missing_ok=True)
        return self.key_of(path)

    def key_of(self, path: Path) -> str:
        """The key of a file."""
        return _key(path.resolve())

    def _files(self) -> Iterator[tuple[Path, str]]:
        """(a trace, the name of its match)."""
        for source in (*self._sources, self.store):
            if source.is_dir():
                inside = sorted(source.iterdir())
                yield from ((path, "") for path in inside if _is_trace(path))
                for folder in inside:
                    if _is_match(folder / MATCH_DOCUMENT):
                        traces = sorted(path for path in folder.iterdir() if _is_trace(path))
                        yield from ((path, folder.name) for path in traces)
            elif source.exists():
                yield source, ""


def _gone(name: str) -> str:
    return f"{name}: the file is gone; choose another trace from the list, or open its file"


def _goes_on(trace: Trace) -> bool:
    """Read what the trace's file has gained; whether it is still the same recording. (One that has
    ended since it was read is: reading it anew would take as long as all of its following.)"""
    if trace.complete:
        return trace.is_read_whole
    try:
        trace.refresh()
    except TraceReplacedError:
        return False
    return True


def _is_trace(path: Path) -> bool:
    is_other = _is_match(path) or is_notes_file(path)
    return path.suffix.lower() in SUFFIXES and path.is_file() and not is_other


def _is_match(path: Path) -> bool:
    """Whether this is the document of a match, and not a snapshot that somebody calls so."""
    if path.name != MATCH_DOCUMENT:
        return False
    try:
        with path.open("rb") as file:
            return MATCH_MARK in file.read(64)
    except OSError:
        return False


def _key(path: Path) -> str:
    digest = hashlib.sha256(str(path).encode()).hexdigest()[:8]
    return f"{re.sub(r'[^A-Za-z0-9_-]+', '-', path.stem)}-{digest}"
