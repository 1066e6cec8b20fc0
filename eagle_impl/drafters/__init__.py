"""Drafters: what guesses the tokens that a target then judges."""
