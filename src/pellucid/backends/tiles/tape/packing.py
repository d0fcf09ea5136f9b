"""Packed words: replaces the expression at the end of a pixel that packs its channels by one instruction per channel.

`tape.build` does so before it writes instructions: in a leaf each instruction reads and writes memory, and short tapes
would mostly clamp, truncate, shift and join. Only the root is replaced, and the arms of choices between words. The rows
that replace it give the same bits; see `tape.rows`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial, reduce

from ....ir import expr as E
from ....ir import types as T
from ....ir.expr import Expr
from .rows import ALPHA, FULL, HALF, OPAQUE, PLACES, SCALED


def packed(root: Expr) -> Expr:
    """The same word, with channels packed by rows of the table.

    >>> from pellucid.ir.parse import parse_expr
    >>> packed(parse_expr("convert.u32(truncate_in.i32($x:f32) | -16777216)")[0])
    pack(4278190080:u32, $x:f32, 0:u32)
    """
    done: dict[Expr, Expr] = {}
    stack = [root]
    while stack:
        node = stack[-1]
        if node in done:
            stack.pop()
            continue
        if node.op != "choose":
            done[node] = _word(node)
            continue
        condition, *arms = node.args
        missing = [x for x in arms if x not in done]
        if missing:
            stack += missing
            continue
        then, other = (done[x] for x in arms)
        done[node] = node if [then, other] == arms else E.apply("choose", condition, then, other)
    return done[root]


def _word(node: Expr) -> Expr:
    """A word of channels as rows that pack one each; any other expression as it is."""
    if node.op != "convert" or node.type is not T.u32 or node.args[0].type is not T.i32:
        return node
    parts: list[tuple[str, Expr, int]] = []
    rest: list[Expr] = []
    constant = 0
    terms = list(node.args)
    seen: set[Expr] = set()
    while terms:
        term = terms.pop()
        # Bits that are set twice are set.
        if term in seen:
            continue
        seen.add(term)
        part = _part(term)
        if part is not None:
            parts.append(part)
        elif term.op == "or":
            terms += reversed(term.args)
        elif term.op == "const":
            constant |= term.attr
        else:
            rest.append(term)
    if not parts:
        return node
    if not rest and constant & 0xFFFFFFFF == ALPHA and _together(parts):
        row = parts[0][0] + OPAQUE
        return E.apply(row, *[x for _, x, _ in sorted(parts, key=_places)], attr=T.u32)
    # Uniform channels come first, so that their rows are no instructions.
    word = _chain(E.const(constant & 0xFFFFFFFF, T.u32), [p for p in parts if not p[1].free])
    if rest:
        others = E.apply("convert", reduce(partial(E.apply, "or"), rest), attr=T.u32)
        word = others if word is E.const(0, T.u32) else E.apply("or", others, word)
    return _chain(word, [p for p in parts if p[1].free])


def _places(part: tuple[str, Expr, int]) -> int:
    return part[2]


def _together(parts: Sequence[tuple[str, Expr, int]]) -> bool:
    """Whether one instruction packs all channels, of which more than one varies."""
    rows, channels, places = zip(*parts, strict=True)
    same = len({*rows}) == 1 and len({x.type for x in channels}) == 1
    return same and tuple(sorted(places)) == PLACES and sum(bool(x.free) for x in channels) > 1


def _chain(word: Expr, parts: Iterable[tuple[str, Expr, int]]) -> Expr:
    for row, x, places in parts:
        word = E.apply(row, word, x, E.const(places, T.u32))
    return word


def _part(term: Expr) -> tuple[str, Expr, int] | None:
    """A channel: the row that packs it, its value, and its lowest bit in the word."""
    places = 0
    if term.op == "shift_left_in" and term.args[1].op == "const":
        term, places = term.args[0], int(term.args[1].attr)
    if term.op != "truncate_in" or term.type is not T.i32:
        return None
    (x,) = term.args
    row = "pack"
    if _clamped(x, "min", FULL):
        row, x = "pack_below", x.args[0]
        if _clamped(x, "max", 0.0):
            row, x = "pack_byte", x.args[0]
    if x.op == "fma" and [a.attr for a in x.args[1:] if a.op == "const"] == [FULL, HALF]:
        row, x = row + SCALED, x.args[0]
    return row, x, places


def _clamped(x: Expr, row: str, bound: float) -> bool:
    """Whether a number is clamped to a bound that is the second operand, so that NaN becomes the bound."""
    return x.op == row and x.args[1].op == "const" and x.args[1].attr == bound
