"""Choosing: the same bits whichever draws, the faster one in the end, and no long wait for what is not worth it."""

from __future__ import annotations

import threading
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import pellucid as pl
from pellucid import images as im
from pellucid.backends.tiles.machine.running import TileCounts
from pellucid.driver import choosing, compiled, forget
from pellucid.driver.cache import Cache
from pellucid.driver.choosing import LLVM, TILES, ChosenCode
from pellucid.driver.compiled import codes
from pellucid.driver.frame import FrameVariant
from pellucid.driver.kernel import Kernel
from pellucid.driver.options import Options
from pellucid.driver.tiers import UNKNOWN_SHARE, Estimate, estimate

SIZE, VIEW = (300, 200), {"zoom": 20.0}


def layers(count: int) -> Any:
    """Disks over each other: where one is, the others need not be asked."""
    draw = np.random.default_rng(3)
    picture = im.const(im.white)
    for _ in range(count):
        disk = im.move(tuple(draw.uniform(-6, 6, 2)), im.disk(draw.uniform(0.2, 1)))
        picture = im.over(im.fill(im.Color(*draw.random(3)), disk), picture)
    return picture


def chosen(picture: Any, numerics: str = "relaxed") -> tuple[Kernel, ChosenCode]:
    kernel = Kernel(picture, Options(numerics), now=False)
    code = kernel.code(FrameVariant())
    assert isinstance(code, ChosenCode)
    return kernel, code


class Fake:
    """Code that takes so many milliseconds of a clock of its own, and notes its name."""

    def __init__(self, name: str, ms: float, clock: Clock) -> None:
        self.name, self.ms, self.clock = name, ms, clock
        self.counts = TileCounts()
        self.tape: list[object] = []

    def run(self, *_: Any, **__: Any) -> None:
        self.clock.drawn.append(self.name)
        self.clock.now += self.ms / 1e3


class Clock:
    """The time of the codes that draw, and which did; `made` are those that had to be made."""

    def __init__(
        self, monkeypatch: pytest.MonkeyPatch, *, tiles: float | None, llvm: float, kept: bool = False
    ) -> None:
        self.now, self.drawn, self.made = 0.0, list[str](), list[str]()
        tape = None if tiles is None else Fake(TILES, tiles, self)
        machine = Fake(LLVM, llvm, self)
        self.fakes = {LLVM: machine, **({TILES: tape} if tape else {})}
        share = llvm / tiles if tiles else 0.0

        def make(name: str, code: Fake | None) -> Any:
            return lambda *_, **__: (self.made.append(name), code)[1]

        monkeypatch.setattr(choosing, "tape_of", make(TILES, tape))
        monkeypatch.setattr(choosing, "code_of", make(LLVM, machine))
        monkeypatch.setattr(choosing, "at_hand", lambda *_: machine if kept else None)
        monkeypatch.setattr(choosing, "begun", lambda *_: 1)
        monkeypatch.setattr(choosing, "estimate", lambda *_: Estimate(share, 0.0))
        monkeypatch.setattr(choosing, "_probed", lambda *_: (share, tiles))
        monkeypatch.setattr(choosing, "clock", SimpleNamespace(perf_counter=lambda: self.now))

    def draw(self, frames: int, size: tuple[int, int] = SIZE) -> list[str]:
        """Which code drew each of so many frames of a new picture, and of those before."""
        codes.forget()
        _, code = chosen(layers(3))
        for _ in range(frames):
            code.run({"width": size[0], "height": size[1]}, {})
        assert code.cost.tape_ms < 20 < code.cost.compile_ms < 40
        return self.drawn


def test_what_is_only_drawn_a_few_times_needs_no_compiler(monkeypatch: pytest.MonkeyPatch):
    clock = Clock(monkeypatch, tiles=2.0, llvm=1.0)
    assert clock.draw(9) == [TILES] * 9
    assert clock.made == [TILES]


def test_machine_code_is_made_once_it_would_have_paid_and_draws_if_it_is_faster(
    monkeypatch: pytest.MonkeyPatch,
):
    clock = Clock(monkeypatch, tiles=10.0, llvm=1.0)
    drawn = clock.draw(20)
    first = drawn.index(LLVM)
    assert 20 <= 9 * first <= 40
    assert drawn[first:] == [LLVM] * (20 - first)


def test_machine_code_that_turns_out_slower_is_tried_twice(monkeypatch: pytest.MonkeyPatch):
    clock = Clock(monkeypatch, tiles=10.0, llvm=50.0)
    monkeypatch.setattr(choosing, "estimate", lambda *_: Estimate(0.5, 0.0))
    assert clock.draw(20).count(LLVM) == choosing.TRIES
    assert clock.draw(1)[-1] == TILES


def test_short_frames_are_measured_more_often(monkeypatch: pytest.MonkeyPatch):
    clock = Clock(monkeypatch, tiles=0.5, llvm=0.1, kept=True)
    monkeypatch.setattr(choosing.FrameCost, "tape_ms", 0.0)
    codes.forget()
    _, code = chosen(layers(3))
    frame: Any = ({"width": 90, "height": 90}, {})
    code.run(*frame)
    clock.fakes[LLVM].ms = 1.9  # the processor does something else meanwhile
    for _ in range(2):
        code.run(*frame)
    clock.fakes[LLVM].ms = 0.1
    for _ in range(20):
        code.run(*frame)
    assert clock.drawn.count(TILES) == choosing.SHORT_TRIES
    assert clock.drawn[-5:] == [LLVM] * 5


def test_a_large_frame_of_which_nothing_can_be_skipped_is_drawn_by_machine_code_at_once(
    monkeypatch: pytest.MonkeyPatch,
):
    clock = Clock(monkeypatch, tiles=900.0, llvm=200.0)
    assert clock.draw(2, (4000, 3000)) == [LLVM, LLVM]


