"""The search: a tree of numpy columns, the four phases over it, and the loop that runs them.

Knows games and formulas; knows nothing of traces, files or pages. Whoever wants to watch passes a
consumer of chunks.
"""
