"""Random layouts: what is unpacked and packed again is as it was, and conversions are what the reference says.

Layouts are of one model, in planes, groups, pieces and orders of any kind. A conversion of formats that are alike is
compared with samples unpacked by the reference, brought to the other depth by whole numbers of Python, and packed.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping

import numpy as np
from tests.fuzz.contract import NotACase
from tests.systems import LEVELS, levels

import pellucid as pl
from pellucid.backends.llvm import LlvmBackend
from pellucid.base.errors import PellucidError
from pellucid.conversion.color_model import _scale, origin, same
from pellucid.conversion.nests import nest_between
from pellucid.conversion.plan import Conversion, conversion
from pellucid.conversion.planes import parts
from pellucid.driver.kernel import optimized
from pellucid.driver.options import Options
from pellucid.pixels import Channel, Layout, pack, unpack

WEIGHT = 2
"""A conversion is compiled two or three times."""
MODELS = {
    "gray": ("Y",),
    "gray and alpha": ("Y", "A"),
    "rgb": ("R", "G", "B"),
    "rgba": ("R", "G", "B", "A"),
    "ycbcr": ("Y", "Cb", "Cr"),
    "mosaic": ("M",),
}
ALIKE = {
    "gray": ("gray", "gray and alpha", "rgb", "rgba"),
    "rgb": ("rgb", "rgba"),
    "gray and alpha": ("gray and alpha", "rgba"),
}


def generate(rng: random.Random) -> str:
    """Two layouts of the same color model, a size, and a seed of bytes."""
    model = rng.choice([*MODELS])
    words = ["linear"] if rng.random() < 0.3 else []
    shapes = [(1, 1)] * 3
    if model == "ycbcr":
        words.append(rng.choice(("bt601", "bt709", "bt2020")))
        shapes = [(1, 1), *[rng.choice(((1, 1), (2, 1), (2, 2), (4, 1), (3, 2)))] * 2]
    if model == "mosaic":
        words.append(rng.choice(("rggb", "bggr", "grbg", "gbrg")))
    while True:
        texts = [
            _layout(rng, MODELS[name], words, shapes)
            for name in (model, rng.choice(ALIKE.get(model, (model,))))
        ]
        try:
            if same(*map(Layout, texts)):
                break
        except PellucidError:
            continue
    return json.dumps(
        {
            "source": texts[0],
            "target": texts[1],
            "size": [rng.choice((1, 2, 3, 5, 8, 13, 16, 17, 33, 64)), rng.choice((1, 2, 3, 5))],
            "seed": rng.randrange(1 << 32),
            "backends": ["numpy", "llvm", *(["c"] if rng.random() < 0.1 else [])],
            # The code for a lesser processor is tried if it runs here; the case is the same on every machine.
            "level": rng.choice(LEVELS),
            "threads": rng.choice((1, 2)),
            "numerics": rng.choice(("relaxed", "exact")),
        },
        indent=1,
    )


def _layout(
    rng: random.Random, names: tuple[str, ...], words: list[str], shapes: list[tuple[int, int]]
) -> str:
    """The line of a layout of these channels; those of chroma are in planes of their own if they are shared."""
    parts: list[list[str]] = [[names[0]]]
    for name in names[1:]:
        if shapes[1] != (1, 1) and name == "Cr" and rng.random() < 0.5:
            parts[-1].append(name)
        elif shapes[1] != (1, 1) or rng.random() < 0.4:
            parts.append([name])
        else:
            rng.choice(parts).append(name)
    words = [*words]
    kinds = {}
    for name in names:
        kinds[name] = (
            rng.choice(("", "", "", "s")),
            rng.choice((1, 2, 3, 5, 8, 8, 9, 10, 12, 14, 16, 16, 17, 24, 31, 32)),
        )
    if rng.random() < 0.3:
        words.append("limited")
    if all(kind != "s" for kind, _ in kinds.values()) and rng.random() < 0.2:
        words.append("negative")
    planes = []
    for part in parts:
        shared = part[0] in ("Cb", "Cr") and shapes[1] != (1, 1)
        planes.append(_plane(rng, part, kinds) + (f" /{shapes[1][0]}x{shapes[1][1]}" if shared else ""))
        if rng.random() < 0.2:
            planes[-1] += f" rows {rng.choice((2, 4, 7, 64))}"
    return "; ".join(planes) + (f" | {' '.join(words)}" if words else "")


def _plane(rng: random.Random, names: list[str], kinds: dict[str, tuple[str, int]]) -> str:
    """The fields of a plane, in any order, whole or in pieces, with bits between them that nobody uses."""
    pixels, total = rng.choice((1, 1, 1, 2, 3, 4, 6)), 0
    fields: list[str] = []
    for name in names:
        kind, bits = kinds[name]
        for pixel in range(pixels):
            shown = f"{name}{pixel}" if pixels > 1 else name
            total += bits
            if kind == "" and bits > 1 and rng.random() < 0.3:
                cut = rng.randrange(1, bits)
                fields += [f"{shown}[{bits - 1}:{cut}]", f"{shown}[{cut - 1}:0]"]
            else:
                fields.append(f"{shown}:{kind}{bits}")
    for _ in range(rng.choice((0, 0, 1, 2))):
        spare = rng.randrange(1, 9)
        total += spare
        fields.append(f"_:{spare}")
    rng.shuffle(fields)
    if pixels > 1 and total % 8:
        fields.append(f"_:{-total % 8}")
    return rng.choice(("", "msb: ", "lsb: ")) + " ".join(fields)


def check(case: str) -> Mapping[str, int]:
    """Unpack, pack and convert, on every back end of the case."""
    try:
        asked = json.loads(case)
        source, target, size = Layout(asked["source"]), Layout(asked["target"]), tuple(asked["size"])
        count = source.size(*size)
    except (ValueError, KeyError, TypeError, PellucidError) as problem:
        raise NotACase from problem
    data = np.random.default_rng(asked["seed"]).integers(0, 256, count, np.uint8)
    samples = unpack(data, source, *size)
    assert pack(samples, source, *size, onto=data.tobytes()) == data.tobytes(), (
        "packed again, it is not the same"
    )
    if not same(source, target):
        raise NotACase(case)
    wanted = pack(_converted(samples, source, target, size), target, *size)
    for backend in asked["backends"]:
        look = {"backend": backend, "threads": asked["threads"], "numerics": asked["numerics"]}
        found = pl.convert(data, source, target, size, **look)
        np.testing.assert_array_equal(
            unpack_all(found, target, size), unpack_all(wanted, target, size), err_msg=backend
        )
    if asked.get("level") in levels():
        found = _for_level(asked["level"], data, conversion(source, target, size), asked["numerics"])
        np.testing.assert_array_equal(
            unpack_all(found, target, size), unpack_all(wanted, target, size), err_msg=asked["level"]
        )
    return {"layouts": 2, "conversions": len(asked["backends"]), f"conversions of {source.model}": 1}


def _for_level(level: str, data: np.ndarray, asked: Conversion, numerics: str) -> np.ndarray:
    """The conversion by code for a lesser processor."""
    backend, source, target = LlvmBackend(cpu=level), Layout(asked.source), Layout(asked.target)
    options = Options(numerics, "f32", "llvm")
    code = optimized(nest_between(asked, options), options, backend)
    out = np.zeros(target.size(*asked.size), np.uint8)
    memory = parts(source, asked.size, data, asked.given) | parts(target, asked.size, out, asked.planes)
    backend.compile(code.kernel, code.ranges).run({}, memory)
    return out


def unpack_all(data: object, layout: Layout, size: tuple[int, int]) -> np.ndarray:
    """All samples of a picture, as Python's whole numbers."""
    return np.concatenate([values.ravel().astype(object) for values in unpack(data, layout, *size).values()])


