"""Pictures as WebAssembly, run by Node: exact is the CPU's bits, relaxed is close, and what cannot be is refused."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest
from examples import gallery
from tests.webassembly import NODE, WebAssemblyBackend

import pellucid as pl
from pellucid import images as im
from pellucid.backends.conformance import backend_suite
from pellucid.backends.llvm import LlvmBackend
from pellucid.backends.llvm.function import Function
from pellucid.backends.port import layout
from pellucid.backends.wasm import ENTRY, ModuleAddresses, compiled, completed, machine, written
from pellucid.base.errors import BackendError, InputError
from pellucid.ir import expr as E
from pellucid.ir import nest as N
from pellucid.ir.nest import Kernel
from pellucid.ir.parse import parse_nest

DOZEN = (
    "swirled_checkerboard", "clock", "julia", "truchet", "logo", "contour_map", "circle_limit_rings", "lava",
    "mountains", "spheres", "bilerp", "sensor_mosaic",
)  # fmt: skip
SIZE = (96, 64)
DRAW = """
import fs from "node:fs";
const { open } = await import(process.argv[1]);
const picture = await open(), views = JSON.parse(process.argv[2]);
const told = views.map((view, k) => {
  try {
    fs.writeFileSync(`${process.argv[3]}/${k}.raw`, picture.render(view));
    return null;
  } catch (error) { return `${error.name}: ${error.message}`; }
});
console.log(JSON.stringify({ told, view: picture.view }));
"""


def run(script: str, *words: str) -> str:
    done = subprocess.run(
        [NODE, "--input-type=module", "-e", script, *words], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def drawn(module: Path, *views: dict) -> list[np.ndarray | str]:
    """The frames that Node draws of views, or the errors that it tells instead."""
    caller = module.with_suffix(".mjs").resolve().as_uri()
    found = json.loads(run(DRAW, caller, json.dumps(views), str(module.parent)))
    frames: list[np.ndarray | str] = []
    for k, (view, error) in enumerate(zip(views, found["told"], strict=True)):
        width, height = view.get("size", found["view"]["size"])
        raw = module.parent / f"{k}.raw"
        frames.append(error or np.fromfile(raw, np.uint8).reshape(height, width, 4))
    return frames


@pytest.mark.one_in(2)
@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "numerics"), [*((name, "exact") for name in DOZEN), *((name, "relaxed") for name in DOZEN[::3])]
)
def test_a_module_draws_the_pixels_of_the_cpu(tmp_path, name, numerics):
    picture = gallery.load(next(p for p in gallery.files() if p.stem == name))
    view = picture.view.replace(SIZE, zoom=picture.view.zoom * SIZE[0] / picture.view.size[0])
    pl.export(picture.picture, tmp_path / "a.wasm", view=view, numerics=numerics)
    (found,) = drawn(tmp_path / "a.wasm", {})
    off = np.abs(found.astype(int) - pl.render(picture.picture, view=view, numerics=numerics)).max(axis=2)
    if numerics == "exact":
        assert not off.any()
    else:
        assert (off > 1).sum() <= SIZE[0] * SIZE[1] / 1000


TWIST = pl.param("twist", 100.0, 20.0, 400.0)
SWIRL = im.swirl(TWIST, im.checkerboard(10, im.black, im.white))


@pytest.fixture
def swirl(tmp_path) -> Path:
    # The letters of an address stand for others there.
    path = tmp_path / "50% #'größe?.wasm"
    pl.export(SWIRL, path, SIZE, zoom=2.0, numerics="exact", params={"twist": 60.0})
    return path


def test_a_view_and_parameters_are_given_by_the_caller(swirl):
    odd = {"size": [61, 3], "center": [-3.3, 0.7], "zoom": 0.1, "params": {"twist": 33.3}}
    large = {"size": [1200, 900], "zoom": 7}
    frames = drawn(swirl, {}, odd, large, {})
    right = [
        pl.render(SWIRL, SIZE, zoom=2.0, numerics="exact", params={"twist": 60.0}),
        pl.render(SWIRL, (61, 3), zoom=0.1, center=(-3.3, 0.7), numerics="exact", params={"twist": 33.3}),
        pl.render(SWIRL, (1200, 900), zoom=7.0, numerics="exact", params={"twist": 60.0}),
    ]
    for found, expected in zip(frames, [*right, right[0]], strict=True):
        assert (found == expected).all()


def test_samples_and_time_are_those_of_the_cpu(tmp_path):
    moving = im.animation(
        lambda t: im.turn(t, im.over(im.fill("red", im.udisk), im.checkerboard(0.3, "white", "navy")))
    )
    pl.export(moving, tmp_path / "m.wasm", SIZE, zoom=20.0, samples=3, numerics="exact")
    (found,) = drawn(tmp_path / "m.wasm", {"time": 1.25})
    right = pl.render(moving, SIZE, zoom=20.0, samples=3, time=1.25, numerics="exact")
    assert (found == right).all()


def test_a_module_needs_nothing_from_outside(swirl):
    told = run(
        "import fs from 'node:fs'; const m = new WebAssembly.Module(fs.readFileSync(process.argv[1]));"
        "console.log(JSON.stringify([WebAssembly.Module.imports(m), WebAssembly.Module.exports(m)]))",
        str(swirl),
    )
    assert json.loads(told) == [
        [],
        [{"name": "memory", "kind": "memory"}, {"name": "draw", "kind": "function"}],
    ]


@pytest.mark.parametrize(
    ("view", "message"),
    [
        ({"zoom": 0}, "RangeError: zoom: 0 is not a number above 0"),
        ({"zoom": "2"}, "RangeError: zoom: 2 is not a number above 0"),
        ({"zoom": 1e-60}, "RangeError: scale: 1e+60 is not a number within "),
        ({"center": [1e30, 0]}, "RangeError: center_x: 1e+30 is not a number within "),
        ({"size": [0, 5]}, "RangeError: width: 0 is not a whole number within "),
        ({"size": [2.5, 5]}, "RangeError: width: 2.5 is not a whole number within "),
        ({"size": [1048576, 1048576]}, "RangeError: size: 1048576x1048576 is not a size in pixels"),
        ({"params": {"twist": 401}}, "RangeError: twist: 401 is not a number within 20 .. 400"),
        ({"params": {"twist": "60"}}, "RangeError: twist: 60 is not a number within 20 .. 400"),
        ({"params": {"twsit": 60}}, "RangeError: no parameter is called twsit; there are twist"),
        ({"zom": 2}, "RangeError: no word of a view is called zom; there are size, center, zoom, time, "),
        ({"samples": 2}, "RangeError: samples: 2, but the picture was exported for 1"),
    ],
)  # fmt: skip
def test_what_the_caller_gives_is_checked(swirl, view, message):
    (found,) = drawn(swirl, view)
    assert isinstance(found, str)
    assert found.startswith(message)


def called(folder: Path, module: bytes, places: ModuleAddresses, count: int) -> np.ndarray:
    """The words that a module stores, called by hand."""
    (folder / "m.wasm").write_bytes(module)
    script = """
      import fs from "node:fs";
      const [, path, count, params, buffers, sizes, out, to] = process.argv;
      const { exports } = new WebAssembly.Instance(new WebAssembly.Module(fs.readFileSync(path)));
      exports.memory.grow(1);
      new DataView(exports.memory.buffer).setBigInt64(Number(sizes), BigInt(count), true);
      exports.draw(Number(params), Number(buffers), Number(sizes), 0n, 0n);
      fs.writeFileSync(to, new Uint8Array(exports.memory.buffer, Number(out), 4 * count));"""
    words = (count, places.params, places.buffers, places.sizes, places.out)
    run(script, str(folder / "m.wasm"), *map(str, words), str(folder / "o.raw"))
    return np.fromfile(folder / "o.raw", np.uint32)


OWN_MEMORY = """
@table = private constant [4 x i32] [i32 7, i32 11, i32 13, i32 17]
define void @draw(ptr %params, ptr %buffers, ptr %sizes, i64 %begin, i64 %end) nounwind {
entry:
  %out = load ptr, ptr %buffers, align 8
  %count.x = load i64, ptr %sizes, align 8
  %count = trunc i64 %count.x to i32
  %stack = alloca [4 x i32], align 64
  br label %fill
fill:
  %k = phi i32 [ 0, %entry ], [ %k1, %fill ]
  %from = getelementptr i32, ptr @table, i32 %k
  %x = load volatile i32, ptr %from
  %to = getelementptr i32, ptr %stack, i32 %k
  store volatile i32 %x, ptr %to
  %k1 = add i32 %k, 1
  %full = icmp eq i32 %k1, 4
  br i1 %full, label %loop, label %fill
loop:
  %i = phi i32 [ 0, %fill ], [ %i1, %loop ]
  %rest = and i32 %i, 3
  %at = getelementptr i32, ptr %stack, i32 %rest
  %value = load volatile i32, ptr %at
  %where = getelementptr i32, ptr %out, i32 %i
  store i32 %value, ptr %where
  %i1 = add i32 %i, 1
  %last = icmp eq i32 %i1, %count
  br i1 %last, label %done, label %loop
done:
  ret void
}
"""


def test_constants_and_the_stack_have_their_memory(tmp_path):
    kernel = parse_nest("kernel k():\n  output o: u32[8]\n  for i in 0 .. 8:\n    o[i] := 1:u32\n")
    sections, places = completed(compiled(OWN_MEMORY, exact=True), layout(kernel, {}), ENTRY)
    # Both are asked for: data, and a global that is the stack's end.
    assert {6, 11} <= sections.keys()
    assert called(tmp_path, written(sections, b""), places, 8).tolist() == [7, 11, 13, 17] * 2


# ---- fused operations ----


FUSED = """
kernel fused():
  output out: f32[4096]
  input x: f32[4096]
  input y: f32[4096]
  input z: f32[4096]
  for i in 0 .. 4096{how}:
    out[i] := fma(x[i], y[i], z[i])
