"""The row of the operator table: everything that is known of one operator, in one place.

A `Prim` holds an operator's meaning in NumPy (`ref`), its facts, laws, cost and its spelling for each back end *as
data*. The rows themselves are in `ir/prims/`, one family per file; `table()` finds them by listing that folder. From a
row are derived the constructor, constant folding, every back end, the operator page of the manual and the tests.
"""

from __future__ import annotations

import importlib
import pkgutil
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any, NamedTuple

from ..base.errors import IrError, did_you_mean
from ..base.record import record
from . import types as T
from .facts import Facts, Transfer, top

if TYPE_CHECKING:
    from .expr import Expr
    from .intervals.interval import Choices, IntervalFunction

CLASSES: Mapping[str, tuple[T.Type, ...]] = {
    "F": T.FLOATS,
    "I": T.INTEGERS,
    "S": T.SIGNED + T.FLOATS,
    "N": T.INTEGERS + T.FLOATS,
    "B": (T.boolean,),
    "L": (*T.INTEGERS, T.boolean),
    "T": T.ALL,
}
"""Classes of types in a signature: Floats, Integers, Signed numbers, Numbers, Booleans, Logical words, any Type."""


@record
class Laws:
    """Algebraic laws of a binary operator, each checked by a generated test on the types it names.

    `commutes` and `associates` list kinds of type ("float", "integer", "bool") on which the law is exact;
    `identity` and `absorbing` give, per kind, the constant e with op(x, e) = x, or op(x, e) = e;
    `idempotent` lists the kinds on which op(x, x) = x.
    """

    commutes: tuple[str, ...] = ()
    associates: tuple[str, ...] = ()
    identity: Mapping[str, float | int | bool] = field(default_factory=dict[str, "float | int | bool"])
    absorbing: Mapping[str, float | int | bool] = field(default_factory=dict[str, "float | int | bool"])
    idempotent: tuple[str, ...] = ()


class _Signature(NamedTuple):
    """A row's signature, split: letters of the operands, letter of the result, and results found for types so far."""

    letters: tuple[str, ...]
    result: str
    found: dict[tuple[T.Type, ...], T.Type]


@record(eq=False)
class Prim:
    """One operator.

    name       as in text and in Python.
    doc        one sentence.
    signature  ``"N N -> N"``: classes of types (see CLASSES); the same letter is the same type; a result of ``@`` is
               named by the node's attribute (conversions).
    ref        the meaning: a NumPy function of arrays, total, exact. For conversions it is given the result dtype
               first.
               Rows with a `body` need none: their meaning is their body's.
    body       the operator as an expression of simpler rows; expanded before code is emitted.
    facts      transfer function ``(result type, argument types, *facts) -> Facts``; unknown if None.
    domain     for a partial row: whether the argument facts allow the bare spelling; back ends refuse otherwise.
    total      for a partial row: the row that means the same in its domain and is defined everywhere.
    targets    for a conversion: whether it goes from one type to another; any pair if None.
    laws       see `Laws`.
    llvm, c, glsl, wgsl  spelling per kind of the first argument ("float", "signed", "unsigned", "bool"), or "any".
    ulp        stated error bound per type name in units in the last place; empty: correctly rounded or integer, exact.
    monotone   one sign per operand: "+" where the result never falls as the operand grows, "-" where it never rises,
               "*" where the sign of the other of the first two operands says which, "." where neither holds. True of
               numbers that are not NaN, with operands and results in order, as long as no integer wraps. Where a
               result between two others may be NaN, the row states its `interval` as well.
    interval   bounds of the result as terms: a function ``(result type, *intervals) -> (lo, hi)``; what
               `reasoning.intervals` makes of the other columns if None.
    choices    ``(*intervals) -> (Choice | None, ...)``: for each operand, when the result is proved to be that operand.
    zero_sign  what the signs of zeros among the operands can change: nothing ("kill"), only the sign of a zero result
               ("pass"), or more ("observe").
    cost       cycles for one 512-bit vector on a current core, roughly: what heuristics and the timer start from.
    symbol     infix symbol and precedence in text.
    """

    name: str
    doc: str
    signature: str
    ref: Callable[..., Any] | None = None
    body: Callable[..., Expr] | None = None
    facts: Transfer | None = None
    domain: Callable[..., bool] | None = None
    total: str | None = None
    targets: Callable[[T.Type, T.Type], bool] | None = None
    laws: Laws = Laws()
    llvm: Mapping[str, str] = field(default_factory=dict[str, str])
    c: Mapping[str, str] = field(default_factory=dict[str, str])
    glsl: Mapping[str, str] = field(default_factory=dict[str, str])
    wgsl: Mapping[str, str] = field(default_factory=dict[str, str])
    ulp: Mapping[str, float] = field(default_factory=dict[str, float])
    monotone: str = ""
    interval: IntervalFunction | None = None
    choices: Choices | None = None
    zero_sign: str = "observe"
    cost: float = 1.0
    symbol: tuple[str, int] | None = None
    _split: _Signature = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Split the signature and check that the row has a meaning."""
        left, _, right = self.signature.partition(" -> ")
        object.__setattr__(self, "_split", _Signature(tuple(left.split()), right, {}))
        if (self.ref is None) == (self.body is None):
            raise IrError(
                "a row needs either a ref or a body", place=self.name, fix="give exactly one of them"
            )
        if (self.domain is None) != (self.total is None):
            raise IrError(
                "a partial row names its domain and its total row", place=self.name, fix="give both"
            )
        if self.zero_sign not in ("kill", "pass", "observe"):
            raise IrError(
                f"no zero_sign is {self.zero_sign!r}", place=self.name, fix="write kill, pass or observe"
            )
        if self.body is None and not (self.llvm and self.c):
            raise IrError(
                "a row without a body needs a spelling for LLVM and C", place=self.name, fix="add it"
            )

    @property
    def letters(self) -> tuple[str, ...]:
        """The classes of the operands' types, each a letter of `CLASSES`."""
        return self._split.letters

    @property
    def result(self) -> str:
        """The letter of the result's type; "@" where a node's attribute names it."""
        return self._split.result

    @property
    def arity(self) -> int:
        """Number of operands."""
        return len(self._split.letters)

    def result_type(self, types: tuple[T.Type, ...], attr: Any = None) -> T.Type:
        """The type of the result, after checking the operands against the signature.

        >>> row("add").result_type((T.f32, T.f32))
        f32
        """
        found = self._split.found.get(types) if attr is None else None
        if found is None:
            found = self._checked_result(types, attr)
            if attr is None:
                self._split.found[types] = found
        return found

    def _checked_result(self, types: tuple[T.Type, ...], attr: Any) -> T.Type:
        if len(types) != len(self.letters):
            raise IrError(f"takes {len(self.letters)} operands, not {len(types)}", place=self.name)
        bound: dict[str, T.Type] = {}
        for letter, given in zip(self.letters, types, strict=True):
            if given not in CLASSES[letter]:
                raise IrError(
                    f"does not take {given}", place=self.name, fix=f"its signature is {self.signature}"
                )
            if bound.setdefault(letter, given) is not given:
                raise IrError(
                    f"operands differ in type: {bound[letter]} and {given}",
                    place=self.name,
                    fix="convert one",
                )
        if self.result == "@":
            if not isinstance(attr, T.Type):
                raise IrError("needs the type to convert to", place=self.name)
            if self.targets is not None and not self.targets(types[0], attr):
                raise IrError(f"does not make {attr} of {types[0]}", place=self.name, fix="see its doc")
            return attr
        return T.boolean if self.result == "B" else bound[self.result]

    def proved(self, result: T.Type, types: tuple[T.Type, ...], facts: Sequence[Facts]) -> bool:
        """Whether the argument facts allow the bare spelling of a partial row; always so for other rows."""
        if self.domain is None:
            return True
        return self.domain(types, *facts, *((result,) if self.result == "@" else ()))

    def transfer(self, result: T.Type, types: tuple[T.Type, ...], *args: Facts) -> Facts:
        """The facts of the result from the facts of the operands; the whole type when the row states none."""
        return top(result) if self.facts is None else self.facts(result, types, *args)

    def spelling(self, language: str, kind: str) -> str:
        """The template of a back end's language for a kind of first operand; that of GLSL where WGSL has none."""
        templates: Mapping[str, str] = getattr(self, language) or (self.glsl if language == "wgsl" else {})
        found = templates.get(kind) or templates.get("any")
        if found is None and kind in ("signed", "unsigned"):
            found = templates.get("integer")
        if found is None:
            raise IrError(f"has no {language} spelling for {kind}", place=self.name)
        return found


