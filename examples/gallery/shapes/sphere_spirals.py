"""A ball of four bands, which cross all meridians at the same angle; its inside is seen through the gaps."""

import numpy as np

import pellucid as pl
from pellucid import images as im

LIGHT = pl.Vector3(-0.5, 0.62, 0.6)
LEAN = 0.62


def _turned(v):
    """The direction as the ball sees it, whose pole leans towards the eye."""
    c, s = np.cos(LEAN), np.sin(LEAN)
    return pl.Vector3(v.x, c * v.y + s * v.z, c * v.z - s * v.y)


def _band(v):
    """The way across a band, from -1 to 1 inside of one, and the number of it, from 0 to 4."""
    # Mercator's map, on which a line of one bearing is straight.
    north = 0.5 * im.log((1 + v.y) / im.max(1 - v.y, 1e-6))
    at = im.fraction((im.atan2(v.x, v.z) + 1.25 * north) / (2 * np.pi)) * 4
    return (im.fraction(at) - 0.5) / 0.3, im.floor(at)


def _paint(v, normal, outside):
    across, number = _band(v)
    hue = im.color_at(["#e63946", "#f4a261", "#2a9d8f", "#3d5a9c"], number / 3)
    light = im.max(normal.dot(LIGHT), 0)
    shine = im.max(pl.Vector3(0.0, 0.0, -1.0).reflect(normal).dot(LIGHT), 0) ** 40
    edge = im.smoothstep(1.0, 0.9, abs(across))
    inlay = im.smoothstep(0.06, 0.03, abs(abs(across) - 0.72))
    color = im.lerp_color(0.85 * inlay, im.color("#fff3d6"), hue)
    strength = 0.22 + 0.78 * light if outside else 0.10 + 0.42 * light
    lit = im.lerp_color(strength * (0.55 + 0.45 * edge), color, im.color("#0b0f1e"))
    return im.lerp_color(0.75 * shine, im.color("#ffffff"), lit) if outside else lit


@pl.image
def picture(p):
    z = im.sqrt(im.max(1 - p.dot(p), 0))
    front, back = pl.Vector3(p.x, p.y, z), pl.Vector3(p.x, p.y, -z)
    shadow = im.hypot((p.x - 0.16) / 1.1, (p.y + 1.12) / 0.16)
    ground = im.color_at(["#f2e9dc", "#dfd3c3"], im.clamp(0.5 - 0.35 * p.y, 0, 1))
    ground = im.lerp_color(0.45 * im.smoothstep(1.0, 0.2, shadow), im.color("#3a3540"), ground)
    far = pl.where(abs(_band(_turned(back))[0]) < 1, _paint(_turned(back), -back, False), ground)
    near = pl.where(abs(_band(_turned(front))[0]) < 1, _paint(_turned(front), front, True), far)
    return pl.where(p.r < 1, near, ground)


picture = picture.framed((800, 800), center=(0.0, -0.08), width=2.75)
