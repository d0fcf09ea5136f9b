"""A lamp with slow wax: noise in three dimensions, of which one is time."""

import pellucid as pl
from pellucid import images as im

_glass = im.linear_gradient((0, -3), (0, 3), ["#ff5400", "#9e0059", "#390099", "#10002b"])
_wax = im.linear_gradient((0, -3), (0, 3), ["#fff3b0", "#ffbd00", "#ff5400", "#ff0054"])


@pl.animation
def picture(t):
    height = im.perlin_noise(z=0.3 * t) + 0.35 * im.perlin_noise(seed=1, z=0.2 * t) - 0.05 * im.y
    blob = im.smoothstep(0.02, 0.07, height)
    sheen = im.smoothstep(0.1, 0.5, height)
    return im.lerp(blob, im.tint(0.45 * sheen, im.ivory, _wax), _glass)


picture = picture.framed((960, 640), width=6.0, time=1.0)