_known: dict[str, Prim] = {}
_changes = 0
_listed: dict[str, Prim] = {}
_listing = threading.RLock()


def register(*rows: Prim) -> None:
    """Add rows to the operator table; each name once.

    Raises IrError when the name is taken.
    """
    global _changes
    for prim in rows:
        if prim.name in _known:
            raise IrError("is already in the operator table", place=prim.name, fix="choose another name")
        _known[prim.name] = prim
        _changes += 1


def extend(*rows: Prim) -> None:
    """Add the rows of a package above the table, when it is imported; each name once.

    They have no laws and no user below that package, so what is remembered of the table stays true, and its version
    stays what it is. Raises IrError when a name is taken.
    """
    global _known, _listed
    with _listing:
        taken = table().keys() & {prim.name for prim in rows}
        if taken:
            raise IrError("is already in the operator table", place=min(taken), fix="choose another name")
        more = {prim.name: prim for prim in rows}
        # Threads may be going through the table, so it is replaced.
        _known, _listed = {**_known, **more}, {**_listed, **more}


def unregister(name: str) -> None:
    """Take a row out again (for tests that add one at run time)."""
    global _changes
    del _known[name]
    _changes += 1


def version() -> int:
    """The number of changes of the table: results about rows are cached for one number.

    >>> table() and version() > 0
    True
    """
    return _changes


def table() -> Mapping[str, Prim]:
    """All rows by name, found by listing `ir/prims/`; and those that packages above have brought."""
    if not (_listed and _known):
        # A thread that asks while another one lists them waits until all are there.
        with _listing:
            if not _known:
                _list()
    return _known


def _list() -> None:
    from . import prims

    for module in pkgutil.iter_modules(prims.__path__):
        rows = getattr(importlib.import_module(f"{prims.__name__}.{module.name}"), "ROWS", ())
        register(*rows)
    _listed.clear()
    _listed.update(_known)


def changed() -> bool:
    """Whether rows were added or taken out while the program runs: what is known of the files says less then.

    >>> changed()
    False
    """
    return table() != _listed


def row(name: str) -> Prim:
    """The row of that name.

    >>> row("floor").doc
    'The largest integer not above x.'
    """
    found = table().get(name)
    if found is None:
        raise IrError(
            f"no operator is called {name!r}",
            fix=did_you_mean(name, _known) or "see the operator page of the manual",
        )
    return found
