"""Blocks: a picture as an array of Dask's, drawn block by block when it is asked for.

Beside `store`. Blocks have the bits of the whole, and each is drawn by the process that computes it.
"""

from __future__ import annotations

from typing import Any, Unpack

import numpy as np

from pellucid.base.errors import InputError, installed
from pellucid.base.tracebacks import door
from pellucid.base.view import View, checked_whole, spelled_out
from pellucid.canvas import shards
from pellucid.canvas.formats import check_alpha
from pellucid.canvas.shards import CHANNELS, MAX_SHARD
from pellucid.canvas.source import DrawArguments, drawing
from pellucid.driver import Kernel as Compiled
from pellucid.driver.card import card_of
from pellucid.driver.view import EXACT


@spelled_out(DrawArguments)
@door
def to_dask(
    picture: object,
    size: tuple[int, int] | int | None = None,
    chunks: int = 2048,
    *,
    view: View | None = None,
    alpha: str = "straight",
    **arguments: Unpack[DrawArguments],
) -> Any:
    """A picture as an array of Dask's, of bytes and shape (height, width, 4), whose blocks are drawn when asked for.

    Blocks are squares of `chunks` pixels a side, and have the bits of the whole. Otherwise as `render`. Needs the extra
    `pellucid[scale]`. Raises `InputError` for a value out of its range, `MissingExtraError` without the extra.
    """
    asked = drawing(picture, size, view, arguments, frames=0, part=(0, 0, 1, 1))
    check_alpha(alpha)
    if asked.near != EXACT:
        raise InputError("blocks are exact", place="tolerance", fix="leave out tolerance and error")
    side = checked_whole("chunks", chunks, 1, MAX_SHARD)
    with installed("dask", extra="scale"):
        import dask.array
    kernel = asked.kernel()
    if not isinstance(kernel, Compiled):
        raise InputError(
            "this kernel stays in its process", place="picture", fix="give the picture, or pl.compile it"
        )
    width, height = asked.view.size
    arrays: Any = dask.array
    rows, columns = (tuple([min(side, n - k) for k in range(0, n, side)]) for n in (height, width))
    return arrays.map_blocks(
        _block, chunks=(rows, columns, (CHANNELS,)), dtype=np.uint8, meta=np.empty((0, 0, 0), np.uint8),
        card=card_of(kernel.source, kernel.options).text, view=asked.view.replace(threads=1), alpha=alpha,
    )  # fmt: skip


def _block(card: bytes, view: View, alpha: str, block_info: Any = None) -> Any:
    """One block of `to_dask`."""
    (top, bottom), (left, right), _ = block_info[None]["array-location"]
    kernel = shards.kernel_of(card)
    draw = kernel.premultiplied if alpha == "premultiplied" else kernel.render
    return draw(view=view, part=(left, top, right - left, bottom - top))
