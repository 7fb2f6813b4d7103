"""The HTTP routes beside Dash's own: numbers for the canvas, files, notes, events."""
