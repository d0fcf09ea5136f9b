"""Sessions: pictures for editors and viewers, whose first frame is there at once and whose later ones are fast.

The top of the driver beside `kernel`. A new picture is traced and drawn from a tape by the tile machine; `tiers` says
whether machine code would win, and whether a tape of which intervals decide more is worth making; `background` makes
them then, and whichever was measured the fastest draws from there on. In exact numerics what was edited in its
numbers only is drawn by the code of its template (see `lifting`).
"""

from __future__ import annotations

import threading
import time as clock
import warnings
from collections import OrderedDict
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Self, Unpack

import numpy as np

from ..backends.port import Code
from ..backends.tiles.machine.running import TileCode, TileCounts
from ..base.deep_stack import with_deep_stack
from ..base.errors import InputError, PellucidError
from ..base.gc_pause import gc_paused
from ..base.view import View, ViewArguments, spelled_out
from ..ir import expr as E
from ..ir.expr import Expr
from .background import Background, Job, promptly
from .choosing import tape_of
from .compiled import of_frame
from .frame import OUT, Frame
from .kernel import Bytes, Kernel, checked_source, optimized
from .lending import make_backend
from .lifting import Template
from .options import Options
from .tiers import Estimate, Timing, estimate, rewriting_pays
from .view import carried, checked_view, edited, moved_to, of_one_sample, pixels_of

PAUSE = 0.3
"""Seconds without another picture after which its constants are compiled in."""
MAX_PICTURES = 8
"""Maximum pictures, and maximum templates of pictures, that keep their machine code."""

TILES, SHARED, REWRITTEN, LIFTED, WHOLE = "tiles", "shared", "rewritten", "lifted", "whole"
"""A picture's codes: its tape as traced, with its numbers as parameters, or by the rules; and machine code with its
numbers as parameters or known. The first two draw alike."""
NOTHING: Mapping[str, float] = {}
NO_COUNTS = TileCounts()
MAX_DEAD_NODES = 1 << 16
"""Nodes that are made between two sweeps of unreachable nodes."""


class Shown(NamedTuple):
    """A frame, and who drew it.

    `pixels` are as `Kernel.render` gives them, drawn by the `tier` "tiles" or "llvm". There are `milliseconds` for
    "trace" and "tape", where this frame needed them, for "frame", and for "compile", if the code that drew it was made
    by a compiler. `trouble` is what kept the compiler from making code for this picture, or None.
    """

    pixels: Bytes
    tier: str
    milliseconds: Mapping[str, float]
    trouble: str | None = None


@dataclass(eq=False)
class _Made:
    """Machine code, and how long it took to make."""

    code: Code
    ms: float


@dataclass(eq=False)
class _Tape:
    """A tape: what it is for, its code, if there can be one, and what is counted of its frames.

    Of a `better` one than that by which machine code was judged, the first frame says again whether that would win.
    """

    key: object = None
    code: TileCode | None = None
    better: bool = False
    frames: int = 0
    counts: TileCounts = NO_COUNTS


@dataclass(eq=False)
class _Group:
    """The state of pictures of one template: the times of their codes, and the code with constants as parameters."""

    template: Template
    timing: Timing = field(default_factory=Timing)
    lifted: _Made | None = None
    edited: bool = False
    asked: int = 0
    estimate: Estimate | None = None
    estimated_ms: float = 0.0


@dataclass(eq=False)
class _Picture:
    """One picture: its frame, the values of its template's parameters, and the code with its constants compiled in."""

    kernel: Kernel
    frame: Frame
    group: _Group
    constants: Mapping[str, float]
    whole: _Made | None = None
    trouble: str | None = None


class _Stale(Exception):  # noqa: N818 - nothing is wrong
    """The code that is being compiled is no longer wanted."""


