"""Lifts while an extension is written: the six base cases, and fields of structures one by one.

A lift of a structure of no fixed size is no base case: it raises NeedsCopyError, and `writer` inserts a call to a
lifter there, which `lifts` makes.
"""

from __future__ import annotations

from pellucid.base.errors import StagingError
from pellucid.staging.cogen.values import (
    CodePointer,
    ControlPointer,
    NeedsCopyError,
    StaticAtom,
    TimedValue,
    is_split,
    repacks,
)
from pellucid.staging.cogen.writing import Writer
from pellucid.staging.times.lattice import (
    CYCLIC,
    DYNAMIC,
    STATIC,
    Constant,
    Pointer,
    Stack,
    Time,
    TimeGraph,
    is_static,
    pair,
)


def lifted(to: Writer, value: TimedValue, goal: Time = DYNAMIC) -> TimedValue:
    """A value with less known of it."""
    if isinstance(value, ControlPointer):
        value = TimedValue(DYNAMIC, (to.emit("c", "car", [dynamic(to, value.stack)]),))
    elif isinstance(value, CodePointer) and goal is DYNAMIC:
        # The code that fits the frame of the residual closure.
        value = TimedValue(DYNAMIC, (to.emit("c", "car", [dynamic(to, value.closure)]),))
    time = value.time
    if time == goal:
        return value
    if goal is DYNAMIC:
        return _to_dynamic(to, value)
    if goal is STATIC:
        return _to_static(to, value)
    if goal is CYCLIC:
        return _to_cyclic(to, value)
    if isinstance(goal, Stack):
        return stacked(to, value, goal)
    if isinstance(goal, TimeGraph):
        return _to_structure(to, value, goal)
    if isinstance(goal, Constant) and isinstance(time, Pointer) and time.code is goal.value:
        return TimedValue(goal)
    raise _no_lift(to, value, goal)


def _no_lift(to: Writer, value: TimedValue, goal: Time) -> StagingError:
    """The error of a lift that does not exist."""
    return StagingError(
        f"a value of time {value.time} cannot be lifted to {goal}",
        place=to.place,
        fix="what is dynamic stays dynamic: make the value static where it comes from, or lift to D",
    )


def static(to: Writer, value: TimedValue) -> str:
    """The Python expression of a value that is known when the compiler runs."""
    if isinstance(value.time, Constant):
        return to.literal(value.time.value)
    return lifted(to, value, STATIC).own[0]


def dynamic(to: Writer, value: TimedValue) -> str:
    """The Python expression of the residual variable that a value is lifted to."""
    return lifted(to, value).own[0]


def _to_dynamic(to: Writer, value: TimedValue) -> TimedValue:
    """Lift to dynamic: cases 1, 2, 4, 5 and 6."""
    time = value.time
    name = to.variable("l")
    if is_static(time):
        constant = static(to, value)
        to.put(f"{name} = f'c{{next(rt.fresh)}}'")
        to.put(f"{to.out}.append(new(Const, ({name}, {constant})))")
    elif time is CYCLIC:
        to.put(f"{name} = rt.cyclic({to.out}, {', '.join(value.own)})")
    elif isinstance(time, TimeGraph) and time.code is not None and value.halves is not None:
        code, frame = time.code, value.halves[1]
        closure = pair(Pointer(code), frame.time, "|".join(time.nodes[0].points), closure=True)
        owner = to.generator.extension(code, (closure, *(DYNAMIC,) * (len(code.params) - 1)))
        to.generator.hand(owner, [value])
        to.generator.closes(owner)
        to.put(f"{name} = {to.global_of(owner)}.close({', '.join([to.out, *frame.leaves()])})")
    elif isinstance(time, Stack):
        if any(one not in (DYNAMIC, CYCLIC) for one in time.returns):
            raise _no_lift(to, value, DYNAMIC)
        to.generator.closes_all = True
        to.put(f"{name} = {value.own[0]}[0].close({to.out}, *{value.own[0]}[1:])")
    elif value.halves is not None:
        one, other = (dynamic(to, half) for half in value.halves)
        primitive = "close" if isinstance(time, TimeGraph) and time.closure else "cons"
        to.put(f"{name} = rt.prim({to.out}, 'p', {primitive!r}, {one}, {other})")
        to.put(f"if known: follow_pair(known, {name}, {one}, {other})")
    elif isinstance(time, TimeGraph):
        raise NeedsCopyError(value, DYNAMIC)
    else:
        raise _no_lift(to, value, DYNAMIC)
    made = TimedValue(DYNAMIC, (name,))
    made.lifted = lifted_by(to, value)
    return made


def lifted_by(to: Writer, value: TimedValue) -> str:
    """What `lifted` says of a value that is lifted here; empty for one that is no closure."""
    where = to.place.partition("'")[0]
    return value.lifts_from and f"{value.lifts_from} that {where} lifts"


