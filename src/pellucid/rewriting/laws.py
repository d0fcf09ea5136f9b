"""Laws: what passes and the builder do to expressions beside the rules, each under the name that a trace uses.

Those that can be written as rules are written so, and have a status like a rule; `PROGRAMS` are the others. Nothing
here is ever applied: `truths`, `regions`, `narrow`, `expand` and `builder` are programs that follow these laws.
"""

from __future__ import annotations

from collections.abc import Mapping

from .rule import Rule

COMPARED = "a minimum is below what one of its operands is below"


def _commuting() -> tuple[Rule, ...]:
    of_words, of_floats = (
        ("add", "mul", "min", "max", "and", "or", "xor", "eq", "ne"),
        ("add", "mul", "eq", "ne"),
    )
    kinds = [("integer", of_words), ("float", of_floats), ("bool", ("and", "or", "xor", "eq", "ne"))]
    return tuple(
        Rule(
            f"{op}-commutes-{kind}",
            "exact",
            f"{op}(x, y)",
            f"{op}(y, x)",
            kind,
            doc="Operands change places.",
        )
        for kind, operators in kinds
        for op in operators
    )


def _compared() -> tuple[Rule, ...]:
    found: list[Rule] = []
    for test in ("lt", "le"):
        for inner, low, high in (("min", "or", "and"), ("max", "and", "or")):
            known = "not_nan(x) and not_nan(y)"
            one, two = f"{test}({inner}(x, y), z)", f"{test}(z, {inner}(x, y))"
            first, second = f"{test}(x, z), {test}(y, z)", f"{test}(z, x), {test}(z, y)"
            found += [
                Rule(
                    f"{inner}-{test}", "exact", one, f"{low}({first})", "number", known, "What a minimum is."
                ),
                Rule(
                    f"{test}-{inner}",
                    "exact",
                    two,
                    f"{high}({second})",
                    "number",
                    known,
                    "What a minimum is.",
                ),
            ]
        found += [
            Rule(
                f"{test}-of-opposite",
                "exact",
                f"{test}(neg(x), K)",
                f"{test}(opposite(K), x)",
                "float",
                doc="Signs.",
            ),
            Rule(
                f"opposite-{test}",
                "exact",
                f"{test}(K, neg(x))",
                f"{test}(x, opposite(K))",
                "float",
                doc="Signs.",
            ),
        ]
    return tuple(found)


TRUTHS = _compared()
"""The laws of `truths`, on comparisons of minima and maxima."""
REGIONS = (
    Rule(
        "and-in-any-order",
        "exact",
        "and(x, and(y, z))",
        "and(and(z, x), y)",
        "bool",
        doc="Truths in any order.",
    ),
    Rule(
        "or-in-any-order", "exact", "or(x, or(y, z))", "or(or(z, x), y)", "bool", doc="Truths in any order."
    ),
    Rule(
        "or-of-shared",
        "exact",
        "or(and(x, y), and(x, z))",
        "and(x, or(y, z))",
        "bool",
        doc="A test that is shared.",
    ),
    Rule("and-by-branch", "exact", "and(x, y)", "choose(x, y, false)", "bool", doc="What the row means."),
)
"""The laws of `regions`, on trees of truths; it applies them all at once."""
LAWS = (*_commuting(), *TRUTHS, *REGIONS)

NARROWED = (
    "add",
    "sub",
    "mul",
    "and",
    "or",
    "xor",
    "min",
    "max",
    "choose",
    "shift_left_in",
    "shift_right_in",
)
PROGRAMS: Mapping[str, str] = {
    "fold": "The value of an operator on constants is known: the interpreter computes it.",
    "gather": "Sums and products: like terms collected, constants gathered, parts grouped by how often they change.",
    "gather-real": "The same for floats, where rounding may differ.",
    "chain": "Chains of one operator: what stands twice goes, constants meet, operands have one order.",
    "chain-real": "The same for floats, where the sign of a zero may differ, and what is made of NaN.",
    "unloop": "An iteration that changes nothing gives what it started from.",
    "join-components": "Components of an iteration that start equal and step alike are always equal.",
    "count-steps": "A component that starts at 0 and adds 1 in each step counts the steps.",
    "fuse": "A product and a sum with one rounding.",
    "body": "A row means its body.",
    "unfuse-round": "The nearest whole number is made by `round`, and not by a large constant that is added.",
    "unfuse-multiple": "A multiple of a constant is taken away in two steps, whose products need no rounding.",
    "unfuse-rest": "What rounding lost of a product is the sum of four exact products, less the rounded one.",
    "total": "A partial row is its total row where its operands are in its domain.",
    **{
        f"narrow-{op}": f"{op} of 32 bits where 16 hold operands and result, or no other bits are seen."
        for op in NARROWED
    },
    "narrow-convert": "A conversion by way of 16 bits that hold the number.",
    **{f"narrow-{op}": f"{op} of 32 bits on operands that 16 hold." for op in ("lt", "le", "eq", "ne")},
}
"""The sentences of passes that have no rule's form, by the names that a trace uses."""
