"""A prior that misleads a search: the move that has to be played is the one it thinks least of.

python samples/misleading_prior.py [FILE]

PUCT looks first where the evaluator's prior points, as AlphaZero does. Here the evaluator loves the
centre and nothing else, while O has three discs on top of one another at the left edge: X must cover
them or lose at once. The search finds that out, but it takes its time.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # a checkout need not be installed

import mcts_viz as mv

START = ["column 6", "column 1", "column 7", "column 1", "column 6", "column 1"]
COVER = 0  # column 1: every other move loses
LOVE = 1.8  # for each column nearer the centre, so many times the prior


def lover_of_the_centre(position: list[int], legal: list[int]) -> tuple[list[float], float]:
    """A prior for each legal column, and the value of the position for the player to move: it has no
    idea, so 0. A network would be asked here; `position` is the bit board of
    mcts_viz/games/connect_four.py."""
    weights = [LOVE ** (2 * (3 - abs(column - 3))) for column in legal]
    return [weight / sum(weights) for weight in weights], 0.0


def record(file: Path) -> mv.Trace:
    """Search the position and write the trace."""
    return mv.search(
        "connect_four",
        "alphazero",
        evaluator=lover_of_the_centre,
        iterations=600,
        seed=1,
        start=START,
        path=file,
    )


def main() -> None:
    """When does the search see that it has to cover column 1?"""
    file = sys.argv[1] if len(sys.argv) > 1 else "misleading_prior.mcts"
    trace = record(Path(file))
    print("after   would play   column 1: prior  visits  mean   column 4: prior  visits  mean")
    for t in (8, 30, 100, 200, 300, 400, 600):
        tree = trace.at(t)
        cells = []
        for child in (1 + COVER, 1 + 3):
            numbers = (tree.prior[child], tree.visits[child], tree.mean_value[child])
            cells.append("{:15.3f} {:7,} {:5.2f}".format(*numbers))
        print(f"{t:5}   {tree.best_action_name}   {cells[0]} {cells[1]}")
    print(f"\nStep through it: python app.py {file}")


if __name__ == "__main__":
    main()
