"""Other people's searches: whatever a search keeps its tree in, it ends as the same trace.

Knows the trace and nothing of games, of our own search or of the page.
"""
