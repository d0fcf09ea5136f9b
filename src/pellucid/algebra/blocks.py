"""Programs out of core: on arrays of Dask's that do not fit into memory, block by block.

Above `program`. How far a program looks around each point follows from its operations. A block is computed from the
part of the inputs that it needs, which is cut off only where the array ends: so borders apply there alone, and in exact
numerics a block has the bits of the whole.
"""

from __future__ import annotations

import itertools
import math
import pickle
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from ..base.errors import InputError, brief, installed
from ..base.tracebacks import door
from ..ir import types as T
from .array import Array, checked_number
from .operation import (
    POINT,
    Coordinate,
    Coordinates,
    Input,
    Moved,
    Operation,
    Pointwise,
    Reduction,
    Scalar,
    TableOperation,
    WindowOperation,
    ordered,
    reached,
)
from .program import Program, check_names, compile

Reach = tuple[tuple[int, int], ...]
"""For each axis, how many points before and behind a point are looked at."""


@door
def halo(program: Program) -> dict[str, Reach | None]:
    """How far a program looks around each point of its inputs: points before and behind along each axis, by name.

    None is an input of which all may be needed: for a reduction, a definition by cases, a part of it, or a border that
    wraps around.

    >>> from .array import array
    >>> from .template import convolve, max
    >>> a = array("a", (480, 640))
    >>> halo(compile(convolve(a, [[1, 2, 1]])))
    {'a': ((0, 0), (1, 1))}
    >>> halo(compile(a / max(a)))
    {'a': None}
    """
    reaches = _reaches(_checked(program))
    return {name: None if isinstance(found, str) else found for name, found in reaches.items()}


@door
def map_blocks(program: Program, **given: Any) -> Any:
    """The outputs of a program on arrays of Dask's, as arrays of Dask's with the chunks of the first input.

    The arrays are given by name, all of one shape, and scalars as numbers. The shape need not be the declared one: the
    program is meant on arrays of as many axes. In exact numerics the results have the bits of the program on the whole
    arrays, however they are cut; relaxed sums of floats may differ in their last bits. Gives one array for one output,
    else a dict of them by name. Needs the extra `pellucid[scale]`.

    Raises InputError for a program that needs all of an input, for arrays that are missing, unknown, no arrays of
    Dask's, of different shapes or of another type than was declared; MissingExtraError without the extra.

    >>> import dask.array
    >>> from .array import array
    >>> from .template import median
    >>> levels = dask.array.ones((6, 8), chunks=4, dtype="u1")
    >>> map_blocks(compile(median(array("a", (480, 640), "u8"))), a=levels).compute().sum()
    np.uint64(48)
    """
    reaches = _reaches(_checked(program))
    check_names({**program.inputs, **program.scalars}, given)
    for name, found in reaches.items():
        if isinstance(found, str):
            fix = "call the program itself, on arrays in memory"
            raise InputError(f"needs all of {name!r}: {found}", place="map_blocks", fix=fix)
    with installed("dask", extra="scale"):
        import dask
        import dask.array
    library: Any = dask
    build: Any = dask.array
    arrays = {name: given[name] for name in program.inputs}
    _check_arrays(program, arrays)
    scalars = {
        name: checked_number(given[name], s.type, f"map_blocks, {name}")
        for name, s in program.scalars.items()
    }
    shape: tuple[int, ...]
    shape, chunks = next((a.shape, a.chunks) for a in arrays.values())
    text = pickle.dumps((program.outputs, program.options))
    compute = library.delayed(_computed, pure=True)
    edges = [[0, *itertools.accumulate(lengths)] for lengths in chunks]
    results = {name: np.empty([len(lengths) for lengths in chunks], object) for name in program.outputs}
    for at in np.ndindex(*[len(lengths) for lengths in chunks]):
        block = [(ends[k], ends[k + 1]) for ends, k in zip(edges, at, strict=True)]
        part, within = _part(block, shape, [r for r in reaches.values() if not isinstance(r, str)])
        cut = {name: array[part] for name, array in arrays.items()}
        made = compute(text, tuple(s.start for s in part), within, scalars, cut)
        for name, output in program.outputs.items():
            results[name][at] = build.from_delayed(
                made[name], tuple(end - begin for begin, end in block), output.type.dtype
            )
    done = {name: build.block(blocks.tolist()) for name, blocks in results.items()}
    return done if len(done) > 1 or not program.is_single else next(iter(done.values()))


def _checked(program: object) -> Program:
    if not isinstance(program, Program):
        fix = "make one by alg.compile(outputs)"
        raise InputError(f"{brief(program)} is no program", place="algebra", fix=fix)
    if not program.inputs:
        raise InputError("has no arrays to cut", place="program", fix="call the program itself")
    return program


# ---- how far a program looks ----


def _reaches(program: Program) -> dict[str, Reach | str]:
    """For each input its reach, or else the reason for which all of it is needed."""
    roots = [output.node for output in program.outputs.values()]
    axes = max(r.coordinates.axes for r in roots)
    found: dict[Operation, Reach | str] = dict.fromkeys(roots, ((0, 0),) * axes)
    for node in reversed(ordered(roots)):
        wanted = _wanted(node, found[node])
        below = reached(node.operands) if isinstance(node, TableOperation) else node.operands
        for operand in below:
            found[operand] = _joined(found.get(operand), wanted)
    # The same input may be declared more than once.
    named: dict[str, Reach | str] = {}
    for node, reach in found.items():
        if isinstance(node, Input):
            named[node.name] = _joined(named.get(node.name), reach)
    return {name: named[name] for name in program.inputs}


