"""Every error that pellucid raises on purpose: one message that names the place, the rule and the fix.

Ground floor of the house. The command line prints ``str(error)`` alone; a program may catch
`PellucidError` or one of the narrower classes, each of which also derives from the built-in
exception a Python programmer would expect.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from contextlib import contextmanager

_MAX_PLACE = 200


def beginning(text: str, most: int) -> str:
    """A text as an error shows it: of one that is longer than `most` letters the beginning, and an ellipsis.

    >>> beginning("swirl", 5), beginning("checkerboard", 5)
    ('swirl', 'check…')
    """
    return text if len(text) <= most else f"{text[:most]}…"


class PellucidError(Exception):
    """The root of all errors raised on purpose.

    Parameters: `message` says what is wrong; `place` (file:line, a word, an operator) says where;
    `fix` says what to do about it.

    >>> str(PellucidError("size is 0x10", place="render", fix="give a width and a height of at least 1"))
    'render: size is 0x10; give a width and a height of at least 1'
    """

    def __init__(self, message: str, *, place: str | None = None, fix: str | None = None) -> None:
        self.message = message
        self.place = place
        self.fix = fix
        text = f"{beginning(place, _MAX_PLACE)}: {message}" if place else message
        super().__init__(f"{text}; {fix}" if fix else text)


class IrError(PellucidError, TypeError):
    """An expression or a nest that breaks a typing or scoping rule of the core."""


class TextError(PellucidError, ValueError):
    """Text that is not a readable expression or nest."""


class TraceError(PellucidError, TypeError):
    """A Python function that cannot be traced, such as one that branches on a symbolic value."""


class StagingError(PellucidError, TypeError):
    """A program that cannot be specialized: it asks too early for what is known only at run time, or does not end."""


class VocabularyError(PellucidError, TypeError):
    """A word of a vocabulary used with a wrong name, number, kind or range of arguments."""


class UnknownWordError(VocabularyError, AttributeError):
    """A word that the vocabulary does not have."""


class InputError(PellucidError, ValueError):
    """A value from outside (size, parameter, time, option) that is out of its stated range."""


class ArgumentError(PellucidError, TypeError):
    """An argument that a function does not take."""


class FileError(PellucidError, OSError):
    """A file that cannot be read, trusted or written."""


class MissingExtraError(PellucidError, ImportError):
    """A feature whose optional dependency is not installed."""


class BackendError(PellucidError, RuntimeError):
    """A back end that cannot do what was asked on this machine."""


def did_you_mean(name: str, known: Iterable[str]) -> str | None:
    """A hint that names the closest known word, or None.

    >>> did_you_mean("chekerboard", ["checkerboard", "swirl"])
    "did you mean 'checkerboard'?"
    """
    import difflib

    close = difflib.get_close_matches(name, list(known), n=1, cutoff=0.6)
    return f"did you mean {close[0]!r}?" if close else None


@contextmanager
def installed(package: str, instead: str = "", *, extra: str = "") -> Generator[None]:
    """Around the lazy import of a package: one that is not there is told with the way to get it.

    Raises MissingExtraError for an ImportError within; `instead` says what can be done without the package, `extra` is
    the extra of pellucid that brings it.

    >>> with installed("Nothing", "or do without"):
    ...     import nothing_of_the_kind
    Traceback (most recent call last):
        ...
    pellucid.base.errors.MissingExtraError: Nothing is not installed; run: pip install Nothing, or do without
    """
    try:
        yield
    except ImportError as error:
        wanted = f"'pellucid[{extra}]'" if extra else package
        fix = f"run: pip install {wanted}" + (f", {instead}" if instead else "")
        raise MissingExtraError(f"{package} is not installed", fix=fix) from error


def brief(thing: object, most: int = 80) -> str:
    """A wrong value as an error shows it: its text, if that is at most so long and on one line.

    >>> brief(3.5), brief("a" * 100)
    ('3.5', 'an object of type str')
    """
    try:
        text = repr(thing)
    except Exception:  # noqa: BLE001 - what cannot even be shown is told by its type
        text = ""
    if callable(thing) and " at 0x" in text:
        text = f"the function {getattr(thing, '__name__', type(thing).__name__)}"
    return text if 0 < len(text) <= most and "\n" not in text else f"an object of type {type(thing).__name__}"
