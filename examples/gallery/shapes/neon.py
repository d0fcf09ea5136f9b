"""A sign of bent glass tubes."""

from pellucid import images as im

_heart = im.move((-1.0, 0.1), im.sdf_heart(1.5))
_star = im.move((1.1, 0.0), im.sdf_star(5, 0.85, 0.36))
_bar = im.move((0, -1.25), im.sdf_segment((-1.7, 0), (1.7, 0)))


def glow(distance, hue):
    """The light of a tube along an outline: white in the glass, colored in the air."""
    near = abs(distance)
    air = im.exp(-6 * near) + 0.35 * im.exp(-1.6 * near)
    glass = im.smoothstep(0.05, 0.015, near)
    return im.lerp(glass, im.const(im.color("#fffaf5")), im.ramp([im.black, hue], im.clamp(air, 0, 1)))


_brick = im.ramp(["#0b0710", "#17101f"], im.fbm(im.value_noise(), 4) * 0.5 + 0.5)
picture = im.screen(
    glow(_heart, im.color("#ff2e93")),
    im.screen(glow(_star, im.color("#ffb700")), im.screen(glow(_bar, im.color("#00c2ff")), _brick)),
).framed((960, 640), width=5.4)
