"""Compilations that do not end: what grows, in which code, and the error that says so."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from pellucid.base.errors import StagingError

if TYPE_CHECKING:
    from pellucid.staging.cogen.extension import Extension
    from pellucid.staging.cogen.session import CompilerSession
    from pellucid.staging.root.program import RootCode
    from pellucid.staging.times.lattice import Time


class Growth(NamedTuple):
    """A code that is wanted for ever new values of some of its parameters."""

    code: str
    names: tuple[str, ...]
    samples: tuple[str, ...]


class UnsettledError(StagingError):
    """The binding times of some variables of a code do not settle: `names` are those with most times first."""

    def __init__(self, message: str, fix: str, place: str, names: tuple[str, ...]) -> None:
        super().__init__(message, place=place, fix=fix)
        self.names = names


class GrowthError(Exception):
    """Generation does not end: what grows, and how to stop it; `stack` is the code whose continuations nest."""

    def __init__(self, message: str, fix: str, stack: str = "", growth: Growth | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.fix = fix
        self.stack = stack
        self.growth = growth


class EndlessError(StagingError):
    """A program of which no compilation ends: `growths` are the codes that are made most often, the first one most."""

    def __init__(self, error: GrowthError, growths: Iterable[Growth]) -> None:
        super().__init__(error.message, fix=error.fix)
        self.stack = error.stack
        self.growths = (*growths, *([error.growth] if error.growth else []))


def unsettled(code: RootCode, patterns: list[tuple[Time, ...]]) -> UnsettledError:
    """The error of a code for which there are ever new patterns: it names the parameters with most times.

    Of equal ones those come first that changed last. What has no name of a person's, as the result of a test, comes
    after what has one.
    """
    found = [dict.fromkeys(one[at] for one in patterns) for at in range(len(code.params))]
    changed = [at for at, times in enumerate(found) if len(times) > 1]
    late = {at for at in changed if len({one[at] for one in patterns[-_MAX_SHOWN:]}) > 1}
    changed.sort(key=lambda at: ("$" in code.params[at], -len(found[at]), at not in late))
    names = tuple(
        code.params[at] for at in changed[:_MAX_SHOWN] if "$" not in code.params[at] or at == changed[0]
    )
    times = [str(one) for one in found[changed[0]]]
    short = [one for one in times if len(one) <= _MAX_TIME][-_MAX_SHOWN:]
    shown = f" (such as {', '.join(short)})" if short else ""
    return UnsettledError(
        f"the binding times of {' and '.join(names)} do not settle: there are {len(times)} of {names[0]}{shown}",
        f"lift {names[0]} to D, or give its pairs one point",
        code.name,
        names,
    )


_MAX_SHOWN = 3
"""Variables that a message names, and times of one of them."""
_MAX_TIME = 60
"""Characters of a time in a message."""


def grown(owner: Extension, given: list[tuple[Any, ...]]) -> GrowthError:
    """The error of an extension that is wanted for ever new values: it names the variables that change."""
    changed = _changed(owner, given)
    what = " and ".join(list(changed)[:3]) or "nothing"
    atoms = _samples(changed)
    seen = f" (such as {', '.join(atoms)})" if atoms else ""
    return GrowthError(
        f"{owner.code.name}: the compiler does not end: {owner} is wanted for ever new values of {what}{seen}",
        f"lift {what} to dynamic before {owner.code.name}"
        if changed
        else "give the loop a test that ends it",
        growth=Growth(owner.code.name, tuple(changed), atoms),
    )


def _changed(owner: Extension, given: list[tuple[Any, ...]]) -> dict[str, list[Any]]:
    """The parameters of an extension that are given other values each time, with the last of these.

    What has a few values only, in turn, is left out where something else is ever new: it does not grow.
    """
    changed: dict[str, list[Any]] = {}
    is_new: set[str] = set()
    for at, name in enumerate(owner.leaf_names()):
        values = [one[at] for one in given if at < len(one)]
        last = values[-_MAX_SHOWN:]
        if name is None or all(_is_same(last[0], one) for one in last[1:]):
            continue
        changed.setdefault(name, last)
        if len(values) <= _MAX_SHOWN or len(set(values)) * _MAX_TURNS >= len(values):
            is_new.add(name)
    return {name: last for name, last in changed.items() if name in is_new or not is_new}


def _samples(changed: dict[str, list[Any]]) -> tuple[str, ...]:
    """The values of the first parameter that changes, where they are short numbers."""
    values = next(iter(changed.values()), ())
    return tuple(repr(one) for one in values if isinstance(one, int) and abs(one) < _MAX_NUMBER)


_MAX_TURNS = 4
"""Times that each value of a parameter comes, on average, of which there are ever new ones."""
_MAX_KEY_DEPTH = 4
"""Keys in keys that are looked into; those of lists have two levels for each one around."""
_MAX_GROWTHS = 20
"""Codes that an error tells of."""
_MAX_NUMBER = 10**12
"""Numbers that are shown in a message."""


def _is_same(one: Any, other: Any, deep: int = 0) -> bool:
    """Whether two leaves, or their keys, are equal, without a look into what may be deep or long."""
    if one.__class__ is other.__class__ is tuple and deep < _MAX_KEY_DEPTH:
        left, right = cast("tuple[Any, ...]", one), cast("tuple[Any, ...]", other)
        is_short = len(left) == len(right) <= _MAX_TIME
        return is_short and all(_is_same(*both, deep + 1) for both in zip(left, right, strict=True))
    return one is other or (
        isinstance(one, int | str | float) and one.__class__ is other.__class__ and one == other
    )


def growths(session: CompilerSession) -> Iterator[Growth]:
    """The codes that are made most often, and which of their parameters change."""
    made = Counter(key[0] for key in session.table)
    owners = {owner.number: owner for owner in session.owners.values()}
    for number, _ in made.most_common(_MAX_GROWTHS):
        if number in owners:
            given = [one[1:] for one in session.table if one[0] == number]
            changed = _changed(owners[number], given)
            yield Growth(owners[number].code.name, tuple(changed), _samples(changed))
