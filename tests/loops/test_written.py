"""Every program that a move makes can be written, as text and as s-expressions, and is read again as the same."""

from __future__ import annotations

import random
from itertools import count
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.fuzz.nests import RANGES, nest
from tests.turns import fewer

from pellucid.ir import expr as E
from pellucid.ir import nest as N
from pellucid.ir.parse import parse_nest
from pellucid.ir.path import walk
from pellucid.ir.text import print_nest
from pellucid.ir.verify import verify_kernel
from pellucid.loops.core.options import REQUIRED, options
from pellucid.loops.core.registry import moves
from pellucid.loops.hops import read, write
from pellucid.reasoning.prove import Proved

HERE = Path(__file__).parent
GOLDENS = sorted(HERE.glob("*_moves/*.nest"))
PRINTED = sorted((HERE / "programs" / "printed").glob("*.hops"))


def canonical(block: N.Block) -> N.Block:
    """The block with loops named in their order, and arrays of one block together.

    S-expressions give each loop a name of its own, and each array a block.
    """
    numbers = count()

    def together(s: N.Statement) -> N.Statement:
        match s:
            case N.Alloc(sizes, (N.Alloc(more, body),)):
                return N.Alloc({**sizes, **more}, body)
            case _:
                return s

    def renamed(inner: N.Block, names: dict[E.Expr, E.Expr]) -> N.Block:
        made: list[N.Statement] = []
        for s in inner:
            own = names
            if isinstance(s, N.For):
                own = {**names, s.index: E.index(f"loop{next(numbers)}", s.index.type)}
            blocks = tuple(renamed(b, own) for b in N.blocks(s))
            (new,) = N.rewrite(
                (N.with_blocks(s, tuple(() for _ in blocks)),),
                lambda roots, names=names: tuple(E.substitute(list(roots), names)),
            )
            if isinstance(new, N.For):
                new = N.For(own[new.index], new.lo, new.hi, (), new.how)
            made.append(together(N.with_blocks(new, blocks)))
        return tuple(made)

    return renamed(block, {})


def known(kernel: N.Kernel) -> dict[str, E.Buffer]:
    return {b.name: b for b in (*kernel.outputs, *N.inputs(kernel))}


def alike(a: N.Kernel, b: N.Kernel) -> bool:
    """Whether two kernels are the same program, with scratch memory told apart by name."""
    return print_nest(N.Kernel("k", a.params, (), canonical(a.body))) == print_nest(
        N.Kernel("k", a.params, (), canonical(b.body))
    )


def check(kernel: N.Kernel) -> None:
    """Fail unless a kernel is written and read both ways."""
    text = print_nest(kernel)
    again = parse_nest(text, known(kernel))
    assert print_nest(again) == text
    assert N.same(N.erase(_shared(again, kernel)), N.erase(kernel.body)), text
    if any(b.name in known(kernel) for b in N.scratch(kernel.body)):
        return
    form = write(kernel)
    back = read(form, memory=known(kernel))
    verify_kernel(back)
    assert alike(back, kernel), form
    assert sorted(write(back).splitlines()) == sorted(form.splitlines())


def _shared(again: N.Kernel, kernel: N.Kernel) -> N.Block:
    """What was read, over the very scratch memory of the kernel that was written."""
    own = {b.name: b for b in N.scratch(kernel.body)}
    if not own:
        return again.body
    return parse_nest(print_nest(again), {**known(kernel), **own}).body


def made(kernel: N.Kernel) -> list[tuple[str, N.Kernel]]:
    """What every move makes of a program at the first site at which it is proved."""
    found: list[tuple[str, N.Kernel]] = []
    for name, move in moves().items():
        if REQUIRED in options(move).values():
            continue
        for path in [(), *(p for p, _ in walk(kernel.body))]:
            if isinstance(move.check(kernel, path, ranges=RANGES), Proved):
                found.append((name, move.apply(kernel, path, ranges=RANGES).kernel))
                break
    return found


@pytest.mark.parametrize("file", GOLDENS, ids=lambda f: f.stem)
def test_what_is_in_the_goldens(file: Path):
    texts = file.read_text(encoding="utf-8").partition("\nbecause\n")[0]
    for text in texts.split("\nbecomes\n\n"):
        kernel = parse_nest(text)
        if not any(isinstance(s, N.Abstract) and not s.name.isidentifier() for s in N.walk(kernel.body)):
            check(kernel)


@pytest.mark.parametrize("file", PRINTED, ids=lambda f: f.stem)
def test_what_moves_make_of_the_programs_of_the_dissertation(file: Path):
    kernel = read(file.read_text(encoding="utf-8"))
    check(kernel)
    for _, after in made(kernel):
        check(after)


@settings(max_examples=fewer(25))
@given(st.integers(0, 10**6))
def test_what_moves_make_of_random_programs(seed: int):
    kernel = nest(random.Random(seed))
    check(kernel)
    for _, after in made(kernel):
        check(after)
