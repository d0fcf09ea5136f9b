"""What images and animations have in common: words as methods, values at points, and a view that they may carry.

Beside `image` and `animation`. A view is no part of what a picture means: a word that takes a picture takes none of it.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, Self, Unpack

from ..base.errors import InputError
from ..base.tracebacks import door
from ..base.view import View, ViewArguments, checked_real, looked_at, spelled_out


class Drawable:
    """A picture: every word of the vocabulary that takes an image is a method."""

    __slots__ = ()

    _view: View | None

    @door
    def at(
        self,
        x: Any,
        y: Any = None,
        time: Any = 0.0,
        *,
        precision: str = "f32",
        params: Mapping[str, float] | None = None,
    ) -> Any:
        """The meaning of the picture at points given by arrays that broadcast, or by a `Point`, without compiling.

        Gives an array of the broadcast shape: of bools, reals or packed u32, or with a last axis of 4 for colors; for
        another structure, that structure of arrays. `precision` is f32 or f64; `params` overrides defaults of
        parameters. Raises InputError for a parameter the picture does not have.

        >>> from pellucid.images import Image
        >>> Image(lambda p: p.x + p.y).at([1, 2], [[10], [20]])
        array([[11., 12.], [21., 22.]], dtype=float32)
        """
        from .evaluation import values_at

        return values_at(self, x, y, time, precision, params or {})

    def __getattr__(self, name: str) -> Any:
        """A word of the vocabulary as a method."""
        if name.startswith("_"):
            raise AttributeError(name)
        from .word import method

        return method(self, name)

    def __dir__(self) -> list[str]:
        """Own names and the words that take an image."""
        from .word import method_names

        return sorted({*super().__dir__(), *method_names()})

    @property
    def view(self) -> View | None:
        """The view that it carries, or None."""
        return self._view

    @spelled_out(ViewArguments)
    def framed(
        self,
        size: tuple[int, int] | int | None = None,
        *,
        view: View | None = None,
        width: float | None = None,
        **arguments: Unpack[ViewArguments],
    ) -> Self:
        """The same picture, carrying a view: what is seen of it unless a verb is told otherwise.

        What is given overrides its field of `view`, or else of the view that it carries; `width`, in units, gives the
        zoom at which so much is seen across. Drawn in another size, the whole frame is shown. Pictures made of it carry
        none. Raises InputError as `View` does, and for a width that is not positive or stands beside a zoom.

        >>> from pellucid import images as im
        >>> im.udisk.framed(64, zoom=20.0).view
        View(size=(64, 64), zoom=20.0)
        >>> im.udisk.framed((600, 400), width=3.0).view
        View(size=(600, 400), zoom=200.0)
        """
        seen = looked_at(view, size, arguments, self.view)
        if width is not None:
            fix = "give a positive number of units, or a zoom in pixels per unit"
            if "zoom" in arguments:
                raise InputError("the zoom says that already", place="width", fix=fix)
            if (units := checked_real("width", width)) <= 0:
                raise InputError(f"{units:g} units show nothing", place="width", fix=fix)
            seen = seen.replace(zoom=seen.size[0] / units)
        made = copy.copy(self)
        made._view = seen  # noqa: SLF001 - of the same class
        return made
