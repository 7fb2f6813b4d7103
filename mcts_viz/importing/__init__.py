"""What other programs wrote about their searches, read as rows of a trace.

Knows the trace format and how recordings make rows; nothing of the page or of our own search.
"""
