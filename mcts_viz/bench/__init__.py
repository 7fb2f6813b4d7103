"""A fixed suite of searches that is run again after each change: its digest, strength and health.

Ties searches of the user's own to the summaries of fleets. Knows no terminal.
"""
