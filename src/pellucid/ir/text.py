"""The text of expressions and nests: printed to be read, and parsed back to the identical thing by `parse`.

Infix where the table gives a symbol, calls elsewhere; a node used more than once gets a name, so a DAG never explodes.
A line ``t1 = …`` is a place (`Let`); a line ``s1 := …`` merely abbreviates a shared node that has no place.
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Sequence

from ..base.deep_stack import with_deep_stack
from . import nest as N
from . import prim as table
from . import types as T
from .expr import Buffer, Expr, buffers, parts, topological

LOWEST = 0
CHOOSE = 0
UNARY = 8
MAX_BRIEF = 6
"""The nodes of a shared expression that a plain text still writes out, again and again."""
MAX_HEIGHT = 100
"""Terms within terms on one line: more of them nobody reads, and a parser that recurses does not either."""
_WAYS = {"lanes": " by {} lanes", "spread": " spread over bands of {}", "grid": " on a grid in blocks of {}"}


class Printer:
    """Prints nodes of one program, giving names to shared ones.

    A plain text is for people only: types go without saying, and a buffer of one element is called by its name.
    """

    def __init__(self, *, plain: bool = False) -> None:
        """Start with no names."""
        self.plain = plain
        self.names: dict[Expr, str] = {}
        self.declared: set[Expr] = set()
        # Buffers that are stored to, and the abbreviations that load from each of them.
        self.mutable: set[Buffer] = set()
        self.passing: dict[Buffer, list[Expr]] = {}
        self.counts = {"s": 0, "t": 0}
        # The nodes with abbreviations, in order: a block forgets those that it made.
        self.brief: list[Expr] = []
        self.starts: list[int] = []

    def name(self, node: Expr, prefix: str) -> str:
        """Give a node the next name with that prefix; a node with several places keeps its name."""
        if self.names.get(node, "").startswith(prefix):
            return self.names[node]
        self.counts[prefix] += 1
        self.names[node] = f"{prefix}{self.counts[prefix]}"
        return self.names[node]

    def const(self, node: Expr) -> str:
        """A literal; the types f32, i32 and bool go without a suffix."""
        value, type_ = node.attr, node.type
        if type_ is T.boolean:
            return "true" if value else "false"
        if type_.is_integer:
            text = str(value)
            return text if type_ is T.i32 or self.plain else f"{text}:{type_.name}"
        if math.isnan(value):
            text = "nan"
        elif math.isinf(value):
            text = "inf" if value > 0 else "-inf"
        else:
            text = str(type_.dtype.type(value)) if type_ is T.f32 else repr(value)
            if "." not in text and "e" not in text:
                text += ".0"
        return text if type_ is T.f32 or self.plain else f"{text}:{type_.name}"

    def leaf(self, node: Expr) -> str:
        """A leaf; a param or an index tells its type unless it was declared or is of the usual type."""
        if node.op == "const":
            return self.const(node)
        if node.op == "state":
            depth, position = node.attr
            return f"@{depth}.{position}:{node.type}"
        mark = "$" if node.op == "param" else "%"
        if node in self.declared or self.plain:
            return str(node.attr)
        usual = T.i32 if node.op == "index" else None
        return f"{mark}{node.attr}" + ("" if node.type is usual else f":{node.type}")

    def show(self, node: Expr, level: int = LOWEST, *, whole: bool = False) -> str:
        """The text of a node in a context of that precedence; `whole` looks behind the node's own name."""
        if not whole and node in self.names:
            return self.names[node]
        if not node.args and node.op in ("const", "param", "index", "state"):
            text = self.leaf(node)
            return f"({text})" if text.startswith("-") and level > LOWEST else text
        if node.op == "load":
            return self.element(node.attr, node.args[0])
        if node.op == "get":
            return f"{self.show(node.args[0], UNARY)}.{node.attr}"
        if node.op == "iterate":
            return self.iterate(node)
        row = table.row(node.op)
        if node.op == "choose":
            c, a, b = (self.show(x, 1) for x in node.args)
            text = f"if {c} then {a} else {b}"
            return f"({text})" if level > CHOOSE else text
        if row.symbol and len(node.args) == 2:
            symbol, own = row.symbol
            # Comparisons do not chain, and left operands associate.
            left = own + 1 if own == 4 else own
            text = f"{self.show(node.args[0], left)} {symbol} {self.show(node.args[1], own + 1)}"
            return f"({text})" if level > own else text
        arguments = ", ".join(self.show(a) for a in node.args)
        if row.result == "@":
            return f"{node.op}.{node.type}({arguments})"
        return f"{node.op}({arguments})"

    def element(self, buffer: Buffer, position: Expr) -> str:
        """An element of a buffer, as it is loaded or stored."""
        if self.plain and buffer.size == 1 and position.op == "const" and position.attr == 0:
            return buffer.name
        return f"{buffer.name}[{self.show(position)}]"

    def iterate(self, node: Expr) -> str:
        """An iterate, with the names of its bound variables as ``@depth.k``."""
        init, step, stop, limit = parts(node)
        start = ", ".join(self.show(a) for a in init)
        after = ", ".join(self.show(a) for a in step)
        return f"iterate {node.attr[0]} ({start}) to ({after}) until {self.show(stop)} limit {self.show(limit)} end"

    def abbreviations(self, roots: Sequence[Expr]) -> list[str]:
        """Name nodes that have no name yet and are shared or stand on too many others; their lines in order of need."""
        counts = _uses(roots, self.names)
        lines: list[str] = []
        heights: dict[Expr, int] = {}
        for node in counts:
            # Under a name begins a line of its own.
            below = [0 if a in self.names else heights.get(a, 0) for a in node.args]
            heights[node] = 1 + max(below, default=0)
            if not node.args or node in self.names or (self.plain and len(topological([node])) <= MAX_BRIEF):
                continue
            if counts[node] > 1 or node.op == "iterate" or heights[node] > MAX_HEIGHT:
                line = self.show(node)
                lines.append(f"{self.name(node, 's')} := {line}")
                self.brief.append(node)
                if self.mutable:
                    for buffer in self.mutable.intersection(buffers([node])):
                        self.passing.setdefault(buffer, []).append(node)
        return lines

    def leave(self, mark: int) -> None:
        """Drop the abbreviations made since there were so many: they end with their block."""
        for node in self.brief[mark:]:
            if self.names.get(node, "").startswith("s"):
                del self.names[node]
        del self.brief[mark:]

    def forget(self, stored: Iterable[Buffer]) -> None:
        """Drop the abbreviations that load from memory that is stored to: further down they would mislead."""
        for buffer in stored:
            for node in self.passing.pop(buffer, ()):
                if self.names.get(node, "").startswith("s"):
                    del self.names[node]


