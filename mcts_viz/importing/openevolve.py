"""OpenEvolve's evolution trace: one JSON object for each program that was made of another one, a line each, or in a
document {"metadata": …, "traces": […]}.

Needs no OpenEvolve.
"""

from __future__ import annotations

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
from mcts_viz.types import ReadDocument

# text of a node -> where it stands
TEXTS = {
    "changes": "child_changes_description", "diff": "code_diff", "code": "child_code",
    "system prompt": "prompt.system", "prompt": "prompt.user", "answer": "llm_response", "artifacts": "artifacts",
}  # fmt: skip
SCORE = "combined_score"
NUMBERS = ("generation", "island_id")
TOLD_ERROR = ("error", "stderr", "failure_stage")  # of artifacts
REMEDY = "write the trace as OpenEvolve itself does"
SCORES = (
    f"A score is {SCORE} where the metrics have it, else the mean of their numbers. Programs that no line made, "
    "such as the initial one, are known from those made of them."
)


def openevolve_records(log: LogText, skip: Skip | None) -> list[NodeRecord]:
    """The programs. Raises ImportFormatError naming line, field and remedy; skip: called with lines that are left
    out."""
    records: list[NodeRecord] = []
    parents: dict[str, NodeRecord] = {}  # that a line names, as it tells them
    for raw in records_in(log, ["traces"], skip):
        for record in converted(raw, _child, skip):
            records.append(record)
            if record.parent is not None and record.parent not in parents:
                parents[record.parent] = _parent(raw, record)
    made = {record.id for record in records}
    first = [record for id_, record in parents.items() if id_ not in made]
    if not records:
        raise ImportFormatError(
            f"{log.name}: no program in it; a line has parent_id, child_id and child_metrics"
        )
    return [*first, *records]


def _child(raw: RawRecord) -> NodeRecord:
    found, place = raw.found, raw.place
    for field in ("child_id", "parent_id"):
        if not isinstance(found.get(field), (str, int)):
            raise ImportFormatError(f"{place}: {field}: missing, or no id; {REMEDY}")
    metrics = _metrics(found, "child_metrics", "metrics")
    texts = {name: text_of(at_path(found, field)) for name, field in TEXTS.items()}
    if not texts["prompt"] and isinstance(found.get("prompt"), str):
        texts["prompt"] = found["prompt"]
    artifacts = found.get("artifacts")
    error = (
        next((text_of(artifacts[name]) for name in TOLD_ERROR if artifacts.get(name)), "")
        if isinstance(artifacts, dict)
        else ""
    )
    if isinstance(metrics.get("error"), str):
        error = metrics["error"]
    name = texts["changes"] or f"program {found['child_id']}"
    numbers = numbers_in(metrics) | {
        name: found[name] for name in NUMBERS if type(found.get(name)) in (int, float)
    }
    return NodeRecord(
        place, str(found["child_id"]), str(found["parent_id"]),
        order=checked_number(found.get("iteration"), "iteration", place, REMEDY),
        score=_score(metrics, place),
        at=checked_number(found.get("timestamp"), "timestamp", place, REMEDY),
        label=name,
        error=error,
        numbers={
            name: n for name, each in numbers.items()
            if (n := checked_number(each, name, place, REMEDY)) is not None
        },
        texts={name: text for name, text in texts.items() if text},
    )  # fmt: skip


def _parent(raw: RawRecord, child: NodeRecord) -> NodeRecord:
    """What the line tells of the program that its own was made of."""
    metrics = _metrics(raw.found, "parent_metrics")
    code = text_of(raw.found.get("parent_code"))
    return NodeRecord(
        raw.place, str(child.parent), None,
        order=None if child.order is None else -1.0,
        score=_score(metrics, raw.place),
        at=child.at,
        label="initial program",
        numbers={name: n for name, n in numbers_in(metrics).items() if abs(n) < 1e38},
        texts={"code": code} if code else {},
    )  # fmt: skip


def _metrics(found: ReadDocument, *names: str) -> ReadDocument:
    return next((found[name] for name in names if isinstance(found.get(name), dict)), {})


def _score(metrics: ReadDocument, place: str) -> float | None:
    if metrics.get(SCORE) is not None:
        return checked_number(metrics[SCORE], f"metrics.{SCORE}", place, REMEDY)
    found = [
        checked_number(n, f"metrics.{name}", place, REMEDY)
        for name, n in numbers_in(metrics).items()
    ]
    told = [n for n in found if n is not None]
    return sum(told) / len(told) if told else None
