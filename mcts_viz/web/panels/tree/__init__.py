"""The tree: its tools, the graph that the canvas draws over, and the lines around it."""
