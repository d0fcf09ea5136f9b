"""What Pan's and Draves's papers ask of memory, held against the layouts of one line, by row of docs/lineage.md."""

import numpy as np
import pytest

import pellucid as pl
from pellucid import images as im
from pellucid import signals as sg
from pellucid.driver.frame import build
from pellucid.ir import types as T
from pellucid.ir.expr import topological
from pellucid.ir.nest import For, Store, all_roots, walk
from pellucid.pixels import FORMATS, Layout, pack, unpack
from pellucid.staging import Memory

RNG = np.random.default_rng(5)


@pytest.mark.parametrize("name", ["rgb24", "bgra", "gray8", "pal8", "rgb565", "mask1"])
def test_P6_any_layout_is_read_in_place_by_address_arithmetic(name):
    layout = FORMATS[name]
    data = RNG.integers(0, 256, layout.size(7, 5), np.uint8)
    frame = build(im.from_buffer(data, name, (7, 5)), T.f32)
    loads = [n for n in topological(all_roots(frame.kernel.body)) if n.op == "load"]
    assert loads
    assert all(np.shares_memory(n.attr.data, data) for n in loads)
    assert {type(s) for s in walk(frame.kernel.body)} == {For, Store}


@pytest.mark.parametrize("name", ["rgb24", "bgr24", "rgba", "argb", "gbrp", "gray8", "pal8"])
def test_P7_bytes_round_trip_in_every_order(name):
    layout = FORMATS[name]
    samples = {c.name: np.roll(np.arange(256), 7 * k) for k, c in enumerate(layout.channels)}
    samples["A"] = 255
    data = pack(samples, layout, 256)
    found = unpack(pl.convert(data, name, "rgba", (256, 1)), FORMATS["rgba"], 256)
    for k, color in enumerate("RGB"):
        wanted = samples["Y"] if name == "gray8" else samples[color]
        wanted = wanted[samples["I"]] if name == "pal8" else wanted
        assert (found[color][0] == wanted).all(), k


@pytest.mark.parametrize(("size", "stride"), [(8, 8), (12, 12), (5, 9), (1, 1), (13, 24), (30, 31)])
def test_S1_a_layout_of_equal_samples_is_a_signal(size, stride):
    gap = f" _:{stride - size}" if stride > size else ""
    layout = Layout(f"S:{size}{gap}")
    data = RNG.integers(0, 1 << 32, -(-40 * stride // 32), np.uint32)
    signal = sg.memory(Memory("m", 32, data), 0, 40 * stride, size, stride)
    found = sg.reduce(signal, (), lambda known, sample: (*known, sample))
    assert list(found) == unpack(data.tobytes(), layout, 40)["S"][0].tolist()
