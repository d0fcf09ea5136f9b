"""Programs out of core: on arrays of Dask's that do not fit into memory, block by block.

Above `program` and `splitting`. How far a program looks around each point follows from its operations. A block is
computed from the part of the inputs that it needs, which is cut off only where the array ends: so borders apply there
alone, and a block has the bits of the whole. Reductions are joined from their parts, as trees.
"""

from __future__ import annotations

import itertools
import math
import pickle
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from ..base.errors import InputError, brief, installed
from ..base.tracebacks import door
from ..driver.options import Options
from ..ir import types as T
from .array import Array, checked_number
from .operation import (
    POINT,
    Coordinate,
    Coordinates,
    Input,
    Moved,
    Operation,
    PointCount,
    Pointwise,
    Reduction,
    Scalar,
    TableOperation,
    WindowOperation,
    ordered,
    reached,
)
from .program import Program, check_names, compile
from .reducing import ReductionKind, finished, joined, part_of
from .splitting import ReductionStep, SplitProgram, everything, placed, refused, restricted, split

Reach = tuple[tuple[int, int], ...]
"""For each axis, how many points before and behind a point are looked at."""

FAN_IN = 16
"""Parts that one task joins: a task costs about a millisecond, and waits for its parts."""
_MIN_SHARE = 7 / 8
"""The share of what is computed for a block that is the block; where it is less, the block is copied out of it."""


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
    reaches = _reaches([output.node for output in _checked(program).outputs.values()])
    return {name: None if isinstance(found, str) else found for name, found in reaches.items()}


@door
def map_blocks(program: Program, **given: Any) -> Any:
    """The outputs of a program on arrays of Dask's, as arrays of Dask's with the chunks of the first input.

    The arrays are given by name, all of one shape, and scalars as numbers. The shape need not be the declared one: the
    program is meant on arrays of as many axes. Results do not depend on how arrays are cut, and have the bits of the
    program on the whole arrays in exact numerics. Only a sum or a mean of floats takes relaxed numerics: it is added
    exactly, and rounded once. A maximum or a minimum of floats is NaN if one of them is. Results of reductions have
    one chunk. Gives one array for one output, else a dict of them by name. Needs the extra `pellucid[scale]`.

    Raises InputError for a program that needs all of an input at once, for arrays that are missing, unknown, no arrays
    of Dask's, of different shapes or of another type than was declared; MissingExtraError without the extra.

    >>> import dask.array
    >>> from .array import array
    >>> from .template import median
    >>> levels = dask.array.ones((6, 8), chunks=4, dtype="u1")
    >>> map_blocks(compile(median(array("a", (480, 640), "u8"))), a=levels).compute().sum()
    np.uint64(48)
    """
    program = _checked(program)
    check_names({**program.inputs, **program.scalars}, given)
    with installed("dask", extra="scale"):
        import dask
        import dask.array
    arrays = {name: given[name] for name in program.inputs}
    _check_arrays(program, arrays)
    scalars = {
        name: checked_number(given[name], s.type, f"map_blocks, {name}")
        for name, s in program.scalars.items()
    }
    shape, chunks = next((a.shape, a.chunks) for a in arrays.values())
    steps = split(program, shape)
    for nodes in (*([s.elements for s in r] for r in steps.rounds), [*steps.cut.values()]):
        for name, found in _reaches(nodes).items():
            if isinstance(found, str):
                raise refused(f"needs all of {name!r}: {found}")
    work = _Blocks(dask, dask.array, arrays, shape, chunks, program.options)
    done = work.outputs(steps, scalars)
    named = {name: done[name] for name in program.outputs}
    return named if not program.is_single else named["out"]


def _checked(program: object) -> Program:
    if not isinstance(program, Program):
        fix = "make one by alg.compile(outputs)"
        raise InputError(f"{brief(program)} is no program", place="algebra", fix=fix)
    if not program.inputs:
        raise InputError("has no arrays to cut", place="program", fix="call the program itself")
    return program


# ---- how far a program looks ----


def _reaches(roots: Sequence[Operation]) -> dict[str, Reach | str]:
    """For each input of some operations its reach, or else the reason for which all of it is needed."""
    axes = max((r.coordinates.axes for r in roots), default=0)
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
    return named


