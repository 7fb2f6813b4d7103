"""Exact results of positions: what a game ends with when both sides play perfectly.

Knows games, and no tree, trace or picture.
"""
