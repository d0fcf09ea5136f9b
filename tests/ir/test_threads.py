"""Nodes from several threads: equal structure is one object, also while what is dead is forgotten."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

from pellucid.ir import expr as E
from pellucid.ir import types as T
from pellucid.ir.bits import index_bit


def chain(name: str, length: int) -> E.Expr:
    node = E.param(name, T.f32)
    for k in range(length):
        node = E.apply("add", E.apply("mul", node, E.const(k + 0.3, T.f32)), node)
    return node


def test_equal_structure_is_one_object_while_another_thread_forgets_what_is_dead():
    stop = threading.Event()

    def forget() -> int:
        forgotten = E.sweep()
        while not stop.is_set():
            forgotten += E.sweep()
        return forgotten + E.sweep()

    def build(_: int) -> bool:
        return all(chain("threads", 25) is chain("threads", 25) for _ in range(120))

    with ThreadPoolExecutor(4) as pool:
        sweeper = pool.submit(forget)
        try:
            assert all(pool.map(build, range(3)))
        finally:
            stop.set()
        assert sweeper.result() > 0


def test_a_name_has_one_bit_whoever_asks_first():
    names = [f"thread index {k}" for k in range(64)]
    start = threading.Barrier(4)

    def ask(_: int) -> list[int]:
        start.wait(20)
        return [index_bit(name) for name in names]

    with ThreadPoolExecutor(4) as pool:
        first, *others = pool.map(ask, range(4))
    assert all(other == first for other in others)
    assert len(set(first)) == len(names)
