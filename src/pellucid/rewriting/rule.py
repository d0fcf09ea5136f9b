"""Rules: ``lhs -> rhs when guard`` in a small language over the names of the operator table, read by people first.

Stands at the entrance of `rewriting`: the tables in `rules/` are lists of these values, and `builder` applies them.
In a pattern a name in lower case stands for any operand, one with a capital for a constant, a number for the constant
of that value, and a repeated name for the very same node. On the right, a name that is no operator is a *builder* from
`right_sides`; after ``when`` stand predicates from `guards`. A rule is compiled to a Python function at its first use.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from ..base.errors import IrError, did_you_mean
from ..base.record import record
from ..ir import prim as table
from ..ir.expr import Expr, const
from ..ir.facts import rounded
from ..ir.types import boolean, f32

if TYPE_CHECKING:
    from .builder import Builder

Label = Literal["exact", "reassociating", "approximate"]
Fire = Callable[["Builder", Expr], Expr | None]
Shape = tuple[str | None, ...]
KINDS: Mapping[str, tuple[str, ...]] = {
    "any": ("float", "signed", "unsigned", "bool"),
    "number": ("float", "signed", "unsigned"),
    "float": ("float",),
    "integer": ("signed", "unsigned"),
    "signed": ("signed",),
    "unsigned": ("unsigned",),
    "bool": ("bool",),
    "word": ("signed", "unsigned", "bool"),
}
"""The values of `on`: the kinds of type of the last operand of the pattern's head."""


@record(eq=False)
class Rule:
    """A rewrite rule in text.

    name   unique; printed by `explain`.
    label  exact: the same bits for all operands (NaN counts as NaN); reassociating: the same real number; approximate:
           another method for the same function, within its stated bound.
    lhs    a pattern whose head is an operator.
    rhs    what to build in its place.
    on     which types, see KINDS.
    when   predicates joined by ``and``.
    doc    one sentence: why it is right, or why it pays.
    recognizes  whether it finds a row in what is its body, so that it must not be used while bodies are expanded.

    >>> print(Rule("sub-self", "exact", "sub(x, x)", "0", "integer", doc="Nothing is left."))
    sub(x, x) -> 0
    """

    name: str
    label: Label
    lhs: str
    rhs: str
    on: str = "any"
    when: str = ""
    doc: str = ""
    recognizes: bool = False
    heads: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        """Note the head of the pattern."""
        object.__setattr__(self, "heads", (self.lhs.partition("(")[0],))

    def __str__(self) -> str:
        """As on paper."""
        return f"{self.lhs} -> {self.rhs}" + (f" when {self.when}" if self.when else "")

    @property
    def head(self) -> str:
        """The operator at the root of the pattern."""
        return self.heads[0]

    def variants(self, kind: str) -> list[tuple[Shape, Call]]:
        """The left side for one kind of type, once for every order of operands that commute.

        With each goes its shape: the operators that the head's operands must have (None: any). The list is empty when
        the rule is not for the kind. Raises IrError for a pattern that cannot be read.
        """
        if kind not in KINDS[self.on]:
            return []
        lhs = parse(self.lhs)
        if not isinstance(lhs, Call):
            raise IrError("the left side is no operator", place=self.name)
        found = dict.fromkeys(_commuted(lhs, kind, guarded=bool(self.when)))
        return [(tuple(map(_shape, v.args)), v) for v in found if isinstance(v, Call)]

    def compiled(self, kind: str) -> list[Fire]:
        """The functions that apply the rule to a node of one kind of type."""
        return [function(self, variant) for _, variant in self.variants(kind)]


@record(eq=False)
class Computed:
    """A rewrite rule whose right side needs a program: `fire` gives the new node, or None where it does not apply.

    `shapes` say which operators the operands must have (None: any; fewer entries than operands: the rest is any);
    `examples` are texts of expressions on which it fires, for the tests and for the page of rules.
    """

    name: str
    label: Label
    heads: tuple[str, ...]
    fire: Fire
    on: str = "any"
    shapes: tuple[Shape, ...] = ((),)
    examples: tuple[str, ...] = ()
    doc: str = ""

    def __str__(self) -> str:
        """The operators that it is for."""
        return "any operator" if self.heads == ANY_HEAD else " ".join(self.heads)


AnyRule = Rule | Computed
ANY_HEAD = ("*",)
"""The heads of a rule for every operator."""


