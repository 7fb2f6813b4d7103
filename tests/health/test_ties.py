"""A rule by which all children are alike explains whatever is taken, and is no mistake that a search has."""

import random

import mcts_viz as mv


class Node:
    def __init__(self, move: int) -> None:
        self.move, self.visits, self.value = move, 0, 0.0
        self.children: list[Node] = []


def test_means_between_two_whole_numbers_do_not_make_a_random_choice_a_rounding_one() -> None:
    draw, root = random.Random(3), Node(0)
    fields = {"children": "children", "visits": "visits", "value": "value", "action": "move"}
    told = {"players": ("agent",), "value_range": (0, 1), "selection": "ucb1", "c": 1.4}
    with mv.record(root=root, **fields, **told) as rec:
        for _ in range(400):
            path = [root]
            while len(path[-1].children) == 4:
                path.append(draw.choice(path[-1].children))
            path[-1].children.append(Node(len(path[-1].children)))
            path.append(path[-1].children[-1])
            value = draw.uniform(0.2, 0.8)
            for node in path:
                node.visits += 1
                node.value += value
            rec.iteration()
    serious = {finding.check for finding in rec.trace.check() if finding.severity != "note"}
    assert serious == {"selection-random"}
