"""Mountains in the mist, ridge behind ridge."""

from pellucid import images as im

_sky = im.linear_gradient((0, -1), (0, 2.2), ["#ffd6a5", "#ffadad", "#bdb2ff", "#5e60ce"])
_sun = im.move((0.9, 0.75), im.fill("#fff3d6", im.disk(0.26)))


def _ridge(k):
    """One chain of mountains: a noise along a line is its height."""
    line = im.stretch((1.1 - 0.14 * k, 1), im.fbm(im.perlin_noise(seed=k), 7))
    height = im.warp(lambda p: (p.x + 3.7 * k, 0.37), line)
    tone = im.lerp_color(k / 5, im.color("#1b263b"), im.color("#b8a9d9"))
    return im.fill(tone, im.y < 0.55 - 0.34 * k + 0.75 * height)


picture = im.stack(*(_ridge(k) for k in (5, 4, 3, 2, 1, 0)), _sun, _sky).framed((960, 640), width=4.4)
