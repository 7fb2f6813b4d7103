"""What a trace means: plain dataclasses computed from snapshots, for figures, panels and the
command line.

Knows traces; knows nothing of pictures, pages or games.
"""
