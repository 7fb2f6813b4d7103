"""The journals of AIDE and AI-Scientist-v2: {"nodes": [{"id": …, "step": …, "metric": …}, …], "node2parent": {…}}.

A draft has no parent; a node whose parent is buggy debugs it, any other one improves it. Needs neither program.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping

from mcts_viz.errors import ImportFormatError
from mcts_viz.importing.json_records import (
    LogText,
    RawRecord,
    Skip,
    at_path,
    converted,
    records_in,
    text_of,
)
from mcts_viz.importing.node_record import NodeRecord
from mcts_viz.importing.record_rows import checked_number
from mcts_viz.types import ReadDocument

# text of a node -> where it stands
TEXTS = {
    "plan": "plan", "code": "code", "output": "_term_out", "analysis": "analysis", "exception": "exc_info",
    "overall plan": "overall_plan", "plot plan": "plot_plan", "plot code": "plot_code",
    "plot analyses": "plot_analyses", "feedback on plots": "vlm_feedback_summary",
    "feedback on time": "exec_time_feedback",
}  # fmt: skip
SECONDS = {"seconds": "exec_time", "seconds of plots": "plot_exec_time"}
REMEDY = "write the journal as the program itself does"
TURNED = "A score is the journal's metric, with its sign turned where lower is better, so that higher is better."


def journal_records(log: LogText, skip: Skip | None) -> list[NodeRecord]:
    """A journal's nodes. Raises ImportFormatError for what is none; skip: called with nodes that are left out."""
    whole = log.whole
    parents = whole.get("node2parent") if isinstance(whole, dict) else None
    if not isinstance(whole, dict) or not isinstance(whole.get("nodes"), list):
        raise ImportFormatError(
            f'{log.name}: no journal, which is {{"nodes": […], "node2parent": {{…}}}}; name a journal.json'
        )
    if parents is not None and not isinstance(parents, dict):
        raise ImportFormatError(
            f"{log.name}: node2parent: not an object; {REMEDY}: each node's id, and its parent's"
        )
    nodes = list(records_in(log, ["nodes"], skip))
    above = {str(node): parent for node, parent in (parents or {}).items()}
    for raw in nodes:  # as AI-Scientist-v2 also has it in the node itself
        if raw.found.get("parent_id") is not None:
            above.setdefault(str(raw.found.get("id")), raw.found["parent_id"])
    buggy = {str(raw.found.get("id")) for raw in nodes if raw.found.get("is_buggy")}
    make = functools.partial(_record, above=above, buggy=buggy)
    return [record for raw in nodes for record in converted(raw, make, skip)]


def _record(raw: RawRecord, above: Mapping[str, object], buggy: set[str]) -> NodeRecord:
    found, place = raw.found, raw.place
    if found.get("id") is None:
        raise ImportFormatError(f"{place}: id: missing; {REMEDY}")
    id_ = str(found["id"])
    parent = None if above.get(id_) is None else str(above[id_])
    stage = "draft" if parent is None else "debug" if parent in buggy else "improve"
    name = found.get("ablation_name") or found.get("hyperparam_name") or found.get("plan")
    error = found.get("exc_type") or ("buggy" if found.get("is_buggy") else "")
    numbers = {
        name: checked_number(found.get(field), field, place, REMEDY)
        for name, field in SECONDS.items()
    }
    texts = {name: text_of(at_path(found, field)) for name, field in TEXTS.items()}
    return NodeRecord(
        place, id_, parent,
        order=checked_number(found.get("step"), "step", place, REMEDY),
        score=None if error else _score(found.get("metric"), place),
        at=checked_number(found.get("ctime"), "ctime", place, REMEDY),
        label=f"{stage}: {text_of(name).strip()}",
        error=str(error),
        numbers={name: n for name, n in numbers.items() if n is not None},
        texts={name: text for name, text in texts.items() if text.strip() not in ("", "[]", "{}")},
    )  # fmt: skip


def _score(metric: object, place: str) -> float | None:
    """The metric, turned where lower is better; the mean over data sets where there are several."""
    if not isinstance(metric, dict):
        return checked_number(metric, "metric", place, REMEDY)
    value, maximize = metric.get("value"), metric.get("maximize")
    if isinstance(value, dict):
        values, lower = _of_data_sets(value, place)
        if lower is not None:
            maximize = not lower
        found = sum(values) / len(values) if values else None
    else:
        found = checked_number(value, "metric.value", place, REMEDY)
    return -found if found is not None and maximize is False else found


def _of_data_sets(value: ReadDocument, place: str) -> tuple[list[float], bool | None]:
    """Final values, and whether lower is better, where the log says."""
    metrics = value.get("metric_names")
    if not isinstance(metrics, list):
        told = [
            checked_number(n, f"metric.value.{name}", place, REMEDY) for name, n in value.items()
        ]
        return [n for n in told if n is not None], None
    field = "metric.value.metric_names.data.final_value"
    found = [
        checked_number(each.get("final_value"), field, place, REMEDY)
        for metric in metrics
        if isinstance(metric, dict) and isinstance(metric.get("data"), list)
        for each in metric["data"]
        if isinstance(each, dict)
    ]
    lower = metrics[0].get("lower_is_better") if metrics and isinstance(metrics[0], dict) else None
    return [n for n in found if n is not None], lower if isinstance(lower, bool) else None
