"""Cards: a picture as plain data, which travels between processes and machines and is made and read without running it.

Beside `frame`, whose pixels it writes as text. A card holds the expression of a pixel for each variant of the frame,
the tables that it reads as bytes, the declarations of its parameters, and the options of compiling. Its digest is over
all of it. A card that is read is checked as what strangers wrote: nothing of it is run but operators of the table.
"""

from __future__ import annotations

import base64
import hashlib
import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any, cast

import numpy as np

from ..base.deep_stack import with_deep_stack
from ..base.errors import InputError, PellucidError
from ..base.record import record
from ..base.view import View
from ..ir import expr as E
from ..ir import nest as N
from ..ir import types as T
from ..ir.expr import Buffer, Expr
from ..ir.parse import parse_expr
from ..ir.text import print_expr
from ..tracing import Param
from .frame import (
    COLUMN,
    OUT,
    ROW,
    Frame,
    FrameVariant,
    PictureSource,
    build,
    filled,
    own_params,
    own_ranges,
    range_of,
)
from .kernel import ReadPicture
from .options import PRECISIONS, Options

FORMAT = 1
"""The number of this form of cards."""
MAX_BYTES = 1 << 30
"""The most bytes of a card; those of tables are written as base64."""
MAX_TEXT = 1 << 26
"""The most characters of the text of a pixel."""
MAX_NAMES = 1 << 12
"""The most tables, and the most parameters, of a card."""
VARIANTS = tuple(
    [FrameVariant(form, many) for form in ("straight", "premultiplied") for many in (False, True)]
)
_FIELDS = {"card", "frames", "kind", "options", "params", "tables", "time_varying", "view"}
_NAME = re.compile(r"[A-Za-z_]\w{0,199}", re.ASCII)


@record(slots=False)
class Card(ReadPicture):
    """A picture that was read from a card: it is drawn as any other, and takes no part in the making of others.

    `text` is the card itself. Raises InputError for a text that is no card, which names what is wrong.

    >>> from pellucid import images as im
    >>> card = card_of(im.checkerboard(10, im.black, im.white))
    >>> card == Card(card.text), card.kind, len(card.digest)
    (True, 'color', 64)
    """

    text: bytes
    data: Mapping[str, Any] = field(init=False, compare=False)
    """What the text says, every part of it checked but the pixels, which are read when they are drawn."""
    __pellucid_picture__ = True

    def __post_init__(self) -> None:
        """Check all that can be checked without drawing."""
        object.__setattr__(self, "data", _checked(self.text))

    @property
    def digest(self) -> str:
        """The SHA-256 of the card, tables included, as 64 hexadecimal digits."""
        return hashlib.sha256(self.text).hexdigest()

    @property
    def table_digests(self) -> Mapping[str, str]:
        """The SHA-256 of the bytes of each table."""
        return {name: hashlib.sha256(data.tobytes()).hexdigest() for name, data in self._arrays().items()}

    @property
    def kind(self) -> str:
        """The kind of the picture's samples."""
        return self.data["kind"]

    @property
    def time_varying(self) -> bool:
        """Whether samples depend on time."""
        return self.data["time_varying"]

    @property
    def view(self) -> View | None:
        """The view that the picture carried, or None."""
        found = self.data["view"]
        return None if found is None else View(**found)

    @property
    def options(self) -> Options | None:
        """The options that a kernel was compiled with; None for a picture."""
        found = self.data["options"]
        return None if found is None else Options(**found)

    def sample(self, time: Any, point: Any) -> Any:
        """Refuse: a card has pixels of frames, and no samples at points.

        Raises InputError always.
        """
        raise InputError(
            "a picture that was read from a card is drawn, and is no part of others",
            place="card",
            fix="make the other picture first, and the card of that",
        )

    def frame(self, real: T.Type, variant: FrameVariant) -> Frame:
        """The frame of a variant.

        Raises InputError if the card has none, or one that is no pixel.
        """
        text = self.data["frames"].get(_key(real.name, variant))
        if text is None:
            fix = f"it has {', '.join(self.data['frames'])}: make the card of the picture, not of a kernel"
            raise InputError(f"it has no {_key(real.name, variant)} frame", place="card", fix=fix)
        return with_deep_stack(lambda: self._frame(text, real))

    def _frame(self, text: str, real: T.Type) -> Frame:
        buffers = {
            n: Buffer(n, T.named(self.data["tables"][n]["type"]), len(x), x)
            for n, x in self._arrays().items()
        }
        try:
            roots = parse_expr(text, buffers)
        except (PellucidError, ValueError, OverflowError) as error:
            raise _wrong(f"the text of a pixel cannot be read ({error})") from None
        params: dict[str, Param] = {}
        for name, (value, low, high) in self.data["params"].items():
            params[name] = Param(name, float(value), float(low), float(high), "a card")
        _check_pixel(roots, real, params, buffers)
        body = filled(roots[0])
        own, used = own_params(real), E.params(N.all_roots(body))
        extra = [p for p in used if p not in own]
        kernel = N.Kernel("picture", (*(p for p in own if p in used), *extra), (OUT,), body)
        ranges = {**own_ranges(real), **{p: range_of(params[p.attr], real) for p in extra}}
        return Frame(kernel, ranges, {p.attr: params[p.attr] for p in extra}, self.time_varying)

    def _arrays(self) -> dict[str, np.ndarray[Any, Any]]:
        """The tables, each the same object whenever it is asked for: buffers are equal to themselves only."""
        return self.data["arrays"]

    def __repr__(self) -> str:
        """The beginning of its digest."""
        return f"<card {self.digest[:12]}>"

    def __reduce__(self) -> tuple[Any, ...]:
        """How to pickle it: as its text, which is checked again."""
        return Card, (self.text,)