"""


def with_data(kernel: Kernel, data: dict[str, np.ndarray]) -> Kernel:
    """The kernel with data for its inputs."""

    def loaded(roots: list[E.Expr]) -> tuple[E.Expr, ...]:
        done: dict[E.Expr, E.Expr] = {}
        for n in E.topological(roots):
            args = tuple(done[a] for a in n.args)
            if n.op == "load":
                buffer = E.Buffer(n.attr.name, n.attr.type, n.attr.size, data[n.attr.name])
                done[n] = E.load(bound.setdefault(n.attr.name, buffer), *args)
            else:
                done[n] = E.rebuild(n, args)
        return tuple(done[r] for r in roots)

    bound: dict[str, E.Buffer] = {}
    return Kernel(kernel.name, kernel.params, kernel.outputs, N.rewrite(kernel.body, loaded))


def hard_numbers() -> dict[str, np.ndarray]:
    """Operands of all sizes and signs, with sums that nearly cancel and ties in the last digit."""
    draw = np.random.default_rng(7)
    x, y, z = draw.integers(0, 1 << 32, (3, 4096), dtype=np.uint32).view(np.float32)
    # Products near to z, and halves of its last digit.
    x[:1024], y[:1024] = draw.uniform(1, 2, (2, 1024))
    z[:1024] = -(x[:1024] * y[:1024]) * draw.choice([1, 1 + 2**-23, 2**24, 2**-24, 2**25], 1024)
    x[1024:1536] = draw.integers(1, 1 << 12, 512)
    y[1024:1536] = np.float32(0.5) ** draw.integers(0, 30, 512)
    z[1024:1536] = draw.integers(1, 1 << 24, 512)
    x[1536:1544] = [np.inf, -np.inf, 0, -0.0, 1e-45, 3e38, -3e38, 0]
    return {"x": x, "y": y, "z": z}


@pytest.mark.parametrize("how", ["", " by 4 lanes"])
def test_a_fused_operation_is_rounded_once(tmp_path, how):
    data = hard_numbers()
    kernel = with_data(parse_nest(FUSED.replace("{how}", how)), data)
    plan = layout(kernel, {})
    text = Function(plan, plan.phases[0], {}, machine(), ENTRY).text()
    sections, places = completed(compiled(text, exact=True), plan, ENTRY)
    (tmp_path / "m.wasm").write_bytes(written(sections, b""))
    found = called(tmp_path, written(sections, b""), places, 4096).view(np.float32)
    memory = {kernel.outputs[0]: np.zeros(4096, np.float32)}
    LlvmBackend().compile(kernel, {}).run({}, memory)
    (right,) = memory.values()
    numbers = ~np.isnan(right)
    assert (np.isnan(found) == ~numbers).all()
    assert (found.view(np.uint32) == right.view(np.uint32))[numbers].all()
    with np.errstate(all="ignore"):
        twice = data["x"] * data["y"] + data["z"]
    assert (twice != right)[numbers].sum() > 100


# ---- what is refused ----


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"precision": "f64"}, r"precision: a module has only f32, not 'f64'; leave it out"),
        ({"numerics": "fast"}, r"'fast'"),
        ({"zoom": -1.0}, r"zoom"),
        ({"params": {"twsit": 1.0}}, r"twsit"),
    ],
)
def test_what_cannot_be_exported_is_refused(tmp_path, arguments, message):
    with pytest.raises(InputError, match=message):
        pl.export(SWIRL, tmp_path / "a.wasm", **arguments)
    assert not [*tmp_path.iterdir()]


def test_a_function_that_webassembly_has_not_is_refused():
    kernel = parse_nest(
        "kernel k():\n  output o: f64[8]\n  for i in 0 .. 8:\n    o[i] := fma(o[i], o[i], o[i])\n"
    )
    plan = layout(kernel, {})
    text = Function(plan, plan.phases[0], {}, machine(), ENTRY).text()
    with pytest.raises(BackendError, match=r"wasm: needs fma, which WebAssembly has not; compute in f32"):
        completed(compiled(text, exact=True), plan, ENTRY)


def test_several_phases_are_refused():
    kernel = parse_nest(
        "kernel k():\n  output o: f32[8]\n  output p: f32[8]\n  for i in 0 .. 8:\n    o[i] := 1.0\n    p[i] := 2.0\n"
    )
    plan = layout(kernel, {})
    with pytest.raises(BackendError, match=r"k: a module has one phase, one output and no scratch memory"):
        completed(b"", plan, ENTRY)


REFUSED = {
    "row fma": "needs fma",  # of f64, or of vectors that pictures have not
    "program turns as long as the data ask for": "needs __indirect_function_table",  # it asks Python whether to go on
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("title", "check"),
    [pytest.param(*c, id=c[0]) for c in backend_suite(WebAssemblyBackend, widths=(1, 4, 16))],
)
def test_the_common_suite_passes(title, check):
    if title in REFUSED:
        with pytest.raises(BackendError, match=REFUSED[title]):
            check()
    else:
        check()
