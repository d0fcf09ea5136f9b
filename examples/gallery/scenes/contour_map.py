"""A map of an island, with a contour line every hundred meters; each fifth is heavy and has its height.

The program asks the terrain for its heights, and finds places for the labels.
"""

import numpy as np

import pellucid as pl
from pellucid import images as im

VIEW = (5.4, 3.6)
STEP, HEAVY = 0.1, 5

_hills = im.fbm(im.perlin_noise(seed=21), 3, gain=0.42)


@pl.image
def terrain(p):
    """The height in kilometers, 0 at the shore."""
    hump = im.exp(-0.55 * (0.5 * p.x * p.x + 1.1 * p.y * p.y))
    return 1.9 * hump + 0.85 * _hills(p * 0.8) - 0.62


def _places():
    """The place, the angle and the text of each label: on a heavy line, far from the others."""
    x = np.linspace(-0.46, 0.46, 111)[None, :] * VIEW[0]
    y = np.linspace(-0.4, 0.4, 75)[:, None] * VIEW[1]
    height = np.asarray(terrain.at(x, y), float)
    up, right = np.gradient(height, y[1, 0] - y[0, 0], x[0, 1] - x[0, 0])
    steep = np.hypot(up, right)
    level = height / (STEP * HEAVY)
    off = abs(level - np.round(level)) * STEP * HEAVY / np.maximum(steep, 1e-6)
    good = (off < 0.012) & (np.round(level) > 0) & (steep > 0.5) & (steep < 1.6)
    found = []
    for row, column in np.argwhere(good):
        spot = x[0, column], y[row, 0]
        if all(np.hypot(spot[0] - a, spot[1] - b) > 0.85 for (a, b), *_ in found):
            angle = np.arctan2(-right[row, column], up[row, column])
            angle -= np.pi * np.round(angle / np.pi)
            found.append((spot, angle, f"{1000 * STEP * HEAVY * np.round(level[row, column]):.0f}"))
    return found


_gap = (abs(im.x) < 0.17) & (abs(im.y) < 0.06)
_spots = _places()
_labels = im.union(*(im.move(spot, im.turn(angle, im.text(name, 0.1))) for spot, angle, name in _spots))
_gaps = im.union(*(im.move(spot, im.turn(angle, _gap)) for spot, angle, _ in _spots))


@pl.image
def _map(p):
    e = 0.004
    h = terrain(p)
    right = (terrain(pl.Point(p.x + e, p.y)) - h) / e
    up = (terrain(pl.Point(p.x, p.y + e)) - h) / e
    steep = im.max(im.hypot(right, up), 0.05)
    light = im.clamp(pl.Vector3(-right, -up, 1.6).normalize().dot((-0.5, 0.55, 0.67)), 0, 1)
    land = im.color_at(["#b7c68b", "#e9dfa9", "#dcae73", "#a8704c", "#f4f1ea"], im.clamp(h / 1.9, 0, 1))
    land = im.lerp_color(0.55 + 0.45 * light, land, im.color("#4a3b3a"))
    sea = im.color_at(["#dcedf0", "#a5cfdc", "#6aa6c0"], im.clamp(-h / 0.9, 0, 1))
    level = h / STEP
    away = abs(level - im.floor(level + 0.5)) * STEP / steep
    heavy = im.floor(level + 0.5) % HEAVY == 0
    wide = pl.where(heavy, 0.0085, 0.0038)
    ink = pl.where(h > -0.05, im.color("#6b3f2a"), im.color("#3f7f9c"))
    line = away < wide
    return pl.where(line & ~((h > 0.05) & _gaps(p)), ink, pl.where(h > 0, land, sea))


picture = im.over(im.fill("#5a2f1c", _labels), _map).framed((960, 640), center=(0.0, -0.13), width=VIEW[0])
