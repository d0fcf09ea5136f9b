"""Records are what `dataclasses` makes of the same class: one class by both, and everything that is asked of them."""

from __future__ import annotations

import copy
import dataclasses
import functools
import inspect
import pickle
import sys
import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import pytest

import pellucid
from pellucid.base.record import record


def pair(body: Callable[[], type], **options: Any) -> tuple[type, type]:
    """A class by `dataclasses`, and as a record; `body` makes it anew."""
    expected = dataclass(frozen=True, **{"slots": True, **options})
    made = (expected(body()), record(**options)(body()))
    for one in made:
        # Pickling asks for the class by its name.
        setattr(sys.modules[__name__], one.__name__, one)
        one.__qualname__ = one.__name__
    return made


def plain() -> type:
    class Plain:
        """Two numbers."""

        left: int
        right: float = 2.5

    return Plain


def full() -> type:
    class Full:
        """Every kind of field."""

        KNOWN: ClassVar[int] = 7
        name: str
        found: list[int] = field(default_factory=list, compare=False)
        hidden: int = field(default=3, repr=False)
        apart: int = field(default=4, hash=False)
        after: str = field(init=False)
        kept: dict[str, int] = field(init=False, default_factory=dict, compare=False)
        fixed: int = field(init=False, default=9)

        def __post_init__(self) -> None:
            object.__setattr__(self, "after", self.name + "!")

    return Full


def empty() -> type:
    class Empty:
        """No field."""

    return Empty


def own() -> type:
    class Own:  # noqa: PLW1641 - data classes make the hash
        """Methods of its own."""

        x: int

        def __repr__(self) -> str:
            return f"<{self.x}>"

        def __eq__(self, other: object) -> bool:
            return isinstance(other, type(self)) and self.x % 2 == other.x % 2

    return Own


BODIES = {"plain": (plain, (1,)), "full": (full, ("a",)), "empty": (empty, ()), "own": (own, (3,))}


@pytest.fixture(params=[(name, slots) for name in BODIES for slots in (True, False)], ids=str)
def both(request):
    name, slots = request.param
    body, given = BODIES[name]
    return pair(body, slots=slots), given


def test_the_fields_are_those_of_a_data_class(both):
    (expected, found), _ = both
    told = [
        (f.name, f.type, f.default, f.init, f.repr, f.hash, f.compare) for f in dataclasses.fields(expected)
    ]
    assert told == [
        (f.name, f.type, f.default, f.init, f.repr, f.hash, f.compare) for f in dataclasses.fields(found)
    ]
    assert dataclasses.is_dataclass(found)
    assert found.__match_args__ == expected.__match_args__
    assert getattr(found, "__slots__", None) == getattr(expected, "__slots__", None)
    assert (found.__doc__, found.__module__) == (expected.__doc__, expected.__module__)
    for name in ("eq", "order", "unsafe_hash", "frozen"):
        assert getattr(found.__dataclass_params__, name) == getattr(expected.__dataclass_params__, name)


def test_the_signature_is_that_of_a_data_class(both):
    (expected, found), _ = both
    assert str(inspect.signature(found)) == str(inspect.signature(expected))
    assert found.__init__.__qualname__ == expected.__init__.__qualname__


def test_values_are_those_of_a_data_class(both):
    (expected, found), given = both
    a, b = expected(*given), found(*given)
    assert repr(a) == repr(b)
    assert dataclasses.asdict(a) == dataclasses.asdict(b)
    assert dataclasses.astuple(a) == dataclasses.astuple(b)
    assert b == found(*given)
    assert b != a
    assert (b == 1) is False
    assert hash(a) == hash(b) == hash(found(*given))


def test_it_is_frozen(both):
    (expected, found), given = both
    for name in (f.name for f in dataclasses.fields(found)):
        for one in (expected(*given), found(*given)):
            with pytest.raises(dataclasses.FrozenInstanceError, match=f"cannot assign to field '{name}'"):
                setattr(one, name, 1)
            with pytest.raises(dataclasses.FrozenInstanceError, match=f"cannot delete field '{name}'"):
                delattr(one, name)
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot assign to field 'another'"):
        found(*given).another = 1
    assert hasattr(found(*given), "__dict__") is not hasattr(found, "__slots__")


