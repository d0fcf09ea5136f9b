"""Sizes: how many intervals and pixels the tile machine works on at a time."""

from ..jit import lanes

LANES = lanes.LANES
"""Intervals side by side, and pixels of a vector."""
VECTORS = 16
"""Vectors of a batch: 256 pixels."""
