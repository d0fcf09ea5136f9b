"""Window operations on pixels of any depth - erase, blit, glyph, brush - each specialized to the state of a window.

A window system has a routine for every depth and alignment, or one slow routine for all (Draves, introduction of the
thesis). Here each operation is written once, over bit addresses, and made fast when a window is opened or moved.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pellucid import signals as sg
from pellucid.driver.program import compile_program
from pellucid.ir.text import print_nest
from pellucid.staging import Memory, lift, load_sample, loop, set_base, specialize, store_sample, unknown


@dataclass(frozen=True)
class Window:
    """A rectangle of a screen: its pixels have `depth` bits, the rows of the screen are `pitch` bits apart."""

    screen: Memory
    depth: int
    pitch: int
    left: Any
    top: Any
    width: Any
    height: Any

    def pixel(self, x, y):
        """The bit address of a pixel."""
        return (self.top + y) * self.pitch + (self.left + x) * self.depth

    def row(self, y):
        """The pixels of a row, as a signal."""
        return sg.memory(self.screen, self.pixel(0, y), self.pixel(self.width, y), self.depth, self.depth)


def rows(window, draw):
    """Draw each row. Sizes are lifted: a window may be large, and is not to be unrolled."""
    window = replace(window, width=lift(window.width))

    def step(y):
        draw(window, y)
        return y + 1

    loop(lambda y: y == window.height, step, lift(0))


def erase(window, color):
    """Fill a window with a color."""
    rows(window, lambda w, y: sg.copy(sg.constant(color), w.row(y)))


def blit(source, target, convert=lambda pixel: pixel):
    """Copy the pixels of a window to one of the same size, of whatever depth."""
    rows(target, lambda w, y: sg.copy(sg.map(convert, replace(source, width=w.width).row(y)), w.row(y)))


def glyph(window, shape, x, y, color):
    """Draw a shape, given by rows in which a blank leaves the pixel as it is."""
    for down, marks in enumerate(shape):
        for right, mark in enumerate(marks):
            if mark != " ":
                store_sample(window.screen, window.pixel(x + right, y + down), window.depth, color)


def text(window, font, letters, x, y, color):
    """Draw letters one after the other."""
    for letter in letters:
        glyph(window, font[letter], x, y, color)
        x = x + len(font[letter][0]) + 1


def brush(window, shape, path, count, color):
    """Draw a shape at each point of a path: two numbers of 16 bits, across and down.

    Where a point stands within a word is known only at run time, and decided there by one branch.
    """
    per_word = window.screen.word // window.depth

    def stamp(k):
        x, y = (load_sample(path, 32 * k + at, 16) for at in (0, 16))
        set_base(x, per_word, lambda x: glyph(window, shape, x, y, color))
        return k + 1

    loop(lambda k: k == count, stamp, lift(0))


FONT = {
    "I": ("###", " # ", " # ", " # ", "###"),
    "N": ("#  #", "## #", "# ##", "#  #", "#  #"),
    "T": ("###", " # ", " # ", " # ", " # "),
}
DOT = (" ## ", "####", "####", " ## ")


def main():
    """Draw on a screen of 64 by 16 pixels of 4 bits, and show what is left of `erase`."""
    screen = np.zeros((16, 8), np.uint32)
    window = Window(Memory("screen"), depth=4, pitch=8 * 32, left=5, top=2, width=53, height=11)
    erased = specialize(erase, window, 1)
    print(print_nest(erased.kernel))
    written = specialize(text, window, FONT, "TINT", unknown("x"), unknown("y"), 7)
    stroked = specialize(brush, window, DOT, Memory("path"), unknown("count"), 3)
    compile_program(erased)({"screen": screen.reshape(-1)})
    compile_program(written)({"screen": screen.reshape(-1)}, x=4, y=3)
    path = np.array([28 + 2 * k | (k + 1) << 16 for k in range(6)], np.uint32)
    compile_program(stroked)({"screen": screen.reshape(-1), "path": path}, count=len(path))
    for row in screen:
        pixels = row.view(np.uint8)
        print("".join(".-=o+x*#"[p & 7] for byte in pixels for p in (byte & 15, byte >> 4)))


if __name__ == "__main__":
    main()
