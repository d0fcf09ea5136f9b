"""What a program of the suite is: a kernel in text, and how to run it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...base.record import record


@record
class ConformanceProgram:
    """A kernel in text; `counts` are lengths relative to the lanes; random memory is within `spread` and `whole`."""

    name: str
    text: str
    counts: tuple[int, ...] = ()
    spread: float = 4.0
    whole: int = 60

    def cases(self, width: int) -> Iterator[dict[str, Any]]:
        """The arguments of each run: lengths below, at and above multiples of the lanes; none if it takes none."""
        if "count: i32" not in self.text:
            yield {}
            return
        yield from (
            {"count": n} for n in sorted({0, 1, width - 1, width, width + 1, 2 * width, 40, *self.counts})
        )
