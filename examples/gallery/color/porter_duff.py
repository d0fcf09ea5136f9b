"""The operators of Porter and Duff on two disks."""

from pellucid import images as im

OPERATORS = [
    "over",
    "in",
    "out",
    "atop",
    "xor",
    "lighter",
    "destination-over",
    "destination-in",
    "destination-out",
]

_red = im.move((0.32, 0.2), im.fill("#e63946", im.disk(0.6)))
_blue = im.move((-0.32, -0.2), im.fill("#457b9d", im.disk(0.6)))


def _cell(k, operator):
    both = im.crop((abs(im.x) < 1) & (abs(im.y) < 1), im.composite(operator, _red, _blue))
    name = im.fill("#22223b", im.move((0, -1.0), im.text(operator, 0.22)))
    return im.move((2.2 * (k % 3) - 2.2, 2.3 - 2.2 * (k // 3)), im.over(name, both))


_paper = im.checkerboard(0.2, im.color("#ffffff"), im.color("#ececec"))
picture = im.stack(*(_cell(k, name) for k, name in enumerate(OPERATORS)), _paper).framed(
    (800, 800), width=6.8
)
