"""HOPS: White's language as she wrote it, in and out of `ir.nest` (White, section 6.1)."""

from .reading import read
from .writing import write, write_block, write_expression

__all__ = ["read", "write", "write_block", "write_expression"]
