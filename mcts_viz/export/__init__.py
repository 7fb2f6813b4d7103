"""Snapshots as files that other programs open, and the way back.

`formats` chooses by suffix; each format streams, so that a tree of any size or depth needs little
memory and no recursion. Knows snapshots; knows nothing of the search, the page or the command line.
"""
