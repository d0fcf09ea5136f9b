"""Marble: a wave whose place is disturbed by noise at many scales."""

from pellucid import images as im

_rough = im.fbm(im.perlin_noise(), 7)
_veins = abs(im.sin(im.x * 1.3 + im.y * 0.7 + 5.5 * _rough))
picture = im.ramp(
    ["#1d2433", "#566072", "#c9ccd5", "#f3f1ec", "#fbfaf7"], im.clamp(_veins**0.6, 0, 1)
).framed((960, 640), width=8.0)
