"""Sums, differences, products and quotients: what needs no more than two levels of a term.

Longer sums and products are gathered by `rewriting.sums`; the rules here are what `explain` shows in single steps.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.expr import Expr
from ..rule import AnyRule, Rule, computed

if TYPE_CHECKING:
    from ..builder import Builder


def _distribute(b: Builder, node: Expr) -> Expr | None:
    """A constant factor of a sum with a constant goes to both: constants meet, and one fused operation is left."""
    total, factor = node.args
    if all(a.op != "const" for a in total.args) or not b.alone(total):
        return None
    parts = tuple(b.build("mul", (a, factor), a.type) for a in total.args)
    return b.build(total.op, parts, node.type)


SHAPES = (("add", "const"), ("sub", "const"))

RULES: tuple[AnyRule, ...] = (
    computed(
        "distribute",
        "exact",
        "mul",
        on="integer",
        shapes=SHAPES,
        examples=("($i:u8 + 3:u8) * 5:u8", "(3 - $i:i32) * 4"),
    )(_distribute),
    computed(
        "distribute-real",
        "reassociating",
        "mul",
        on="float",
        shapes=SHAPES,
        examples=("($x:f32 + 0.5) * 3.0",),
    )(_distribute),
    # ---- exact on floats ----
    Rule(
        "add-zero",
        "exact",
        "add(x, 0.0)",
        "x",
        "float",
        "not_minus_zero(x)",
        "Only -0.0 + 0.0 is not its first operand.",
    ),
    Rule("sub-zero", "exact", "sub(x, 0.0)", "x", "float", doc="x - 0.0 is x, also for -0.0."),
    Rule(
        "sub-minus-zero",
        "exact",
        "sub(x, -0.0)",
        "x",
        "float",
        "not_minus_zero(x)",
        "Only -0.0 - -0.0 is not its first operand.",
    ),
    Rule("sub-zero-integer", "exact", "sub(x, 0)", "x", "integer", doc="Taking nothing away."),
    Rule("minus-zero-sub", "exact", "sub(-0.0, x)", "neg(x)", "float", doc="Negation by another name."),
    Rule("zero-sub-integer", "exact", "sub(0, x)", "neg(x)", "signed", doc="Negation by another name."),
    Rule("add-neg", "exact", "add(x, neg(y))", "sub(x, y)", "number", doc="Adding the opposite."),
    Rule("sub-neg", "exact", "sub(x, neg(y))", "add(x, y)", "number", doc="Subtracting the opposite."),
    Rule("add-self", "exact", "add(x, x)", "mul(x, 2)", "number", doc="Twice itself; like terms then meet."),
    Rule(
        "add-negative",
        "exact",
        "add(x, K)",
        "sub(x, opposite(K))",
        "number",
        "negative_constant(K)",
        "Reads better.",
    ),
    Rule(
        "sub-negative",
        "exact",
        "sub(x, K)",
        "add(x, opposite(K))",
        "number",
        "negative_constant(K)",
        "Reads better.",
    ),
    Rule("neg-neg", "exact", "neg(neg(x))", "x", "number", doc="Twice around."),
    Rule("mul-neg-neg", "exact", "mul(neg(x), neg(y))", "mul(x, y)", "number", doc="Signs cancel."),
    Rule(
        "mul-neg-constant",
        "exact",
        "mul(neg(x), K)",
        "mul(x, neg(K))",
        "number",
        doc="The constant takes the sign.",
    ),
    Rule("mul-minus-one", "exact", "mul(x, -1)", "neg(x)", "float", doc="Negation is cheaper."),
    Rule("mul-minus-one-signed", "exact", "mul(x, -1)", "neg(x)", "signed", doc="Negation is cheaper."),
    Rule(
        "neg-mul-constant",
        "exact",
        "neg(mul(x, K))",
        "mul(x, neg(K))",
        "number",
        doc="The constant takes the sign.",
    ),
    Rule("div-one", "exact", "div(x, 1.0)", "x", "float", doc="Dividing by one."),
    Rule(
        "div-self", "exact", "div(x, x)", "1.0", "float", "finite(x) and nonzero(x)", "A quotient of equals."
    ),
    Rule("div-minus-one", "exact", "div(x, -1.0)", "neg(x)", "float", doc="Negation is cheaper."),
    Rule(
        "div-power-of-two",
        "exact",
        "div(x, K)",
        "mul(x, exact_reciprocal(K))",
        "float",
        doc="The reciprocal is a float, so both round the same number.",
    ),
    Rule("div-neg-neg", "exact", "div(neg(x), neg(y))", "div(x, y)", "float", doc="Signs cancel."),
    Rule(
        "div-neg-constant",
        "exact",
        "div(neg(x), K)",
        "div(x, neg(K))",
        "float",
        doc="The constant takes the sign.",
    ),
    Rule(
        "constant-div-neg",
        "exact",
        "div(K, neg(x))",
        "div(neg(K), x)",
        "float",
        doc="The constant takes the sign.",
    ),
    Rule("abs-neg", "exact", "abs(neg(x))", "abs(x)", "number", doc="A magnitude has no sign."),
    Rule("abs-abs", "exact", "abs(abs(x))", "abs(x)", "float", doc="A magnitude is its own."),
    Rule(
        "abs-scaled",
        "exact",
        "abs(mul(x, K))",
        "mul(abs(x), abs(K))",
        "float",
        doc="Signs do not enter rounding.",
    ),
    Rule("abs-nonnegative", "exact", "abs(x)", "x", "number", "nonnegative(x)", "The facts show the sign."),
    Rule("abs-negative", "exact", "abs(x)", "neg(x)", "number", "negative(x)", "The facts show the sign."),
    Rule("square-abs", "exact", "mul(abs(x), abs(x))", "mul(x, x)", "number", doc="A square has no sign."),
    Rule(
        "fma-product",
        "exact",
        "fma(x, y, -0.0)",
        "mul(x, y)",
        "float",
        doc="Nothing is added, so one rounding is left.",
    ),
    Rule("fma-one", "exact", "fma(x, 1.0, y)", "add(x, y)", "float", doc="Nothing is multiplied."),
    Rule("fma-one-first", "exact", "fma(1.0, x, y)", "add(x, y)", "float", doc="Nothing is multiplied."),
    # ---- exact on integers, which wrap ----
    Rule("sub-self", "exact", "sub(x, x)", "0", "integer", doc="Nothing is left."),
    # ---- over the real numbers ----
    Rule("add-zero-real", "reassociating", "add(x, 0.0)", "x", "float", doc="Zero has one sign here."),
    Rule("sub-minus-zero-real", "reassociating", "sub(x, -0.0)", "x", "float", doc="Zero has one sign here."),
    Rule("zero-sub-real", "reassociating", "sub(0.0, x)", "neg(x)", "float", doc="Zero has one sign here."),
    Rule("mul-zero-real", "reassociating", "mul(x, 0.0)", "0.0", "float", doc="Nothing is infinite here."),
    Rule(
        "mul-minus-zero-real",
        "reassociating",
        "mul(x, -0.0)",
        "0.0",
        "float",
        doc="Nothing is infinite here.",
    ),
    Rule("zero-div-real", "reassociating", "div(0.0, x)", "0.0", "float", doc="A quotient of nothing."),
    Rule("div-self-real", "reassociating", "div(x, x)", "1.0", "float", doc="A quotient of equals."),
    Rule("sub-self-real", "reassociating", "sub(x, x)", "0.0", "float", doc="Nothing is left."),
    Rule(
        "div-constant",
        "reassociating",
        "div(x, K)",
        "mul(x, reciprocal(K))",
        "float",
        doc="A product takes a tenth of the time of a quotient.",
    ),
    Rule(
        "mul-reciprocal",
        "reassociating",
        "mul(x, div(1.0, y))",
        "div(x, y)",
        "float",
        "",
        "One operation for two.",
    ),
    Rule(
        "div-div",
        "reassociating",
        "div(div(x, y), z)",
        "div(x, mul(y, z))",
        "float",
        "",
        "One quotient for two.",
    ),
    Rule(
        "div-by-div",
        "reassociating",
        "div(x, div(y, z))",
        "div(mul(x, z), y)",
        "float",
        "",
        "One quotient for two.",
    ),
    Rule(
        "constant-div-scaled",
        "reassociating",
        "div(mul(x, K), mul(y, L))",
        "mul(div(x, y), div(K, L))",
        "float",
        doc="Constants meet.",
    ),
    Rule(
        "div-mul-cancel", "reassociating", "div(mul(x, y), y)", "x", "float", doc="Multiplied, then divided."
    ),
    Rule(
        "mul-div-cancel", "reassociating", "mul(div(x, y), y)", "x", "float", doc="Divided, then multiplied."
    ),
    Rule("sqrt-square", "reassociating", "sqrt(mul(x, x))", "abs(x)", "float", doc="The root of a square."),
    Rule(
        "square-sqrt",
        "reassociating",
        "mul(sqrt(x), sqrt(x))",
        "x",
        "float",
        "at_least_zero(x)",
        doc="The square of a root.",
    ),
    Rule("fma-zero", "reassociating", "fma(x, y, 0.0)", "mul(x, y)", "float", doc="Nothing is added."),
    Rule("fma-nothing", "reassociating", "fma(x, 0.0, y)", "y", "float", doc="Nothing is multiplied."),
)
