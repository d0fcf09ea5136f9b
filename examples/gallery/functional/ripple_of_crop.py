"""The rim takes part in the ripple, or it does not.

On the left the rings are cropped and then rippled, on the right rippled and then cropped: the order matters.
"""

from pellucid import images as im

_left = im.ripple_rad(8, 0.3, im.crop_rad(5, im.yb_rings))
_right = im.crop_rad(5, im.ripple_rad(8, 0.3, im.yb_rings))
picture = im.over(im.move((-7, 0), _left), im.move((7, 0), _right)).framed((960, 640), width=28)
