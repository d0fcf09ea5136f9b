"""What the introduction of Draves's thesis asks of media, by row of docs/lineage.md.

Each program runs as it is, specialized by the interpreter, and as machine code, and is compared with NumPy.
"""

import functools
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from tests.memory import traced
from tests.staging.programs import (
    Late,
    conditionals,
    everywhere,
    file_of,
    inner_loop,
    loads,
    operations,
    stores,
    words,
)  # fmt: skip

from pellucid import signals as sg
from pellucid.backends.jit.engine import Machine
from pellucid.base.errors import InputError
from pellucid.driver.lending import make_backend
from pellucid.driver.program import compile_program
from pellucid.ir import nest as N
from pellucid.reasoning.counting import count
from pellucid.staging import Memory, choose, cyclic, lift, loop, specialize, unknown

windows, decode, language = (file_of("examples", name) for name in ("windows", "decode", "language"))


def ends(name: str, words_: int) -> tuple[Late, Late]:
    """The bit addresses of whole words of a memory, of which their number waits for run time."""
    return Late(f"{name}_from", 0, 32), Late(f"{name}_to", 32 * words_, 32)


def random_bytes(count_: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 256, count_, dtype=np.uint8)


def traffic(kernel: N.Kernel) -> tuple[int, int]:
    """The loads and stores of a turn of the one loop."""
    body = inner_loop(kernel).body
    return loads(body, kernel), stores(body, kernel)


# ---- T1: color to monochrome ----


def rgb_to_mono(f, r, g, b, m):
    """The one general program (figure "rgbm"): of its signals it knows that they can be asked."""

    def step(r, g, b, m):
        m.put(f(r.get(), g.get(), b.get()))
        return r.next(), g.next(), b.next(), m.next()

    loop(lambda r, g, b, m: r.endp() & g.endp() & b.endp() & m.endp(), step, r, g, b, m)


def first_weights(x, y, z):
    return 76 * x + 154 * y + 25 * z


def second_weights(x, y, z):
    return (9 * x + 20 * y + 3 * z) // 32


def interleaved(f, source, size, stride, target, target_size):
    """Three channels of one memory, one after the other."""
    memory, start, stop = source
    channels = [sg.memory(memory, start + size * k, stop + size * k, size, stride) for k in range(3)]
    rgb_to_mono(f, *channels, sg.memory(*target, target_size, target_size))


def planar(f, sources, target, target_size):
    """Three channels of memories of their own."""
    rgb_to_mono(f, *(sg.memory(*s, 8, 8) for s in sources), sg.memory(*target, target_size, target_size))


def test_T1_a_pixel_in_a_word_is_a_load_and_a_store():
    # rgbm1: weights 76 154 25, a word out.
    pixels = random_bytes(4 * 12, 1)
    arrays = {"rgb": pixels.view(np.uint32), "mono": np.zeros(12, np.uint32)}
    source, target = (Memory("rgb"), *ends("rgb", 12)), (Memory("mono"), *ends("mono", 12))
    residual, _, after = everywhere(interleaved, first_weights, source, 8, 32, target, 32, arrays=arrays)
    assert traffic(residual.kernel) == (1, 1)
    assert (after["mono"] == pixels.reshape(-1, 4)[:, :3].astype(int) @ [76, 154, 25]).all()


def test_T1_planes_are_four_pixels_a_turn_by_three_loads_and_two_stores():
    # rgbm2: (9 x + 20 y + 3 z) / 32, 16 bits out.
    channels = {n: random_bytes(16, k) for k, n in enumerate("xyz")}
    arrays = {n: c.view(np.uint32) for n, c in channels.items()} | {"mono": np.zeros(8, np.uint32)}
    sources = [(Memory(n), *ends(n, 4)) for n in "xyz"]
    residual, _, after = everywhere(
        planar, second_weights, sources, (Memory("mono"), *ends("mono", 8)), 16, arrays=arrays
    )
    assert traffic(residual.kernel) == (3, 2)
    expected = np.array([*channels.values()], int).T @ [9, 20, 3] // 32
    assert (after["mono"].view(np.uint16) == expected).all()