def card_of(source: PictureSource, options: Options | None = None) -> Card:
    """The card of a picture, or, with `options`, of a kernel of it, which has one precision.

    Tables are copied as they are now. Raises what the picture raises when it is traced.
    """
    if isinstance(source, Card):
        if options is None or source.options == options:
            return source
        data = json.loads(source.text)
        return Card(_written({**data, "options": _options(options)}))
    precisions = PRECISIONS if options is None else (options.precision,)
    names: dict[Buffer, str] = {}
    frames: dict[str, str] = {}
    params: dict[str, list[float]] = {}
    time_varying = False
    for precision in precisions:
        for variant in VARIANTS:
            frame = with_deep_stack(lambda p=precision, v=variant: build(source, T.named(p), v))
            frames[_key(precision, variant)] = with_deep_stack(lambda f=frame: _text(f.pixel, names))
            params |= {name: [p.default, p.low, p.high] for name, p in frame.params.items()}
            time_varying = frame.time_varying
    view = getattr(source, "view", None)
    data = {
        "card": FORMAT,
        "frames": frames,
        "kind": str(getattr(source, "kind", "color")),
        "options": None if options is None else _options(options),
        "params": params,
        "tables": {name: _table(buffer) for buffer, name in names.items()},
        "time_varying": time_varying,
        "view": _view(view) if isinstance(view, View) else None,
    }
    return Card(_written(data))


def _options(options: Options) -> dict[str, str]:
    return {"numerics": options.numerics, "precision": options.precision, "backend": options.backend}


def _view(view: View) -> dict[str, Any]:
    given = view.arguments()
    return {**given, "size": [*view.size], "center": [*view.center], "params": dict(view.params)}


def _written(data: Mapping[str, Any]) -> bytes:
    """One text for equal data."""
    return json.dumps(data, sort_keys=True, separators=(",", ":")).encode()


def _key(precision: str, variant: FrameVariant) -> str:
    return f"{precision} {variant.form} {'many' if variant.supersample else 'one'}"


def _text(pixel: Expr, names: dict[Buffer, str]) -> str:
    """The text of a pixel, whose tables have names of their own."""
    loads: dict[Buffer, Buffer] = {}
    for buffer in E.buffers([pixel]):
        if buffer not in names:
            plain = re.sub(r"\W", "_", buffer.name, flags=re.ASCII)
            taken = set(names.values())
            free = plain if _NAME.fullmatch(plain) else "table"
            number = 1
            while (free if number == 1 else f"{free}_{number}") in taken:
                number += 1
            names[buffer] = free if number == 1 else f"{free}_{number}"
        loads[buffer] = Buffer(names[buffer], buffer.type, buffer.size)
    return print_expr(
        rebound([pixel], loads)[0] if any(b.name != n.name for b, n in loads.items()) else pixel
    )


def rebound(roots: Sequence[Expr], loads: Mapping[Buffer, Buffer]) -> list[Expr]:
    """Expressions that load from other buffers."""
    done: dict[Expr, Expr] = {}
    for n in E.topological([*roots]):
        args = tuple([done[a] for a in n.args])
        done[n] = E.load(loads[n.attr], *args) if n.op == "load" and n.attr in loads else E.rebuild(n, args)
    return [done[r] for r in roots]


def _table(buffer: Buffer) -> dict[str, str]:
    if buffer.data is None:
        raise InputError(
            f"the table {buffer.name} has no data", place="card", fix="make a card of a picture alone"
        )
    data = np.ascontiguousarray(buffer.data).tobytes()
    return {"type": buffer.type.name, "data": base64.b64encode(data).decode()}


