"""Choices and comparisons: conditions that are known, equal arms, and if-floating (Pan, section 3.5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.expr import STRUCTURAL, Expr, const
from ...ir.prim import row
from ...ir.types import boolean
from ..rule import AnyRule, Rule, computed

if TYPE_CHECKING:
    from ..builder import Builder

ABSORBED = frozenset({"add", "sub", "mul"})
MAX_LEAVES = 8
"""A tree of choices with at most this many constant leaves takes an operator into its leaves."""


def _leaves(tree: Expr) -> int:
    """The number of leaves of a tree of choices; more than MAX_LEAVES if one of them is not a constant."""
    count = 0
    stack = [tree]
    while stack:
        node = stack.pop()
        if node.op == "choose":
            stack += node.args[1:]
        elif node.op == "const":
            count += 1
        else:
            return MAX_LEAVES + 1
        if count > MAX_LEAVES:
            break
    return count


@computed(
    "float-choice",
    "exact",
    "*",
    shapes=(("choose",), (None, "choose"), (None, None, "choose")),
    examples=(
        "to_integer.i32((if $c:bool then 0.0 else 1.0) * 255.0)",
        "(if $c:bool then 1 else 2) << 8 | (if $c:bool then 3 else 4)",
        "(if $c:bool then 1 else $i:i32) + 5",
        "fma(2.0, if $c:bool then 1.0 else 2.0, 3.0)",
        "(if $c:bool then 3:u8 else 1:u8) // 2:u8",
        "(if $c:bool then $u:u8 else 1:u8) ^ (if $c:bool then 0:u8 else $v:u8)",
    ),
)
def float_choice(b: Builder, node: Expr) -> Expr | None:
    """An operator on choices of one condition becomes a choice of operators, where one side is then a constant."""
    if node.op == "choose" or _widens(node):
        return None
    condition = None
    choices: list[Expr] = []
    for a in node.args:
        if a.op == "choose":
            if condition is None:
                condition = a.args[0]
            elif a.args[0] is not condition:
                return None
            choices.append(a)
        elif a.op != "const":
            return None
    if condition is None or not choices:
        return None
    sides = [tuple(a.args[side] if a.op == "choose" else a for a in node.args) for side in (1, 2)]
    if not all(_in_domain(b, node, side) for side in sides):
        return None
    if all(_leaves(c) <= MAX_LEAVES for c in choices):
        return _chosen(b, condition, node, sides)
    # Otherwise a side must get simpler, or several choices become one; and taking a choice from its other users makes
    # a second one of it.
    one_sided = any(all(a.op == "const" for a in side) for side in sides)
    if len({*choices}) == 1 and not one_sided and not _absorbs(b, node.op, choices[0]):
        return None
    if not all(b.alone(c) for c in choices) and not all(_reduces(b, node, side) for side in sides):
        return None
    return _chosen(b, condition, node, sides)


def _widens(node: Expr) -> bool:
    """Whether an integer is converted to one of more bits: what is chosen stays narrow, and fills more lanes."""
    return node.op == "convert" and node.type.is_integer and node.type.bits > node.args[0].type.bits > 1


def _absorbs(b: Builder, op: str, tree: Expr) -> bool:
    """Whether every leaf of a tree of choices takes in a constant factor, or a constant term, at no cost."""
    if not (b.relaxed and op in ABSORBED and tree.type.is_float):
        return False
    stack = [tree]
    for _ in range(2 * MAX_LEAVES):
        if not stack:
            return True
        node = stack.pop()
        if node.op == "choose":
            stack += node.args[1:]
        elif node.op == "lerp":
            if node.args[1].op != "const" or node.args[2].op != "const":
                return False
        elif node.op != "const" and not (node.op == "mul" and (op != "mul" or node.args[1].op == "const")):
            return False
    return False


def _in_domain(b: Builder, node: Expr, side: tuple[Expr, ...]) -> bool:
    """Whether a partial operator is still proved to be in its domain on one side alone."""
    prim = row(node.op)
    return prim.domain is None or prim.proved(
        node.type, tuple(a.type for a in side), [b.facts(a) for a in side]
    )


def _chosen(b: Builder, condition: Expr, node: Expr, sides: list[tuple[Expr, ...]]) -> Expr:
    then, orelse = (b.build(node.op, side, node.type, node.attr) for side in sides)
    return b.build("choose", (condition, then, orelse), node.type)


def _reduces(b: Builder, node: Expr, side: tuple[Expr, ...]) -> bool:
    """Whether the operator on these operands comes to a constant or to one of them."""
    new = b.build(node.op, side, node.type, node.attr)
    return new.op == "const" or new in side


@computed(
    "pinned",
    "exact",
    "lt le eq ne and or xor not abs mod floor_div shift_left shift_right shift_left_in shift_right_in "
    "floor ceil round trunc convert to_integer truncate_in choose",
    examples=("abs($x:f32) < -1.0", "mod($i:i32 * 4, 2)", "$u:u8 >> 8:u8", "$u:u8 < 0:u8"),
)
def pinned(b: Builder, node: Expr) -> Expr | None:
    """A value that the facts pin to one number is that number."""
    if node.op in ("and", "or", "xor", "not", "choose") and node.type is boolean:
        # Of truths, folding knows as much.
        return None
    f = b.facts(node)
    return const(f.lo, node.type) if f.lo == f.hi and f.exact else None


@computed(
    "decided-arm",
    "exact",
    "choose",
    shapes=((None, "choose", None), (None, None, "choose")),
    examples=(
        "if $c:bool then (if $c:bool then $x:f32 else $y:f32) else $z:f32",
        "if $c:bool then $x:f32 else (if $c:bool then $y:f32 else $z:f32)",
        "if $c:bool then (if not($c:bool) then $x:f32 else $y:f32) else $z:f32",
        "if $c:bool then (if $c:bool then $x:u8 else $y:u8) else $z:u8",
        "if $c:bool then $x:i8 else (if not($c:bool) then $y:i8 else $z:i8)",
    ),
)
def decided_arm(b: Builder, node: Expr) -> Expr | None:
    """A choice on the same condition inside of an arm is decided there."""
    condition, then, orelse = node.args
    new_then, new_orelse = _arm(then, condition, 1), _arm(orelse, condition, 2)
    if new_then is then and new_orelse is orelse:
        return None
    return b.build("choose", (condition, new_then, new_orelse), node.type)


def _arm(arm: Expr, condition: Expr, side: int) -> Expr:
    while arm.op == "choose":
        inner = arm.args[0]
        if inner is condition:
            arm = arm.args[side]
        elif inner.op == "not" and inner.args[0] is condition:
            arm = arm.args[3 - side]
        else:
            break
    return arm


@computed(
    "sink-choice",
    "exact",
    "choose",
    examples=(
        "if $c:bool then sin($x:f32) else sin($y:f32)",
        "if $c:bool then $x:f32 * $z:f32 else $z:f32 * $y:f32",
        "if $c:bool then $x:u8 ^ 3:u8 else $y:u8 ^ 3:u8",
        "if $c:bool then fma($x:f32, $y:f32, $z:f32) else fma($x:f32, $w:f32, $z:f32)",
    ),
)
def sink_choice(b: Builder, node: Expr) -> Expr | None:
    """One operator in both arms, with one operand that differs, is applied to the chosen operand: once, not twice."""
    condition, then, orelse = node.args
    if then.op != orelse.op or not then.args or then.op in STRUCTURAL or then.op == "choose":
        return None
    left, right = then.args, orelse.args
    if (
        len(left) == 2
        and (then.op, left[1].type.kind) in b.commuting
        and (left[0] is right[1] or left[1] is right[0])
    ):
        right = (right[1], right[0])
    different = [k for k, (x, y) in enumerate(zip(left, right, strict=True)) if x is not y]
    if len(different) != 1:
        return None
    (k,) = different
    if left[k].type is not right[k].type or not b.alone(then) or not b.alone(orelse):
        return None
    chosen = b.build("choose", (condition, left[k], right[k]), left[k].type)
    args = (*left[:k], chosen, *left[k + 1 :])
    if all(a.op == "const" for a in args if a is not chosen) and _absorbs(b, then.op, chosen):
        return None
    if not _in_domain(b, then, args):
        return None
    return b.build(then.op, args, then.type, then.attr)


RULES: tuple[AnyRule, ...] = (
    Rule("if-true", "exact", "choose(true, x, y)", "x", doc="The condition is known."),
    Rule("if-false", "exact", "choose(false, x, y)", "y", doc="The condition is known."),
    Rule("if-same", "exact", "choose(c, x, x)", "x", doc="Both arms are one."),
    Rule("if-not", "exact", "choose(not(c), x, y)", "choose(c, y, x)", doc="Arms change places."),
    Rule("if-itself", "exact", "choose(c, true, false)", "c", "bool", doc="The choice is the condition."),
    Rule(
        "if-negated",
        "exact",
        "choose(c, false, true)",
        "not(c)",
        "bool",
        doc="The choice is the condition's opposite.",
    ),
    Rule(
        "if-or", "exact", "choose(c, true, x)", "or(c, x)", "bool", "cheap(x)", doc="Cheaper than a branch."
    ),
    Rule(
        "if-and",
        "exact",
        "choose(c, x, false)",
        "and(c, x)",
        "bool",
        "cheap(x)",
        doc="Cheaper than a branch.",
    ),
    Rule(
        "if-or-not",
        "exact",
        "choose(c, x, true)",
        "or(not(c), x)",
        "bool",
        "cheap(x)",
        doc="Cheaper than a branch.",
    ),
    Rule(
        "if-and-not",
        "exact",
        "choose(c, false, x)",
        "and(not(c), x)",
        "bool",
        "cheap(x)",
        doc="Cheaper than a branch.",
    ),
    Rule("if-less", "exact", "choose(lt(x, y), x, y)", "min(x, y)", "number", doc="What the row means."),
    Rule("if-greater", "exact", "choose(lt(x, y), y, x)", "max(y, x)", "number", doc="What the row means."),
    Rule("if-at-most", "exact", "choose(le(x, y), x, y)", "min(x, y)", "integer", doc="Equals are one."),
    Rule("if-at-least", "exact", "choose(le(x, y), y, x)", "max(x, y)", "integer", doc="Equals are one."),
    Rule(
        "if-at-most-real",
        "reassociating",
        "choose(le(x, y), x, y)",
        "min(x, y)",
        "float",
        doc="Zero has one sign here.",
    ),
    Rule(
        "if-at-least-real",
        "reassociating",
        "choose(le(x, y), y, x)",
        "max(x, y)",
        "float",
        doc="Zero has one sign here.",
    ),
    Rule(
        "if-either",
        "exact",
        "choose(c, x, choose(d, x, y))",
        "choose(or(c, d), x, y)",
        "any",
        "cheap(d)",
        "One choice.",
    ),
    Rule(
        "if-both",
        "exact",
        "choose(c, choose(d, x, y), y)",
        "choose(and(c, d), x, y)",
        "any",
        "cheap(d)",
        "One choice.",
    ),
    Rule(
        "if-neither",
        "exact",
        "choose(c, x, choose(d, y, x))",
        "choose(and(not(c), d), y, x)",
        "any",
        "cheap(d)",
        "One choice.",
    ),
    Rule(
        "if-one-not",
        "exact",
        "choose(c, choose(d, x, y), x)",
        "choose(and(c, not(d)), y, x)",
        "any",
        "cheap(d)",
        "One choice.",
    ),
    pinned,
    decided_arm,
    float_choice,
    sink_choice,
)
