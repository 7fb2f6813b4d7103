"""Two searches, or two iterations of one, side by side."""
