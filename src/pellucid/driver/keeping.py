"""Code that is there already: found again by what was asked for, so that nothing is traced or optimized a second time.

Between `cache`, which keeps bytes, and whoever compiles. Under the hash of what was asked stands an entry (see
`backends.jit.manifest`): how the code is called, and where it is. What was asked for, the files of this program, the
options and the processor are all that code depends on.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from typing import TypeGuard

from ..backends.port import Backend, Code, Keeping
from ..base.edition import edition
from ..ir.digest import digest
from ..ir.expr import Buffer, Expr
from ..ir.facts import Facts
from ..ir.nest import Kernel, inputs
from ..ir.prim import changed
from ..ir.verify import checking
from .cache import cache
from .options import Options
from .pipeline import Optimized


def kept(
    asked: Callable[[], str],
    buffers: Sequence[Buffer],
    options: Options,
    backend: Backend,
    make: Callable[[], Optimized],
) -> Code:
    """The code that `asked` describes in words: from the cache, or else of the kernel that `make` makes.

    `buffers` are those that it is called with, told apart by their names; the words say what they are. Where rows were
    added to the operator table, or nests are to be verified, code is always made.
    """
    distinct = len({b.name for b in buffers}) == len(buffers)
    if not _keeps(backend) or not distinct or changed() or checking():
        best = make()
        return backend.compile(best.kernel, best.ranges)
    parts = (edition(), backend.identity, repr(options), asked())
    key = hashlib.sha256("\n".join(parts).encode()).hexdigest()
    entry = cache().get(key)
    code = backend.recall(entry, buffers) if entry is not None else None
    if code is None:
        best = make()
        code = backend.compile(best.kernel, best.ranges)
        cache().put(key, backend.entry(code, buffers))
    return code


def _keeps(backend: Backend) -> TypeGuard[Keeping]:
    # Asked once of each kind: Python takes its time to compare a class with a protocol.
    kind = type(backend)
    found = _kinds.get(kind)
    if found is None:
        found = _kinds[kind] = isinstance(backend, Keeping)
    return found


_kinds: dict[type, bool] = {}


def of_kernel(
    kernel: Kernel,
    ranges: Mapping[Expr, Facts],
    options: Options,
    backend: Backend,
    make: Callable[[], Optimized],
    how: str = "",
) -> Code:
    """The code of a kernel that was not optimized yet; as `kept` does it. `how` tells ways to optimize apart."""

    def asked() -> str:
        return digest(kernel, ranges) + how

    return kept(asked, (*kernel.outputs, *inputs(kernel)), options, backend, make)
