"""The index of a long trace: a file beside it from which any of its numbers is found without reading all of it."""
