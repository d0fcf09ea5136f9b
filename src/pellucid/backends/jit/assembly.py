"""Assembly: LLVM text written as structured Python, for native code that is no kernel of the operator table.

The tile machine and flow graphs are written with it. A `Value` is a named result with Python's operators; a `Variable`
is a cell that LLVM keeps in a register; blocks nest as ``with`` statements do. Integers are signed, and an address is a
pointer plus bytes.

    asm = Assembly()
    with asm.function("sum", "i64", n="i64") as f:
        total = f.variable("i64", 0)
        with f.count(f.n) as i:
            total.set(total() + i)
        f.give(total())
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager

from ...base.record import record

POINTER = "ptr"
_STREAMED = "!0 = !{i32 1}"
"""The metadata of a store past the caches."""


@record(eq=False)
class Value:
    """The result of an instruction: its name, its LLVM type, and the function that it is written in."""

    name: str
    type: str
    at: Function

    def _two(self, op: str, other: Value | int) -> Value:
        return self.at.let(f"{op} {self.type} {self.name}, {self.at.lifted(other, self.type)}", self.type)

    def _test(self, condition: str, other: Value | int) -> Value:
        line = f"icmp {condition} {self.type} {self.name}, {self.at.lifted(other, self.type)}"
        return self.at.let(line, _like(self.type, "i1"))

    def __add__(self, other: Value | int) -> Value:
        """The sum; of a pointer and a number of bytes, a pointer."""
        if self.type == POINTER:
            return self.at.let(
                f"getelementptr i8, ptr {self.name}, i64 {self.at.lifted(other, 'i64')}", POINTER
            )
        return self._two("add", other)

    def __sub__(self, other: Value | int) -> Value:
        """The difference."""
        return self._two("sub", other)

    def __mul__(self, other: Value | int) -> Value:
        """The product."""
        return self._two("mul", other)

    def __and__(self, other: Value | int) -> Value:
        """The bits that both have."""
        return self._two("and", other)

    def __or__(self, other: Value | int) -> Value:
        """The bits that either has."""
        return self._two("or", other)

    def __xor__(self, other: Value | int) -> Value:
        """The bits in which they differ."""
        return self._two("xor", other)

    def __lshift__(self, other: Value | int) -> Value:
        """Shifted left."""
        return self._two("shl", other)

    def __rshift__(self, other: Value | int) -> Value:
        """Shifted right, filled with zeros."""
        return self._two("lshr", other)

    def __invert__(self) -> Value:
        """All bits turned over."""
        return self._two("xor", -1)

    def __lt__(self, other: Value | int) -> Value:
        """Less, signed."""
        return self._test("slt", other)

    def __le__(self, other: Value | int) -> Value:
        """Less or equal, signed."""
        return self._test("sle", other)

    def __gt__(self, other: Value | int) -> Value:
        """Greater, signed."""
        return self._test("sgt", other)

    def __ge__(self, other: Value | int) -> Value:
        """Greater or equal, signed."""
        return self._test("sge", other)

    def above(self, other: Value) -> Value:
        """Whether a pointer is above another."""
        return self.at.let(f"icmp ugt {self.type} {self.name}, {other.name}", "i1")

    def number(self) -> Value:
        """A pointer as a number."""
        return self.at.let(f"ptrtoint ptr {self.name} to i64", "i64")

    def minus(self, other: Value) -> Value:
        """The bytes from one pointer to another."""
        return self.number() - other.number()

    def same(self, other: Value | int) -> Value:
        """Equal."""
        return self._test("eq", other)

    def differs(self, other: Value | int) -> Value:
        """Not equal."""
        return self._test("ne", other)

    def to(self, type_: str) -> Value:
        """As an integer type of another width: cut off, or filled with zeros."""
        if type_ == self.type:
            return self
        op = "trunc" if _bits(type_) < _bits(self.type) else "zext"
        return self.at.let(f"{op} {self.type} {self.name} to {type_}", type_)

    def signed(self, type_: str) -> Value:
        """As a wider integer type, filled with the sign."""
        return self.at.let(f"sext {self.type} {self.name} to {type_}", type_)

    def read_as(self, type_: str) -> Value:
        """The same bits as another type."""
        return self.at.let(f"bitcast {self.type} {self.name} to {type_}", type_)

    def least(self, other: Value | int) -> Value:
        """The smaller of two, signed."""
        return self.at.choose(self < other, self, other)


@record(eq=False)
class Variable:
    """A cell: called, it gives what was last set."""

    name: str
    type: str
    at: Function

    def __call__(self) -> Value:
        """Its value."""
        return self.at.let(f"load {self.type}, ptr {self.name}", self.type)

    def set(self, value: Value | int) -> None:
        """Hold another value."""
        self.at.emit(f"store {self.type} {self.at.lifted(value, self.type)}, ptr {self.name}")


class Function:
    """A function that is being written; its parameters are attributes."""

    def __init__(self, name: str, result: str, parameters: dict[str, str]) -> None:
        self.name, self.result = name, result
        self._entry: list[str] = []
        self._lines: list[str] = []
        self._count = 0
        self._parameters = {k: Value(f"%{k}", t, self) for k, t in parameters.items()}

    def __getattr__(self, name: str) -> Value:
        """A parameter."""
        try:
            return self._parameters[name]
        except KeyError:
            raise AttributeError(name) from None

    def text(self) -> str:
        """The function's text."""
        parameters = ", ".join(f"{v.type} {v.name}" for v in self._parameters.values())
        lines = ["entry:", *self._entry, *self._lines]
        return "\n".join([f"define {self.result} @{self.name}({parameters}) {{", *lines, "}"])

    def emit(self, line: str) -> None:
        """Add a line."""
        self._lines.append(line)

    def let(self, right: str, type_: str) -> Value:
        """A new value."""
        self._count += 1
        name = f"%v{self._count}"
        self._lines.append(f"{name} = {right}")
        return Value(name, type_, self)

    def lifted(self, value: Value | int, type_: str) -> str:
        """The name of a value, or a number as an operand; in vectors, in all lanes."""
        if isinstance(value, Value):
            return value.name
        return f"splat ({type_.split(' x ')[1][:-1]} {value})" if type_.startswith("<") else str(value)

    def number(self, value: int, type_: str = "i64") -> Value:
        """A constant."""
        return Value(self.lifted(value, type_), type_, self)

    def variable(self, type_: str, value: Value | int) -> Variable:
        """A new cell with its first value."""
        self._count += 1
        name = f"%c{self._count}"
        # One element of an array: what the engine looks for when it moves cells into registers.
        self._entry.append(f"{name} = alloca [1 x {type_}]")
        cell = Variable(name, type_, self)
        cell.set(value)
        return cell

    def block(self, bytes_: int) -> Value:
        """Memory on the stack, for as long as the function runs."""
        self._count += 1
        name = f"%m{self._count}"
        self._entry.append(f"{name} = alloca [{bytes_} x i8], align 64")
        return Value(name, POINTER, self)

    def load(self, type_: str, place: Value, offset: int = 0, align: int | None = None) -> Value:
        """Load the value at an address."""
        where = place + offset if offset else place
        at = f", align {align}" if align else ""
        return self.let(f"load {type_}, ptr {where.name}{at}", type_)

    def store(self, value: Value, place: Value, offset: int = 0, align: int | None = None) -> None:
        """Write to memory."""
        where = place + offset if offset else place
        at = f", align {align}" if align else ""
        self.emit(f"store {value.type} {value.name}, ptr {where.name}{at}")

    def stream(self, value: Value, place: Value, align: int) -> None:
        """Write to memory past the caches."""
        self.emit(f"store {value.type} {value.name}, ptr {place.name}, align {align}, !nontemporal !0")

    def call(self, name: str, *arguments: Value, result: str = "void") -> Value:
        """Call a function by name, or by the name of a value that points to one."""
        operands = ", ".join(f"{a.type} {a.name}" for a in arguments)
        callee = name if name.startswith("%") else f"@{name}"
        if result == "void":
            self.emit(f"call void {callee}({operands})")
            return Value("", "void", self)
        return self.let(f"call {result} {callee}({operands})", result)

    def choose(self, condition: Value, then: Value | int, orelse: Value | int) -> Value:
        """One of two values, without a branch."""
        type_ = then.type if isinstance(then, Value) else orelse.type if isinstance(orelse, Value) else "i64"
        a, b = self.lifted(then, type_), self.lifted(orelse, type_)
        return self.let(f"select {condition.type} {condition.name}, {type_} {a}, {type_} {b}", type_)

    def lowest(self, mask: Value) -> Value:
        """The number of the lowest bit that is set in an i64, of which one is."""
        return self.let(f"call i64 @llvm.cttz.i64(i64 {mask.name}, i1 true)", "i64")

    def splat(self, value: Value, lanes: int) -> Value:
        """A number in all lanes."""
        vector = f"<{lanes} x {value.type}>"
        one = self.let(f"insertelement {vector} poison, {value.type} {value.name}, i64 0", vector)
        mask = f"<{lanes} x i32> zeroinitializer"
        return self.let(f"shufflevector {vector} {one.name}, {vector} poison, {mask}", vector)

    def lanes(self, type_: str, values: Sequence[int]) -> Value:
        """A constant vector."""
        text = ", ".join(f"{type_} {v}" for v in values)
        return Value(f"<{text}>", f"<{len(values)} x {type_}>", self)

    def give(self, value: Value | None = None) -> None:
        """Return."""
        self.emit("ret void" if value is None else f"ret {value.type} {value.name}")
        self._open(self._label())

    # ---- blocks ----

    def _label(self) -> str:
        self._count += 1
        return f"L{self._count}"

    def _open(self, label: str) -> None:
        self.emit(f"{label}:")

    def _jump(self, label: str) -> None:
        self.emit(f"br label %{label}")

    def _branch(self, condition: Value, then: str, orelse: str) -> None:
        self.emit(f"br i1 {condition.name}, label %{then}, label %{orelse}")

    @contextmanager
    def when(self, condition: Value) -> Generator[None]:
        """Write a branch: its body runs only if a condition holds."""
        inside, after = self._label(), self._label()
        self._branch(condition, inside, after)
        self._open(inside)
        yield
        self._jump(after)
        self._open(after)

    @contextmanager
    def repeat(self) -> Generator[str]:
        """Write a loop that runs until `leave` is called; this gives the label that `leave` takes."""
        head, after = self._label(), self._label()
        self._jump(head)
        self._open(head)
        yield after
        self._jump(head)
        self._open(after)

    def leave(self, loop: str, condition: Value) -> None:
        """Leave a loop if a condition holds."""
        on = self._label()
        self._branch(condition, loop, on)
        self._open(on)

    @contextmanager
    def count(self, end: Value | int, begin: Value | int = 0, step: int = 1) -> Generator[Value]:
        """Write a loop over the numbers from `begin` to below `end`, or, by a step of -1, the other way."""
        down = step < 0
        stop = self.number(end) if isinstance(end, int) else end
        cell = self.variable("i64", stop - 1 if down else begin)
        with self.repeat() as loop:
            now = cell()
            self.leave(loop, now < begin if down else now >= stop)
            yield now
            cell.set(now + step)

    @contextmanager
    def bits(self, mask: Value) -> Generator[Value]:
        """Write a loop over the bits that are set in an i64, from the lowest up; it gives their numbers."""
        cell = self.variable("i64", mask)
        with self.repeat() as loop:
            rest = cell()
            self.leave(loop, rest.same(0))
            yield self.lowest(rest)
            cell.set(rest & (rest - 1))


