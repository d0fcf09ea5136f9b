"""Pictures that carry a view: where to look at them, unless a verb is told otherwise.

Beside `image` and `animation`, which are both of this kind. A view is no part of what a picture means: a word that
takes a picture takes none of it.
"""

from __future__ import annotations

import copy
from typing import Self, Unpack

from ..base.view import View, ViewArguments, looked_at, spelled_out


class ViewCarrier:
    """What may carry a view."""

    __slots__ = ()

    _view: View | None

    @property
    def view(self) -> View | None:
        """The view that it carries, or None."""
        return getattr(self, "_view", None)

    @spelled_out(ViewArguments)
    def with_view(
        self,
        size: tuple[int, int] | int | None = None,
        *,
        view: View | None = None,
        **arguments: Unpack[ViewArguments],
    ) -> Self:
        """The same picture, carrying a view: where it is looked at unless a verb is told otherwise.

        What is given overrides its field of `view`, or else of the view that it carries. Pictures made of it carry
        none. Raises InputError as `View` does.

        >>> from pellucid import images as im
        >>> im.udisk.with_view(64, zoom=20.0).view
        View(size=(64, 64), zoom=20.0)
        """
        seen = looked_at(view, size, arguments, self.view)
        made = copy.copy(self)
        made._view = seen  # noqa: SLF001 - of the same class
        return made
