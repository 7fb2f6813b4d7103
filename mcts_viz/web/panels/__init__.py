"""The panels of the page: each has a `layout` and a `register(app, library)` for its callbacks.

A panel reads the cursor and writes only its own outputs. Its callbacks are glue over pure functions of `analysis`.
"""
