"""A planet with rings: the ball throws its shadow on them, and they throw theirs on the ball."""

import pellucid as pl
from pellucid import images as im

TILT = 0.36
SUN = pl.Vector3(-0.78, 0.32, 0.54)

_bands = im.fbm(im.perlin_noise(seed=6), 3)
_stars = im.cellular("nearest", seed=1)


def ring(distance):
    """How dense the rings are at a distance from the middle: three broad ones, with gaps, of many fine ones."""
    broad = im.smoothstep(1.30, 1.34, distance) * im.smoothstep(2.30, 2.26, distance)
    gap = im.smoothstep(0.02, 0.05, abs(distance - 1.98)) * (0.55 + 0.45 * im.smoothstep(1.5, 1.58, distance))
    fine = 0.72 + 0.28 * _bands(pl.Point(16 * distance, 0.5))
    return im.clamp(broad * gap * fine, 0, 1)


@pl.image
def picture(p):
    q = p.rotate(-0.32)
    r2 = q.dot(q)
    z = im.sqrt(im.max(1 - r2, 0))
    # The plane of the rings is seen from above: up on the page is away.
    away = q.y / TILT
    distance = im.hypot(q.x, away)
    # The ball, with clouds in belts about an axis that leans to the eye.
    up = q.y * (1 - TILT * TILT) ** 0.5 + z * TILT
    belt = 0.5 + 0.36 * _bands(pl.Point(0.35 * q.x, 7 * up)) + 0.14 * im.sin(15 * up)
    cloud = im.color_at(["#8a5a44", "#d9a066", "#f3dfb3", "#c98d5f", "#f8ecd0"], im.clamp(belt, 0, 1))
    normal = pl.Vector3(q.x, q.y, z)
    day = im.clamp(normal.dot(SUN), 0, 1)
    # Towards the sun from here, where is the plane of the rings crossed?
    lean = (1 - TILT * TILT) ** 0.5
    sun_up = SUN.y * lean + SUN.z * TILT
    back = -up / sun_up
    crossed = pl.Vector3(q.x + SUN.x * back, q.y + SUN.y * back, z + SUN.z * back)
    dark = pl.where(back > 0, 0.75 * ring(crossed.length), 0.0)
    ball = im.lerp_color(day * (1 - dark) * 1.05, cloud, im.color("#0a0812"))
    # From a point of the rings, does the ball stand before the sun?
    place = pl.Vector3(q.x, away * TILT, -away * lean)
    along = place.dot(SUN)
    aside = (place - SUN * along).length
    lit = pl.where(along < 0, im.smoothstep(0.98, 1.03, aside), 1.0)
    dust = im.color_at(["#b08968", "#e6ccb2", "#f5ebdd", "#d6b48f"], im.clamp((distance - 1.3) / 1.0, 0, 1))
    shown = im.lerp_color(0.06 + 0.9 * lit, dust, im.color("#0a0812"))
    dense = ring(distance)
    star = im.smoothstep(0.05, 0.0, _stars(p * 3.3))
    space = im.lerp_color(
        star * (1 - dense),
        im.color("#ffffff"),
        im.color_at(["#0a0812", "#171330"], im.clamp(0.5 + 0.2 * p.y, 0, 1)),
    )
    # Below the middle, the rings pass before the ball.
    ground = pl.where(r2 < 1, ball, space)
    return im.lerp_color(pl.where((r2 < 1) & (away > 0), 0.0, dense), shown, ground)


picture = picture.framed((960, 640), width=5.4)
