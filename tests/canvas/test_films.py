"""Every moving format round-trips: frames, times, holes, and memory that does not grow with the film."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest
from tests.memory import traced

from pellucid.canvas.compose import laid_on
from pellucid.canvas.containers import ticks
from pellucid.canvas.draw import animate, render
from pellucid.canvas.film import in_order, write_film
from pellucid.canvas.formats import Look, format_of

SIZE = (21, 18)  # from 16 rows on, Pillow would interlace a GIF


def rendered(kernel, count, fps, size=SIZE, start=0.0):
    return [render(kernel, size, time=start + number / fps) for number in range(count)]


@pytest.mark.parametrize("suffix", [".png", ".webp"])
@pytest.mark.parametrize("name", ["kernel", "walker", "walker_on_black"])
def test_lossless_films_show_every_frame(request, name, suffix, tmp_path, decode):
    kernel, path = request.getfixturevalue(name), tmp_path / f"film{suffix}"
    animate(kernel, path, SIZE, seconds=1.2, fps=10, time=0.5)
    shown, times = decode(path)
    wanted = rendered(kernel, 12, 10, start=0.5)
    assert len(shown) == 12
    assert set(times) == {100}
    for have, want in zip(shown, wanted, strict=True):
        # Where nothing shows, a decoder may give any color.
        np.testing.assert_array_equal(have[..., 3], want[..., 3])
        np.testing.assert_array_equal(have[want[..., 3] > 0], want[want[..., 3] > 0])


@pytest.mark.parametrize("name", ["walker", "walker_on_black"])
def test_gif_clears_what_vanishes(request, name, tmp_path, decode):
    kernel, path = request.getfixturevalue(name), tmp_path / "film.gif"
    animate(kernel, path, SIZE, seconds=1.2, fps=10)
    shown, times = decode(path)
    assert times == [100] * 12
    for have, want in zip(shown, rendered(kernel, 12, 10), strict=True):
        np.testing.assert_array_equal(have[..., 3], want[..., 3])
        np.testing.assert_array_equal(have[want[..., 3] > 0], want[want[..., 3] > 0])


def test_gif_times_add_up(opaque_kernel, tmp_path, decode):
    animate(opaque_kernel, tmp_path / "film.gif", SIZE, seconds=2, fps=30)
    _, times = decode(tmp_path / "film.gif")
    assert sum(times) == 2000
    assert set(times) == {30, 40}


def test_equal_frames_are_stored_once(tmp_path, decode):
    from PIL import Image

    still = [np.full((4, 4, 4), 255, np.uint8)] * 5 + [np.full((4, 4, 4), 9, np.uint8)]
    for suffix in (".png", ".gif", ".webp"):
        path = tmp_path / f"film{suffix}"
        with path.open("w+b") as file:
            write_film(file, iter(still), Look(format_of(path)), (4, 4), Fraction(10))
        with Image.open(path) as picture:
            assert picture.n_frames == 2
        _, times = decode(path)
        assert times == [500, 100]


def test_a_still_picture_is_computed_once(kernel, tmp_path):
    kernel.time_varying = False
    animate(kernel, tmp_path / "film.png", SIZE, seconds=3, fps=10)
    assert len(kernel.calls) == 1


def test_a_film_may_run_once_or_again(kernel, tmp_path):
    from PIL import Image

    for suffix, loop in itertools.product((".png", ".gif", ".webp"), (True, False)):
        path = tmp_path / f"film{loop}{suffix}"
        animate(kernel, path, SIZE, seconds=0.3, fps=10, loop=loop)
        with Image.open(path) as picture:
            assert picture.info.get("loop", 1) == (0 if loop else 1)


def test_npy_film_has_four_dimensions(kernel, tmp_path):
    animate(kernel, tmp_path / "film.npy", SIZE, seconds=0.5, fps=10)
    frames = np.load(tmp_path / "film.npy")
    np.testing.assert_array_equal(frames, rendered(kernel, 5, 10))


def test_a_film_on_a_background(kernel, tmp_path, decode):
    animate(kernel, tmp_path / "film.png", SIZE, seconds=0.3, fps=10, background=(9, 8, 7))
    shown, _ = decode(tmp_path / "film.png")
    for have, want in zip(shown, rendered(kernel, 3, 10), strict=True):
        np.testing.assert_array_equal(have[..., :3], laid_on(want, (9, 8, 7)))
        assert (have[..., 3] == 255).all()


@pytest.mark.parametrize("suffix", [".mp4", ".webm"])
def test_video_is_close(opaque_kernel, tmp_path, suffix):
    av = pytest.importorskip("av")
    path = tmp_path / f"film{suffix}"
    animate(opaque_kernel, path, (64, 48), seconds=0.8, fps=25, zoom=2.0)
    with av.open(str(path)) as file:
        stream = file.streams.video[0]
        assert stream.average_rate == 25
        frames = [
            frame.reformat(format="rgb24", src_colorspace="ITU709").to_ndarray()
            for frame in file.decode(video=0)
        ]
    wanted = [render(opaque_kernel, (64, 48), zoom=2.0, time=n / 25)[..., :3] for n in range(20)]
    assert len(frames) == 20
    for have, want in zip(frames, wanted, strict=True):
        assert np.abs(have.astype(int) - want).mean() < 5


def test_video_of_something_transparent_lies_on_white(walker, tmp_path):
    av = pytest.importorskip("av")
    animate(walker, tmp_path / "film.mp4", (32, 16), seconds=0.2, fps=10)
    with av.open(str(tmp_path / "film.mp4")) as file:
        first = next(file.decode(video=0)).to_ndarray(format="rgb24")
    assert first[0, 20].min() > 245


def test_memory_does_not_grow_with_the_film(tmp_path):
    size, frame_bytes = (200, 150), 200 * 150 * 4

    def frames(count):
        for number in range(count):
            yield np.full((150, 200, 4), number % 251, np.uint8)

    peaks = []
    for count in (30, 300):
        with traced() as memory, (tmp_path / "film.png").open("w+b") as file:
            write_film(file, frames(count), Look(format_of("film.png")), size, Fraction(10), threads=2)
        peaks.append(memory.peak)
    assert peaks[1] < peaks[0] + 10 * frame_bytes


def test_progress_counts_every_frame(kernel, tmp_path):
    seen = []
    animate(kernel, tmp_path / "film.png", SIZE, seconds=0.5, fps=10, progress=lambda *at: seen.append(at))
    assert seen == [(number, 5) for number in range(1, 6)]


def test_times_of_frames_never_drift():
    for rate in (Fraction(30), Fraction(24), Fraction(30000, 1001)):
        total = sum(ticks(n, n + 1, rate, 100) for n in range(1000))
        assert total == ticks(0, 1000, rate, 100)
        assert abs(total - 100_000 / rate) <= Fraction(1, 2)


def test_in_order_passes_errors_on_and_stops():
    started = []

    def work(number):
        started.append(number)
        if number == 3:
            raise ValueError(number)
        return number

    with pytest.raises(ValueError, match="3"):
        list(in_order(work, range(1000), workers=2))
    assert len(started) < 20


@pytest.mark.parametrize("suffix", [".png", ".gif"])
def test_a_second_reader_agrees(walker_on_black, tmp_path, suffix):
    """FFmpeg reads the containers that are written here, too, frame by frame."""
    av = pytest.importorskip("av")
    path = tmp_path / f"film{suffix}"
    animate(walker_on_black, path, SIZE, seconds=0.8, fps=10)
    with av.open(str(path), format="apng" if suffix == ".png" else "gif") as file:
        frames = [frame.to_ndarray(format="rgb24") for frame in file.decode(video=0)]
    wanted = rendered(walker_on_black, 8, 10)
    assert len(frames) == 8
    for have, want in zip(frames, wanted, strict=True):
        np.testing.assert_array_equal(have, want[..., :3])
