"""Tests, named after the rules that they prove."""
