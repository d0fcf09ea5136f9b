"""The meaning of root: an interpreter that counts operations.

Every other way to run a root program is compared with this one. What primitives mean is said in `primitives`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from pellucid.base.errors import StagingError
from pellucid.staging.root.primitives import Memories, applied
from pellucid.staging.root.program import Const, Jump, Lift, Pair, RootCode, RootIf, RootPrim, check

_MAX_STEPS = 10_000_000
HALT = RootCode("halt", ("self", "result"))


def run(
    code: RootCode,
    *args: Any,
    counts: Counter[str] | None = None,
    most: int = _MAX_STEPS,
    memories: Memories | None = None,
) -> Any:
    """The result of a code, whose first argument is a continuation that `run` supplies.

    Parameters: `counts` gets the number of operations by kind, `most` bounds the jumps, and `memories` are what
    `load@name` and `store@name` read and write.
    """
    counts = Counter() if counts is None else counts
    return enter(code, (Pair(HALT, None, closure=True), *args), counts, most, memories)


def enter(
    code: RootCode, args: Sequence[Any], counts: Counter[str], most: int, memories: Memories | None = None
) -> Any:
    """What reaches the code `HALT`, from any code with all its arguments."""
    checked: set[RootCode] = set()
    for _ in range(most):
        if len(args) != len(code.params):
            raise StagingError(
                f"{len(args)} values for {len(code.params)} parameters", place=code.name, fix="match them"
            )
        if code is HALT:
            return args[1]
        if code not in checked:
            check(code)
            checked.add(code)
        jump, names = _through(code, args, counts, memories)
        target = names[jump.target]
        if not isinstance(target, RootCode):
            raise StagingError(
                f"a jump to {target!r}", place=code.name, fix="jump to a code, such as the car of a closure"
            )
        code, args = target, [names[name] for name in jump.args]
    raise StagingError(f"no end after {most} jumps", place=code.name, fix="end the recursion, or allow more")


def _through(
    code: RootCode, args: Sequence[Any], counts: Counter[str], memories: Memories | None
) -> tuple[Jump, dict[str, Any]]:
    """The jump that ends a run through one code, and what its variables are bound to."""
    names = dict(zip(code.params, args, strict=True))
    waiting = list(reversed(code.body))
    while waiting:
        instruction = waiting.pop()
        match instruction:
            case RootPrim(name, primitive, read):
                counts["prim"] += 1
                names[name] = applied(
                    instruction.place or code.name, primitive, [names[one] for one in read], memories
                )
            case Const(name, value):
                counts["const"] += 1
                names[name] = value
            case RootIf(test, then):
                counts["if"] += 1
                if names[test]:
                    waiting = list(reversed(then))
            case Jump():
                counts["jump"] += 1
                return instruction, names
            case Lift():
                pass
    raise StagingError("a stream without a jump", place=code.name, fix="end it with one jump")