class Session:
    """Draws one picture after another, as an editor or a viewer asks for them: soon at first, then fast.

    In numerics "exact" all ways of drawing give the same pixels and a picture that differs from one before in its
    numbers only needs no compiler; in "relaxed" the ways agree as well, and every edit is compiled. `size` is in
    pixels; `threads` bounds how many draw. It begins at `view`, and draws one sample for each pixel. Close it, or use
    it in a ``with``. Raises InputError for a value out of its range.

    >>> from pellucid import images as im
    >>> with Session((4, 2)) as session:
    ...     shown = session.update(im.checkerboard(1, im.black, im.white))
    ...     shown.tier, shown.pixels[..., 0].tolist()
    ('tiles', [[0, 255, 0, 255], [255, 0, 255, 0]])
    """

    @spelled_out(ViewArguments)
    def __init__(
        self,
        size: tuple[int, int] | int | None = None,
        *,
        view: View | None = None,
        numerics: str = "exact",
        precision: str = "f32",
        **arguments: Unpack[ViewArguments],
    ) -> None:
        self.options = Options(numerics, precision)
        self._view = of_one_sample(checked_view(size, view=view, precision=precision, **arguments))
        self._carried: View | None = None
        self._state: _Picture | None = None
        self._picture: object = None
        self._pictures: OrderedDict[tuple[Expr, tuple[Any, ...]], _Picture] = OrderedDict()
        self._templates: OrderedDict[Expr, _Group] = OrderedDict()
        self._tape, self._shared, self._rewritten = _Tape(), _Tape(), _Tape()
        # The frame drawn last from a tape, with its milliseconds and pixels, until it is judged.
        self._drawn: tuple[_Group, _Tape, TileCode, float, int] | None = None
        self._edited_at = 0.0
        self._compiled = 0
        self._nodes = E.count()
        self._closed = False
        # Code is freed by whoever compiles: LLVM lets nobody else in meanwhile.
        self._dropped: list[object] = []
        self._lock = threading.RLock()
        self._compiling = threading.Lock()
        self._background = Background(self._plan, "pellucid session")

    # ---- what a viewer asks for ----

    @property
    def view(self) -> View:
        """The last view."""
        return self._view

    @spelled_out(ViewArguments)
    def update(
        self,
        picture: object = None,
        *,
        size: tuple[int, int] | int | None = None,
        view: View | None = None,
        out: Bytes | None = None,
        **arguments: Unpack[ViewArguments],
    ) -> Shown:
        """The frame of a picture, or of the one before; what is not given of the view stays as it was.

        A picture that carries another view than the one before moves the session to its center, zoom, time and
        parameters. A picture is traced when it is another object than the one before. The pixels go to `out`, if given.
        Raises InputError for a value out of its range or a session without a picture, and what the picture raises; the
        session then stays as it was.
        """
        with self._lock, promptly(self._background), gc_paused():
            if self._closed:
                raise InputError("the session is closed", place="session", fix="make another one")
            found = self._carried if picture is None else carried(picture)
            old = self._view
            if found is not None and found != self._carried:
                old = moved_to(old.replace(size), found, self.options.precision)
            seen = edited(old, size, view, arguments, self.options.precision)
            spent: dict[str, float] = {}
            state = self._state
            if picture is not None and picture is not self._picture:
                with _timed(spent, "trace"):
                    state = self._found(picture)
            if state is None:
                raise InputError("there is no picture yet", place="session", fix="give one to update")
            values = state.kernel.values(seen, params=state.frame.params)
            if state is not self._state:
                self._state, self._edited_at = state, clock.monotonic()
            self._picture = self._picture if picture is None else picture
            self._view, self._carried = seen, found
            shown = self._draw(state, seen, values, spent, out)
        self._background.wake()
        return shown

    def frame(self, **view: Any) -> Shown:
        """The next frame of the picture at hand, as `update` without a picture."""
        return self.update(None, **view)

    def close(self) -> None:
        """Forget everything and end the thread in the background, once the compiler is done with what it has begun."""
        with self._lock:
            self._closed = True
        self._background.close()
        with self._lock:
            self._state = self._picture = self._drawn = None
            self._pictures.clear()
            self._templates.clear()
            self._tape, self._shared, self._rewritten = _Tape(), _Tape(), _Tape()
            self._dropped.clear()

    def __enter__(self) -> Self:
        """The session itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.close()

    @property
    def compiled(self) -> int:
        """The number of times that the compiler was asked for code so far."""
        return self._compiled

    def settled(self, timeout: float = 60.0) -> bool:
        """Wait until nothing is left to be done in the background; tells whether that is so after so many seconds."""
        until = clock.monotonic() + timeout
        while clock.monotonic() < until:
            with self._lock:
                if not self._background.busy and self._plan(look=True) is None:
                    return True
            clock.sleep(0.002)
        return False

    # ---- pictures ----

    def _found(self, picture: object) -> _Picture:
        """The state of a picture: found, or made of its trace and joined to the group of its template."""
        kernel = Kernel(checked_source(picture), self.options, now=False)
        frame = kernel.frame()
        key = (frame.pixel, tuple([(p.name, p.default, p.low, p.high) for p in frame.params.values()]))
        state = self._pictures.get(key)
        if state is None:
            group, constants = self._joined(frame)
            state = self._pictures[key] = _Picture(kernel, frame, group, constants)
            if len(self._pictures) > MAX_PICTURES:
                self._dropped.append(self._pictures.popitem(last=False))
        self._pictures.move_to_end(key)
        return state

    def _joined(self, frame: Frame) -> tuple[_Group, Mapping[str, float]]:
        root = frame.pixel
        if self.options.numerics == "exact":
            for base, group in reversed(self._templates.items()):
                constants = group.template.match(frame)
                if constants is not None:
                    group.edited = True
                    self._templates.move_to_end(base)
                    return group, constants
        group = self._templates[root] = _Group(Template(frame))
        if len(self._templates) > MAX_PICTURES:
            self._dropped.append(self._templates.popitem(last=False))
        return group, NOTHING

    # ---- drawing ----

    def _draw(
        self, state: _Picture, view: View, values: dict[str, Any], spent: dict[str, float], out: Bytes | None
    ) -> Shown:
        width, height = view.size
        pixels = pixels_of(view.size, out)
        memory = {OUT: pixels.reshape(-1).view(np.uint32)}
        name, code, constants, compile_ms = self._chosen(state, spent)
        values |= constants
        with _timed(spent, "frame"):
            code.run(values, memory, threads=view.threads)
        group = state.group
        group.asked += 1
        group.timing.add(name, spent["frame"], width * height)
        if isinstance(code, TileCode):
            tape = self._rewritten if name == REWRITTEN else self._traced(state)
            tape.frames += 1
            # The estimate is made while nobody waits.
            self._drawn = group, tape, code, spent["frame"], width * height
            return Shown(pixels, "tiles", spent, state.trouble)
        return Shown(pixels, "llvm", {**spent, "compile": compile_ms}, state.trouble)

    def _chosen(
        self, state: _Picture, spent: dict[str, float]
    ) -> tuple[str, Code, Mapping[str, float], float]:
        """The name of the code that is fastest as far as is known, the code, its parameters, and its compile time."""
        group = state.group
        made = {LIFTED: group.lifted, WHOLE: state.whole}
        better = self._rewritten.code if self._rewritten.key is state else None
        names = [TILES] if better is None else [TILES, REWRITTEN]
        name = group.timing.fastest([*names, *(n for n, m in made.items() if m is not None)])
        if name == REWRITTEN and better is not None:
            return name, better, NOTHING, 0.0
        code = made.get(name)
        if code is None:
            with _timed(spent, "tape"):
                tape, constants = self._taped(state)
            if tape is not None:
                return TILES, tape, constants, 0.0
            name = WHOLE
            # A picture without a tape has to wait for machine code.
            code = state.whole = state.whole or self._made(state, WHOLE, lambda: True)
        return name, code.code, self._constants(state) if name == LIFTED else NOTHING, code.ms

    def _constants(self, state: _Picture) -> Mapping[str, float]:
        return state.constants or state.group.template.values

    def _traced(self, state: _Picture) -> _Tape:
        """The tape of a picture as traced: that of its template, once its numbers were edited and there is one."""
        shared = self._shared
        return shared if shared.key is state.group and shared.code is not None else self._tape

    def _taped(self, state: _Picture) -> tuple[TileCode | None, Mapping[str, float]]:
        """The same tape, made if there is none, and the values of its parameters."""
        tape = self._traced(state)
        if tape is self._shared:
            return tape.code, self._constants(state)
        if tape.key is not state:
            tape = self._tape = _Tape(state, self._tape_of(state.frame))
        return tape.code, NOTHING

    def _tape_of(self, frame: Frame, *, rewritten: bool = False) -> TileCode | None:
        return with_deep_stack(lambda: tape_of(frame, self.options, rewritten=rewritten))

    def _judge(self) -> None:
        """Say what machine code would do, when that is not known yet or frames take much longer than they did."""
        if self._drawn is None:
            return
        group, tape, code, ms, pixels = self._drawn
        self._drawn = None
        if group.estimate is not None and not tape.better and ms < 1.5 * group.estimated_ms:
            return
        tape.better = False
        now = code.counts
        news = TileCounts(*((b - a) // tape.frames for a, b in zip(tape.counts, now, strict=True)))
        tape.counts, tape.frames = now, 0
        group.estimate, group.estimated_ms = estimate(code.tape, news, pixels), ms

    # ---- compiling ----

    def _plan(self, *, look: bool = False) -> Job | float | None:
        """The next code to compile; with `look`, it is not compiled."""
        with self._lock:
            if not look:
                self._dropped.clear()
                if E.count() > self._nodes + MAX_DEAD_NODES:
                    return self._sweep
            state = self._state
            if self._closed or state is None or state.trouble is not None:
                return None
            group = state.group
            self._judge()
            pixels = self._view.size[0] * self._view.size[1]
            times = [group.timing.of(name, pixels) for name in (TILES, REWRITTEN)]
            tiled = min([ms for ms in times if ms is not None], default=None)
            if group.estimate is None or tiled is None:
                return None
            exact, tape = self.options.numerics == "exact", self._traced(state).code
            wanted = [SHARED] if group.edited and tape is not None else []
            if exact and tape is not None and rewriting_pays(len(tape.tape), tiled, group.asked):
                wanted.append(REWRITTEN)
            if group.estimate.pays(tiled, group.asked):
                wanted.append(WHOLE)
                if exact and group.template.places:
                    wanted = [LIFTED, *wanted] if group.edited else [*wanted, LIFTED]
            made = {
                SHARED: self._shared.key is group,
                REWRITTEN: self._rewritten.key is state,
                WHOLE: state.whole is not None,
                LIFTED: group.lifted is not None,
            }
            for which in wanted:
                if made[which]:
                    continue
                left = self._edited_at + PAUSE - clock.monotonic()
                # Edits tend to follow each other: the template stays, the constants do not.
                if left > 0 and which not in ((SHARED, LIFTED) if group.edited else (WHOLE,)):
                    return left
                return lambda: self._compile(state, which)
            return None

    def _sweep(self) -> None:
        """Forget nodes of pictures and programs that are gone."""
        E.sweep()
        self._nodes = E.count()

    def _compile(self, state: _Picture, which: str) -> None:
        """Make code of a picture, unless it is no longer wanted when the compiler would begin."""
        try:
            if which in (SHARED, REWRITTEN):
                self._tape_again(state, which)
                return
            made = self._made(state, which, lambda: self._wanted(state, which))
        except _Stale:
            return
        except Exception as problem:  # noqa: BLE001 - a viewer goes on drawing from the tape
            self._complain(state, problem)
            return
        with self._lock:
            if which == WHOLE:
                state.whole = made
                state.group.timing.forget(WHOLE)
            else:
                state.group.lifted = made

    def _tape_again(self, state: _Picture, which: str) -> None:
        """Make the tape of a picture's template, or that of the picture by the rules; its speed is measured later."""
        with self._compiling, gc_paused():
            if which == SHARED:
                tape = _Tape(state.group, self._tape_of(state.group.template.frame))
            else:
                tape = _Tape(state, self._tape_of(state.frame, rewritten=True), better=True)
        with self._lock:
            if which == SHARED:
                self._shared = tape
            else:
                self._rewritten = tape
                state.group.timing.forget(REWRITTEN)

    def _made(self, state: _Picture, which: str, wanted: Callable[[], bool]) -> _Made:
        options = self.options
        backend = make_backend(options.backend)

        def work() -> Code:
            frame = state.frame if which == WHOLE else state.group.template.frame

            def best() -> Any:
                if not wanted():
                    raise _Stale
                found = optimized(frame, options, backend)
                if not wanted():
                    raise _Stale
                return found

            return of_frame(frame, options, backend, best)

        with self._compiling, gc_paused():
            began = clock.perf_counter()
            self._compiled += 1
            code = with_deep_stack(work)
            return _Made(code, 1e3 * (clock.perf_counter() - began))

    def _wanted(self, state: _Picture, which: str) -> bool:
        now = self._state
        return (
            not self._closed
            and now is not None
            and (now is state if which == WHOLE else now.group is state.group)
        )

    def _complain(self, state: _Picture, problem: Exception) -> None:
        words = str(problem) if isinstance(problem, PellucidError) else f"{type(problem).__name__}: {problem}"
        state.trouble = f"this picture stays uncompiled: {words}"
        warnings.warn(state.trouble, stacklevel=2)


@contextmanager
def _timed(spent: dict[str, float], name: str) -> Generator[None]:
    began = clock.perf_counter()
    try:
        yield
    finally:
        spent[name] = 1e3 * (clock.perf_counter() - began)
