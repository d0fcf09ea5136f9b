"""The back ends under test, by name: every one that this machine can run."""

from __future__ import annotations

import shutil
from collections.abc import Callable

import pytest

from pellucid.backends.c import CBackend
from pellucid.backends.jit.engine import machine
from pellucid.backends.llvm import LlvmBackend
from pellucid.backends.numpy import NumpyBackend
from pellucid.backends.port import Backend


def back_ends() -> dict[str, Callable[[], Backend]]:
    """Makers of back ends; LLVM also for lesser processors of the host's family, which take other paths."""
    found: dict[str, Callable[[], Backend]] = {"numpy": NumpyBackend, "llvm": LlvmBackend}
    if machine().target.triple.startswith("x86_64"):
        found["llvm-sse2"] = lambda: LlvmBackend(cpu="x86-64")
        if "+avx2" in machine().features.split(","):
            found["llvm-avx2"] = lambda: LlvmBackend(cpu="x86-64-v3")
    if shutil.which("cc"):
        found["c"] = CBackend
    return found


@pytest.fixture(params=back_ends())
def backend(request: pytest.FixtureRequest) -> Backend:
    """Each back end in turn."""
    return back_ends()[request.param]()


@pytest.fixture(params=[name for name in back_ends() if name != "numpy"])
def compiling_backend(request: pytest.FixtureRequest) -> Backend:
    """Each back end that writes code; the interpreter takes what they must refuse."""
    return back_ends()[request.param]()


needs_compiler = pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