def computed(
    name: str,
    label: Label,
    heads: str,
    *,
    on: str = "any",
    shapes: tuple[Shape, ...] = ((),),
    examples: tuple[str, ...],
) -> Callable[[Fire], Computed]:
    """Make a function a `Computed` rule; its docstring becomes the rule's."""

    def wrap(fire: Fire) -> Computed:
        doc = (fire.__doc__ or "").strip().partition("\n")[0]
        return Computed(name, label, tuple(heads.split()), fire, on, shapes, examples, doc)

    return wrap


# ---- the language ----


@record
class Name:
    """A variable; a capital letter means that it stands for a constant."""

    text: str

    @property
    def constant(self) -> bool:
        """Whether only constants match."""
        return self.text[0].isupper()


@record
class Number:
    """A constant of a given value, in the type of its place."""

    value: float | int | bool


@record
class Call:
    """An operator, a builder or a predicate with its operands."""

    name: str
    args: tuple[Pattern, ...]


Pattern = Name | Number | Call
_TOKEN = re.compile(r"\s*([A-Za-z_]\w*|-?\d+\.?\d*(?:e-?\d+)?|[(),])")


def parse(text: str) -> Pattern:
    """A pattern from its text.

    Raises IrError where the text is no pattern.

    >>> parse("add(x, -0.0)")
    Call(name='add', args=(Name(text='x'), Number(value=-0.0)))
    """
    tokens = _TOKEN.findall(text)
    if "".join(tokens) != re.sub(r"\s", "", text):
        raise IrError("is not readable", place=f"pattern {text!r}")
    found, rest = _parse(tokens, text)
    if rest:
        raise IrError(f"has {' '.join(rest)!r} left over", place=f"pattern {text!r}")
    return found


def _parse(tokens: list[str], text: str) -> tuple[Pattern, list[str]]:
    if not tokens or tokens[0] in "(),":
        raise IrError("misses an operand", place=f"pattern {text!r}")
    head, rest = tokens[0], tokens[1:]
    if head in ("true", "false"):
        return Number(head == "true"), rest
    if not (head[0].isalpha() or head[0] == "_"):
        return Number(int(head) if head.lstrip("-").isdigit() else float(head)), rest
    if rest[:1] != ["("]:
        return Name(head), rest
    args: list[Pattern] = []
    while rest[0] != ")":
        found, rest = _parse(rest[1:], text)
        args.append(found)
        if not rest or rest[0] not in ",)":
            raise IrError("misses a closing parenthesis", place=f"pattern {text!r}")
    return Call(head, tuple(args)), rest[1:]


def literal(value: float | int | bool, like: Expr) -> Expr:
    """The constant of a value in the type of another node."""
    return const(value, like.type)


# ---- compilation ----


