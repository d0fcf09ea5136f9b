"""Base 64 as copies between samples of six bits and of eight, with a function of each: encode and decode.

Three bytes are four letters. Base 64 has the first of its bits on top, signals have it below: so a group is turned
round as it is read. Nothing else is said of how to unroll, load, shift or store (Draves 1997, the video group).
"""

import base64

import numpy as np

from pellucid import signals as sg
from pellucid.driver.program import compile_program
from pellucid.driver.streams import compile_stream
from pellucid.ir.text import print_nest
from pellucid.staging import Memory, Samples, choose, cyclic, loop, specialize, stream


def turned(group, size, count):
    """The `count` fields of `size` bits of a number, the other way round."""
    mask = (1 << size) - 1
    return sum((group >> size * k & mask) << size * (count - 1 - k) for k in range(count))


def letter(six):
    """The letter of six bits."""
    return choose(
        six < 26,
        lambda: six + ord("A"),
        lambda: choose(
            six < 52,
            lambda: six - 26 + ord("a"),
            lambda: choose(
                six < 62,
                lambda: six - 52 + ord("0"),
                lambda: choose(six == 62, lambda: ord("+"), lambda: ord("/")),
            ),
        ),
    )


def value(byte):
    """The six bits of a letter."""
    return choose(
        byte >= ord("a"),
        lambda: byte - ord("a") + 26,
        lambda: choose(
            byte >= ord("A"),
            lambda: byte - ord("A"),
            lambda: choose(
                byte >= ord("0"),
                lambda: byte - ord("0") + 52,
                lambda: choose(byte == ord("+"), lambda: 62, lambda: 63),
            ),
        ),
    )


def letters(group):
    """The four letters of a group of 24 bits, the first one lowest."""
    bits = turned(group, 8, 3)
    return tuple(letter(bits >> 6 * (3 - k) & 63) for k in range(4))


def encode(source, target):
    """Bytes to letters; each argument is a memory and where its bits begin and end."""

    def step(groups, out):
        for byte in letters(groups.get()):
            out.put(byte)
            out = out.next()
        return groups.next(), out

    loop(
        lambda groups, out: groups.endp() & out.endp(), step,
        sg.memory(*source, size=24, stride=24), sg.memory(*target, size=8, stride=8),
    )  # fmt: skip


def decode(source, target):
    """Letters to bytes."""

    def step(signal, out):
        group = 0
        for _ in range(4):
            group, signal = group << 6 | value(signal.get()), signal.next()
        out.put(turned(group, 8, 3))
        return signal, out.next()

    loop(
        lambda signal, out: signal.endp() & out.endp(), step,
        sg.memory(*source, size=8, stride=8), sg.memory(*target, size=24, stride=24),
    )  # fmt: skip


def wide():
    """Bytes to letters in wide registers: what becomes of a group, and where it is."""
    return stream(letters, [Samples(1, 0, 24, 24)], [Samples(0, 8 * k, 8, 32) for k in range(4)])


def special(program):
    """A program specialized to data that begin and end at words."""
    ends = [(cyclic(32, f"{name}_from"), cyclic(32, f"{name}_to")) for name in ("source", "target")]
    return specialize(program, (Memory("source"), *ends[0]), (Memory("target"), *ends[1]))


def whole(data):
    """Bytes as words."""
    return np.frombuffer(data, np.uint8).view(np.uint32)


def main():
    """Encode and decode, and show what is left of `encode`."""
    message = bytes(np.random.default_rng(1).integers(0, 256, 3 * 4096, dtype=np.uint8))
    encoded, back = np.zeros(4096, np.uint32), np.zeros(3 * 1024, np.uint32)
    residual = special(encode)
    print(print_nest(residual.kernel))
    ends = {"source_from": 0, "target_from": 0}
    compile_program(residual)(
        {"source": whole(message), "target": encoded}, source_to=3 * 1024, target_to=4096, **ends
    )
    compile_program(special(decode))(
        {"source": encoded, "target": back}, source_to=4096, target_to=3 * 1024, **ends
    )
    fast = np.zeros(4 * 4096, np.uint8)
    compile_stream(wide())([fast, np.frombuffer(message, np.uint8)], 4096)
    expected = base64.b64encode(message)
    print("encoded:", encoded.tobytes() == expected, "in wide registers:", fast.tobytes() == expected)
    print("decoded:", back.tobytes() == message)


if __name__ == "__main__":
    main()
