"""Notes on a trace: bookmarks with text, kept in a JSON file beside it. docs/timeline-and-notes.md describes the file.

Every change reads the file, changes one note and replaces the file, while no other thread or process does the same. So
any number of tabs, users and workers keep all of each other's notes; of two texts for one note, both stay.
"""

from __future__ import annotations

import json
import os
import re
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timezone
from pathlib import Path

from mcts_viz.errors import PageError
from mcts_viz.trace.format import SUFFIX
from mcts_viz.trace.surrogates import without_lone_surrogates
from mcts_viz.types import ReadDocument

try:
    import fcntl
except ImportError:  # Windows, where one process serves the page
    fcntl = None  # type: ignore[assignment]

KIND, VERSION = "notes", 1
NOTES_SUFFIX = ".notes.json"
MARK = b'"kind": "notes"'  # near the beginning of the file
LONGEST_TEXT = 20_000  # characters
MOST_NOTES = 5_000
_ID = re.compile(r"[0-9a-f]{8,64}")
_threads = threading.Lock()


@dataclass(frozen=True)
class Note:
    """A bookmark: a place in a trace, and a text."""

    id: str  # hexadecimal, made by the page or program that makes the note
    iteration: int
    node: int
    text: str = ""
    revision: int = (
        0  # how often it was saved; the one that an editor has seen comes back with a change
    )
    created: str = ""  # ISO 8601, UTC
    changed: str = ""


def notes_file(trace: Path) -> Path:
    """Where the notes on a trace are: run.notes.json beside run.mcts, x.json.notes.json beside x.json."""
    name = trace.stem if trace.suffix.lower() == SUFFIX else trace.name
    return trace.with_name(name + NOTES_SUFFIX)


def is_notes_file(path: Path) -> bool:
    """Whether this is a file of notes, and not a snapshot of that name."""
    if not path.name.endswith(NOTES_SUFFIX):
        return False
    try:
        with path.open("rb") as file:
            return MARK in file.read(64)
    except OSError:
        return False


def read(path: Path) -> list[Note]:
    """The notes in a file, by iteration; none where there is no file. Raises PageError for one that
    cannot be understood, which is then left as it is."""
    if path.is_symlink():
        raise _damaged(path, "it is a link")
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return []
    except OSError as err:
        raise PageError(f"{path.name}: cannot be read: {err.strerror or err}") from err
    except (ValueError, RecursionError) as err:
        raise _damaged(path, f"it is not JSON ({err})") from err
    return _sorted(note_of(each) for each in _entries(path, document))


def note_of(entry: object) -> Note:
    """A note from its JSON; raises PageError naming the bad part."""
    if not isinstance(entry, Mapping):
        raise PageError("a note must be an object")
    id_, text = entry.get("id"), entry.get("text", "")
    if not (isinstance(id_, str) and _ID.fullmatch(id_)):
        raise PageError(f"id = {str(id_)[:40]!r}: 8 to 64 hexadecimal digits are expected")
    if not isinstance(text, str) or len(text) > LONGEST_TEXT:
        raise PageError(f"the text of a note has at most {LONGEST_TEXT:,} characters")
    iteration, node, revision = (_whole(entry, name) for name in ("iteration", "node", "revision"))
    created, changed = (str(entry.get(name, ""))[:40] for name in ("created", "changed"))
    created, changed = map(without_lone_surrogates, (created, changed))
    return Note(id_, iteration, node, without_lone_surrogates(text), revision, created, changed)


