"""Dialogs that ask for a search: a new one, the same one again, a grid of them."""
