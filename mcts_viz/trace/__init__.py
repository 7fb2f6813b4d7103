"""Traces: the format, the file, and the tree at any iteration.

Knows formulas and errors; knows no search, no game and no page. Whatever recorded a search, it ends
as these columns.
"""
