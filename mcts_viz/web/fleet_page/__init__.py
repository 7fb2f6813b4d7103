"""The page on a fleet: a table of all its searches, histograms, stored questions, boards and trees."""
