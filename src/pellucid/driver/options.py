"""The options of a compilation, checked once."""

from __future__ import annotations

from ..backends.registry import maker, names
from ..base.errors import InputError, brief, did_you_mean
from ..base.record import record
from ..ir import types as T

NUMERICS = ("relaxed", "exact")
PRECISIONS = ("f32", "f64")
BACKENDS = ("auto", *names())


@record
class Options:
    """Options of compiling: numerics "relaxed" or "exact", precision "f32" or "f64", and the back end.

    "auto" is LLVM or the tile machine, whichever is expected to draw sooner, and then the faster one; of loops and
    conversions it is LLVM, and the tile machine where a pixel may be off by a little.
    Raises InputError for a word that is not known.

    >>> Options(numerics="exact").real
    f32
    """

    numerics: str = "relaxed"
    precision: str = "f32"
    backend: str = "auto"

    def __post_init__(self) -> None:
        """Check each word."""
        for name, known in (("numerics", NUMERICS), ("precision", PRECISIONS), ("backend", BACKENDS)):
            word = getattr(self, name)
            if not isinstance(word, str) or word not in known:
                close = did_you_mean(word, known) if isinstance(word, str) else None
                fix = close or f"give one of {', '.join(known)}"
                raise InputError(f"{brief(word)} is not known", place=name, fix=fix)
        if self.backend != "auto" and (self.numerics, self.precision) != ("relaxed", "f32"):
            self._check_exact()

    def _check_exact(self) -> None:
        """Raise InputError if the back end computes in relaxed f32 alone."""
        if maker(self.backend).EXACT:
            return
        name, word = ("precision", self.precision) if self.precision != "f32" else ("numerics", self.numerics)
        rule = f"the back end {self.backend!r} computes in relaxed f32 alone, and not in {word!r}"
        raise InputError(rule, place=name, fix="use backend='llvm'")

    @property
    def real(self) -> T.Type:
        """The type of real numbers."""
        return T.named(self.precision)
