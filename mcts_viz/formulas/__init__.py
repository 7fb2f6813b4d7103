"""The arithmetic of MCTS: selection scores and final-move rules, one copy of each formula.

Lowest layer of all, so that the search (which compares these numbers) and the trace (which prints
them) can share it without knowing one another. Knows no game, no tree, no file: numbers in, numbers
out.
"""
