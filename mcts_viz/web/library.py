"""The traces that the page can show: where they lie, and the few that are open.

Files only: a trace opened here is read-only, so any number of tabs and users can share it. What a user uploads
or records becomes a file in the `store` folder, and stays there.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import itertools
import os
import re
import threading
import time
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from mcts_viz.errors import MctsVizError, PageError, TraceError, TraceReplacedError
from mcts_viz.fleets.place import TABLES_FOLDER
from mcts_viz.games.position import StartPosition, board_after, position_after
from mcts_viz.health.finding import Finding
from mcts_viz.importing.formats import import_trace, importable
from mcts_viz.importing.opening import check_json_size, open_trace
from mcts_viz.importing.snapshot_document import looks_like_json
from mcts_viz.trace.format import MANY_SUFFIX, SUFFIX
from mcts_viz.trace.index.opening import move_index
from mcts_viz.trace.many_file import ManyFile
from mcts_viz.trace.memory import MEGABYTE, give_back
from mcts_viz.trace.reader import CONTINUATION
from mcts_viz.trace.trace import Trace
from mcts_viz.views.board import board_svg
from mcts_viz.views.colours import Scale
from mcts_viz.views.measures import trace_scales
from mcts_viz.web.cache import Cache
from mcts_viz.web.jobs.checkups import CheckStep, Checkups
from mcts_viz.web.jobs.seats import Seats
from mcts_viz.web.jobs.truths import Truths
from mcts_viz.web.routes.accepted_file import with_reasons
from mcts_viz.web.trace_files import SUFFIXES, TraceFiles, is_within
from mcts_viz.web.words import size

TRACES_OPEN = 4
TIDY = 5.0  # seconds between two times that freed memory is given back, while a trace grows
MAX_UPLOAD = 1 << 30  # bytes
OPENED = (
    *SUFFIXES,
    ".ndjson",
    ".jsonl",
    ".log",
)  # files that can be opened; the last ones are imported
NUMBER = ":0"  # how the key of a file's first search ends
LONGEST_NAME = 150  # bytes; file systems take 255, with suffixes


class Entry(NamedTuple):
    """A trace file in the list."""

    key: str  # names it in addresses
    name: str  # file name without suffix
    path: Path
    match: str = ""  # name of the match whose move it decided
    number: int | None = None  # of the search in a file of many, from 0

    @property
    def of_its_own(self) -> Path:
        """The file, or for a search of many the one that it would have: what is kept beside a trace goes by it."""
        if self.number is None:
            return self.path
        return self.path.with_name(f"{self.path.stem}-{self.number}{SUFFIX}")


class Library:
    """Traces in some files and folders, and in the store. Thread-safe."""

    def __init__(
        self,
        sources: Sequence[Path],
        store: Path,
        max_upload: int = MAX_UPLOAD,
        memory: int | None = None,
    ) -> None:
        self.store = store
        self.max_upload = max_upload  # bytes
        self._memory = memory  # megabytes that a trace may unpack to; None: as `open_trace`
        self.truths = Truths()
        self.checkups = Checkups()
        self.seats = Seats()
        self._scales = Cache(TRACES_OPEN)
        self._manies = Cache(TRACES_OPEN)  # files of many searches
        self._tidied = time.monotonic()
        self._folders = [path for path in (*sources, store) if path.is_dir()]
        self._files = TraceFiles((*sources, store))
        self._open: OrderedDict[str, tuple[tuple[int, int, int], Trace]] = OrderedDict()
        self._opening: dict[str, threading.Lock] = {}  # by key: one thread opens it
        self._shares: dict[str, float] = {}  # by key of what is being opened: how much is done
        self._linked: dict[str, Entry] = {}  # deeper in the folders, and asked for
        self._seen: dict[str, Entry] = {}  # so that not every question looks through all folders
        self._names: dict[str, str] = {}  # of files seen so far, by key: also of those gone by now
        self._lock = threading.Lock()

    def entries(self) -> list[Entry]:
        """Every trace there is now: those asked for first, then the store's, each folder by name, and
        behind its own those of its matches."""
        found: OrderedDict[Path, Entry] = OrderedDict()
        for path, match in self._files.listed():
            resolved = path.resolve()
            number = 0 if is_many_name(path) else None
            key = f"{_key(resolved)}{'' if number is None else NUMBER}"
            found.setdefault(resolved, Entry(key, path.stem, resolved, match, number))
        for entry in self._linked.values():
            if entry.path.is_file():
                found.setdefault(entry.path, entry)
        self._seen = {entry.key: entry for entry in found.values()}
        self._names.update((entry.key, entry.path.name) for entry in found.values())
        return list(found.values())

    @property
    def is_fleet(self) -> bool:
        """Whether one of the folders has tables of its searches."""
        return any(path.joinpath(TABLES_FOLDER).is_dir() for path in self._folders)

    def linked(self, path: Path, number: int = 0) -> str:
        """The key of a search whose file lies anywhere in the folders, and is in the list from now on. number: in a
        file of many. Raises PageError where there is no such file."""
        resolved = path.resolve()
        if not resolved.is_file() or not any(is_within(path, each) for each in self._folders):
            raise PageError(_gone(path.name))
        key, first = self.key_of(resolved), 0 if is_many_name(path) else None
        self._linked[key] = Entry(key, path.stem, resolved, "", first)
        self._names[key] = path.name
        return key if first is None else f"{key.removesuffix(NUMBER)}:{number}"

    def trace(self, key: str, until: int | None = None) -> Trace:
        """The open trace of that key, read anew when its file has changed; raises MctsVizError.

        until: the last iteration that the question is about. A trace that grows is not read on for it once it has
        that one: the page's next look does that, and a question that waits for it would be late."""
        entry = self.entry(key)
        with self._lock:
            found = self._known(entry, until)
            if found is not None:
                return found
            opening = self._opening.setdefault(entry.key, threading.Lock())
        with opening:  # a long trace takes its time, and questions about others do not wait for it
            with self._lock:
                found = self._known(entry, until)  # another thread may have opened it
            if found is not None:
                return found
            state = _state(entry.path)
            try:
                trace = self._opened(entry, state)
            finally:
                self._shares.pop(entry.key, None)
            with self._lock:
                self._open[entry.key] = (state, trace)
                while len(self._open) > TRACES_OPEN:
                    oldest, _ = self._open.popitem(last=False)
                    self._opening.pop(oldest, None)
            return trace

    def share_opened(self, key: str) -> float | None:
        """How much is done where the trace of that key is being opened, from 0 to 1; None where it is not."""
        return self._shares.get(key)

    def _known(self, entry: Entry, until: int | None) -> Trace | None:
        """The open trace, as far as the question needs it; None where the file has to be read anew."""
        if entry.key not in self._open:
            return None
        (was, trace), changed = self._open[entry.key], _state(entry.path)
        is_known = until is not None and until <= trace.n_iterations
        grows = not trace.complete and was[2] == changed[2] and was[1] <= changed[1]
        if not (is_known and grows):
            if was != changed and not _goes_on(trace):
                return None
            if was != changed:
                self._tidy()
            self._open[entry.key] = (changed, trace)
        self._open.move_to_end(entry.key)
        return trace

    def version(self, key: str) -> str:
        """What differs when the file of that trace has been written again; raises MctsVizError."""
        return "-".join(map(str, _state(self.entry(key).path)))

    def _opened(self, entry: Entry, state: tuple[int, int, int]) -> Trace:
        if entry.number is None:
            told = functools.partial(self._shares.__setitem__, entry.key)
            return open_trace(Trace, entry.path, self._memory, progress=told)
        try:
            return self._many(entry.path, state)[entry.number]
        except IndexError as err:
            raise PageError(str(err).removeprefix(f"{entry.path}: ")) from err

    def _many(self, path: Path, state: tuple[int, int, int]) -> ManyFile[Trace]:
        return self._manies.get((path, state), lambda: ManyFile(path, self._memory, Trace))

    def searches_in(self, key: str) -> int:
        """How many searches the file of that trace holds; 0 for one that is no file of many. Raises MctsVizError."""
        entry = self.entry(key)
        if entry.number is None:
            return 0
        return len(self._many(entry.path, _state(entry.path)))

    def can_open(self, key: str) -> bool:
        """Whether there is a trace to be read."""
        try:
            self.trace(key, until=0)
        except MctsVizError:
            return False
        return True

    @property
    def where(self) -> str:
        """The names of the folders that are looked through."""
        return ", ".join(dict.fromkeys(folder.name for folder in self._folders))

    def _tidy(self) -> None:
        """Now and then, while a trace grows."""
        if time.monotonic() - self._tidied >= TIDY:
            give_back()
            self._tidied = time.monotonic()

    def entry(self, key: str) -> Entry:
        """The entry of that key, or of a name that only one trace has, with the number of a search behind a colon where
        it is one of many; raises PageError when there is none."""
        file, colon, number = key.rpartition(":")
        if colon and number.isdecimal() and len(number) < 10:
            found = self._entry_of_file(file + NUMBER) or self._entry_of_file(file)
            if found is not None and found.number is not None:
                return found._replace(
                    key=f"{found.key[: -len(NUMBER)]}:{int(number)}", number=int(number)
                )
        found = self._entry_of_file(key)
        if found is not None:
            return found
        if key in self._names:
            raise PageError(_gone(self._names[key]))
        raise PageError(
            f"there is no trace {key!r} here (any more); choose one from the list, or open its file"
        )

    def _entry_of_file(self, key: str) -> Entry | None:
        """The first search of a file, by key or name; raises PageError for a name that several have."""
        seen = self._seen.get(key)
        if seen is not None and seen.path.is_file() and seen.path.resolve() == seen.path:
            return seen  # and no link that was put in its place
        for entry in self.entries():
            if entry.key == key:
                return entry
        deeper = next((path for path in self._files.in_fleets() if self.key_of(path) == key), None)
        if deeper is not None:  # an address of before the page was served anew
            self.linked(deeper)
            return self._linked[key]
        named = [entry for entry in self._seen.values() if key in (entry.name, entry.path.name)]
        if len(named) == 1:
            return named[0]
        if named:
            raise PageError(f"{len(named)} traces have the name {key!r}: choose one from the list")
        return None

    def findings(self, key: str, trace: Trace) -> Sequence[Finding]:
        """What a check finds, each with the reason why it was accepted."""
        return with_reasons(self.checkups.of(key, trace), self.entry(key).of_its_own)

    def check_step(self, key: str) -> CheckStep | None:
        """How far the check of that trace is; None where it does not run."""
        return self.checkups.step(key)

    def known_findings(self, key: str, trace: Trace) -> Sequence[Finding] | None:
        """The same where the check has been made; None, and a check begins beside what goes on."""
        known = self.checkups.known(key, trace)
        return None if known is None else with_reasons(known, self.entry(key).of_its_own)

    def scale_of(self, key: str, trace: Trace) -> Scale:
        """The scale of mean values, the same on all pictures of a trace."""
        n = trace.n_iterations
        return self._scales.get(
            (key, id(trace), n), lambda: trace_scales(trace.at(n))["mean_value"]
        )

    def actions(self, trace: Trace, node: int) -> list[int]:
        """Actions from the game's first position to the node."""
        columns = trace.columns
        path = trace.topology.path(node)
        return [*trace.meta.start, *(int(columns.nodes.action[v]) for v in path[1:])]

    def board_svg(self, key: str, node: int, theme: str | None = None) -> str | None:
        """The position at a node as an SVG document, None where the game is not known here.

        `theme` fixes its colours, for a picture that stands outside the page's style sheet.
        """
        trace = self.trace(key, until=0)
        if node >= trace.n_nodes:
            trace = self.trace(key)
        if not 0 <= node < trace.n_nodes:
            raise PageError(f"node {node} is not in this trace, which has 0 to {trace.n_nodes - 1}")
        return self.position_svg(trace, self.actions(trace, node), theme)

    def rollout_svg(
        self, key: str, t: int, number: int, n_moves: int, theme: str | None = None
    ) -> str | None:
        """The position after some moves of a simulation of iteration t, the first of which is number
        0; None where the game is not known here."""
        trace = self.trace(key, t)
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
        game = trace.meta.game
        board = board_after(game.name, actions, trace.meta.players)
        if board is None:
            return None
        title = f"{game.readable} after {len(actions)} moves"
        return board_svg(board, title, trace.meta.players, theme=theme)

    def n_legal(self, trace: Trace, node: int) -> int | None:
        """Number of legal moves at a node, None where the game is not known here."""
        allowed = trace.meta.root_actions
        if node == 0 and allowed is not None:  # the search may play no other
            return len(allowed)
        found = position_after(trace.meta.game.name, self.actions(trace, node))
        return None if found is None else len(found.legal)

    def start_at(self, trace: Trace, node: int) -> StartPosition:
        """The position at a node, for a match to begin with; raises PageError where the game is not
        known here."""
        found = position_after(trace.meta.game.name, self.actions(trace, node))
        if found is None or found.game.board is None:
            raise PageError(
                "This trace's game is not known here, so its positions cannot be played."
            )
        return found

    def new_path(self, name: str) -> Path:
        """A new, empty file in the store, named after `name`; no two calls get the same one.

        Raises PageError.
        """
        readable = re.sub(r"[^\w.-]+", "_", Path(name).stem).strip("._") or "trace"
        stem = readable.encode()[:LONGEST_NAME].decode(errors="ignore")
        _check_name(name)
        return self._new(stem, Path(name).suffix.lower())

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
        """Take in an uploaded file; returns its key. A file that is no trace, is too large or breaks off
        leaves nothing behind."""
        _check_name(name)
        pieces = iter(content)
        first = next(pieces, b"")
        _check_head(name, first)
        path = self.new_path(name if _is_trace_name(name) else f"{Path(name).stem}{SUFFIX}")
        part = path.with_name(f"{path.name}.part")
        is_there = False
        try:
            n = 0
            with part.open("wb") as file:
                for piece in itertools.chain([first], pieces):
                    n += len(piece)
                    self.check_upload(name, n)
                    file.write(piece)
            path = self._taken_in(part, path, _is_trace_name(name))
            is_there = True
        except OSError as err:
            raise PageError(f"{name}: cannot be stored: {err.strerror or err}") from err
        except MctsVizError as err:
            raise type(err)(str(err).replace(str(part), name)) from err
        finally:
            part.unlink(missing_ok=True)
            if not is_there:
                path.unlink(missing_ok=True)
        return self.key_of(path)

    def _taken_in(self, part: Path, path: Path, is_trace: bool) -> Path:
        """Make a file that has come whole the one of that name, or import what another program has written as a trace
        beside it; gives the trace's file. is_trace: by its name. Raises MctsVizError."""
        if is_many_name(path):
            len(ManyFile(part, self._memory, Trace))
            return part.replace(path)
        if is_trace and importable(part) is None:
            open_trace(Trace, part, self._memory)
            move_index(part, path)
            return part.replace(path)
        check_json_size(part, None if self._memory is None else self._memory * MEGABYTE)
        target = path if path.suffix == SUFFIX else self.new_path(f"{path.stem}{SUFFIX}")
        made = target.with_name(f"{target.name}.made")
        try:
            import_trace(part, made)
            made.replace(target)
        except BaseException:
            made.unlink(missing_ok=True)
            target.unlink(missing_ok=True)
            raise
        if target != path:
            path.unlink(missing_ok=True)
        return target

    def check_upload(self, name: str, n: int) -> None:
        """Raise PageError for a file of more bytes than are taken."""
        if n > self.max_upload:
            raise PageError(
                f"{name}: files of up to {size(self.max_upload)} can be opened here; put it into the folder that is "
                "served, or start the page with a larger --max-upload"
            )

    def key_of(self, path: Path) -> str:
        """The key of a file, or of its first search."""
        return _key(path.resolve()) + (NUMBER if is_many_name(path) else "")