def test_it_is_copied_and_pickled(both):
    (_, found), given = both
    one = found(*given)
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        again = pickle.loads(pickle.dumps(one, protocol))
        assert (again, type(again)) == (one, found)
        assert dataclasses.asdict(again) == dataclasses.asdict(one)
    assert copy.copy(one) == copy.deepcopy(one) == one


def test_fields_are_compared_and_hashed_as_they_say():
    expected, found = pair(full)
    for kind in (expected, found):
        assert kind("a", [1]) == kind("a", [2])
        assert kind("a", hidden=1) != kind("a", hidden=2)
        assert kind("a", apart=1) != kind("a", apart=2)
        assert hash(kind("a", apart=1)) == hash(kind("a", apart=2))
        assert kind("a").found is not kind("a").found
        assert (kind("a").kept, kind("a").fixed, kind.KNOWN) == ({}, 9, 7)


def test_it_is_changed_by_replace_and_matched():
    expected, found = pair(plain)
    for kind in (expected, found):
        one = dataclasses.replace(kind(1), right=4)
        match one:
            case kind(left, right):
                assert (left, right) == (1, 4)
            case _:
                pytest.fail("not matched")
        with pytest.raises(TypeError, match="unexpected keyword argument 'middle'"):
            dataclasses.replace(one, middle=1)


@pytest.mark.parametrize(
    ("given", "named", "told"),
    [
        ((), {}, "missing 1 required positional argument: 'left'"),
        ((1, 2, 3), {}, "takes from 2 to 3 positional arguments but 4 were given"),
        ((1,), {"left": 2}, "multiple values for argument 'left'"),
        ((1,), {"middle": 2}, "unexpected keyword argument 'middle'"),
    ],
)
def test_wrong_arguments_are_told_alike(given, named, told):
    for kind in pair(plain):
        with pytest.raises(TypeError, match=rf"Plain.__init__\(\) .*{told}"):
            kind(*given, **named)


def test_without_values_of_its_own_a_record_is_itself():
    expected, found = pair(plain, eq=False)
    for kind in (expected, found):
        one, other = kind(1), kind(1)
        assert one != other
        assert len({one, other}) == 2
        assert kind.__eq__ is object.__eq__


def test_a_record_may_be_referred_to_weakly():
    for kind in pair(plain, weakref_slot=True):
        one = kind(1)
        assert weakref.ref(one)() is one
        assert kind.__slots__ == ("left", "right", "__weakref__")


def test_without_slots_a_record_keeps_what_it_computed():
    @record(slots=False)
    class Kept:
        """A number."""

        x: int

        @functools.cached_property
        def twice(self) -> int:
            return 2 * self.x

    one = Kept(3)
    assert (one.twice, vars(one)) == (6, {"x": 3, "twice": 6})
    assert vars(copy.copy(one)) == vars(one)


def test_what_no_number_equals_is_equal_to_itself():
    _, found = pair(plain)
    nan = float("nan")
    assert found(1, nan) == found(1, nan)
    assert found(1, nan) != found(1, float("nan"))


def test_an_initializer_of_its_own_is_kept():
    @record
    class Doubled:
        """Twice a number."""

        x: int

        def __init__(self, x: int) -> None:
            object.__setattr__(self, "x", 2 * x)

    assert Doubled(3).x == 6


def test_a_record_is_inherited_from():
    _, base = pair(plain)

    @record
    class Longer(base):
        """A third number."""

        last: int = 5

    assert repr(Longer(1)).endswith("Longer(left=1, right=2.5, last=5)")
    assert Longer(1) == Longer(1, 2.5, 5) != base(1)
    assert hash(Longer(1)) == hash((1, 2.5, 5))
    with pytest.raises(dataclasses.FrozenInstanceError):
        Longer(1).left = 2

    class Free(base):
        """A class that holds more."""

    free = Free(1)
    free.more = 2
    assert free.more == 2
    with pytest.raises(dataclasses.FrozenInstanceError):
        free.left = 2
    assert weakref.ref(free)() is free


def test_a_record_that_holds_itself_is_shown():
    _, found = pair(full)
    one = found("a")
    one.found.append(one)
    assert repr(one) == "Full(name='a', found=[...], apart=4, after='a!', kept={}, fixed=9)"


def test_frozen_data_classes_of_pellucid_are_records():
    root = Path(pellucid.__file__).parent
    found = [
        str(path.relative_to(root)) for path in root.rglob("*.py") if "frozen=True" in path.read_text("utf-8")
    ]
    assert found == ["base/record.py"]
