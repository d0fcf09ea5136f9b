"""The command `store`, as people type it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import pellucid as pl
from pellucid import images as im

# Dask leaves sockets to the collector of garbage.
pytestmark = pytest.mark.filterwarnings("ignore")

PICTURE = (
    "from pellucid import images as im\npicture = im.swirl(100, im.checkerboard(10, im.black, im.white))\n"
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "poster.py"
    path.write_text(PICTURE)
    return path


def test_a_picture_is_stored_and_the_same_line_goes_on(pellucid, file: Path, tmp_path: Path):
    import zarr

    out = tmp_path / "poster.zarr"
    words = (
        "store",
        str(file),
        "-o",
        str(out),
        "--size",
        "300x200",
        "--shard",
        "128",
        "--chunk",
        "64",
        "--workers",
        "1",
    )
    status, told, _ = pellucid(*words)
    assert (status, told) == (0, f"{out}: 300x200, 1 levels, 6 shards drawn, 0 found\n")
    assert pellucid(*words)[1] == f"{out}: 300x200, 1 levels, 0 shards drawn, 6 found\n"
    picture = im.swirl(100, im.checkerboard(10, im.black, im.white))
    found = np.asarray(zarr.open_array(str(out / "0"), mode="r")[:])
    np.testing.assert_array_equal(found, pl.render(picture, (300, 200)))
    status, _, problem = pellucid(*words, "--new")
    assert (status, problem) == (2, f"pellucid: {out}: is there already; remove it, or resume it\n")


def test_no_store_and_no_scheduler_are_told(pellucid, file: Path, tmp_path: Path):
    assert pellucid("store", str(file))[2] == (
        "pellucid: no store to write was named; add -o OUT.ome.zarr, or another of .zarr, .tif and .dzi\n"
    )
    words = ("store", str(file), "-o", str(tmp_path / "a.zarr"), "--size", "64x64", "--scheduler", "nowhere")
    status, _, problem = pellucid(*words)
    assert status == 2
    assert problem.startswith("pellucid: 'nowhere': no scheduler answers")
    assert not (tmp_path / "a.zarr").exists()
