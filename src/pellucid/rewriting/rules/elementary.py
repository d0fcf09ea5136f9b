"""Elementary functions: their symmetries, inverses and cheaper equals; blends and masks."""

from __future__ import annotations

from ..rule import AnyRule, Rule

ODD = ("sin", "tan", "sinpi", "asin", "atan", "sinh", "tanh", "cbrt")
EVEN = ("cos", "cospi", "cosh")

RULES: tuple[AnyRule, ...] = (
    # ---- symmetries: the sign stays outside of the reduction, which sines and cosines then share ----
    *(
        Rule(f"{f}-neg", "exact", f"{f}(neg(x))", f"neg({f}(x))", "float", doc="The function is odd.")
        for f in ODD
    ),
    *(
        Rule(f"{f}-neg", "exact", f"{f}(neg(x))", f"{f}(x)", "float", doc="The function is even.")
        for f in EVEN
    ),
    *(
        Rule(f"{f}-abs", "exact", f"{f}(abs(x))", f"{f}(x)", "float", doc="The function is even.")
        for f in EVEN
    ),
    *(
        Rule(
            f"{f}-negative-scale",
            "exact",
            f"{f}(mul(x, K))",
            f"neg({f}(mul(x, opposite(K))))",
            "float",
            "negative_constant(K)",
            "The function is odd.",
        )
        for f in ODD
    ),
    *(
        Rule(
            f"{f}-negative-scale",
            "exact",
            f"{f}(mul(x, K))",
            f"{f}(mul(x, opposite(K)))",
            "float",
            "negative_constant(K)",
            "The function is even.",
        )
        for f in EVEN
    ),
    Rule("hypot-neg", "exact", "hypot(neg(x), y)", "hypot(x, y)", "float", doc="A length has no sign."),
    Rule(
        "hypot-neg-second", "exact", "hypot(x, neg(y))", "hypot(x, y)", "float", doc="A length has no sign."
    ),
    Rule("hypot-abs", "exact", "hypot(abs(x), y)", "hypot(x, y)", "float", doc="A length has no sign."),
    Rule(
        "hypot-abs-second", "exact", "hypot(x, abs(y))", "hypot(x, y)", "float", doc="A length has no sign."
    ),
    # ---- powers ----
    Rule("pow-zero", "exact", "pow(x, 0.0)", "1.0", "float", doc="What the row says, also for NaN."),
    Rule("one-pow", "exact", "pow(1.0, x)", "1.0", "float", doc="What the row says, also for NaN."),
    Rule("pow-whole", "reassociating", "pow(x, K)", "small_power(x, K)", "float", doc="A few products."),
    Rule(
        "pow-half", "reassociating", "pow(x, 0.5)", "sqrt(x)", "float", doc="The square root by another name."
    ),
    Rule(
        "pow-minus-half",
        "reassociating",
        "pow(x, -0.5)",
        "div(1.0, sqrt(x))",
        "float",
        doc="The square root of it.",
    ),
    Rule(
        "pow-three-halves",
        "reassociating",
        "pow(x, 1.5)",
        "mul(x, sqrt(x))",
        "float",
        doc="The root and itself.",
    ),
    Rule("two-pow", "reassociating", "pow(2.0, x)", "exp2(x)", "float", doc="A row of its own."),
    Rule(
        "pow-of-exp", "reassociating", "pow(exp(x), y)", "exp(mul(x, y))", "float", doc="Exponents multiply."
    ),
    Rule(
        "pow-of-sqrt",
        "reassociating",
        "pow(sqrt(x), y)",
        "pow(x, mul(y, 0.5))",
        "float",
        doc="Exponents multiply.",
    ),
    Rule("exp-of-log", "reassociating", "exp(log(x))", "x", "float", "at_least_zero(x)", "There and back."),
    Rule(
        "exp2-of-log2", "reassociating", "exp2(log2(x))", "x", "float", "at_least_zero(x)", "There and back."
    ),
    Rule("log-of-exp", "reassociating", "log(exp(x))", "x", "float", doc="There and back."),
    Rule("log2-of-exp2", "reassociating", "log2(exp2(x))", "x", "float", doc="There and back."),
    Rule(
        "exp-times-exp",
        "reassociating",
        "mul(exp(x), exp(y))",
        "exp(add(x, y))",
        "float",
        doc="Exponents add up.",
    ),
    Rule(
        "exp-over-exp",
        "reassociating",
        "div(exp(x), exp(y))",
        "exp(sub(x, y))",
        "float",
        doc="Exponents add up.",
    ),
    Rule(
        "over-exp",
        "reassociating",
        "div(x, exp(y))",
        "mul(x, exp(neg(y)))",
        "float",
        doc="A product for a quotient.",
    ),
    Rule(
        "sine-cosine-one",
        "reassociating",
        "add(mul(sin(x), sin(x)), mul(cos(x), cos(x)))",
        "1.0",
        "float",
        doc="The theorem of Pythagoras.",
    ),
    Rule(
        "hypot-root",
        "reassociating",
        "hypot(x, y)",
        "sqrt(add(mul(x, x), mul(y, y)))",
        "float",
        doc="Overflow on the way is no concern of pictures.",
    ),
    # ---- blends and masks ----
    Rule(
        "lerp-zero",
        "exact",
        "lerp(0.0, x, y)",
        "x",
        "float",
        "at_most_half(x) and at_most_half(y) and not_minus_zero(x)",
        "All of x, where y - x is finite.",
    ),
    Rule("lerp-zero-real", "reassociating", "lerp(0.0, x, y)", "x", "float", doc="All of x."),
    Rule("lerp-one", "reassociating", "lerp(1.0, x, y)", "y", "float", doc="All of y."),
    Rule("lerp-same", "reassociating", "lerp(w, x, x)", "x", "float", doc="A mean of equals."),
    Rule("lerp-from-zero", "reassociating", "lerp(w, 0.0, x)", "mul(w, x)", "float", doc="One product."),
    Rule(
        "lerp-scaled",
        "reassociating",
        "mul(lerp(w, K, L), M)",
        "lerp(w, mul(K, M), mul(L, M))",
        "float",
        doc="Its ends take it.",
    ),
    Rule(
        "lerp-plus",
        "reassociating",
        "add(lerp(w, K, L), M)",
        "lerp(w, add(K, M), add(L, M))",
        "float",
        doc="Its ends take it.",
    ),
    Rule(
        "lerp-minus",
        "reassociating",
        "sub(lerp(w, K, L), M)",
        "lerp(w, sub(K, M), sub(L, M))",
        "float",
        doc="Its ends take it.",
    ),
    Rule(
        "minus-lerp",
        "reassociating",
        "sub(M, lerp(w, K, L))",
        "lerp(w, sub(M, K), sub(M, L))",
        "float",
        doc="Its ends take it.",
    ),
    Rule(
        "lerp-turned",
        "reassociating",
        "lerp(sub(1.0, w), x, y)",
        "lerp(w, y, x)",
        "float",
        doc="The ends change places.",
    ),
    Rule(
        "smooth-step",
        "exact",
        "mul(mul(x, x), sub(3.0, mul(x, 2.0)))",
        "smooth(x)",
        "float",
        doc="A row of its own, whose bounds are known.",
        recognizes=True,
    ),
    Rule(
        "mask-mul",
        "reassociating",
        "mul(choose(c, 1.0, 0.0), x)",
        "choose(c, x, 0.0)",
        "float",
        doc="All or nothing.",
    ),
    Rule(
        "mask-mul-not",
        "reassociating",
        "mul(choose(c, 0.0, 1.0), x)",
        "choose(c, 0.0, x)",
        "float",
        doc="Nothing or all.",
    ),
    Rule(
        "mask-lerp",
        "reassociating",
        "lerp(choose(c, 1.0, 0.0), x, y)",
        "choose(c, y, x)",
        "float",
        doc="One or the other.",
    ),
    Rule(
        "mask-lerp-not",
        "reassociating",
        "lerp(choose(c, 0.0, 1.0), x, y)",
        "choose(c, x, y)",
        "float",
        doc="One or the other.",
    ),
    # ---- other methods, chosen when code is made ----
    Rule(
        "sin-near",
        "approximate",
        "sin(x)",
        "sin_near(x)",
        "float",
        "maybe_far(x)",
        "No reduction of huge angles.",
    ),
    Rule(
        "cos-near",
        "approximate",
        "cos(x)",
        "cos_near(x)",
        "float",
        "maybe_far(x)",
        "No reduction of huge angles.",
    ),
    Rule(
        "tan-near",
        "approximate",
        "tan(x)",
        "tan_near(x)",
        "float",
        "maybe_far(x)",
        "No reduction of huge angles.",
    ),
    Rule(
        "pow-near",
        "approximate",
        "pow(x, y)",
        "pow_near(x, y)",
        "float",
        "power_may_be_near(x, y)",
        "Half the work of a precise power.",
    ),
)
