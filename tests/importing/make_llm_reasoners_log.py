"""Makes llm_reasoners_log.json: python -m tests.importing.make_llm_reasoners_log

The library needs a language model, so this is its search and its log written down again, after
`reasoners/algorithm/mcts.py` and `reasoners/visualization/tree_log.py` of maitrix-org/llm-reasoners
(commits 0d7ba67 and e6f5a26): select by UCT with fast rewards, expand, simulate by the highest fast
reward to the depth limit, back up cumulative rewards, Q the mean of them; a log entry an iteration
with `nodes` and `edges` by id, and a `selected_edge` for each inner node: that of the iteration's
path, elsewhere that with the highest Q. The texts are made up. `visits_below_the_root` is not part
of the library's log: the test compares with it.
"""

from __future__ import annotations

import itertools
import json
import math
import random
from pathlib import Path
from typing import Any

QUESTION = "Ann has 3 bags of 12 apples and gives away 7. How many are left?"
STEPS = ["How many apples are in the bags?", "How many does she give away?", "How many are left?"]
DEPTH, ITERATIONS, W_EXP = 3, 12, 1.0


class Node:
    """A node of the library's search."""

    def __init__(self, ids: list[int], parent: Node | None, step: str, fast: float) -> None:
        self.id, self.parent, self.step = len(ids), parent, step
        ids.append(self.id)
        self.fast = self.reward = fast
        self.depth: int = 0 if parent is None else parent.depth + 1
        self.state: dict[str, Any] | None = None
        self.cum_rewards: list[float] = []
        self.children: list[Node] | None = None

    @property
    def q(self) -> float:
        return sum(self.cum_rewards) / len(self.cum_rewards) if self.state else self.fast


def iterate(root: Node, ids: list[int], draw: random.Random) -> list[Node]:
    """One iteration; its path."""
    path = [root]
    while path[-1].children and path[-1].depth < DEPTH:
        path.append(max(path[-1].children, key=uct))
    while True:
        node = path[-1]
        if node.depth < DEPTH and node.children is None:
            expand(node, ids, draw)
        if node.state is None:
            node.state = {"sub_question": node.step, "answer": str(draw.randrange(40))}
            node.reward = round(0.5 * node.fast + draw.random() / 2, 3)
        if not node.children:
            break
        path.append(max(node.children, key=lambda child: child.fast))
    total = 0.0
    for node in reversed(path):
        total += node.reward
        node.cum_rewards.append(total)
    return path


def uct(node: Node) -> float:
    assert node.parent is not None
    n = len(node.parent.cum_rewards)
    return node.q + W_EXP * math.sqrt(math.log(n) / max(1, len(node.cum_rewards)))


def expand(node: Node, ids: list[int], draw: random.Random) -> None:
    node.children = [Node(ids, node, step, round(draw.random(), 3)) for step in STEPS]


def entry(root: Node, path: list[Node]) -> dict[str, Any]:
    """The log's entry after an iteration."""
    nodes: dict[str, Any] = {}
    edges: dict[str, Any] = {}
    of_path = dict(itertools.pairwise(path))
    waiting = [root]
    while waiting:
        node = waiting.pop(0)
        nodes[str(node.id)] = {
            "id": node.id, "data": node.state or {}, "selected_edge": None, "convert_images": True,
        }  # fmt: skip
        best = of_path.get(node) or max(node.children or [], key=lambda c: c.q, default=None)
        for child in node.children or []:
            id_ = len(edges)
            edges[str(id_)] = {
                "id": id_, "source": node.id, "target": child.id, "convert_images": True,
                "data": {"Q": child.q, "reward": child.reward, "r_useful": child.fast},
            }  # fmt: skip
            if child is best:
                nodes[str(node.id)]["selected_edge"] = id_
            waiting.append(child)
    return {"nodes": nodes, "edges": edges}


def main() -> None:
    """Write the log beside this file."""
    ids: list[int] = []
    draw = random.Random(4)
    root = Node(ids, None, QUESTION, 0.0)
    root.state = {"question": QUESTION}
    logs = [entry(root, iterate(root, ids, draw)) for _ in range(ITERATIONS)]
    visits = sorted((len(child.cum_rewards) for child in root.children or []), reverse=True)
    document = {"logs": logs, "visits_below_the_root": visits}
    path = Path(__file__).parent / "llm_reasoners_log.json"
    path.write_text(json.dumps(document, separators=(",", ":")), encoding="utf-8")


if __name__ == "__main__":
    main()