def _uses(roots: Sequence[Expr], named: Container[Expr] = ()) -> dict[Expr, int]:
    """The number of times that each node is written, operands before users, in the order of reading.

    The order is that of the text and not of the nodes' age: what is read is as old as its text says.
    """
    counts: dict[Expr, int] = {}
    order: list[Expr] = []
    stack = [(r, False) for r in reversed(roots)]
    while stack:
        node, done = stack.pop()
        if done:
            order.append(node)
            continue
        counts[node] = counts.get(node, 0) + 1
        # What lies under a named node is written there, not here.
        if counts[node] == 1 and node not in named:
            stack.append((node, True))
            stack += [(a, False) for a in reversed(node.args)]
    return {node: counts[node] for node in order}


def print_expr(*roots: Expr) -> str:
    """The text of expressions: lines for shared nodes, then one line per root. One root is the usual case.

    >>> from .expr import apply, param
    >>> x = param("x", T.f32)
    >>> y = apply("add", x, x)
    >>> print(print_expr(apply("mul", y, y)))
    s1 := $x:f32 + $x:f32
    s1 * s1
    """
    printer = Printer()
    lines = [f"buffer {b!r}" for b in buffers(roots)]
    lines += printer.abbreviations(roots)
    lines += [printer.show(r) for r in roots]
    return "\n".join(lines)


def print_nest(kernel: N.Kernel, names: dict[Expr, str] | None = None) -> str:
    """The text of a kernel: a header with its parameters and buffers, then its statements, indented.

    The names given to nodes are left in `names`.
    """

    def work() -> str:
        printer = Printer()
        printer.names = dict(names or {})
        lines = nest_lines(kernel, printer)
        if names is not None:
            names.update(printer.names)
        return "\n".join(lines) + "\n"

    return with_deep_stack(work)