def _wanted(node: Operation, reach: Reach | str) -> Reach | str:
    """How far an operation looks in its operands, if so much of its result is wanted."""
    match node:
        case _ if isinstance(reach, str):
            return reach
        case Reduction():
            return f"{node.kind} is taken over many points"
        case TableOperation():
            return "it is used in a definition by cases"
        case PointCount():
            return ((0, 0),) * node.operands[0].coordinates.axes
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


class _Blocks:
    """Arrays of Dask's that are cut alike, and the tasks on their blocks."""

    def __init__(
        self,
        dask: Any,
        build: Any,
        arrays: dict[str, Any],
        shape: tuple[int, ...],
        chunks: Any,
        options: Options,
    ) -> None:
        self._dask, self._build, self._arrays, self._shape, self._chunks = dask, build, arrays, shape, chunks
        # In relaxed numerics the order of addends depends on the shape, and so on how arrays are cut.
        self._options = replace(options, numerics="exact")
        self._edges = [[0, *itertools.accumulate(lengths)] for lengths in chunks]
        self._grid = tuple(len(lengths) for lengths in chunks)

    def outputs(self, steps: SplitProgram, scalars: Mapping[str, Any]) -> dict[str, Any]:
        """The outputs of a program in steps."""
        known, results = dict(scalars), dict[str, Any]()
        names = {step.name: step for round_ in steps.rounds for step in round_}
        for reductions in steps.rounds:
            for step, found in zip(reductions, self._reduced(reductions, known), strict=True):
                (results if step.kept or step.is_table else known)[step.name] = found
            for name, node in steps.points.items():
                wanted = [n.name for n in reached([node]) if isinstance(n, Input | Scalar)]
                if name not in known and all(w in known or w in results for w in wanted):
                    known[name] = self._small(node, known, results)
        made: dict[str, Any] = {}
        for name, node in steps.small.items():
            if isinstance(node, Input | Scalar) and node.name in names:
                found = {**results, **known}[node.name]
            else:
                found = self._small(node, known, results)
            made[name] = self._build.from_delayed(found, node.coordinates.shape, node.type.dtype)
        return made | self._mapped(steps.cut, known)

    def _small(self, node: Operation, known: Mapping[str, Any], results: Mapping[str, Any]) -> Any:
        """An operation on results that are whole in memory."""
        inputs = [n for n in reached([node]) if isinstance(n, Input | Scalar)]
        given = {n.name: {**results, **known}[n.name] for n in inputs}
        return self._dask.delayed(_finish, pure=True)(pickle.dumps((node, self._options)), given)

    def _mapped(self, outputs: dict[str, Operation], known: Mapping[str, Any]) -> dict[str, Any]:
        """Operations block by block, as arrays of Dask's."""
        if not outputs:
            return {}
        found = {name: np.empty(self._grid, object) for name in outputs}
        for at, block, made in self._tasks(outputs, known, {}):
            for name, node in outputs.items():
                extent = tuple(end - begin for begin, end in block)
                found[name][at] = self._build.from_delayed(made[name], extent, node.type.dtype)
        return {name: self._build.block(blocks.tolist()) for name, blocks in found.items()}

    def _reduced(self, steps: Sequence[ReductionStep], known: Mapping[str, Any]) -> list[Any]:
        """The result of each reduction: its parts, joined as a tree."""
        parts = {step.name: np.empty(self._grid, object) for step in steps}
        how = {step.name: (step.how, step.is_table) for step in steps}
        for at, _, made in self._tasks({step.name: step.node for step in steps}, known, how):
            for step in steps:
                parts[step.name][at] = made[step.name]
        return [self._whole(step, parts[step.name]) for step in steps]

    def _whole(self, step: ReductionStep, parts: Any) -> Any:
        """The result of a reduction: along the axes that remain, parts lie one after the other."""
        join, finish = (self._dask.delayed(f, pure=True) for f in (joined, finished))
        kept = step.kept
        rows = parts.transpose(*kept, *step.how.over).reshape(*[self._grid[k] for k in kept], -1)
        done = np.empty(rows.shape[:-1], object)
        for at in np.ndindex(done.shape):
            level = list(rows[at])
            while len(level) > 1:
                level = [join(step.how, level[k : k + FAN_IN]) for k in range(0, len(level), FAN_IN)]
            done[at] = finish(step.how, level[0])
        if not kept:
            return done[()]
        return self._dask.delayed(np.block, pure=True)(done.tolist())

    def _tasks(
        self, nodes: dict[str, Operation], known: Mapping[str, Any], how: Mapping[str, Any]
    ) -> Iterator[tuple[tuple[int, ...], list[tuple[int, int]], Any]]:
        """For each block its place, its bounds, and the task that computes some operations for it."""
        text = pickle.dumps((nodes, self._options))
        looked = [n.operands[0].operands[0] if isinstance(n, TableOperation) else n for n in nodes.values()]
        reaches = [r for r in _reaches(looked).values() if not isinstance(r, str)]
        inputs = [n for n in reached(nodes.values()) if isinstance(n, Input)]
        wanted = {n.name for n in reached(nodes.values()) if isinstance(n, Scalar)}
        scalars = {name: value for name, value in known.items() if name in wanted}
        compute = self._dask.delayed(_computed, pure=True)
        for at in np.ndindex(self._grid):
            block = [(ends[k], ends[k + 1]) for ends, k in zip(self._edges, at, strict=True)]
            part, within = _part(block, self._shape, reaches)
            cut = {n.name: _in_one_piece(self._arrays[n.name][part]) for n in inputs}
            yield at, block, compute(text, part, within, scalars, cut, dict(how))