# ---- reading ----


def _wrong(what: str) -> InputError:
    return InputError(what, place="card", fix="make it again by pellucid.driver.card.card_of(picture)")


def _checked(text: object) -> dict[str, Any]:
    """What a card says, if it is one."""
    if not isinstance(text, bytes):
        raise _wrong(f"{type(text).__name__} is no card, which is bytes")
    if len(text) > MAX_BYTES:
        raise _wrong(f"it has more than {MAX_BYTES} bytes")
    try:
        data: Any = json.loads(text)
    except (ValueError, RecursionError):
        raise _wrong("it is not JSON") from None
    if not isinstance(data, dict) or set(cast("dict[str, Any]", data)) != _FIELDS:
        raise _wrong("its fields are not those of a card")
    found = cast("dict[str, Any]", data)
    if type(found["card"]) is not int or found["card"] != FORMAT:
        raise _wrong(f"its form is not {FORMAT}")
    if type(found["time_varying"]) is not bool or type(found["kind"]) is not str or len(found["kind"]) > 20:
        raise _wrong("what it says of time or of its kind is nothing that pictures have")
    _check_frames(found["frames"])
    for name, numbers in _named(found["params"], "parameters").items():
        _check_param(name, numbers)
    found["arrays"] = {name: _array(name, table) for name, table in _named(found["tables"], "tables").items()}
    try:
        for make, given in ((View, found["view"]), (Options, found["options"])):
            if given is not None:
                make(**given)
    except (TypeError, PellucidError) as error:
        raise _wrong(f"its view or its options are none ({error})") from None
    return found


def _named(found: Any, what: str) -> dict[str, Any]:
    """A mapping of names, of which there are not too many."""
    if not isinstance(found, dict) or len(cast("dict[str, Any]", found)) > MAX_NAMES:
        raise _wrong(f"its {what} are not at most {MAX_NAMES} by name")
    for name in cast("dict[str, Any]", found):
        if not _NAME.fullmatch(name):
            raise _wrong(f"one of its {what} has a name that none has")
    return cast("dict[str, Any]", found)


def _check_frames(frames: Any) -> None:
    known = {_key(p, v) for p in PRECISIONS for v in VARIANTS}
    if not isinstance(frames, dict) or not frames or not set(cast("dict[str, Any]", frames)) <= known:
        raise _wrong("its frames are not those of a card")
    for text in cast("dict[str, Any]", frames).values():
        if not isinstance(text, str) or len(text) > MAX_TEXT:
            raise _wrong(f"a pixel is not a text of at most {MAX_TEXT} characters")


def _check_param(name: str, numbers: Any) -> None:
    given = cast("list[Any]", numbers) if isinstance(numbers, list) else []
    if len(given) != 3 or any(type(x) not in (int, float) or math.isnan(x) for x in given):
        raise _wrong(f"the parameter {name} is not three numbers")
    if not math.isfinite(given[0]) or not given[1] <= given[0] <= given[2]:
        raise _wrong(f"the parameter {name} has no default within a range")


def _array(name: str, table: Any) -> np.ndarray[Any, Any]:
    given = cast("dict[str, Any]", table) if isinstance(table, dict) else {}
    if set(given) != {"type", "data"} or not isinstance(given["type"], str):
        raise _wrong(f"the table {name} has not a type and data")
    type_ = {t.name: t for t in T.ALL if t is not T.boolean}.get(given["type"])
    try:
        data = base64.b64decode(given["data"], validate=True)
    except (TypeError, ValueError):
        data = b""
    if type_ is None or not data or len(data) % type_.dtype.itemsize:
        raise _wrong(f"the table {name} is not elements of a type")
    return np.frombuffer(data, type_.dtype)


def _check_pixel(
    roots: Sequence[Expr], real: T.Type, params: Mapping[str, Param], buffers: Mapping[str, Buffer]
) -> None:
    """A pixel is one word, made of places, the kernel's own arguments, declared parameters and the card's tables."""
    if len(roots) != 1 or roots[0].type is not T.u32:
        raise _wrong("a pixel is not one u32")
    if roots[0].free & ~(ROW.free | COLUMN.free):
        raise _wrong("a pixel depends on what is neither its row nor its column")
    own = own_params(real)
    for node in E.topological([roots[0]]):
        if node.op == "param" and node not in own and not (node.attr in params and node.type is real):
            raise _wrong(f"a pixel depends on {node!r}, which is not declared")
        if node.op == "load" and buffers.get(node.attr.name) is not node.attr:
            raise _wrong(f"a pixel loads from {node.attr.name}, which is no table of it")
    for name in params:
        if any(p.attr == name for p in own):
            raise _wrong(f"{name} is an argument of every picture")
