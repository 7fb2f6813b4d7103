"""The texts that say which record of a log a node is, and that a root was added: written and read here."""

from __future__ import annotations

import re
from collections.abc import Container, Sequence

ID = re.compile(r"id: (.*)\nparent: .*\nin the log: ", re.DOTALL)


def record_text(record: str, parent: str | None, place: str) -> str:
    """Of the record of that id; place: where in the log it stands."""
    return f"id: {record}\nparent: {parent or 'none'}\nin the log: {place}"


def record_name(taken: Container[str]) -> str:
    """The document's name, where the log's own texts have these."""
    name = "record"
    while name in taken:
        name += " of the log"
    return name


def record_id(text: str) -> str | None:
    """The id of the record that a text is of; None where it is another text."""
    found = ID.match(text)
    return None if found is None else found[1]


ROOT_ADDED = "they are the children of a root that was added."  # ends a note of the trace's


def has_added_root(notes: Sequence[str]) -> bool:
    """Whether a log had several records without a parent."""
    return any(note.endswith(ROOT_ADDED) for note in notes)
