"""What a whirlpool does to a page."""

from pellucid import images as im

_page = im.tile((6.2, 1.15), im.text("a picture is a function", 0.62))
_ink = im.cond(_page, "#2b2d42", "#f4f1e8")
picture = im.warp(lambda p: p.rotate(2.6 * im.exp(-0.25 * p.dot(p))), _ink).framed((960, 640), width=7.0)
