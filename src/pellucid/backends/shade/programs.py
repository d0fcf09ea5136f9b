"""Whole shaders around the statements of a kernel: a fragment shader of WebGL2, one for Shadertoy, a compute shader.

The loops over pixels are those of the device; what a host sets by name is listed in `Shader`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from ...base.errors import BackendError
from ...base.record import record
from ...ir import expr as E
from ...ir import types as T
from ...ir.expr import Buffer, Expr
from ...ir.nest import Kernel
from ..port import Ranges
from .spelling import GLSL, WGSL, literal
from .writer import PixelWriter

MAX_TEXELS = 4096 * 4096
"""Elements of a buffer in a texture: every GPU of the last ten years has textures of 4096 by 4096."""
MAX_TEXTURES = 16
"""Textures of a fragment shader: as many as every WebGL2 has."""
MAX_WORDS = 1 << 25
"""Words of the data of a compute shader: every WebGPU has buffers of 128 MiB."""
MAX_TABLE = 4096
"""Elements of all tables that a shader for Shadertoy writes out, which has no buffers of its own."""
_SAMPLERS = {T.f32: "sampler2D", T.i32: "isampler2D", T.u32: "usampler2D"}
_UNPACKED = "vec4(uvec4(word, word >> 8, word >> 16, word >> 24) & 255u) / 255.0"


@record(slots=False)
class Pixel:
    """The indices of the loops over pixels, and the parameters that are the size of a frame."""

    column: Expr
    row: Expr
    width: Expr
    height: Expr


@record(slots=False)
class Shader:
    """The text of a shader, and what its host must set: uniforms by parameter, and buffers by name.

    Buffers of a fragment shader are textures of one channel, `row_length` elements in a row. `size` are the params that
    are the width and the height of a frame.
    """

    text: str
    params: Mapping[str, Expr]
    buffers: Mapping[str, Buffer]
    size: tuple[Expr, Expr]


def fragment(kernel: Kernel, ranges: Ranges, pixel: Pixel) -> Shader:
    """The fragment shader of WebGL2 that draws a pixel of a placed nest, row 0 on top.

    Its uniforms are the kernel's parameters, and `zero`, which must be 0. Raises BackendError for what GLSL ES 3.00
    cannot express.
    """
    writer = PixelWriter(kernel, GLSL, ranges, {pixel.column: "column", pixel.row: "row"})
    _check_textures(writer)
    lines = ["#version 300 es", "precision highp float;", "precision highp int;"]
    lines += [f"uniform {GLSL.word(p.type, name)} {name};" for p, name in writer.params.items()]
    lines += [f"uniform highp {_sampler(b)} {name};" for b, name in writer.buffers.items()]
    lines += ["uniform uint zero;", "out vec4 color;", *writer.helpers, "void main() {"]
    height = writer.params[pixel.height]
    lines += [f"  int column = int(gl_FragCoord.x), row = {height} - 1 - int(gl_FragCoord.y);", *writer.lines]
    return _shader([*lines, f"  color = {_UNPACKED};", "}"], writer, pixel)


def _sampler(buffer: Buffer) -> str:
    return _SAMPLERS.get(buffer.type, "usampler2D")


def _check_textures(writer: PixelWriter) -> None:
    if len(writer.buffers) > MAX_TEXTURES:
        raise BackendError(
            f"its bitmaps and tables are {len(writer.buffers)} buffers, and WebGL2 has {MAX_TEXTURES} textures",
            place="load",
            fix="use fewer bitmaps",
        )
    for buffer in writer.buffers:
        if buffer.size > MAX_TEXELS:
            raise BackendError(
                f"{buffer.name!r} has {buffer.size} elements, and a texture at most {MAX_TEXELS}",
                place="load",
                fix="make the bitmap smaller",
            )


def _shader(lines: list[str], writer: PixelWriter, pixel: Pixel) -> Shader:
    params = {name: p for p, name in writer.params.items()}
    buffers = {name: b for b, name in writer.buffers.items()}
    return Shader("\n".join([*lines, ""]), params, buffers, (pixel.width, pixel.height))


def shadertoy(
    kernel: Kernel, ranges: Ranges, pixel: Pixel, given: Mapping[str, str], own: Mapping[str, float]
) -> Shader:
    """The function `mainImage` of Shadertoy that draws a placed nest.

    `given` has expressions for the parameters of the view, by name, and `own` the values of the picture's.
    These are constants, or uniforms where the host defines PARAMETERS. Raises BackendError for what GLSL ES 3.00
    cannot express, and for large tables and bitmaps.
    """
    writer = PixelWriter(kernel, GLSL, ranges, {pixel.column: "column", pixel.row: "row"}, arrays=True)
    size = sum(b.size for b in writer.buffers)
    if size > MAX_TABLE:
        raise BackendError(
            f"its bitmaps and tables have {size} elements, and a shader for Shadertoy has room for {MAX_TABLE}",
            place="load",
            fix="export a page (.html), which holds them",
        )
    names = {p: name for p, name in writer.params.items() if p.attr in own}
    lines: list[str] = []
    if names:
        values = {p: literal(E.const(own[p.attr], p.type), GLSL).text for p in names}
        lines += ["#ifdef PARAMETERS", *(f"uniform float {name};" for name in names.values()), "#else"]
        lines += [f"const float {name} = {values[p]};" for p, name in names.items()]
        lines.append("#endif")
    lines += [_table(b, name) for b, name in writer.buffers.items()]
    lines += [*writer.helpers, "void mainImage(out vec4 color, in vec2 place) {"]
    lines.append("  uint zero = uint(min(iFrame, 0));")
    for p, name in writer.params.items():
        if p not in names:
            lines.append(f"  {GLSL.word(p.type, name)} {name} = {given[p.attr]};")
    lines.append(f"  int column = int(place.x), row = {writer.params[pixel.height]} - 1 - int(place.y);")
    return _shader([*lines, *writer.lines, f"  color = {_UNPACKED};", "}"], writer, pixel)


def _table(buffer: Buffer, name: str) -> str:
    """A buffer as a constant array; infinities and NaN are written by their bits."""
    word = {T.f32: "float", T.i32: "int"}.get(buffer.type, "uint")
    type_ = buffer.type if buffer.type in GLSL.words else T.u32
    values: list[float] = np.asarray(buffer.data).reshape(-1).tolist()
    # Outside of functions nothing but constants may stand, so not the uniform `zero` of `literal`.
    texts = ", ".join(
        literal(E.const(v, type_), GLSL).text
        if math.isfinite(v)
        else f"uintBitsToFloat({np.float32(v).view(np.uint32)}u)"
        for v in values
    )
    return f"const {word} {name}[{buffer.size}] = {word}[{buffer.size}]({texts});"


def compute(kernel: Kernel, ranges: Ranges, pixel: Pixel) -> Shader:
    """The compute shader in WGSL that draws a placed nest: `main` runs in workgroups of 8 by 8 pixels.

    Group 0 has at binding 0 the uniforms, the kernel's parameters in order and then `zero`, which must be 0; at
    binding 1 the pixels, a word each, red in the low byte; at binding 2 all buffers, as `offsets` packs them. Raises
    BackendError for what WGSL cannot express.
    """
    writer = PixelWriter(kernel, WGSL, ranges, {pixel.column: "column", pixel.row: "row"}, prefix="view.")
    words = sum(-(-b.size * b.type.bits // 32) for b in writer.buffers)
    if words > MAX_WORDS:
        raise BackendError(
            f"its bitmaps and tables have {words} words, and a buffer of WebGPU at most {MAX_WORDS}",
            place="load",
            fix="make the bitmaps smaller",
        )
    lines = ["struct View {"]
    lines += [f"  {name}: {WGSL.word(p.type, name)}," for p, name in writer.params.items()]
    lines += ["  zero: u32,", "}", "@group(0) @binding(0) var<uniform> view: View;"]
    lines.append("@group(0) @binding(1) var<storage, read_write> pixels: array<u32>;")
    if writer.buffers:
        lines.append("@group(0) @binding(2) var<storage, read> data: array<u32>;")
    width, height = (f"view.{writer.params[p]}" for p in (pixel.width, pixel.height))
    lines += [*writer.helpers, "@compute @workgroup_size(8, 8)"]
    lines += ["fn main(@builtin(global_invocation_id) id: vec3<u32>) {", "  let zero = view.zero;"]
    lines += ["  let column = i32(id.x);", "  let row = i32(id.y);"]
    lines.append(f"  if (column >= {width} || row >= {height}) {{ return; }}")
    return _shader([*lines, *writer.lines, f"  pixels[row * {width} + column] = word;", "}"], writer, pixel)
