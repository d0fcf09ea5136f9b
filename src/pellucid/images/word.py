"""The registry of the vocabulary: a word is one decorated Python function with a signature, ranges and an example.

From the registration come the function with checked arguments, the method of images and animations, the page of the
manual, the gallery and the palette of an editor. Words may be added at run time. The types are in `signature`.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import math
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import field, replace
from types import MappingProxyType
from typing import Any, ParamSpec, TypeVar, cast

from ..base.errors import UnknownWordError, VocabularyError, did_you_mean
from ..base.record import record
from ..base.source_location import caller
from ..base.tracebacks import shortened
from ..tracing import tracing
from .animation import Animation, Behavior, at_time, unknown_time
from .drawable import Drawable
from .homes import HOMES
from .image import Image
from .signature import Limits, Range, Refused, Slot, read, result_kind

P = ParamSpec("P")
R = TypeVar("R")


@record
class Parameter:
    """A parameter of a word: `name`, type as in the signature, limits if any, and the default or `inspect._empty`."""

    name: str
    slot: Slot
    limits: Limits | None
    default: Any

    @property
    def type(self) -> str:
        """The type as it stands in the signature."""
        return self.slot.text

    @property
    def required(self) -> bool:
        """Whether it has no default."""
        return self.default is inspect.Parameter.empty and not self.slot.many

    @property
    def allowed(self) -> Limits | None:
        """The limits of its own, or those of its type; None if there are none."""
        return self.limits if self.limits is not None else self.slot.type and self.slot.type.range

    @property
    def range(self) -> str:
        """The allowed values, in words; empty if all of the type are."""
        limits = self.allowed
        if not limits:
            return ""
        if isinstance(limits, tuple) and isinstance(limits[0], str):
            return "one of " + ", ".join(cast("tuple[str, ...]", limits))
        return str(limits if isinstance(limits, Range) else Range(*cast("tuple[float, float]", limits)))


@record
class Word:
    """A word of the vocabulary.

    `function` takes checked arguments; `signature` is its text; `example` an expression of the vocabulary that shows
    it in a view of `width` units; `source` tells where the idea comes from; `receiver` names the parameter that is
    `self` when the word is a method (None: it is not); `family` is the file it stands in. Of a `plain` one each
    parameter takes one argument, which may stand in its place.
    """

    name: str
    function: Callable[..., Any]
    signature: str
    parameters: tuple[Parameter, ...]
    result: Slot
    doc: str
    example: str
    width: float
    source: str
    receiver: str | None
    family: str
    python: inspect.Signature = field(repr=False)
    plain: bool
    constant: Any = None

    @property
    def meaning(self) -> Any:
        """The object of that name: the function, or the value of a word without parameters."""
        return self.function if self.constant is None else self.constant

    def show(self) -> Any:
        """The value of the example; a picture is framed as it is worth looking at.

        >>> words()["checker"].show(), words()["checker"].show().view.size
        (checker, (480, 360))
        """
        made = eval(self.example, vocabulary())  # noqa: S307 - the example is code of ours
        return made.framed(_EXAMPLE_SIZE, width=self.width) if isinstance(made, Drawable) else made


#: The size that the frames of examples are given for.
_EXAMPLE_SIZE = (480, 360)


WORDS: dict[str, Word] = {}
"""The words of the files that are loaded, and those of users; `find` and `words` load what they need."""


@functools.cache
def load_all() -> None:
    """Import every file of the folder, so that all words are registered."""
    from .. import images

    for module in pkgutil.iter_modules(images.__path__):
        importlib.import_module(f"{images.__name__}.{module.name}")


def find(name: str) -> Word | None:
    """The word of that name, whose file is loaded if it is not yet; None if there is none.

    >>> find("swirl").family, find("whirl")
    ('pellucid.images.warp', None)
    """
    if name in HOMES:
        # Though it is registered, another thread may still be at it.
        importlib.import_module(f"{__package__}.{HOMES[name]}")
    return WORDS.get(name)


def words() -> Mapping[str, Word]:
    """Every word of the vocabulary by name, in alphabetical order; a view that cannot be changed.

    >>> words()["swirl"].signature
    'Length -> Image a -> Image a'
    """
    load_all()
    return MappingProxyType(dict(sorted(WORDS.items())))


def vocabulary() -> dict[str, Any]:
    """Every name that an expression of the vocabulary may use, with its meaning: words, colors, numeric functions.

    >>> eval("red if checker else blue", vocabulary()) is None
    Traceback (most recent call last):
        ...
    pellucid.base.errors.VocabularyError: ...
    """
    from .. import images, tracing
    from .css import NAMED
    from .numeric import numeric_functions

    own = {name: getattr(images, name) for name in images.__all__}
    means = {name: entry.meaning for name, entry in words().items()}
    shared = {
        name: getattr(tracing, name) for name in ("Complex", "Point", "Vector3", "iterate", "param", "where")
    }
    return {"pi": math.pi, **numeric_functions(), **shared, **own, **NAMED, **means}


def word(
    signature: str,
    *,
    example: str,
    ranges: Mapping[str, Limits] | None = None,
    source: str = "",
    width: float = 4.0,
    receiver: str | None = None,
    name: str | None = None,
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Add a function to the vocabulary, as function and method, with its arguments checked; used as a decorator.

    `signature` gives the types of the parameters in order and of the result; `ranges` limits numbers (both ends
    included, or a `Range`) or lists names to choose from; `receiver` names the parameter that a method is called on, if
    not the last image; `width` is the width in units of a view that shows the example well. Raises VocabularyError for
    a signature that does not fit the function, or a name that another file has taken.

    >>> @word("Length -> Image Bool", example="band(1)", ranges={"width": (0, 10)})
    ... def band(width):
    ...     "The points at most that far from the vertical axis."
    ...     return Image(lambda p: abs(p.x) <= width)
    >>> band(1), (~band(1)).at(0.5, 0), words()["band"].parameters[0].range
    (band(1), array(False), 'from 0 to 10')
    >>> del WORDS["band"]
    """

    def add(function: Callable[P, R]) -> Callable[P, R]:
        called = name or function.__name__
        slots, result = read(signature)
        python = inspect.signature(function)
        if len(python.parameters) != len(slots):
            raise VocabularyError(
                f"the signature {signature} does not fit the {len(python.parameters)} parameters of the function",
                place=called,
                fix="give one type for each parameter, and one for the result",
            )
        family = function.__module__
        known = WORDS.get(called) if family.startswith(f"{__package__}.") else find(called)
        if known is not None and known.family != family:
            raise VocabularyError(
                f"the word is taken by {known.family}", place=called, fix="choose another name"
            )
        limits = dict(ranges or {})
        for unknown in limits.keys() - python.parameters.keys():
            raise VocabularyError(f"no parameter is called {unknown!r}", place=called, fix="see ranges")
        parameters = tuple(
            Parameter(p.name, slot, limits.get(p.name), p.default)
            for p, slot in zip(python.parameters.values(), slots, strict=True)
        )
        images = [p.name for p in parameters if p.slot.image]
        entry: Word

        @functools.wraps(function)
        def checked(*args: P.args, **named: P.kwargs) -> R:
            __tracebackhide__ = True
            try:
                return cast("R", _apply(entry, args, named))
            except Exception as error:  # noqa: BLE001 - it is raised again
                raise shortened(error)  # noqa: B904 - the same error

        entry = Word(
            name=called,
            function=checked,
            signature=signature,
            parameters=parameters,
            result=result,
            doc=inspect.cleandoc(function.__doc__ or "").partition("\n\n")[0].replace("\n", " "),
            example=example,
            width=width,
            source=source,
            receiver=receiver or (images[-1] if images else None),
            family=family,
            python=python,
            plain=all(
                p.kind is p.POSITIONAL_OR_KEYWORD and not slot.many
                for p, slot in zip(python.parameters.values(), slots, strict=True)
            ),
        )
        WORDS[called] = entry
        return checked

    return add


