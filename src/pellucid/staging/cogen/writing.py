"""The Python text of an extension while it is written: lines, variables, constants, and the stream that it extends."""

from __future__ import annotations

import re
from collections.abc import Generator as Steps
from contextlib import contextmanager
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pellucid.staging.cogen.extension import Extension
    from pellucid.staging.cogen.generator import Generator
    from pellucid.staging.root.program import RootPrim


class Writer:
    """Lines of one function. `out` is the Python variable of the stream that is extended at this point.

    Parameters: `args` are those after the stream, each after a comma; `count` is the number of the last variable.
    """

    def __init__(
        self,
        generator: Generator,
        owner: Extension,
        name: str,
        args: str = "",
        count: int = 0,
    ) -> None:
        self.generator = generator
        self.owner = owner
        self.lines = [f"def {name}(out{args}):"]
        self.name = name
        self.places: list[int] = []
        """Lines of this text and of the interpreter in turn: from the one on, instructions are of the other."""
        self.out = "out"
        self.place = owner.code.name
        self.point: str | None = None
        """The place that errors of the residual instruction name, where the interpreter's instruction has a line."""
        self._indent = " "
        self.count = count

    def put(self, line: str) -> None:
        """Append a line."""
        self.lines.append(self._indent + line)

    def at(self, instruction: RootPrim) -> None:
        """Take note of the line of the interpreter that an instruction is of, if its variable's name tells it."""
        line = line_of(instruction.name)
        self.point = instruction.place or (f"{self.owner.function}:{line}" if line else None)
        places, now = self.places, len(self.lines)
        while places and places[-2] >= now:
            del places[-2:]
        if line and (not places or places[-1] != line):
            places += (now, line)

    @contextmanager
    def indented(self) -> Steps[None]:
        """Within a block of Python."""
        before = self._indent
        self._indent += " "
        try:
            yield
        finally:
            self._indent = before

    def depth(self) -> int:
        """The number of blocks around this point."""
        return len(self._indent)

    def variable(self, stem: str = "v") -> str:
        """A new Python variable."""
        self.count += 1
        return f"{worded(stem)}_{self.count}"

    def assigned(self, stem: str, source: str) -> str:
        """A new Python variable with a value."""
        name = self.variable(stem)
        self.put(f"{name} = {source}")
        return name

    def literal(self, value: Any) -> str:
        """The Python expression of a constant."""
        if value is None or isinstance(value, bool | str):
            return repr(value)
        if isinstance(value, int) and abs(value) < 1 << 64:
            return f"({value!r})"
        return self.global_of(value)

    def global_of(self, value: Any) -> str:
        """The name of an object among the globals of extensions."""
        return self.generator.global_of(value)

    def emit(self, name: str, primitive: str, args: list[str], point: str | None = None) -> str:
        """Write what emits a primitive; the Python variable of its residual one."""
        variable = self.variable(name)
        inner = f"({', '.join(args)},)" if args else "()"
        self.put(f"{variable} = f'{stem(name)}{{next(rt.fresh)}}'")
        self.put(f"{self.out}.append(new(Prim, ({variable}, {primitive!r}, {inner}, {point!r})))")
        return variable


@lru_cache(maxsize=1 << 12)
def worded(name: str) -> str:
    """A name with letters and digits only, as Python takes it."""
    return re.sub(r"[^a-zA-Z0-9]", "_", name)


@lru_cache(maxsize=1 << 12)
def line_of(name: str) -> int:
    """The line that is part of a variable's name, as in `$12_3`, the third one of line 12; 0 for other names.

    >>> line_of("$12_3"), line_of("total")
    (12, 0)
    """
    found = _LINE.search(name)
    return int(found[1]) if found else 0


_LINE = re.compile(r"\$(\d+)_")


@lru_cache(maxsize=1 << 12)
def stem(name: str) -> str:
    """The letters of a variable's name, for those made of it."""
    return re.sub(r"[^a-zA-Z_]", "", name).strip("_") or "v"
