"""The smart constructor: builds nodes in normal form, folding constants and applying rules as each is made.

The middle of `rewriting`: `simplify` and `expand` send every node of a DAG through one builder, once, operands first;
the right sides of rules are built by it as well, so what it returns needs no second look.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..base.errors import IrError
from ..ir import expr as E
from ..ir import prim as table
from ..ir import types as T
from ..ir.expr import FALSE, STRUCTURAL, TRUE, Expr, const, make
from ..ir.facts import Facts
from ..ir.interp import fold
from ..reasoning.infer import FactsOf
from .ruleset import RuleSet, all_rules, rule_set

MAX_EXAMPLE = 24
"""Examples of more nodes than that are not printed."""
MAX_DEPTH = 10_000
"""Rules may build on rules this deep, as in a picture of thousands of layers; deeper, two of them chase each other."""


@dataclass(slots=True)
class Trace:
    """The log of a simplification: the count of each rule, with the first example, and the nodes it visited.

    >>> trace = Trace()
    >>> trace.note("sub-self", TRUE, FALSE)
    >>> trace.fired
    {'sub-self': 1}
    """

    fired: dict[str, int] = field(default_factory=dict[str, int])
    examples: dict[str, tuple[Expr, Expr]] = field(default_factory=dict[str, tuple[Expr, Expr]])
    visits: int = 0

    def note(self, name: str, before: Expr, after: Expr) -> None:
        """Count one firing."""
        self.fired[name] = self.fired.get(name, 0) + 1
        self.examples.setdefault(name, (before, after))

    def lines(self) -> list[str]:
        """The rules that fired, most often first: the count, the rule, its reason, and the first example.

        >>> from .simplify import simplify
        >>> from ..ir.parse import parse_expr
        >>> trace = Trace()
        >>> _ = simplify(parse_expr("$x:f32 / 4.0"), trace=trace)
        >>> for line in trace.lines():
        ...     print(line)
        1 x div-power-of-two (exact): div(x, K) -> mul(x, exact_reciprocal(K))
            The reciprocal is a float, so both round the same number.
            $x:f32 / 4.0  =>  $x:f32 * 0.25
        """
        from .laws import LAWS, PROGRAMS

        rules = {r.name: r for r in (*all_rules(), *LAWS)}
        found: list[str] = []
        for name, count in sorted(self.fired.items(), key=lambda item: (-item[1], item[0])):
            rule = rules.get(name)
            text = f"{rule.name} ({rule.label}): {rule}" if rule else name
            before, after = self.examples[name]
            found += [f"{count} x {text}", f"    {rule.doc if rule else PROGRAMS[name]}"]
            if E.size([before, after]) < MAX_EXAMPLE:
                found.append(f"    {before!r}  =>  {after!r}")
        return found


class Builder:
    """Builds simplified nodes for one mode of numerics and one set of known ranges.

    Parameters: `numerics` "exact" or "relaxed"; `ranges` as for `reasoning.infer`; `order` the bits of the loop
    indices, outermost first; `trace` is told of every rule that fires; `rules` replaces those
    of the mode.
    """

    __slots__ = (
        "_candidates",
        "_depth",
        "_keys",
        "_ranks",
        "commuting",
        "facts",
        "false",
        "gathers",
        "normal",
        "order",
        "products",
        "relaxed",
        "rules",
        "shared",
        "trace",
        "true",
        "waits",
    )

    def __init__(
        self,
        numerics: str = "relaxed",
        ranges: Mapping[Expr, Facts] | None = None,
        order: tuple[int, ...] = (),
        trace: Trace | None = None,
        rules: RuleSet | None = None,
    ) -> None:
        self.rules = rules or rule_set(numerics)
        self.relaxed = numerics == "relaxed"
        # The kinds of type on which sums and products may be reordered.
        self.gathers = frozenset(("signed", "unsigned", "float") if self.relaxed else ("signed", "unsigned"))
        self.facts = FactsOf.handed_on(ranges)
        self.order = order
        self.trace = trace
        self.true, self.false = TRUE, FALSE
        self.normal: dict[Expr, Expr] = {}
        # The factors of products that were built, with their exponents.
        self.products: dict[Expr, tuple[tuple[Expr, int], ...]] = {}
        # Nodes with several users, and those of them that a rule would have taken apart had they only one.
        self.shared: set[Expr] = set()
        self.waits: set[Expr] = set()
        self._candidates = self.rules.found
        self.commuting = commuting()
        self._keys: dict[Expr, int] = {}
        self._ranks: dict[int, int] = {}
        self._depth = 0

    def build(self, op: str, args: tuple[Expr, ...], type_: T.Type, attr: Any = None) -> Expr:
        """The simplified node of an operator of the table on simplified operands."""
        node = make(op, args, type_, attr)
        found = self.normal.get(node)
        return found if found is not None else self._rewrite(node)

    def apply(self, op: str, *args: Expr) -> Expr:
        """As `build`, with the type worked out; not for conversions."""
        return self.build(op, args, table.row(op).result_type(tuple(a.type for a in args)))

    def convert(self, op: str, x: Expr, target: T.Type) -> Expr:
        """As `build`, for a conversion."""
        return self.build(op, (x,), target, target)

    def const(self, value: float | int | bool, type_: T.Type) -> Expr:
        """A constant."""
        return const(value, type_)

    def alone(self, node: Expr) -> bool:
        """Whether a node has one user only, so that taking it apart repeats no work."""
        if node in self.shared:
            self.waits.add(node)
            return False
        return True

    def _rewrite(self, node: Expr) -> Expr:
        op, args = node.op, node.args
        if op in STRUCTURAL:
            self.normal[node] = node
            return node
        kind = args[-1].type.kind
        if len(args) == 2:
            a, b = args
            first, second = a.op, b.op
            if first == "const":
                if second == "const":
                    return self._fold(node)
                if (op, kind) in self.commuting:
                    return self._turned(node)
            elif second != "const" and (op, kind) in self.commuting and self.follows(a, b):
                return self._turned(node)
            key: tuple[Any, ...] = (op, kind, first, second)
        else:
            key = (op, kind, *[a.op for a in args])
            for a in args:
                if a.op != "const":
                    break
            else:
                return self._fold(node)
        candidates = self._candidates.get(key)
        if candidates is None:
            candidates = self.rules.candidates(key)
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise IrError("rules do not come to an end", place=op, fix="this is a fault of the rules")
        result = node
        for rule, fire in candidates:
            new = fire(self, node)
            if new is not None and new is not node:
                if self.trace is not None:
                    self.trace.note(rule.name, node, new)
                result = new
                break
        self._depth -= 1
        self.normal[node] = result
        return result

    def _turned(self, node: Expr) -> Expr:
        a, b = node.args
        if self.trace is not None:
            kind = a.type.kind if a.type.kind in ("float", "bool") else "integer"
            self.trace.note(f"{node.op}-commutes-{kind}", node, node)
        return self.build(node.op, (b, a), node.type)

    def _fold(self, node: Expr) -> Expr:
        new = const(fold(node.op, node.args, node.type, node.attr), node.type)
        self.normal[node] = new
        if self.trace is not None:
            self.trace.note("fold", node, new)
        return new

    # ---- the order of operands that commute ----

    def key(self, node: Expr) -> int:
        """A number to sort by: what changes least comes first, then small expressions, then names by alphabet.

        It depends on the node's text alone. Its `id` depends on what was built before, and one program must give the
        same bits every time.
        """
        keys = self._keys
        found = keys.get(node)
        if found is not None:
            return found
        stack = [node]
        while stack:
            n = stack[-1]
            parts: list[int] = []
            for a in n.args:
                part = keys.get(a)
                if part is None:
                    stack.append(a)
                else:
                    parts.append(part)
            if len(parts) == len(n.args):
                stack.pop()
                keys[n] = self.rank(n.free) << 96 | _key(n, parts)
        return keys[node]

    def follows(self, a: Expr, b: Expr) -> bool:
        """Whether the key of a node is greater than that of another; mostly their ranks tell."""
        if a.free != b.free:
            first, second = self.rank(a.free), self.rank(b.free)
            if first != second:
                return first > second
        keys = self._keys
        first, second = keys.get(a), keys.get(b)
        return (self.key(a) if first is None else first) > (self.key(b) if second is None else second)

    def rank(self, free: int) -> int:
        """The rank of a value by the indices that it depends on: none is 0, then outer loops before inner ones."""
        found = self._ranks.get(free)
        if found is None:
            found = sum(1 << k for k, bit in enumerate(self.order) if free & bit)
            if free & ~sum(self.order):
                found += 1 << len(self.order)
            self._ranks[free] = found
        return found


def _key(node: Expr, parts: list[int]) -> int:
    height = 0
    for p in parts:
        height = max(height, 1 + (p >> 64 & 0xFFFFFFFF))
    attr = node.attr
    if node.op in ("param", "index"):
        name = attr.encode()
        low = int.from_bytes(name[:4].ljust(4, b"\0"), "big") << 32 | zlib.crc32(name)
        return low ^ _words[node.type.name]
    if node.op == "load":
        attr = zlib.crc32(f"{attr!r}".encode())
    elif attr is None or isinstance(attr, T.Type) or attr != attr:  # noqa: PLR0124 - only NaN differs from itself
        # Python hashes these by address.
        attr = 0
    return height << 64 | hash((_word(node.op), _words[node.type.name], attr, *parts)) & 0xFFFFFFFFFFFFFFFF


_words: dict[str, int] = {t.name: zlib.crc32(t.name.encode()) & 0xFF for t in T.ALL}


def _word(op: str) -> int:
    # Python's own hash of a string differs from run to run.
    found = _words.get(op)
    if found is None:
        found = _words[op] = zlib.crc32(op.encode())
    return found


_pairs: set[tuple[str, str]] = set()


def commuting() -> set[tuple[str, str]]:
    """The pairs of operator and kind of type where the operands commute exactly."""
    if not _pairs:
        for row in table.table().values():
            for kind in row.laws.commutes:
                kinds = ("signed", "unsigned") if kind == "integer" else (kind,)
                _pairs.update((row.name, k) for k in kinds)
    return _pairs
