"""Programs that are run staged and unstaged, for the tests."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from pellucid import signals as sg
from pellucid.driver.program import compile_program
from pellucid.ir import nest as N
from pellucid.ir.expr import topological
from pellucid.staging import Memory, Residual, cyclic, loop, specialize
from pellucid.staging.same import flatten


def memory(name: str, data: np.ndarray | None = None, word: int = 32) -> Memory:
    return Memory(name, word, data)


def words(count: int, seed: int = 1, bits: int = 32) -> np.ndarray:
    """Words with random bits."""
    kind = next(k for k in (8, 16, 32) if k >= bits)
    generator = np.random.default_rng(seed)
    return generator.integers(0, 1 << bits, count, dtype=np.uint64).astype(f"uint{kind}")


def inner_loop(kernel: N.Kernel) -> N.For | N.While:
    """The one loop of a kernel."""
    (found,) = (s for s in N.walk(kernel.body) if isinstance(s, N.For | N.While))
    return found


def conditionals(block: N.Block) -> list[N.For | N.While | N.If]:
    """The loops and branches of a block, but for guards: branches that only note a fault."""

    def guard(s: N.Statement) -> bool:
        inner = [x for x in N.walk((s,)) if x is not s]
        return isinstance(s, N.If) and all(isinstance(x, N.Store) and x.buffer.name == "fault" for x in inner)

    return [s for s in N.walk(block) if isinstance(s, N.For | N.While | N.If) and not guard(s)]


def loads(block: N.Block, kernel: N.Kernel) -> int:
    """How many words a block loads from the memories that were given: each element of the text once."""
    scratch = set(N.scratch(kernel.body))
    return sum(1 for n in topological(N.all_roots(block)) if n.op == "load" and n.attr not in scratch)


def stores(block: N.Block, kernel: N.Kernel) -> int:
    """How many words a block stores to the memories that were given."""
    scratch = set(N.scratch(kernel.body))
    return sum(1 for s in N.walk(block) if isinstance(s, N.Store) and s.buffer not in scratch)


def operations(block: N.Block, name: str) -> int:
    """How many operators of a name a block has."""
    return sum(1 for n in topological(N.all_roots(block)) if n.op == name)


def bits_of(data: np.ndarray, word: int) -> list[int]:
    """Every bit of some words, the least significant first."""
    return [int(w) >> k & 1 for w in data for k in range(word)]


def sample(bits: list[int], position: int, size: int) -> int:
    """A sample, bit by bit."""
    return sum(bits[position + k] << k for k in range(size))


def map2(f, a: sg.Signal, b: sg.Signal, out: sg.Signal) -> None:
    """Two signals combined to a third, each as long as the others."""

    def step(a: sg.Signal, b: sg.Signal, out: sg.Signal):
        out.put(f(a.get(), b.get()))
        return a.next(), b.next(), out.next()

    loop(lambda a, b, out: a.endp() & b.endp() & out.endp(), step, a, b, out)


# ---- one program, three ways ----


class Late:
    """A number that waits for run time, but for its remainder modulo a base."""

    def __init__(self, name: str, value: int, base: int = 1) -> None:
        self.name, self.value, self.base = name, value, base


def everywhere(
    program, *arguments: Any, arrays: dict[str, np.ndarray], backends=("llvm",)
) -> tuple[Residual, Any, dict[str, np.ndarray]]:
    """Run a program as it is, specialized, and as machine code, and see that all return the same and leave the same.

    In the arguments stand a `Late` for what is dynamic and memories without data. Returns the residual program, what
    the program returned, and the arrays after it.
    """
    flat = flatten(arguments)
    lates = {x.name: x for x in flat.leaves if isinstance(x, Late)}
    after = {name: array.copy() for name, array in arrays.items()}
    with_data = {x.name: Memory(x.name, x.word, after[x.name]) for x in flat.leaves if isinstance(x, Memory)}

    def plainly(leaf: Any) -> Any:
        return (
            leaf.value
            if isinstance(leaf, Late)
            else with_data[leaf.name]
            if isinstance(leaf, Memory)
            else leaf
        )

    def staged(leaf: Any) -> Any:
        return cyclic(leaf.base, leaf.name, leaf.value % leaf.base) if isinstance(leaf, Late) else leaf

    expected = program(*flat.build([plainly(x) for x in flat.leaves]))
    residual = specialize(program, *flat.build([staged(x) for x in flat.leaves]))
    given = {p.attr: lates[p.attr].value // lates[p.attr].base for p in residual.kernel.params}
    for run in (residual, *(compile_program(residual, backend=backend) for backend in backends)):
        found = {name: arrays[name].copy() for name in residual.memories}
        assert run(found, **given) == expected
        assert all((found[name] == after[name]).all() for name in found)
        assert all((after[name] == arrays[name]).all() for name in arrays if name not in found)
    return residual, expected, after


def alike(residual: Residual) -> Callable[..., Any]:
    """A residual program of which each call is run by the interpreter and as machine code: both leave and return alike.

    What is called may be called several times; it is compiled once.
    """
    code = compile_program(residual)

    def call(arrays: dict[str, np.ndarray] | None = None, **given: Any) -> Any:
        arrays = arrays or {}
        copies = {name: array.copy() for name, array in arrays.items()}
        result = residual(arrays, **given)
        assert code(copies, **given) == result
        assert all(copies[name].tobytes() == arrays[name].tobytes() for name in arrays)
        return result

    return call


def file_of(folder: str, name: str) -> ModuleType:
    """A program of the examples or the benchmarks."""
    path = Path(__file__).parents[2] / folder / f"{name}.py"
    found = importlib.util.spec_from_file_location(f"{folder}_{name}", path)
    module = importlib.util.module_from_spec(found)
    sys.modules[found.name] = module
    found.loader.exec_module(module)
    return module
