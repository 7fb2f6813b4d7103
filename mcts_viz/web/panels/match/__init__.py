"""Play: the form of a match, its board and its moves."""
