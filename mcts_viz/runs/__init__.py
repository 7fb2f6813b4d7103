"""Searches that are run: one, again, many, or a whole game; each ends as a trace.

Ties games and the engine to traces. Knows nothing of the page.
"""
