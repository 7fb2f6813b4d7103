"""Small dialogs: help, and the finder of nodes."""
