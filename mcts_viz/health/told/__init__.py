"""What is known of a search by what its author told beside the game's name: boards, moves and ends."""