def save(path: Path, note: Note, now: datetime, spare_id: str) -> Note:
    """Keep a new note or a change of one; returns it as it is kept.

    If another page has changed the note since `note.revision`, that change stays, and this
    text becomes a new note under `spare_id`. Raises PageError where the file cannot be written.
    """
    stamp = now.astimezone(timezone.utc).isoformat(timespec="seconds")
    with alone(path):
        notes = {each.id: each for each in read(path)}
        there = notes.get(note.id)
        if there is not None and there.revision != note.revision:
            if there.text == note.text:
                return there
            note, there = replace(note, id=spare_id), None
        revision, created = (1, stamp) if there is None else (there.revision + 1, there.created)
        kept = replace(note, revision=revision, created=created, changed=stamp)
        notes[kept.id] = kept
        if len(notes) > MOST_NOTES:
            raise PageError(f"{path.name} has {MOST_NOTES:,} notes already: delete some")
        _write(path, list(notes.values()))
    return kept


def remove(path: Path, id_: str, revision: int) -> None:
    """Delete a note, if it is still there. Raises PageError if it was changed since
    `revision`."""
    with alone(path):
        notes = read(path)
        for note in notes:
            if note.id == id_ and note.revision != revision:
                raise PageError(
                    "This note was changed elsewhere meanwhile, so it was not deleted. Read it, then delete it again."
                )
        if any(note.id == id_ for note in notes):
            _write(path, [note for note in notes if note.id != id_])


def text_of(notes: Sequence[Note]) -> str:
    """The file's JSON."""
    listed = [asdict(note) for note in _sorted(notes)]
    document = {"kind": KIND, "format_version": VERSION, "notes": listed}
    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"


def markdown(title: str, notes: Sequence[tuple[Note, str]]) -> str:
    """The notes, each with the words for its place, as Markdown in which no text of a trace or a
    note is markup of a page."""
    parts = [f"# Notes on {_plain(title)}"]
    for note, where in notes:
        parts.append(f"## Iteration {note.iteration:,}, {_plain(where)}")
        if note.text.strip():
            parts.append(note.text.strip().replace("&", "&amp;").replace("<", "&lt;"))
    return "\n\n".join(parts) + "\n"


def _plain(text: str) -> str:
    """A name in a heading, without its line breaks and with nothing in it that Markdown or HTML
    takes for markup."""
    return re.sub(r"([\\`*_\[\]<>#|&])", r"\\\1", " ".join(text.split()))


def _entries(path: Path, document: object) -> list[object]:
    if not isinstance(document, Mapping) or document.get("kind") != KIND:
        raise _damaged(path, f"its kind is not {KIND!r}")
    version = document.get("format_version")
    if version != VERSION:
        raise PageError(
            f"{path.name}: notes of format version {version!r}, and this program reads {VERSION}; use a newer one"
        )
    entries = document.get("notes")
    if not isinstance(entries, list):
        raise _damaged(path, "it has no list of notes")
    return entries


def _damaged(path: Path, what: str) -> PageError:
    return PageError(
        f"{path.name}: {what}, so it is left alone. Correct it, or move it away to begin anew."
    )


def _whole(entry: ReadDocument, name: str) -> int:
    number = entry.get(name, 0)
    if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < 1 << 53:
        raise PageError(f"{name} = {str(number)[:40]}: a whole number from 0 up is expected")
    return number


def _sorted(notes: Iterable[Note]) -> list[Note]:
    return sorted(notes, key=lambda note: (note.iteration, note.created, note.id))


@contextmanager
def alone(path: Path) -> Iterator[None]:
    """Lock the folder, so that no other process changes its notes or its accepted findings. The folder
    itself is locked: no lock file is left behind."""
    with _threads:
        descriptor = None
        try:
            if fcntl is not None:
                descriptor = os.open(path.parent, os.O_RDONLY)
                with suppress(OSError):  # a file system without locks, as some networks have
                    fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        except OSError as err:
            raise PageError(
                f"{path.name}: cannot be written: {err.strerror or err}. Make its folder writable and save "
                "again; until then the note is on this page alone."
            ) from err
        finally:
            if descriptor is not None:
                os.close(descriptor)


def _write(path: Path, notes: Sequence[Note]) -> None:
    """Replace the file in one step: a reader finds either the old one or the new one."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with part.open("w", encoding="utf-8") as file:
            file.write(text_of(notes))
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
