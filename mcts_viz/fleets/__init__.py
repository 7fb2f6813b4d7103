"""A fleet: what thousands of searches were, as tables that are built from their traces once and then asked.

Ties traces, checks and tables; knows no page.
"""
