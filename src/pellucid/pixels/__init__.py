"""Pixels and samples in memory: layouts as one line of text, and what their bytes mean."""

from .byte_map import byte_map
from .formats import FORMATS, layout_of, sound
from .layout import Channel, Layout, Plane, Run
from .names import NAMES
from .reference import pack, unpack

__all__ = [
    "FORMATS",
    "NAMES",
    "Channel",
    "Layout",
    "Plane",
    "Run",
    "byte_map",
    "layout_of",
    "pack",
    "sound",
    "unpack",
]
