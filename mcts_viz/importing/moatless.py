"""The trees of moatless-tree-search: a list of nodes that name their parents, nodes in each other, or a whole search
whose `root` is such a node.

A node's value is the sum of the rewards of its visits. Needs no moatless.
"""

from __future__ import annotations

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

TEXTS = {
    "message": "user_message", "answer": "assistant_message", "observation": "output.message",
    "reward": "reward.explanation", "feedback": "reward.feedback",
}  # fmt: skip
# number of a node -> where it stands in what a completion used
USED = {
    "prompt tokens": "prompt_tokens",
    "completion tokens": "completion_tokens",
    "cost": "completion_cost",
}
REMEDY = "write the tree as moatless itself does (persist)"


def moatless_records(log: LogText, skip: Skip | None) -> list[NodeRecord]:
    """A tree's nodes. Raises ImportFormatError naming node, field and remedy; skip: called with nodes that are left
    out."""
    whole = log.whole
    if isinstance(whole, dict) and isinstance(whole.get("root"), dict):
        whole = whole["root"]
    found = (
        _flat(whole, log.name)
        if isinstance(whole, dict)
        else list(records_in(log, ["nodes"], skip))
    )
    records = [record for raw in found for record in converted(raw, _record, skip)]
    if not records:
        raise ImportFormatError(f"{log.name}: no node in it; {REMEDY}")
    return records


def _flat(root: ReadDocument, name: str) -> list[RawRecord]:
    """Nodes that lie in each other, each with its parent's id."""
    waiting: list[ReadDocument] = [{**root, "parent_id": None}]
    found = []
    while waiting:
        node = waiting.pop()
        id_ = node.get("node_id")
        found.append(RawRecord(f"{name}: node {id_}", node))
        children = node.get("children")
        children = children if isinstance(children, list) else []
        waiting += [{**child, "parent_id": id_} for child in children if isinstance(child, dict)]
    return found


def _record(raw: RawRecord) -> NodeRecord:
    found, place = raw.found, raw.place
    if not isinstance(found.get("node_id"), int):
        raise ImportFormatError(f"{place}: node_id: missing, or no whole number; {REMEDY}")
    number = found["node_id"]
    visits = checked_number(found.get("visits"), "visits", place, REMEDY)
    if visits is not None and (visits < 0 or visits != int(visits)):
        raise ImportFormatError(
            f"{place}: visits: {visits:g} is not a whole number from 0 on; {REMEDY}"
        )
    reward = found.get("reward")
    steps = found.get("action_steps")
    steps = [step for step in steps if isinstance(step, dict)] if isinstance(steps, list) else []
    actions = [step["action"] for step in steps if isinstance(step.get("action"), dict)]
    if not actions and isinstance(found.get("action"), dict):
        actions = [found["action"]]
    texts = {name: text_of(at_path(found, field)) for name, field in TEXTS.items()}
    texts |= {"action": text_of(actions[-1] if actions else None)}
    said = [text_of(at_path(step, "observation.message")) for step in steps]
    texts["observation"] = texts["observation"] or "\n".join(text for text in said if text)
    completions = [step.get("completion") for step in steps]
    if isinstance(found.get("completions"), dict):
        completions += found["completions"].values()
    texts["completions"] = text_of([each for each in completions if each] or None)
    above = found.get("parent_id")
    return NodeRecord(
        place, str(number), None if above is None else str(above),
        order=number,
        score=checked_number(
            reward.get("value") if isinstance(reward, dict) else reward, "reward.value", place, REMEDY
        ),
        visits=0 if visits is None else int(visits),
        value_sum=checked_number(found.get("value"), "value", place, REMEDY),
        label=_label(found, actions),
        error=text_of(found.get("error")),
        ended=bool(found.get("terminal")),
        numbers=_used(completions, place),
        texts={name: text for name, text in texts.items() if text},
    )  # fmt: skip


def _label(found: ReadDocument, actions: list[ReadDocument]) -> str:
    """The name of the action, as its class has it."""
    if not actions:
        return text_of(found.get("assistant_message") or found.get("user_message")) or "start"
    action = actions[-1]
    named = str(
        action.get("action_args_class")
        or action.get("name")
        or action.get("action_name")
        or "action"
    )
    return named.rpartition(".")[2].removesuffix("Args")


def _used(completions: list[object], place: str) -> dict[str, float]:
    """What the completions of a node used, together."""
    sums: dict[str, float] = {}
    for completion in completions:
        for name, field in USED.items():
            n = checked_number(
                at_path(completion, f"usage.{field}"), f"usage.{field}", place, REMEDY
            )
            if n is not None:
                sums[name] = sums.get(name, 0.0) + n
    return sums
