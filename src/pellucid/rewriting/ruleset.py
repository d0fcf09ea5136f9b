"""All rules together: those that follow from laws, those of the tables, and which of them a mode of numerics allows.

Stands between the rules and the `builder`, which asks for the few that may fire on a node of a given shape.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from ..base.errors import IrError
from ..ir import prim as table
from .rule import ANY_HEAD, KINDS, AnyRule, Call, Computed, Fire, Label, Rule, Shape, function

MODES: Mapping[str, tuple[Label, ...]] = {
    "exact": ("exact",),
    "relaxed": ("exact", "reassociating"),
    "low": ("exact",),
    "near": ("exact", "approximate"),
}
"""The labels of rules that a mode allows. Expansion is "low" after "exact", and "near", where other methods are chosen,
after "relaxed"; rules that recognize a row in its body do not undo it there."""


def derived() -> Iterator[Rule]:
    """The rules that follow from the laws of the operator table: nobody writes them twice."""
    for row in table.table().values():
        for kind, value in row.laws.identity.items():
            yield Rule(
                f"{row.name}-identity-{kind}",
                "exact",
                f"{row.name}(x, {_word(value)})",
                "x",
                kind,
                doc="A law of the row.",
            )
        for kind, value in row.laws.absorbing.items():
            text = f"{row.name}(x, {_word(value)})"
            yield Rule(
                f"{row.name}-absorbing-{kind}", "exact", text, _word(value), kind, doc="A law of the row."
            )
        for kind in row.laws.idempotent:
            text = f"{row.name}(x, x)"
            yield Rule(f"{row.name}-idempotent-{kind}", "exact", text, "x", kind, doc="A law of the row.")


def _word(value: float | int | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else repr(value)


@dataclass(slots=True)
class RuleSet:
    """Rules made ready: for an operator, a kind of type and the operators of its operands, the rules that may fire."""

    rules: tuple[AnyRule, ...]
    found: dict[tuple[str, ...], tuple[tuple[AnyRule, Fire], ...]] = field(default_factory=dict[Any, Any])
    heads: dict[tuple[str, str], list[tuple[Shape, AnyRule, Call | None]]] = field(
        default_factory=dict[Any, Any]
    )

    def candidates(self, key: tuple[str, ...]) -> tuple[tuple[AnyRule, Fire], ...]:
        """The rules for a key (operator, kind, operators of the operands), made ready once per key."""
        op, kind, *shape = key
        listed = self.heads.get((op, kind))
        if listed is None:
            listed = self.heads[op, kind] = list(self._listed(op, kind))
        fitting: list[tuple[AnyRule, Fire]] = []
        for wanted, rule, variant in listed:
            if all(w is None or w == s for w, s in zip(wanted, shape, strict=False)):
                if isinstance(rule, Computed):
                    fitting.append((rule, rule.fire))
                elif variant is not None:
                    fitting.append((rule, function(rule, variant)))
        self.found[key] = tuple(fitting)
        return self.found[key]

    def _listed(self, op: str, kind: str) -> Iterator[tuple[Shape, AnyRule, Call | None]]:
        for rule in self.rules:
            if op not in rule.heads and rule.heads != ANY_HEAD:
                continue
            if isinstance(rule, Rule):
                yield from ((shape, rule, variant) for shape, variant in rule.variants(kind))
            elif kind in KINDS[rule.on]:
                yield from ((shape, rule, None) for shape in rule.shapes)


def all_rules() -> tuple[AnyRule, ...]:
    """Every rule: those of the laws, then those of the tables in `rules/`, found by listing that folder.

    Raises IrError when two rules have one name.
    """
    from . import rules

    found: list[AnyRule] = list(derived())
    for module in pkgutil.iter_modules(rules.__path__):
        found += getattr(importlib.import_module(f"{rules.__name__}.{module.name}"), "RULES", ())
    names = [r.name for r in found]
    twice = {n for n in names if names.count(n) > 1}
    if twice:
        raise IrError("is the name of two rules", place=", ".join(sorted(twice)))
    return tuple(found)


def rule_set(numerics: str) -> RuleSet:
    """The rules for a mode of numerics, see MODES; with those that follow from the laws of rows added meanwhile.

    Raises IrError for another word.
    """
    table.table()
    return _rule_set(numerics, table.version())


@cache
def _rule_set(numerics: str, version: int) -> RuleSet:
    if numerics not in MODES:
        raise IrError(f"numerics is {numerics!r}", fix='say "exact" or "relaxed"')
    expanding = numerics in ("low", "near")
    return RuleSet(
        tuple(
            r
            for r in all_rules()
            if r.label in MODES[numerics] and not (expanding and isinstance(r, Rule) and r.recognizes)
        )
    )
