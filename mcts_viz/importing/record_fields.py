"""Logs of any program whose records name their parents, by the names of their fields, which are given once."""

from __future__ import annotations

import datetime
import functools
import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from mcts_viz.errors import ImportFormatError
from mcts_viz.importing.json_records import (
    LogText,
    RawRecord,
    Skip,
    at_path,
    converted,
    numbers_in,
    records_in,
    text_of,
)
from mcts_viz.importing.node_record import NodeRecord
from mcts_viz.importing.record_rows import checked_number

# what a field means -> names that it has where none is given
MEANINGS: Mapping[str, tuple[str, ...]] = {
    "id": ("id", "node_id"),
    "parent": ("parent", "parent_id"),
    "order": ("order", "step", "iteration"),
    "value": ("value", "score"),  # its own score, or the mean of its visits where these are given
    "visits": ("visits",),
    "text": ("text",),
    "label": ("label", "name", "action"),
    "cost": ("cost",),
    "error": ("error",),
    "ended": ("ended", "terminal"),
    "chosen": ("chosen",),  # true where the program took it in the end
    "time": ("time", "timestamp"),  # seconds of any clock, when it was made
    "records": ("nodes", "records", "steps", "traces"),  # of a document: where the list is
}
SIGNS = re.compile(
    r'"id"\s*:.*"(parent|parent_id)"\s*:|"(parent|parent_id)"\s*:.*"id"\s*:', re.DOTALL
)
OTHERS = re.compile(rb'"new_nodes"|"edges"|"links"|"mcts_viz\.')
DATED = ("order", "time")  # meanings that a date can have, too
EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
MOST_NUMBERS = 32  # columns of numbers taken from unnamed fields


class RecordFields(NamedTuple):
    """By which names a log has what its records say."""

    names: Mapping[str, tuple[str, ...]]  # meaning -> names, the first that there is counts
    given: frozenset[str]  # meanings whose name was given

    @classmethod
    def checked(cls, given: Mapping[str, str] | None) -> RecordFields:
        """From names such as {"value": "metrics.score", "text": "prompt+code"}; raises ImportFormatError."""
        given = given or {}
        for meaning, name in given.items():
            if meaning not in MEANINGS or not isinstance(name, str) or not name:
                raise ImportFormatError(
                    f"fields: {meaning}={name}: give the names of {', '.join(MEANINGS)}, such as id=uid,parent=mother"
                )
        names = {
            meaning: (given[meaning],) if meaning in given else known
            for meaning, known in MEANINGS.items()
        }
        return cls(names, frozenset(given))

    def find(self, record: RawRecord, meaning: str) -> tuple[str, object]:
        """The name of the field that the record has, and what is there; the first name, and None, where it has none."""
        for name in self.names[meaning]:
            found = at_path(record.found, name.removeprefix("-"))
            if found is not None:
                return name, found
        return self.names[meaning][0], None


def looks_like_records(head: bytes) -> bool:
    """Whether a log that begins so is one of records with parents."""
    return bool(SIGNS.search(head[:4096].decode(errors="replace"))) and OTHERS.search(head) is None


def node_records(log: LogText, fields: RecordFields, skip: Skip | None) -> list[NodeRecord]:
    """Its records. skip: called with those that are left out; None: raises ImportFormatError with place, field,
    remedy."""
    raws = list(records_in(log, fields.names["records"], skip))
    for meaning in sorted(fields.given - {"records"}):
        if raws and all(fields.find(raw, meaning)[1] is None for raw in raws) and meaning != "text":
            raise ImportFormatError(
                f"{log.name}: {meaning}={fields.names[meaning][0]}: no record has this field; "
                f"there are: {_some(raws[0])}"
            )
    make = functools.partial(_record, fields=fields)
    records = [record for raw in raws for record in converted(raw, make, skip)]
    if not records:
        raise ImportFormatError(
            f"{log.name}: no record in it; write at least one, with an id and its parent's"
        )
    return records