def nest_lines(kernel: N.Kernel, printer: Printer) -> list[str]:
    """The lines of a kernel; `printer.starts` says on which of them each statement starts, outer ones first."""
    printer.declared.update(kernel.params)
    printer.mutable = {s.buffer for s in N.walk(kernel.body) if isinstance(s, N.Store)}
    head = ", ".join(f"{p.attr}: {p.type}" for p in kernel.params)
    lines = [f"kernel {kernel.name}({head}):"]
    lines += [f"  output {b!r}" for b in kernel.outputs]
    loaded = dict.fromkeys(n.attr for n in _uses(N.all_roots(kernel.body)) if n.op == "load")
    inputs = set(N.inputs(kernel))
    lines += [f"  input {b!r}" for b in loaded if b in inputs]
    _print_block(kernel.body, printer, lines, 1)
    return lines


def _print_block(block: N.Block, printer: Printer, lines: list[str], depth: int) -> None:
    pad = "  " * depth

    def body(inner: N.Block, *, again: bool = False) -> None:
        # Names given inside a block end with it, but numbers go on, so that a name means one thing.
        if again:
            printer.forget(list(printer.passing))
        if inner:
            mark = len(printer.brief)
            _print_block(inner, printer, lines, depth + 1)
            printer.leave(mark)
        else:
            lines.append(f"{pad}  pass")

    for s in block:
        shared = [s.condition] if isinstance(s, N.If) and s.selects else list(N.roots(s))
        if isinstance(s, N.Once):
            printer.starts.append(len(lines))
            head = len(lines)
            lines.append("")
            body(s.body)
            kept = ", ".join(printer.name(v, "t") for v in s.values)
            lines[head] = f"{pad}once in {s.across} loop{'s' if s.across > 1 else ''}, keep {kept}:"
            continue
        if isinstance(s, N.Repeat):
            _print_repeat(s, printer, lines, depth)
            continue
        lines += [pad + line for line in printer.abbreviations(shared)]
        printer.starts.append(len(lines))
        match s:
            case N.Let(value):
                text = printer.show(value, whole=True)
                lines.append(f"{pad}{printer.name(value, 't')} = {text}")
            case N.Store(buffer, position, value):
                lines.append(f"{pad}{printer.element(buffer, position)} := {printer.show(value)}")
                printer.forget([buffer])
            case N.For(index, lo, hi, inner, how):
                known = index in printer.declared
                type_ = "" if index.type is T.i32 or printer.plain else f": {index.type}"
                bounds = f"{printer.show(lo)} .. {printer.show(hi)}"
                way = _WAYS.get(how.kind, "").format(how.count)
                lines.append(f"{pad}for {index.attr}{type_} in {bounds}{way}:")
                printer.declared.add(index)
                body(inner, again=True)
                if not known:
                    printer.declared.discard(index)
            case N.While(condition, inner):
                lines.append(f"{pad}while {printer.show(condition)}:")
                body(inner, again=True)
            case N.If(condition, then, orelse, selects):
                lines.append(f"{pad}if {printer.show(condition)}:")
                body(then)
                if orelse:
                    lines.append(f"{pad}else:")
                    body(orelse)
                lines += [pad + line for line in printer.abbreviations([a for p in selects for a in p.args])]
                for p in selects:
                    text = printer.show(p, whole=True)
                    lines.append(f"{pad}select {printer.name(p, 't')} = {text}")
            case N.Abstract(name):
                lines.append(f"{pad}abstract {name}")
            case N.Alloc(sizes, inner):
                # Arrays side by side, of which the last opens the block.
                lines += [pad + _allocated(buffer, size, printer) for buffer, size in sizes.items()]
                lines[-1] += ":"
                body(inner)


def _print_repeat(s: N.Repeat, printer: Printer, lines: list[str], depth: int) -> None:
    """Write a repeat, whose line stands first and is made last: it calls the step by the names given in the body."""
    init, step, stop, limit = parts(s.value)
    pad = "  " * depth
    lines += [pad + line for line in printer.abbreviations([*init, limit])]
    printer.starts.append(len(lines))
    head = len(lines)
    lines.append("")
    mark = len(printer.brief)
    _print_block(s.body, printer, lines, depth + 1)
    lines += [f"{pad}  {line}" for line in printer.abbreviations([*step, stop])]
    if len(lines) == head + 1:
        lines.append(f"{pad}  pass")
    text = printer.show(s.value, whole=True)
    printer.leave(mark)
    lines[head] = f"{pad}repeat {printer.name(s.value, 't')} = {text}:"


def _allocated(buffer: Buffer, size: Expr, printer: Printer) -> str:
    if printer.plain:
        return f"local {buffer.name}" + ("" if buffer.size == 1 else f"[{printer.show(size)}]")
    return f"alloc {buffer.name}: {buffer.type}[{printer.show(size)}]"
