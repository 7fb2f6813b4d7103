"""Measurements against the figures to reach: `make bench`, or `python -m benchmarks SUBJECT …`.

Ratios are measured in one run on one machine. One file a subject, each with a `measure()` that
yields rows; docs/benchmarks.md keeps the results. Knows the public API and the peers.
"""
