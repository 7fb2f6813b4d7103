"""The tabs beside the tree, a file each; `panels/side.py` lists them."""
