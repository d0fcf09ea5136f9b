"""Two gears that mesh.

The teeth of the second stand where the gaps of the first are, and it turns the other way.
"""

import numpy as np

from pellucid import images as im

LOOP = 2 * np.pi

TEETH = 16


def _gear(angle, paint):
    teeth = im.ramp([im.black, im.white], 0.5 + 2.2 * im.cos(TEETH * im.theta)).luminance()
    body = im.r < 0.92 + 0.16 * teeth
    holes = im.rosette(5, im.move((0.55, 0), im.disk(0.2))) | im.disk(0.14)
    return im.turn(angle, im.fill(paint, body - holes))


picture = im.stack(
    im.move((-1.0, 0), _gear(im.seconds, "#e76f51")),
    im.move((1.0, 0), _gear(np.pi / TEETH - im.seconds, "#2a9d8f")),
    "#264653",
).framed((960, 640), width=4.6, time=0.1)
