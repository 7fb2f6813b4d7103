"""Searches as authors of other projects write them: correct ones, and mistakes that were passed over."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest

import mcts_viz as mv
from mcts_viz.health import checking
from mcts_viz.health.finding import Finding


class Node:
    """A node of Nim: up to three stones in turn, who takes the last one wins."""

    def __init__(
        self, stones: int, player: int, move: int | None = None, prior: float = 1.0
    ) -> None:
        self.stones, self.player, self.move, self.prior = stones, player, move, prior
        self.children: list[Node] = []
        self.visits, self.value, self.virtual = 0, 0.0, 0
        self.noise = 0.0
        self.proven: int | None = None if stones else 1 - 2 * (1 - player)

    def make_children(self) -> None:
        moves = range(1, min(3, self.stones) + 1)
        self.children = [Node(self.stones - n, 1 - self.player, n, 1 / len(moves)) for n in moves]


def rollout(node: Node, draw: random.Random) -> int:
    """The player who takes the last stone."""
    stones, player = node.stones, node.player
    while stones:
        stones, player = stones - draw.randint(1, min(3, stones)), 1 - player
    return 1 - player


def add(path: list[Node], winner: int) -> None:
    for node in path:
        node.visits += 1
        node.value += 1 if node.player != winner else -1


Score = Callable[[Node, Node], float]


def ucb(parent: Node, child: Node, more: int = 0) -> float:
    """UCB1 with c = 1; `more`: N is that of all children, and so many more."""
    n = sum(each.visits for each in parent.children) + more if more else parent.visits
    if not child.visits:
        return math.inf
    return child.value / child.visits + math.sqrt(math.log(n) / child.visits)


def searched(
    step: Callable[[Node, random.Random], int], n: int = 400, seed: int = 1, **told: Any
) -> list[mv.Finding]:
    """Findings of a search whose `step` says how many leaves it has evaluated."""
    draw, root = random.Random(seed), Node(17, 0)
    fields: dict[str, Any] = {
        "children": "children", "visits": "visits", "value": "value", "action": "move", "to_move": "player",
    }  # fmt: skip
    with mv.record(root=root, **{**fields, **told}) as rec:
        for _ in range(n):
            leaves = step(root, draw)
            rec.iteration() if leaves == 1 else rec.iteration(leaves=leaves)
    return list(rec.trace.check())


def severities(findings: list[mv.Finding], check: str) -> list[str]:
    return [one.severity for one in findings if one.check == check]


def descent(root: Node, score: Score = ucb) -> list[Node]:
    """Down to a node without visits, or to an end; children are made at the second visit."""
    path = [root]
    while path[-1].stones and (path[-1].visits or path[-1] is root):
        node = path[-1]
        if not node.children:
            node.make_children()
        path.append(max(node.children, key=lambda child: score(node, child)))
    return path


def test_several_rollouts_of_one_leaf_are_no_batch_without_a_virtual_loss() -> None:
    def step(root: Node, draw: random.Random) -> int:
        path = descent(root)
        for _ in range(4):
            add(path, rollout(path[-1], draw))
        return 4

    found = searched(step)
    assert severities(found, "batch-same-leaf") == ["note"]
    assert [one for one in found if one.severity != "note"] == []


def test_a_parent_that_counts_its_children_and_one_visit_more() -> None:
    def step(root: Node, draw: random.Random) -> int:
        path = descent(root, lambda parent, child: ucb(parent, child, more=1))
        add(path, rollout(path[-1], draw))
        return 1

    found = searched(step, 300, seed=7, selection="ucb1", c=1.0)
    assert [one.check for one in found if one.severity != "note"] == []
    assert severities(found, "selection-unexplained") == []


@pytest.mark.thorough
def test_noise_of_gumbel_alone_is_no_promise_of_puct() -> None:
    def step(root: Node, draw: random.Random) -> int:
        if not root.children:
            root.make_children()
            for child in root.children:
                child.noise = draw.random()
        path = descent(
            root, lambda parent, child: child.value * child.visits - draw.random() * child.visits
        )
        add(path, rollout(path[-1], draw))
        return 1

    told = {"prior": "prior", "selection": "puct", "c": 1.0}
    assert "warning" in severities(searched(step, **told), "selection-unexplained")
    for with_noise in ({"prior": "prior"}, {"prior": "prior", "gumbel": "noise"}):
        found = searched(step, **with_noise)
        assert severities(found, "selection-unexplained") == ["note"]


class Thought:
    def __init__(self, text: str) -> None:
        self.text, self.children, self.visits, self.value = text, list[Thought](), 0, 0.0


@pytest.mark.parametrize(
    ("merged", "ways", "severity"), [(True, 2, []), (False, 2, ["note"]), (False, 1, ["warning"])]
)
def test_an_agent_that_proposes_a_thought_again(
    merged: bool, ways: int, severity: list[str]
) -> None:
    """It may go to the child that has it, or keep both; where all thoughts are one, nothing is drawn."""
    draw, root = random.Random(1), Thought("the question that was asked")
    with mv.record(
        root=root,
        children="children",
        visits="visits",
        value="value",
        label="text",
        players=("agent",),
    ) as rec:
        for _ in range(150):
            path = [root]
            while len(path) < 4 and path[-1].children and draw.random() < 0.7:
                path.append(draw.choice(path[-1].children))
            text = f"{len(path)}: look at it in way {draw.randrange(ways)}"
            there = [child for child in path[-1].children if child.text == text]
            if not (merged and there):
                there = [Thought(text)]
                path[-1].children += there
            for node in [*path, there[0]]:
                node.visits, node.value = node.visits + 1, node.value + draw.random()
            rec.iteration()
    found = list(rec.trace.check())
    assert severities(found, "record-duplicate") == severity
    assert "warning" not in severities(found, "visits-missing")


@pytest.mark.parametrize("early", [False, True])
def test_a_loss_is_proven_by_all_children_also_without_rules(early: bool) -> None:
    def prove(node: Node) -> None:
        lost = [child.proven == (1 if node.player else -1) for child in node.children]
        won = [child.proven == (-1 if node.player else 1) for child in node.children]
        if any(won):
            node.proven = -1 if node.player else 1
        elif lost and (any if early else all)(lost):
            node.proven = 1 if node.player else -1

    def step(root: Node, draw: random.Random) -> int:
        if root.proven is not None:
            return 1
        path = [root]
        while path[-1].proven is None and (path[-1].visits or path[-1] is root):
            node = path[-1]
            if not node.children:
                node.make_children()
            path.append(
                max((each for each in node.children if each.proven is None or not each.visits),
                    key=lambda child: ucb(node, child))
            )  # fmt: skip
        add(path, rollout(path[-1], draw))
        for node in reversed(path):
            if node.proven is None and node.children:
                prove(node)
        return 1

    found = searched(
        step, 60, proven="proven", outcome=lambda node: None if node.stones else node.proven
    )
    assert severities(found, "proof-wrong") == (["error"] if early else [])


@pytest.mark.parametrize("off", [1, 2])
def test_a_virtual_loss_that_is_taken_off_twice(off: int) -> None:
    def step(root: Node, draw: random.Random) -> int:
        paths = []
        for _ in range(3):
            paths.append(descent(root, lambda parent, child: ucb(parent, child) - child.virtual))
            for node in paths[-1]:
                node.virtual += 1
        for path in paths:
            add(path, rollout(path[-1], draw))
            for node in path:
                node.virtual -= off if node is path[-1] else 1
        return 3

    found = searched(
        step, 100, virtual_loss="virtual",
        visits=lambda node: node.visits + node.virtual, value=lambda node: node.value - node.virtual,
    )  # fmt: skip
    assert severities(found, "virtual-loss-left") == (["error"] if off == 2 else [])


@pytest.mark.parametrize("win", [(1.0, 0.0, 0.0), (-1.0, 0.5, 0.5)])
@pytest.mark.parametrize("counted", [2, 3])
def test_the_last_player_whose_results_are_never_added(
    counted: int, win: tuple[float, float, float]
) -> None:
    """Three take sticks in turn; `win`: for who takes the last one, and for the others."""
    draw, root = random.Random(1), Sticks(9, 0)
    with mv.record(
        root=root, children="children", visits="visits", value="values", action="move", to_move="player",
        players=("one", "two", "three"), value_range=(-1, 1),
    ) as rec:  # fmt: skip
        for _ in range(400):
            path = [root]
            while path[-1].sticks and (path[-1].visits or path[-1] is root):
                node = path[-1]
                if not node.children:
                    moves = range(1, min(3, node.sticks) + 1)
                    node.children = [
                        Sticks(node.sticks - n, (node.player + 1) % 3, n) for n in moves
                    ]
                path.append(min(node.children, key=lambda child: (child.visits, draw.random())))
            sticks, player = path[-1].sticks, path[-1].player
            while sticks:
                sticks, player = sticks - draw.randint(1, min(3, sticks)), (player + 1) % 3
            result = [win[0] if who == (player - 1) % 3 else win[1] for who in range(3)]
            for node in path:
                node.visits += 1
                for who in range(counted):
                    node.values[who] += result[who]
            rec.iteration(outcome=result)
    found = list(rec.trace.check())
    assert severities(found, "value-wrong-player") == (["error"] if counted == 2 else [])
    assert severities(found, "value-same-entry") == []


class Sticks:
    def __init__(self, sticks: int, player: int, move: int | None = None) -> None:
        self.sticks, self.player, self.move = sticks, player, move
        self.children: list[Sticks] = []
        self.visits, self.values = 0, [0.0, 0.0, 0.0]


class Board:
    """Tic-Tac-Toe; children are kept by move."""

    def __init__(self, cells: str, move: int | None = None) -> None:
        self.cells, self.move, self.full = cells, move, False
        self.player = (9 - cells.count(".")) % 2
        self.children: dict[int, Board] = {}
        self.visits, self.value = 0, 0.0
        lines = ("012", "345", "678", "036", "147", "258", "048", "246")
        three = [{cells[int(i)] for i in line} for line in lines]
        self.won = {"X"} in three or {"O"} in three
        self.moves = [] if self.won else [i for i in range(9) if cells[i] == "."]

    def child(self, move: int) -> Board:
        if move not in self.children:
            cells = self.cells[:move] + "XO"[self.player] + self.cells[move + 1 :]
            self.children[move] = Board(cells, move)
        return self.children[move]


def searched_with_kept_rollouts(
    table: dict[str, Board] | None, n: int, **told: Any
) -> list[Finding]:
    """As mcts-simple: a rollout makes a child for each of its moves; with a table, one node for a position."""

    def score(parent: Board, child: Board) -> float:
        if not child.visits:
            return math.inf
        return child.value / child.visits + math.sqrt(math.log(parent.visits) / child.visits)

    def child(board: Board, move: int) -> Board:
        made = board.child(move)
        if table is not None:
            made = board.children[move] = table.setdefault(made.cells, made)
        return made

    draw, root = random.Random(1), Board("." * 9)
    with mv.record(
        root=root, children="children", visits="visits", value="value", to_move="player", game="tic_tac_toe",
        **told,
    ) as rec:  # fmt: skip
        for _ in range(n):
            path = [root]
            while path[-1].full and path[-1].moves:
                above = path[-1]
                path.append(max(above.children.values(), key=lambda each: score(above, each)))
            for move in path[-1].moves:
                child(path[-1], move)
            path[-1].full = True
            while path[-1].moves:
                path.append(child(path[-1], draw.choice(path[-1].moves)))
            for board in path:
                board.visits += 1
                board.value += path[-1].won * (1 if board.player == path[-1].player else -1)
            rec.iteration()
    return list(rec.trace.check())


def test_rollouts_that_stay_in_the_tree_pass_nodes_with_untried_moves() -> None:
    found = searched_with_kept_rollouts(None, 250)
    assert [one.check for one in found if one.severity == "error"] == []
    # all moves of such a node are there after the iteration that comes by
    assert severities(found, "selection-untried") == []


@pytest.mark.thorough
def test_rollouts_that_stay_in_a_graph_take_children_at_random() -> None:
    found = searched_with_kept_rollouts({}, 500, selection="ucb1", c=1.0, shared=True)
    assert severities(found, "selection-unexplained") == ["note"]
    assert [one.check for one in found if one.severity != "note"] == []


@pytest.mark.parametrize(("severity", "hides"), [("error", True), ("note", False)])
def test_priors_that_may_be_right_hide_no_error(severity: str, hides: bool) -> None:
    priors = Finding("expansion-priors", severity, 1, 1, "logits")
    no_visits = Finding("selection-no-visits", "error", 5, 0, "√N without 1 + n")
    assert checking._follows(no_visits, [priors, no_visits]) == hides
    assert not checking._follows(priors, [priors, no_visits])


class Throw:
    """A continuous action, and what it brings."""

    def __init__(self, action: float, depth: int) -> None:
        self.action, self.depth = action, depth
        self.children: list[Throw] = []
        self.visits, self.value = 0, 0.0


@pytest.mark.parametrize(("most", "named"), [(lambda n: n**0.5, False), (lambda n: n + 1.0, True)])
def test_widening_without_a_limit_visits_no_move_again(
    most: Callable[[int], float], named: bool
) -> None:
    draw, root = random.Random(1), Throw(0.0, 0)
    with mv.record(
        root=root, children="children", visits="visits", value="value", action="action",
        players=("thrower",), value_range=(0, 1),
    ) as rec:  # fmt: skip
        for _ in range(200):
            path = [root]
            while path[-1].depth < 3:
                above = path[-1]
                if len(above.children) < most(above.visits) or not above.children:
                    path.append(Throw(draw.random(), above.depth + 1))
                    above.children.append(path[-1])
                    break
                path.append(
                    max(
                        above.children,
                        key=lambda one: (
                            one.value / one.visits + math.sqrt(math.log(above.visits) / one.visits)
                        ),
                    )
                )
            value = 1 - abs(path[-1].action - 0.7) * draw.random()
            for one in path:
                one.visits += 1
                one.value += value
            rec.iteration()
    found = {one.check: one for one in rec.trace.check()}
    assert ("choice-never-again" in found) == named
    assert [one.check for one in found.values() if one.severity != "note"] == []


def test_moves_that_are_never_visited_again_may_have_lines_below_them() -> None:
    draw, root = random.Random(1), Throw(0.0, 0)
    with mv.record(
        root=root, children="children", visits="visits", value="value", action="action",
        players=("thrower",), value_range=(0, 1),
    ) as rec:  # fmt: skip
        for _ in range(100):
            path = [root, Throw(draw.random(), 1), Throw(draw.random(), 2)]
            for above, below in pairwise(path):
                above.children.append(below)
            value = draw.random()
            for one in path:
                one.visits += 1
                one.value += value
            rec.iteration()
    (never,) = (one for one in rec.trace.check() if one.check == "choice-never-again")
    assert "nothing stands below" not in never.message
