"""What can be drawn: a picture of the vocabulary, a function marked as one, or a kernel compiled before.

`canvas` knows the rest of the house only through this file: the `Kernel` protocol is all that it needs of
the driver, and `is_picture` is the one place that tells pictures from other Python objects.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol, TypeGuard, runtime_checkable

from pellucid import driver
from pellucid.base.errors import InputError
from pellucid.base.record import record
from pellucid.base.view import View, ViewArguments
from pellucid.driver.kernel import checked_source, no_picture
from pellucid.driver.view import Smooth, carried, check_known_params, checked_smooth, checked_view

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Picture(Protocol):
    """A picture that the driver can compile: it gives the sample of a time at a point, as symbolic values."""

    @property
    def kind(self) -> str:
        """The kind of its samples, such as `color` or `region`."""
        ...

    @property
    def time_varying(self) -> bool:
        """Whether samples depend on time."""
        ...

    def sample(self, time: Any, point: Any) -> Any:
        """The sample at a point."""
        ...


@runtime_checkable
class Kernel(Protocol):
    """A compiled picture: it fills arrays of shape (height, width, 4) with 8-bit red, green, blue and alpha."""

    @property
    def params(self) -> Mapping[str, object]:
        """The parameters that may be given, by name."""
        ...

    @property
    def time_varying(self) -> bool:
        """Whether the picture depends on time."""
        ...

    def render(
        self, size: tuple[int, int], *, out: NDArray[np.uint8] | None = ..., **arguments: Any
    ) -> NDArray[np.uint8]:
        """The pixels with straight alpha; `arguments` are those of a `View`, by name."""
        ...

    def premultiplied(
        self, size: tuple[int, int], *, out: NDArray[np.uint8] | None = ..., **arguments: Any
    ) -> NDArray[np.uint8]:
        """The pixels with colors multiplied by alpha."""
        ...


class DrawArguments(ViewArguments, total=False):
    """The arguments of every verb that draws: the view, options of compiling, and tolerances."""

    numerics: str | None
    precision: str | None
    backend: str | None
    tolerance: float | None
    error: float | None


@record
class Drawing:
    """A picture and its arguments, all of them checked, before anything is compiled."""

    picture: object
    view: View
    near: Smooth
    options: Mapping[str, Any]

    def kernel(self) -> Kernel:
        """The kernel of the picture.

        Raises `InputError` if the picture cannot be drawn, or has not the parameters that the view gives.
        """
        kernel = compiled(self.picture, **self.options)
        check_known_params(self.view.params, kernel.params)
        return kernel


def drawing(
    picture: object,
    size: tuple[int, int] | int | None,
    view: View | None,
    arguments: DrawArguments,
    *,
    frames: int = 0,
    fitted: bool = False,
    part: object = None,
) -> Drawing:
    """Check the arguments of a verb, where `frames` pictures, or parts of that size, are held in memory at once.

    With `fitted`, as where people look, a picture is framed by `pl.fit` if neither a view nor a zoom says otherwise.
    Raises `InputError` for a value out of its range.

    >>> drawing("any picture", 64, None, {"zoom": 2.0, "tolerance": 0.5}).near
    Smooth(tolerance=0.5, error=None)
    """
    rest: dict[str, Any] = dict(arguments)
    options = {name: rest.pop(name) for name in ("numerics", "precision", "backend") if name in rest}
    tolerance, error = rest.pop("tolerance", None), rest.pop("error", None)
    seen = checked_view(
        size, view=view, framed=carried(picture), precision=precision_of(picture, options.get("precision")),
        part=part, frames=frames, **rest,
    )  # fmt: skip
    near = checked_smooth(tolerance, error, seen.samples)
    if fitted and view is None and carried(picture) is None and "zoom" not in rest:
        from pellucid.driver.fit import fitted as fitted_view

        kernel = compiled(picture, **options)
        if isinstance(kernel, driver.Kernel):
            return Drawing(kernel, fitted_view(kernel, seen), near, {})
    return Drawing(picture, seen, near, options)


def compiled(
    picture: object, *, numerics: str | None = None, precision: str | None = None, backend: str | None = None
) -> Kernel:
    """The kernel of a picture, compiled when it is first drawn; a kernel is its own kernel.

    Raises `InputError` if `picture` cannot be drawn, or if compile options are given for a compiled kernel.

    >>> compiled("swirl")
    Traceback (most recent call last):
        ...
    pellucid.base.errors.InputError: 'swirl' is not a picture; the picture comes first, then the file; ...
    """
    options = {"numerics": numerics, "precision": precision, "backend": backend}
    chosen = {name: value for name, value in options.items() if value is not None}
    if is_kernel(picture):
        if chosen:
            raise InputError(
                "this picture is compiled already",
                place=", ".join(chosen),
                fix="give the option to pl.compile instead",
            )
        return picture
    if not is_picture(picture):
        raise no_picture(picture)
    return driver.kernels.get(checked_source(picture), driver.Options(**chosen))


def precision_of(picture: object, precision: str | None) -> str:
    """The precision that a picture is drawn in: the one asked for, that of a kernel, or f32.

    Raises `InputError` for a word that is not known.

    >>> precision_of("any picture", "f64")
    'f64'
    """
    own = getattr(getattr(picture, "options", None), "precision", "f32") if is_kernel(picture) else "f32"
    return own if precision is None else driver.Options(precision=precision).precision


def is_kernel(thing: object) -> TypeGuard[Kernel]:
    """Whether `thing` is a compiled picture.

    >>> is_kernel(3)
    False
    """
    # The usual kinds first: whether something has all parts of a kernel takes longer to find out, above all of a
    # picture, which looks for each of them among the words of the vocabulary.
    if isinstance(thing, driver.Kernel):
        return True
    return not is_picture(thing) and not isinstance(thing, type) and isinstance(thing, Kernel)


def is_picture(thing: object) -> TypeGuard[Picture]:
    """Whether `thing` is a picture or an animation that the driver can compile.

    >>> is_picture("swirl")
    False
    """
    # Asked of the class: a picture may turn any name into a word of the vocabulary.
    return getattr(type(thing), "__pellucid_picture__", False) is True


def draws_parts(thing: object) -> bool:
    """Whether parts of `thing` can be drawn: a picture's, or those of a kernel of pellucid's own.

    >>> draws_parts(3)
    False
    """
    return isinstance(thing, driver.Kernel) or is_picture(thing)


def is_drawable(thing: object) -> bool:
    """Whether `thing` can be given to `render`: a picture, an animation or a kernel.

    >>> is_drawable(None)
    False
    """
    return is_picture(thing) or is_kernel(thing)
