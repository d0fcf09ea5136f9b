"""Programs that exceed each limit of `docs/limits.md`: for `test_exceeding.py`, and for `bench/refusing.py`."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable
from functools import reduce
from pathlib import Path
from typing import Any
from unittest import mock

import dask.array as da
import numpy as np

import pellucid as pl
from pellucid import algebra as alg
from pellucid import document as written
from pellucid import images as im
from pellucid import signals as sg
from pellucid import staging as st
from pellucid.backends.shade import Pixel, compute, fragment
from pellucid.backends.tiles.machine.kernels import Kernels
from pellucid.backends.tiles.tape.key import Key
from pellucid.base.errors import PellucidError
from pellucid.canvas.draw import checked_film
from pellucid.canvas.formats import Look, format_of
from pellucid.driver.card import Card, card_of
from pellucid.driver.codes import ARENA, compile_code
from pellucid.driver.compiled import MAX_CODES, Codes
from pellucid.driver.frame import COLUMN, HEIGHT, OUT, ROW, WIDTH
from pellucid.images.array2 import Array2
from pellucid.ir import types as T
from pellucid.ir.expr import Buffer, Expr, apply, const, load, param
from pellucid.ir.nest import For, If, Kernel, Store
from pellucid.ir.parse import parse_expr, parse_nest
from pellucid.loops.core.registry import named
from pellucid.loops.hops.reading import read
from pellucid.loops.hops.writing import write_expression
from pellucid.pixels import layout_of, unpack
from pellucid.reasoning.printed import printed_time
from pellucid.reasoning.prove import Proved
from pellucid.signals.wav import header
from pellucid.staging import lift
from pellucid.staging.root import machine
from pellucid.staging.root.reading import read_sugar
from pellucid.studio.document import StoredText
from pellucid.studio.exporting import ordered
from pellucid.studio.folder import Folder
from pellucid.studio.reading import read as read_version
from pellucid.studio.snapshots import Snapshots
from pellucid.studio.tiles import Levels
from pellucid.studio.varying import varied

DISK = im.fill(im.tomato, im.udisk)
GOOD_VIEW = {"format": "png", "center": [0, 0], "zoom": 1, "time": 0}


def endless(p: pl.Point) -> object:
    """A picture that calls itself without end."""
    return endless(p) + 1


def sparse(folder: Path, name: str, size: int) -> Path:
    """A file of so many bytes that takes no room."""
    path = folder / name
    with path.open("wb") as file:
        file.truncate(size)
    return path


def grown(depth: int, choice: Callable[[pl.Point, object, object], object]) -> None:
    """Compile a picture whose every level uses the one below at two points."""

    def around(inner: Callable[[pl.Point], object]) -> Callable[[pl.Point], object]:
        points = [lambda p, k=k: pl.Point(p.x * 1.01 + k, p.y - 0.1 * k) for k in range(2)]
        return pl.image(lambda p: choice(p, *(inner(at(p)) for at in points)))

    picture = im.image(lambda p: pl.sin(p.x) * p.y)
    for _ in range(depth):
        picture = around(picture)
    pl.compile(picture)


def shaded(printed: Callable[..., object], buffers: int, size: int) -> None:
    """Print a picture whose pixels are loaded from so many buffers of that size, each of other data, as a shader."""
    data = [np.full(size, k, np.uint8) for k in range(buffers)]
    loads = [load(Buffer(f"b{k}", T.u8, size, data[k]), COLUMN) for k in range(buffers)]
    value = reduce(lambda a, b: apply("add", a, b), [apply("convert", x, attr=T.u32) for x in loads])
    row = For(COLUMN, const(0, T.i32), WIDTH, (Store(OUT, COLUMN, value),))
    kernel = Kernel("k", (WIDTH, HEIGHT), (OUT,), (For(ROW, const(0, T.i32), HEIGHT, (row,)),))
    printed(kernel, {}, Pixel(COLUMN, ROW, WIDTH, HEIGHT))


def private(folder: Path) -> None:
    """Compile a kernel with more scratch memory inside a loop than there may be."""
    text = f"""
kernel much():
  output out: u8[1]
  for i in 0 .. 4:
    alloc scratch: u8[{(128 << 10) + 1}]:
      scratch[i] := 1:u8
      out[i] := scratch[i]
