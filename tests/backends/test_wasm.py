"""Pictures as WebAssembly, run by Node: exact is the CPU's bits, relaxed is close, and what cannot be is refused."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from examples import gallery
from hypothesis import given, settings
from tests.diff.programs import Program, joined, programs
from tests.turns import NIGHTLY, pictures_by_turns
from tests.webassembly import WebAssemblyBackend, called, run

import pellucid as pl
from pellucid import images as im
from pellucid.backends.conformance import backend_suite, same_bits
from pellucid.backends.port import layout
from pellucid.backends.wasm import ENTRY, compiled, completed, written
from pellucid.base.errors import BackendError, InputError
from pellucid.ir import interp
from pellucid.ir.parse import parse_nest

DOZEN = (
    "swirled_checkerboard", "clock", "julia", "truchet", "logo", "contour_map", "circle_limit_rings", "lava",
    "mountains", "spheres", "bilerp", "sensor_mosaic",
)  # fmt: skip
SIZE = (96, 64)
STEEP = ("munching_squares",)
"""Pictures of whose pixels many turn on the last bit of a number, or of a color that is not yet one of 256."""
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


@pytest.mark.one_in(2)
@pytest.mark.slow
@pictures_by_turns([p for p in gallery.files() if NIGHTLY or sum(p.stem.encode()) // 4 % 6 == 1], 2)
def test_a_module_of_the_gallery_draws_the_pixels_of_the_cpu(tmp_path, path, numerics, precision):
    shown = gallery.load(path)
    view = shown.view.replace(SIZE, zoom=shown.view.zoom * SIZE[0] / shown.view.size[0])
    pl.export(shown.picture, tmp_path / "a.wasm", view=view, numerics=numerics, precision=precision)
    (found,) = drawn(tmp_path / "a.wasm", {})
    right = pl.render(shown.picture, view=view, numerics=numerics, precision=precision)
    off = np.abs(found.astype(int) - right).max(axis=2)
    if numerics == "exact":
        assert not off.any()
    elif path.stem not in STEEP:
        assert (off > 1).sum() <= SIZE[0] * SIZE[1] / 400


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


INTO = """
const { open } = await import(process.argv[1]);
const picture = await open(), into = new Uint8ClampedArray(4 * 96 * 64);
const same = picture.render({}, into) === into, alone = picture.render();
let told = null;
try { picture.render({ size: [96, 65] }, into); } catch (error) { told = `${error.name}: ${error.message}`; }
console.log(JSON.stringify([same, into.every((v, k) => v === alone[k]), into.some((v) => v), told]));
"""


def test_an_array_is_given_for_the_pixels(swirl):
    told = json.loads(run(INTO, swirl.with_suffix(".mjs").resolve().as_uri()))
    assert told == [True, True, True, "RangeError: into: 24576 bytes, but the view has 24960"]


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


def test_constants_and_the_stack_have_their_memory():
    kernel = parse_nest("kernel k():\n  output o: u32[8]\n  for i in 0 .. 8:\n    o[i] := 1:u32\n")
    sections, places = completed(compiled(OWN_MEMORY, exact=True), layout(kernel, {}), ENTRY)
    # Both are asked for: data, and a global that is the stack's end.
    assert {6, 11} <= sections.keys()
    assert called(written(sections, b""), places, 8, np.uint32).tolist() == [7, 11, 13, 17] * 2


# ---- what is refused ----


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"precision": "f16"}, r"precision: 'f16' is not known"),
        ({"numerics": "fast"}, r"'fast'"),
        ({"zoom": -1.0}, r"zoom"),
        ({"params": {"twsit": 1.0}}, r"twsit"),
    ],
)
def test_what_cannot_be_exported_is_refused(tmp_path, arguments, message):
    with pytest.raises(InputError, match=message):
        pl.export(SWIRL, tmp_path / "a.wasm", **arguments)
    assert not [*tmp_path.iterdir()]


ELSEWHERE = """
declare float @sine(float)
define void @draw(ptr %params, ptr %buffers, ptr %sizes, i64 %begin, i64 %end) nounwind {
  %out = load ptr, ptr %buffers, align 8
  %x = call float @sine(float 1.0)
  store float %x, ptr %out
  ret void
}
"""


def test_a_function_that_webassembly_has_not_is_refused():
    kernel = parse_nest("kernel k():\n  output o: f32[8]\n  for i in 0 .. 8:\n    o[i] := 1.0\n")
    with pytest.raises(
        BackendError, match=r"wasm: needs sine, which WebAssembly has not; export a shader, PTX"
    ):
        completed(compiled(ELSEWHERE, exact=True), layout(kernel, {}), ENTRY)


def test_several_phases_are_refused():
    kernel = parse_nest(
        "kernel k():\n  output o: f32[8]\n  output p: f32[8]\n  for i in 0 .. 8:\n    o[i] := 1.0\n    p[i] := 2.0\n"
    )
    plan = layout(kernel, {})
    with pytest.raises(BackendError, match=r"k: a module has one phase, one output and no scratch memory"):
        completed(b"", plan, ENTRY)


REFUSED = {
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


@settings(max_examples=40 if NIGHTLY else 3, deadline=None)
@given(programs(count=8))
def check_programs(parts: list[Program]) -> None:
    kernel, arguments, memory = joined(parts)
    expected, found = ({b: m.copy() for b, m in memory.items()} for _ in range(2))
    interp.run(kernel, arguments, expected)
    WebAssemblyBackend().compile(kernel, {}).run(arguments, found)
    for b in kernel.outputs:
        assert same_bits(expected[b], found[b]), b.name


@pytest.mark.slow
def test_random_programs_compute_what_the_interpreter_does():
    check_programs()
