"""The command that draws pictures larger than memory: `store`.

Thin: words become arguments of `canvas.store`, which checks and does everything.
"""

from __future__ import annotations

from argparse import Namespace

from pellucid.base.errors import InputError
from pellucid.cli.drawing import listed, view_of
from pellucid.cli.loading import chosen


def store(words: Namespace) -> int:
    """Draw a picture into a store, and say what was done."""
    if words.list:
        return listed(words.file)
    if words.out is None:
        raise InputError(
            "no store to write was named", fix="add -o OUT.ome.zarr, or another of .zarr, .tif and .dzi"
        )
    from pellucid.canvas.store import store
    from pellucid.cli.progress import bar

    picture = chosen(words.file).thing
    with bar("shards") as progress:
        done = store(
            picture,
            words.out,
            levels=words.levels,
            shard=words.shard,
            chunk=words.chunk,
            client=words.client,
            workers=words.workers,
            resume=not words.new,
            verify=words.verify,
            progress=progress,
            **view_of(words),
        )
    width, height = done.sizes[0]
    print(
        f"{words.out}: {width}x{height}, {len(done.sizes)} levels, {done.drawn} shards drawn, {done.found} found"
    )
    return 0