def _state(path: Path) -> tuple[int, int, int]:
    """Time, bytes and place of a file, one of which differs when it has been written again. Raises PageError."""
    try:
        stat = path.stat()
    except OSError as err:
        raise PageError(_gone(path.name)) from err
    return stat.st_mtime_ns, stat.st_size, stat.st_ino


def is_many_name(path: Path) -> bool:
    """Whether a file holds many searches, by its name."""
    return path.suffix.lower() == MANY_SUFFIX


def _is_trace_name(name: str) -> bool:
    return Path(name).suffix.lower() in SUFFIXES


def _check_name(name: str) -> None:
    """Raise PageError for what is no file that can be opened, by its name."""
    *most, last = OPENED
    if Path(name).suffix.lower() not in OPENED:
        raise PageError(f"{name}: not a trace by its name; open a {', '.join(most)} or {last} file")


def _check_head(name: str, head: bytes) -> None:
    """Raise TraceError for what is neither a trace nor JSON, a snapshot's or of a log, by its first bytes."""
    is_json = looks_like_json(head[:64]) or head.lstrip().startswith(b"[")  # a log may be a list
    if head and not head.startswith(CONTINUATION) and not is_json:
        raise TraceError(
            f"{name}: its content is neither a trace nor JSON; open a .mcts trace, a snapshot's .json, or the "
            "log of another program"
        )


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


def _key(path: Path) -> str:
    digest = hashlib.sha256(str(path).encode()).hexdigest()[:8]
    return f"{re.sub(r'[^A-Za-z0-9_-]+', '-', path.stem)}-{digest}"
