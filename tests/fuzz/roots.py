"""Random root programs that are well formed: loops that end, closures, lists, memory, and now and then a wrong kind."""

from __future__ import annotations

import random

_NUMERIC = ["+", "-", "*", "+", "-", "min", "max", "&", "|", "^", "idiv", "imod", "<<", ">>"]
_REAL = ["+", "-", "*", "/", "add.f32", "mul.f64", "min.f64", "abs.f64", "lt.f64", "<", "zero?", "not"]
_TESTS = ["=", "<", "zero?", "not", "null?", "pair?", "atom?"]


class _Body:
    """Lines of one code; variables are kept by what they mostly are."""

    def __init__(self, rng: random.Random, program: _Program, numbers: list[str], lists: list[str]) -> None:
        self.rng, self.program, self.numbers, self.lists = rng, program, numbers, lists
        self.truths: list[str] = []
        self.reals: list[str] = []
        self.lines: list[str] = []
        self.count = 0

    def fresh(self) -> str:
        self.count += 1
        return f"v{self.count}"

    def number(self) -> str:
        rng = self.rng
        if rng.random() < self.program.wrong and self.lists:
            return rng.choice(self.lists)
        if rng.random() < 0.3:
            name = self.fresh()
            self.lines.append(
                f"{name} = {rng.choice([0, 1, 2, 3, 5, 7, 8, 63, 64, 255, -1, -3, 1 << 31, 1 << 40, 1 << 62])}"
            )
            return name
        return rng.choice(self.numbers)

    def real(self) -> str:
        if self.rng.random() < 0.3:
            name = self.fresh()
            self.lines.append(f"{name} = {self.rng.choice(['0.5', '0.0', '-2.25', '1e300', '3.0'])}")
            return name
        return self.rng.choice(self.reals)

    def step(self) -> None:
        rng, name = self.rng, self.fresh()
        kind = rng.random()
        if kind < 0.45:
            self.lines.append(f"{name} = ({rng.choice(_NUMERIC)} {self.number()} {self.number()})")
            self.numbers.append(name)
        elif kind < 0.5:
            row = rng.choice(
                ["add.i8", "sub.u16", "mul.i32", "xor.u8", "lt.i16", "convert.i64.f64", "convert.i64.u8"]
            )
            many = 1 if row.startswith("convert") else 2
            self.lines.append(f"{name} = ({row} {' '.join(self.number() for _ in range(many))})")
            (self.truths if row == "lt.i16" else self.reals if row.endswith("f64") else self.numbers).append(
                name
            )
        elif kind < 0.57 and self.reals:
            row = rng.choice(
                [
                    "+",
                    "-",
                    "*",
                    "/",
                    "add.f32",
                    "mul.f64",
                    "min.f64",
                    "abs.f64",
                    "lt.f64",
                    "<",
                    "zero?",
                    "not",
                ]
            )
            many = 1 if row in ("abs.f64", "zero?", "not") else 2
            self.lines.append(f"{name} = ({row} {' '.join(self.real() for _ in range(many))})")
            (self.truths if row in ("lt.f64", "<", "zero?", "not") else self.reals).append(name)
        elif kind < 0.65 and self.program.memory:
            access = rng.choice(["load@m", "load m", "store@m", "store m"])
            if " m" in access and not self.program.has_param:
                access = access.replace(" m", "@m")
            address = self.number()
            if rng.random() < 0.9:
                masked = self.fresh()
                self.lines.append(f"{masked} = (& {address} seven)")
                address = masked
            value = f" {self.number()}" if "store" in access else ""
            self.lines.append(f"{name} = ({access} {address}{value})")
            if not value or not self.program.only_scalars:
                (self.lists if value else self.numbers).append(name)
        elif kind < 0.75:
            test = rng.choice(_TESTS)
            some = rng.choice(self.lists) if self.lists and rng.random() < 0.4 else self.number()
            other = f" {self.number()}" if test in ("=", "<") else ""
            self.lines.append(f"{name} = ({test} {some}{other})")
            self.truths.append(name)
        elif not self.program.only_scalars and (self.lists or rng.random() < 0.5):
            what = rng.random()
            if what < 0.5 or not self.lists:
                rest = rng.choice(self.lists) if self.lists and rng.random() < 0.8 else "nil"
                self.lines.append(f"{name} = (cons {self.number()} {rest})")
                self.lists.append(name)
            else:
                some = rng.choice(self.lists)
                half = rng.choice(["car", "cdr"])
                if rng.random() > self.program.wrong:
                    test = self.fresh()
                    self.lines.append(f"{test} = (pair? {some})")
                    other = self.fresh()
                    self.lines.append(f"{other} = (not {test})")
                    self.lines.append(f"if ({other}) {self.ending()}")
                self.lines.append(f"{name} = ({half} {some})")
                (self.numbers if half == "car" else self.lists).append(name)

    def ending(self) -> str:
        """A jump: to the continuation, or on to another code with less fuel."""
        rng, program = self.rng, self.program
        if rng.random() < 0.3:
            return f"(car k)(k {rng.choice(self.numbers + self.lists + self.truths + self.reals)})"
        target = rng.randrange(program.codes)
        k = "k"
        if rng.random() < 0.4 and program.continuations:
            k = f"(close c{rng.randrange(program.continuations)} (list k m {self.number_word()} {self.list_word()}))"
        args = " ".join([self.number_word() for _ in range(program.scalars)])
        return f"f{target}({k} m less {args} {self.list_word()})"

    def number_word(self) -> str:
        return self.rng.choice(self.numbers)

    def list_word(self) -> str:
        return self.rng.choice(self.lists) if self.lists else "l" if self.program.only_scalars else "nil"

    def finish(self) -> list[str]:
        for _ in range(self.rng.randint(1, 6)):
            self.step()
            if self.rng.random() < 0.3:
                some = self.truths + (self.numbers + self.lists if self.rng.random() < 0.1 else [])
                if some:
                    test = self.rng.choice(some)
                    self.lines.append(f"if ({test}) {self.ending()}")
        self.lines.append(self.ending())
        return self.lines


