"""Searches that mishandle the end of games, and correct ones, as functions of a position.

From the opening, most of the faulty ones are node for node the correct search.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mcts_viz.runs.probe_positions import ProbePosition
from tests.health.unusual import (
    AllChildren,
    Node,
    ParentUrgency,
    Puct,
    Rules,
    Search,
    SecondVisit,
    Solver,
    Urgency,
)

MakeSearch = Callable[[ProbePosition], tuple[Any, Callable[[], object], dict[str, Any]]]
FIELDS = {
    "children": "children",
    "visits": "N",
    "value": "W",
    "action": "move",
    "to_move": "player",
}


def of(kind: type[Search], seed: int = 1, **told: Any) -> MakeSearch:
    def make_search(
        position: ProbePosition,
    ) -> tuple[Any, Callable[[], object], dict[str, Any]]:
        search = kind(Rules(position.game.name, list(position)), seed)
        return search.root, search.step, {**FIELDS, **told}

    return make_search


class EndIgnored(Search):
    """The simulation from a finished game goes on to a full board; the last line made counts."""

    def rollout(self, state: Any) -> float:
        outcome = 0.0
        while True:
            buffer = [0] * self.rules.game.n_actions
            n = self.rules.game.rules.legal_actions(state, buffer)
            if not n:
                return outcome
            state = self.rules.play(state, self.random.choice(buffer[:n]))
            over = self.rules.outcome(state)
            if over is not None:
                outcome = over
                if self.random.random() < 0.5:
                    return outcome


class EndFlipped(Search):
    def evaluate(self, leaf: Node) -> float:
        return -leaf.outcome if leaf.outcome is not None else super().evaluate(leaf)


class EndIsDraw(Search):
    def evaluate(self, leaf: Node) -> float:
        return 0.0 if leaf.outcome is not None else super().evaluate(leaf)


class DrawIsWin(Search):
    def worth(self, node: Node, outcome: float) -> float:
        return super().worth(node, outcome) or 1.0


class DrawIsWinAtTheEnd(Search):
    """A draw on the board is a win of player 0; in rollouts it is a draw."""

    def evaluate(self, leaf: Node) -> float:
        outcome = super().evaluate(leaf)
        return 1.0 if leaf.outcome == 0 else outcome


class EndOfMover(Search):
    """The result of a finished game is in the view of the player to move there."""

    def evaluate(self, leaf: Node) -> float:
        outcome = super().evaluate(leaf)
        return -outcome if leaf.outcome is not None and leaf.player == 1 else outcome


class EndIsRandom(Search):
    def evaluate(self, leaf: Node) -> float:
        outcome = super().evaluate(leaf)
        return outcome if leaf.outcome is None else self.random.choice((-1.0, 0.0, 1.0))


class EndIsWinOfFirst(Search):
    """Whoever has won, it is player 0's."""

    def evaluate(self, leaf: Node) -> float:
        outcome = super().evaluate(leaf)
        return outcome if leaf.outcome is None else abs(outcome)


class OnlyFirstWins(Search):
    """The wins of player 1 on the board are overlooked."""

    def evaluate(self, leaf: Node) -> float:
        outcome = super().evaluate(leaf)
        return outcome if leaf.outcome is None else max(outcome, 0.0)


class GoesOn(Search):
    """Nodes are added below finished games."""

    def node(self, state: Any, parent: Node | None, move: int) -> Node:
        made = super().node(state, parent, move)
        made.outcome = None
        return made

    def grow(self, node: Node) -> Node | None:
        if node.untried is None:
            buffer = [0] * self.rules.game.n_actions
            node.untried = buffer[: self.rules.game.rules.legal_actions(node.state, buffer)]
        return super().grow(node)


class EndUncounted(Search):
    """A finished game is left without a visit of its own."""

    def backpropagate(self, path: list[Node], outcome: float) -> None:
        super().backpropagate(path[:-1] if path[-1].outcome is not None else path, outcome)


class FullBoardLost(Search):
    """A full board is a loss of the player to move there."""

    def evaluate(self, leaf: Node) -> float:
        outcome = super().evaluate(leaf)
        return outcome if leaf.outcome != 0 else (-1.0 if leaf.player == 0 else 1.0)


class EndEvaluated(Puct):
    """The network is asked at finished games too."""

    def evaluate(self, leaf: Node) -> float:
        kept, leaf.outcome = leaf.outcome, None
        value = super().evaluate(leaf)
        leaf.outcome = kept
        return value


class FullColumns(Search):
    """Fails where a column is full."""

    def grow(self, node: Node) -> Node | None:
        if node.untried is None and len(self.rules.moves(node.state)) < self.rules.game.n_actions:
            raise IndexError("list index out of range")
        return super().grow(node)


FAULTY: dict[str, MakeSearch] = {
    "the end is ignored": of(EndIgnored),
    "the end is flipped": of(EndFlipped),
    "the end is a draw": of(EndIsDraw),
    "a draw is a win": of(DrawIsWin),
    "a draw on the board is a win": of(DrawIsWinAtTheEnd),
    "the end in the view of the player to move": of(EndOfMover),
    "the end is random": of(EndIsRandom),
    "the end is a win of player 0": of(EndIsWinOfFirst),
    "wins of player 1 are overlooked": of(OnlyFirstWins),
    "nodes below the end": of(GoesOn),
    "the end is not counted": of(EndUncounted),
    "a full board is lost": of(FullBoardLost),
    "the end is evaluated": of(EndEvaluated, prior="P"),
    "full columns": of(FullColumns),
}
CORRECT: dict[str, MakeSearch] = {
    "UCT": of(Search),
    "all children": of(AllChildren),
    "urgency": of(Urgency),
    "second visit": of(SecondVisit),
    "solver": of(Solver, proven="proven"),
    "PUCT": of(Puct, prior="P"),
    "PUCT, unvisited as the parent": of(ParentUrgency, prior="P"),
}