"""
    from pellucid.backends.llvm import LlvmBackend

    LlvmBackend().compile(parse_nest(text), {})


def many_lanes(folder: Path) -> None:
    """Ask for more lanes than a loop may have."""
    kernel = parse_nest("kernel k():\n  output out: i32[4]\n  for i in 0 .. 4:\n    out[i] := i\n")
    (path,) = named("lanes").find(kernel)
    verdict = named("lanes").check(kernel, path, count=1025)
    assert not isinstance(verdict, Proved)
    raise PellucidError(str(verdict))


def large_block(folder: Path) -> None:
    """Ask for more threads in a block than a GPU runs."""
    kernel = parse_nest("kernel k():\n  output out: i32[4]\n  for i in 0 .. 4:\n    out[i] := i\n")
    (path,) = named("grid").find(kernel)
    verdict = named("grid").check(kernel, path, block=1025)
    assert not isinstance(verdict, Proved)
    raise PellucidError(str(verdict))


def many_arguments(folder: Path) -> None:
    """Give a kernel on a GPU more buffers than a launch has arguments."""
    from pellucid.backends.cuda.code import checked_arguments
    from pellucid.backends.port import layout

    inputs = "".join(f"  input a{k}: i32[4]\n" for k in range(256))
    stores = "".join(f"    o[i] := a{k}[i]\n" for k in range(256))
    text = f"kernel k():\n  output o: i32[4]\n{inputs}  for i in 0 .. 4:\n{stores}"
    checked_arguments(layout(parse_nest(text), {}))


def nested(depth: int) -> str:
    """A nest whose loops stand so deep in one another."""
    lines = [f"{'  ' * (k + 1)}for i{k} in 0 .. 1:\n" for k in range(depth)]
    return f"kernel k():\n  output out: i32[1]\n{''.join(lines)}{'  ' * (depth + 1)}out[0] := 1\n"


def shared(times: int) -> Expr:
    """An expression of 2^times terms when nothing is shared."""
    node = param("a", T.i64)
    for _ in range(times):
        node = apply("mul", node, node)
    return node


def rewritten() -> object:
    """Simplify by two rules of which each undoes what the other did."""
    from pellucid.base.deep_stack import with_deep_stack
    from pellucid.rewriting.builder import Builder
    from pellucid.rewriting.rule import Rule
    from pellucid.rewriting.ruleset import RuleSet
    from pellucid.rewriting.simplify import run

    there = Rule("there", "exact", "sin(neg(x))", "neg(sin(x))", "float", doc="Out.")
    back = Rule("back", "exact", "neg(sin(x))", "sin(neg(x))", "float", doc="In again.")
    endless = RuleSet((there, back))
    return with_deep_stack(lambda: run(Builder("exact", rules=endless), parse_expr("sin(neg($a:f32))")))


def visited() -> object:
    """Run a program of three thousand million iterations at the command line of White's moves."""
    from pellucid.cli.hops.queries import run_quickly

    nest = "kernel k():\n  output out: i32[1]\n  for i in 0 .. 60000:\n    for j in 0 .. 60000:\n      out[0] := i\n"
    return run_quickly(parse_nest(nest), {}, {})


def staged(program: Callable[..., object], *arguments: object) -> object:
    """Specialize a program on nothing but an unknown number, or on what is given."""
    return st.specialize(program, *(arguments or (st.unknown("x"),)))


def arms(x: object, low: int, count: int) -> object:
    """A choice among so many numbers, by halves."""
    if count == 1:
        return low
    half = count // 2
    return st.choose(
        x < low + half,  # type: ignore[operator]
        lambda: arms(x, low, half),
        lambda: arms(x, low + half, count - half),
    )


def variants(x: object) -> object:
    """A loop that goes on with another known number each turn."""
    return st.loop(lambda a, n: a == x, lambda a, n: (a + 1, n + 2), st.lift(0), 5)


@st.interpreter
def reading(p: object, x: object) -> object:
    """An interpreter that reads a table."""
    return p[x]  # type: ignore[index]


def table_as_code() -> object:
    """Have machine code made that reads a table."""
    code = st.cogen(reading, p=st.STATIC, x=st.DYNAMIC)((4, 5)).code
    return compile_code(code, "integer", tier="quick")


