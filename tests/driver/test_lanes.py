"""Lanes: how many pixels a back end computes side by side, by its registers and by what a picture is made of."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from pellucid import images as im
from pellucid.driver.frame import FrameVariant
from pellucid.driver.kernel import Kernel
from pellucid.driver.lanes import pixel_lanes
from pellucid.driver.options import Options

PHOTOGRAPH = im.bitmap(
    np.random.default_rng(1).integers(0, 256, (9, 7, 4), dtype=np.uint8), alpha="premultiplied"
)
SWIRL = im.swirl(100, im.checkerboard(10, im.black, im.white))
MANY = im.checkerboard(1, im.black, im.white)
for _ in range(80):
    MANY = im.over(im.fill("red", im.move((0.1, 0.2), im.disk(0.3))), im.turn(0.1, MANY))


@pytest.mark.parametrize(
    ("bits", "registers", "picture", "precision", "lanes"),
    [
        (128, 1, SWIRL, "f32", 4),
        (256, 2, SWIRL, "f32", 16),
        (512, 2, SWIRL, "f32", 32),
        (512, 2, SWIRL, "f64", 16),
        (256, 2, MANY, "f32", 8),
        (512, 2, MANY, "f32", 16),
        (256, 2, PHOTOGRAPH, "f32", 16),
        (512, 2, PHOTOGRAPH, "f32", 32),
        (256, 2, im.over(PHOTOGRAPH, im.turn(1, PHOTOGRAPH)), "f32", 16),
        (512, 2, im.over(PHOTOGRAPH, im.turn(1, PHOTOGRAPH)), "f32", 16),
        (1, 1, SWIRL, "f32", 1),
    ],
)
def test_a_value_takes_the_registers_that_pay(
    bits: int, registers: int, picture: Any, precision: str, lanes: int
):
    backend: Any = SimpleNamespace(vector_bits=bits, registers=registers)
    options = Options(precision=precision)
    kernel = Kernel(picture, options, now=False).frame(FrameVariant()).kernel
    assert pixel_lanes(backend, options, kernel) == lanes
