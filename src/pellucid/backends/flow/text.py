"""Flow graphs as LLVM text: one function, where a jump through a word is a switch over the codes it may reach.

So all codes share their registers, and LLVM sees through closures whose code is known. Beside `templates`, which writes
the same machine code at once and worse.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from ...base.errors import BackendError, IrError
from ...ir import expr as E
from ...ir import prim as table
from ...ir import types as T
from ...ir.expr import Expr, apply, topological
from ...ir.facts import top
from ...ir.flow import FlowRow, Graph, Instruction, Stream
from ...rewriting.expand import expand
from ..jit.polling import POLL_INTERVAL
from ..jit.spelling import form, literal
from .frame import FULL, PAIR_BYTES, STOPPED, FrameWord, Outline, arguments_at, frame_words, heads, roots_at
from .reals import FUNCTIONS

ENTRY = "pellucid_flow"
_SIMPLE = {"and": "and", "or": "or", "xor": "xor", "shr": "ashr"}
_CHECKED = {"add": "sadd", "sub": "ssub", "mul": "smul"}
_TESTS = {"eq": "eq", "lt": "slt"}
MAX_LENGTH = 1 << 48
"""No memory has more words, so that LLVM compares addresses with lengths as it does with other numbers."""


@lru_cache(1 << 10)
def body_of(name: str, types: tuple[T.Type, ...], attr: Any) -> tuple[tuple[Expr, ...], tuple[Expr, ...]]:
    """A row as rows that have a spelling: its operands, and the nodes, each after those that it reads.

    >>> [node.op for node in body_of("mul", (T.f64, T.f64), None)[1]]
    ['mul']
    """
    params = tuple([E.param(f"x{k}", each) for k, each in enumerate(types)])
    # By themselves parameters are finite, and these need not be.
    anything = {one: top(one.type) for one in params}
    (root,) = expand([apply(name, *params, attr=attr)], "exact", ranges=anything)
    return params, tuple([node for node in topological([root]) if node.op != "param"])


def text(graph: Graph, known: list[Outline]) -> str:
    """The LLVM module of a graph with its outlines."""
    return _Text(graph, known).module()


class _Text:
    """Writes one graph; `lines` are those of the block at hand, `label` is where they are."""

    def __init__(self, graph: Graph, known: list[Outline]) -> None:
        self.graph, self.known = graph, known
        self.bits = [type_.bits for type_ in graph.memories.values()]
        self.lines: list[str] = []
        self.label = "entry"
        self._count = 0
        self._failures: set[int] = set()
        self._has_remainders = False
        self._into: dict[int, list[tuple[str, tuple[str, ...]]]] = {}
        self._heads = heads(known)

    def module(self) -> str:
        """The function with what it needs of LLVM."""
        entry = self._entry()
        order, bodies = [0], list[str]()
        seen = {0}
        self._into[0] = [("entry", tuple(f"%a{k}" for k in range(len(self.graph.blocks[0].params))))]
        for number in order:
            bodies.append(self._block(number))
            for target in self._into:
                if target not in seen:
                    seen.add(target)
                    order.append(target)
        parts = [self._phis(number) + body for number, body in zip(order, bodies, strict=True)]
        failed = [f"f{n if n > 0 else f'm{-n}'}:\n ret i64 {n}" for n in sorted(self._failures)]
        intrinsics = "\n".join(
            f"declare {{i64, i1}} @llvm.{name}.with.overflow.i64(i64, i64)" for name in _CHECKED.values()
        )
        function = "\n".join(["entry:", *entry, *parts, *failed])
        weights = (
            f'!0 = !{{!"branch_weights", i32 1048576, i32 1}}\n!1 = !{{}}\n!2 = !{{i64 0, i64 {MAX_LENGTH}}}'
        )
        # Known to be all there, words of the frame are read before loops.
        frame = f"ptr noalias align 8 dereferenceable({8 * frame_words(self.graph)}) %frame"
        functions = FUNCTIONS if self._has_remainders else ""
        return f"{intrinsics}\n{functions}{weights}\ndefine i64 @{ENTRY}({frame}) {{\n{function}\n}}\n"

    def _entry(self) -> list[str]:
        first = arguments_at(self.graph)
        self.lines = [" %free = alloca [1 x i64]", " %limit = alloca [1 x i64]", " %turns = alloca [1 x i64]"]
        for name, word in (("free", FrameWord.FREE), ("limit", FrameWord.LIMIT)):
            self.emit(f"store i64 {self._word(word)}, ptr %{name}")
        self.emit(f"store i64 {POLL_INTERVAL}, ptr %turns")
        for k in range(len(self.graph.blocks[0].params)):
            self.emit(f"%p{k} = getelementptr i64, ptr %frame, i64 {first + k}")
            self.emit(f"%a{k} = load i64, ptr %p{k}")
        self.emit("br label %b0")
        return self.lines

    # ---- pieces ----

    def emit(self, line: str) -> None:
        """Add a line."""
        self.lines.append(f" {line}")

    def let(self, right: str) -> str:
        """A new name for what a line makes."""
        self._count += 1
        name = f"%t{self._count}"
        self.lines.append(f" {name} = {right}")
        return name

    def start_block(self, label: str) -> None:
        """Begin a block of LLVM's."""
        self.lines.append(f"{label}:")
        self.label = label

    def new_label(self) -> str:
        """A label."""
        self._count += 1
        return f"l{self._count}"

    def value(self, register: int) -> str:
        """The operand that a register is."""
        return f"%r{register}" if register >= 0 else str(self.graph.constants[~register])

    def unless(self, condition: str, failure: int) -> None:
        """Fail unless a condition holds."""
        self._failures.add(failure)
        on = self.new_label()
        name = f"f{failure}" if failure > 0 else f"fm{-failure}"
        self.emit(f"br i1 {condition}, label %{on}, label %{name}, !prof !0")
        self.start_block(on)

    def _place(self, word: int) -> str:
        return self.let(f"getelementptr i64, ptr %frame, i64 {word}")

    def _word(self, word: int) -> str:
        place = self._place(word)
        return self.let(f"load i64, ptr {place}")

    # ---- blocks ----

    def _phis(self, number: int) -> str:
        lines = [f"b{number}:"]
        own = f"q{number}_" if self._asks(number) else "r"
        for k, param in enumerate(self.graph.blocks[number].params):
            incoming = ", ".join(f"[{args[k]}, %{label}]" for label, args in self._into[number])
            lines.append(f" %{own}{param} = phi i64 {incoming}")
        return "\n".join([*lines, ""])

    def _asks(self, number: int) -> bool:
        """Whether a block asks for room."""
        return self.known[number].room > 0

    def _block(self, number: int) -> str:
        block = self.graph.blocks[number]
        self.lines, self.label = [], f"b{number}"
        if self._asks(number):
            self._ask_for_room(number)
        elif number in self._heads:
            self._ask_to_go_on(number)
        waiting: list[tuple[str, Stream]] = [("", block.body)]
        while waiting:
            label, stream = waiting.pop()
            if label:
                self.start_block(label)
            for instruction in stream:
                if instruction[0] == "if":
                    then, orelse = self.new_label(), self.new_label()
                    test = self.let(f"icmp ne i64 {self.value(instruction[1])}, 0")
                    self.emit(f"br i1 {test}, label %{then}, label %{orelse}")
                    waiting.append((then, instruction[2]))
                    self.start_block(orelse)
                else:
                    self.write(instruction)
        return "\n".join(self.lines)

    def _ask_for_room(self, number: int) -> None:
        """Let the collector make room where there is none, which may move what parameters hold."""
        block, first = self.graph.blocks[number], roots_at(self.graph)
        free, limit = self.let("load i64, ptr %free"), self.let("load i64, ptr %limit")
        end = self.let(f"add i64 {free}, {self.known[number].room}")
        full, on, before = self.new_label(), self.new_label(), self.label
        enough = self.let(f"icmp ule i64 {end}, {limit}")
        self.emit(f"br i1 {enough}, label %{on}, label %{full}, !prof !0")
        self.start_block(full)
        old = {p: f"%q{number}_{p}" for p in block.params}
        for k, (word, tag) in enumerate(block.roots):
            self.emit(f"store i64 {old[word]}, ptr {self._place(first + 2 * k)}")
            kind = self._tag(number, tag)
            self.emit(f"store i64 {kind}, ptr {self._place(first + 2 * k + 1)}")
        self.emit(f"store i64 {free}, ptr {self._place(FrameWord.FREE)}")
        function = self.let(f"inttoptr i64 {self._word(FrameWord.COLLECT)} to ptr")
        start = self._place(first)
        failed = self.let(
            f"call i64 {function}(ptr %frame, ptr {start}, i64 {len(block.roots)}, i64 {self.known[number].room})"
        )
        question = self.let(f"inttoptr i64 {self._word(FrameWord.QUESTION)} to ptr")
        stop = self.let(f"call i32 {question}()")
        self.unless(self.let(f"icmp eq i64 {failed}, 0"), FULL)
        self.unless(self.let(f"icmp eq i32 {stop}, 0"), STOPPED)
        self.emit(f"store i64 {self._word(FrameWord.FREE)}, ptr %free")
        self.emit(f"store i64 {self._word(FrameWord.LIMIT)}, ptr %limit")
        new = dict(old) | {word: self._word(first + 2 * k) for k, (word, _) in enumerate(block.roots)}
        self.emit(f"br label %{on}")
        after = self.label
        self.start_block(on)
        for p in block.params:
            self.emit(f"%r{p} = phi i64 [{old[p]}, %{before}], [{new[p]}, %{after}]")

    def _tag(self, number: int, tag: int | None) -> str:
        """The tag of a root, of which one without a register is a pair or nil."""
        if tag is None:
            return "-1"
        return f"%q{number}_{tag}" if tag >= 0 else self.value(tag)

    def _ask_to_go_on(self, number: int) -> None:
        left = self.let("load i64, ptr %turns")
        fewer = self.let(f"sub i64 {left}, 1")
        self.emit(f"store i64 {fewer}, ptr %turns")
        ask, on = self.new_label(), self.new_label()
        none = self.let(f"icmp ne i64 {fewer}, 0")
        self.emit(f"br i1 {none}, label %{on}, label %{ask}, !prof !0")
        self.start_block(ask)
        question = self.let(f"inttoptr i64 {self._word(FrameWord.QUESTION)} to ptr")
        stop = self.let(f"call i32 {question}()")
        self.unless(self.let(f"icmp eq i32 {stop}, 0"), STOPPED)
        self.emit(f"store i64 {POLL_INTERVAL}, ptr %turns")
        self.emit(f"br label %{on}")
        self.start_block(on)

    # ---- instructions ----

    def write(self, instruction: Instruction) -> None:
        """Write an instruction."""
        match instruction:
            case ("go", target, args):
                self._go(target, args)
            case ("switch", word, cases):
                self._switch(word, cases)
            case ("unless", condition, target, args):
                test, on = self.let(f"icmp ne i64 {self.value(condition)}, 0"), self.new_label()
                self._come_from_here(target, args)
                self.emit(f"br i1 {test}, label %{on}, label %b{target}, !prof !0")
                self.start_block(on)
            case ("give", value, tag):
                for word, register in ((FrameWord.RESULT, value), (FrameWord.TAG, tag)):
                    self.emit(f"store i64 {self.value(register)}, ptr {self._place(word)}")
                self.emit("ret i64 0")
            case ("fail", failure):
                self._failures.add(failure)
                self.emit(f"br label %f{failure}")
            case ("require", condition, failure):
                self.unless(self.let(f"icmp ne i64 {self.value(condition)}, 0"), failure)
            case ("store", memory, index, value, failure):
                bits, place = self.bits[memory], self._element(memory, index, failure)
                cut = self.let(f"trunc i64 {self.value(value)} to i{bits}")
                self.emit(f"store i{bits} {cut}, ptr {place}")
            case _:
                self.emit(f"%r{instruction[1]} = add i64 0, {self._result(instruction)}")

    def _result(self, instruction: Instruction) -> str:
        """The value of an instruction that has one."""
        match instruction:
            case ("add" | "sub" | "mul" as op, _, a, b, failure):
                return self._exact(op, self.value(a), self.value(b), failure)
            case ("and" | "or" | "xor" as op, _, a, b) | ("shr" as op, _, a, b, _):
                return self.let(f"{_SIMPLE[op]} i64 {self.value(a)}, {self.value(b)}")
            case ("eq" | "lt" as op, _, a, b):
                return self._truth(self.let(f"icmp {_TESTS[op]} i64 {self.value(a)}, {self.value(b)}"))
            case ("is0", _, a):
                return self._truth(self.let(f"icmp eq i64 {self.value(a)}, 0"))
            case ("shl", _, a, b, failure):
                return self._shl(a, b, failure)
            case ("div" | "mod" as op, _, a, b, failure):
                return self._divided(op, a, b, failure)
            case ("real_div" | "real_mod" as op, _, a, b):
                self._has_remainders = True
                return self.let(f"call i64 @{op}(i64 {self.value(a)}, i64 {self.value(b)})")
            case ("whole", _, a):
                return self.let(f"fptosi double {self._operand(T.f64, True, a)} to i64")
            case ("select", _, c, a, b):
                test = self.let(f"icmp ne i64 {self.value(c)}, 0")
                return self.let(f"select i1 {test}, i64 {self.value(a)}, i64 {self.value(b)}")
            case ("pair", _, *parts):
                return self._pair(parts)
            case ("car" | "cdr" | "tags" as half, _, pair):
                return self._part(pair, ("car", "cdr", "tags").index(half))
            case ("field", _, pair, number):
                return self._part(pair, number)
            case ("load", _, memory, index, failure):
                bits = self.bits[memory]
                word = self.let(f"load i{bits}, ptr {self._element(memory, index, failure)}")
                return word if bits == 64 else self.let(f"zext i{bits} {word} to i64")
            case ("within", _, memory, base, distance):
                # A sum that wraps around is below 0, and so in no memory.
                return self._truth(self._inside(memory, self.let(f"add i64 {self.value(base)}, {distance}")))
            case ("fixed", _, number):
                first = self.let(f"load i64, ptr {self._place(FrameWord.FIXED)}, !invariant.load !1")
                return self.let(f"add i64 {first}, {PAIR_BYTES * number}")
            case ("row", _, row, *args):
                return self._row(row, args)
            case _:
                raise AssertionError(instruction)

    def _row(self, row: FlowRow, args: list[int]) -> str:
        """A row of the operator table; words are made values of its types, and the result a word."""
        try:
            params, nodes = body_of(row.name, row.types, row.attr)
        except IrError as error:
            raise BackendError(
                f"{row.name} has no spelling for any operands: {error.message}",
                place=self.graph.name,
                fix="compile a nest",
            ) from error
        operands = [self._operand(*each) for each in zip(row.types, row.reals, args, strict=True)]
        names = dict(zip(params, operands, strict=True))
        for node in nodes:
            names[node] = literal(node) if node.op == "const" else self._spelled(node, names)
        name = names[nodes[-1]]
        if row.result is T.boolean:
            return self._truth(name)
        if row.result.is_float:
            wide = name if row.result is T.f64 else self.let(f"fpext float {name} to double")
            return self.let(f"bitcast double {wide} to i64")
        if row.result.bits == 64:
            return name
        return self.let(
            f"{'sext' if row.result.kind == 'signed' else 'zext'} i{row.result.bits} {name} to i64"
        )

    def _spelled(self, node: Expr, names: dict[Expr, str]) -> str:
        """The name of what a node without a body makes, after its lines."""
        self._count += 1
        name = f"%t{self._count}"
        write = form(table.row(node.op), node.args[0].type, node.type, 0)
        lines = write(name, *[names[arg] for arg in node.args])
        self.lines += [f" {line}" for line in lines.split("\n")]
        return name

    def _operand(self, type_: T.Type, is_real: bool, register: int) -> str:
        """A word as a value of a type."""
        word = self.value(register)
        if type_ is T.boolean:
            return self.let(f"icmp ne i64 {word}, 0")
        if not type_.is_float:
            return word if type_.bits == 64 else self.let(f"trunc i64 {word} to i{type_.bits}")
        wide = self.let(f"{'bitcast' if is_real else 'sitofp'} i64 {word} to double")
        return wide if type_ is T.f64 else self.let(f"fptrunc double {wide} to float")

    def _truth(self, test: str) -> str:
        return self.let(f"zext i1 {test} to i64")

    def _exact(self, op: str, a: str, b: str, failure: int) -> str:
        if not failure:
            return self.let(f"{op} nsw i64 {a}, {b}")
        both = self.let(f"call {{i64, i1}} @llvm.{_CHECKED[op]}.with.overflow.i64(i64 {a}, i64 {b})")
        over = self.let(f"extractvalue {{i64, i1}} {both}, 1")
        result = self.let(f"extractvalue {{i64, i1}} {both}, 0")
        self.unless(self.let(f"xor i1 {over}, true"), failure)
        return result

    def _shl(self, a: int, b: int, failure: int) -> str:
        made = self.let(f"shl i64 {self.value(a)}, {self.value(b)}")
        if failure:
            back = self.let(f"ashr i64 {made}, {self.value(b)}")
            self.unless(self.let(f"icmp eq i64 {back}, {self.value(a)}"), failure)
        return made

    def _divided(self, op: str, one: int, other: int, failure: int) -> str:
        """A quotient rounded down, or the remainder; no division of a processor gets what it would trap on."""
        a, b = self.value(one), self.value(other)
        by = self.graph.constants[~other] if other < 0 else 0
        if by > 0 and by & (by - 1) == 0:
            made = f"ashr i64 {a}, {by.bit_length() - 1}" if op == "div" else f"and i64 {a}, {by - 1}"
            return self.let(made)
        if by <= 0:
            minus = self.let(f"icmp eq i64 {b}, -1")
            if op == "div" and failure:
                fits = self.let(f"icmp ne i64 {a}, {-(1 << 63)}")
                plus = self.let(f"xor i1 {minus}, true")
                self.unless(self.let(f"or i1 {fits}, {plus}"), failure)
            lowest = self.let(f"icmp eq i64 {a}, {-(1 << 63)}")
            trap = self.let(f"and i1 {lowest}, {minus}")
            a = self.let(f"select i1 {trap}, i64 0, i64 {a}")
        quotient, rest = self.let(f"sdiv i64 {a}, {b}"), self.let(f"srem i64 {a}, {b}")
        uneven = self.let(f"icmp ne i64 {rest}, 0")
        signs = self.let(f"xor i64 {rest}, {b}")
        below = self.let(f"icmp slt i64 {signs}, 0")
        down = self.let(f"and i1 {uneven}, {below}")
        if op == "div":
            return self.let(f"add i64 {quotient}, {self.let(f'sext i1 {down} to i64')}")
        return self.let(f"add i64 {rest}, {self.let(f'select i1 {down}, i64 {b}, i64 0')}")

    def _part(self, pair: int, number: int) -> str:
        place = self.let(f"inttoptr i64 {self.value(pair)} to ptr")
        where = self.let(f"getelementptr i64, ptr {place}, i64 {number}")
        return self.let(f"load i64, ptr {where}")

    def _pair(self, parts: Sequence[int]) -> str:
        made = self.let("load i64, ptr %free")
        place = self.let(f"inttoptr i64 {made} to ptr")
        for k, part in enumerate(parts):
            where = self.let(f"getelementptr i64, ptr {place}, i64 {k}")
            self.emit(f"store i64 {self.value(part)}, ptr {where}")
        self.emit(f"store i64 {self.let(f'add i64 {made}, {8 * len(parts)}')}, ptr %free")
        return made

    def _element(self, memory: int, index: int, failure: int) -> str:
        """The address of a word in a memory."""
        if failure:
            self.unless(self._inside(memory, self.value(index)), failure)
        base = self.let(f"load ptr, ptr {self._place(FrameWord.MEMORIES + 2 * memory)}, !invariant.load !1")
        return self.let(f"getelementptr i{self.bits[memory]}, ptr {base}, i64 {self.value(index)}")

    def _inside(self, memory: int, word: str) -> str:
        """Whether a word is an address in a memory."""
        place = self._place(FrameWord.MEMORIES + 2 * memory + 1)
        length = self.let(f"load i64, ptr {place}, !invariant.load !1, !range !2")
        return self.let(f"icmp ult i64 {word}, {length}")

    def _go(self, target: int, args: tuple[int, ...]) -> None:
        self._come_from_here(target, args)
        self.emit(f"br label %b{target}")

    def _come_from_here(self, target: int, args: tuple[int, ...]) -> None:
        """Note what a block gets."""
        self._into.setdefault(target, []).append((self.label, tuple(map(self.value, args))))

    def _switch(self, word: int, cases: tuple[tuple[int, tuple[int, ...]], ...]) -> None:
        labels = [self.new_label() for _ in cases]
        last = f"label %{labels[-1]}"
        arms = " ".join(
            f"i64 {target}, label %{at}" for (target, _), at in zip(cases[:-1], labels, strict=False)
        )
        self.emit(f"switch i64 {self.value(word)}, {last} [{arms}]")
        for (target, args), label in zip(cases, labels, strict=True):
            self.start_block(label)
            self._go(target, args)
