"""White's five kinds of array indices (section 6.3): what an access looks like, for messages and for her Table 6.2."""

from __future__ import annotations

from enum import Enum

from ..ir.nest import For
from .effects import Access


class AccessPattern(Enum):
    """The kind of an array's index; the value is as an error says it."""

    CONSTANT = "a constant"
    VARIABLE = "a variable"
    EXPRESSION = "an expression"
    CONSTANT_SUBRANGE = "a subrange of constants"
    VARIABLE_SUBRANGE = "a subrange of expressions"


def kind(access: Access) -> AccessPattern:
    r"""The kind of an access's index.

    A subrange is what the index of a loop of the access's own scope runs through: of constants, if it is the bare
    index of a loop with constant bounds. A variable is a parameter, an index of a loop outside, or a scalar.

    >>> from pellucid.ir.expr import Buffer
    >>> from pellucid.ir.parse import parse_expr
    >>> from pellucid.ir.types import u8
    >>> pixels = Buffer("pixels", u8, 100)
    >>> [kind(Access(pixels, e)).value for e in parse_expr("7\n%x\n%x + 1")]
    ['a constant', 'a variable', 'an expression']
    """
    position = access.position
    if position.op == "const":
        return AccessPattern.CONSTANT
    loops = [s for s in access.scope if s.index.free & position.free]
    if loops:
        return AccessPattern.CONSTANT_SUBRANGE if constant_loop(access) else AccessPattern.VARIABLE_SUBRANGE
    if position.op in ("param", "index") or (position.op == "load" and position.args[0].op == "const"):
        return AccessPattern.VARIABLE
    return AccessPattern.EXPRESSION


def constant_loop(access: Access) -> For | None:
    """The loop with constant bounds whose bare index the position is."""
    for s in access.scope:
        if s.index is access.position and s.lo.op == s.hi.op == "const":
            return s
    return None


def elements(access: Access) -> range | None:
    """The elements that an access with a constant or a constant subrange goes through; None for other kinds."""
    if access.position.op == "const":
        return range(access.position.attr, access.position.attr + 1)
    loop = constant_loop(access)
    return None if loop is None else range(loop.lo.attr, loop.hi.attr)
