"""Decode and blit: a file of run lengths is shown on a screen of any depth, with no picture in between.

Ordinarily that takes two passes, a decoder and a blitter, and a buffer between them (Draves, introduction of the
thesis). The format is PackBits, of TIFF and the Macintosh: a byte n up to 127 is followed by n + 1 bytes as they are,
one from 129 on by a single byte that stands for 257 - n of them, and 128 by nothing.
"""

import numpy as np

from pellucid.driver.program import compile_program
from pellucid.ir.text import print_nest
from pellucid.staging import Memory, choose, lift, load_sample, loop, specialize, store_sample, unknown


def decode_and_blit(file, start, end, screen, place, depth, convert):
    """Store each byte from `start` to `end` of a file, decoded and converted, as a pixel of a screen from a place on.

    `place` counts pixels of `depth` bits. Returns the place after the last.
    """

    def byte(at):
        return load_sample(file, 8 * at, 8)

    def packet(at, place):
        header = byte(at)
        single = header > 128
        count = choose(
            single, lambda: 257 - header, lambda: choose(header < 128, lambda: header + 1, lambda: 0)
        )
        step = choose(single, lambda: 0, lambda: 1)

        def pixel(k, at, place):
            store_sample(screen, place * depth, depth, convert(byte(at)))
            return k + 1, at + step, place + 1

        _, after, place = loop(lambda k, at, place: k == count, pixel, lift(0), at + 1, place)
        return choose(single, lambda: at + 2, lambda: after), place

    return loop(lambda at, place: at == end, packet, start, place)[1]


def packed(data):
    """Bytes in run lengths."""
    out, k = [], 0
    while k < len(data):
        run = next(
            (j for j in range(1, min(128, len(data) - k)) if data[k + j] != data[k]), len(data[k : k + 128])
        )
        out += [257 - run, data[k]] if run > 1 else [0, data[k]]
        k += run
    return bytes(out)


def main():
    """Show a file of 8-bit gray on a screen of 4 bits a pixel, from a place that is known only at run time."""
    image = bytes(30 * k % 256 for k in range(8) for _ in range(k + 2))
    file = np.frombuffer(packed(image), np.uint8)
    residual = specialize(
        decode_and_blit,
        Memory("file", 8), unknown("start"), unknown("end"),
        Memory("screen"), unknown("place"), 16, lambda pixel: pixel * 257,
    )  # fmt: skip
    print(print_nest(residual.kernel))
    screen = np.zeros(32, np.uint32)
    arrays = {"file": file, "screen": screen}
    last = compile_program(residual)(arrays, start=0, end=len(file), place=5)
    print(screen.view(np.uint16)[5:last] >> 8)


if __name__ == "__main__":
    main()
