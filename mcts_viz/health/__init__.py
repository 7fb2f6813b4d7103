"""The health of a search: its mistakes, as its recording shows them.

A folder for each kind of check (`tree`, `selection`, `outcomes`, `values`), and a file for each family of checks;
`catalogue` describes each check, `checking` runs them all, `checked_search` lays out a search for them.
"""