class Assembly:
    """A module: functions and declarations. With `traced`, it says which tiles it draws."""

    def __init__(self, *, traced: bool = False) -> None:
        self.traced = traced
        self._functions: list[Function] = []
        self._declared = {"declare i64 @llvm.cttz.i64(i64, i1)": None}

    def declare(self, line: str) -> None:
        """Name a function of LLVM's own."""
        self._declared[f"declare {line}"] = None

    @contextmanager
    def function(self, name: str, result: str = "void", **parameters: str) -> Generator[Function]:
        """A function; it ends by `give`, or by itself if it gives nothing."""
        f = Function(name, result, parameters)
        yield f
        f.emit("ret void" if result == "void" else "unreachable")
        self._functions.append(f)

    def definitions(self) -> str:
        """The functions alone, for a module that has the declarations."""
        return "\n".join(f.text() for f in self._functions)

    def text(self) -> str:
        """The module's text."""
        return "\n".join([*self._declared, self.definitions(), _STREAMED])


def _like(type_: str, element: str) -> str:
    """A type of other elements, in as many lanes."""
    return f"{type_.split(' x ', maxsplit=1)[0]} x {element}>" if type_.startswith("<") else element


def _bits(type_: str) -> int:
    return int(type_.removeprefix("<").split(" x ")[-1].strip("i>"))
