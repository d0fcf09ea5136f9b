"""The text of one LLVM function while it is written: lines, fresh names, blocks, and the entry block.

The lowest part: it knows no expression. A line that is written may grow: what belongs right after it is appended to it.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import NamedTuple


class Place(NamedTuple):
    """A point in the text: the number of lines before it, and the label of its block."""

    line: int
    label: str


class Emitter:
    """Collects the lines of a function. Names and labels are counted together, so that none occurs twice.

    >>> out = Emitter()
    >>> out.let("add i8 1, 2")
    '%v1'
    >>> out.lines
    ['entry:', '%v1 = add i8 1, 2']
    """

    def __init__(self) -> None:
        # The first line collects the entry block: arguments, addresses of buffers, stack slots.
        self.lines: list[str] = ["entry:"]
        self.label = "entry"
        self._count = 0
        self._declared: set[str] = set()

    # ---- lines ----

    def fresh(self, kind: str = "v") -> str:
        """A new name for a value."""
        self._count += 1
        return f"%{kind}{self._count}"

    def emit(self, line: str) -> None:
        """Add a line to the current block."""
        self.lines.append(line)

    def let(self, right: str) -> str:
        """A new name for the right-hand side."""
        self._count += 1
        name = f"%v{self._count}"
        self.lines.append(f"{name} = {right}")
        return name

    def append(self, line: int, text: str) -> None:
        """Add text right after a line that is written."""
        self.lines[line] += "\n" + text

    def complete(self, line: int, text: str) -> None:
        """Add text to the end of a line that was left open."""
        self.lines[line] += text

    # ---- the entry block ----

    def enter(self, text: str) -> None:
        """Add text to the entry block."""
        self.lines[0] += "\n" + text

    def is_new(self, name: str) -> bool:
        """Whether a name of the entry block is asked for the first time."""
        if name in self._declared:
            return False
        self._declared.add(name)
        return True

    def once(self, name: str, *lines: str) -> str:
        """A value of the entry block, written when it is first asked for."""
        if self.is_new(name):
            for line in lines:
                self.enter(line)
        return name

    # ---- blocks ----

    def new_label(self) -> str:
        """A new label, to be opened with `open`."""
        self._count += 1
        return f"L{self._count}"

    def start_block(self, label: str) -> None:
        """Begin a block."""
        self.lines.append(f"{label}:")
        self.label = label

    def jump(self, label: str) -> None:
        """End the block by a jump."""
        self.lines.append(f"br label %{label}")

    def branch(self, condition: str, then: str, orelse: str) -> None:
        """End the block by a branch."""
        self.lines.append(f"br i1 {condition}, label %{then}, label %{orelse}")

    def place(self) -> Place:
        """The end of the text, to be given to `cut`."""
        return Place(len(self.lines), self.label)

    def cut(self, place: Place) -> None:
        """Take back the lines that were written after a place."""
        del self.lines[place.line :]
        self.label = place.label

    @contextmanager
    def counting(self, count: int, step: int) -> Generator[str]:
        """A loop around the text that is written meanwhile: gives its number, from 0 by `step` to before `count`."""
        before, head, after = self.label, self.new_label(), self.new_label()
        self.jump(head)
        self.start_block(head)
        number = self.let(f"phi i64 [ 0, %{before} ], [ %{head}.k, %{head}.latch ]")
        yield number
        self.jump(f"{head}.latch")
        self.start_block(f"{head}.latch")
        self.emit(f"%{head}.k = add i64 {number}, {step}")
        self.branch(self.let(f"icmp eq i64 %{head}.k, {count}"), after, head)
        self.start_block(after)
