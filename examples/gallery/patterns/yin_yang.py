"""Yin and yang, from five regions."""

from pellucid import images as im

_upper, _lower = im.move((0, 0.5), im.disk(0.5)), im.move((0, -0.5), im.disk(0.5))
_eyes = im.move((0, 0.5), im.disk(0.15)), im.move((0, -0.5), im.disk(0.15))
_dark = (((im.x > 0) | _lower) - _upper | _eyes[0]) - _eyes[1]
_sign = im.cond(_dark, "#1a1a1a", "#faf3e0")
picture = im.stack(im.crop(im.udisk, _sign), im.fill("#1a1a1a", im.disk(1.03)), "#c9ada7").framed(
    (800, 800), width=2.6
)