@st.interpreter
def spinning(p: object, x: object) -> object:
    """An interpreter that counts for ever while it is compiled."""
    i = p
    while i > 0:  # type: ignore[operator]
        i = i + 1  # type: ignore[operator]
    return x


@st.interpreter
def collecting(p: object, x: object) -> object:
    """An interpreter that keeps as many registers as there are turns."""
    out = []
    i = lift(0)
    while i < x:  # type: ignore[operator]
        out.append(i)
        i = i + 1
    return len(out)


@st.interpreter
def remembering(p: object, x: object) -> object:
    """An interpreter that keeps a known number in each turn, and asks about the one that is not."""
    out = []
    while p > 0:  # type: ignore[operator]
        out.append(p)
        if x > p:  # type: ignore[operator]
            x = x - 1  # type: ignore[operator]
        p = p - 1  # type: ignore[operator]
    return len(out), x


def compiled(interpreter: Callable[..., object], given: object = 3) -> object:
    """Generate a compiler and compile a program by it."""
    return st.cogen(interpreter, p=st.STATIC, x=st.DYNAMIC)(given)


def within(depth: int) -> object:
    """A tuple within so many tuples."""
    found: object = 1
    for _ in range(depth):
        found = (found,)
    return found


def root(text: str, *arguments: object, **more: int) -> object:
    """Run a program of root by its machine."""
    return machine.run(read_sugar(text)["loop"], *arguments, **more)


def lowered(name: str, value: int, program: Callable[[], object]) -> object:
    """Run a program with a limit lowered: what would exceed it takes too long to make for a test."""
    module, _, constant = name.rpartition(".")
    with mock.patch.object(importlib.import_module(f"pellucid.{module}"), constant, value):
        return program()


def by_tiles() -> object:
    """Compile a picture for tiles."""
    return pl.compile(im.image(lambda p: pl.sin(p.x) * pl.cos(p.y) + p.x * p.y), backend="tiles").render(
        (8, 8)
    )


def two_operators() -> object:
    """Have two operators made for tiles."""
    return Kernels(4, None).opcodes([Key(op, (T.i32, T.i32), T.i32) for op in ("add", "sub")])


@st.interpreter
def choosing(p: object, x: object) -> object:
    """An interpreter that chooses by the number that it is given."""
    y = x
    while p > 0:  # type: ignore[operator]
        if x > 3:  # type: ignore[operator]
            y = (y, 1)
        p = p - 1  # type: ignore[operator]
    return y


def compiled_root(arena: int = ARENA) -> Callable[..., object]:
    """A root program that makes pairs for ever, as machine code."""
    text = "loop(k n l) {\nif (zero? n) (car k)(k l)\nm = (cons n l)\nloop(k (+ n 1) m)\n}"
    return compile_code(read_sugar(text)["loop"], "integer", "data", arena=arena)


def by_rows(*body: str) -> Callable[..., object]:
    """A loop over rows and columns whose pixel is told by lines, run by prepared kernels."""
    text = (
        "picture(k m o) {\nrows(k m o 0)\nrows(k m o y) {\nif (< y 2) columns(k m o y 0)\n(car k)(k 0)\n"
        "columns(k m o y x) {\nif (< x 4000) pixel(k m o y x)\nrows(k m o (+ y 1))\npixel(k m o y x) {\n"
        + "\n".join(body)
        + "\ndone = (store o (+ x (* y 4000)) v)\ncolumns(k m o y (+ x 1))\n}"
    )
    memories = (st.Memory("m", 8, least=8000), st.Memory("o", 8, least=8000))
    return compile_code(read_sugar(text)["picture"], *memories, tier="rows")


def card_with(**changes: Any) -> bytes:
    """The card of a disk with other fields."""
    return json.dumps({**json.loads(card_of(DISK).text), **changes}).encode()


def sums(*lines: str, of: int) -> list[str]:
    """Lines that end with the sum of so many values."""
    return [
        *lines,
        "s0 = (+ v0 0)",
        *(f"s{k} = (+ s{k - 1} v{k})" for k in range(1, of)),
        f"v = (+ s{of - 1} v0)",
    ]


