"""What runs or is worked out for the page in threads of its own, and can be stopped."""
