"""Placed nests as readable C99: the same loops, branches and names as in the text of the nest, one element at a time.

Every value is computed where the nest places it; what has no place is written into the expression that uses it, or
named once if it is used more than once. Loops by lanes are plain loops here: the C compiler makes vectors of its own.
"""

from __future__ import annotations

from collections.abc import Container, Sequence

from ...base.errors import BackendError
from ...ir import expr as E
from ...ir import prim as table
from ...ir import types as T
from ...ir.expr import LEAVES, Buffer, Expr, parts
from ...ir.facts import Facts
from ...ir.nest import Alloc, Block, For, If, Let, Once, Repeat, Statement, Store, While
from ...reasoning.infer import FactsOf
from ..jit.polling import POLL_INTERVAL
from ..obligations import Proofs, clashing, nodes_of, reads_of_written, require_domain, stored_buffers
from ..port import CallingPlan, Ranges
from .clipping import (
    HELPER_BEGIN,
    HELPER_END,
    HELPER_PRAGMA,
    PRAGMA,
    ClippedLoop,
    clipped,
    is_parallel,
    loaded_first,
)
from .gathering import by_word
from .kept import PlaceWriter
from .spelling import (
    HELPER_INSIDE,
    CTemplate,
    Text,
    form,
    helper_bits,
    is_of_truths,
    literal,
    negates,
    truth_form,
    typed,
)

MAX_TEXT = 90
"""Expressions longer than this get a name."""


