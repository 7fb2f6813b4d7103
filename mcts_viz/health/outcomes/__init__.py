"""What simulations end with, and games that are over: as the rules have it, and as random play does."""
