"""Whole C files around the statements of a kernel: the form that this program calls, and the form given to others.

The exported form is a header and a source that depend on nothing but the C library; buffers that carry their data are
constant arrays in it.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...ir import expr as E
from ...ir import types as T
from ...ir.expr import Buffer, Expr
from ...ir.facts import Facts, top
from ...ir.nest import Kernel
from ..jit.calling import entry
from ..obligations import Proofs
from ..port import CallingPlan, Ranges, layout
from .gathering import padding
from .source import CSource
from .spelling import identifier, literal, typed

INCLUDES = """#include <math.h>
#include <stdbool.h>
#include <stdint.h>
"""
MAX_ZEROS = 4
"""Maximum zeros in a row that a constant array writes out. The next element has a designator after more than these:
C makes the elements between them zero, and compilers spend about a microsecond on each element that is written."""


def callable_source(plan: CallingPlan, ranges: Ranges) -> tuple[str, dict[Buffer, int]]:
    """The source of the functions that `calling` calls, and how many elements their buffers must have."""
    proofs = Proofs(plan.least, plan.calling.scratch)
    helpers: dict[str, str] = {}
    functions: list[str] = []
    for k, phase in enumerate(plan.phases):
        source = CSource(plan, phase.body, ranges, proofs, band=phase.band, polls=plan.calling.polls)
        functions += _function(entry(k), plan, source, source.body())
        helpers |= source.helpers
    return "\n".join(
        [INCLUDES + "#include <string.h>\n", *helpers.values(), *functions]
    ) + "\n", proofs.needed


def _function(name: str, plan: CallingPlan, source: CSource, body: list[str]) -> list[str]:
    """The function of a phase."""
    head = f"void {name}(const char *params, void *const *buffers, const int64_t *sizes, int64_t begin, int64_t end)"
    lines = [f"{head};", head, "{"]
    for k, (p, word) in enumerate(source.params.items()):
        if word in source.used:
            lines.append(
                f"    {typed(p.type)} {word};\n    memcpy(&{word}, params + {8 * k}, sizeof {word});"
            )
    for k, b in enumerate(plan.buffers):
        word = source.buffers[b]
        written = "" if b in plan.kernel.outputs or k >= len(plan.calling.bound) else "const "
        lines.append(f"    {written}{typed(b.type)} *const {word} = buffers[{k}];")
        # Scratch memory of one statement may be an array of its own in another, and then has that size.
        if source.sizes[b] in source.used and b not in source.private:
            lines.append(f"    const int64_t {source.sizes[b]} = sizes[{k}];")
    if source.ask:
        lines += [
            f"    int32_t (*{source.ask})(void);",
            f"    memcpy(&{source.ask}, &buffers[{len(plan.buffers)}], sizeof {source.ask});",
        ]
    lines += [f"    (void){word};" for word in ("params", "buffers", "sizes", "begin", "end")]
    lines += [f"    (void){word};" for word in map(source.buffers.__getitem__, plan.buffers)]
    return [*lines, *body, "}"]


def export(kernel: Kernel, name: str, ranges: Ranges | None = None) -> tuple[str, str]:
    """A header and a source in C99 that run a placed nest, depending on nothing but the C library.

    `name` becomes the function's name; `ranges` is what is known of params, which the function then checks. Raises
    BackendError where the nest cannot be written in C.

    >>> from pellucid.ir.parse import parse_nest
    >>> header, source = export(parse_nest('''
    ... kernel ramp(slope: f32):
    ...   output out: f32[8]
    ...   for i in 0 .. 8:
    ...     out[i] := slope * convert.f32(i)
    ... '''), "ramp")
    >>> print(next(line for line in header.splitlines() if line.startswith("bool")))
    bool ramp(float *out, int64_t out_size, float slope);
    """
    ranges = ranges or {}
    plan = layout(kernel, ranges)
    function = identifier(name)
    embedded = [b for b in plan.calling.bound if b.data is not None and b not in kernel.outputs]
    given = [b for b in plan.calling.bound if b not in embedded]
    # Proofs may count on what is in the source itself, and not on what a caller passes.
    proofs = Proofs({**plan.least, **dict.fromkeys(given, 1)}, plan.calling.scratch)
    padded = {b for b in embedded if padding(b)}
    source = CSource(plan, kernel.body, ranges, proofs, padded=padded)
    body = source.body()
    parameters: list[str] = []
    for b in given:
        written = "" if b in kernel.outputs else "const "
        parameters += [f"{written}{typed(b.type)} *{source.buffers[b]}", f"int64_t {source.sizes[b]}"]
    parameters += [f"{typed(p.type)} {n}" for p, n in source.params.items()]
    signature = f"bool {function}({', '.join(parameters) or 'void'})"
    header = _header(function, signature, plan, source, given)
    lines = [f'/* Compile with -ffp-contract=off; see {function}.h. */\n#include "{function}.h"\n']
    lines.append("#include <math.h>\n#include <stdlib.h>\n#include <string.h>\n")
    lines += source.helpers.values()
    lines += [_array(b, source.buffers[b]) for b in embedded]
    lines += [signature, "{"]
    lines += [
        f"    const int64_t {source.sizes[b]} = {b.size};" for b in embedded if source.sizes[b] in source.used
    ]
    unused = [source.sizes[b] for b in given] + list(source.params.values())
    lines += [f"    (void){n};" for n in unused if n not in source.used]
    for p, n in source.params.items():
        test = _range_test(plan.calling.ranges[p.attr], p, n)
        if test:
            lines.append(f"    if (!({test})) return false;")
    lines += _scratch(plan, source)
    lines += body
    lines += [f"    free({source.buffers[b]});" for b in plan.calling.scratch]
    return header, "\n".join([*lines, "    return true;", "}"]) + "\n"


def _header(function: str, signature: str, plan: CallingPlan, source: CSource, given: list[Buffer]) -> str:
    guard = f"{function.upper()}_H"
    lines = ["/*", f" * {signature}", " *"]
    for b in given:
        role = "written" if b in plan.kernel.outputs else "read"
        lines.append(
            f" *   {source.buffers[b]}, {source.sizes[b]}: {role}; elements, and how many there are (at least one)."
        )
    for p, n in source.params.items():
        facts = plan.calling.ranges[p.attr]
        lines.append(f" *   {n}: {_range_text(facts, p)}.")
    lines += [
        " *",
        " * Returns false, and does nothing, if an argument is outside of its range or memory runs out.",
        " * Nothing is read or written outside of the buffers; stores to other positions are left out.",
        " * Written by pellucid. Compile with -ffp-contract=off, or results may differ in their last bits;",
        " * by gcc and clang it is fastest with -O3 -march=native -fno-math-errno -fno-trapping-math -fopenmp-simd.",
        " */",
        f"#ifndef {guard}",
        f"#define {guard}",
        "",
        "#include <stdbool.h>",
        "#include <stdint.h>",
        "",
        "#ifdef __cplusplus",
        'extern "C"',
        "#endif",
        f"{signature};",
        "",
        f"#endif /* {guard} */",
    ]
    return "\n".join(lines) + "\n"


def _is_only_finite(facts: Facts, param: Expr) -> bool:
    return param.type.is_float and not facts.nan and (facts.lo, facts.hi) == (param.type.low, param.type.high)


def _range_text(facts: Facts, param: Expr) -> str:
    if _is_only_finite(facts, param):
        return "finite"
    if facts == top(param.type):
        return "any"
    form = "g" if param.type.is_float else "d"
    return f"{facts.lo:{form}} .. {facts.hi:{form}}"


def _range_test(facts: Facts, param: Expr, name: str) -> str:
    whole = top(param.type)
    if facts == whole or param.type is T.boolean:
        return ""
    if _is_only_finite(facts, param):
        return f"isfinite({name})"
    tests: list[str] = []
    if facts.lo > whole.lo:
        tests.append(f"{literal(E.const(facts.lo, param.type)).operand} <= {name}")
    if facts.hi < whole.hi:
        tests.append(f"{name} <= {literal(E.const(facts.hi, param.type)).operand}")
    if not facts.nan and whole.nan and not tests:
        tests.append(f"!isnan({name})")
    return " && ".join(tests)


def _scratch(plan: CallingPlan, source: CSource) -> Iterator[str]:
    """Scratch memory: all of it before anything is written."""
    names: list[str] = []
    for buffer, elements in plan.calling.scratch.items():
        at = len(source.lines)
        length = source.value(elements).text
        yield from source.lines[at:]
        del source.lines[at:]
        size, name, word = source.sizes[buffer], source.buffers[buffer], typed(buffer.type)
        yield f"    const int64_t {size} = {length} < 1 ? 1 : {length};"
        yield f"    {word} *const {name} = malloc((size_t){size} * sizeof *{name});"
        names.append(name)
    if names:
        yield f"    if ({' || '.join(f'!{n}' for n in names)}) {{"
        yield from (f"        free({n});" for n in names)
        yield "        return false;\n    }"


def _array(buffer: Buffer, name: str) -> str:
    """A buffer's data as a constant array, several elements to a line, without its long runs of zeros; padded."""
    data = np.zeros(1, buffer.type.dtype) if buffer.data is None else np.ascontiguousarray(buffer.data)
    # As bits: a negative zero is no zero, and elements that are equal in all bits have one text.
    bits = data.view(f"u{data.itemsize}")
    places = np.flatnonzero(bits)
    if not places.size:
        places = np.zeros(1, np.intp)
    values, texts = np.unique(bits[places], return_inverse=True)
    words: list[str] = [literal(E.const(v, buffer.type)).text for v in values.view(data.dtype).tolist()]
    zero = literal(E.const(0, buffer.type)).text
    before = np.diff(places, prepend=-1) - 1
    rows: list[str] = []
    line = "   "
    each: list[int] = texts.tolist()
    for place, zeros, text in zip(places.tolist(), before.tolist(), each, strict=True):
        word = words[text]
        elements: list[str] = [f"[{place}] = {word}"] if zeros > MAX_ZEROS else [*([zero] * zeros), word]
        for element in elements:
            if len(line) + len(element) > 110:
                rows.append(line)
                line = "   "
            line += f" {element},"
    rows.append(line)
    return (
        f"static const {typed(buffer.type)} {name}[{buffer.size + padding(buffer)}] = {{\n"
        + "\n".join(rows)
        + "\n};\n"
    )