class CSource(PlaceWriter):
    """Writes statements of a kernel as lines of C.

    The loop `band` is restricted to ``begin .. end``, which must then be in scope. Where it `polls`, loops that may
    go on for ever call the function named `ask` now and then. Buffers that are `padded` can be read by whole words.
    """

    def __init__(
        self,
        plan: CallingPlan,
        block: Block,
        ranges: Ranges,
        proofs: Proofs,
        *,
        band: For | None = None,
        polls: bool = False,
        padded: Container[Buffer] = (),
    ) -> None:
        super().__init__()
        self.padded = padded
        self.proofs, self.written, self.band = proofs, block, band
        self.facts = FactsOf(ranges)
        self.stale = reads_of_written(block, nodes_of(block))
        self.helpers: dict[str, str] = {}
        self.clip: ClippedLoop | None = None
        self.side_by_side = False
        self.private = {b: plan.least[b] for b in plan.private}
        self.buffers = {b: self.unique(b.name) for b in (*plan.buffers, *self.private)}
        self.sizes = {b: self.unique(f"{b.name}_size") for b in plan.buffers}
        self.sizes |= {b: str(n) for b, n in self.private.items()}
        self.params = {p: self.unique(p.attr) for p in plan.kernel.params}
        self.ask = self.unique("ask") if polls else ""
        for p, name in self.params.items():
            self.names[p] = Text(name, closed=True, plain=True)

    def body(self) -> list[str]:
        """The statements, indented by one step."""
        self.block(self.written)
        for at, name in reversed(self.declared):
            if name not in self.used:
                pad = self.lines[at][: len(self.lines[at]) - len(self.lines[at].lstrip())]
                self.lines.insert(at + 1, f"{pad}(void){name};")
        return self.lines

    # ---- values ----

    def forget_reads(self, written: Block) -> None:
        """Forget every value that was read from buffers that a block stores to."""
        if self.stale:
            buffers = stored_buffers(written)
            for node, reads in self.stale.items():
                if node in self.names and not buffers.isdisjoint(reads):
                    del self.names[node]

    # ---- expressions ----

    def value(self, root: Expr) -> Text:
        """An expression, after naming what it shares."""
        found = self.known(root)
        if found is not None:
            return found
        region = self.region(root)
        counts: dict[Expr, int] = {root: 1}
        for node in region:
            for k, a in enumerate(self.operands(node)):
                counts[a] = counts.get(a, 0) + self.repeats(node, k)
        texts: dict[Expr, Text] = {}
        for node in region:
            if node.op == "iterate":
                self.iterate(node, (), texts)
                continue
            text = self.render(node, texts)
            if node is not root and (counts.get(node, 0) > 1 or len(text.text) > MAX_TEXT):
                name = self.fresh("s")
                self.declare(node, name, f"const {typed(node.type)} {name} = {text.bare};")
            else:
                texts[node] = text
        return texts[root] if root in texts else self.names[root]

    def named(self, root: Expr) -> Text:
        """An expression that may be repeated: a name or a literal."""
        text = self.value(root)
        if not text.plain:
            name = self.fresh("s")
            self.declare(root, name, f"const {typed(root.type)} {name} = {text.bare};")
            text = self.use(self.names[root])
        return text

    def known(self, node: Expr) -> Text | None:
        """The text of a node that needs no computing here, which is now used."""
        found = self.peek(node)
        return None if found is None else self.use(found)

    def peek(self, node: Expr) -> Text | None:
        """The text of a node that needs no computing here."""
        found = self.names.get(node)
        if found is not None:
            return found
        if node.op == "const":
            return literal(node)
        if node.type is T.boolean and node.args and node.op not in E.STRUCTURAL:
            # Compilers warn of comparisons that always come out the same.
            facts = self.facts(node)
            if facts.lo == facts.hi:
                return Text("true" if facts.lo else "false", closed=True, plain=True)
        return None

    def region(self, root: Expr) -> list[Expr]:
        """The nodes to be computed here, operands first."""
        seen: set[Expr] = set()
        stack = [root]
        while stack:
            node = stack.pop()
            if node not in seen and self.peek(node) is None:
                seen.add(node)
                stack.extend(self.operands(node))
        return sorted(seen, key=lambda n: n.id)

    def operands(self, node: Expr) -> tuple[Expr, ...]:
        """The operands that are computed before a node: not the body of an iterate."""
        if node.op == "iterate":
            n = node.attr[1]
            return (*node.args[:n], node.args[-1])
        return node.args

    def form_of(self, node: Expr) -> CTemplate | None:
        """The template of a row; None for other nodes."""
        if node.op in E.STRUCTURAL:
            return None
        if node.op == "choose" and node.type is T.boolean:
            then, orelse = (a.attr if a.op == "const" else None for a in node.args[1:])
            return truth_form(table.row("choose"), then, orelse)
        return form(table.row(node.op), node.args[0].type, node.type)

    def repeats(self, node: Expr, k: int) -> int:
        """The number of times that a node's text has its operand k, or more where the operand needs a name."""
        if k == 1 and negates(node):
            return 2
        found = self.form_of(node)
        return 1 if found is None else found.counts[k]

    def render(self, node: Expr, texts: dict[Expr, Text]) -> Text:
        """The text of one node, given those of operands without a name."""

        def text(a: Expr) -> Text:
            found = texts.get(a)
            return found if found is not None else self.must(a)

        if node.op == "load":
            return self.load(node, text(node.args[0]))
        if node.op == "get":
            return self.must(node)
        if node.op in LEAVES:
            raise BackendError("has no value here", place=f"{node!r}", fix="declare it around its use")
        shape = self.form_of(node)
        if shape is None:
            raise BackendError("is no expression", place=node.op)
        require_domain(table.row(node.op), node, self.facts)
        if shape.helper is not None:
            a, b = shape.helper
            self.helpers[f"bits {a} {b}"] = helper_bits(a, b)
        operands = [text(a) for a in node.args]
        if shape.compares and len(set(operands)) < len(operands):
            # Compilers warn where something is compared with itself.
            operands[-1] = self.copy(node.args[-1], operands[-1], "const ")
        for k, a in enumerate(node.args):
            if (
                shape.compares
                and a.op == "const"
                and a.type.is_integer
                and a.attr in (a.type.low, a.type.high)
            ):
                # And where something is compared with the end of its range.
                operands[k] = self.copy(a, operands[k], "")
        for k in shape.divisors:
            if node.args[k].op != "const":
                # They also warn where they can tell that a divisor is zero, unless it may change.
                operands[k] = self.copy(node.args[k], operands[k], "")
        found = shape.fill(operands)
        if shape.complements or (shape.cancels and node.args[0] is node.args[1]):
            # They warn where such a complement or a zero is compared, whatever is written around it.
            return self.copy(node, found, "const ")
        return found

    def must(self, node: Expr) -> Text:
        """The text of a node that is known."""
        found = self.known(node)
        if found is None:
            raise BackendError("has no value here", place=f"{node!r}", fix="declare it around its use")
        return found

    def load(self, node: Expr, position: Text) -> Text:
        """An element, at a clamped position unless it is proved to be inside."""
        buffer: Buffer = node.attr
        place = position.bare
        if not self.proofs.inside(node.args[0], buffer, self.facts):
            self.helpers["inside"] = HELPER_INSIDE
            self.used.add(self.sizes[buffer])
            place = f"inside({place}, {self.sizes[buffer]})"
        element = f"{self.buffers[buffer]}[{place}]"
        if buffer in self.padded:
            return by_word(element, buffer.type, self.helpers)
        return Text(element, closed=True)

    # ---- statements ----

    def block(self, block: Block) -> None:
        """Write the statements of a block, in the scope around."""
        for s in block:
            self.statement(s)

    def statement(self, s: Statement) -> None:
        """Write one statement."""
        match s:
            case Let(value):
                self.let(value)
            case Repeat(value, body):
                if value not in self.names:
                    self.iterate(value, body, {})
            case Once():
                self.keep(s)
            case Store():
                self.store(s)
            case Alloc(sizes, body):
                own = [b for b in sizes if b in self.private]
                if own:
                    self.emit("{")
                    self.scoped(lambda: self.within(own, body))
                    self.emit("}")
                else:
                    self.block(body)
            case For():
                self.loop(s)
            case While():
                self.as_long(s)
            case If(selects=selects):
                if selects:
                    self.decide(s)
                else:
                    self.either(s)
            case _:
                raise BackendError("nothing can run such a statement", place=type(s).__name__.lower())

    def within(self, own: Sequence[Buffer], body: Block) -> None:
        """Statements that have arrays of their own."""
        for b in own:
            self.emit(f"{typed(b.type)} {self.buffers[b]}[{self.private[b]}];")
            # An array that is stored to and never read is no fault: its values may turn out to be constant.
            self.emit(f"(void){self.buffers[b]};")
        self.block(body)

    def let(self, value: Expr) -> None:
        """Name a value."""
        if self.peek(value) is not None:
            return
        if value.op == "iterate":
            self.value(value)
            return
        text = self.value(value)
        if value not in self.names:
            name = self.fresh("t")
            if is_of_truths(value) and not self.side_by_side:
                # Of a choice by a truth from outside gcc makes vectors only if that comes of a comparison.
                number = self.fresh("s")
                self.emit(f"const float {number} = {text.operand} ? 1.0f : 0.0f;")
                text = Text(f"{number} > 0.0f")
            self.declare(value, name, f"const {typed(value.type)} {name} = {text.bare};")

    def store(self, s: Store) -> None:
        """Write one element, if its position is inside."""
        if self.clip is not None and s is self.clip.store:
            index = self.value(s.position if self.clip.base is None else self.clip.along).text
            base = "" if self.clip.base is None else f"(int64_t){self.named(self.clip.base).text} + "
            self.emit(f"{self.buffers[s.buffer]}[{base}{index}] = {self.value(s.value).bare};")
            self.forget_reads((s,))
            return
        sure = self.proofs.inside(s.position, s.buffer, self.facts)
        at = self.value(s.position) if sure else self.named(s.position)
        target = f"{self.buffers[s.buffer]}[{at.bare}] = {self.value(s.value).bare};"
        if sure:
            self.emit(target)
        else:
            size = self.sizes[s.buffer]
            self.used.add(size)
            self.emit(f"if (0 <= {at.text} && {at.text} < {size}) {target}")
        self.forget_reads((s,))

    def loop(self, s: For) -> None:
        """A loop in order."""
        outer = self.facts
        lo, hi = outer(s.lo), outer(s.hi)
        begin, end = self.named(s.lo).text, self.named(s.hi).text
        # The bounds are read at entry: what they read is old by the second iteration.
        self.forget_reads(s.body)
        if s is self.band:
            word = typed(s.index.type)
            begin = f"begin < {begin} ? {begin} : ({word})begin"
            last = self.fresh("n")
            self.emit(f"const {word} {last} = end < {end} ? ({word})end : {end};")
            self.used.update(("begin", "end"))
            end = last
        self.facts = FactsOf({**outer.known, s.index: Facts(lo.lo, max(lo.lo, hi.hi - 1))})
        name = self.unique(s.index.attr)
        self.proofs.enter(s, outer)
        clip, around = clipped(s, outer), self.clip
        if clip and not self.proofs.inside(clip.store.position, clip.store.buffer, self.facts):
            self.clip = clip
            begin, end = self.inside(clip, begin, end)
        with self.keeping(s.body):
            parallel = is_parallel(s)
            if parallel:
                self.helpers["pragma"] = HELPER_PRAGMA
                self.lines.append(PRAGMA)
            self.emit(f"for ({typed(s.index.type)} {name} = {begin}; {name} < {end}; {name}++) {{")

            def inner() -> None:
                self.bind(s.index, name)
                self.side_by_side = parallel
                if parallel:
                    # A load that stands in an arm would be one by masks.
                    for node in loaded_first(s, self.private):
                        self.let(node)
                self.block(s.body)

            self.scoped(inner)
            self.side_by_side = False
            self.emit("}")
        self.clip = around
        self.proofs.leave(s)
        self.taken.discard(name)
        self.facts = outer
        self.forget_reads(s.body)

    def inside(self, clip: ClippedLoop, begin: str, end: str) -> tuple[str, str]:
        """The first iteration whose store is inside, and the one after the last."""
        word, size = typed(clip.along.type), self.sizes[clip.store.buffer]
        base = "0" if clip.base is None else self.named(clip.base).text
        most = "INT64_MAX" if clip.along.type is T.i64 else "INT64_C(1) << 31"
        names = self.fresh("n"), self.fresh("n")
        self.used.add(size)
        self.helpers["begin_inside"], self.helpers["end_inside"] = HELPER_BEGIN, HELPER_END
        self.emit(f"const {word} {names[0]} = ({word})begin_inside({begin}, {end}, {base});")
        self.emit(f"const {word} {names[1]} = ({word})end_inside({end}, {base}, {size}, {most});")
        return names

    def as_long(self, s: While) -> None:
        """Turns as long as a condition holds, which is asked before each; now and then Python is asked, too."""
        self.forget_reads(s.body)
        with self.keeping(s.body):
            turns = self.fresh("n")
            self.emit(f"for (uint32_t {turns} = 1;; {turns}++) {{" if self.ask else "for (;;) {")

            def inner() -> None:
                self.emit(f"if (!({self.value(s.condition).bare})) break;")
                self.block(s.body)
                if self.ask:
                    self.emit(f"if (!({turns} & {POLL_INTERVAL - 1}) && {self.ask}()) return;")

            self.scoped(inner)
            self.emit("}")
        self.forget_reads(s.body)

    def decide(self, s: If) -> None:
        """Choices on one condition."""
        condition = self.value(s.condition).bare
        texts: list[list[str]] = []
        sides: list[list[str]] = []
        for block, k in ((s.then, 1), (s.orelse, 2)):

            def write(block: Block = block, k: int = k) -> None:
                self.block(block)
                texts.append([self.value(p.args[k]).bare for p in s.selects])

            sides.append(self.aside(lambda write=write: self.scoped(write)))
        names = [self.fresh("t") for _ in s.selects]
        for p, name in zip(s.selects, names, strict=True):
            self.declare(p, name, f"{typed(p.type)} {name};")
        for head, side, values in zip((f"if ({condition}) {{", "} else {"), sides, texts, strict=True):
            self.emit(head)
            self.put(side)
            with self.indented():
                for name, text in zip(names, values, strict=True):
                    self.emit(f"{name} = {text};")
        self.emit("}")

    def either(self, s: If) -> None:
        """White's own if."""
        condition = self.value(s.condition)
        if not s.then:
            self.emit(f"if (!{condition.operand}) {{")
            self.scoped(lambda: self.block(s.orelse))
        else:
            self.emit(f"if ({condition.bare}) {{")
            self.scoped(lambda: self.block(s.then))
            if s.orelse:
                self.emit("} else {")
                self.scoped(lambda: self.block(s.orelse))
        self.emit("}")

    def iterate(self, node: Expr, body: Block, texts: dict[Expr, Text]) -> None:
        """A bounded loop over the components of a state; their names go on as the components of the result."""
        init, step, stop, limit = parts(node)
        for early in clashing(node):
            self.value(early)

        def text(a: Expr) -> Text:
            found = texts.get(a)
            return found if found is not None else self.value(a)

        prefix = self.fresh("t" if body else "s")
        names = [f"{prefix}_{k}" for k in range(len(init))]
        most = text(limit)
        for a, name in zip(init, names, strict=True):
            self.emit(f"{typed(a.type)} {name} = {text(a).bare};")
            self.declared.append((len(self.lines) - 1, name))
        with self.keeping(body):
            count = self.fresh("n")
            bound = most.text
            if not most.plain:
                bound = f"{count}_end"
                self.emit(f"const int32_t {bound} = {most.text};")
            self.emit(f"for (int32_t {count} = 0; {count} < {bound}; {count}++) {{")

            def inner() -> None:
                for k, name in enumerate(names):
                    self.bind(E.state(node.attr[0], k, init[k].type), name)
                self.block(body)
                self.emit(f"if ({self.value(stop).bare}) break;")
                self.advance(step, names)

            self.scoped(inner)
            self.emit("}")
        self.bind(node, names[0])
        for k, name in enumerate(names):
            self.bind(E.get(node, k), name)

    def advance(self, step: Sequence[Expr], names: list[str]) -> None:
        """All components of a state to their next values at once."""
        changed = [
            (n, a) for n, a in zip(names, step, strict=True) if self.names.get(a) != Text(n, True, True)
        ]
        moving = [(n, self.value(a).bare, a) for n, a in changed]
        if len(moving) == 1:
            self.emit(f"{moving[0][0]} = {moving[0][1]};")
            return
        for name, text, a in moving:
            self.emit(f"const {typed(a.type)} {name}_next = {text};")
        for name, _, _ in moving:
            self.emit(f"{name} = {name}_next;")
