"""Moves on nests: each finds its places, checks its conditions, and gives a new nest with a line of proof."""
