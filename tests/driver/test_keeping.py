"""Code that is kept: found again by what was asked for, without tracing or optimizing; and never taken for another."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

import pellucid as pl
from pellucid import images as im
from pellucid.conversion import nests as conversions
from pellucid.driver import cache as caches
from pellucid.driver import compiled, forget
from pellucid.driver.cache import Cache
from pellucid.pixels import layout_of

SIZE = (13, 6)
DATA = np.random.default_rng(8).integers(0, 256, 126 * 30, np.uint8)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of its own for what is kept."""
    mine = Cache(tmp_path / "kept")
    monkeypatch.setattr(compiled, "cache", lambda: mine)
    monkeypatch.setattr(caches, "cache", lambda: mine)
    monkeypatch.setattr("pellucid.driver.kernel.make_backend", _backend_of(mine))
    monkeypatch.setattr(conversions, "make_backend", _backend_of(mine))
    begin_anew()
    yield tmp_path / "kept"
    begin_anew()


def _backend_of(store: Cache) -> Callable[[str], object]:
    from pellucid.backends.c import CBackend
    from pellucid.backends.llvm import LlvmBackend

    return lambda name: (CBackend if name == "c" else LlvmBackend)(store)


def begin_anew() -> None:
    """Forget everything but the files, as another process would."""
    forget()


def nothing_is_made(monkeypatch: pytest.MonkeyPatch, *, traced: bool) -> None:
    """Let tracing, if that is not to be, and optimizing fail."""

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("it is made again")

    monkeypatch.setattr("pellucid.driver.kernel.optimized", refuse)
    monkeypatch.setattr(conversions, "optimized", refuse)
    if not traced:
        monkeypatch.setattr(conversions, "nest_between", refuse)


def convert_once(backend: str = "auto", target: str = "nv12") -> bytes:
    return pl.convert(DATA, "raw12", target, SIZE, backend=backend).tobytes()


@pytest.mark.parametrize("backend", ["llvm", "c"])
def test_a_conversion_is_neither_traced_nor_optimized_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch, backend: str
):
    wanted = convert_once(backend)
    begin_anew()
    nothing_is_made(monkeypatch, traced=False)
    assert convert_once(backend) == wanted
    with pytest.raises(AssertionError, match="made again"):
        convert_once(backend, "yuv420p")


def test_code_that_stores_words_is_not_taken_for_code_that_stores_bytes(folder: Path):
    count = layout_of("rgb565").size(*SIZE)
    room = np.zeros(count + 16, np.uint8)
    start = -room.ctypes.data % 4
    found = []
    for more in (0, 1, 0, 1):
        begin_anew()
        out = room[start + more : start + more + count]
        found.append(pl.convert(DATA, "raw12", "rgb565", SIZE, out=out).tobytes())
    assert len({*found}) == 1
    assert len([*folder.glob("*.code")]) == 4, "an entry and its code for either"


def test_a_picture_is_not_optimized_again(folder: Path, monkeypatch: pytest.MonkeyPatch):
    bend = pl.param("bend", 20.0, (1.0, 50.0))
    picture = im.swirl(bend, im.checkerboard(3, im.tomato, im.teal))
    wanted = pl.compile(picture).render((40, 30), params={"bend": 9.0})
    begin_anew()
    nothing_is_made(monkeypatch, traced=True)
    again = pl.compile(picture)
    assert np.array_equal(again.render((40, 30), params={"bend": 9.0}), wanted)
    with pytest.raises(pl.PellucidError, match="is not in 1"):
        again.render((40, 30), params={"bend": 51.0})


def test_a_picture_with_memory_is_bound_to_the_memory_at_hand(folder: Path):
    pixels = DATA[: 8 * 6 * 4].reshape(6, 8, 4).copy()
    for data in (pixels, pixels[::-1].copy()):
        begin_anew()
        found = pl.convert(data.tobytes(), "rgba", "rgba", (8, 6), op=lambda p: im.invert(im.invert(p)))
        assert np.array_equal(found[3::4], data.reshape(-1)[3::4])


@pytest.mark.parametrize("harm", ["entries", "code", "everything"])
def test_what_is_damaged_is_made_again(folder: Path, harm: str):
    wanted = convert_once()
    files = sorted(folder.glob("*.code"), key=lambda p: p.stat().st_size)
    assert len(files) == 2
    for path in {"entries": files[:1], "code": files[1:], "everything": files}[harm]:
        data = bytearray(path.read_bytes())
        data[len(data) // 2] ^= 1
        path.write_bytes(data)
    conversions_again = []
    for _ in range(2):
        begin_anew()
        conversions_again.append(convert_once())
    assert conversions_again == [wanted, wanted]


@pytest.mark.parametrize("gone", [0, 1])
def test_what_is_gone_is_made_again(folder: Path, gone: int):
    wanted = convert_once()
    sorted(folder.glob("*.code"), key=lambda p: p.stat().st_size)[gone].unlink()
    begin_anew()
    assert convert_once() == wanted


@pytest.mark.parametrize(
    ("place", "word"),
    [
        ("pellucid.driver.compiled.fingerprint", lambda: "another"),
        ("pellucid.backends.llvm.LlvmBackend.identity", "another"),
    ],
)
def test_another_program_and_another_processor_find_nothing(
    folder: Path, monkeypatch: pytest.MonkeyPatch, place: str, word: object
):
    convert_once()
    monkeypatch.setattr(place, word)
    begin_anew()
    nothing_is_made(monkeypatch, traced=False)
    with pytest.raises(AssertionError, match="made again"):
        convert_once()


def test_an_operation_that_is_equal_is_compiled_once(monkeypatch: pytest.MonkeyPatch):
    size = (16, 4)
    data = DATA[: layout_of("rgb24").size(*size)]
    wanted = pl.convert(data, "rgb24", "nv12", size, op=lambda p: im.brighten(0.5, p))
    nothing_is_made(monkeypatch, traced=True)
    found = pl.convert(data, "rgb24", "nv12", size, op=lambda p: im.brighten(0.5, p))
    assert np.array_equal(found, wanted)
    with pytest.raises(AssertionError, match="made again"):
        pl.convert(data, "rgb24", "nv12", size, op=lambda p: im.brighten(0.6, p))


def test_an_operation_may_look_at_the_pixels():
    for level in (51, 204):
        data = np.full(12, level, np.uint8)
        found = pl.convert(
            data, "rgb24", "rgb24", (2, 2), op=lambda p: im.const(im.Color(*map(float, p.at(0.5, 0.5))))
        )
        assert (found == level).all()
