"""The page: a Dash app over read-only traces.

Runs searches and matches through `runs`. A trace needs no code of its game: labels and texts of positions travel in it.
"""