def _in_one_piece(array: Any) -> Any:
    """An array of Dask's as one task.

    Dask would optimize each part of an array by itself if it were given as it is: a chunk that several parts look into
    would be read for each of them.
    """
    return array.rechunk(array.shape).to_delayed(optimize_graph=False).item()


def _computed(
    text: bytes,
    part: tuple[slice, ...],
    within: tuple[slice, ...],
    scalars: dict[str, Any],
    arrays: dict[str, Any],
    how: dict[str, tuple[ReductionKind, bool]],
) -> dict[str, Any]:
    """Some operations for one block, which lies within a part of the arrays, or what it gives to reductions."""
    shape = tuple(s.stop - s.start for s in part)
    bounds = tuple((s.start, s.stop) for s in within)
    program, starts = _program_of(text, shape, bounds)
    more = {name: part[axis].start for axis, name in starts.items()}
    found = program(threads=1, **arrays, **{n: _plain(s) for n, s in scalars.items()}, **more)
    made: dict[str, Any] = {}
    for name, array in found.items():
        reduction, is_table = how.get(name, (None, False))
        if is_table:
            made[name] = array
        else:
            block = array[within]
            if reduction is not None:
                made[name] = part_of(reduction, block)
            else:
                # A copy costs as much as many a program does, and saves what was computed around the block.
                is_most = block.size >= _MIN_SHARE * array.size
                made[name] = block if is_most else np.ascontiguousarray(block)
    return made


def _finish(text: bytes, given: dict[str, Any]) -> Any:
    """An operation on results that are whole."""
    node, options = pickle.loads(text)  # noqa: S301 - written by `map_blocks`, and carried by Dask, which pickles all
    program = compile(Array(node), numerics=options.numerics, backend=options.backend)
    return program(threads=1, **{n: x if n in program.inputs else _plain(x) for n, x in given.items()})


def _plain(number: Any) -> Any:
    """A scalar as Python has it; what is a result comes as an array of one point."""
    return np.asarray(number).item()


@lru_cache(maxsize=64)
def _program_of(
    text: bytes, shape: tuple[int, ...], bounds: tuple[tuple[int, int], ...]
) -> tuple[Program, dict[int, str]]:
    """The program for blocks of a shape, and the names of the scalars that say where they begin, by axis.

    Of definitions by cases, reductions are taken within the bounds only.
    """
    nodes, options = pickle.loads(text)  # noqa: S301 - written by `map_blocks`, and carried by Dask, which pickles all
    roots = [*nodes.values()]
    names = {n.name for n in reached(roots) if isinstance(n, Input | Scalar)} | set(nodes)
    done: dict[Operation, Operation] = {}
    starts: dict[int, str] = {}
    for node in everything(roots):
        operands = tuple(done[o] for o in node.operands)
        if isinstance(node, Reduction):
            operands = (restricted(operands[0], tuple(slice(*b) for b in bounds)),)
        made = placed(node, operands)
        if isinstance(node, Input | Coordinate):
            made = replace(node, coordinates=Coordinates(node.coordinates.low, shape))
        if isinstance(made, Coordinate):
            name = starts.setdefault(made.axis, _unused(f"start{made.axis}", names))
            begin = Scalar(POINT, T.i32, name=name)
            made = Pointwise(made.coordinates, T.i32, (made, begin), "add")
        done[node] = made
    blocks = {name: Array(done[node]) for name, node in nodes.items()}
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