def _to_static(to: Writer, value: TimedValue) -> TimedValue:
    """Lift to static: of constants, and of structures that are static throughout."""
    if isinstance(value.time, Constant):
        return TimedValue(STATIC, (to.literal(value.time.value),))
    if isinstance(value.time, Pointer):
        return TimedValue(STATIC, (to.literal(value.time.code),))
    if value.halves is not None and isinstance(value.time, TimeGraph):
        one, other = (lifted(to, half, STATIC).own[0] for half in value.halves)
        name = to.variable("s")
        to.put(f"{name} = rt.cons({one}, {other}, {value.time.closure})")
        return TimedValue(STATIC, (name,))
    if isinstance(value.time, TimeGraph):
        raise NeedsCopyError(value, STATIC)
    raise _no_lift(to, value, STATIC)


def _to_cyclic(to: Writer, value: TimedValue) -> TimedValue:
    """Lift to cyclic, with a base of one (case 3)."""
    if is_static(value.time) or value.time is DYNAMIC:
        if is_static(value.time):
            to.put(f"integer({static(to, value)})")
        return TimedValue(CYCLIC, ("1", dynamic(to, value), "0"))
    raise _no_lift(to, value, CYCLIC)


def stacked(to: Writer, value: TimedValue, goal: Stack) -> TimedValue:
    """A continuation as a control stack: its extension, and the leaves of its frame."""
    time = value.time
    if not (isinstance(time, TimeGraph) and time.code is not None and value.halves is not None):
        raise _no_lift(to, value, goal)
    code, frame = time.code, value.halves[1]
    if len(code.params) != len(goal.returns) + 1:
        raise StagingError(
            f"{code.name} is given {len(code.params) - 1} values, not {len(goal.returns)}",
            place=to.place,
            fix="lift to a stack with a time for each",
        )
    to.generator.trace.append((time, goal))
    closure = pair(Pointer(code), frame.time, "|".join(time.nodes[0].points), closure=True)
    owner = to.generator.extension(code, (closure, *goal.returns))
    to.generator.hand(owner, [value])
    name = to.variable("k")
    to.put(f"{name} = ({', '.join([to.global_of(owner), *frame.leaves()])},)")
    return TimedValue(goal, (name,))


def _to_structure(to: Writer, value: TimedValue, goal: TimeGraph) -> TimedValue:
    """Lift to a structure: of another one field by field, or of an atom that may stand there."""
    time = value.time
    if value.halves is not None:
        if isinstance(time, TimeGraph) and time.closure != goal.closure:
            raise _no_lift(to, value, goal)
        one, other = value.halves
        made = TimedValue(goal, (), (lifted(to, one, goal.car), lifted(to, other, goal.cdr)))
        if is_split(goal):
            return made
        name = to.variable("s")
        to.put(f"{name} = {packed(to, made)}")
        return TimedValue(goal, (name,))
    if isinstance(time, Constant) and goal.nodes[0].atom:
        return TimedValue(goal, (to.literal(time.value),))
    if isinstance(value, StaticAtom) and goal.nodes[0].atom:
        return TimedValue(goal, value.own)
    if time is STATIC and goal.car is STATIC and goal.cdr is STATIC and not is_split(goal):
        # The lifter would make a static pair of the halves again.
        name = value.own[0]
        source = f"({name}.car, {name}.cdr) if {name}.__class__ is Pair else {name}"
        return TimedValue(goal, (to.assigned("s", source),))
    if time is STATIC and is_split(goal):
        halves = [to.assigned("h", f"{value.own[0]}.{half}") for half in ("car", "cdr")]
        return TimedValue(
            goal,
            (),
            (
                lifted(to, TimedValue(STATIC, (halves[0],)), goal.car),
                lifted(to, TimedValue(STATIC, (halves[1],)), goal.cdr),
            ),
        )
    if repacks(time, goal):
        return TimedValue(goal, value.own)
    if time is STATIC or isinstance(time, TimeGraph):
        raise NeedsCopyError(value, goal)
    raise _no_lift(to, value, goal)


def packed(to: Writer, value: TimedValue) -> str:
    """The Python expression of a value as one object."""
    if value.halves is not None:
        return f"({packed(to, value.halves[0])}, {packed(to, value.halves[1])})"
    if isinstance(value.time, Constant):
        return to.literal(value.time.value)
    if isinstance(value.time, Pointer):
        return to.literal(value.time.code)
    return f"({', '.join(value.own)})" if value.time is CYCLIC else value.own[0]


def unpacked(to: Writer, time: Time, source: str) -> TimedValue:
    """The value of a time that an object holds."""
    if isinstance(time, TimeGraph) and not time.packed:
        one, other = to.variable("u"), to.variable("u")
        to.put(f"{one}, {other} = {source}")
        return TimedValue(time, (), (unpacked(to, time.car, one), unpacked(to, time.cdr, other)))
    if time.is_fixed:
        return TimedValue(time)
    if time is CYCLIC:
        names = tuple(to.variable("u") for _ in range(3))
        to.put(f"{', '.join(names)} = {source}")
        return TimedValue(time, names)
    return TimedValue(time, (source,))
