"""A star cut into stone and gilded: the distance to its outline is how deep the chisel went."""

import numpy as np

import pellucid as pl
from pellucid import images as im

LIGHT = pl.Vector3(-0.55, 0.6, 0.58)

_shape = im.sdf_union(
    im.sdf_subtraction(im.sdf_star(8, 1.42, 0.62), im.sdf_disk(0.42)),
    im.sdf_disk(0.26),
    im.turn(np.pi / 8, im.rosette(8, im.move((1.27, 0), im.sdf_disk(0.13)))),
    im.sdf_ring(1.68, 0.17),
)
_grain = im.fbm(im.perlin_noise(seed=2), 3)


@pl.image
def picture(p):
    e = 0.004
    d = _shape(p)
    right = (_shape(pl.Point(p.x + e, p.y)) - d) / e
    up = (_shape(pl.Point(p.x, p.y + e)) - d) / e
    # Inside, the ground falls as fast as the way to the edge grows.
    cut = im.smoothstep(0.004, -0.004, d)
    rough = 0.07 * _grain(p * 8)
    normal = pl.Vector3(rough - 1.1 * cut * right, -rough - 1.1 * cut * up, 1.0).normalize()
    light = im.clamp(1.3 * normal.dot(LIGHT), 0, 1)
    vein = im.clamp(2.2 * abs(_grain(pl.Point(0.7 * p.x + 4, 0.7 * p.y + 2))), 0, 1)
    stone = im.color_at(["#1d2b32", "#31474f", "#3f5a61"], vein**0.5)
    gold = im.color_at(["#3d2406", "#a86b17", "#f0bf4f", "#fff3c4"], light)
    face = im.lerp_color(0.2 + 0.8 * light, stone, im.color("#0a1114"))
    return im.lerp_color(cut, gold, face)


picture = picture.framed((800, 800), width=4.2)
