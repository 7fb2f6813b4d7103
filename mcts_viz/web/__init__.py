"""The page: a Dash app over read-only traces.

Knows export, views, analysis and traces. Games and searches are injected (`services`), so that the page shows a foreign
trace as well as one of ours.
"""
