"""Game-theoretic values beside what the search answered."""
