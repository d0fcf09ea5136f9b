"""The driver: the script of the optimizer, kernels and their variants, reports, options."""

import gc
import json
import math

import numpy as np
import pytest

import pellucid as pl
from pellucid import images as im
from pellucid.base.errors import InputError, VocabularyError
from pellucid.driver import Kernel, Options, forget
from pellucid.driver.frame import FrameVariant, build
from pellucid.driver.lending import make_backend
from pellucid.driver.pipeline import optimize, script
from pellucid.ir import nest as N
from pellucid.ir import types as T
from pellucid.ir.parse import parse_nest
from pellucid.ir.text import print_nest
from pellucid.loops.core.ledger import Step
from pellucid.reasoning.prove import Proved

SWIRL = im.swirl(100, im.checkerboard(10, im.black, im.white))
PICTURES = {
    "swirl": SWIRL,
    "region": im.image(lambda p: p.r < 1),
    "mandelbrot": im.image(
        lambda p: (
            pl.iterate(
                lambda s: (s[0] * s[0] + pl.Complex(p.x, p.y), s[1] + 1),
                (pl.Complex(0.0, 0.0), 0),
                until=lambda s: s[0].abs2 > 4,
                limit=30,
            )[1]
            / 30
        )
    ),
    "bitmap": im.turn(0.3, im.bitmap(np.arange(48, dtype=np.uint8).reshape(4, 4, 3) * 5)),
    "translucent": im.fade(0.5, im.crop(im.disk(0.7), im.const(im.red))),
}


@pytest.mark.parametrize("name", PICTURES)
@pytest.mark.parametrize("numerics", ["exact", "relaxed"])
def test_every_node_is_verified_and_every_proof_holds_again(name, numerics, monkeypatch):
    monkeypatch.setenv("PELLUCID_CHECK", "2")
    frame = build(PICTURES[name], T.f32)
    best = optimize(frame.kernel, frame.ranges, Options(numerics), 16)
    assert all(isinstance(s.verdict, Proved) for s in best.ledger.steps)
    assert list(best.stages) == ["inlined", *(n for n, _ in script(Options(numerics), 16))]


@pytest.mark.parametrize("name", PICTURES)
def test_what_is_placed_is_what_was_vectorized(name):
    frame = build(PICTURES[name], T.f32)
    stages = optimize(frame.kernel, frame.ranges, Options(), 16).stages
    assert N.same(N.erase(stages["placed"].body), stages["vectorized"].body)


@pytest.mark.parametrize("name", PICTURES)
def test_the_text_of_every_stage_reads_back(name):
    frame = build(PICTURES[name], T.f32)
    for kernel in optimize(frame.kernel, frame.ranges, Options(), 16).stages.values():
        memory = {b.name: b for b in (*kernel.outputs, *N.inputs(kernel))}
        memory |= {b.name: b for b in N.scratch(kernel.body)}
        again = parse_nest(print_nest(kernel), memory)
        assert N.same(again.body, kernel.body)


@pytest.mark.parametrize("name", PICTURES)
@pytest.mark.parametrize("precision", ["f32", "f64"])
def test_back_ends_draw_the_same_bytes(name, precision):
    for numerics in ("exact", "relaxed"):
        drawn = [
            Kernel(PICTURES[name], Options(numerics, precision, b)).render(
                (19, 11), zoom=5, center=(0.1, 0.2)
            )
            for b in ("numpy", "llvm", "c")
        ]
        np.testing.assert_array_equal(drawn[0], drawn[1])
        np.testing.assert_array_equal(drawn[0], drawn[2])


def test_the_report_is_a_page_and_data():
    report = pl.explain(SWIRL)
    assert next(iter(report.stages)) == "inlined"
    assert "for j" in report.stages["placed"]
    page = str(report)
    assert "Ledger" in page
    assert "move_code" in page
    assert "cost" in page
    data = json.loads(report.json())
    assert data["ledger"][-1]["move"] == "place"
    assert report.markdown().count("```") % 2 == 0
    assert report.ledger.steps


@pytest.mark.parametrize(
    ("option", "word", "hint"),
    [("numerics", "exakt", "exact"), ("precision", "half", "f32"), ("backend", "lvm", "llvm")],
)
def test_unknown_options_are_refused(option, word, hint):
    with pytest.raises(InputError, match=hint):
        pl.compile(SWIRL, **{option: word})


def test_a_sample_of_three_numbers_is_refused():
    class Three:
        time_varying = False

        def sample(self, time, point):
            return point.x, point.y, 1.0

    with pytest.raises(VocabularyError, match="3 numbers"):
        pl.compile(Three())


def test_equal_programs_share_their_code():
    forget()
    first = Kernel(im.move((1, 2), SWIRL), Options())
    second = Kernel(im.move((1, 2), im.swirl(100, im.checkerboard(10, im.black, im.white))), Options())
    assert first.code(FrameVariant()) is second.code(FrameVariant())


def test_parameters_stay_arguments():
    radius = pl.param("radius", 0.5, 0, 1)
    kernel = pl.compile(im.image(lambda p: p.r < radius))
    counts = [
        int((kernel.render((64, 64), zoom=32, params={"radius": r})[..., 0] > 0).sum())
        for r in (0.25, 0.5, 1)
    ]
    for count, r in zip(counts, (0.25, 0.5, 1), strict=True):
        assert count == pytest.approx(math.pi * r * r * 32 * 32, rel=0.05)
    assert len(kernel._versions) == 1
    for bad, words in (
        ({"radius": 2.0}, "0.0 .. 1.0"),
        ({"radius": math.nan}, "nan"),
        ({"radios": 0.5}, "radius"),
    ):
        with pytest.raises(InputError, match=words):
            kernel.render((4, 4), params=bad)


def test_straight_and_premultiplied_alpha():
    kernel = pl.compile(im.fade(0.5, im.const(im.red)))
    assert tuple(kernel.render((1, 1))[0, 0]) == (255, 0, 0, 128)
    assert tuple(kernel.premultiplied((1, 1))[0, 0]) == (128, 0, 0, 128)


def test_the_back_ends_of_a_process_are_made_once():
    assert make_backend("llvm") is make_backend("llvm")


def test_what_a_compilation_made_is_gone_without_a_search_for_cycles():
    gc.disable()
    # What there was before is not asked about, and to look at all of it takes long.
    gc.freeze()
    try:
        pl.convert(bytes(80), "raw10", "rgb24", (16, 4))
        pl.explain(im.swirl(77, SWIRL))
        gc.set_debug(gc.DEBUG_SAVEALL)
        gc.collect()
        found = {type(x) for x in gc.garbage}
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.enable()
    assert not found & {N.Kernel, N.Store, Step}
