"""Programs that are run staged and unstaged, for the tests."""

from __future__ import annotations

import numpy as np

from pellucid import signals as sg
from pellucid.ir import nest as N
from pellucid.ir.expr import topological
from pellucid.staging import Memory, loop


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


def loads(block: N.Block, kernel: N.Kernel) -> int:
    """How many words a block loads from the memories that were given: each element of the text once."""
    scratch = {s.buffer for s in N.walk(kernel.body) if isinstance(s, N.Alloc)}
    return sum(1 for n in topological(N.all_roots(block)) if n.op == "load" and n.attr not in scratch)


def stores(block: N.Block, kernel: N.Kernel) -> int:
    """How many words a block stores to the memories that were given."""
    scratch = {s.buffer for s in N.walk(kernel.body) if isinstance(s, N.Alloc)}
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
