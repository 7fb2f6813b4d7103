"""One iteration: what each of its four phases did."""
