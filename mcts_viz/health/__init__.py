"""The health of a search: its mistakes, as its recording shows them.

A file for each family of checks; `catalogue` describes each check, `checking` runs them all.
"""
