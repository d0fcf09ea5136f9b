"""The registry of back ends: found by listing `backends/`, so that a back end is one package and no list names it.

A package is a back end if it has a module `backend`, which makes it and says what can be asked of it. Options call it
by the name of its package, and nothing of it is read before it is made, or asked for exact numbers.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

from ..base.errors import BackendError, did_you_mean
from ..base.record import record

if TYPE_CHECKING:
    from ..ir.expr import Buffer, Expr
    from ..ir.nest import Kernel
    from .port import Backend, CodeStore, Ranges, ThreadPool

PACKAGES = Path(__file__).parent


class PrintedShader(Protocol):
    """A compute shader that draws a picture."""

    @property
    def text(self) -> str:
        """Its text in WGSL."""
        ...

    @property
    def params(self) -> Mapping[str, Expr]:
        """Its uniforms, in order."""
        ...

    @property
    def buffers(self) -> Mapping[str, Buffer]:
        """The buffers that stand one after the other in its data."""
        ...

    @property
    def size(self) -> tuple[Expr, Expr]:
        """The params that are the width and the height of a frame."""
        ...


Printer = Callable[["Kernel", "Ranges"], PrintedShader]


@record
class Lent:
    """Services of the driver for back ends: the store of products, the thread pool, and the number of threads.

    `write` is LLVM's writer: from a plan, ranges, a machine and names, the text of a function for each phase, and how
    many elements buffers must have for what was proved. `printed` prints the nest of a picture as a shader in WGSL.
    """

    store: CodeStore
    thread_pool: ThreadPool
    threads: int
    write: Callable[..., tuple[list[str], dict[Any, int]]]
    printed: Printer


class Maker(Protocol):
    """The module `backend` of a package.

    EVERYWHERE says whether every machine can run it, EXACT whether it knows exact numerics and f64.
    """

    EVERYWHERE: bool
    EXACT: bool

    def make(self, lent: Lent) -> Backend:
        """The back end; raises BackendError where it cannot run."""
        ...


@functools.cache
def names() -> tuple[str, ...]:
    """The names of the back ends in options, in alphabetical order.

    >>> [name for name in names() if name in ("jit", "llvm", "tiles")]
    ['llvm', 'tiles']
    """
    return tuple(sorted(path.parent.name for path in PACKAGES.glob("*/backend.py")))


def maker(name: str) -> Maker:
    """The module that makes the back end of that name.

    Raises BackendError if there is none.
    """
    if name not in names():
        fix = did_you_mean(name, names()) or f"give one of {', '.join(names())}"
        raise BackendError(f"no back end is called {name!r}", fix=fix)
    return cast("Maker", importlib.import_module(f"{__package__}.{name}.backend"))