def of_document(functions: str, name: str) -> object:
    """The pixels of a document whose picture is a function of it."""
    text = f"from pellucid import images as im\n{functions}picture = im.image({name})\n"
    return pl.render(written.evaluate(written.read(text), check=False).picture, (1, 1))


EXCEED: dict[str, Callable[[Path], object]] = {
    "driver.frame.MAX_SIDE": lambda _: pl.render(DISK, ((1 << 20) + 1, 1), precision="f64"),
    "driver.frame.MAX_WHOLE": lambda _: pl.render(DISK, ((1 << 20) + 1, 1), part=(0, 0, 1, 1)),
    "document.evaluating.MAX_STEPS": lambda _: of_document(
        "f0 = lambda p: p.x\n" + "".join(f"f{k + 1} = lambda p: f{k}(p) + f{k}(p)\n" for k in range(20)),
        "f20",
    ),
    "document.evaluating.MAX_CALLS": lambda _: of_document("def f(p):\n    return f(p)\n", "f"),
    "driver.frame.MAX_PIXELS": lambda _: pl.render(DISK, (1 << 16, 1 << 15)),
    "canvas.shards.MAX_SHARD": lambda folder: pl.store(DISK, folder / "a.zarr", 8, shard=(1 << 13) + 1),
    "canvas.workers.MAX_WORKERS": lambda folder: pl.store(DISK, folder / "a.zarr", 8, workers=1025),
    "driver.card.MAX_BYTES": lambda _: Card(bytes((1 << 30) + 1)),
    "driver.card.MAX_TEXT": lambda _: Card(card_with(frames={"f32 straight one": "1" * ((1 << 26) + 1)})),
    "driver.card.MAX_NAMES": lambda _: Card(
        card_with(params={f"p{k}": [0, 0, 1] for k in range((1 << 12) + 1)})
    ),
    "driver.frame.REACH": lambda _: pl.render(DISK, (1, 1), time=2.0**41),
    "driver.frame.FINEST": lambda _: pl.render(DISK, (1, 1), zoom=1.1e37),
    "backends.shade.programs.MAX_TEXELS": lambda _: shaded(fragment, 1, (1 << 24) + 1),
    "backends.shade.programs.MAX_TEXTURES": lambda _: shaded(fragment, 17, 1),
    "backends.shade.programs.MAX_WORDS": lambda _: shaded(compute, 1, (1 << 27) + 1),
    "backends.shade.programs.MAX_TABLE": lambda folder: pl.export(
        im.bitmap(np.zeros((65, 64, 4), np.uint8)), folder / "a.glsl"
    ),
    "base.view.MAX_SAMPLES": lambda _: pl.render(DISK, (1, 1), samples=65),
    "base.view.MAX_THREADS": lambda _: pl.render(DISK, (1, 1), threads=1025),
    "canvas.draw._MAX_FRAMES": lambda _: checked_film(10_000_001, 1, Look(format_of("a.mp4"))),
    "base.deep_stack.MAX_CALLS": lambda _: pl.render(pl.image(endless), (1, 1)),
    "images.text.MAX_PIXELS": lambda _: im.text("A" * 400, 1.0, detail=4096).at(0, 0),
    "base.opening.MAX_BYTES": lambda folder: im.read_vm(sparse(folder, "a.vm", (1 << 26) + 1)),
    "images.bitmap.MAX_BYTES": lambda folder: im.read_image(sparse(folder, "a.bmp", (1 << 32) + 1)),
    "images.bitmap.MAX_PIXELS": lambda folder: im.read_image(wide_picture(folder)),
    "images.vm.MAX_BYTES": lambda folder: im.read_vm(sparse(folder, "a.vm", (1 << 26) + 1)),
    "signals.wav._MAX_BYTES": lambda _: header("pcm_s16le", 1, 8000, 1 << 31),
    "cli.hops.queries.MAX_ARRAY_BYTES": lambda folder: array_of_numpy(sparse(folder, "a.npy", (1 << 32) + 1)),
    "document.source.MAX_CHARACTERS": lambda folder: StoredText(sparse(folder, "a.py", 100_001)),
    "studio.folder._MAX_NAME": lambda folder: Folder(folder).file("a" * 1024 + ".py"),
    "studio.tiles.MAX_SETTINGS": lambda _: Levels(pl.compile(DISK), pl.View(8)).with_settings("t" * 2049),
    "studio.snapshots.MAX_SNAPSHOTS": lambda folder: [
        kept.keep(f"{k}", "") for kept in [Snapshots(folder / "a.py")] for k in range(201)
    ],
    "studio.snapshots.MAX_NAME": lambda folder: Snapshots(folder / "a.py").keep("a" * 81, ""),
    "studio.snapshots.MAX_BYTES": lambda folder: Snapshots(folder / "a.py").keep("a", "a" * (1 << 23)),
    "studio.varying.MAX_VARIATIONS": lambda folder: varied(
        read_version(1, "picture = 1", folder / "a.py", None, trust=False),
        {"version": 1, "changes": [[]] * 17},
    ),
    "studio.exporting.MAX_PIXELS": lambda folder: ordered(
        DISK, folder / "a", "", GOOD_VIEW | {"width": 1 << 14, "height": (1 << 14) + 1}, lambda *_: None
    ),
    "pixels.notation.MAX_CHARACTERS": lambda _: layout_of("Y:8" + " " * (1 << 14)),
    "pixels.notation.MAX_DIGITS": lambda _: layout_of("Y:8 rows 1000000000"),
    "pixels.layout.MAX_CHANNELS": lambda _: layout_of(" ".join(f"C{chr(65 + k)}:8" for k in range(17))),
    "pixels.layout.MAX_BLOCK": lambda _: layout_of("R:11 /8x8; G:9 /7x4; B:7 /5x5"),
    "pixels.layout.MAX_INDEX_BITS": lambda _: layout_of("I:17; palette: B:8 G:8 R:8 A:8"),
    "tracing.session.MAX_NODES": lambda _: grown(
        40, lambda p, a, b: pl.sin(a) * p.x + b * b * p.y - a * 0.25
    ),
    "tracing.session.MAX_USES": lambda _: grown(40, lambda p, a, b: pl.where(p.x < p.y, a, b)),
    "signals.delays.MAX_DELAY": lambda _: sg.delay(sg.constant(0.0), (1 << 24) + 1),
    "signals.envelopes.MAX_RAMP": lambda _: sg.ramp(sg.constant(0.0), (1 << 31) + 1, 0.0),
    "signals.filters.MAX_GAIN": lambda _: sg.biquad_coefficients("peaking", 100, rate=8000, gain=1001),
    "signals.effects.MAX_TAIL": lambda folder: sg.filter_audio(
        sg.effect(lambda x, rate: x), folder / "a.wav", folder / "b.wav", tail=1e9
    ),
    "signals.player.MAX_FRAMES": lambda _: sg.Player(sg.constant(0.0), format="pcm_s16le").play(
        (1 << 31) + 1
    ),
    "signals.render._MAX_FRAMES": lambda folder: pl.render_audio(
        sg.constant(0.0), folder / "a.raw", seconds=1e9
    ),
    "loops.hops.reading.MAX_BLOCKS": lambda _: read(
        "(MakeVariable s) " + "(if true " * 5001 + "()" + ")" * 5001
    ),
    "loops.hops.numbers._MAX_DIGITS": lambda _: read(f"(MakeVariable s) (:= s {'9' * 41})"),
    "reasoning.scratch.MAX_PRIVATE": private,
    "loops.moves.lanes.MAX_COUNT": many_lanes,
    "loops.moves.grid.MAX_BLOCK": large_block,
    "backends.cuda.code.MAX_ARGUMENTS": many_arguments,
    "algebra.array.MAX_AXES": lambda _: alg.array("a", (2, 2, 2, 2)),
    "algebra.array.MAX_ELEMENTS": lambda _: alg.array("a", (1 << 16, 1 << 15)),
    "algebra.template.MAX_VALUES": lambda _: alg.convolve(alg.array("a", (9, 9)), np.ones((65, 65))),
    "algebra.reducing.MAX_ADDENDS": lambda _: alg.map_blocks(
        alg.compile(alg.sum(alg.array("a", (9, 9)))), a=da.zeros((1 << 19, 1 << 18), "f4", chunks=1 << 18)
    ),
    "images.array2._MAX_SIDE": lambda _: Array2(1 << 31, 1, lambda i, j: im.red),
    "canvas.codes.MAX_STRIDE": lambda _: pl.unpack(b"", "gray8", (1, 1), stride=(1 << 24) + 1),
    "pixels.layout.MAX_BYTES": lambda _: unpack(b"", layout_of("R:8 G:8 B:8"), 1 << 15, 1 << 15),
    "signals.wav.MAX_BYTES": lambda folder: sg.read_audio(sparse(folder, "a.wav", (1 << 32) + 1)),
    "signals.signal.MAX_TAKEN": lambda _: sg.constant(0.0).take((1 << 31) + 1),
    "signals.render._RATES": lambda folder: pl.render_audio(
        sg.constant(0.0), folder / "a.raw", seconds=1, rate=(1 << 24) + 1
    ),
    "canvas.draw._FASTEST_GIF": lambda folder: pl.animate(DISK, folder / "a.gif", 8, seconds=1, fps=51),
    "ir.parse.MAX_BLOCKS": lambda _: parse_nest(nested(4000)),
    "ir.terms.MAX_TERMS": lambda _: parse_expr("(" * 5000 + "1" + ")" * 5000),
    "ir.terms.MAX_DIGITS": lambda _: parse_expr("1" * 401),
    "loops.hops.writing.MAX_NODES": lambda _: write_expression(shared(17)),
    "cli.hops.queries.MAX_VISITS": lambda _: visited(),
    "rewriting.builder.MAX_DEPTH": lambda _: rewritten(),
    "backends.flow.running.ARENA": lambda _: compiled_root()(1, None),
    "driver.codes._MIN_ARENA": lambda _: compiled_root(1023),
    "backends.rows.positions._MAX_POSITION": lambda _: by_rows("v = (load m (+ x (* y 2147483648)))"),
    "backends.rows.tape.MAX_PARTS": lambda _: by_rows(
        *sums(*(f"v{k} = (load m (min.i64 (+ x {40 * k}) 3999))" for k in range(70)), of=70)
    ),
    "backends.rows.tape.MAX_KERNELS": lambda _: by_rows(
        "v0 = (load m x)", *(f"v{k} = (+ v{k - 1} v0)" for k in range(1, 402)), "v = (+ v401 v0)"
    ),
    "backends.rows.running.MAX_BYTES": lambda _: by_rows(
        *sums("v0 = (load m x)", *(f"v{k} = (+ v0 {k})" for k in range(1, 80)), of=80)
    ),
    "staging.session.MAX_WORK": lambda _: staged(lambda x: arms(x, 0, 1 << 16)),
    "staging.session.MAX_RESIDUES": lambda _: staged(lambda x: st.set_base(x, 1025, lambda i: i * 3)),
    "staging.points.MAX_STEPS": lambda _: staged(
        lambda x: st.loop(lambda n, a: n < 0, lambda n, a: (n + 1, a * x), 0, x)
    ),
    "staging.points.MAX_VARIANTS": lambda _: staged(variants),
    "staging.folding.MAX_SHIFT": lambda _: staged(lambda x: x << 4097),
    "staging.samples.MAX_SIZE": lambda _: staged(
        lambda m: st.load_sample(m, 0, (1 << 16) + 1), st.Memory("m")
    ),
    "staging.cogen.session._MAX_STEPS": lambda _: compiled(spinning),
    "staging.cogen.session._MAX_REGISTERS": lambda _: compiled(collecting),
    "staging.cogen.session._MAX_WALKED": lambda _: compiled(remembering, 2100),
    "staging.cogen.saving._MAX_BYTES": lambda folder: st.load_compiler(
        sparse(folder, "a.txt", (1 << 26) + 1)
    ),
    "staging.root.tables.MAX_WORDS": lambda _: lowered("staging.root.tables.MAX_WORDS", 4, table_as_code),
    "staging.cogen.generator._MAX_WORK": lambda _: lowered(
        "staging.cogen.generator._MAX_WORK", 10, lambda: compiled(choosing)
    ),
    "staging.cogen.generator._MAX_PATTERNS": lambda _: lowered(
        "staging.cogen.generator._MAX_PATTERNS", 1, lambda: compiled(choosing)
    ),
    "backends.tiles.machine.running.MAX_SLOTS": lambda _: lowered(
        "backends.tiles.machine.running.MAX_SLOTS", 5, by_tiles
    ),
    "backends.tiles.machine.kernels.MAX_KERNELS": lambda _: lowered(
        "backends.tiles.machine.kernels.MAX_KERNELS", 1, two_operators
    ),
    "driver.codes._LIMIT": lambda _: compiled_root()(1 << 63, None),
    "reasoning.printed.MAX_CHARACTERS": lambda _: printed_time(
        (If(apply("eq", shared(30), shared(30)), ()),)
    ),
    "staging.front.vectors._MAX_DEPTH": lambda _: compiled(spinning, within(302)),
    "staging.root.forms._MAX_DEPTH": lambda _: root("loop(k n) {\n" + "(" * 101 + ")" * 101 + "\n}"),
    "staging.root.primitives._MAX_SHIFT": lambda _: root("loop(k n) {\nm = (<< 1 n)\n(car k)(k m)\n}", 4097),
    "staging.root.primitives._MAX_BITS": lambda _: root(
        "loop(k n) {\nm = (* n n)\n(car k)(k m)\n}", 1 << 9000
    ),
    "staging.root.machine._MAX_STEPS": lambda _: root("loop(k n) {\nloop(k n)\n}", 1, most=1000),
}


