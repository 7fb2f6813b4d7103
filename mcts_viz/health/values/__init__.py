"""What a visit adds to the nodes of its path: to each in the right view, with rewards, discount and proofs."""
