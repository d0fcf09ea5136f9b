"""Which values of an interpreter are sequences and of what: inferred by unification, over all of its functions.

What flows together has one kind. A kind also names the cons points of the pairs that stand for its sequences, so that
one variable's list has one binding time however long it is.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from itertools import count
from typing import Any, ClassVar

from pellucid.staging.front.objects import fields_of, is_keyed, keyed

ITEM = "item"
"""The key of a part that is any item."""
ANY = -1
"""Any number of items."""
_SEQUENCES = {"tuple", "list", "dict", "object"}


class Kind:
    """A class of values: the forms that some of them have, and the kinds of their parts.

    Forms are `given` for static data, `tuple`, `list`, `dict`, `object`, `none` and `memory`; numbers and texts have
    none. An object is of the class `of`.
    """

    numbers: ClassVar[count[int]] = count(1)

    def __init__(self, *forms: str, name: str = "") -> None:
        self.parent: Kind | None = None
        self.name = name
        self.forms: set[str] = set(forms)
        self.mutated = False
        self.indexed = False
        """Whether items are taken at positions that are computed."""
        self.sized = False
        """Whether the length is asked for: a memory is a pair with its length then."""
        self.looped = False
        """Whether a loop goes over them, which asks for the length of a memory."""
        self.use: tuple[str, str] | None = None
        """The place and the text of an expression that uses them as a sequence, for messages."""
        self.entry: tuple[str, str] | None = None
        """Those of an expression that takes the entry of a written key."""
        self.lengths: set[int] = set()
        """The numbers of items of tuples, where they are known; ANY for others."""
        self.of: Any = None
        self.others: set[Any] = set()
        """Classes that meet the first one."""
        self.point = ""
        self.parts: dict[Any, Kind] = {}

    @property
    def root(self) -> Kind:
        """The one kind that stands for all that are united with this one."""
        found = self
        while found.parent is not None:
            found = found.parent
        return found

    @property
    def with_size(self) -> bool:
        """Whether these are memories that go with their length."""
        own = self.root
        return "memory" in own.forms and (own.sized or own.looped)

    @property
    def is_sequence(self) -> bool:
        """Whether items of these are taken, or counted."""
        own = self.root
        return bool(own.parts or own.forms & _SEQUENCES) or own.indexed or own.sized or own.looped

    @property
    def may_be_empty(self) -> bool:
        """Whether some of these may be sequences without items, which are None in the program."""
        own = self.root
        is_short = not own.lengths or bool(own.lengths & {ANY, 0})
        return bool(own.forms & {"list", "dict"}) or ("tuple" in own.forms and is_short)

    @property
    def changes(self) -> bool:
        """Whether some of these values are changed in place, so that each may have one name only."""
        own = self.root
        return own.mutated and "memory" not in own.forms

    def used(self, file: str, node: ast.expr, key: str) -> None:
        """Take note of an expression that uses them as sequences, or takes the entry of a written key."""
        own, use = self.root, (f"{file}:{node.lineno}", ast.unparse(node))
        own.use = own.use or use
        if key:
            own.entry = own.entry or use

    def part(self, key: Any) -> Kind:
        """The kind of an item: by its position in a tuple, by the name of a field, or `item` for any."""
        own = self.root
        if isinstance(key, int) and own.of is not None:
            names = getattr(own.of, "_fields", ())
            key = names[key] if -len(names) <= key < len(names) else key
        if ITEM in own.parts:
            return own.parts[ITEM].root
        made = own.parts.get(key)
        if made is None:
            made = Kind(*({"given"} & own.forms), name=f"{own.name}.{key}")
            others = list(own.parts.values()) if key == ITEM else []
            own.parts = {ITEM: made} if key == ITEM else own.parts | {key: made}
            for one in others:
                made.unite(one)
        return made.root

    def add(self, form: str) -> None:
        """Take note that some values have a form; the parts of what is given are given."""
        waiting = [self]
        while waiting:
            own = waiting.pop().root
            if form not in own.forms:
                own.forms.add(form)
                if form == "given":
                    waiting += list(own.parts.values())

    def made_of(self, what: type) -> None:
        """Take note that some values are objects of a class."""
        self.add("object")
        own = self.root
        if own.of is None:
            own.of = what
            parts, own.parts = own.parts, {}
            for key, one in parts.items():
                own.part(key).unite(one)
        elif own.of is not what:
            own.others.add(what)

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
            one.indexed = one.indexed or more.indexed
            one.sized = one.sized or more.sized
            one.looped = one.looped or more.looped
            one.use = one.use or more.use
            one.entry = one.entry or more.entry
            one.lengths |= more.lengths
            one.others |= more.others
            if one.of is None:
                one.of = more.of
            elif more.of not in (None, one.of):
                one.others.add(more.of)
            all_parts = [*one.parts.items(), *more.parts.items()]
            items = [each for key, each in all_parts if key == ITEM]
            one.parts = {}
            for key, each in all_parts:
                kept = one.parts.setdefault(ITEM if items else key, items[0] if items else each)
                waiting.append((kept, each))
            for form in more.forms - one.forms:
                one.add(form)
            if "given" in one.forms:
                for each in one.parts.values():
                    each.add("given")


def link_rest(held: Kind, first: int, rest: Kind) -> bool:
    """Unite the parts of a sequence from a position on with those of what is there; whether that changed anything."""
    forms = held.root.forms & {"given", "tuple"} - rest.root.forms
    for form in forms:
        rest.add(form)
    rest.root.lengths |= {max(one - first, ANY) for one in held.root.lengths}
    changed = bool(forms)
    for key, part in list(held.root.parts.items()):
        if key == ITEM or (isinstance(key, int) and key >= first):
            other = rest.part(key if key == ITEM else key - first)
            changed |= other.root is not part.root
            other.unite(part)
    return changed


def find_keyed(dictionaries: Iterable[tuple[Kind, set[str]]]) -> None:
    """Make objects of the dictionaries of which all keys are written, and the same wherever one is made."""
    changing = True
    while changing:
        changing = False
        for kind, keys in dictionaries:
            own = kind.root
            others = own.forms - {"dict", "none"} or own.sized or own.looped
            if ITEM not in own.parts and (others or keys != own.parts.keys()):
                own.part(ITEM)
                changing = True
    for kind, _ in dictionaries:
        own = kind.root
        if ITEM not in own.parts and own.of is None:
            own.forms.discard("dict")
            own.made_of(keyed(tuple(own.parts)))


def point_of(kind: Kind) -> str:
    """The cons point of a kind: a name of its own, which is one word."""
    own = kind.root
    if not own.point:
        own.point = f"{_NO_WORD.sub('_', own.name) or 'made'}-{next(own.numbers)}"
    return own.point


_NO_WORD = re.compile(r"[^\w.]")


class Kinds:
    """The kinds of variables and results of all functions, by the function."""

    def __init__(self) -> None:
        self._variables: dict[tuple[Any, str], Kind] = {}

    def variable(self, function: Any, name: str) -> Kind:
        """The kind of a variable; the result of a function is its variable `return`."""
        found = self._variables.get((function, name))
        if found is None:
            found = self._variables[function, name] = Kind(name=name)
        return found


def reached(kind: Kind) -> list[Kind]:
    """A kind and all that are parts of it, or of its parts.

    >>> pair = Kind(name="pair")
    >>> _ = pair.part(0).part(1)
    >>> [one.name for one in reached(pair)]
    ['pair', 'pair.0', 'pair.0.1']
    """
    found = {kind.root: None}
    waiting = [kind.root]
    for one in waiting:
        new = dict.fromkeys(part.root for part in one.parts.values() if part.root not in found)
        found |= new
        waiting += new
    return waiting


def several(forms: Iterable[str]) -> str:
    """That some values have one form and some another, in words.

    >>> several({"list", "given"})
    'a static sequence in some places and a list in others'
    """
    return f"a {' in some places and a '.join(sorted(forms))} in others".replace("given", "static sequence")


def how_to_copy(text: str, kind: Kind) -> str:
    """What to write where a value that is changed would get a second name.

    >>> how_to_copy("found", Kind("list"))
    'copy it: list(found) or tuple(found)'
    """
    forms = kind.root.forms
    if "object" in forms and not is_keyed(kind.root.of):
        return "make a second object of its fields"
    return (
        f"copy it: dict({text})" if forms & {"dict", "object"} else f"copy it: list({text}) or tuple({text})"
    )


def written(kind: Kind) -> list[Any]:
    """A kind as JSON: the forms and the parts of each kind in it, the first of which is itself.

    >>> pair = Kind("tuple")
    >>> pair.part(0).add("list")
    >>> written(pair)
    [[['tuple'], [[0, 1]]], [['list'], []]]
    """
    found: list[Any] = []
    order = {one: number for number, one in enumerate(reached(kind))}
    for one in order:
        parts = [[key, order[part.root]] for key, part in one.parts.items()]
        found.append([sorted(one.forms), parts, *([list(fields_of(one.of))] if is_keyed(one.of) else [])])
    return found


def read_kind(data: Any) -> Kind:
    """The kind that `written` wrote.

    >>> read_kind([[["tuple"], [[0, 1]]], [["list"], []]]).part(0).forms
    {'list'}
    """
    made = [Kind(*map(str, forms)) for forms, *_ in data]
    for kind, (_, parts, *keys) in zip(made, data, strict=True):
        kind.parts = {key: made[number] for key, number in parts}
        if keys:
            kind.of = keyed(tuple(map(str, keys[0])))
    return made[0]
