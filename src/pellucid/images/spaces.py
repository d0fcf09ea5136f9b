"""Color spaces: between sRGB as stored and linear light, Oklab, Oklch, HSV and HSL, for straight components.

The numbers of a `Color` are sRGB as stored in files (IEC 61966-2-1). Light adds up only in linear components, and equal
steps look equal only in a perceptual space; Oklab is Björn Ottosson's (2020). All functions take symbolic values too.
"""

from __future__ import annotations

import math
from typing import Any

from ..tracing import functions as F
from ..tracing.transfer import from_linear, to_linear

Three = tuple[Any, Any, Any]


def luminance(r: Any, g: Any, b: Any) -> Any:
    """The light of a color as the eye weighs it, from linear components (ITU-R BT.709).

    >>> round(luminance(1.0, 1.0, 1.0), 9)
    1.0
    """
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def _times(m: tuple[tuple[float, float, float], ...], x: Any, y: Any, z: Any) -> Three:
    a, b, c = (row[0] * x + row[1] * y + row[2] * z for row in m)
    return a, b, c


# From linear sRGB to the responses of the cones, and from their cube roots to lightness and two opponent axes.
_CONES = (
    (0.4122214708, 0.5363325363, 0.0514459929),
    (0.2119034982, 0.6806995451, 0.1073969566),
    (0.0883024619, 0.2817188376, 0.6299787005),
)
_OPPONENTS = (
    (0.2104542553, 0.7936177850, -0.0040720468),
    (1.9779984951, -2.4285922050, 0.4505937099),
    (0.0259040371, 0.7827717662, -0.8086757660),
)
_FROM_OPPONENTS = (
    (1.0, 0.3963377774, 0.2158037573),
    (1.0, -0.1055613458, -0.0638541728),
    (1.0, -0.0894841775, -1.2914855480),
)
_FROM_CONES = (
    (4.0767416621, -3.3077115913, 0.2309699292),
    (-1.2684380046, 2.6097574011, -0.3413193965),
    (-0.0041960863, -0.7034186147, 1.7076147010),
)


def to_oklab(r: Any, g: Any, b: Any) -> Three:
    """Lightness in 0 .. 1 and two opponent axes, from stored sRGB.

    >>> [round(x, 3) for x in to_oklab(1.0, 0.0, 0.0)]
    [0.628, 0.225, 0.126]
    """
    cones = _times(_CONES, to_linear(r), to_linear(g), to_linear(b))
    return _times(_OPPONENTS, *(F.cbrt(c) for c in cones))


def from_oklab(lightness: Any, a: Any, b: Any) -> Three:
    """Stored sRGB, clamped to 0 .. 1, from lightness and two opponent axes.

    >>> [round(x, 3) for x in from_oklab(*to_oklab(0.2, 0.4, 0.9))]
    [0.2, 0.4, 0.9]
    """
    roots = _times(_FROM_OPPONENTS, lightness, a, b)
    red, green, blue = _times(_FROM_CONES, *(x * x * x for x in roots))
    return _stored(red), _stored(green), _stored(blue)


def _stored(x: Any) -> Any:
    return from_linear(F.clamp(x, 0.0, 1.0))


def from_oklch(lightness: Any, chroma: Any, hue: Any) -> Three:
    """Stored sRGB, clamped to 0 .. 1, from lightness in 0 .. 1, chroma (0 to about 0.4) and hue in radians.

    >>> [round(x, 2) for x in from_oklch(1.0, 0.0, 0.0)]
    [1.0, 1.0, 1.0]
    """
    return from_oklab(lightness, chroma * F.cos(hue), chroma * F.sin(hue))


def to_oklch(r: Any, g: Any, b: Any) -> Three:
    """Lightness, chroma and hue in radians (-pi .. pi) from stored sRGB.

    >>> [round(x, 3) for x in to_oklch(1.0, 0.0, 0.0)]
    [0.628, 0.258, 0.51]
    """
    lightness, x, y = to_oklab(r, g, b)
    return lightness, F.sqrt(x * x + y * y), F.atan2(y, x)


def _hexagon(turn: Any) -> Three:
    # The hue circle of HSV and HSL is a hexagon: each component is a trapezoid wave of the hue.
    def wave(shift: float) -> Any:
        return F.clamp(abs(F.fraction(turn + shift) * 6.0 - 3.0) - 1.0, 0.0, 1.0)

    return wave(0.0), wave(2 / 3), wave(1 / 3)


def from_hsv(hue: Any, saturation: Any, value: Any) -> Three:
    """Stored sRGB from a hue in radians, and saturation and value in 0 .. 1.

    >>> from_hsv(0.0, 1.0, 1.0)
    (1.0, 0.0, 0.0)
    """
    r, g, b = (value * (1.0 - saturation * (1.0 - c)) for c in _hexagon(hue * (0.5 / math.pi)))
    return r, g, b


def from_hsl(hue: Any, saturation: Any, lightness: Any) -> Three:
    """Stored sRGB from a hue in radians, and saturation and lightness in 0 .. 1.

    >>> from_hsl(0.0, 1.0, 0.5)
    (1.0, 0.0, 0.0)
    """
    reach = saturation * (1.0 - abs(2.0 * lightness - 1.0))
    r, g, b = (lightness + reach * (c - 0.5) for c in _hexagon(hue * (0.5 / math.pi)))
    return r, g, b


def to_hsv(r: Any, g: Any, b: Any) -> Three:
    """Hue in radians (0 .. 2 pi), saturation and value from stored sRGB; the hue of a gray is 0.

    >>> to_hsv(1.0, 0.5, 0.5)
    (0.0, 0.5, 1.0)
    """
    high, low = F.max(r, F.max(g, b)), F.min(r, F.min(g, b))
    span = high - low
    safe = F.max(span, 1e-30)
    sixth = F.where(high <= r, (g - b) / safe, F.where(high <= g, (b - r) / safe + 2.0, (r - g) / safe + 4.0))
    hue = F.where(span > 0, F.fraction(sixth / 6.0) * (2 * math.pi), 0.0)
    return hue, F.where(high > 0, span / F.max(high, 1e-30), 0.0), high
