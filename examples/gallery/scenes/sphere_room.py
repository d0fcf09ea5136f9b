"""A checkered floor, and a ball that shows it upside down.

No marching here: where a ray meets a ball and a plane is solved by formula.
"""

import pellucid as pl
from pellucid import images as im


@pl.image
def picture(p):
    ray = (p.x, p.y + 0.1, 1.5)
    k = 1 / im.sqrt(ray[0] ** 2 + ray[1] ** 2 + ray[2] ** 2)
    dx, dy, dz = ray[0] * k, ray[1] * k, ray[2] * k
    b = 0.2 * dy - 3 * dz
    inside = b * b - (9.04 - 1.96)
    t = -b - im.sqrt(im.max(inside, 0))
    nx, ny, nz = dx * t / 1.4, (dy * t + 0.2) / 1.4, (dz * t - 3) / 1.4
    turn = 2 * (dx * nx + dy * ny + dz * nz)
    direct = room(0.0, 0.0, 0.0, dx, dy, dz)
    mirror = room(dx * t, dy * t, dz * t, dx - turn * nx, dy - turn * ny, dz - turn * nz)
    edge = im.clamp(-(dx * nx + dy * ny + dz * nz), 0, 1)
    return pl.where(inside > 0, im.lerp_color(0.25 + 0.65 * edge, mirror, im.color("#fff8e7")), direct)


def room(x, y, z, dx, dy, dz):
    """What is seen from a point in a direction: the floor one unit and a half below, or the sky."""
    t = (-1.6 - y) / im.min(dy, -1e-3)
    fx, fz = x + t * dx, z + t * dz
    shadow = im.smoothstep(0.6, 1.9, im.hypot(fx, fz - 3))
    tile = pl.where(im.checker((fx, fz)), im.color("#f2e8cf"), im.color("#bc4749"))
    floor = im.lerp_color(0.25 + 0.75 * shadow, tile, im.color("#1d0d12"))
    sky = im.color_at(["#fefae0", "#a9d6e5", "#2a6f97"], im.clamp(1.3 * dy, 0, 1))
    far = im.clamp(t / 22, 0, 1)
    return pl.where(dy < 0, im.lerp_color(far, im.color("#fefae0"), floor), sky)


picture = picture.framed((960, 640), width=2.4)
