"""`python -m mcts_viz`: the command line."""

import sys

from mcts_viz.cli import main

if __name__ == "__main__":
    sys.exit(main())
