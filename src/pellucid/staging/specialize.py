"""Specialize: run a program on what is known, and keep the rest as a nest.

The door of the floor. An argument is static unless it is said to be `unknown`, or `cyclic` - unknown but for its
remainder; lists, tuples and memories may hold either. The equation is Futamura's: the residual program on the dynamic
arguments gives what the program gives on all of them.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.lib.array_utils import byte_bounds

from ..base.deep_stack import with_deep_stack
from ..base.errors import InputError, StagingError, TraceError, brief
from ..base.kinds import FUNCTION, TEXT, instance, optional, takes, whole
from ..base.record import record
from ..ir import nest as N
from ..ir import types as T
from ..ir.expr import Buffer, Expr, param, topological
from ..ir.interp import run
from . import bitcache
from . import residual as R
from .folding import WHOLE
from .lower import lower
from .memory import Memory
from .same import flatten
from .session import Fault, SpecializerSession, staging
from .value import NUMBER, Cyclic, Dynamic, expression, integer, of

Array = np.ndarray[Any, Any]


@takes(name=TEXT, type_=instance("a type", T.Type))
def unknown(name: str, type_: T.Type = WHOLE) -> Any:
    """An integer that is known only at run time, where it is the parameter of that name; or a real number (f64).

    >>> unknown("n") + 1
    n + 1
    """
    return of(param(name, type_))


@takes(base=whole(), name=TEXT, remainder=whole())
def cyclic(base: int, name: str, remainder: int = 0) -> Any:
    """An integer known modulo a base: ``base * name + remainder``, with the parameter of that name as quotient.

    >>> cyclic(32, "word", 8) % 32
    8
    """
    if base < 1:
        raise StagingError(f"a base is at least 1, not {base}", place=name, fix="give a positive one")
    return integer(((param(name, WHOLE), base),), remainder)


def bound_arrays(
    memories: Mapping[str, Memory], arrays: Mapping[str, Array], written: Sequence[Buffer] | None = None
) -> dict[Buffer, Array]:
    """Arrays of words by the buffers of memories, as a program was promised: what is `written` (any) stands apart.

    Raises InputError for an unknown or missing name, or for arrays that are too short or overlap.

    >>> bound_arrays({"m": Memory("m")}, {})
    Traceback (most recent call last):
    pellucid.base.errors.InputError: memory m: is missing; give an array of words
    """
    bound: dict[Buffer, Array] = {}
    if not isinstance(arrays, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InputError(
            f"{brief(arrays)} is not a dictionary", place="arrays", fix="give arrays by names of memories"
        )
    for name, array in arrays.items():
        if name not in memories:
            raise InputError(f"no memory is called {name!r}", fix=f"it has {', '.join(memories)}")
        buffer = memories[name].buffer
        if not isinstance(array, np.ndarray) or array.ndim != 1 or array.dtype != buffer.type.dtype:  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InputError(
                f"is not a one-dimensional array of {buffer.type}",
                place=f"memory {name}",
                fix="view it as words",
            )
        if len(array) < buffer.size:
            raise InputError(
                f"has {len(array)} words, and needs at least {buffer.size}",
                place=f"memory {name}",
                fix="give a longer array, or a smaller least to the memory",
            )
        bound[buffer] = array
    for name, memory in memories.items():
        if memory.buffer not in bound:
            raise InputError("is missing", place=f"memory {name}", fix="give an array of words")
    _require_apart(bound, written)
    return bound


def _span(array: Array) -> tuple[int, int]:
    """The first byte of an array, and the first one after it."""
    if not array.flags.c_contiguous:
        return byte_bounds(array)
    start: int = array.__array_interface__["data"][0]
    return start, start + array.nbytes


def _require_apart(bound: Mapping[Buffer, Array], written: Sequence[Buffer] | None) -> None:
    """Refuse arrays that overlap where one of them is `written` (any)."""
    end = 0
    for low, high in sorted(_span(array) for array in bound.values()):
        if low < end:
            break
        end = high
    else:
        # All are apart, which is nearly always so, and quicker to see than for each pair.
        return
    for (one, array), (other, another) in itertools.combinations(bound.items(), 2):
        is_apart = written is None or one in written or other in written
        if is_apart and np.may_share_memory(array, another):
            raise InputError(
                f"the memories {one.name} and {other.name} overlap, and the program was promised that they do not",
                fix="give both as one memory, or copy one",
            )


@record
class Residual:
    """What is left of a program: a nest, where its results are, and how to put them together.

    `kernel` stores to the memories of the program, and its results to one-element buffers; `notes` tell what was
    decided on the way. A call that the program itself would refuse stores 1 to the elements of the buffer `fault` that
    stand for those of its `faults` that were met.
    """

    kernel: N.Kernel
    memories: Mapping[str, Memory]
    results: tuple[Buffer, ...]
    build: Callable[[list[Any]], Any]
    notes: tuple[str, ...]
    faults: tuple[Fault, ...] = ()
    fault: Buffer | None = None

    def bind(
        self, arrays: Mapping[str, Array], *, check: bool = True
    ) -> tuple[dict[Buffer, Array], list[Array]]:
        """The memory of a call: arrays of words by the names of memories, one element for each result, and the fault.

        Raises InputError for an unknown or missing name, for an array that is too short, or for one that is written to
        and overlaps another. Without `check` only the names are looked at: what runs looks at the arrays.
        """
        if not check and arrays.__class__ is dict and arrays.keys() == self.memories.keys():
            bound = {memory.buffer: arrays[name] for name, memory in self.memories.items()}
        else:
            bound = bound_arrays(self.memories, arrays, self.kernel.outputs)
        buffers = self.results if self.fault is None else (*self.results, self.fault)
        results = [np.zeros(b.size, b.type.dtype) for b in buffers]
        bound.update(zip(buffers, results, strict=True))
        return bound, results

    def returned(self, results: list[Array]) -> Any:
        """What the program returns, of the elements that a call has stored.

        Raises InputError for a call that the program itself refuses, or for which it would never end.
        """
        if self.fault is not None:
            met: list[int] = results[-1].tolist()
            if 1 in met:
                raise self.faults[met.index(1)].error()
        return self.build([r[0].item() for r in results[: len(self.results)]])

    def _check(self, parameter: Expr, value: Any) -> None:
        type_, place = parameter.type, f"{self.kernel.name}: {parameter.attr}"
        if value is None:
            raise InputError("is missing", place=place, fix="give it by its name")
        if not NUMBER.test(value) or (type_.is_integer and value != value // 1):
            raise InputError(f"{brief(value)} is not a number of {type_}", place=place, fix="give one")
        if type_.is_integer and not type_.low <= value <= type_.high:
            raise InputError(
                f"{brief(value)} is out of the range of {type_}", place=place, fix="give a smaller one"
            )

    def __call__(self, arrays: Mapping[str, Array] | None = None, **arguments: int) -> Any:
        """Run the residual program by the interpreter; returns what the program returns.

        Raises InputError as `bind` and `returned` do.
        """
        memory, results = self.bind({} if arrays is None else arrays)
        for parameter in self.kernel.params:
            self._check(parameter, arguments.get(str(parameter.attr)))
        run(self.kernel, arguments, memory)
        return self.returned(results)


@takes(program=FUNCTION, name=TEXT, cache=optional(whole(1)))
def specialize(
    program: Callable[..., Any], *arguments: Any, name: str = "", cache: int | None = None, **keywords: Any
) -> Residual:
    """The residual program of a function on partly known arguments.

    `cache` is the number of words that the bit cache holds; by itself it holds what is read again. Raises StagingError
    where the program asks too early for what is known only at run time, or where specializing it does not end.

    >>> from pellucid.staging import lift, loop
    >>> def power(base, exponent):
    ...     return loop(lambda e, r: e == 0, lambda e, r: (e - 1, r * base), exponent, lift(1))[1]
    >>> cube = specialize(power, unknown("base"), 3)
    >>> cube(base=5), power(5, 3)
    (125, 125)
    """
    name = name or getattr(program, "__name__", "program").strip("<>")
    try:
        return with_deep_stack(lambda: _specialized(program, arguments, keywords, name, cache))
    except TraceError as error:
        raise StagingError(
            "the program calls itself without end, or too deeply, while it is specialized",
            place=error.place,
            fix="end a recursion by a condition on what is known, or write a loop",
        ) from None


def _specialized(
    program: Callable[..., Any],
    arguments: tuple[Any, ...],
    keywords: dict[str, Any],
    name: str,
    cache: int | None,
) -> Residual:
    session = SpecializerSession(capacity=cache)
    taken = (
        *_memories((arguments, keywords)),
        "result",
        session.fault.name,
        *_parameters((arguments, keywords)),
    )
    session.labels.update(dict.fromkeys(taken, 1))
    with staging(session):
        result = program(*arguments, **keywords)
        bitcache.write_back_all(session, keep=False)
        flat = flatten(result)
        moving = [k for k, x in enumerate(flat.leaves) if isinstance(x, Cyclic | Dynamic)]
        buffers: list[Buffer] = []
        for k in moving:
            value = expression(flat.leaves[k])
            buffers.append(Buffer(f"result{k}" if len(moving) > 1 else "result", value.type, 1))
            session.emit(R.Put(buffers[-1], expression(0), value))

    def build(values: list[Any]) -> Any:
        leaves = list(flat.leaves)
        for k, v in zip(moving, values, strict=True):
            leaves[k] = v
        return flat.build(leaves)

    fault = Buffer(session.fault.name, T.u8, max(1, len(session.faults)))
    kernel = lower(session.block, name, session.label, {session.fault: fault})
    used = {*kernel.outputs, *N.inputs(kernel)}
    found = {n: m for n, m in session.memories.items() if m.buffer in used}
    notes, faults = tuple(dict.fromkeys(session.notes)), tuple(session.faults)
    return Residual(
        kernel, found, tuple(buffers), build, notes, faults, fault if fault in used else None
    )  # fmt: skip


def _parameters(value: Any) -> list[str]:
    leaves = flatten(value).leaves
    terms = [t for x in leaves if isinstance(x, Cyclic) for t, _ in x.terms]
    terms += [x.expr for x in leaves if isinstance(x, Dynamic)]
    return [str(n.attr) for n in topological(terms) if n.op == "param"]


def _memories(value: Any) -> list[str]:
    return [x.root.name for x in flatten(value).leaves if isinstance(x, Memory)]
