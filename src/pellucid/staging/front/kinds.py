"""Which values of an interpreter are sequences and of what: inferred by unification, over all of its functions.

What flows together has one kind. A kind also names the cons points of the pairs that stand for its sequences, so that
one variable's list has one binding time however long it is.
"""

from __future__ import annotations

from itertools import count
from typing import Any, ClassVar


class Kind:
    """A class of values: the forms that some of them have, and the kinds of their parts.

    Forms are `given` for static data, `tuple`, `list`, `dict`, `none` and `memory`; numbers and texts have none.
    """

    numbers: ClassVar[count[int]] = count(1)

    def __init__(self, *forms: str, name: str = "") -> None:
        self.parent: Kind | None = None
        self.name = name
        self.forms: set[str] = set(forms)
        self.mutated = False
        self.point = ""
        self.parts: dict[Any, Kind] = {}

    @property
    def root(self) -> Kind:
        """The one kind that stands for all that are united with this one."""
        found = self
        while found.parent is not None:
            found = found.parent
        return found

    def part(self, key: Any) -> Kind:
        """The kind of an item: by its position in a tuple, or `item` for any."""
        own = self.root
        if "item" in own.parts:
            return own.parts["item"].root
        if key == "item":
            parts, own.parts = list(own.parts.values()), {}
            whole = own.parts["item"] = Kind(name=f"{own.name}.item")
            for one in parts:
                whole.unite(one)
            if "given" in own.root.forms:
                whole.add("given")
            return whole.root
        if key not in own.parts:
            own.parts[key] = Kind(*({"given"} & own.forms), name=f"{own.name}.{key}")
        return own.parts[key].root

    def add(self, form: str) -> None:
        """Take note that some values have a form; the parts of what is given are given."""
        own = self.root
        if form in own.forms:
            return
        own.forms.add(form)
        if form == "given":
            for one in list(own.parts.values()):
                one.add(form)

    def unite(self, other: Kind) -> None:
        """Make two kinds one."""
        waiting: list[tuple[Kind, Kind]] = [(self, other)]
        while waiting:
            one, more = (each.root for each in waiting.pop())
            if one is more:
                continue
            more.parent = one
            one.name = one.name or more.name
            one.mutated = one.mutated or more.mutated
            if ("item" in one.parts) != ("item" in more.parts):
                waiting += [(one.part("item"), each) for each in more.parts.values()]
            else:
                for key, each in more.parts.items():
                    if key in one.parts:
                        waiting.append((one.parts[key], each))
                    else:
                        one.parts[key] = each
            for form in more.forms:
                one.add(form)
            if "given" in one.forms:
                for each in list(one.parts.values()):
                    each.add("given")


class Kinds:
    """The kinds of variables and results of all functions, by the function's name."""

    def __init__(self) -> None:
        self._variables: dict[tuple[str, str], Kind] = {}

    def variable(self, function: str, name: str) -> Kind:
        """The kind of a variable; the result of a function is its variable `return`."""
        found = self._variables.get((function, name))
        if found is None:
            found = self._variables[function, name] = Kind(name=name)
        return found


def written(kind: Kind) -> list[Any]:
    """A kind as JSON: the forms and the parts of each kind in it, the first of which is itself.

    >>> pair = Kind("tuple")
    >>> pair.part(0).add("list")
    >>> written(pair)
    [[['tuple'], [[0, 1]]], [['list'], []]]
    """
    order: dict[Kind, int] = {kind.root: 0}
    found: list[Any] = []
    waiting = [kind.root]
    for one in waiting:
        for part in one.parts.values():
            if part.root not in order:
                order[part.root] = len(order)
                waiting.append(part.root)
        found.append([sorted(one.forms), [[key, order[part.root]] for key, part in one.parts.items()]])
    return found


def read_kind(data: Any) -> Kind:
    """The kind that `written` wrote.

    >>> read_kind([[["tuple"], [[0, 1]]], [["list"], []]]).part(0).forms
    {'list'}
    """
    made = [Kind(*map(str, forms)) for forms, _ in data]
    for kind, (_, parts) in zip(made, data, strict=True):
        kind.parts = {key: made[number] for key, number in parts}
    return made[0]
