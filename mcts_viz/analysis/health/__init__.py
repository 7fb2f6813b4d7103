"""The health of a search: what its recording shows to be wrong, and what is worth knowing.

One file a family of checks; `catalogue` says what each check verifies, `checking` runs them all.
"""
