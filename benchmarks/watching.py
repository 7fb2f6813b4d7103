"""What watching costs searches that are not ours: time with the trace written to disk ÷ time alone.

mctspy on Tic-Tac-Toe, as it comes, a textbook UCT in plain Python, and a PUCT that keeps dicts by
state and action. mctspy runs the 10,000
iterations of its README, and for information a search of 1,500, whose tree is still all growth. The
goal for the textbook is one for 10 to 20 thousand iterations a second; six rollouts a leaf bring it
there. The same with one rollout is given for information: it shows what an iteration's recording
costs by itself. Time is that of the processor, of all threads: searches that are paced wait in a loop, and what else
the machine does would count for the recording alone.
"""

from __future__ import annotations

import gc
import math
import random
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from mctspy.games.examples.tictactoe import TicTacToeGameState
from mctspy.tree.nodes import TwoPlayersGameMonteCarloTreeSearchNode
from mctspy.tree.search import MonteCarloTreeSearch

import mcts_viz as mv
from benchmarks.figures import Figure
from mcts_viz.recording.libraries.mctspy import arguments
from mcts_viz.recording.recording import Recording
from tests.recording.batch_searches import BatchUCT
from tests.recording.graph_searches import GraphUCT
from tests.recording.searches import PlainUCT
from tests.recording.table_searches import TableSearch

TURN = 100  # iterations
RATE = 1 / 5_000  # seconds an iteration
FIELDS = {
    "children": "children",
    "visits": "visits",
    "value": "wins",
    "action": "move",
    "value_range": (0, 1),
}
GRAPH_FIELDS = {name: field for name, field in FIELDS.items() if name != "action"}
GOAL_MCTSPY = 1.10
GOAL_PLAIN = 1.5
LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]

Step = Callable[[], object]
Begin = Callable[[], tuple[Step, dict[str, Any]]]  # a fresh search, and the arguments that watch it


def measure() -> Iterator[Figure]:
    """One figure a search: its time with and without, in such short turns that whatever else the
    machine does slows both alike."""
    searches: list[tuple[str, Begin, int, int, float | None]] = [  # with rounds and iterations
        ("mctspy, as in its README", mctspy_search, 5, 10_000, GOAL_MCTSPY),
        ("mctspy, a short search", mctspy_search, 15, 1_500, None),
        ("textbook UCT, 6 rollouts", partial(textbook_search, 6), 15, 3_000, GOAL_PLAIN),
        ("textbook UCT, 1 rollout", partial(textbook_search, 1), 15, 3_000, None),
        (
            "PUCT over tables, 5,000 a second",
            partial(table_search, 1 / 5_000),
            3,
            10_000,
            GOAL_PLAIN,
        ),
        ("nodes of a textbook, 5,000 a second", partial(plain_search, RATE), 3, 10_000, 1.25),
        ("shared nodes, 5,000 a second", partial(graph_search, RATE), 3, 10_000, 2.0),
        ("batches of 8, 5,000 leaves a second", partial(batch_search, RATE), 3, 1_200, 1.25),
    ]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "watched.mcts"
        for name, begin, rounds, n, goal in searches:
            alone, watched = map(sum, zip(*(in_turns(begin, n, path) for _ in range(rounds))))
            how = f"{rounds} × {n:,} iterations, {TURN} at a time; {rounds * n / alone:,.0f} a second alone"
            yield Figure(f"{name}: time watched ÷ alone", watched / alone, "×", goal, how=how)


