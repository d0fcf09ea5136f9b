"""A rose window: one wedge of tracery, turned twelve times."""

from pellucid import images as im

_lobes = (
    im.move((2.1, 0), im.disk(0.52)) | im.move((1.15, 0), im.disk(0.3)) | im.move((2.95, 0), im.disk(0.26))
)
_glass = im.conic_gradient((0, 0), 0, ["#9b2226", "#ee9b00", "#0a9396", "#005f73", "#9b2226"])
picture = im.stack(
    im.fill("#f6bd60", im.disk(0.55)),
    im.crop(im.rosette(12, _lobes), im.brighten(1.7 - 0.35 * im.r, _glass)),
    im.fill("#adb5bd", im.ustretch(3.5, im.annulus(0.93))),
    im.fill("#343a40", im.disk(3.6)),
    "#0b090a",
).framed((800, 800), width=7.6)
