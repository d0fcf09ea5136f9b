"""Sizes: how many boxes and pixels the tile machine works on at a time. The bottom of `tilevm`, beside `assembly`."""

LANES = 16
"""Boxes side by side, and pixels of a vector."""
VECTORS = 16
"""Vectors of a batch: 256 pixels."""
