"""The documents of a node: prompts, code, answers, pictures. Stored once, beside the columns of its batch, and read
only when needed.

A batch's custom metadata have their list (names, kinds, sizes) and, under a key of its own, what they hold, packed.
"""

from __future__ import annotations

import base64
import binascii
import functools
import json
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

from mcts_viz.errors import TraceError
from mcts_viz.trace.surrogates import without_lone_surrogates

KINDS = ("text", "markdown", "code", "diff", "image", "json")
MOST = 1 << 20  # bytes kept of one document
CONTENTS = "document_contents"  # key of what a batch's documents hold
IN_LIST = 6  # of a document's fields, those that its list has
# kind of a text -> words in its name
LIKELY: Mapping[str, tuple[str, ...]] = {
    "diff": ("diff", "patch"),
    "code": ("code", "program", "script"),
    "json": ("json", "completions", "artifacts", "action", "exception"),
    "markdown": (
        "markdown",
        "md",
        "prompt",
        "answer",
        "response",
        "plan",
        "analysis",
        "thought",
        "reasoning",
    ),
}
Contents = Callable[[], bytes]  # what all documents of a batch hold, packed


AnyRow: TypeAlias = Sequence[Any]  # a row, a node, and what its kind says of them


class DocumentEntry(NamedTuple):
    """A document in the list of its batch."""

    row: int  # iteration that brought it, from 0 at the first of the rows
    node: int
    name: str
    kind: str  # one of KINDS
    size: int  # bytes that there were; no more than MOST are kept
    length: int  # of what it holds, packed
    start: int  # where that begins in the batch's contents
    contents: Contents


@dataclass(frozen=True)
class NodeDocument:
    """Something to read of a node; what it holds is read when it is asked for."""

    name: str
    kind: str  # one of KINDS
    size: int  # bytes that there were
    _entry: DocumentEntry = field(repr=False, compare=False)

    @property
    def is_cut(self) -> bool:
        """Whether only its beginning was kept."""
        return self.size > MOST

    @functools.cached_property
    def content(self) -> bytes:
        """Its bytes; raises TraceError where the file cannot be read any more."""
        entry = self._entry
        return unpacked(entry.contents()[entry.start : entry.start + entry.length], entry)

    @property
    def text(self) -> str:
        """Its text; of a picture empty."""
        return "" if self.kind == "image" else self.content.decode("utf-8", "replace")


def document_entry(row: int, node: int, name: str, kind: str, found: str | bytes) -> DocumentEntry:
    """A document of a node, in memory; raises TraceError for an unknown kind."""
    if kind not in KINDS:
        raise TraceError(
            f"document {name!r}: the kind {kind!r} is not known; choose one of: {', '.join(KINDS)}"
        )
    whole = found if isinstance(found, bytes) else without_lone_surrogates(found).encode()
    kept = whole[:MOST]
    if len(kept) < len(whole) and kind != "image":
        kept = kept.decode("utf-8", "ignore").encode()
    packed = base64.b64encode(zlib.compress(kept))
    return DocumentEntry(row, node, name, kind, len(whole), len(packed), 0, lambda: packed)


def given_documents(found: object) -> dict[str, tuple[str, str | bytes]]:
    """Kind and content by name, from what an author gives: a text, or a dict of texts, of bytes of pictures, and of
    pairs of kind and content; other values become JSON. Raises TraceError for what is none."""
    if isinstance(found, (str, bytes)):
        found = {"text": found}
    if not isinstance(found, Mapping):
        raise TraceError(
            f"documents= gives {type(found).__name__}; give a dict of texts by name, such as "
            '{"plan": "…", "code": ("code", "…")}'
        )
    documents = {}
    for name, value in found.items():
        kind, content = value if _is_pair(value) else (None, value)
        if content is None:
            continue
        if not isinstance(content, (str, bytes)):
            kind, content = kind or "json", _as_json(content)
        documents[str(name)] = (kind or kind_of(str(name), content), content)
    return documents


def kind_of(name: str, content: str | bytes) -> str:
    """What a document is most likely, by its name."""
    if isinstance(content, bytes):
        return "image"
    words = name.lower().replace("_", " ").replace(".", " ").split()
    found = next(
        (kind for kind, those in LIKELY.items() if any(word in those for word in words)), "text"
    )
    if found == "json" and not content.lstrip().startswith(("{", "[")):
        return "text"
    return found


def each_packed(entries: Sequence[DocumentEntry]) -> Iterator[tuple[DocumentEntry, bytes]]:
    """Documents with what they hold, packed: equal where the documents are. A file's batch is read once."""
    known: tuple[Contents | None, bytes] = (None, b"")
    for each in entries:
        if known[0] is not each.contents:
            known = (each.contents, each.contents())
        yield each, known[1][each.start : each.start + each.length]


def packed_contents(entries: Sequence[DocumentEntry]) -> bytes:
    """What the documents of a batch hold, in the order of their list."""
    return b"".join(packed for _, packed in each_packed(entries))


def listed_documents(found: Sequence[AnyRow], contents: Contents) -> list[DocumentEntry]:
    """The list of a batch's documents; raises ValueError for what is none."""
    entries, start = [], 0
    for row, node, name, kind, size, length in found:
        if type(name) is not str or kind not in KINDS or type(size) is not int:
            raise ValueError("not a document")
        if type(length) is not int or length < 0:
            raise ValueError("no length of a document")
        entries.append(DocumentEntry(row, node, name, kind, size, length, start, contents))
        start += length
    return entries


def _is_pair(found: object) -> bool:
    return isinstance(found, tuple) and len(found) == 2 and found[0] in KINDS


def _as_json(found: object) -> str:
    return json.dumps(found, ensure_ascii=False, indent=1, default=str)


def unpacked(packed: bytes, entry: DocumentEntry) -> bytes:
    """What a document holds; raises TraceError where that is damaged."""
    try:
        return zlib.decompressobj().decompress(base64.b64decode(packed, validate=True), MOST)
    except (binascii.Error, zlib.error, ValueError) as err:
        raise TraceError(
            f"document {entry.name!r} of node {entry.node}: damaged; copy the file again from its source"
        ) from err
