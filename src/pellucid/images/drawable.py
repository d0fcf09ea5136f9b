"""What images and animations have in common: words as methods, values at points, and a view that they may carry.

Beside `image` and `animation`. A view is no part of what a picture means: a word that takes a picture takes none of it.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, Self, Unpack

import numpy as np

from ..base.errors import InputError
from ..base.tracebacks import door
from ..base.view import View, ViewArguments, checked_real, looked_at, spelled_out
from .methods import Methods


class Drawable(Methods):
    """A picture: every word of the vocabulary that takes an image is a method."""

    __slots__ = ()

    _view: View | None

    def __reduce_ex__(self, protocol: Any, /) -> tuple[Any, ...]:
        """How to pickle it: as a card, which is drawn like it."""
        from ..driver.card import Card, card_of

        picture: Any = self
        return Card, (card_of(picture).text,)

    def __copy__(self) -> Self:
        """Another object of the same parts."""
        made: Any = object.__new__(type(self))
        state: Any = object.__reduce_ex__(self, 2)[2]
        for name, value in state[1].items():
            setattr(made, name, value)
        return made

    def __deepcopy__(self, memo: object) -> Self:
        """The same picture: none ever changes."""
        return self

    @door
    def at(
        self,
        x: Any,
        y: Any = None,
        time: Any = 0.0,
        *,
        precision: str = "f32",
        params: Mapping[str, float] | None = None,
        out: np.ndarray[Any, Any] | None = None,
    ) -> Any:
        """The values of the picture at points given by numbers, lists or arrays that broadcast, or by a `Point`.

        See `pellucid.sample`, which this is.

        >>> from pellucid.images import Image
        >>> Image(lambda p: p.x + p.y).at([1, 2], [[10], [20]])
        array([[11., 12.], [21., 22.]], dtype=float32)
        """
        from .evaluation import sample

        return sample(self, x, y, time, precision=precision, params=params, out=out)

    def _repr_png_(self) -> bytes | None:
        """A PNG for notebooks, which moves if the picture does; None for what cannot be displayed."""
        # The package offers every public name, whatever floor it is on.
        import pellucid

        picture: Any = self
        if picture.kind == "structure":
            return None
        shown = pellucid.notebook.moving_png_bytes if picture.time_varying else pellucid.notebook.png_bytes
        return shown(self)

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
