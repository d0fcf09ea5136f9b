"""Reads places as names, as the proofs do: a place computes its value where it stands, and its scope reads that.

For the interpreter a place says nothing, and back ends compute a value anew after a store to what it loads. In
`proofs/Values.v` a place binds a name. `by_names` makes a program without places that keeps each value in scratch
memory of its own, so that both readings can be compared.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from pellucid.ir import expr as E
from pellucid.ir import nest as N
from pellucid.ir import types as T
from pellucid.ir.expr import Buffer, Expr
from pellucid.reasoning.kept import kept_by, remembered

ZERO = E.const(0, T.i32)
ONE = E.const(1, T.i32)
Known = dict[Expr, Expr]
"""Values by name: what stands for each of them."""


def by_names(kernel: N.Kernel) -> N.Kernel:
    """The program that computes each value at its place alone, in the order of its loops."""
    names = _Names()
    body = names.block(kernel.body, {})
    return replace(
        kernel, body=(N.Alloc(dict.fromkeys(names.all.values(), ONE), body),) if names.all else body
    )


@dataclass
class _Names:
    """The memory that keeps the value of each name, and what tells whether a `once` was reached."""

    all: dict[object, Buffer] = field(default_factory=dict[object, Buffer])

    def of(self, key: object, type_: T.Type) -> Buffer:
        return self.all.setdefault(key, Buffer(f"name{len(self.all)}", type_, 1))

    def reached(self, once: N.Once) -> Buffer:
        return self.of((once.across, once.values), T.i32)

    def named(self, value: Expr) -> Known:
        """The names of a value, which has several if it is an iteration."""
        return {v: E.load(self.of(v, v.type), ZERO) for v in remembered((value,))}

    def keep(self, value: Expr, known: Known, computed: Expr | None = None) -> tuple[N.Block, Known]:
        """Stores that compute a value, or keep what was computed for it, and what is known then."""
        own = self.named(value)
        before = {v: name for v, name in known.items() if v not in own}
        wanted = list(own) if computed is None else [computed]
        stores = [
            N.Store(name.attr, ZERO, v)
            for name, v in zip(own.values(), E.substitute(wanted, before), strict=True)
        ]
        return tuple(stores), {**known, **own}

    def block(self, block: N.Block, known: Known) -> N.Block:
        return self.scope(block, known)[0]

    def scope(self, block: N.Block, known: Known) -> tuple[N.Block, Known]:
        """A block without places, and what is known at its end."""
        found: list[N.Statement] = []
        for s in block:
            match s:
                case N.Let(value) | N.Repeat(value):
                    new, known = self.keep(value, known)
                    found += new
                case N.Once(values=values, body=body):
                    inner, _ = self.scope(body, known)
                    flag = self.reached(s)
                    asked = E.apply("eq", E.load(flag, ZERO), ZERO)
                    found.append(N.If(asked, (*inner, N.Store(flag, ZERO, ONE))))
                    for v in values:
                        known = {**known, **self.named(v)}
                case N.If(condition, then, orelse, (_, *_) as selects):
                    arms: list[N.Block] = []
                    after = known
                    for k, arm in enumerate((then, orelse), 1):
                        inner, inside = self.scope(arm, known)
                        for p in selects:
                            new, after = self.keep(p, inside, p.args[k])
                            inner = (*inner, *new)
                        arms.append(inner)
                    del after
                    found.append(N.If(E.substitute([condition], known)[0], *arms))
                    for p in selects:
                        known = {**known, **self.named(p)}
                case _:
                    found += self.statement(s, known)
        return tuple(found), known

    def statement(self, s: N.Statement, known: Known) -> N.Block:
        """A statement that is no place, with what begins a loop that keeps values."""
        inside = tuple(self.block(b, known) for b in N.blocks(s))
        own = iter(E.substitute(list(N.roots(s)), known)) if N.roots(s) else iter(())
        first: list[N.Statement] = []
        if isinstance(s, N.For | N.While):
            first = [N.Store(self.reached(once), ZERO, ZERO) for once in kept_by(s.body)]
        match s:
            case N.For():
                s = replace(s, lo=next(own), hi=next(own), how=N.SEQ)
            case N.Alloc(sizes):
                s = replace(s, sizes=dict(zip(sizes, own, strict=True)))
            case N.While() | N.If():
                s = replace(s, condition=next(own))
            case N.Store():
                s = replace(s, position=next(own), value=next(own))
            case _:
                pass
        return (*first, N.with_blocks(s, inside))
