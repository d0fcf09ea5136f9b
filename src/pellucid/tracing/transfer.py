"""The transfer function of sRGB: between components as they are stored and amounts of light (IEC 61966-2-1)."""

from __future__ import annotations

from typing import Any

from . import functions as F


def to_linear(x: Any) -> Any:
    """The amount of light of a stored sRGB component, both in 0 .. 1.

    >>> round(to_linear(0.5), 6)
    0.214041
    """
    # Both arms are evaluated; the base of the power is kept positive.
    return F.where(x <= 0.04045, x * (1 / 12.92), ((F.max(x, 0.04045) + 0.055) * (1 / 1.055)) ** 2.4)


def from_linear(x: Any) -> Any:
    """The stored sRGB component of an amount of light, both in 0 .. 1.

    >>> round(from_linear(to_linear(0.5)), 9)
    0.5
    """
    return F.where(x <= 0.0031308, x * 12.92, 1.055 * F.max(x, 0.0031308) ** (1 / 2.4) - 0.055)
