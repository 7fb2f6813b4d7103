"""Functions compiled by numba, and the files that keep them."""
