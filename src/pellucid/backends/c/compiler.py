"""The door to the C compiler: source to a shared library, and the library to a callable address."""

from __future__ import annotations

import ctypes
import os
import shlex
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

from ...base.errors import BackendError
from ...base.record import record
from ..jit.calling import SIGNATURE, Library, entry

# What a compiler warns of refuses nothing here: one to come may warn of more. The tests add what makes it strict.
LANGUAGE = ("-std=c99",)
FAST = ("-O3", "-march=native", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math", "-fopenmp-simd")
FLAGS = (*FAST, "-fPIC", "-shared")


@record
class CCompiler:
    """A C compiler: the command that runs it, and the version that it tells."""

    command: tuple[str, ...]
    version: str

    @property
    def identity(self) -> str:
        """A text of all that a library depends on besides its source."""
        return f"{' '.join(self.command)} {self.version} {' '.join((*LANGUAGE, *FLAGS))}"

    def compile(self, source: str, *, flags: tuple[str, ...] | None = None) -> bytes:
        """The shared library of a source; `flags` are `FLAGS` as they are now, unless others are given.

        Raises BackendError with the compiler's first complaint.
        """
        with tempfile.TemporaryDirectory(prefix="pellucid-") as folder:
            path, library = Path(folder, "kernel.c"), Path(folder, "kernel.so")
            path.write_text(source, encoding="utf-8")
            self.run(*LANGUAGE, *(FLAGS if flags is None else flags), "-o", str(library), str(path), "-lm")
            return library.read_bytes()

    def run(self, *arguments: str) -> None:
        """Run the compiler.

        Raises BackendError with its first complaint.
        """
        done = subprocess.run([*self.command, *arguments], capture_output=True, text=True, check=False)
        if done.returncode:
            errors = [line for line in done.stderr.splitlines() if "error" in line] or ["it says nothing"]
            raise BackendError(f"does not accept the source: {errors[0]}", place=self.command[0])


@cache
def find_compiler() -> CCompiler:
    """The C compiler of this machine: what CC names, else cc, gcc or clang.

    Raises BackendError if there is none.
    """
    asked = os.environ.get("CC")
    for words in [shlex.split(asked)] if asked else [["cc"], ["gcc"], ["clang"]]:
        if words and shutil.which(words[0]):
            told = subprocess.run([*words, "--version"], capture_output=True, text=True, check=False).stdout
            return CCompiler(tuple(words), told.partition("\n")[0])
    raise BackendError(
        "there is no C compiler", place="back end c", fix="install one, set CC, or use the back end llvm"
    )


def load(code: bytes, phases: int = 1) -> Library:
    """The shared library of a kernel of so many phases made callable.

    Raises BackendError when the system does not load it.
    """
    handle, path = tempfile.mkstemp(suffix=".so", prefix="pellucid-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(code)
        library = ctypes.CDLL(path)
        calls = tuple(ctypes.cast(library[entry(k)], SIGNATURE) for k in range(phases))
    except (OSError, AttributeError) as problem:
        raise BackendError(f"the library cannot be loaded: {problem}", place="back end c") from problem
    finally:
        Path(path).unlink()
    return Library(calls, (library,))
