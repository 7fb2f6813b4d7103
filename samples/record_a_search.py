"""Record a search, ask its trace a few questions, and leave a file for the page.

python samples/record_a_search.py [FILE]
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # a checkout need not be installed

import mcts_viz as mv


def main() -> None:
    """X has two discs side by side and room around them: a third one wins. When does X see it?"""
    file = sys.argv[1] if len(sys.argv) > 1 else "my_search.mcts"
    trace = mv.search(
        "connect_four",
        "uct",
        iterations=2_000,
        seed=1,
        start=["column 4", "column 4", "column 5", "column 5"],
        path=file,
    )
    print("after   move       visits  mean value   expected line")
    for t in (10, 30, 100, 300, 1_000, 2_000):
        tree = trace.at(t)
        best = tree.ranked_children()[0]
        line = ", ".join(trace.action_name(action) for action in tree.principal_variation[:4])
        print(
            f"{t:5,}   {tree.label(best)}  {tree.visits[best]:7,}  {tree.mean_value[best]:10.3f}   {line}"
        )
    print(f"\nStep through it: python app.py {file}")


if __name__ == "__main__":
    main()
