"""What the introduction of Draves's thesis asks of the first frames, by row of docs/lineage.md."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from tests.timings import last_is_fastest

import pellucid as pl
from pellucid.driver import tiers
from pellucid.driver.session import Session

SIZE = (96, 61)


@pl.image
def waves(p):
    return 0.5 + 0.2 * pl.sin(p.x * 1.5 + p.y) + 0.2 * pl.sin(p.x * 2.25 - p.y * 3)


def test_T6_frames_are_drawn_while_machine_code_is_made_which_takes_over(monkeypatch: pytest.MonkeyPatch):
    begun, allowed = threading.Event(), threading.Event()
    made = Session._compile

    def held_back(session: Session, *rest) -> None:
        begun.set()
        assert allowed.wait(60)
        made(session, *rest)

    monkeypatch.setattr(Session, "_compile", held_back)
    monkeypatch.setattr(tiers, "EXPECTED", 1e9)
    last_is_fastest(monkeypatch)
    expected = pl.render(waves, SIZE, zoom=9.0, numerics="exact", backend="llvm")
    with Session(SIZE, numerics="exact", precision="f32") as session:
        assert session.update(waves, zoom=9.0).tier == "tiles"
        assert begun.wait(60)
        for _ in range(3):
            shown = session.frame()
            assert shown.tier == "tiles"
            assert np.array_equal(shown.pixels, expected)
        allowed.set()
        assert session.settled()
        shown = session.frame()
        assert shown.tier == "llvm"
        assert np.array_equal(shown.pixels, expected)