def _record(raw: RawRecord, fields: RecordFields) -> NodeRecord:
    place = raw.place
    name, id_ = fields.find(raw, "id")
    if id_ is None:
        raise ImportFormatError(
            f"{place}: {name}: missing; name the field that has the record's id, `mcts-viz import --fields id=NAME`; "
            f"there are: {_some(raw)}"
        )
    number = _numbers_of(raw, fields)
    score = number("value")
    visits = number("visits")
    if visits is not None and (visits < 0 or visits != int(visits)):
        name = fields.find(raw, "visits")[0]
        raise ImportFormatError(
            f"{place}: {name}: {visits:g} is not a whole number from 0 on; write a count"
        )
    parts = [part for whole in fields.names["text"] for part in whole.split("+")]
    texts = {part: text_of(at_path(raw.found, part)) for part in parts}
    label, error, ended = (fields.find(raw, each)[1] for each in ("label", "error", "ended"))
    cost = number("cost")
    return NodeRecord(
        place,
        _id(id_, place, name),
        _parent(raw, fields),
        number("order"),
        score,
        None if visits is None else int(visits),
        None if visits is None or score is None else score * visits,
        number("time"),
        text_of(label)
        if label is not None
        else next((text for text in texts.values() if text), ""),
        "" if error in (None, False, "") else "error" if error is True else text_of(error),
        bool(ended),
        {
            **_other_numbers(raw, fields),
            **({} if cost is None else {"cost": cost}),
            **({"chosen": 1.0} if fields.find(raw, "chosen")[1] else {}),
        },
        {part: text for part, text in texts.items() if text},
    )


def _numbers_of(raw: RawRecord, fields: RecordFields) -> Callable[[str], float | None]:
    def number(meaning: str) -> float | None:
        name, found = fields.find(raw, meaning)
        key = name.removeprefix("-")
        if meaning in DATED and isinstance(found, str):
            found = _seconds_of_date(found)
        value = checked_number(
            found, key, raw.place, f"write a number or null, or name another field: {meaning}=NAME"
        )
        return -value if name.startswith("-") and value is not None else value

    return number


def _seconds_of_date(text: str) -> object:
    """Seconds of a date such as 2026-01-31T12:00:00Z, since 1970; the text where it is none."""
    try:
        date = datetime.datetime.fromisoformat(re.sub("Z$", "+00:00", text))
    except ValueError:
        return text
    if date.tzinfo is None:  # any clock will do, the same for all
        date = date.replace(tzinfo=datetime.timezone.utc)
    return (date - EPOCH) / datetime.timedelta(seconds=1)


def _some(raw: RawRecord) -> str:
    """Names of fields that a record has."""
    return ", ".join(str(name) for name in list(raw.found)[:12])


def _parent(raw: RawRecord, fields: RecordFields) -> str | None:
    name, found = fields.find(raw, "parent")
    missing = found in (None, "") or found != found  # NaN is null, as pandas has it
    return None if missing else _id(found, raw.place, name)


def _id(found: object, place: str, name: str) -> str:
    if isinstance(found, bool) or not isinstance(found, (str, int, float)):
        raise ImportFormatError(
            f"{place}: {name}: {text_of(found)[:60]} is no id; write a text or a number"
        )
    if isinstance(found, float) and found.is_integer():
        return str(int(found))  # 1.0 is 1: pandas writes parents so, where some are null
    return str(found)


def _other_numbers(raw: RawRecord, fields: RecordFields) -> dict[str, float]:
    """Numbers of the record that have no meaning of their own: tokens, seconds, scores of judges."""
    used = {name.removeprefix("-") for meaning in MEANINGS for name in fields.names[meaning]} - {
        "score"
    }
    used |= {fields.find(raw, "value")[0].removeprefix("-")}
    found = {name: n for name, n in numbers_in(raw.found).items() if name not in used}
    kept = {}
    for name, n in list(found.items())[:MOST_NUMBERS]:
        value = checked_number(n, name, raw.place, "write a number or null")
        if value is not None:
            kept[name] = value
    return kept