def test_code_that_is_kept_draws_until_a_tape_could_have_been_made(monkeypatch: pytest.MonkeyPatch):
    clock = Clock(monkeypatch, tiles=1.0, llvm=8.0, kept=True)
    drawn = clock.draw(9)
    assert drawn[0] == LLVM
    assert drawn[-1] == TILES
    assert clock.made == [TILES]
    assert 8 * drawn.count(LLVM) < 40


def test_a_tape_that_was_expected_to_be_quick_is_judged_by_what_it_took(monkeypatch: pytest.MonkeyPatch):
    clock = Clock(monkeypatch, tiles=10.0, llvm=4.0)
    monkeypatch.setattr(choosing, "_probed", lambda *_: (0.4, 1.0))
    assert clock.draw(20, (800, 600))[-5:] == [LLVM] * 5


def test_machine_code_that_seems_to_gain_nothing_is_tried_once_it_is_cheap(monkeypatch: pytest.MonkeyPatch):
    clock = Clock(monkeypatch, tiles=10.0, llvm=4.0)
    monkeypatch.setattr(choosing, "estimate", lambda *_: Estimate(1.5, 0.0))
    drawn = clock.draw(60)
    _, code = chosen(layers(3))
    assert drawn.index(LLVM) * 10 * choosing.MIN_GAIN >= code.cost.compile_ms - 10
    assert drawn[-5:] == [LLVM] * 5


def test_of_iterations_and_samples_no_count_tells_what_machine_code_takes():
    @pl.image
    def turns(p: Any) -> Any:
        found = pl.iterate(lambda s: (s[0] * s[0] - s[1], s[1] + s[0]), (p.x, p.y), lambda s: s[0] > 4, 90)
        return found[0] > 1

    for picture, samples, known in ((turns, 0, False), (im.udisk, 0, True), (im.udisk, 5, False)):
        kernel = Kernel(picture, Options(backend="tiles"), now=False)
        code: Any = kernel.code(FrameVariant())
        counts = TileCounts(leaves=3, leaf_steps=60, interval_steps=4, samples=samples)
        assert (estimate(code.tape, counts, 64).share != UNKNOWN_SHARE) == known


def test_what_has_no_tape_is_machine_code(monkeypatch: pytest.MonkeyPatch):
    clock = Clock(monkeypatch, tiles=None, llvm=8.0)
    assert clock.draw(4) == [LLVM] * 4
    assert clock.made == [TILES, LLVM]


def test_it_is_chosen_again_when_frames_take_much_longer_than_they_did(monkeypatch: pytest.MonkeyPatch):
    clock = Clock(monkeypatch, tiles=1.0, llvm=8.0, kept=True)
    codes.forget()
    _, code = chosen(layers(3))
    frame: Any = ({"width": 90, "height": 90}, {})
    for _ in range(16):
        code.run(*frame)
    assert clock.drawn[-5:] == [TILES] * 5
    clock.fakes[TILES].ms = 30.0
    for _ in range(16):
        code.run(*frame)
    assert clock.drawn[-5:] == [LLVM] * 5


def test_a_second_frame_at_the_same_time_does_not_wait_for_the_tape(monkeypatch: pytest.MonkeyPatch):
    Clock(monkeypatch, tiles=1.0, llvm=1.0)
    codes.forget()
    _, code = chosen(layers(3))
    both, names = threading.Barrier(2), list[str]()

    def meet(name: str) -> Any:
        def run(*_: Any, **__: Any) -> None:
            names.append(name)
            both.wait(20)

        return run

    monkeypatch.setattr(Fake, "run", lambda fake, *_, **__: meet(fake.name)())
    frames = [
        threading.Thread(target=code.run, args=({"width": 9, "height": 9}, {}), daemon=True) for _ in range(2)
    ]
    for each in frames:
        each.start()
    for each in frames:
        each.join(30)
    assert sorted(names) == [LLVM, TILES]


@pytest.mark.parametrize("numerics", ["exact", "relaxed"])
@pytest.mark.parametrize("samples", [1, 2])
def test_the_bits_are_the_same_whichever_draws(numerics, samples):
    picture = layers(12)
    expected = pl.render(picture, SIZE, **VIEW, samples=samples, numerics=numerics, backend="llvm")
    kernel = Kernel(picture, Options(numerics), now=False)
    for _ in range(30):
        np.testing.assert_array_equal(kernel.render(SIZE, **VIEW, samples=samples), expected)


@pytest.mark.parametrize("numerics", ["exact", "relaxed"])
def test_a_picture_of_hundreds_of_layers_waits_for_no_compiler(numerics):
    kernel = pl.compile(layers(300), numerics=numerics)
    code: Any = kernel.code(FrameVariant())
    assert code.cost.compile_ms > choosing.MAX_AHEAD_MS
    kernel.render(SIZE, **VIEW)
    assert code._machine is None


def test_a_picture_that_enough_processes_drew_is_compiled_and_kept(tmp_path, monkeypatch: pytest.MonkeyPatch):
    kept = Cache(tmp_path)
    monkeypatch.setattr(compiled, "cache", lambda: kept)
    made: list[bool] = []
    for _ in range(12):
        # What a new process has: nothing in memory.
        forget()
        kernel, code = chosen(layers(5))
        kernel.render((40, 30), **VIEW)
        made.append(code._machine is not None)
    assert made[0] is False
    first = made.index(True)
    assert made[first:] == [True] * (12 - first)
    assert first == pytest.approx(code.cost.compile_ms / code.cost.tape_ms, abs=1)
