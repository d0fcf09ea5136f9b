"""How much scratch memory a program has inside of its loops and branches, where back ends have it on the stack.

Memory around the whole program may be of any size; what a loop or a branch allocates must be small, of a size that is
known, and all of it together has to fit.
"""

from __future__ import annotations

from ..ir.expr import Buffer, Expr
from ..ir.nest import Alloc, Block, blocks

MAX_PRIVATE = 128 << 10
"""Maximum bytes of scratch memory inside of loops, all together: it is on the stack."""


def bytes_of(buffer: Buffer, size: Expr) -> int | None:
    """The bytes of scratch memory, or None if only the run knows."""
    return max(1, int(size.attr)) * buffer.type.dtype.itemsize if size.op == "const" else None


def private_bytes(body: Block) -> int | None:
    r"""The bytes of all scratch memory inside of loops and branches, or None if only the run knows.

    >>> from pellucid.ir.parse import parse_nest
    >>> text = "kernel k():\n  output a: i32[9]\n  for i in 0 .. 9:\n    alloc s: i32[3]:\n      a[i] := s[0]\n"
    >>> private_bytes(parse_nest(text).body)
    12
    """
    total = 0
    stack = [(s, False) for s in body]
    while stack:
        s, inside = stack.pop()
        for buffer, size in s.sizes.items() if inside and isinstance(s, Alloc) else ():
            more = bytes_of(buffer, size)
            if more is None:
                return None
            total += more
        deeper = inside or not isinstance(s, Alloc)
        stack += [(x, deeper) for b in blocks(s) for x in b]
    return total
