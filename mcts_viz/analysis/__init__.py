"""What a trace means, as plain dataclasses for figures, panels and the command line: a folder for
each question.

Knows traces; knows nothing of pictures, pages or games.
"""
