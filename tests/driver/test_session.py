"""Sessions: the first frame at once, the same pixels from whoever draws, nothing stale, nothing left behind."""

from __future__ import annotations

import gc
import math
import os
import sys
import threading
import time
import warnings
import weakref
from pathlib import Path

import numpy as np
import pytest
from tests.systems import linux
from tests.timings import last_is_fastest
from tests.turns import NIGHTLY

import pellucid as pl
from pellucid import images as im
from pellucid.base.errors import BackendError, InputError, TraceError
from pellucid.base.gc_pause import gc_paused
from pellucid.driver import choosing, tiers
from pellucid.driver import session as sessions
from pellucid.driver.session import Session

SIZE = (96, 61)
FASTEST = tiers.Timing.fastest
STATE = Path("/proc/self/statm")


@pytest.fixture(autouse=True)
def eager(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small frames are worth compiling, machine code is the fastest, and editors rest for a moment only."""
    last_is_fastest(monkeypatch)
    monkeypatch.setattr(tiers, "EXPECTED", 1e9)
    monkeypatch.setattr(sessions, "PAUSE", 0.01)


def waves(numbers: list[float], more: float = 0.0):
    """A picture of which intervals decide nothing, so that machine code wins; `more` changes its template."""

    @pl.image
    def picture(p):
        value = 0.3
        for k, number in enumerate(numbers):
            value = value * 0.7 + pl.sin(p.x * number + p.y * (number + k)) * 0.9
        return value * p.x if more else value

    return picture


def shapes(count: int = 12):
    """A picture that intervals decide, so that tapes win."""
    picture = im.disk(0.3)
    for k in range(count):
        picture = picture | im.move((0.7 * k, 0.1 * k), im.disk(0.2 + 0.01 * k))
    return picture


def rendered(picture: object, zoom: float, **options: str) -> np.ndarray:
    options = {"numerics": "exact", **options}
    return pl.render(picture, SIZE, zoom=zoom, backend="llvm", **options)


def threads() -> list[str]:
    return [t.name for t in threading.enumerate() if t.name == "pellucid session"]


# ---- tiers ----


@pytest.mark.parametrize("numerics", ["exact", "relaxed"])
@pytest.mark.parametrize("precision", ["f32", "f64"])
def test_T6_a_tape_draws_first_and_machine_code_takes_over_with_the_same_pixels(numerics, precision):
    picture = waves([1.5, 2.25])
    expected = rendered(picture, 9.0, numerics=numerics, precision=precision)
    with Session(SIZE, numerics=numerics, precision=precision) as session:
        first = session.update(picture, zoom=9.0)
        assert first.tier == "tiles"
        assert {"trace", "tape", "frame"} == set(first.milliseconds)
        assert session.settled()
        second = session.frame()
        assert second.tier == "llvm"
        assert {"frame", "compile"} == set(second.milliseconds)
        assert np.array_equal(first.pixels, expected)
        assert np.array_equal(second.pixels, expected)


def test_no_compiler_is_started_where_a_tape_wins():
    picture = shapes()
    with Session((256, 256)) as session:
        for _ in range(4):
            assert session.update(picture, zoom=32.0).tier == "tiles"
        assert session.settled()
        assert session.compiled == 0
    assert not threads()


def test_whichever_was_measured_the_faster_goes_on(monkeypatch):
    monkeypatch.setattr(tiers.Timing, "fastest", FASTEST)
    with Session(SIZE) as session:
        session.update(waves([1.5]), zoom=9.0)
        assert session.settled()
        group = session._state.group
        for name in ("lifted", "whole"):
            for _ in range(tiers.LATEST):
                group.timing.add(name, 1e9, 1)
        assert session.frame().tier == "tiles"


def bubbles(count: int = 24):
    """Discs as the sign of one field, the least of their distances, of which intervals decide little as it stands."""

    @pl.image
    def picture(p):
        least = 9.0
        for k in range(count):
            x, y = p.x - (0.3 * k - 3.0), p.y - 2.0 * math.sin(k)
            least = pl.min(least, pl.sqrt(x * x + y * y) - 0.3)
        return least < 0.0

    return picture


def test_a_tape_by_the_rules_takes_over_with_the_same_pixels_and_fewer_instructions():
    size = (256, 256)
    with Session(size) as session:
        first = session.update(bubbles(), zoom=32.0)
        traced = session._tape.code.counts
        assert session.settled()
        second = session.frame()
        assert (first.tier, second.tier) == ("tiles", "tiles")
        assert "tape" not in second.milliseconds
        assert session._tape.code.counts == traced
        better = session._rewritten.code.counts
        assert (
            0
            < better.leaf_steps + 16 * better.interval_steps
            < traced.leaf_steps + 16 * traced.interval_steps
        )
        assert np.array_equal(first.pixels, second.pixels)
        assert np.array_equal(
            first.pixels, pl.render(bubbles(), size, zoom=32.0, numerics="exact", backend="numpy")
        )
        # Another picture is drawn by its own tape, and this one by its own again.
        assert np.array_equal(session.update(shapes()).pixels, session.frame().pixels)
        assert np.array_equal(session.update(bubbles()).pixels, first.pixels)


def test_a_tape_by_the_rules_is_made_where_it_pays_only(monkeypatch):
    monkeypatch.setattr(tiers, "EXPECTED", 1e-9)
    with Session(SIZE) as session:
        session.update(bubbles(), zoom=32.0)
        assert session.settled()
        assert session._rewritten.code is None
    with Session(SIZE, numerics="relaxed") as session:
        monkeypatch.setattr(tiers, "EXPECTED", 1e9)
        # The first tape is by the rules already.
        session.update(bubbles(), zoom=32.0)
        assert session.settled()
        assert session._rewritten.code is None


def test_a_view_or_a_parameter_never_compiles_again():
    gain = pl.param("gain", 1.5, 0.0, 4.0)
    picture = pl.image(lambda p: pl.sin(p.x * gain) * pl.sin(p.y * 1.7))
    with Session(SIZE) as session:
        session.update(picture, zoom=9.0)
        assert session.settled()
        compiled = session.compiled
        for k in range(5):
            shown = session.update(picture, params={"gain": 0.5 * k}, zoom=9.0 + k, center=(0.1 * k, 0.0))
            assert "trace" not in shown.milliseconds
            expected = pl.render(
                picture, SIZE, numerics="exact", params={"gain": 0.5 * k}, zoom=9.0 + k, center=(0.1 * k, 0.0)
            )
            assert np.array_equal(shown.pixels, expected)
        assert session.settled()
        assert session.compiled == compiled
        assert session.frame(size=(7, 5)).pixels.shape == (5, 7, 4)


def test_what_a_closed_session_had_is_free_at_once():
    with gc_paused():
        with Session(SIZE) as session:
            session.update(shapes(), zoom=9.0)
            code = weakref.ref(session._tape.code)
        # Nothing in it refers to itself, so that the next session has its memory.
        assert code() is None


def test_machine_code_that_a_tape_cannot_replace_is_waited_for():
    @pl.image
    def picture(p):
        return pl.iterate(lambda s: s * s + p.x, 0.1, limit=3)

    expected = rendered(picture, 9.0)
    with Session(SIZE) as session:
        assert np.array_equal(session.update(picture, zoom=9.0).pixels, expected)


def test_frames_go_where_they_are_wanted():
    out = np.zeros((61, 96, 4), np.uint8)
    with Session(SIZE) as session:
        shown = session.update(shapes(), zoom=9.0, out=out)
        assert shown.pixels is out
        assert np.array_equal(out, rendered(shapes(), 9.0))


# ---- edits ----


def test_P23_an_edit_of_a_number_compiles_nothing_and_is_drawn_by_machine_code_at_once():
    with Session(SIZE) as session:
        session.update(waves([1.5, 2.25, 0.75]), zoom=9.0)
        assert session.settled()
        compiled = session.compiled
        for k in range(6):
            picture = waves([1.5, 2.25 + 0.3 * (k + 1), 0.75])
            shown = session.update(picture)
            assert shown.tier == "llvm"
            assert np.array_equal(shown.pixels, rendered(picture, 9.0))
        assert session._state.group.edited
        # At rest its numbers are compiled in, once.
        assert session.settled()
        assert session.compiled <= compiled + 6
        assert session._state.whole is not None
        assert np.array_equal(session.frame().pixels, rendered(picture, 9.0))


def test_while_numbers_change_one_tape_serves_them_all():
    def edited(k: int):
        return shapes() | im.move((0.1 * k + 0.03, 0.77), im.disk(0.3))

    with Session(SIZE) as session:
        session.update(shapes(), zoom=9.0)
        for k in range(2):
            assert np.array_equal(session.update(edited(k)).pixels, rendered(edited(k), 9.0))
        # The tape of the template is made in the background: nobody has waited for it.
        assert session.settled()
        shared = session._shared.code
        assert shared is not None
        for k in range(2, 6):
            shown = session.update(edited(k))
            assert np.array_equal(shown.pixels, rendered(edited(k), 9.0))
            assert session._shared.code is shared
            assert session._tape.key is not session._state
        # Another picture has a tape of its own again.
        assert np.array_equal(session.update(waves([1.5])).pixels, rendered(waves([1.5]), 9.0))


def test_a_picture_from_before_finds_its_code():
    with Session(SIZE) as session:
        one, two = waves([1.5]), waves([1.5], 1.0)
        for picture in (one, two):
            session.update(picture, zoom=9.0)
            assert session.settled()
        compiled = session.compiled
        for picture in (waves([1.5]), waves([1.5], 1.0)):
            shown = session.update(picture)
            assert shown.tier == "llvm"
            assert np.array_equal(shown.pixels, rendered(picture, 9.0))
        assert session.settled()
        assert session.compiled == compiled


def test_relaxed_numbers_are_compiled_in():
    with Session(SIZE, numerics="relaxed") as session:
        for number in (1.5, 1.75):
            picture = waves([number])
            session.update(picture, zoom=9.0)
            assert session.settled()
            assert session._state.group.lifted is None
            shown = session.frame()
            assert shown.tier == "llvm"
            assert np.array_equal(shown.pixels, rendered(picture, 9.0, numerics="relaxed"))


# ---- what is not wanted anymore ----


def always_made(frame, options, backend, make):
    """Code that nobody has kept."""
    best = make()
    return backend.compile(best.kernel, best.ranges)


class Gate:
    """Holds the optimizer until it is opened, and counts who is inside."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.open, self.entered = threading.Event(), threading.Event()
        self.inside = self.most = self.calls = 0
        real = sessions.optimized

        def optimized(frame, options, backend):
            self.calls += 1
            self.inside += 1
            self.most = max(self.most, self.inside)
            self.entered.set()
            self.open.wait(60)
            self.inside -= 1
            return real(frame, options, backend)

        for module in (sessions, choosing):
            monkeypatch.setattr(module, "optimized", optimized)
        monkeypatch.setattr(sessions, "of_frame", always_made)


def test_what_is_stale_is_dropped_and_nothing_waits_in_a_queue(monkeypatch):
    gate = Gate(monkeypatch)
    with Session(SIZE) as session:
        session.update(waves([1.5]), zoom=9.0)
        assert gate.entered.wait(60)
        for k in range(9):
            picture = waves([1.5, *[0.1] * k], 1.0)
            assert np.array_equal(session.update(picture).pixels, rendered(picture, 9.0))
        assert gate.calls == 1
        gate.open.set()
        assert session.settled()
        # The first was let end; then the last picture: its tape, whole and with its numbers as parameters; no other.
        assert gate.calls == 4
        assert gate.most == 1
        _, *others, last = session._pictures.values()
        assert last.whole is not None
        assert all(scene.whole is None for scene in others)
        assert np.array_equal(session.frame().pixels, rendered(picture, 9.0))


def test_frames_are_never_those_of_another_picture():
    rng = np.random.default_rng(7)
    pictures = [waves([1.5 + 0.1 * k], float(k % 2)) for k in range(6)]
    expected = [rendered(picture, 9.0) for picture in pictures]
    with Session(SIZE) as session:
        session.update(pictures[0], zoom=9.0)
        for k in rng.integers(0, 6, 60):
            assert np.array_equal(session.update(pictures[k]).pixels, expected[k])
            time.sleep(0.002)


@pytest.mark.filterwarnings("ignore:this picture stays uncompiled")
def test_what_the_compiler_cannot_do_is_said_once_and_is_no_crash(monkeypatch):
    def broken(*_):
        raise BackendError("the compiler is out of order", place="llvm")

    monkeypatch.setattr(sessions, "optimized", broken)
    monkeypatch.setattr(sessions, "of_frame", always_made)
    with warnings.catch_warnings(record=True) as said, Session(SIZE) as session:
        warnings.simplefilter("always")
        picture = waves([1.5])
        assert session.update(picture, zoom=9.0).trouble is None
        assert session.settled()
        for _ in range(3):
            shown = session.frame()
            assert shown.tier == "tiles"
            assert "out of order" in shown.trouble
        assert session.settled()
    assert len([w for w in said if "stays uncompiled" in str(w.message)]) == 1


# ---- errors ----


def test_a_picture_that_cannot_be_drawn_leaves_the_session_as_it_was():
    with Session(SIZE) as session:
        with pytest.raises(InputError, match="no picture yet"):
            session.frame()
        session.update(shapes(), zoom=9.0)
        with pytest.raises(TraceError):
            session.update(pl.image(lambda p: 1.0 if p.x > 0 else 0.0))
        with pytest.raises(InputError, match="not a picture"):
            session.update("swirl")
        with pytest.raises(InputError, match="zoom"):
            session.update(zoom=-1.0)
        with pytest.raises(InputError, match="the picture has no parameter"):
            session.update(params={"twist": 1.0})
        assert np.array_equal(session.frame().pixels, rendered(shapes(), 9.0))


def test_a_closed_session_draws_nothing():
    session = Session(SIZE)
    session.update(shapes())
    session.close()
    session.close()
    with pytest.raises(InputError, match="closed"):
        session.frame()


# ---- what is left behind ----


def test_closing_leaves_no_thread():
    with Session(SIZE) as session:
        session.update(waves([1.5, 0.4, 0.3]), zoom=9.0)
        assert threads()
    assert not threads()


def test_a_session_that_is_forgotten_ends_its_thread():
    session = Session(SIZE)
    session.update(waves([1.5]), zoom=9.0)
    assert session.settled()
    assert threads()
    del session
    gc.collect()
    until = time.monotonic() + 20
    while threads() and time.monotonic() < until:
        time.sleep(0.01)
    assert not threads()


def test_the_interval_of_threads_is_as_it_was():
    usual = sys.getswitchinterval()
    with Session(SIZE) as session:
        for k in range(5):
            session.update(waves([1.5, *[0.1] * k]), zoom=9.0)
    assert sys.getswitchinterval() == usual


def resident() -> int:
    """Bytes of memory that this process holds now."""
    return int(STATE.read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")


def soaked(edits: int) -> tuple[int, int]:
    """How much memory a session holds after some edits, and how much more after many; every frame is checked for size.

    Most edits change a number, some the shape of the picture, and now and then the editor rests.
    """
    rng = np.random.default_rng(5)
    warm = edits // 5
    began = 0
    with Session((64, 64)) as session:
        numbers = [1.5, 2.25, 0.75]
        for k in range(edits):
            if rng.random() < 0.1:
                numbers = rng.uniform(0.1, 3, rng.integers(1, 8)).tolist()
            else:
                numbers[rng.integers(len(numbers))] = float(rng.uniform(0.1, 3))
            shown = session.update(waves(numbers, float(rng.random() < 0.2)), zoom=9.0)
            assert shown.pixels.shape == (64, 64, 4)
            if k % 100 == 0:
                assert session.settled()
            assert len(session._pictures) <= sessions.MAX_PICTURES
            assert len(session._templates) <= sessions.MAX_PICTURES
            if k == warm:
                began = resident()
        assert np.array_equal(
            session.frame().pixels, pl.render(session._picture, 64, zoom=9.0, numerics="exact")
        )
        assert len(session._dropped) <= edits
    return began, resident() - began


@linux
def test_a_soak_of_random_edits_keeps_memory_flat():
    _, growth = soaked(10_000 if NIGHTLY else 300)
    assert growth < 50 << 20
