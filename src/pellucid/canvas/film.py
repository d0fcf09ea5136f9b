"""Moving pictures: frames in, a file out, with bounded memory.

Above `sinks` and `containers`. Frames come one by one, equal neighbors are joined into one run, runs are
compressed by several threads at once (zlib and Pillow let the others work meanwhile) and stored in order. Only
the frames on their way are held, never the whole film.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from fractions import Fraction
from typing import BinaryIO, TypeVar

import numpy as np

from pellucid.base.record import record
from pellucid.canvas.compose import Pixels, laid_on
from pellucid.canvas.containers import Apng, Container, FrameRectangle, Gif, Npy, WebP
from pellucid.canvas.formats import Look
from pellucid.canvas.sinks import Video, piece_of

_CONTAINERS: dict[str, Callable[..., Container]] = {"PNG": Apng, "GIF": Gif, "WebP": WebP, "NPY": Npy}
#: A run lasts at most so many seconds: the 16-bit times of APNG and GIF hold it in any unit they use.
_MAX_RUN = 60

Item = TypeVar("Item")
Result = TypeVar("Result")


@record
class FrameRun:
    """A frame shown from frame number `start` up to `stop`, with the different frames around it."""

    before: Pixels | None
    frame: Pixels
    after: Pixels | None
    start: int
    stop: int


def write_film(
    file: BinaryIO,
    frames: Iterable[Pixels],
    look: Look,
    size: tuple[int, int],
    rate: Fraction,
    threads: int | None = None,
) -> None:
    """Write frames of shape (height, width, 4) at `rate` frames per second in the format of `look`.

    Every frame must be an array of its own: it may be read until a few frames later. `file` is seekable and,
    for video, has a `name` that is a path.

    >>> import io
    >>> from pellucid.canvas.formats import format_of
    >>> file = io.BytesIO()
    >>> frames = (np.full((2, 2, 4), value, np.uint8) for value in (0, 0, 255))
    >>> write_film(file, frames, Look(format_of("a.npy")), (2, 2), Fraction(10))
    >>> np.load(io.BytesIO(file.getvalue()))[:, 0, 0, 0].tolist()
    [0, 0, 255]
    """
    if look.format.name in _CONTAINERS:
        _write_pieces(file, frames, look, size, rate, threads)
    else:
        _write_video(file, frames, look, size, rate, threads)


def frames_on_the_way(threads: int | None = None) -> int:
    """The maximum number of frames that `write_film` holds at once.

    >>> frames_on_the_way(1) < frames_on_the_way(4)
    True
    """
    # One per worker waiting, one per worker at work, the neighbors of a run, and a copy each while compressing.
    return 4 * _workers(threads) + 3


def runs_of(frames: Iterable[Pixels], longest: int) -> Iterator[FrameRun]:
    """Equal neighbors joined, up to `longest` frames.

    >>> frames = [np.full((1, 1, 4), value, np.uint8) for value in (7, 7, 7, 8)]
    >>> [(run.start, run.stop, run.after is None) for run in runs_of(frames, 2)]
    [(0, 2, False), (2, 3, False), (3, 4, True)]
    """
    before: Pixels | None = None
    frame: Pixels | None = None
    start = number = 0
    for number, after in enumerate(frames):
        if frame is not None:
            if number - start < longest and (after is frame or np.array_equal(after, frame)):
                continue
            yield FrameRun(before, frame, after, start, number)
        before, frame, start = frame, after, number
    if frame is not None:
        yield FrameRun(before, frame, None, start, number + 1)


def in_order(work: Callable[[Item], Result], items: Iterable[Item], workers: int) -> Iterator[Result]:
    """`work` of every item, in order, by several threads, with at most `workers` results waiting.

    An error of `work` or of `items` ends the others before it is passed on.

    >>> list(in_order(lambda number: number * number, range(5), workers=2))
    [0, 1, 4, 9, 16]
    """
    waiting: deque[Future[Result]] = deque()
    pool = ThreadPoolExecutor(workers)
    try:
        for item in items:
            waiting.append(pool.submit(work, item))
            if len(waiting) > workers:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)


def _workers(threads: int | None) -> int:
    return threads or min(os.cpu_count() or 1, 8)


def _write_pieces(
    file: BinaryIO,
    frames: Iterable[Pixels],
    look: Look,
    size: tuple[int, int],
    rate: Fraction,
    threads: int | None,
) -> None:
    def compressed(run: FrameRun) -> tuple[FrameRectangle, FrameRun]:
        return piece_of(look, run.before, run.frame, run.after), run

    container = _CONTAINERS[look.format.name](file, size, rate, loop=look.loop)
    longest = max(int(_MAX_RUN * rate), 1)
    for piece, run in in_order(compressed, runs_of(frames, longest), _workers(threads)):
        container.add(piece, run.start, run.stop)
    container.close()


def _write_video(
    file: BinaryIO,
    frames: Iterable[Pixels],
    look: Look,
    size: tuple[int, int],
    rate: Fraction,
    threads: int | None,
) -> None:
    background = look.backed() or (255, 255, 255)
    video = Video(str(file.name), look, size, rate, threads=threads)
    try:
        # One worker: it lays a frame on its background while the encoder is busy with the one before.
        for colors in in_order(lambda frame: laid_on(frame, background), frames, 1):
            video.add(colors)
        video.close()
    except BaseException:
        video.abandon()
        raise