def _wanted(node: Operation, reach: Reach | str) -> Reach | str:
    """How far an operation looks in its operands, if so much of its result is wanted."""
    match node:
        case _ if isinstance(reach, str):
            return reach
        case Reduction():
            return f"{node.kind} is taken over many points"
        case TableOperation():
            return "it is used in a definition by cases"
        case Moved() if node.coordinates.shape != node.operands[0].coordinates.shape:
            return "a part of it is taken"
        case WindowOperation():
            return _around(node, reach)
        case _:
            return reach


def _around(node: WindowOperation, reach: Reach) -> Reach | str:
    made: list[tuple[int, int]] = []
    for axis, (before, behind) in enumerate(reach):
        steps = [0, *(o[axis] for o in node.offsets if axis < len(o))]
        low, high = -min(steps), max(steps)
        if node.border == "wrap" and (low or high):
            return "a border wraps around"
        if node.border == "reflect":
            # What stands for a point outside is as far inside.
            low = high = max(low, high)
        made.append((before + low, behind + high))
    return tuple(made)


def _joined(one: Reach | str | None, other: Reach | str) -> Reach | str:
    if one is None or isinstance(other, str):
        return other
    if isinstance(one, str):
        return one
    return tuple((max(a, c), max(b, d)) for (a, b), (c, d) in zip(one, other, strict=True))


# ---- blocks ----


def _part(
    block: Sequence[tuple[int, int]], shape: Sequence[int], reaches: Iterable[Reach]
) -> tuple[tuple[slice, ...], tuple[slice, ...]]:
    """The part of the inputs that a block is computed from, and where the block is in it."""
    widest = [(max(r[k][0] for r in reaches), max(r[k][1] for r in reaches)) for k in range(len(shape))]
    part: list[slice] = []
    within: list[slice] = []
    for (begin, end), (before, behind), size in zip(block, widest, shape, strict=True):
        first = max(begin - before, 0)
        part.append(slice(first, min(end + behind, size)))
        within.append(slice(begin - first, end - first))
    return tuple(part), tuple(within)


def _computed(
    text: bytes,
    start: tuple[int, ...],
    within: tuple[slice, ...],
    scalars: dict[str, Any],
    arrays: dict[str, Any],
) -> dict[str, Any]:
    """The outputs for one block."""
    shape = next(iter(arrays.values())).shape
    program, starts = _program_of(text, shape)
    more = {name: start[axis] for axis, name in starts.items()}
    found = program(threads=1, **arrays, **scalars, **more)
    return {name: np.ascontiguousarray(array[within]) for name, array in found.items()}


@lru_cache(maxsize=64)
def _program_of(text: bytes, shape: tuple[int, ...]) -> tuple[Program, dict[int, str]]:
    """The program for blocks of a shape, and the names of the scalars that say where they begin, by axis."""
    outputs, options = pickle.loads(text)  # noqa: S301 - written by `map_blocks`, and carried by Dask, which pickles all
    roots = [output.node for output in outputs.values()]
    names = {n.name for n in reached(roots) if isinstance(n, Input | Scalar)} | set(outputs)
    done: dict[Operation, Operation] = {}
    starts: dict[int, str] = {}
    for node in ordered(roots):
        operands = tuple(done[o] for o in node.operands)
        place = Coordinates(node.coordinates.low, shape) if node.coordinates.axes else node.coordinates
        made = replace(node, coordinates=place, operands=operands)
        if isinstance(made, Coordinate):
            name = starts.setdefault(made.axis, _unused(f"start{made.axis}", names))
            begin = Scalar(POINT, T.i32, name=name)
            made = Pointwise(place, T.i32, (made, begin), "add")
        done[node] = made
    blocks = {name: Array(done[output.node]) for name, output in outputs.items()}
    return compile(blocks, numerics=options.numerics, backend=options.backend), starts


def _unused(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "_"
    return name


def _check_arrays(program: Program, arrays: dict[str, Any]) -> None:
    first = next(iter(arrays))
    for name, array in arrays.items():
        declared, place = program.inputs[name], f"map_blocks, {name}"
        if not hasattr(array, "dask") or not hasattr(array, "chunks"):
            fix = "make it one: dask.array.from_array(numbers)"
            raise InputError(f"{brief(array)} is no array of Dask's", place=place, fix=fix)
        if any(math.isnan(n) for n in array.shape):
            raise InputError("its shape is unknown", place=place, fix="call its compute_chunk_sizes()")
        if array.ndim != len(declared.shape) or array.dtype != declared.type.dtype:
            fix = f"give {declared.type} and {len(declared.shape)} axes, as it was declared"
            raise InputError(f"is {array.dtype} with {array.ndim} axes", place=place, fix=fix)
        if array.shape != arrays[first].shape:
            fix = f"give one of shape {arrays[first].shape}, as that of {first!r}"
            raise InputError(f"has shape {array.shape}", place=place, fix=fix)
        if max(array.shape) > T.i32.high:
            raise InputError(f"has shape {array.shape}", place=place, fix=f"a side has at most {T.i32.high}")
