"""Which iterations made a number, what each of them added to it, and what a range of iterations did as a whole."""
