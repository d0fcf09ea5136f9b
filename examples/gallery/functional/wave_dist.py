"""A wave about the origin, as a field of numbers."""

from pellucid import images as im

WIDTH = 10

picture = im.wave_dist
