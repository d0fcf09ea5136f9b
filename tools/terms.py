"""Nests of whole numbers as terms of the language that the proofs are about (`proofs/Language.v`).

Used by `tools.corpus` and `tools.instances`. What White's language does not have raises `Beyond`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from pellucid.ir import expr as E
from pellucid.ir import types as T
from pellucid.ir.expr import Buffer, Expr, substitute
from pellucid.ir.nest import Alloc, Block, For, If, Let, Once, Statement, Store, is_place
from pellucid.reasoning.kept import kept_by

SCALARS = tuple(Buffer(name, T.i64, 1) for name in "txyz")
ARRAYS = (Buffer("a", T.i64, 6), Buffer("b", T.i64, 5))
BUFFERS = (*SCALARS, *ARRAYS)
BINARY = {
    "add": "Add",
    "sub": "Sub",
    "mul": "Mul",
    "floor_div": "Div",
    "mod": "Mod",
    "min": "Min",
    "max": "Max",
}
RELATIONS = {"lt": "Less", "le": "AtMost", "eq": "Equal", "ne": "Unequal"}


class Beyond(Exception):  # noqa: N818 - it is no error to be beyond White's language
    """The nest has something that White's language has not."""


def called(name: str) -> str:
    """The constant that stands for a name; the names themselves, spelled in bits, are long."""
    return f"n_{name}"


def expression(e: Expr) -> str:
    """An integer expression as a term; a truth is one or zero."""
    if e.type is T.boolean and e.op not in ("index", "choose"):
        return f"(Pick {condition(e)} (Num 1) (Num 0))"
    match e.op:
        case "const":
            if e.attr != int(e.attr):
                raise Beyond(f"the number {e.attr}")
            return f"(Num ({int(e.attr)}))"
        case "index":
            return f"(Var {called(e.attr)})"
        case "load":
            if e.attr in SCALARS:
                return f"(Var {called(e.attr.name)})"
            return f"(Elem {called(e.attr.name)} {expression(e.args[0])})"
        case "choose":
            c, a, b = e.args
            return f"(Pick {condition(c)} {expression(a)} {expression(b)})"
        case op if op in BINARY:
            return f"(Bin {BINARY[op]} {expression(e.args[0])} {expression(e.args[1])})"
        case "convert" | "to_integer":
            # Numbers are small here, and whole where they are floats.
            return expression(e.args[0])
        case "neg":
            return f"(Bin Sub (Num 0) {expression(e.args[0])})"
        case _:
            raise Beyond(e.op)


OPERATIONS = {
    "add": "Z.add", "sub": "Z.sub", "min": "Z.min", "max": "Z.max", "and": "Z.land", "xor": "Z.lxor",
    "shift_right_in": "Z.shiftr", "mul": "Z.mul", "floor_div": "Z.div", "mod": "Z.modulo",
}  # fmt: skip
TESTS = {"lt": "Z.ltb", "le": "Z.leb", "eq": "Z.eqb", "and": "andb", "or": "orb", "not": "negb"}


def searching(e: Expr) -> bool:
    """Whether an expression has a search in it, which White's language has not."""
    return any(n.op in ("get", "state") for n in E.topological([e]))


def number(e: Expr) -> str:
    """A whole number at the state σ with the indices ρ, searches included; a term of Coq itself."""
    if not searching(e):
        return f"(eval ρ σ {expression(e)})"
    match e.op:
        case "state":
            return ("(fst s)", "(snd s)")[e.attr[1]]
        case "get":
            init, steps, stop, limit = E.parts(e.args[0])
            begin, step = (f"({number(a)}, {number(b)})" for a, b in (init, steps))
            runs = f"(iterated {limit.attr} (fun s => {truth(stop)}) (fun s => {step}) {begin})"
            return f"({('fst', 'snd')[e.attr]} {runs})"
        case "choose":
            c, a, b = e.args
            return f"(if {truth(c)} then {number(a)} else {number(b)})"
        case op if op in OPERATIONS:
            return f"({OPERATIONS[op]} {number(e.args[0])} {number(e.args[1])})"
        case _:
            raise Beyond(e.op)


def truth(e: Expr) -> str:
    """The outcome of a condition, as `number` has it."""
    if not searching(e):
        return f"(holds ρ σ {condition(e)})"
    if e.op == "ne":
        return f"(negb {truth(E.apply('eq', *e.args))})"
    if e.op not in TESTS:
        raise Beyond(e.op)
    side = number if e.op in ("lt", "le", "eq") and e.args[0].type is not T.boolean else truth
    name = "Bool.eqb" if e.op == "eq" and side is truth else TESTS[e.op]
    return f"({name} {' '.join(map(side, e.args))})"


def condition(e: Expr) -> str:
    """A condition as a term."""
    if e.op == "const":
        return f"(Truth {'true' if e.attr else 'false'})"
    if e.op in ("index", "choose"):
        return f"(Rel Equal {expression(e)} (Num 1))"
    if e.op == "not":
        return f"(Not {condition(e.args[0])})"
    if e.op in ("and", "or"):
        a, b = map(condition, e.args)
        one = b if e.op == "and" else "(Truth true)"
        other = "(Truth false)" if e.op == "and" else b
        arms = (f"(Pick {c} (Num 1) (Num 0))" for c in (one, other))
        return f"(Rel Equal (Pick {a} {' '.join(arms)}) (Num 1))"
    if e.op in ("eq", "ne") and e.args[0].type is T.boolean:
        a, b = map(condition, e.args)
        other = f"(Pick {b} (Num 1) (Num 0))"
        return f"(Rel {RELATIONS[e.op]} (Pick {a} (Num 1) (Num 0)) {other})"
    if e.op in RELATIONS:
        return f"(Rel {RELATIONS[e.op]} {expression(e.args[0])} {expression(e.args[1])})"
    raise Beyond(e.op)


