"""Which child a search takes: by which rule, with which c, or by which mistake."""
