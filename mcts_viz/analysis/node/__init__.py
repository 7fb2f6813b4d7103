"""One node: its facts, the simulations that passed through it, and how a typed line of moves names it."""
