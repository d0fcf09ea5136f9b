"""A month of the moon: each ball is lit as the moon is on that night."""

import numpy as np

import pellucid as pl
from pellucid import images as im

COLUMNS, ROWS = 7, 4

_ground = im.fbm(im.perlin_noise(seed=9), 4)
_craters = im.cellular("nearest", seed=3)


@pl.image
def picture(p):
    column, row = im.floor(p.x), im.floor(-p.y)
    inside = (column >= 0) & (column < COLUMNS) & (row >= 0) & (row < ROWS)
    night = row * COLUMNS + column
    q = pl.Point(p.x - column - 0.5, p.y + row + 0.5) / 0.43
    z = im.sqrt(im.max(1 - q.dot(q), 0))
    # The same face is seen each night: the map of the ground is that of the ball, not of the page.
    face = pl.Point(q.x * (2 - z), q.y * (2 - z))
    height = _ground(face * 1.1)
    ring = im.smoothstep(0.16, 0.04, _craters(face * 3.5))
    albedo = im.clamp(0.62 + 0.75 * height - 0.12 * ring, 0.15, 1)
    phase = 2 * np.pi * night / (COLUMNS * ROWS)
    sun = pl.Vector3(im.sin(phase), 0.0, -im.cos(phase))
    day = im.smoothstep(-0.03, 0.16, pl.Vector3(q.x, q.y, z).dot(sun) + 0.2 * height - 0.1 * ring)
    moon = im.lerp_color(albedo, im.color("#fffaf0"), im.color("#6f6a66"))
    ball = im.lerp_color(day, moon, im.color("#161c2e"))
    return pl.where(inside & (q.r < 1), ball, im.color("#0b1020"))


picture = picture.framed((960, 640), center=(3.5, -2.0), width=7.6)