def target(s: Store) -> str:
    """The left side of an assignment as a term."""
    if s.buffer in SCALARS:
        return f"(Simple {called(s.buffer.name)})"
    return f"(Indexed {called(s.buffer.name)} {expression(s.position)})"


def closed(hi: Expr) -> str:
    """The last index of a loop that ends before one, as a term."""
    return expression(
        E.const(hi.attr - 1, hi.type) if hi.op == "const" else E.apply("sub", hi, E.const(1, hi.type))
    )


def loop_terms(s: For) -> tuple[str, str, str, str]:
    """The index, the first and the last value, and the body of a loop as terms; half-open loops become closed ones."""
    return called(s.index.attr), expression(s.lo), closed(s.hi), block(s.body)


def statement(s: Statement) -> str:
    """A statement as a term."""
    match s:
        case Store(_, _, value):
            return f"(Assign {target(s)} {expression(value)})"
        case If(c, then, orelse, ()):
            return f"(If {condition(c)} {block(then)} {block(orelse)})"
        case For(how=how) if how.kind == "seq":
            return f"(For {' '.join(loop_terms(s))})"
        case _:
            raise Beyond(type(s).__name__)


def block(body: Block) -> str:
    """A block as a term."""
    if len(body) == 1 and isinstance(body[0], Alloc):
        # An array with any contents.
        body = body[0].body
    if not body:
        return "Null"
    first, *rest = (statement(s) for s in body)
    for s in rest:
        first = f"(Seq {first} {s})"
    return first


def placed(body: Block, names: Mapping[Expr, Expr]) -> str:
    """A block with places as a term; `names` says by which name each value that was computed is read.

    What a loop keeps has its place before the loop: nothing that it loads changes meanwhile, whenever it is asked for.
    """
    if not body:
        return "Values.Nothing"
    s, *rest = body

    def after(whole: str) -> str:
        return f"(Values.Then {whole} {placed(tuple(rest), names)})" if rest else whole

    match s:
        case Once():
            return placed(tuple(rest), names)
        case Let() | If(selects=(_, *_)):
            found = _computed(s, names)
            known = {**names, **{e: name for name, _, e in found}}
            heads = "".join(f"(Values.Here {called(name.attr)} {how} " for name, how, _ in found)
            return heads + placed(tuple(rest), known) + ")" * len(found)
        case If(c, then, orelse, ()):
            (test,) = substitute([c], names)
            return after(f"(Values.Branch {condition(test)} {placed(then, names)} {placed(orelse, names)})")
        case Store():
            position, value = substitute([s.position, s.value], names)
            new = replace(s, position=position, value=value)
            return after(f"(Values.Store {target(new)} {expression(value)})")
        case For(how=how) if how.kind == "seq":
            kept = [v for once in kept_by(s.body) for v in once.values if v not in names]
            if kept:
                name, own = _place(kept[0], names)
                scope = placed((s,), {**names, kept[0]: name})
                return after(f"(Values.Here {called(name.attr)} (Values.Plain {own}) {scope})")
            lo, hi = substitute([s.lo, s.hi], names)
            bounds = f"{called(s.index.attr)} {expression(lo)} {closed(hi)}"
            return after(f"(Values.Loop {bounds} {placed(s.body, names)})")
        case _:
            raise Beyond(type(s).__name__)


def _computed(s: Let | If, names: Mapping[Expr, Expr]) -> list[tuple[Expr, str, Expr]]:
    """The values of a place: each with its name, how it is computed, and the expression that it is."""
    if isinstance(s, Let):
        name, own = _place(s.value, names)
        return [(name, f"(Values.Plain {own})", s.value)]
    (test,) = substitute([s.condition], names)
    found: list[tuple[Expr, str, Expr]] = []
    for number, select in enumerate(s.selects):
        arms = (_arm(arm, select.args[k], names) for k, arm in enumerate((s.then, s.orelse), 1))
        name = E.index(f"place{len(names) + number}", select.type)
        found.append((name, f"(Values.Chosen {condition(test)} {' '.join(arms)})", select))
    return found


def _arm(arm: Block, value: Expr, names: Mapping[Expr, Expr]) -> str:
    """How an arm of a choice is computed: by way of the values that have places in it."""
    if not arm:
        return f"(Values.Plain {expression(substitute([value], names)[0])})"
    s, *rest = arm
    if isinstance(s, Once):
        return _arm(tuple(rest), value, names)
    if not isinstance(s, Let | If) or not is_place(s):
        raise Beyond(type(s).__name__)
    found = _computed(s, names)
    known = {**names, **{e: name for name, _, e in found}}
    heads = "".join(f"(Values.Named {called(name.attr)} {how} " for name, how, _ in found)
    return heads + _arm(tuple(rest), value, known) + ")" * len(found)


def _place(value: Expr, names: Mapping[Expr, Expr]) -> tuple[Expr, str]:
    """A name for a value that is computed here, and the value by the names of others."""
    name = E.index(f"place{len(names)}", value.type)
    (own,) = substitute([value], {v: n for v, n in names.items() if v is not value})
    return name, expression(own)


def cells(memory: Mapping[Buffer, np.ndarray]) -> str:
    """The contents of memory as a list of locations and numbers."""
    found = [
        f"({f'Scalar {called(b.name)}' if b in SCALARS else f'Cell {called(b.name)} {k}'}, ({n}))"
        for b in BUFFERS
        for k, n in enumerate(memory[b].tolist())
    ]
    return f"[{'; '.join(found)}]"
