"""What a program is given: whether a parameter of the entry is an array or a tuple, and the error of the other one.

The inference asks when it knows how parameters are used; a compiled program asks at each call.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from pellucid.base.errors import InputError, StagingError, brief
from pellucid.staging.front.kinds import ITEM, Kind
from pellucid.staging.memory import Memory
from pellucid.staging.root.program import Pair

if TYPE_CHECKING:
    from pellucid.staging.front.inference import Inference
    from pellucid.staging.front.source import Source


def find_forms(inference: Inference) -> None:
    """Find which parameters of the entry are arrays, and which of them go with their lengths.

    A parameter without annotation is an array if its length or a computed position is asked for. Words have no items,
    so it is a tuple if its items are sequences themselves, and where it is annotated as one.
    """
    entry = inference.entry
    written = {one.arg: one.annotation for one in entry.tree.args.args}
    for name in entry.params:
        kind = inference.kinds.variable(entry.function, name).root
        _check_keys(kind, name)
        if not kind.forms:
            if _is_tuple(entry, written.get(name)) or (kind.is_sequence and _has_sequences(kind)):
                kind.add("tuple")
            elif kind.indexed or kind.sized:
                kind.add("memory")
        if kind.with_size:
            inference.sized.append(name)


def _check_keys(kind: Kind, name: str) -> None:
    """Check that no entry is taken by a text of what is dynamic: there are no dictionaries then.

    Raises StagingError with the line that takes one. Fields of objects are looked at where they are written.
    """
    waiting, seen = [kind.root], {kind.root}
    for one in waiting:
        is_known = one.of is not None or one.forms & {"given", "dict", "object"}
        if not is_known and one.entry is not None:
            place, text = one.entry
            raise StagingError(
                f"{name} is dynamic, and is used as a dictionary in {text!r}",
                place=place,
                fix=f"give {name}=STATIC, or make {name} a tuple, and take its items by their positions",
            )
        if not is_known:
            new = {part.root for part in one.parts.values()} - seen
            seen |= new
            waiting += new


def _is_tuple(source: Source, annotation: ast.expr | None) -> bool:
    """Whether an annotation says that a parameter is a tuple: `tuple` or `tuple[int, ...]`."""
    held = annotation.value if isinstance(annotation, ast.Subscript) else annotation
    return isinstance(held, ast.Name) and source.known(held) is tuple


def _has_sequences(kind: Kind) -> bool:
    """Whether items of a sequence are used as sequences.

    An item that may be a part of the static program says nothing: where a function returns either, both have one kind.
    """
    own = kind.root
    return ITEM in own.parts and own.part(ITEM).is_sequence and "given" not in own.part(ITEM).forms


def check_form(inference: Inference, name: str, value: object) -> None:
    """Check that a value of a parameter is an array where it is used as one, and else is none.

    Raises InputError with the line that uses it.
    """
    entry = inference.entry
    kind: Kind = inference.kinds.variable(entry.function, name).root
    is_array = isinstance(value, Memory | np.ndarray)
    if is_array == ("memory" in kind.forms) or not (kind.is_sequence or "memory" in kind.forms):
        return
    place, text = kind.use or (f"{entry.file}:{entry.tree.lineno}", name)
    if is_array:
        raise InputError(
            f"{name} is an array, and is used as a tuple in {text!r}",
            place=place,
            fix=f"write {name}: Memory in the parameters of {entry.name}, or give a tuple",
        )
    is_annotated = any(one.arg == name and one.annotation is not None for one in entry.tree.args.args)
    more = "" if is_annotated else f", or write {name}: tuple in the parameters of {entry.name}"
    raise InputError(
        f"{name} is {brief(value)}, and is used as an array in {text!r}",
        place=place,
        fix=f"give {name} an array of uint8, uint16 or uint32{more}",
    )


def refuse(inference: Inference | None, entry: str, name: str, value: object) -> NoReturn:
    """Raise the error of an argument of a kind that programs do not take, at the line that uses the parameter."""
    is_dictionary = isinstance(value, Mapping)
    instead = "a number, a truth value, a tuple, or an array for a memory"
    fix = f"give {name}=STATIC to cogen, or its values as a tuple" if is_dictionary else f"give {instead}"
    raise _refusal(inference, entry, name, f"{brief(value)} is no value for {name}", fix)


def refuse_part(inference: Inference | None, entry: str, name: str, value: object) -> None:
    """Raise the error of a part of an argument that is no data; nothing happens where all parts are."""
    waiting: list[Any] = [value] if isinstance(value, tuple | list) else []
    for held in waiting:
        for one in held:
            if isinstance(one, tuple | list):
                waiting.append(one)
            elif not (one is None or isinstance(one, int | np.integer | np.bool_ | Pair)):
                is_dictionary = isinstance(one, Mapping)
                instead = f"{name}=STATIC to cogen, or the values of the dictionary as a tuple"
                fix = f"give {instead if is_dictionary else 'integers, truth values, None, and tuples of these'}"
                raise _refusal(inference, entry, name, f"{brief(one)} in {name} is no data", fix)


def _refusal(inference: Inference | None, entry: str, name: str, message: str, fix: str) -> InputError:
    """The error of an argument; a compiler that was loaded knows its name only."""
    if inference is None:
        return InputError(message, place=entry, fix=fix)
    source = inference.entry
    kind: Kind = inference.kinds.variable(source.function, name).root
    # What flows together with a part of the static program is used where that is.
    use = None if "given" in kind.forms else kind.use
    place, text = use or (f"{source.file}:{source.tree.lineno}", "")
    used = f", and {name} is used in {text!r}" if text else ""
    return InputError(f"{source.name}: {message}{used}", place=place, fix=fix)
