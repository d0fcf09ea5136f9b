"""One gradient in four spaces: sRGB, linear light, Oklab and Oklch.

From violet to yellow: as stored the middle is dull, as light it is pale, in Oklab it is even, in Oklch it goes around.
"""

from pellucid import images as im

ENDS = ["#6a1fe0", "#f7c500"]


def _band(k, space):
    band = im.linear_gradient((-3, 0), (3, 0), ENDS, space)
    name = im.fill("#ffffff", im.move((-2.1, 0), im.text(space, 0.42)))
    return im.move((0, 2.25 - 1.5 * k), im.over(name, im.crop((abs(im.x) < 3) & (abs(im.y) < 0.6), band)))


picture = im.stack(
    *(_band(k, space) for k, space in enumerate(("srgb", "linear", "oklab", "oklch"))), "#111111"
).framed((800, 800), width=6.6)
