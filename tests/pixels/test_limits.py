"""Limits of the notation: no text, however long or strange, takes long, and no number is beyond what is stated."""

from __future__ import annotations

import time

import pytest

from pellucid.base.errors import InputError
from pellucid.pixels import Layout, layout_of

SECONDS = 5.0
"""Processor time: what has no bound takes minutes, and garbage may be collected meanwhile."""
HOSTILE = {
    "zeros before a stride": "Y:8 rows 00000000004500000000",
    "zeros before few bytes": "Y:8 rows 0000000016",
    "more digits than Python reads": "Y:8 rows " + "9" * 5000,
    "zeros before bits": "Y:00080",
    "zeros before more bits": "Y:" + "0" * 5000 + "8",
    "zeros before a pixel": "Y" + "0" * 5000 + "1:8",
    "a pixel without end": "Y" + "7" * 5000 + ":8",
    "zeros before a slice": f"Y[{'0' * 5000}7:0]",
    "zeros before unused bits": f"Y:8 _:{'0' * 20}8",
    "other digits": "Y:٨",
    "other digits of a pixel": "Y٣:8",
    "other digits of rows": "Y:8 rows ٨",
    "superscripts": "Y:8²",
    "long text": "Y:8 " * 40_000,
    "long name": "Y" * 160_000 + ":8",
    "long words": "Y:8 | " + "full " * 40_000,
    "long word": "Y:8 | " + "x" * 10_000,
    "many planes": "; ".join(f"C{chr(65 + k % 26)}{chr(65 + k // 26)}:8" for k in range(600)),
    "many channels": " ".join(f"C{chr(65 + k % 26)}{chr(65 + k // 26)}:8" for k in range(600)),
    "spaces": "Y:8" + " " * 160_000,
    "spaces first": " " * 16_000 + "?",
    "control characters": "Y:8 \x1b[2J",
    "a line": "Y:8\n\n\nB:8 ?",
    "nothing": "",
    "blank": "   ",
    "groups that never meet": "R:11 /8x8; G:9 /7x4; B:7 /5x5",
    "long groups that never meet": "; ".join(
        " ".join(f"{name}{k}:8" for k in range(count)) for name, count in (("R", 61), ("G", 59), ("B", 1))
    ),
    "many bits": "Y:8 " + "_:64 " * 3000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_is_refused_soon_and_at_its_place(name: str):
    text, begin = HOSTILE[name], time.process_time()
    for read in (Layout, layout_of):
        if name == "many bits":
            assert read(text).size(1, 1) == 1 + 8 * 3000
            continue
        with pytest.raises(InputError) as caught:
            read(text)
        told = str(caught.value)
        assert len(told) < 1000
        if read is Layout or ":" in text:
            assert told.splitlines()[2].strip().startswith("^")
    assert time.process_time() - begin < SECONDS


def test_numbers_mean_all_their_digits():
    assert Layout("Y:08 rows 000000016").size(3, 1) == 16
    assert Layout("Y:010")["Y"].bits == 10


def test_the_longest_layout_that_makes_sense_is_read():
    group = " ".join(
        f"{c}{k}[{high}:{low}]" for k in range(64) for high, low in ((11, 4), (3, 0)) for c in "RGB"
    )
    assert Layout(group).planes[0].pixels == 64
    assert len(group) > 3000
