"""The nest of a conversion, written by its plan: samples decoded, changed in depth or color, and encoded.

Between `decode` and `encode`, and `canvas`, whose `convert` runs the code. Everything that is kept on the way is a
stage, which the move `compute_at` brings to the block that wants it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ..backends.port import Code
from ..base.deep_stack import with_deep_stack
from ..base.gc_pause import gc_paused
from ..driver.compiled import codes
from ..driver.compiled import kept as kept_code
from ..driver.frame import Colors, Frame, color_of
from ..driver.kernel import optimized
from ..driver.lending import make_backend
from ..driver.options import Options
from ..driver.pipeline import Optimized
from ..ir import types as T
from ..ir.expr import Expr, apply, const
from ..ir.nest import Block, Kernel
from ..ir.prim import version
from ..loops.analysis.lookups import NUMBER
from ..loops.core.elements import index_facts
from ..loops.core.ledger import Ledger
from ..loops.report import Report
from ..pixels import Channel, Layout, layout_of
from ..tracing import Value, tracing
from ..tracing.transfer import from_linear, to_linear
from . import color_model
from .access import PlaneMemory, least_type
from .color_model import Components
from .curves import Curves
from .decode import Decoder
from .encode import Encoder, finished, kept, straight
from .lines import Lines
from .plan import Conversion, ConversionPlan, plan_of
from .rows import Rows
from .scratch import Stage, scheduled
from .tables import Tables

Bits = Callable[[Expr, Expr], Expr]
"""The bits of a sample, by the column and the row of its first pixel."""


def code_between(asked: Conversion, options: Options) -> Code:
    """The code of a conversion, from memory or from files if it was compiled before."""

    def words() -> str:
        given, planes = (" ".join(str(b.type) for b in buffers) for buffers in (asked.given, asked.planes))
        width, height = asked.size
        return f"convert {asked.source!r} as {given} to {asked.target!r} as {planes}, {width} x {height}"

    def make() -> Code:
        backend = make_backend(options.backend)
        buffers = (*asked.planes, *asked.given)

        def best() -> Optimized:
            return optimized(nest_between(asked, options), options, backend)

        with gc_paused():
            return with_deep_stack(lambda: kept_code(words, buffers, options, backend, best))

    return codes.get((asked, options, version()), make)


def nest_between(asked: Conversion, options: Options) -> Frame:
    """The nest of a conversion, in which every stage is computed at the block that wants it."""
    plan = plan_of(layout_of(asked.source), layout_of(asked.target), asked, options.real)
    return frame_of(scheduled(staged_nest(plan, options.real)).kernel)


def frame_of(kernel: Kernel) -> Frame:
    """The frame of a nest that depends on no view, time or parameter."""
    return Frame(kernel, index_facts(kernel, {}), {}, time_varying=False)


def staged_nest(plan: ConversionPlan, real: T.Type) -> Kernel:
    """The nest that a plan asks for, in which every stage is a loop of its own."""
    with tracing(real):
        return Kernel("packed", (), plan.conversion.planes, _written(plan))


def explained(planned: ConversionPlan, options: Options) -> Report:
    """The report of a conversion: its plan, the program with every stage by itself and afterwards, and the ledger."""

    def work() -> Report:
        plan = plan_of(planned.source, planned.target, planned.conversion, options.real)
        staged = staged_nest(plan, options.real)
        state = scheduled(staged)
        state.ledger.mark("inlined", 0)
        frame = frame_of(state.kernel)
        best = optimized(frame, options, make_backend(options.backend))
        ledger = Ledger([*state.ledger.steps, *best.ledger.steps])
        title = f"{plan.source} to {plan.target}, explained"
        return Report({"staged": staged, **best.stages}, ledger, frame.ranges, str(plan), title)

    return with_deep_stack(work)


def _written(plan: ConversionPlan) -> Block:
    source, target, size, tall = plan.source, plan.target, plan.blocks.size, plan.blocks.down
    memories = [
        PlaneMemory(b, 0, 8 * p.row_bytes(size[0]) // b.type.bits)
        for b, p in zip(plan.conversion.given, source.planes, strict=True)
    ]
    rows = Rows(source, size, tall, "read", memories) if plan.samples == "rows" else None
    lines = Lines(source, memories, size, tall) if plan.samples == "lines" else None
    stages: list[Stage] = [stage for stage in (rows, lines) if stage is not None]
    once: list[Stage] = []
    copied: dict[str, Bits] = {}
    facts = plan.blocks.facts()
    decoder = Decoder(
        source, memories, size, not plan.curve, plan.in_ycbcr, rows=rows, lines=lines, facts=facts
    )
    match plan.colors:
        case "sums":
            colors, copied, once = _of_sums(plan, decoder)
        case "entries":
            colors, copied, once = _of_entries(plan, decoder)
        case "numbers":
            curves, colors = _of_numbers(plan, decoder, size, tall, plan.numbers)
            stages.append(curves)
        case _:
            copied = {name: functools.partial(_recoded, target, decoder, name) for name in plan.copied}
            colors = functools.partial(_color, plan, decoder)

    packed = Rows(target, size, tall, "written") if plan.packed else None
    encoder = Encoder(
        target, plan.conversion.planes, plan.blocks, colors, plan.in_ycbcr, copied, packed, facts
    )
    return encoder.nest(stages, once)


def _color(plan: ConversionPlan, decoder: Decoder, column: Expr, row: Expr) -> Components:
    """The color of a pixel as the target keeps it."""
    return kept(plan.target, color_of(decoder(column, row)), linear=plan.curve == "encoder")


def _of_numbers(
    plan: ConversionPlan, decoder: Decoder, size: tuple[int, int], tall: int, wide: int
) -> tuple[Curves, Colors]:
    """The stage of numbers that have a curve, and colors that are made of them."""
    target, decodes = plan.target, plan.curve == "decoder"

    def numbers(column: Expr, row: Expr) -> tuple[Any, ...]:
        if decodes:
            return decoder.components(column, row)[:3]
        return straight(target, color_of(decoder(column, row)), linear=True)[:3]

    def color(column: Expr, row: Expr) -> Components:
        curved = *curves(column, row), decoder.alpha(column, row)
        if decodes:
            return kept(target, color_of(decoder.color(*curved)), linear=False)
        return finished(target, curved, linear=True)

    curve = from_linear if decodes else to_linear
    gray = decoder.layout.model in ("gray", "alpha")
    if target.model == "mosaic" and not decoder.by_entry:
        site = functools.partial(color_model.site, target)
        curves = Curves(size, tall, wide, curve, numbers, many=1, site=site)
    else:
        curves = Curves(size, tall, wide, curve, numbers, many=1 if gray else 3)
    return curves, color


def _of_entries(plan: ConversionPlan, decoder: Decoder) -> tuple[Colors, dict[str, Bits], list[Stage]]:
    """Colors and bits that are looked up by the entry of a palette, of which each has its curve once."""
    target, count = plan.target, 1 << decoder.layout["I"].bits
    curves, of_entry = _of_numbers(plan, replace(decoder, by_entry=True), (count, 1), 1, 1)
    tables, made = Tables(count, known=False), of_entry(NUMBER, const(0, T.i32))
    varying = {k: x.expr for k, x in enumerate(made) if isinstance(x, Value) and x.expr.free}

    def color(column: Expr, row: Expr) -> Components:
        found = dict(zip(varying, tables((*varying.values(),), decoder.index(column, row)), strict=True))
        r, g, b, a = (Value(found[k]) if k in found else x for k, x in enumerate(made))
        return r, g, b, a

    def bits(channel: Channel, column: Expr, row: Expr) -> Expr:
        r, g, b, a = made
        if target.model == "mosaic":
            r = made[color_model.site_of(target, column, row)]
        value = color_model.stored(target, (r, g, b, a), channel.name)[channel.name]
        return _looked_up(tables, channel, value, decoder.index(column, row))

    # What is a mean of pixels is made of colors.
    alone = [c for c in target.channels if c.across == c.down == 1]
    return color, {c.name: functools.partial(bits, c) for c in alone}, [curves, tables]


def _of_sums(plan: ConversionPlan, decoder: Decoder) -> tuple[Colors, dict[str, Bits], list[Stage]]:
    """Colors, and bits that are of one color, that are looked up by a sum of samples of a mosaic."""
    target, tables, number = plan.target, Tables(color_model.added(decoder.layout)), Value(NUMBER)
    of_sum = color_of(decoder.of_sums(number, number, number))
    light, *_, alpha = kept(target, of_sum, linear=plan.curve == "encoder")
    sums = functools.cache(decoder.sums)

    def color(column: Expr, row: Expr) -> Components:
        r, g, b = (Value(tables((light.expr,), total.expr)[0]) for total in sums(column, row))
        return r, g, b, alpha

    def bits(channel: Channel, column: Expr, row: Expr) -> Expr:
        value = color_model.stored(target, (light, light, light, alpha), channel.name)[channel.name]
        if channel.name == "A":
            return value
        at = (
            color_model.site_of(target, column, row)
            if target.model == "mosaic"
            else "RGB".index(channel.name)
        )
        return _looked_up(tables, channel, value, sums(column, row)[at].expr)

    alone = target.channels if target.model in ("rgb", "mosaic") else ()
    return color, {c.name: functools.partial(bits, c) for c in alone}, [tables]


def _looked_up(tables: Tables, channel: Channel, value: Expr, number: Expr) -> Expr:
    """Bits that are made of any number, for one that is given: from a table of the least words that hold them."""
    if not value.free:
        return value
    least = apply("convert", value, attr=least_type(channel.bits))
    return apply("convert", tables((least,), number)[0], attr=value.type)


def _recoded(target: Layout, decoder: Decoder, name: str, column: Expr, row: Expr) -> Expr:
    """The bits of a sample that is one of the source, or none of it."""
    given = color_model.origin(decoder.layout, name)
    sample = None if given is None else decoder.sample(given, column, row)
    return color_model.recoded(decoder.layout, target, name, sample)
