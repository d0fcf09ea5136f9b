"""Code that is there already: found again by what was asked for, in this process or in the files of the cache.

Between `cache`, which keeps bytes, and whoever compiles. In the process, `Codes` finds code by equal nodes, which
hash-consing makes one object; nothing is written out to ask. In the files, under the hash of what was asked stands an
entry (see `backends.jit.manifest`): how the code is called, and where it is. What was asked for, the files of this
program, the options and the processor are all that code depends on.
"""

from __future__ import annotations

import hashlib
import os
import struct
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..backends.port import Backend, Code, Keeping
from ..base.fingerprint import fingerprint
from ..ir.expr import Buffer, Expr
from ..ir.facts import Facts
from ..ir.nest import Kernel, inputs
from ..ir.prim import changed
from ..ir.verify import checking
from .cache import cache
from .digest import digest
from .options import Options

if TYPE_CHECKING:
    from .frame import Frame
    from .pipeline import Optimized

_NUMBER = struct.Struct("<d")
#: Codes of pictures that a process finds without a file: a few hundred kilobytes each, of which the last used stay.
MAX_CODES = 128


class Codes:
    """Codes by what was asked for, of which the last used `most` are kept; for any number of threads.

    Who asks for code that another thread is making waits for it. A forked child finds what its parent had made.

    >>> codes = Codes(most=1)
    >>> [codes.get(key, lambda key=key: key.upper()) for key in ("a", "b", "b")], len(codes)
    (['A', 'B', 'B'], 1)
    """

    def __init__(self, most: int = MAX_CODES) -> None:
        self.most = most
        self._codes: OrderedDict[Hashable, Any] = OrderedDict()
        self._making: dict[Hashable, threading.Lock] = {}
        self._lock = threading.Lock()

    def unlock(self) -> None:
        """Forget who holds what: in a forked child, those threads are not there."""
        self._making, self._lock = {}, threading.Lock()

    def __len__(self) -> int:
        return len(self._codes)

    def get(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """The code of a key, made if there is none; where making it raises, nothing is kept."""
        code = self._found(key)
        if code is not None:
            return code
        with self._lock:
            making = self._making.setdefault(key, threading.Lock())
        try:
            with making:
                code = self._found(key)
                if code is None:
                    code = make()
                    with self._lock:
                        self._codes[key] = code
                        while len(self._codes) > self.most:
                            self._codes.popitem(last=False)
                return code
        finally:
            with self._lock:
                self._making.pop(key, None)

    def forget(self) -> None:
        """Keep nothing of what was made so far."""
        with self._lock:
            self._codes.clear()

    def _found(self, key: Hashable) -> Any:
        with self._lock:
            code = self._codes.get(key)
            if code is not None:
                self._codes.move_to_end(key)
            return code


codes = Codes()
"""The codes of pictures."""
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=codes.unlock)


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
    if not isinstance(backend, Keeping) or not distinct or changed() or checking():
        best = make()
        return backend.compile(best.kernel, best.ranges)
    key = _key(backend.identity, options, asked())
    entry = cache().get(key)
    code = backend.recall(entry, buffers) if entry is not None else None
    if code is None:
        best = make()
        code = backend.compile(best.kernel, best.ranges)
        cache().put(key, backend.entry(code, buffers))
    return code


def _key(identity: str, options: Options, asked: str) -> str:
    parts = (fingerprint(), identity, repr(options), asked)
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def begun(asked: str, options: Options) -> int:
    """How many processes of this cache, with this one, have begun to draw what is asked for; 1 without a cache."""
    key = _key("begun", options, asked)
    entry = cache().get(key) or b""
    count = 1 + (int(entry) if entry.isdigit() and len(entry) < 9 else 0)
    cache().put(key, str(count).encode())
    return count


def noted(
    name: str, kernel: Kernel, asked: Callable[[], str], options: Options, find: Callable[[], float]
) -> float:
    """A number that was found out of a kernel: from the cache, or else by `find`, and kept.

    `asked` describes all that it depends on but for what the kernel reads from memory, so for kernels that read it is
    found each time.
    """
    if inputs(kernel):
        return find()
    key = _key(name, options, asked())
    entry = cache().get(key)
    if entry is not None and len(entry) == _NUMBER.size:
        return _NUMBER.unpack(entry)[0]
    number = find()
    cache().put(key, _NUMBER.pack(number))
    return number


def of_kernel(
    kernel: Kernel,
    ranges: Mapping[Expr, Facts],
    options: Options,
    backend: Backend,
    make: Callable[[], Optimized],
    how: str = "",
) -> Code:
    """The code of a kernel that was not optimized yet; as `kept` does it. `how` tells ways to optimize apart."""
    return kept(
        lambda: digest(kernel, ranges) + how, (*kernel.outputs, *inputs(kernel)), options, backend, make
    )


def of_frame(frame: Frame, options: Options, backend: Backend, make: Callable[[], Optimized]) -> Code:
    """The code of a frame; as `of_kernel`."""
    kernel = frame.kernel
    return kept(lambda: frame.digest, (*kernel.outputs, *inputs(kernel)), options, backend, make)
