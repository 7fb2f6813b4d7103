"""Well-known libraries of other people: where each keeps what a recording reads."""
