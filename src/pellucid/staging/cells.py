"""Cells: memory of whole numbers instead of words - reals, or integers of 64 bits - for tables and delay lines.

Beside `memory`, and read and written through the same cache. A cell is all there or not at all.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base.errors import StagingError
from ..base.kinds import TEXT, instance, takes
from ..base.source_location import caller
from ..ir import types as T
from ..ir.expr import Buffer, Expr, load
from . import residual as R
from .folding import number
from .memory import Array, Memory
from .real import Real, real
from .session import current
from .value import Dynamic, expression, of

_TYPES = {np.dtype(np.float64): T.f64, np.dtype(np.int64): T.i64}


class Cells(Memory):
    """Numbers in an array called `name`: float64, or int64.

    Addresses count cells. Raises StagingError for data of another type, and for a real number stored among integers.

    >>> cells = Cells("wave", np.array([0.0, 0.5]))
    >>> cells.store(0, 2)
    >>> cells.load(0) + cells.load(1)
    2.5
    """

    @takes(name=TEXT, data=instance("an array of numbers", np.ndarray))
    def __init__(self, name: str, data: Array) -> None:
        if data.ndim != 1 or data.dtype not in _TYPES or not len(data):
            raise StagingError(
                "cells are a one-dimensional array of float64 or int64, and not empty",
                place=name,
                fix="give numpy.zeros(1000), or numpy.asarray(data, 'int64')",
            )
        self.type = _TYPES[data.dtype]
        self._begin(1, Buffer(name, self.type, len(data)), data)

    def __repr__(self) -> str:
        """The name, the number of cells and their type."""
        return f"Cells({self.name!r}, {len(self)} of {self.type})"

    def __len__(self) -> int:
        """The number of cells."""
        return 0 if self.data is None else len(self.data)

    @property
    def facts(self) -> None:
        """Nothing is known of them."""
        return

    def load(self, address: Any, needed: int | None = None) -> Any:
        """The number at an address, from 0 up.

        Unstaged, raises InputError outside of the cells; a specialized program reads some cell there.
        """
        if current() is None:
            data, at = self._place(address)
            return data[at].item()
        return super().load(address)

    def store(self, address: Any, value: Any, mask: Any = None) -> None:
        """Overwrite the number at an address.

        Unstaged, raises InputError outside of the cells; a specialized program stores nothing there.
        """
        if self.type is T.i64 and isinstance(value, float | Dynamic):
            raise StagingError(
                f"{value!r} is stored among integers",
                place=f"{caller()[0]}: cells {self.name}",
                fix="begin with 0.0 for real numbers, or make it an integer with to_integer",
            )
        if current() is None:
            data, at = self._place(address)
            data[at] = value
        else:
            self.merge(address, value if self.type is T.i64 else Real(real(value)), self.mask)

    def view(self, name: str) -> Cells:
        """The same cells under another name, promised not to be touched where these are."""
        assert self.data is not None  # noqa: S101 - cells always have data
        other = Cells(name, self.data)
        other.buffer, other.root = self.buffer, self.root
        return other

    def element(self, position: Expr) -> Expr:
        """The load of a cell."""
        return load(self.buffer, position)

    def put(self, address: Any, value: Any) -> R.Put:
        """The store of a cell."""
        return R.Put(self.buffer, expression(address), expression(value))


class StateCells(Cells):
    """Cells that a program reads once, all at its beginning, and overwrites once, all at its end.

    They pass by the bit cache, which would look each of them up among all others: a program has hundreds of them.

    >>> cells = StateCells("state", np.array([1, 2]))
    >>> cells.store_all([x + 1 for x in cells.load_all()])
    >>> cells.load_all()
    [2, 3]
    """

    def load_all(self) -> list[Any]:
        """The numbers of all cells, in order."""
        session = current()
        if session is None:
            return self._held().tolist()
        session.use(self)
        return [of(session.named(self.name, self.element(number(k)))) for k in range(len(self))]

    def store_all(self, values: list[Any]) -> None:
        """Overwrite all cells; raises StagingError for another number of values than there are cells."""
        if len(values) != len(self):
            raise StagingError(
                f"{len(values)} values are stored into {len(self)} cells", place=self.name, fix="give as many"
            )
        session = current()
        if session is None:
            self._held()[:] = values
            return
        session.use(self)
        for k, value in enumerate(values):
            session.emit(self.put(k, value if self.type is T.i64 else Real(real(value))))
