"""Offloading: a GPU draws what takes a processor long, if it is sooner, has the same bits, and does not fail."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from pellucid import images as im
from pellucid.base.errors import BackendError
from pellucid.driver import choosing, offloading
from pellucid.driver.choosing import ChosenCode, _Settled
from pellucid.driver.frame import OUT, FrameVariant
from pellucid.driver.kernel import Kernel
from pellucid.driver.offloading import MIN_SPENT_MS, TRIES
from pellucid.driver.options import Options

SIZE = (64, 48)


class Painter:
    """Code that fills a frame with a number, and takes so many milliseconds of a clock of its own."""

    def __init__(self, name: str, ms: float, number: int = 7) -> None:
        self.name, self.ms, self.number, self.fails = name, ms, number, False
        self.now: Any = None

    def run(self, arguments: Any, memory: Any, **_: Any) -> None:
        if self.fails:
            raise BackendError("the context was lost")
        memory[OUT][:] = self.number
        self.now.seconds += self.ms / 1e3
        self.now.drawn.append(self.name)


class Scene:
    """A picture that a processor has settled on drawing, and a GPU, if there is one."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, cpu: Painter, gpu: Painter | None) -> None:
        self.seconds, self.drawn, self.asked = 0.0, list[str](), 0
        for module in (choosing, offloading):
            monkeypatch.setattr(module, "clock", SimpleNamespace(perf_counter=lambda: self.seconds))

        def code_of(_: Any, options: Options) -> Painter:
            self.asked += 1
            assert options.backend == "cuda"
            if gpu is None:
                raise BackendError("NVIDIA's driver is not here")
            return gpu

        monkeypatch.setattr(offloading, "code_of", code_of)
        for painter in filter(None, (cpu, gpu)):
            painter.now = self
        self.code = ChosenCode(Kernel(im.udisk, Options(), now=False).frame(FrameVariant()), Options())
        self.settle(cpu)

    def settle(self, cpu: Painter) -> None:
        """Settle on code."""
        self.code._settled = _Settled(cpu, cpu.ms / (SIZE[0] * SIZE[1]))

    def frame(self) -> int:
        """The number in the next frame."""
        pixels = np.zeros(SIZE[0] * SIZE[1], np.uint32)
        self.code.run({"width": SIZE[0], "height": SIZE[1]}, {OUT: pixels})
        return int(pixels[0])

    def frames(self, count: int) -> list[str]:
        """What drew each of so many frames, and tried to."""
        before = len(self.drawn)
        assert {self.frame() for _ in range(count)} == {7}
        return self.drawn[before:]


def test_a_gpu_that_is_sooner_draws_once_frames_took_long_enough(monkeypatch):
    scene = Scene(monkeypatch, Painter("cpu", 50.0), Painter("gpu", 5.0))
    drawn = scene.frames(60)
    first = drawn.index("gpu")
    assert 50 * (first - 1) <= MIN_SPENT_MS <= 50 * first
    assert drawn[:first] == ["cpu"] * first
    assert drawn[first:] == ["gpu"] * len(drawn[first:])
    assert len(drawn) == 60 + TRIES


def test_a_gpu_that_is_later_is_tried_seldom(monkeypatch):
    scene = Scene(monkeypatch, Painter("cpu", 50.0), Painter("gpu", 60.0))
    drawn = scene.frames(200)
    assert drawn.count("cpu") == 200
    assert 1 < drawn.count("gpu") / TRIES <= 200 * 50 / MIN_SPENT_MS


def test_a_gpu_with_other_bits_is_not_asked_again(monkeypatch):
    scene = Scene(monkeypatch, Painter("cpu", 50.0), Painter("gpu", 5.0, number=8))
    assert scene.frames(200).count("gpu") == TRIES
    assert scene.asked == 1


def test_without_a_driver_the_processor_draws(monkeypatch):
    scene = Scene(monkeypatch, Painter("cpu", 50.0), None)
    assert scene.frames(200) == ["cpu"] * 200
    assert scene.asked == 1


def test_short_frames_are_never_worth_the_copy(monkeypatch):
    scene = Scene(monkeypatch, Painter("cpu", 3.0), Painter("gpu", 0.1))
    assert scene.frames(3000) == ["cpu"] * 3000
    assert scene.asked == 0


def test_a_frame_of_a_gpu_that_fails_is_drawn_by_the_processor(monkeypatch):
    cpu, gpu = Painter("cpu", 50.0), Painter("gpu", 5.0)
    scene = Scene(monkeypatch, cpu, gpu)
    scene.frames(60)
    assert scene.drawn[-1] == "gpu"
    gpu.fails = True
    monkeypatch.setattr(scene.code, "_chosen", lambda *_: (choosing.LLVM, cpu))
    assert scene.frame() == 7
    assert scene.drawn[-1] == "cpu"
    scene.settle(cpu)
    assert scene.frames(200) == ["cpu"] * 200


def test_an_error_of_the_processor_is_raised(monkeypatch):
    cpu = Painter("cpu", 50.0)
    scene = Scene(monkeypatch, cpu, Painter("gpu", 5.0))
    cpu.fails = True
    with pytest.raises(BackendError, match="lost"):
        scene.frame()
