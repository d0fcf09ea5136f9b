"""The law of the floor: the residual program on the dynamic arguments gives what the program gives on all of them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.turns import fewer

from pellucid import signals as sg
from pellucid.driver.program import compile_program
from pellucid.ir import nest as N
from pellucid.ir.parse import parse_nest
from pellucid.ir.text import print_nest
from pellucid.ir.verify import verify_kernel
from pellucid.staging import Memory, choose, cyclic, lift, loop, specialize, unknown

from .programs import Late, bits_of, everywhere, map2, sample, words

# ---- signals of any layout ----


@st.composite
def layouts(draw, count: int, word: int):
    """The layout of so many samples: size, stride, start, and by how much the start is known."""
    size = draw(st.integers(1, 12))
    # Two strides come together again after few samples.
    stride = draw(st.sampled_from([s for s in (1, 2, 3, 4, 6, 8, 10, 12, 16, 20, 24) if s >= size]))
    start = draw(st.integers(0, 3 * word))
    known = draw(st.sampled_from([word, word, word, word // 2, 3 * word]))
    return size, stride, start, known, start + count * stride


def arguments(name, layout):
    """The static form of a layout, and the dynamic rest."""
    size, stride, start, known, stop = layout
    pattern = (
        cyclic(known, f"{name}from", start % known),
        cyclic(known, f"{name}to", stop % known),
        size,
        stride,
    )
    return pattern, {f"{name}from": start // known, f"{name}to": stop // known}


@settings(max_examples=fewer(15), deadline=None)
@given(st.data(), st.sampled_from([8, 16, 24, 32]), st.integers(0, 9))
def test_copies_between_any_two_layouts(data, word, count):
    one, two = data.draw(layouts(count, word)), data.draw(layouts(count, word))

    def program(a, b, source, target):
        sg.copy(sg.memory(a, *source), sg.memory(b, *target))

    (source, given_), (target, more) = arguments("s", one), arguments("t", two)
    residual = specialize(program, Memory("a", word), Memory("b", word), source, target)
    a, before = words(80, 1, word), words(80, 2, word)
    found, plain = before.copy(), before.copy()
    residual({"a": a, "b": found}, **given_, **more)
    s = (one[2], one[4], one[0], one[1])
    t = (two[2], two[4], two[0], two[1])
    program(Memory("a", word, a), Memory("b", word, plain), s, t)
    assert (found == plain).all()
    # And both are what copying bit by bit gives.
    bits, expected = bits_of(a, word), bits_of(before, word)
    for k in range(count):
        value = sample(bits, one[2] + k * one[1], one[0])
        for j in range(two[0]):
            expected[two[2] + k * two[1] + j] = value >> j & 1
    assert bits_of(found, word) == expected


@settings(max_examples=fewer(15), deadline=None)
@given(st.data(), st.sampled_from([8, 16, 32]), st.integers(0, 9), st.sampled_from(["+", "*", "^"]))
def test_reductions_of_any_layout(data, word, count, name):
    layout = data.draw(layouts(count, word))
    combine = {"+": lambda r, x: r + x, "*": lambda r, x: (r * 3 + x) & 65535, "^": lambda r, x: r ^ x}[name]

    def program(memory, start, stop, size, stride):
        return sg.reduce(sg.memory(memory, start, stop, size, stride), 5, combine)

    pattern, dynamic = arguments("s", layout)
    residual = specialize(program, Memory("m", word), *pattern)
    data_ = words(80, 3, word)
    size, stride, start, _, stop = layout
    assert residual({"m": data_}, **dynamic) == program(Memory("m", word, data_), start, stop, size, stride)


@settings(max_examples=4, deadline=None)
@given(st.data(), st.integers(0, 6))
def test_two_signals_of_one_memory_and_a_third(data, count):
    one, two, three = (data.draw(layouts(count, 16)) for _ in range(3))

    def program(a, out, x, y, z):
        map2(lambda p, q: p + 2 * q, sg.memory(a, *x), sg.memory(a, *y), sg.memory(out, *z))

    patterns, dynamic, plain = [], {}, []
    for name, layout in zip("xyz", (one, two, three), strict=True):
        pattern, more = arguments(name, layout)
        patterns.append(pattern)
        dynamic |= more
        plain.append((layout[2], layout[4], layout[0], layout[1]))
    residual = specialize(program, Memory("a", 16), Memory("out", 16), *patterns)
    a, found = words(80, 1, 16), words(80, 9, 16)
    expected = found.copy()
    residual({"a": a, "out": found}, **dynamic)
    program(Memory("a", 16, a), Memory("out", 16, expected), *plain)
    assert (found == expected).all()


# ---- programs of any form ----

VARIABLES = ("x", "y", "i")
# No number has more than seven bits and no expression more than six of them: integers wrap beyond 64 bits.
WORDS = words(16, 4) % 128
expressions = st.recursive(
    st.one_of(st.sampled_from(VARIABLES), st.integers(-9, 9)),
    lambda inner: st.one_of(
        st.tuples(st.sampled_from(["+", "-", "*", "load"]), inner, inner),
        st.tuples(st.sampled_from(["//", "%", ">>"]), inner, st.integers(1, 9)),
        st.tuples(st.just("choose"), inner, inner, inner),
    ),
    max_leaves=6,
)


def value(e, names, memory):
    """The value of an expression of the little language, staged or not."""
    match e:
        case str():
            return names[e]
        case int():
            return e
        case ("choose", c, a, b):
            return choose(
                value(c, names, memory) < 3,
                lambda: value(a, names, memory),
                lambda: value(b, names, memory),
            )
        case ("load", a, _):
            return memory.load(value(a, names, memory) % 16)
        case (op, a, b):
            p, q = value(a, names, memory), value(b, names, memory)
            return {
                "+": lambda: p + q, "-": lambda: p - q, "*": lambda: p * q, "//": lambda: p // q,
                "%": lambda: p % q, ">>": lambda: p >> q,
            }[op]()  # fmt: skip


def interpret(first, second, where, memory, x, y, n):
    """Run a program of the little language: two assignments and a store, n times over."""

    def step(i, x, y):
        names = {"x": x, "y": y, "i": i}
        new = value(first, names, memory) % 113
        names["x"] = new
        memory.store(value(where, names, memory) % 16, new)
        return i + 1, new, value(second, names, memory) % 127

    return loop(lambda i, x, y: i == n, step, lift(0), lift(x), lift(y))


@settings(max_examples=fewer(25), deadline=None)
@given(expressions, expressions, expressions, st.integers(0, 5), st.integers(-5, 5), st.integers(0, 30))
def test_programs_staged_and_unstaged(first, second, where, n, x, y):
    data = WORDS
    residual = specialize(interpret, first, second, where, Memory("m"), unknown("x"), y, unknown("n"))
    verify_kernel(residual.kernel)
    found, plain = data.copy(), data.copy()
    result = residual({"m": found} if "m" in residual.memories else {}, x=x, n=n)
    assert tuple(result) == tuple(interpret(first, second, where, Memory("m", 32, plain), x, y, n))
    assert (found == plain).all()


@settings(max_examples=8, deadline=None)
@given(expressions, expressions, st.integers(0, 4))
def test_what_is_static_leaves_no_loop(first, second, n):
    def program(x, y):
        def step(i, x, y):
            names = {"x": x, "y": y, "i": i}
            return i + 1, value(first, names, memory) % 113, value(second, names, memory) % 127

        return loop(lambda i, x, y: i == n, step, 0, x, y)

    memory = Memory("m", 32, WORDS)
    residual = specialize(program, unknown("x"), 4)
    assert not any(isinstance(s, N.For | N.While) for s in N.walk(residual.kernel.body))
    arrays = {"m": WORDS} if residual.memories else {}
    assert tuple(residual(arrays, x=3)) == tuple(program(3, 4))


# ---- on every back end ----


def given_to(residual, **arguments):
    """The arguments that are parameters of a residual program."""
    parameters = {p.attr for p in residual.kernel.params}
    return {k: v for k, v in arguments.items() if k in parameters}


@pytest.mark.parametrize("backend", ["numpy", "llvm", "c"])
@settings(max_examples=4, deadline=None)
@given(expressions, expressions, expressions, st.integers(0, 5), st.integers(-5, 5))
def test_programs_on_every_back_end(backend, first, second, where, n, x):
    residual = specialize(interpret, first, second, where, Memory("m"), unknown("x"), 7, unknown("n"))
    found, plain = WORDS.copy(), WORDS.copy()
    arrays = {"m": found} if "m" in residual.memories else {}
    result = compile_program(residual, backend=backend)(arrays, **given_to(residual, x=x, n=n))
    assert tuple(result) == tuple(interpret(first, second, where, Memory("m", 32, plain), x, 7, n))
    assert (found == plain).all()


@settings(max_examples=4, deadline=None)
@given(expressions, expressions, expressions)
def test_residual_programs_read_back(first, second, where):
    residual = specialize(interpret, first, second, where, Memory("m"), unknown("x"), 7, unknown("n"))
    text = print_nest(residual.kernel)
    assert print_nest(parse_nest(text)) == text


# ---- rows of pixels ----


@settings(max_examples=8, deadline=None)
@given(st.data(), st.sampled_from([1, 2, 3, 4, 8, 12, 16]), st.sampled_from([1, 3, 9, 33]), st.integers(1, 4))
def test_rectangles_of_any_depth_in_screens_of_any_width(data, depth, words_, height):
    # What is known of the start, and whether the size is, changes the program and not the picture.
    pitch = 32 * words_
    across = pitch // depth
    left = data.draw(st.integers(0, across - 1))
    width = data.draw(st.integers(1, across - left))
    start, known = left * depth, data.draw(st.sampled_from([1, 8, 32, pitch]))
    fixed = data.draw(st.booleans())

    def program(screen, out, start, width, height):
        width = lift(width)

        def row(y, to):
            at = y * pitch + start
            pixels = sg.memory(screen, at, at + width * depth, depth, depth)

            def pixel(pixels, to):
                out.store(to, pixels.get())
                pixels.put(0)
                return pixels.next(), to + 1

            _, to = loop(lambda pixels, to: pixels.endp(), pixel, pixels, to)
            return y + 1, to

        return loop(lambda y, to: y == height, row, lift(0), lift(0))[1]

    arrays = {"screen": words(words_ * height, 7), "out": words(across * height, 8)}
    bits = bits_of(arrays["screen"], 32)
    _, result, after = everywhere(
        program, Memory("screen"), Memory("out"), Late("start", start, known),
        width if fixed else Late("width", width), Late("height", height), arrays=arrays, backends=(),
    )  # fmt: skip
    expected = [
        sample(bits, y * pitch + start + k * depth, depth) for y in range(height) for k in range(width)
    ]
    assert result == width * height
    assert list(after["out"][:result]) == expected
    for y in range(height):
        for k in range(width * depth):
            bits[y * pitch + start + k] = 0
    assert bits_of(after["screen"], 32) == bits
