"""Writes logs as agents that search over programs write them, after the documented form of each: small searches of ours
for a polynomial near some points, always the same ones."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

POINTS = [(x / 4, 1 + x / 4 - (x / 4) ** 2) for x in range(-8, 9)]
START = 1_700_000_000.0  # seconds
Weights = list[float]


def code_of(weights: Sequence[float]) -> str:
    terms = " + ".join(f"{w:.2f} * x**{power}" for power, w in enumerate(weights))
    return f"def f(x):\n    return {terms}\n"


def error_of(weights: Sequence[float]) -> float:
    """The root of the mean square error."""
    gaps = [sum(w * x**power for power, w in enumerate(weights)) - y for x, y in POINTS]
    return math.sqrt(sum(gap * gap for gap in gaps) / len(gaps))


def changed(weights: Sequence[float], rng: random.Random) -> Weights:
    return [w + rng.gauss(0, 0.3) for w in weights]


def openevolve_log(n: int = 30, seed: int = 1) -> list[dict[str, Any]]:
    """Lines of an evolution trace: parents by a tournament."""
    rng = random.Random(seed)
    programs: list[tuple[str, Weights, int]] = [("p0", [0.0, 0.0, 0.0], 0)]
    lines = []
    for iteration in range(1, n + 1):
        id_, weights, generation = max(rng.sample(programs, min(3, len(programs))), key=_fit)
        child = changed(weights, rng)
        lines.append({
            "iteration": iteration,
            "timestamp": START + 2.5 * iteration,
            "parent_id": id_,
            "child_id": f"p{iteration}",
            "parent_metrics": _metrics(weights),
            "child_metrics": _metrics(child),
            "code_diff": "\n".join([f"-{line}" for line in code_of(weights).splitlines()[1:]]
                                   + [f"+{line}" for line in code_of(child).splitlines()[1:]]),
            "child_code": code_of(child),
            "parent_code": code_of(weights),
            "prompt": {"system": "You improve programs.", "user": f"Improve:\n{code_of(weights)}"},
            "llm_response": f"I changed the weights.\n```python\n{code_of(child)}```",
            "improvement_delta": {},
            "island_id": iteration % 2,
            "generation": generation + 1,
        })  # fmt: skip
        programs.append((f"p{iteration}", child, generation + 1))
    return lines


def _fit(program: tuple[str, Weights, int]) -> float:
    return -error_of(program[1])


def _metrics(weights: Sequence[float]) -> dict[str, float]:
    score = 1 / (1 + error_of(weights))
    return {"combined_score": score, "accuracy": score**2, "brevity": 0.5}


def journal(n: int = 24, seed: int = 1, scientist: bool = False) -> dict[str, Any]:
    """A journal: three drafts, then buggy leaves are debugged, else the best node is improved."""
    rng = random.Random(seed)
    nodes: list[dict[str, Any]] = []
    parents: dict[str, str] = {}
    weights: dict[str, Weights] = {}
    for step in range(n):
        good = [node for node in nodes if not node["is_buggy"]]
        leaves = [each for each in nodes if each["is_buggy"] and each["id"] not in parents.values()]
        parent = None
        if step >= 3 and leaves and (rng.random() < 0.5 or not good):
            parent = rng.choice(leaves)
        elif step >= 3 and good:
            parent = min(good, key=lambda node: error_of(weights[node["id"]]))
        id_ = f"{rng.getrandbits(128):032x}"
        base = [rng.gauss(0, 1) for _ in range(3)] if parent is None else weights[parent["id"]]
        weights[id_] = changed(base, rng)
        buggy = rng.random() < 0.3
        nodes.append(_journal_node(step, id_, parent, weights[id_], buggy, rng, scientist))
        if parent is not None:
            parents[id_] = parent["id"]
    return {"nodes": nodes, "node2parent": parents, "__version": "2"}


def _journal_node(
    step: int, id_: str, parent: Mapping[str, Any] | None, weights: Weights, buggy: bool, rng: random.Random,
    scientist: bool,
) -> dict[str, Any]:  # fmt: skip
    doing = "Fit" if parent is None else "Fix" if parent["is_buggy"] else "Refine"
    value: object = None if buggy else error_of(weights)
    if scientist and not buggy:
        data = [{"dataset_name": "points", "final_value": value, "best_value": value}]
        value = {"metric_names": [{"metric_name": "rmse", "lower_is_better": True, "data": data}]}
    node = {
        "code": code_of(weights) + ("y = undefined\n" if buggy else ""),
        "plan": f"{doing} a polynomial, attempt {step + 1}.",
        "step": step,
        "id": id_,
        "ctime": START + 60.0 * step,
        "parent": None,
        "children": [],
        "_term_out": ["NameError: name 'undefined'\n" if buggy else f"rmse: {error_of(weights):.3f}\n"],
        "exec_time": round(rng.uniform(1, 9), 2),
        "exc_type": "NameError" if buggy else None,
        "exc_info": {"args": ["name 'undefined' is not defined"]} if buggy else None,
        "exc_stack": None,
        "analysis": "It fails." if buggy else "It runs.",
        "metric": {"value": value, "maximize": None if scientist or buggy else False},
        "is_buggy": buggy,
    }  # fmt: skip
    if scientist:
        node |= {"overall_plan": "Find weights.", "plot_code": "plot(f)", "is_buggy_plots": False}
    return node


def moatless_tree(n: int = 40, seed: int = 1) -> list[dict[str, Any]]:
    """Nodes as a list: UCT with rewards from −100 to 100, two or three children a node; ends are visited again."""
    rng = random.Random(seed)
    nodes: list[dict[str, Any]] = [_step(0, None, 3, rng)]
    for _ in range(n):
        node = nodes[0]
        while node["n_children"] == node["max_expansions"] and not node["terminal"]:
            below = [each for each in nodes if each["parent_id"] == node["node_id"]]
            visits = node["visits"]
            node = max(below, key=lambda each: _uct(each, visits))
        if not node["terminal"]:
            node["n_children"] += 1
            node = _step(len(nodes), node, rng.choice((2, 3)), rng)
            nodes.append(node)
        reward = node["reward"]["value"]
        at: dict[str, Any] | None = node
        while at is not None:
            at["visits"] += 1
            at["value"] += reward
            at = None if at["parent_id"] is None else nodes[at["parent_id"]]
    return [
        {name: found for name, found in node.items() if name not in ("n_children", "depth")}
        for node in nodes
    ]


def _uct(node: Mapping[str, Any], above: int) -> float:
    mean = node["value"] / node["visits"]
    return float(mean + 140 * math.sqrt(math.log(above) / node["visits"]))


def _step(
    id_: int, parent: Mapping[str, Any] | None, most: int, rng: random.Random
) -> dict[str, Any]:
    depth = 0 if parent is None else parent["depth"] + 1
    name = (
        "Finish"
        if depth >= 3
        else rng.choice(("FindClass", "ViewCode", "StringReplace", "RunTests"))
    )
    usage: dict[str, float] = {
        "completion_tokens": rng.randrange(50, 400),
        "prompt_tokens": rng.randrange(500, 4000),
    }
    usage["completion_cost"] = round(
        usage["prompt_tokens"] * 3e-6 + usage["completion_tokens"] * 1.5e-5, 6
    )
    action = {
        "thoughts": f"Step {id_}: {name}.",
        "action_args_class": f"moatless.actions.{name}Args",
    }
    explained = {"explanation": f"The step {name} is plausible.", "value": rng.randrange(-50, 101)}
    return {
        "node_id": id_,
        "parent_id": None if parent is None else parent["node_id"],
        "visits": 0,
        "value": 0,
        "max_expansions": most,
        "user_message": "Mend the bug." if parent is None else None,
        "assistant_message": None if parent is None else f"I use {name}.",
        "action_steps": [] if parent is None else [{"action": action, "observation": {"message": "Done."}}],
        "completions": {} if parent is None else {"build_action": {"model": "m", "usage": usage}},
        "reward": None if parent is None else explained,
        "terminal": name == "Finish",
        "error": None,
        "n_children": 0,
        "depth": depth,
    }  # fmt: skip


def write(folder: Path) -> None:
    """All the logs."""
    lines = [json.dumps(line) for line in openevolve_log()]
    (folder / "evolution_trace.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    compact = (",", ":")
    (folder / "aide_journal.json").write_text(
        json.dumps(journal(), separators=compact), encoding="utf-8"
    )
    scientist = json.dumps(journal(seed=2, scientist=True), separators=compact)
    (folder / "scientist_journal.json").write_text(scientist, encoding="utf-8")
    (folder / "moatless_tree.json").write_text(
        json.dumps(moatless_tree(), indent=2), encoding="utf-8"
    )
