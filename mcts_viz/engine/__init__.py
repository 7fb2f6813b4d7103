"""The search: a tree of numpy columns, the four phases over it, and the loop that runs them.

Knows games and formulas; knows nothing of traces, files or pages. To watch a search, pass a
consumer of chunks.
"""
