"""Words looked for in all there is to read of a trace's nodes: their names and their documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from mcts_viz.trace.node_documents import DocumentEntry, each_packed, unpacked
from mcts_viz.trace.record_text import record_id
from mcts_viz.trace.snapshot import Snapshot

MOST_READ = 1 << 28  # bytes of documents that one search reads
AROUND = 40  # characters of an excerpt on each side


class TextHit(NamedTuple):
    """A node in which the words stand."""

    node: int
    where: str  # "name", or the document's name
    excerpt: str  # around the first place, on one line


class TextHits(NamedTuple):
    """What was found, by node; each node once."""

    hits: list[TextHit]
    is_whole: bool  # False: there was more to read than is read at once


def text_hits(last: Snapshot, documents: Sequence[DocumentEntry], words: str) -> TextHits:
    """The nodes of a trace's last snapshot whose name or one of whose documents has these words, whatever their case,
    in the order of the nodes."""
    wanted = words.strip().casefold()
    found: dict[int, TextHit] = {}
    if not wanted:
        return TextHits([], True)
    for node in range(last.n_nodes) if last.recorded_labels is not None else ():
        excerpt = _excerpt(last.label(node), wanted)
        if excerpt is not None:
            found[node] = TextHit(node, "name", excerpt)
    read = 0
    for entry, packed in each_packed(documents):
        if read > MOST_READ:
            break
        if entry.kind == "image" or entry.node in found:
            continue
        content = unpacked(packed, entry)
        read += len(content)
        text = content.decode("utf-8", "replace")
        # of what says which record it is, the id alone: the other words there are in all of them
        record = record_id(text)
        excerpt = _excerpt(text if record is None else record, wanted)
        if excerpt is not None:
            found[entry.node] = TextHit(entry.node, entry.name, excerpt)
    return TextHits([found[node] for node in sorted(found)], read <= MOST_READ)


def _excerpt(text: str, wanted: str) -> str | None:
    """The text around the first place of the words; None where they are not in it."""
    at = text.casefold().find(wanted)
    if at < 0:
        return None
    begin, end = max(0, at - AROUND), at + len(wanted) + AROUND
    return f"{'…' * (begin > 0)}{' '.join(text[begin:end].split())}{'…' * (end < len(text))}"
