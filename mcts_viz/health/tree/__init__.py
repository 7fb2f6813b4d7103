"""The tree that a search makes: its positions, its visits, and how an iteration goes through it."""