class _Writer:
    """Writes the Python function of one rule."""

    def __init__(self, rule: Rule) -> None:
        self.rule = rule
        self.lines: list[str] = []
        self.bound: set[str] = set()
        self.scope: dict[str, Any] = {"literal": literal, "boolean": boolean}
        self.fresh = itertools.count()

    def say(self, line: str) -> None:
        self.lines.append(f"    {line}")

    def match(self, pattern: Pattern, value: str, like: str) -> None:
        """Write the test that a value, the name of a Python variable, matches."""
        match pattern:
            case Name(text):
                if text in self.bound:
                    self.say(f"if {value} is not v_{text}: return None")
                    return
                if pattern.constant:
                    self.say(f"if {value}.op != 'const': return None")
                self.bound.add(text)
                self.say(f"v_{text} = {value}")
            case Number(number):
                # A number that every type of float holds differs as such; the constant also tells zeros apart.
                other = f" or {value}.attr != {number!r}" if rounded(f32, number) == number else ""
                self.say(
                    f"if {value}.op != 'const'{other} or {value} is not literal({number!r}, {value}): return None"
                )
            case Call(name, args):
                if value != "node":
                    self.say(f"if {value}.op != {name!r}: return None")
                if len(args) != table.row(name).arity:
                    raise IrError(f"{name} takes {table.row(name).arity} operands", place=self.rule.name)
                names = [f"t{next(self.fresh)}" for _ in args]
                self.say(f"{', '.join(names)}, = {value}.args")
                # Constants and repeated names decide soonest, so the tests that cannot fail are written last.
                for part, inner in sorted(
                    zip(args, names, strict=True), key=lambda p: isinstance(p[0], Name)
                ):
                    self.match(part, inner, like)

    def guard(self) -> None:
        """Write the test of the predicates."""
        from .guards import GUARDS

        for text in self.rule.when.split(" and ") if self.rule.when else ():
            negated = text.startswith("not ")
            call = parse(text.removeprefix("not "))
            if not isinstance(call, Call) or call.name not in GUARDS:
                known = did_you_mean(text, GUARDS)
                raise IrError(f"{text!r} is no predicate", place=self.rule.name, fix=known or "see guards.py")
            self.scope[f"p_{call.name}"] = GUARDS[call.name]
            args = ", ".join(self.variable(a) for a in call.args)
            self.say(f"if {'' if negated else 'not '}p_{call.name}(b, {args}): return None")

    def variable(self, pattern: Pattern) -> str:
        if isinstance(pattern, Name) and pattern.text in self.bound:
            return f"v_{pattern.text}"
        raise IrError(f"{pattern} is not bound on the left", place=self.rule.name)

    def build(self, pattern: Pattern, like: str) -> str:
        """Write the construction of a right side; returns the Python variable that holds it."""
        from .right_sides import BUILDERS

        if isinstance(pattern, Name):
            return self.variable(pattern)
        result = f"r{next(self.fresh)}"
        if isinstance(pattern, Number):
            like = "b.true" if isinstance(pattern.value, bool) else like
            self.say(f"{result} = literal({pattern.value!r}, {like})")
            return result
        name, args = pattern.name, pattern.args
        if name in BUILDERS:
            self.scope[f"m_{name}"] = BUILDERS[name]
            given = ", ".join(self.build(a, like) for a in args)
            self.say(f"{result} = m_{name}(b, node, {given})")
            self.say(f"if {result} is None: return None")
            return result
        row = table.row(name)
        # A number among the operands has the type of a sibling of the same class.
        built: dict[int, str] = {}
        for k, a in enumerate(args):
            if not isinstance(a, Number):
                built[k] = self.build(a, like)
        for k, a in enumerate(args):
            if isinstance(a, Number):
                siblings = [built[m] for m in built if row.letters[m] == row.letters[k]]
                built[k] = self.build(a, siblings[0] if siblings else like)
        operands = "".join(f"{built[k]}, " for k in range(len(args)))
        if row.result == "@":
            self.say(f"{result} = b.build({name!r}, ({operands}), node.type, node.type)")
        else:
            type_ = "boolean" if row.result == "B" else f"{built[row.letters.index(row.result)]}.type"
            self.say(f"{result} = b.build({name!r}, ({operands}), {type_})")
        return result

    def function(self, lhs: Call) -> Fire:
        self.match(lhs, "node", "node.args[-1]")
        self.guard()
        rhs = parse(self.rule.rhs)
        # A number that is the whole result has the type of the result.
        result = self.build(rhs, "node" if isinstance(rhs, Number) else "node.args[-1]")
        source = "\n".join(["def fire(b, node):", *self.lines, f"    return {result}"])
        exec(compile(source, f"<rule {self.rule.name}>", "exec"), self.scope)  # noqa: S102 - our own rule, as code
        return self.scope["fire"]


def _commuted(pattern: Pattern, kind: str, *, guarded: bool) -> Iterator[Pattern]:
    """The pattern in every order of operands that its commuting operators allow.

    Two bare names match in either order alike, unless a guard tells them apart.
    """
    if not isinstance(pattern, Call):
        yield pattern
        return
    laws = table.row(pattern.name).laws
    orders = itertools.product(*(_commuted(a, kind, guarded=guarded) for a in pattern.args))
    family = "integer" if kind in ("signed", "unsigned") else kind
    for args in orders:
        yield Call(pattern.name, args)
        # Constants stand second in every node that was built.
        if len(args) == 2 and family in laws.commutes and not _is_constant(args[1]):
            first, second = args
            if first != second and (guarded or isinstance(first, Call) or isinstance(second, Call)):
                yield Call(pattern.name, (second, first))


def _is_constant(pattern: Pattern) -> bool:
    return isinstance(pattern, Number) or (isinstance(pattern, Name) and pattern.constant)


def _shape(pattern: Pattern) -> str | None:
    if isinstance(pattern, Call):
        return pattern.name
    return "const" if _is_constant(pattern) else None


@cache
def function(rule: Rule, lhs: Call) -> Fire:
    """The function that applies a rule to nodes that match one variant of its left side, made at its first use."""
    return _Writer(rule).function(lhs)
