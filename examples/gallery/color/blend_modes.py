"""The sixteen blend modes, from normal at the top left to luminosity at the bottom right.

In each square a disk of warm colors is blended with stripes of cool ones.
"""

from pellucid import images as im
from pellucid.images.blend import MODES

_disk = im.crop(im.disk(0.8), im.linear_gradient((-0.8, 0), (0.8, 0), ["#ff0054", "#ffbd00"]))
_ground = im.linear_gradient((0, -1), (0, 1), ["#000000", "#0081a7", "#ffffff"])


def _square(k, mode):
    place = (-3 + 2 * (k % 4), 3 - 2 * (k // 4))
    square = (abs(im.x) < 0.92) & (abs(im.y) < 0.92)
    return im.move(place, im.crop(square, im.blend(mode, _disk, _ground)))


picture = im.stack(*(_square(k, mode) for k, mode in enumerate(MODES)), "#202020").framed(
    (800, 800), width=8.0
)
