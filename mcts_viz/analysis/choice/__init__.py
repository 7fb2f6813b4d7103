"""Why a search chooses a move, and how sure that choice is."""