class _Program:
    def __init__(self, rng: random.Random) -> None:
        self.wrong = rng.choice([0.0, 0.0, 0.02, 0.1])
        self.codes, self.continuations = rng.randint(1, 3), rng.choice([0, 0, 1, 2])
        self.scalars = rng.randint(1, 3)
        self.memory = rng.random() < 0.5
        self.has_param = self.memory and rng.random() < 0.5
        self.only_scalars = rng.random() < 0.4
        self.rng = rng

    def text(self) -> str:
        rng, out = self.rng, list[str]()
        if self.only_scalars:
            self.continuations, self.wrong = 0, 0.0
        names = [f"x{k}" for k in range(self.scalars)]
        for k in range(self.codes):
            out.append(f"f{k}(k m n {' '.join(names)} l) {{")
            out += [
                "seven = 7",
                "one = 1",
                "zero = 0",
                "over = (< n one)",
                f"if (over) (car k)(k {rng.choice([*names, 'l'])})",
            ]
            out.append("less = (- n one)")
            out += _Body(rng, self, [*names, "n"], [] if self.only_scalars else ["l"]).finish()
            out.append("}")
        for k in range(self.continuations):
            out += [f"c{k}(self r) {{", "(k m x l) = (cdr self)", "seven = 7", "less = 3"]
            body = _Body(rng, self, ["x", "r"], ["l"])
            body.ending = lambda body=body: f"(car k)(k {rng.choice(body.numbers + body.lists)})"  # type: ignore[method-assign]
            out += body.finish()
            out.append("}")
        return "\n".join(out)


def program(rng: random.Random) -> str:
    """The text of a program, with the sugar of figures; the entry is f0, of a memory, fuel, numbers and a list."""
    return _Program(rng).text()
