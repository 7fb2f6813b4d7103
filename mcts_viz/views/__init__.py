"""What the page and the exports show of a trace: which nodes, where, in which colours.

Pure functions over the trace's columns; knows Plotly figures, but neither Dash nor Flask nor any game.
"""
