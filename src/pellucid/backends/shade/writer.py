"""A placed nest as the statements of a shader that computes one pixel: one scalar each, in structured control flow.

The loops over rows and columns are those of the device: what is placed in them stands in one function, once for each
pixel. What has no place is written into the expression that uses it, or named once if it is used more than once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...base.errors import BackendError
from ...ir import expr as E
from ...ir import prim as table
from ...ir import types as T
from ...ir.expr import LEAVES, Buffer, Expr, parts
from ...ir.nest import Block, For, If, Kernel, Let, Once, Repeat, Statement, Store
from ...reasoning.infer import FactsOf
from ..obligations import clashing, require_domain
from ..port import Ranges
from .spelling import ELEMENTS, GLSL, Language, ShaderText, Spelling, identifier, literal, template

MAX_TEXT = 90
"""Expressions longer than this get a name."""


class PixelWriter:
    """Writes the statements of a kernel around one store, whose value it calls `word`.

    `pixel` names the indices of the loops over rows and columns, and `prefix` stands before the names of parameters.
    Buffers of GLSL are textures, or else `arrays`. Raises BackendError for what no shader can do.
    """

    def __init__(
        self,
        kernel: Kernel,
        language: Language,
        ranges: Ranges,
        pixel: dict[Expr, str],
        *,
        prefix: str = "",
        arrays: bool = False,
    ) -> None:
        self.kernel, self.language, self.arrays = kernel, language, arrays
        self.facts = FactsOf(ranges)
        self.lines: list[str] = []
        self.helpers: dict[str, None] = {}
        self.buffers: dict[Buffer, str] = {}
        self._same: dict[Buffer, Buffer] = {}
        self.params: dict[Expr, str] = {}
        self._names: dict[Expr, ShaderText] = {}
        self._log: list[Expr] = []
        self._depth = 1
        self._counts: dict[str, int] = {}
        for param in kernel.params:
            self.params[param] = self._unique(identifier(param.attr))
            self._names[param] = ShaderText(prefix + self.params[param], closed=True, plain=True)
        for index, name in pixel.items():
            self._names[index] = ShaderText(name, closed=True, plain=True)
        self._block(kernel.body)

    # ---- names and lines ----

    def _unique(self, name: str) -> str:
        taken = set(self.params.values())
        found, k = name, 2
        while found in taken:
            found, k = f"{name}_{k}", k + 1
        return found

    def _fresh(self, prefix: str) -> str:
        self._counts[prefix] = self._counts.get(prefix, 0) + 1
        return f"{prefix}{self._counts[prefix]}"

    def _emit(self, line: str) -> None:
        self.lines.append("  " * self._depth + line)

    def _bind(self, node: Expr, name: str) -> None:
        self._names[node] = ShaderText(name, closed=True, plain=True)
        self._log.append(node)

    def _declare(self, node: Expr, prefix: str, text: ShaderText) -> None:
        """Name a value."""
        name, word = self._fresh(prefix), self.language.word(node.type, node.op)
        self._emit(self.language.constant.format(type=word, name=name, value=text.text))
        self._bind(node, name)

    def _variable(self, type_: T.Type, name: str) -> None:
        word = self.language.word(type_, "a choice or an iteration")
        self._emit(self.language.variable.format(type=word, name=name))

    def _scoped(self, write: Callable[[], None]) -> None:
        """Statements whose names end with them."""
        mark = len(self._log)
        self._depth += 1
        write()
        self._depth -= 1
        for node in self._log[mark:]:
            self._names.pop(node, None)
        del self._log[mark:]

    # ---- expressions ----

    def value(self, root: Expr) -> ShaderText:
        """An expression, after naming what it shares."""
        found = self._known(root)
        if found is not None:
            return found
        region = self._region(root)
        counts: dict[Expr, int] = {root: 1}
        spellings = [self._template(node) for node in region]
        for node, spelling in zip(region, spellings, strict=True):
            for k, a in enumerate(_operands(node)):
                counts[a] = counts.get(a, 0) + (1 if spelling is None else spelling.counts[k])
        texts: dict[Expr, ShaderText] = {}
        for node, spelling in zip(region, spellings, strict=True):
            if node.op == "iterate":
                self._iterate(node, (), texts)
                continue
            text = self._render(node, spelling, texts)
            if node is not root and (counts.get(node, 0) > 1 or len(text.text) > MAX_TEXT):
                self._declare(node, "s", text)
            else:
                texts[node] = text
        return texts[root] if root in texts else self._names[root]

    def _known(self, node: Expr) -> ShaderText | None:
        found = self._names.get(node)
        if found is None and node.op == "const":
            # It means the same in every scope, so its name is never taken back.
            found = self._names[node] = literal(node, self.language)
        return found

    def _must(self, node: Expr) -> ShaderText:
        found = self._known(node)
        if found is None:
            raise BackendError("has no value here", place=f"{node!r}", fix="declare it around its use")
        return found

    def _region(self, root: Expr) -> list[Expr]:
        """The nodes to be computed here, operands first."""
        seen: set[Expr] = set()
        stack = [root]
        while stack:
            node = stack.pop()
            if node not in seen and self._known(node) is None:
                seen.add(node)
                stack.extend(_operands(node))
        return sorted(seen, key=lambda n: n.id)

    def _template(self, node: Expr) -> Spelling | None:
        """The spelling of a row; None for other nodes."""
        if node.op in E.STRUCTURAL:
            return None
        return template(table.row(node.op), node.args[0].type, node.type, self.language)

    def _render(self, node: Expr, spelling: Spelling | None, texts: dict[Expr, ShaderText]) -> ShaderText:
        """The text of one node, given its spelling and the texts of operands without a name."""
        if node.op == "get":
            return self._must(node)
        if node.op in LEAVES:
            raise BackendError("has no value here", place=f"{node!r}", fix="declare it around its use")
        operands = [found if (found := texts.get(a)) is not None else self._must(a) for a in node.args]
        if node.op == "load":
            return self._load(node.attr, operands[0])
        if spelling is None:
            raise BackendError("is no expression", place=node.op)
        require_domain(table.row(node.op), node, self.facts)
        if spelling.helper is not None:
            self.helpers[spelling.helper] = None
        return spelling.fill(operands)

    def _load(self, buffer: Buffer, position: ShaderText) -> ShaderText:
        """An element, at a clamped position; of 8 or 16 bits as a word."""
        if buffer.data is None or buffer in self.kernel.outputs or buffer.type not in ELEMENTS:
            raise BackendError(
                f"loads {buffer.type} from {buffer.name!r}, which a shader cannot",
                place="load",
                fix=f"give it data in one of {', '.join(map(repr, ELEMENTS))}",
            )
        buffer = self._shared(buffer)
        name = self.buffers.setdefault(buffer, f"b{len(self.buffers) + 1}")
        at = self._fresh("at")
        word = self.language.word(T.i32, "load")
        inside = f"clamp({position.text}, 0, {buffer.size - 1})"
        self._emit(self.language.constant.format(type=word, name=at, value=inside))
        if self.language is GLSL and not self.arrays:
            across = min(buffer.size, row_length(buffer.size))
            return ShaderText(
                f"texelFetch({name}, ivec2({at} % {across}, {at} / {across}), 0).r", closed=True
            )
        if self.arrays:
            return ShaderText(f"{name}[{at}]", closed=True)
        return self._word(buffer, at)

    def _shared(self, buffer: Buffer) -> Buffer:
        """The first buffer of the same data: a text that stands twice in a picture is one bitmap."""
        if buffer not in self._same:
            alike = (b for b in self.buffers if b.type is buffer.type and b.size == buffer.size)
            own = _bytes(buffer)
            self._same[buffer] = next((b for b in alike if np.array_equal(_bytes(b), own)), buffer)
        return self._same[buffer]

    def _word(self, buffer: Buffer, at: str) -> ShaderText:
        """An element in WGSL, where all buffers stand in one, each from a word on."""
        offset = offsets(list(self.buffers))[buffer]
        each = 32 // buffer.type.bits
        if each == 1:
            word = f"data[{offset} + {at}]"
            return ShaderText(
                word if buffer.type is T.u32 else f"bitcast<{buffer.type}>({word})", closed=True
            )
        shift = f"u32({at} % {each}) * {buffer.type.bits}u"
        return ShaderText(f"(data[{offset} + {at} / {each}] >> ({shift})) & {(1 << buffer.type.bits) - 1}u")

    # ---- statements ----

    def _block(self, block: Block) -> None:
        for s in block:
            self._statement(s)

    def _statement(self, s: Statement) -> None:
        match s:
            case Let(value):
                if value not in self._names:
                    text = self.value(value)
                    # An iteration names its components itself.
                    if value not in self._names and value.op != "const":
                        self._declare(value, "t", text)
            case Repeat(value, body):
                if value not in self._names:
                    self._iterate(value, body, {})
            case Once(body=body):
                # Here no later pixel could use what is remembered.
                self._block(body)
            case For(index=index, body=body) if index in self._names:
                self._block(body)
            case Store():
                word = self.language.word(T.u32, "the pixel")
                text = self.value(s.value).text
                self._emit(self.language.constant.format(type=word, name="word", value=text))
            case If(selects=selects) if selects:
                self._decide(s)
            case _:
                raise BackendError(
                    "is a statement that no shader of one pixel has", place=type(s).__name__.lower()
                )

    def _decide(self, s: If) -> None:
        """Choices on one condition."""
        condition = self.value(s.condition).text
        names = [self._fresh("t") for _ in s.selects]
        for select, name in zip(s.selects, names, strict=True):
            self._variable(select.type, name)
        for head, block, k in ((f"if ({condition}) {{", s.then, 1), ("} else {", s.orelse, 2)):
            self._emit(head)

            def side(block: Block = block, k: int = k) -> None:
                self._block(block)
                for select, name in zip(s.selects, names, strict=True):
                    self._emit(f"{name} = {self.value(select.args[k]).text};")

            self._scoped(side)
        self._emit("}")
        for select, name in zip(s.selects, names, strict=True):
            self._bind(select, name)

    def _iterate(self, node: Expr, body: Block, texts: dict[Expr, ShaderText]) -> None:
        """A bounded loop over the components of a state; their names go on as the components of the result."""
        init, step, stop, limit = parts(node)
        for early in clashing(node):
            self.value(early)

        def text(a: Expr) -> ShaderText:
            found = texts.get(a)
            return found if found is not None else self.value(a)

        prefix = self._fresh("v")
        names = [f"{prefix}_{k}" for k in range(len(init))]
        most = text(limit)
        for a, name in zip(init, names, strict=True):
            start = text(a).text
            self._variable(a.type, name)
            self._emit(f"{name} = {start};")
        count = self._fresh("n")
        counter = self.language.counter
        self._emit(f"for ({counter} {count} = 0; {count} < {most.operand}; {count}++) {{")

        def inner() -> None:
            for k, name in enumerate(names):
                self._bind(E.state(node.attr[0], k, init[k].type), name)
            self._block(body)
            self._emit(f"if ({self.value(stop).text}) {{ break; }}")
            self._advance(step, names)

        self._scoped(inner)
        self._emit("}")
        self._bind(node, names[0])
        for k, name in enumerate(names):
            self._bind(E.get(node, k), name)

    def _advance(self, step: Sequence[Expr], names: list[str]) -> None:
        """All components of a state to their next values at once."""
        new = [(name, a, self.value(a)) for name, a in zip(names, step, strict=True)]
        moving = [(name, a, text) for name, a, text in new if text.text != name]
        if len(moving) == 1:
            self._emit(f"{moving[0][0]} = {moving[0][2].text};")
            return
        for name, a, text in moving:
            word = self.language.word(a.type, a.op)
            self._emit(self.language.constant.format(type=word, name=f"{name}_next", value=text.text))
        for name, _, _ in moving:
            self._emit(f"{name} = {name}_next;")


def offsets(buffers: Sequence[Buffer]) -> dict[Buffer, int]:
    """Where each buffer begins, in words, if they stand one after the other; each fills whole words.

    >>> from pellucid.ir.expr import Buffer
    >>> [*offsets([Buffer("a", T.u8, 5), Buffer("b", T.f32, 3), Buffer("c", T.u8, 1)]).values()]
    [0, 2, 5]
    """
    found: dict[Buffer, int] = {}
    end = 0
    for buffer in buffers:
        found[buffer] = end
        end += -(-buffer.size * buffer.type.bits // 32)
    return found


def row_length(size: int) -> int:
    """The elements in a row of the texture that holds a buffer: 2048, as every WebGL2 can, or 4096 of large ones.

    >>> row_length(3), row_length(5_000_000)
    (2048, 4096)
    """
    return 2048 if size <= 2048 * 2048 else 4096


def _bytes(buffer: Buffer) -> np.ndarray[Any, Any]:
    return np.ascontiguousarray(buffer.data).view(np.uint8)


def _operands(node: Expr) -> tuple[Expr, ...]:
    """The operands that are computed before a node: not the body of an iterate."""
    if node.op == "iterate":
        n = node.attr[1]
        return (*node.args[:n], node.args[-1])
    return node.args