def wide_picture(folder: Path) -> Path:
    """A picture file whose header tells of more pixels than are read."""
    import struct
    import zlib

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    path = folder / "wide.png"
    head = struct.pack(">IIBBBBB", 1 << 14, (1 << 13) + 1, 8, 0, 0, 0, 0)
    path.write_bytes(
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(b"")) + chunk(b"IEND", b"")
    )
    return path


def array_of_numpy(path: Path) -> object:
    """Read an array as the command line does."""
    from pellucid.cli.hops import queries

    return queries._input(str(path))


def told() -> object:
    """What is written of a picture of a thousand layers, and how many parts it names."""
    picture = DISK
    for _ in range(1000):
        picture = im.over(DISK, picture)
    text = repr(picture)
    return text.count("udisk") <= 400 and "…" in text


def told_deep() -> object:
    """Whether a picture of a hundred layers in one another is told without the deepest."""
    picture = DISK
    for _ in range(100):
        picture = im.over(picture, DISK)
    return "…" in repr(picture)


def many_cases() -> object:
    """Whether a loop whose unknown start has more cases than are told apart is right nevertheless."""
    from pellucid.staging import Memory, cyclic, load_sample, loop, specialize

    def total(memory: Memory, start: object, stop: object) -> object:
        return loop(lambda p, r: p >= stop, lambda p, r: (p + 13, r + load_sample(memory, p, 13)), start, 0)[
            1
        ]

    data = np.arange(1, 40, dtype=np.uint32) * np.uint32(0x9E3779B1)
    residual = specialize(total, Memory("m"), cyclic(1, "start"), cyclic(1, "stop"))
    return residual({"m": data}, start=3, stop=1000) == total(Memory("m", 32, data), 3, 1000)


def large_entry(folder: Path) -> object:
    """Whether an entry of the cache that is too large is no entry."""
    from pellucid.driver.cache import MAX_ENTRY, Cache

    cache = Cache(folder)
    cache.put("key", b"value")
    (entry,) = folder.glob("*.code")
    with entry.open("r+b") as file:
        file.truncate(MAX_ENTRY + 1)
    return Cache(folder).get("key") is None


def many_codes() -> bool:
    """Whether the code that was used longest ago goes."""
    codes = Codes()
    for key in [*range(MAX_CODES), 0, MAX_CODES]:
        codes.get(key, lambda key=key: f"code {key}")
    return len(codes) == MAX_CODES and codes.get(1, lambda: "made again") == "made again"


BEYOND: dict[str, Callable[[Path], object]] = {
    "images.expression_text.MAX_PARTS": lambda _: told(),
    "images.expression_text.MAX_DEPTH": lambda _: told_deep(),
    "driver.compiled.MAX_CODES": lambda _: many_codes(),
    "driver.cache.MAX_ENTRY": large_entry,
    "staging.points.MAX_CASES": lambda _: many_cases(),
}
"""Limits past which nothing is refused: whether what the page says holds."""