def in_turns(begin: Begin, iterations: int, path: Path) -> tuple[float, float]:
    """Seconds of a search alone, and of one with its trace from opening to closing it, both a few
    iterations at a time in turns."""
    gc.collect()  # else one of the two pays for the trees of the round before
    step_alone, _ = begin()
    step, arguments = begin()
    began = time.process_time()
    record = mv.record_tables if "Nsa" in arguments else mv.record
    with record(path, **arguments) as rec:
        watched, alone = time.process_time() - began, 0.0
        for _ in range(iterations // TURN):
            alone += processor_seconds(partial(run, step_alone))
            watched += processor_seconds(partial(watch, rec, step))
        began = time.process_time()
    return alone, watched + time.process_time() - began


def processor_seconds(work: Callable[[], object]) -> float:
    """What it takes of the processor."""
    began = time.process_time()
    work()
    return time.process_time() - began


def run(step: Step) -> None:
    """A turn of the search alone."""
    for _ in range(TURN):
        step()


def watch(rec: Recording[mv.Trace], step: Step) -> None:
    """A turn of the search with its trace."""
    for _ in rec.steps(step, TURN):
        pass


def mctspy_search() -> tuple[Step, dict[str, Any]]:
    """mctspy's own example, an iteration at a time."""
    np.random.seed(1)  # noqa: NPY002 (it draws from there)
    root = TwoPlayersGameMonteCarloTreeSearchNode(TicTacToeGameState(np.zeros((3, 3)), 1))
    search = MonteCarloTreeSearch(root)

    def step() -> None:
        leaf = search._tree_policy()
        leaf.backpropagate(leaf.rollout())

    return step, arguments(root, "tic_tac_toe")


class State:
    """A position that is copied and played on, as textbooks do."""

    def __init__(self, board: list[int], player: int) -> None:
        self.board, self.player = board, player

    def clone(self) -> State:
        return State(self.board[:], self.player)

    def moves(self) -> list[int]:
        return [] if self.winner() is not None else [i for i in range(9) if self.board[i] == -1]

    def play(self, move: int) -> None:
        self.board[move] = self.player
        self.player = 1 - self.player

    def winner(self) -> int | None:
        board = self.board
        for a, b, c in LINES:
            if board[a] == board[b] == board[c] != -1:
                return board[a]
        return None

    def result(self, player: int) -> float:
        winner = self.winner()
        return 0.5 if winner is None else float(winner == player)


class Node:
    """A node of textbook UCT."""

    def __init__(self, state: State, move: int | None = None, parent: Node | None = None) -> None:
        self.move, self.parent = move, parent
        self.children: list[Node] = []
        self.untried = state.moves()
        self.player = state.player
        self.visits, self.wins = 0, 0.0

    def select(self) -> Node:
        log = math.log(self.visits)
        return max(
            self.children,
            key=lambda child: child.wins / child.visits + math.sqrt(2 * log / child.visits),
        )


def textbook_search(rollouts: int) -> tuple[Step, dict[str, Any]]:
    """UCT with a state that is cloned once an iteration, and once more for each further rollout."""
    start, draw = State([-1] * 9, 0), random.Random(1)
    root = Node(start)

    def step() -> None:
        node, state = root, start.clone()
        while not node.untried and node.children:
            node = node.select()
            assert node.move is not None
            state.play(node.move)
        if node.untried:
            move = node.untried.pop(draw.randrange(len(node.untried)))
            state.play(move)
            node.children.append(Node(state, move, node))
            node = node.children[-1]
        ends = [state.clone() for _ in range(rollouts)]
        for end in ends:
            while moves := end.moves():
                end.play(draw.choice(moves))
        at: Node | None = node
        while at is not None:
            player = 1 - at.player
            at.visits += 1
            at.wins += sum([end.result(player) for end in ends]) / rollouts
            at = at.parent

    return step, {
        "root": root,
        "children": "children",
        "visits": "visits",
        "value": "wins",
        "action": "move",
        "to_move": "player",
        "value_range": (0, 1),
        "game": "tic_tac_toe",
    }


def paced(step: Step, pause: float) -> Step:
    """Each step takes so many seconds, as with a network."""

    def waiting() -> None:
        end = time.process_time() + pause
        step()
        while time.process_time() < end:
            pass

    return waiting


def plain_search(pause: float) -> tuple[Step, dict[str, Any]]:
    """Nodes that are objects."""
    search = PlainUCT()
    return paced(search.step, pause), {"root": search.root, **FIELDS}


def graph_search(pause: float) -> tuple[Step, dict[str, Any]]:
    """Positions that several moves lead to are one object."""
    search = GraphUCT()
    return paced(search.step, pause), {"root": search.root, "shared": True, **GRAPH_FIELDS}


def batch_search(pause: float) -> tuple[Step, dict[str, Any]]:
    """Eight leaves a step, with virtual losses."""
    search = BatchUCT(8)
    return paced(search.batch, 8 * pause), {
        "root": search.root,
        "virtual_loss": "virtual",
        **FIELDS,
    }


def table_search(pause: float) -> tuple[Step, dict[str, Any]]:
    """alpha-zero-general's shape; each iteration takes as many seconds as with a network."""
    search = TableSearch()
    step = paced(search.step, pause)
    given = {name: getattr(search, name) for name in ("Nsa", "Qsa", "Ns", "Ps", "Es")}
    return step, {**given, "root": search.game.start, "next": search.game.next_board, "to_move": 0}