def _converted(
    samples: Mapping[str, np.ndarray], source: Layout, target: Layout, size: tuple[int, int]
) -> dict:
    """The samples of the target: the nearest to those of the source."""
    found = {}
    for channel in target.channels:
        name = origin(source, channel.name)
        if name is None:
            zero, span = map(int, _scale(target, channel))
            found[channel.name] = np.full(
                channel.shape(*size), min(max(zero + span, channel.low), channel.high), np.int64
            )
        else:
            found[channel.name] = _nearest(samples[name], source, source[name], target, channel)
    return found


def _nearest(
    values: np.ndarray, source: Layout, given: Channel, target: Layout, wanted: Channel
) -> np.ndarray:
    (z1, s1), (z2, s2) = (map(int, _scale(f, c)) for f, c in ((source, given), (target, wanted)))
    if s1 < 0:
        s1, s2 = -s1, -s2
    numbers = (2 * (values.astype(object) - z1) * s2 + s1) // (2 * s1) + z2
    return np.clip(numbers, wanted.low, wanted.high).astype(np.int64)


def shrink(case: str) -> Iterator[str]:
    """Yield a smaller picture, one back end, fewer words and fields."""
    asked = json.loads(case)
    for backend in asked["backends"]:
        if len(asked["backends"]) > 1:
            yield json.dumps(asked | {"backends": [backend]})
    width, height = asked["size"]
    for size in (
        (1, 1),
        (width, 1),
        (1, height),
        (width // 2, height),
        (width - 1, height),
        (width, height - 1),
    ):
        if min(size) > 0 and list(size) != asked["size"]:
            yield json.dumps(asked | {"size": list(size)})
    yield from (
        json.dumps(asked | less)
        for less in ({"seed": 0}, {"threads": 1}, {"numerics": "exact"})
        if asked | less != asked
    )
    if asked["source"] != asked["target"]:
        yield json.dumps(asked | {"target": asked["source"]})
        yield json.dumps(asked | {"source": asked["target"]})
    for side in ("source", "target"):
        fields = asked[side].split(" ")
        for k in range(len(fields)):
            yield json.dumps(asked | {side: " ".join(fields[:k] + fields[k + 1 :])})
