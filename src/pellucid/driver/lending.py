"""Back ends made, with what the driver lends them: its cache, its threads, and the writers of others.

Under `kernel`. Back ends do not import each other: a writer that several use is handed to them here.
"""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import TYPE_CHECKING

from ..backends.port import Backend, Ranges
from ..backends.registry import Lent, PrintedShader, maker

if TYPE_CHECKING:
    from ..ir.nest import Kernel
    from .frame import Frame
    from .options import Options


@functools.cache
def make_backend(name: str) -> Backend:
    """The back end of that name ("auto" is llvm), with the driver's cache and threads.

    Raises BackendError where it cannot run.
    """
    from ..backends.jit.host import remember_in
    from ..backends.llvm import written
    from .cache import cache
    from .threads import available, thread_pool

    remember_in(cache())
    lent = Lent(cache(), thread_pool, available(), written, _printed)
    return maker("llvm" if name == "auto" else name).make(lent)


def _printed(kernel: Kernel, ranges: Ranges) -> PrintedShader:
    from .shading import compute_shader

    return compute_shader(kernel, ranges)


def within_reach(frame: Frame, options: Options) -> Frame:
    """A frame whose view is within what the numbers of its back end reach."""
    if options.backend != "wgpu":
        return frame
    from .shading import narrowed

    return replace(frame, ranges=narrowed(frame.ranges))
