"""What loops keep, as C: a flag and a variable for each value, declared before the loop, set when it is first reached.

Below `source`, which writes the statements; see `Once` in `ir.nest`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator
from contextlib import contextmanager

from ...ir import expr as E
from ...ir.expr import Expr
from ...ir.nest import Block, Once
from ...reasoning.kept import kept_by, remembered
from .lines import LineWriter
from .spelling import Text, typed


class PlaceWriter(LineWriter, ABC):
    """Writes places that are computed when they are first reached."""

    def __init__(self) -> None:
        super().__init__()
        # Of the loops around: the name of what says whether some values are known, and their own.
        self.kept: dict[tuple[Expr, ...], tuple[str, list[str]]] = {}

    @abstractmethod
    def block(self, block: Block) -> None:
        """Write the statements of a block, in the scope around."""

    @abstractmethod
    def value(self, root: Expr) -> Text:
        """An expression, after naming what it shares."""

    @contextmanager
    def keeping(self, body: Block) -> Generator[None]:
        """Around a loop: declare what its body keeps, of which nothing is known yet."""
        outer = self.kept
        self.kept = dict(outer)
        for values in dict.fromkeys(s.values for s in kept_by(body)):
            flag = self.fresh("k")
            self.emit(f"bool {flag} = false;")
            self.declared.append((len(self.lines) - 1, flag))
            names = [self.fresh("t") for _ in remembered(values)]
            for v, name in zip(remembered(values), names, strict=True):
                self.emit(f"{typed(v.type)} {name} = 0;")
                self.declared.append((len(self.lines) - 1, name))
            self.kept[values] = flag, names
        yield
        self.kept = outer

    def keep(self, s: Once) -> None:
        """Places that are computed the first time, and what they keep."""
        flag, names = self.kept[s.values]
        self.used.add(flag)

        def first() -> None:
            self.block(s.body)
            for v, name in zip(remembered(s.values), names, strict=True):
                self.emit(f"{name} = {self.value(v).bare};")
            self.emit(f"{flag} = true;")

        self.emit(f"if (!{flag}) {{")
        self.scoped(first)
        self.emit("}")
        for v, name in zip(remembered(s.values), names, strict=True):
            self.bind(v, name)
        for v in s.values:
            if v.op == "iterate":
                self.bind(v, names[remembered(s.values).index(E.get(v, 0))])
