"""Halves of surrogate pairs, which JSON may spell and UTF-8 cannot hold: foreign text is
cleaned of them when it is read."""

from __future__ import annotations

import json
import re

LONE_SURROGATE = re.compile("[\ud800-\udfff]")
REPLACEMENT = "\ufffd"


def without_lone_surrogates(text: str) -> str:
    """The text with U+FFFD for each half of a surrogate pair."""
    return LONE_SURROGATE.sub(REPLACEMENT, text)


def plain_json(document: bytes) -> object:
    """What a JSON document says, with U+FFFD for each half of a surrogate pair; raises ValueError or RecursionError."""
    found = json.loads(document)
    if b"\\u" in document or b"\xed" in document:
        found = json.loads(without_lone_surrogates(json.dumps(found, ensure_ascii=False)))
    return found
