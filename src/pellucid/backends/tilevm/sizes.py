"""Sizes: how many intervals and pixels the tile machine works on at a time."""

LANES = 16
"""Intervals side by side, and pixels of a vector."""
VECTORS = 16
"""Vectors of a batch: 256 pixels."""