def value(
    signature: str, *, example: str = "", source: str = "", width: float = 4.0
) -> Callable[[Callable[[], R]], R]:
    """Add a word that takes no arguments; the decorated function gives its value, for which the name then stands.

    >>> @value("Image Bool")
    ... def upper():
    ...     "The points above the horizontal axis."
    ...     return Image(lambda p: p.y > 0)
    >>> upper, upper.at(0, [-1, 1])
    (upper, array([False,  True]))
    >>> del WORDS["upper"]
    """

    def add(function: Callable[[], R]) -> R:
        name = function.__name__
        made = word(signature, example=example or name, source=source, width=width)(function)
        constant = made()
        if isinstance(constant, Image):
            constant.called(name, again=True)
        WORDS[name] = replace(WORDS[name], constant=constant)
        return constant

    return add


def _apply(entry: Word, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
    bound: inspect.BoundArguments | None = None
    if not named and len(args) == len(entry.parameters) and entry.plain:
        # All arguments in order, as most words are written: to bind them takes longer than all the rest.
        given = {p.name: x for p, x in zip(entry.parameters, args, strict=True)}
    else:
        try:
            bound = entry.python.bind(*args, **named)
        except TypeError as error:
            place, _ = caller()
            pair = next((p.name for p in entry.parameters if p.type == "Point"), None)
            fix = f"it is {entry.signature}"
            if pair is not None and "too many" in str(error):
                fix = f"a point is one argument: {pair} is a pair (x, y)"
            elif entry.result.text == "Transform":
                from .hints import hint

                fix = hint(entry.name) or fix
            raise VocabularyError(
                f"takes {_usage(entry)} ({error})", place=f"{place}: {entry.name}", fix=fix
            ) from None
        given, args, named = bound.arguments, bound.args, bound.kwargs
    parameters = [p for p in entry.parameters if p.name in given]
    for p in parameters:
        if _moves(p, given[p.name]):
            return _over_time(entry, args, named)
    letters: dict[str, str] = {}
    for p in parameters:
        value = given[p.name]
        if p.slot.many:
            given[p.name] = tuple(_accept(entry, p, one, letters) for one in value)
        elif value is not p.default:
            given[p.name] = _accept(entry, p, value, letters)
    raw = cast("Any", entry.function).__wrapped__
    result = raw(*given.values()) if bound is None else raw(*bound.args, **bound.kwargs)
    if entry.result.text == "Transform":
        result.__name__ = _expression(entry, args, named)()
    if isinstance(result, Image):
        result.called(_expression(entry, args, named), result_kind(entry.result, letters))
    return result


def _accept(entry: Word, parameter: Parameter, value: Any, letters: dict[str, str]) -> Any:
    try:
        return parameter.slot.accept(value, parameter.limits, letters)
    except Refused as no:
        place, _ = caller()
        raise VocabularyError(
            f"{parameter.name} is {no.problem}", place=f"{place}: {entry.name}", fix=no.fix
        ) from None


def _usage(entry: Word) -> str:
    shown = [p.name if p.required else f"[{p.name}]" for p in entry.parameters]
    return ", ".join(shown) or "no arguments"


def _moves(parameter: Parameter, value: Any) -> bool:
    if parameter.type in ("Animation", "Behavior", "Any"):
        return False
    if parameter.slot.many:
        return any(isinstance(one, Behavior) for one in value)
    if isinstance(value, tuple | list) and parameter.type == "Point":
        return any(isinstance(one, Behavior) for one in cast("tuple[Any, ...]", value))
    return isinstance(value, Behavior)


def _over_time(entry: Word, args: tuple[Any, ...], named: Mapping[str, Any]) -> Any:
    """A word of arguments that change with time is the animation of what it gives at each moment."""

    def now(value: Any, time: Any) -> Any:
        if isinstance(value, tuple | list):
            items = cast("tuple[Any, ...] | list[Any]", value)
            return type(items)(now(one, time) for one in items)
        return at_time(value, time)

    def moment(time: Any) -> Any:
        return entry.function(*(now(a, time) for a in args), **{k: now(v, time) for k, v in named.items()})

    with tracing():
        # Errors show here, where the word is written, and not when the animation is drawn.
        first = moment(unknown_time())
    kind = Animation if isinstance(first, Image) else Behavior
    return kind(moment).called(_expression(entry, args, named))


def _expression(entry: Word, args: tuple[Any, ...], named: Mapping[str, Any]) -> Callable[[], str]:
    def text() -> str:
        parts = [_shown(a) for a in args] + [f"{k}={_shown(v)}" for k, v in named.items()]
        return f"{entry.name}({', '.join(parts)})" if entry.parameters else entry.name

    return text


def _shown(x: Any) -> str:
    from .css import name_of_color

    if isinstance(x, list | tuple):
        shown = ", ".join(_shown(one) for one in cast("list[Any]", x))
        return f"[{shown}]" if isinstance(x, list) else f"({shown})"
    return name_of_color(x) or (
        repr(x) if not callable(x) or isinstance(x, Image | Behavior) else getattr(x, "__name__", repr(x))
    )


def method_names() -> list[str]:
    """The words that take an image."""
    return [w.name for w in words().values() if w.receiver is not None]


def method(image: object, name: str) -> Callable[..., Any]:
    """The word as a method of an image, which takes the place of the receiver among the arguments.

    Raises UnknownWordError for a name that is no word, or a word that takes no image.
    """
    entry = find(name) or words().get(name)
    if entry is None or entry.receiver is None:
        raise unknown(name, "method", method_names())
    receiver = entry.receiver
    names = [p.name for p in entry.parameters]
    at = names.index(receiver)

    @functools.wraps(entry.function)
    def bound(*args: Any, **named: Any) -> Any:
        if len(args) >= at:
            return entry.function(*args[:at], image, *args[at:], **named)
        return entry.function(*args, **{receiver: image}, **named)

    return bound


def unknown(name: str, what: str, among: list[str]) -> UnknownWordError:
    """The error for a name that is no word: what to write instead, or the word that is nearest."""
    from .hints import HINTS, hint

    # A word such as rgb differs from a name of another system, such as RGB, in its case only.
    entry = find(name)
    fix = hint(name) if name in HINTS or entry is None else None
    if fix is None and entry is not None:
        takes = f"({_usage(entry)})" if entry.parameters else ""
        fix = f"it is a word of pellucid.images: write im.{name}{takes}"
    fix = fix or did_you_mean(name, among) or "see words() for what there is"
    return UnknownWordError(f"no {what} is called {name!r}", place=caller()[0], fix=fix)
