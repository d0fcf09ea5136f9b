"""Spheres on a mirror, by marching along rays.

From each point a ray goes out in steps as long as the distance to the nearest surface: safe, and quick to arrive.
"""

import pellucid as pl
from pellucid import images as im

SUN = (0.55, 0.72, -0.42)


def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def along(a, d, t):
    return tuple(x + t * v for x, v in zip(a, d, strict=True))


def unit(a):
    k = 1 / im.sqrt(dot(a, a))
    return tuple(k * x for x in a)


def distance(q):
    """To the nearest of spheres that stand on every crossing of a grid of streets."""
    x, y, z = q
    u, w = x - 3 * im.floor(x / 3 + 0.5), z - 3 * im.floor(z / 3 + 0.5)
    ball = im.sqrt(u * u + (y - 0.9) ** 2 + w * w) - 0.9
    return im.min(ball, y)


def march(start, ray, steps):
    def step(s):
        t, d = s
        t = t + d
        return t, distance(along(start, ray, t))

    return pl.iterate(
        step,
        (0.02, distance(along(start, ray, 0.02))),
        until=lambda s: (s[1] < 0.002) | (s[0] > 40),
        limit=steps,
    )[0]


def normal(q):
    e, d = 0.004, distance(q)
    x, y, z = q
    return unit((distance((x + e, y, z)) - d, distance((x, y + e, z)) - d, distance((x, y, z + e)) - d))


def sky(ray):
    height = im.clamp(ray[1], 0, 1)
    return im.color_at(["#ffd8a8", "#f08a5d", "#6a4c93", "#22223b"], im.clamp(1.6 * height, 0, 1))


def surface(q, n):
    ground = q[1] < 0.02
    tile = im.checker((q[0] * 0.5, q[2] * 0.5))
    hue = im.fraction(im.floor(q[0] / 3 + 0.5) * 0.37 + im.floor(q[2] / 3 + 0.5) * 0.23)
    ball = im.color_at(["#ef476f", "#ffd166", "#06d6a0", "#118ab2", "#ef476f"], hue)
    return pl.where(ground, pl.where(tile, im.color("#f4f1de"), im.color("#3d405b")), ball)


def lit(q, n):
    sun = im.max(dot(n, SUN), 0.0)
    near = im.clamp(distance(along(q, n, 0.6)) / 0.6, 0, 1)
    return 0.28 * near + 0.72 * sun


@pl.image
def picture(p):
    eye = (1.1, 2.3, -6.0)
    ray = unit((p.x, p.y - 0.35, 1.6))
    t = march(eye, ray, 90)
    hit = along(eye, ray, t)
    n = normal(hit)
    mirrored = along(ray, n, -2 * dot(ray, n))
    t2 = march(along(hit, n, 0.01), mirrored, 40)
    hit2 = along(hit, mirrored, t2)
    far2 = sky(mirrored)
    seen2 = im.lerp_color(lit(hit2, normal(hit2)), surface(hit2, n), im.color("#14101f"))
    reflection = pl.where(t2 > 40, far2, seen2)
    own = im.lerp_color(lit(hit, n), surface(hit, n), im.color("#14101f"))
    fresnel = 0.12 + 0.6 * (1 - im.clamp(-dot(ray, n), 0, 1)) ** 3
    mixed = im.lerp_color(fresnel, reflection, own)
    far = sky(ray)
    fog = im.clamp(t / 40, 0, 1) ** 2
    return im.lerp_color(fog, far, pl.where(t > 40, far, mixed))


picture = picture.framed((960, 640), width=2.2)
