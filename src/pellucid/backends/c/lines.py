"""Lines of C and the names in them: each is declared once, and noted when it is used.

Below `kept` and `source`, which write the statements.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager

from ...ir.expr import Expr
from .spelling import Text, identifier, typed


class LineWriter:
    """Writes lines, indented by `depth` steps, and gives nodes names in scopes."""

    def __init__(self) -> None:
        self.depth = 1
        self.names: dict[Expr, Text] = {}
        self.log: list[Expr] = []
        self.lines: list[str] = []
        self.counts = {"t": 0, "s": 0, "n": 0, "k": 0}
        self.used: set[str] = set()
        self.declared: list[tuple[int, str]] = []
        self.taken: set[str] = set()

    def unique(self, name: str) -> str:
        """A C name that is not taken."""
        found = identifier(name)
        while found in self.taken:
            found += "_"
        self.taken.add(found)
        return found

    def fresh(self, prefix: str) -> str:
        """The next name with a prefix."""
        self.counts[prefix] += 1
        return f"{prefix}{self.counts[prefix]}"

    def emit(self, line: str) -> None:
        """Add a line."""
        self.lines.append("    " * self.depth + line)

    def use(self, text: Text) -> Text:
        """Note that a name was used."""
        if text.plain:
            self.used.add(text.text)
        return text

    def copy(self, node: Expr, text: Text, qualifier: str) -> Text:
        """A variable with the value of a text."""
        name = self.fresh("s")
        self.emit(f"{qualifier}{typed(node.type)} {name} = {text.bare};")
        return Text(name, closed=True, plain=True)

    def declare(self, node: Expr, name: str, line: str) -> None:
        """Add the line that declares a node's name."""
        self.emit(line)
        self.declared.append((len(self.lines) - 1, name))
        self.bind(node, name)

    def bind(self, node: Expr, name: str) -> None:
        """Give a node a name in the scope around."""
        self.names[node] = Text(name, closed=True, plain=True)
        self.log.append(node)

    def aside(self, write: Callable[[], None]) -> list[str]:
        """The lines that something writes, kept apart; what they declare is found again when they are put back."""
        lines, self.lines = self.lines, []
        declared, self.declared = self.declared, []
        write()
        found, self.lines = self.lines, lines
        for at, name in self.declared:
            found[at] += f"\0{name}"
        self.declared = declared
        return found

    def put(self, lines: list[str]) -> None:
        """Add lines that were kept apart."""
        for line in lines:
            text, _, name = line.partition("\0")
            self.lines.append(text)
            if name:
                self.declared.append((len(self.lines) - 1, name))

    @contextmanager
    def indented(self) -> Generator[None]:
        """Write lines one step further in."""
        self.depth += 1
        yield
        self.depth -= 1

    def scoped(self, write: Callable[[], None]) -> None:
        """Write lines one step further in, and forget the names that they bind."""
        mark = len(self.log)
        with self.indented():
            write()
        for node in self.log[mark:]:
            self.names.pop(node, None)
        del self.log[mark:]