def test_T1_four_pixels_in_three_words_are_a_quarter_less_to_read():
    # rgbm3d.
    pixels = random_bytes(3 * 16, 1)
    arrays = {"rgb": pixels.view(np.uint32), "mono": np.zeros(16, np.uint32)}
    source, target = (Memory("rgb"), *ends("rgb", 12)), (Memory("mono"), *ends("mono", 16))
    residual, _, after = everywhere(interleaved, first_weights, source, 8, 24, target, 32, arrays=arrays)
    assert traffic(residual.kernel) == (3, 4)
    assert (after["mono"] == pixels.reshape(-1, 3).astype(int) @ [76, 154, 25]).all()


def test_T1_twelve_bits_a_channel():
    samples = np.random.default_rng(1).integers(0, 1 << 12, 3 * 16)
    bits = (samples[:, None] >> np.arange(12) & 1).astype(np.uint8).reshape(-1)
    packed = np.packbits(bits, bitorder="little").view(np.uint32)
    arrays = {"rgb": packed, "mono": np.zeros(8, np.uint32)}
    source, target = (Memory("rgb"), *ends("rgb", 18)), (Memory("mono"), *ends("mono", 8))
    residual, _, after = everywhere(interleaved, second_weights, source, 12, 36, target, 16, arrays=arrays)
    # Eight pixels of 36 bits are nine words in and four out.
    assert traffic(residual.kernel) == (9, 4)
    assert (after["mono"].view(np.uint16) == samples.reshape(-1, 3) @ [9, 20, 3] // 32).all()


@dataclass(frozen=True)
class Runs:
    """A signal in run lengths: bytes in pairs of a count and a value, which end with a count of 0."""

    memory: Memory
    at: Any
    left: Any
    value: Any

    @staticmethod
    def first(memory: Memory, at: Any) -> "Runs":
        return Runs(memory, at + 2, memory.load(at), memory.load(at + 1))

    def get(self):
        return self.value

    def next(self):
        return choose(
            self.left == 1,
            lambda: Runs.first(self.memory, self.at),
            lambda: replace(self, left=self.left - 1),
        )

    def endp(self):
        return self.left == 0


def test_T1_run_length_input_to_the_same_program():
    def program(f, memories, start, target):
        rgb_to_mono(f, *(Runs.first(m, start) for m in memories), sg.memory(*target, 8, 8))

    # Runs of one channel end where they like in the others.
    counts = {"r": [3, 5, 4, 4], "g": [1, 1, 9, 5], "b": [16]}
    values = {n: list(random_bytes(len(c), len(c))) for n, c in counts.items()}
    arrays = {
        n: np.array([[*zip(c, values[n], strict=True), (0, 0)]], np.uint8).reshape(-1)
        for n, c in counts.items()
    }
    arrays["mono"] = np.zeros(4, np.uint32)
    residual, _, after = everywhere(
        program, second_weights, [Memory(n, 8) for n in "rgb"], Late("start", 0),
        (Memory("mono"), *ends("mono", 4)), arrays=arrays,
    )  # fmt: skip
    channels = [np.repeat(np.array(values[n], int), counts[n]) for n in "rgb"]
    assert (after["mono"].view(np.uint8) == np.array(channels).T @ [9, 20, 3] // 32).all()
    # Four pixels are one word, which is stored once and not loaded.
    (loop_,) = (s for s in N.walk(residual.kernel.body) if isinstance(s, N.For | N.While))
    assert not any(b.size > 1 for b in N.scratch(residual.kernel.body))
    assert stores(loop_.body, residual.kernel) == 1


# ---- T2, T3, T4: special cases ----


def test_T2_a_little_language_interpreted_buffered_and_specialized():
    code, samples = language.code(language.PROGRAM), random_bytes(32, 3)
    words_ = np.array(code, np.uint32)
    arrays = {"code": words_, "source": samples.view(np.uint32), "target": np.zeros(32, np.uint32)}
    signals = [(Memory(n), *ends(n, len(arrays[n]))) for n in ("source", "target")]

    def from_memory(program, start, end, source, target):
        language.interpreted(program.load, start, end, source, target)

    general, _, one = everywhere(
        from_memory, Memory("code"), Late("start", 0), Late("end", len(code)), *signals, arrays=arrays
    )
    special, _, three = everywhere(
        language.interpreted, code.__getitem__, 0, len(code), *signals,
        arrays={n: arrays[n] for n in ("source", "target")},
    )  # fmt: skip
    two = language.buffered(code, samples)
    x = samples.astype(int)
    for found in (one["target"], two, three["target"]):
        assert (found == 3 * x + x * x + 7).all()
    # Nothing is left of the language: no loop in the loop, no branch, no code, a load for four samples, no buffer.
    assert traffic(special.kernel) == (1, 4)
    assert [type(s) for s in conditionals(special.kernel.body)] == [N.For]
    assert operations(inner_loop(special.kernel).body, "mul") <= 4 * 2 + 2
    # The general interpreter goes through the code for each sample.
    given = {"source_from": 0, "source_to": 8, "target_from": 0, "target_to": 32}
    done = [
        count(r.kernel, given | more, memory_of(r, arrays)).work
        for r, more in ((general, {"start": 0, "end": len(code)}), (special, {}))
    ]
    assert done[0]["load"] > len(samples) * len(code)
    assert done[1]["load"] < 2 * len(samples)
    assert sum(done[0].values()) > 20 * sum(done[1].values())


def memory_of(residual, arrays):
    """Memory for a run that counts."""
    return {m.buffer: arrays[n].copy() for n, m in residual.memories.items()}


def test_T2_buffers_take_memory_and_the_specialized_program_none():
    code, size = language.code(language.PROGRAM), 1 << 16
    samples, target = random_bytes(size, 1), np.zeros(size, np.uint32)
    special = compile_program(language.special(code))
    given = {"source_from": 0, "source_to": size // 4, "target_from": 0, "target_to": size}

    def peak(work) -> int:
        with traced() as memory:
            work()
        return memory.peak

    # Three operands wait at once, in buffers of four bytes a sample.
    assert peak(lambda: language.buffered(code, samples)) >= 3 * 4 * size
    arrays = {"source": samples.view(np.uint32), "target": target}
    assert peak(lambda: special(arrays, **given)) < size // 4
    assert (target == language.buffered(code, samples)).all()


class Watched(Memory):
    """Memory that tells when it is read and written."""

    def __init__(self, name, data, log):
        super().__init__(name, 32, data)
        self.log = log

    def load(self, address, needed=None):
        self.log.append(("load", self.name, address))
        return super().load(address, needed)

    def merge(self, address, bits, mask):
        self.log.append(("store", self.name, address))
        super().merge(address, bits, mask)


def test_T2_bandwidth_and_latency_of_the_three():
    code, samples = language.code(language.PROGRAM), random_bytes(32, 3)
    log: list[tuple[str, str, int]] = []
    program = Watched("code", np.array(code, np.uint32), log)
    source = Watched("source", samples.view(np.uint32), log)
    target = Watched("target", np.zeros(32, np.uint32), log)
    language.interpreted(program.load, 0, len(code), (source, 0, 256), (target, 0, 1024))
    first = next(k for k, entry in enumerate(log) if entry[:2] == ("store", "target"))
    # Latency: the interpreter has its first result after one word of samples; but it reads the code for each sample.
    assert {a for _, name, a in log[:first] if name == "source"} == {0}
    assert sum(name == "code" for _, name, _ in log) == len(samples) * len(code)
    # With buffers, the first result comes when the last operation does: all samples have been read, some of them twice.
    read: list[int] = []

    class Source:
        def __len__(self):
            return len(samples)

        def astype(self, kind):
            read.append(len(samples))
            return samples.astype(kind)

    done = language.buffered(code, Source())
    assert read == [len(samples)] * code[::2].count(language.SAMPLE)
    assert (done == target.data).all()
    # Specialized, a turn loads one word and stores its four results: the latency is a word, and no code is read.
    residual = language.special(code)
    body = inner_loop(residual.kernel).body
    assert (loads(body, residual.kernel), stores(body, residual.kernel)) == (1, 4)
    assert [m for m in residual.memories if m == "code"] == []


@pytest.mark.parametrize("expression", [
    ("+", "x", ("+", "x", ("+", "x", ("+", "x", ("+", "x", 1))))),
    ("*", 2, ("+", ("*", "x", "x"), ("+", 1, ("*", 2, 3)))),
])  # fmt: skip
def test_T2_an_interpreter_that_would_lose_a_value_says_so(expression):
    code, samples = language.code(expression), random_bytes(8, 3)
    ends_ = {"source_from": 0, "source_to": 2, "target_from": 0, "target_to": 8}
    arrays = {"source": samples.view(np.uint32), "target": np.zeros(8, np.uint32)}
    everything = {**arrays, "code": np.array(code, np.uint32)}
    special = language.special(code)
    known = {n: arrays[n] for n in special.memories}
    runs = [
        lambda: language.evaluate(code.__getitem__, 0, len(code), 3),
        lambda: compile_program(special)(known, **ends_),
        lambda: compile_program(language.general())(everything, start=0, end=len(code), **ends_),
    ]
    for run in runs:
        with pytest.raises(InputError, match="the stack has no room for a fifth value"):
            run()


def test_T3_special_cases_are_made_when_they_are_asked_for(monkeypatch):
    # Of all layouts of all depths, two are asked for, one of them twice: two are compiled.
    compiled: list[str] = []
    compile_text = Machine.compile
    monkeypatch.setattr(
        Machine, "compile", lambda self, text: compiled.append(text) or compile_text(self, text)
    )

    def total(memory, start, stop, size, scale):
        return sg.reduce(sg.memory(memory, start, stop, size, size), scale, lambda r, x: r * scale + x)

    # No code is found that another test, or another run of this one, has left.
    monkeypatch.setattr(make_backend("auto"), "store", None)
    scale = 1_234_567

    @functools.cache
    def of_size(size):
        pointers = cyclic(32, "from"), cyclic(32, "to")
        return compile_program(specialize(total, Memory("m"), *pointers, size, scale))

    data = words(24)
    assert compiled == []
    for size in (8, 8, 16):
        expected = total(Memory("m", 32, data), 0, 768, size, scale)
        found = of_size(size)({"m": data}, **{"from": 0, "to": 24})
        assert (found - expected) % (1 << 64) == 0
    # The threads that run bands are compiled once too, if nobody had them yet.
    assert len([text for text in compiled if str(scale) in text]) == 2, compiled


def test_T4_the_equation_of_specializers():
    def f(x, y):
        return loop(lambda i, r: i == x, lambda i, r: (i + 1, r * y + i), 0, lift(1))[1]

    for x in range(4):
        residual = specialize(f, x, unknown("y"))
        assert [residual(y=y) for y in range(-3, 4)] == [f(x, y) for y in range(-3, 4)]
        # What is known is done: no loop is left.
        assert not any(isinstance(s, N.For | N.While) for s in N.walk(residual.kernel.body))


def test_T5_cycles_of_compiling_an_instruction_are_told_beside_the_figures_of_the_thesis(capsys):
    bench = file_of("bench", "specializing")
    assert bench.instructions("define void @f() {\n  ret void\n}\n") == 1
    found = bench.costs(["sum 16"])
    told = capsys.readouterr().out
    assert found["sum 16"] > 0
    assert f"{found['sum 16']:,.0f}" in told
    for figure in ("200,000", "120,000", "176,000", "1,000 to 2,500", "100 to 500", "Fabius 6"):
        assert figure in told


# ---- T9: windows ----

DEPTHS = (1, 2, 4, 8, 16, 24, 32)
PITCH, HEIGHT = 9, 7  # words, rows


def window(name: str, depth: int, left: int, top: int, width: int, height: int) -> Any:
    return windows.Window(Memory(name), depth, PITCH * 32, left, top, width, height)


def screen(seed: int) -> np.ndarray:
    return words(PITCH * HEIGHT, seed)


def pixels(data: np.ndarray, depth: int) -> np.ndarray:
    """The pixels of a screen, row by row; what is left over of a row at its end is no pixel."""
    bits = np.unpackbits(data.view(np.uint8), bitorder="little").reshape(HEIGHT, PITCH * 32)
    across = PITCH * 32 // depth
    weights = 1 << np.arange(depth, dtype=np.uint64)
    return bits[:, : across * depth].reshape(HEIGHT, across, depth).astype(np.uint64) @ weights


def loops(kernel: N.Kernel) -> list[Any]:
    return [s for s in N.walk(kernel.body) if isinstance(s, N.For | N.While)]


@pytest.mark.parametrize("depth", DEPTHS)
def test_T9_erasing_stores_whole_words_and_masks_at_the_sides(depth):
    across = PITCH * 32 // depth
    left, width, color = 1, across - 2, (0x5A5A5A5A & (1 << depth) - 1) | 1
    before = screen(depth)
    residual, _, after = everywhere(
        windows.erase, window("s", depth, left, 2, width, 4), color, arrays={"s": before}
    )
    expected = pixels(before, depth)
    expected[2:6, left : left + width] = color
    assert (pixels(after["s"], depth) == expected).all()
    outer, inner = loops(residual.kernel)
    assert isinstance(inner, N.For)
    # Inside of a row nothing is loaded; at its sides one word each, where pixels are no words.
    assert loads(inner.body, residual.kernel) == 0
    assert stores(inner.body, residual.kernel) == (3 if depth == 24 else 1)
    assert loads(outer.body, residual.kernel) == (0 if depth == 32 else 2)


@pytest.mark.parametrize("depth", DEPTHS)
def test_T9_blitting_shifts_by_what_the_windows_are_apart(depth):
    across = PITCH * 32 // depth
    width = across - 3
    before = {"s": screen(depth), "t": screen(depth + 50)}
    source, target = window("s", depth, 0, 1, width, 4), window("t", depth, 2, 3, width, 4)
    residual, _, after = everywhere(windows.blit, source, target, arrays=before)
    expected = pixels(before["t"], depth)
    expected[3:7, 2 : 2 + width] = pixels(before["s"], depth)[1:5, :width]
    assert (pixels(after["t"], depth) == expected).all()
    assert (after["s"] == before["s"]).all()
    _, inner = loops(residual.kernel)
    per_turn = 3 if depth == 24 else 1
    assert (loads(inner.body, residual.kernel), stores(inner.body, residual.kernel)) == (per_turn, per_turn)


def test_T9_blitting_from_one_depth_to_another():
    before = {"s": screen(1), "t": screen(2)}

    def program(source, target):
        windows.blit(source, target, lambda p: p * 0xF0 + 8)

    source, target = window("s", 1, 3, 0, 30, 5), window("t", 8, 1, 2, 30, 5)
    residual, _, after = everywhere(program, source, target, arrays=before)
    expected = pixels(before["t"], 8)
    expected[2:7, 1:31] = pixels(before["s"], 1)[0:5, 3:33] * np.uint64(0xF0) + np.uint64(8)
    assert (pixels(after["t"], 8) == expected).all()
    assert len(loops(residual.kernel)) == 2


def test_T9_a_window_that_scrolls_within_a_screen_keeps_the_order_of_the_program():
    # Source and target overlap in one memory: rows go up, pixels from left to right.
    before = {"s": screen(1)}

    def program(memory, depth):
        w = windows.Window(memory, depth, PITCH * 32, 1, 1, 20, 5)
        windows.blit(w, replace(w, top=0))

    for depth in (4, 8):
        _, _, after = everywhere(program, Memory("s"), depth, arrays=before)
        expected = pixels(before["s"], depth)
        expected[0:5, 1:21] = pixels(before["s"], depth)[1:6, 1:21]
        assert (pixels(after["s"], depth) == expected).all()


@pytest.mark.parametrize("depth", DEPTHS)
def test_T9_a_glyph_is_masks_and_constants(depth):
    color = 0x3C3C3C3D & (1 << depth) - 1
    shape = windows.FONT["N"]
    before = {"s": screen(depth)}
    residual, _, after = everywhere(
        windows.text, window("s", depth, 1, 0, 8, HEIGHT), windows.FONT, "I" if depth > 16 else "IN",
        1, Late("y", 1), color, arrays=before,
    )  # fmt: skip
    expected = pixels(before["s"], depth)
    for letter, x in (("I", 2), *((("N", 6),) if depth <= 16 else ())):
        for row, marks in enumerate(windows.FONT[letter]):
            for column, mark in enumerate(marks):
                if mark != " ":
                    expected[1 + row, x + column] = color
    assert (pixels(after["s"], depth) == expected).all()
    assert not any(isinstance(s, N.For | N.While | N.If) for s in N.walk(residual.kernel.body))
    # A word is loaded once, whatever falls into it, and stored once.
    assert stores(residual.kernel.body, residual.kernel) <= 5 * max(1, -(-10 * depth // 32) + 1)
    assert len(shape) == 5


@pytest.mark.parametrize("depth", DEPTHS[:-2])
def test_T9_a_brush_asks_once_a_stamp_where_it_stands(depth):
    points = [(0, 0), (1, 2), (5, 1), (9, 3), (3, 3)]
    path = np.array([x | y << 16 for x, y in points], np.uint32)
    color = 0x11111111 & (1 << depth) - 1 or 1
    before = {"s": screen(depth), "path": path}
    residual, _, after = everywhere(
        windows.brush, window("s", depth, 1, 0, 8, HEIGHT), windows.DOT, Memory("path"),
        Late("count", len(points)), color, arrays=before,
    )  # fmt: skip
    expected = pixels(before["s"], depth)
    for x, y in points:
        for row, marks in enumerate(windows.DOT):
            for column, mark in enumerate(marks):
                if mark != " ":
                    expected[y + row, 1 + x + column] = color
    assert (pixels(after["s"], depth) == expected).all()
    (loop_,) = loops(residual.kernel)
    branches = [s for s in N.walk(loop_.body) if isinstance(s, N.If)]
    assert len(branches) == 32 // depth - 1


# ---- T10: decode and blit ----


def decoded(file: bytes) -> list[int]:
    """What a PackBits file holds."""
    out, at = [], 0
    while at < len(file):
        n = file[at]
        if n < 128:
            out += file[at + 1 : at + 2 + n]
        elif n > 128:
            out += [file[at + 1]] * (257 - n)
        at += n + 2 if n < 128 else 2 if n > 128 else 1
    return out


@pytest.mark.parametrize("depth", [1, 4, 8, 16])
@pytest.mark.parametrize("word", [8, 32])
def test_T10_a_file_of_run_lengths_is_decoded_onto_the_screen_without_a_buffer(depth, word):
    image = [*random_bytes(5, 1), *[7] * 20, 9, *[200] * 3]
    file = bytes([4, *image[:5], 257 - 20, 7, 128, 0, 9, 257 - 3, 200])
    assert decoded(file) == image
    assert decoded(decode.packed(bytes(image))) == image

    def shown(pixel):
        return pixel >> 8 - depth if depth < 8 else pixel << depth - 8

    padded = np.frombuffer(file + bytes(-len(file) % 4), np.uint8)
    arrays = {"file": padded if word == 8 else padded.view(np.uint32), "screen": words(24, 2)}
    for place in (0, 3):
        residual, last, after = everywhere(
            decode.decode_and_blit, Memory("file", word), Late("start", 0), Late("end", len(file)),
            Memory("screen"), Late("place", place), depth, shown, arrays=arrays,
        )  # fmt: skip
        bits = np.unpackbits(arrays["screen"].view(np.uint8), bitorder="little")
        for k, pixel in enumerate(image):
            at = (place + k) * depth
            bits[at : at + depth] = shown(int(pixel)) >> np.arange(depth) & 1
        assert (after["screen"].view(np.uint8) == np.packbits(bits, bitorder="little")).all()
        assert last == place + len(image)
        # All scratch memory is single numbers, which are registers.
        assert all(b.size == 1 for b in N.scratch(residual.kernel.body))
        assert set(residual.memories) == {"file", "screen"}


# ---- T12: several passes ----


def convolved(source, target, start, stop, kernel):
    """A weighted sum of words around each word of a run; the kernel is pairs of a distance and a weight."""

    def step(k):
        target.store(k, sum(weight * source.load(k + distance) for distance, weight in kernel))
        return k + 1

    loop(lambda k: k == stop, step, start)


WEIGHTS = (1, 6, 15, 20, 15, 6, 1)


def in_one_pass(source, target, pitch, start, stop):
    kernel = [(pitch * (j - 3) + i - 3, a * b) for j, a in enumerate(WEIGHTS) for i, b in enumerate(WEIGHTS)]
    convolved(source, target, start, stop, kernel)


def in_two_passes(source, buffer, target, pitch, start, stop):
    convolved(
        source, buffer, start - 3 * pitch, stop + 3 * pitch, [(i - 3, w) for i, w in enumerate(WEIGHTS)]
    )
    convolved(buffer, target, start, stop, [(pitch * (j - 3), w) for j, w in enumerate(WEIGHTS)])


def test_T12_a_wide_convolution_stays_in_two_passes_each_specialized():
    pitch, rows_ = 16, 12
    image = np.random.default_rng(1).integers(0, 256, (rows_, pitch)).astype(np.uint32)
    start, stop = Late("start", 3 * pitch + 3), Late("stop", (rows_ - 3) * pitch - 3)
    arrays = {"source": image.reshape(-1), "target": np.zeros(pitch * rows_, np.uint32)}
    one, _, after = everywhere(
        in_one_pass, Memory("source"), Memory("target"), pitch, start, stop, arrays=arrays
    )
    arrays["buffer"] = np.zeros(pitch * rows_, np.uint32)
    memories = [Memory(n) for n in ("source", "buffer", "target")]
    two, _, again = everywhere(in_two_passes, *memories, pitch, start, stop, arrays=arrays)
    assert (after["target"] == again["target"]).all()
    inside = np.lib.stride_tricks.sliding_window_view(image.astype(int), (7, 7))
    expected = np.einsum("ijkl,k,l->ij", inside, WEIGHTS, WEIGHTS)
    assert (after["target"].reshape(rows_, pitch)[3:-3, 3:-3] == expected).all()
    # Two loops, of which the first carries its seven words from turn to turn and loads one.
    first, _ = loops(two.kernel)
    assert loads(first.body, two.kernel) == 1
    given = {"start": start.value, "stop": stop.value}
    done = [sum(count(r.kernel, given, memory_of(r, arrays)).work.values()) for r in (one, two)]
    assert done[0] > 2 * done[1]
