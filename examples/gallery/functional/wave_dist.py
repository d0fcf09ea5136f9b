"""A wave about the origin, as a field of numbers."""

from pellucid import images as im

picture = im.wave_dist.framed((960, 640), width=10)
