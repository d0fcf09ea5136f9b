"""Changed files of the cache: renamed, cut, overwritten, with checksums made again; each is a miss or the right result.

A case is JSON: the kernels whose entries and objects stand in the cache, and what is done to these files. Whoever makes
a checksum here knows everything but the secret of the user, so no changed file may be loaded. What is written with the
secret is this user's own, and must at least be read without an error; it is not run.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from tests.fuzz.contract import NotACase

from pellucid.backends.jit import manifest
from pellucid.backends.llvm import LlvmBackend
from pellucid.driver.cache import KEY_FILE, MARK, SEAL_BYTES, Cache
from pellucid.ir.nest import Kernel
from pellucid.ir.parse import parse_nest

KERNELS = 8
HEAD = len(MARK) + SEAL_BYTES
ACTIONS = ("set", "cut", "insert", "copy", "swap", "mode", "link", "pipe", "remove", "secret")
SEALS = ("kept", "hash", "other secret", "own")
#: Bytes at which formats turn: of text, of ELF, of numbers.
TURNS = (0, 1, 0x22, 0x2C, 0x30, 0x39, 0x5B, 0x5D, 0x7B, 0x7D, 0x7F, 0x80, 0xFF)


def generate(rng: random.Random) -> str:
    """Make some actions on the files of a few kernels."""
    count = rng.randint(2, 4)
    actions = [
        {
            "do": rng.choices(ACTIONS, (8, 3, 3, 6, 3, 1, 1, 1, 1, 1))[0],
            "file": rng.randrange(2 * count),
            "other": rng.randrange(2 * count),
            "at": rng.random(),
            "bytes": [rng.choice((*TURNS, *range(256))) for _ in range(rng.randint(1, 8))],
            "whole": rng.random() < 0.3,
            "seal": rng.choice(SEALS),
        }
        for _ in range(rng.randint(1, 5))
    ]
    return json.dumps({"kernels": rng.sample(range(KERNELS), count), "actions": actions})


def kernel(number: int) -> Kernel:
    """One of a few kernels: some have tables, some parameters, and they store into buffers of different sizes."""
    size = 4 + 3 * (number % 3)
    lanes = " by 4 lanes" if number % 2 else ""
    return parse_nest(
        f"kernel k(n: i32):\n  output out: i32[{size}]\n  for i in 0 .. {size}{lanes}:\n"
        f"    out[i] := i * {number + 2} + n\n"
    )


@cache
def made(number: int) -> tuple[bytes, bytes, str]:
    """Of a kernel: its entry, its object code, and under which key this is."""
    kept: dict[str, bytes] = {}

    class Store:
        get = staticmethod(kept.get)
        put = staticmethod(kept.__setitem__)

    backend = LlvmBackend(Store())
    found = kernel(number)
    code = backend.compile(found, {})
    return backend.entry(code, found.outputs), kept[code.key], code.key


def check(case: str) -> Mapping[str, int]:
    """Change the files, and run every kernel from what is left."""
    try:
        told = json.loads(case)
        numbers, actions = [int(n) % KERNELS for n in told["kernels"]], list(told["actions"])
    except (ValueError, KeyError, TypeError) as problem:
        raise NotACase(str(problem)) from None
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "cache"
        cache = Cache(folder)
        files: list[Path] = []
        for number in numbers:
            entry, code, key = made(number)
            for name, value in ((f"entry {number}", entry), (key, code)):
                cache.put(name, value)
                files.append(cache._path(name))
        owned: set[Path] = set()
        for action in actions:
            _act(folder, files, action, owned)
        counts["changes"] = len(actions)
        for number in numbers:
            counts[_run(number, folder, owned)] += 1
    return counts


def _act(folder: Path, files: list[Path], action: Mapping[str, Any], owned: set[Path]) -> None:
    try:
        path, other = files[action["file"] % len(files)], files[action["other"] % len(files)]
        at, given, kind, seal = action["at"], bytes(action["bytes"]), action["do"], action["seal"]
        begin = 0 if action["whole"] else HEAD
    except (KeyError, TypeError, ValueError) as problem:
        raise NotACase(str(problem)) from None
    if kind == "secret":
        (folder / KEY_FILE).write_bytes(given * 16)
        return
    data = path.read_bytes() if path.is_file() and not path.is_symlink() else b""
    position = begin + int(at * max(len(data) - begin, 0))
    if path.is_symlink() or (path.exists() and kind in ("link", "pipe", "remove")):
        path.unlink()
    match kind:
        case "mode":
            if path.exists():
                path.chmod(0o622)
        case "link":
            path.symlink_to(other)
        case "pipe":
            os.mkfifo(path, 0o600)
        case "remove":
            pass
        case _:
            if path.exists() and not path.is_file():
                path.unlink()
            if kind in ("copy", "swap"):
                new = other.read_bytes() if other.is_file() and not other.is_symlink() else b""
                if kind == "swap" and other.is_file() and not other.is_symlink():
                    other.write_bytes(data)
            elif kind == "set":
                new = data[:position] + given + data[position + len(given) :]
            else:
                new = data[:position] if kind == "cut" else data[:position] + given + data[position:]
            path.write_bytes(_sealed(folder, path, new, seal, owned))


def _sealed(folder: Path, path: Path, data: bytes, seal: str, owned: set[Path]) -> bytes:
    value = data[HEAD:]
    match seal:
        case "hash":
            head = hashlib.blake2b(path.name.encode() + value, digest_size=SEAL_BYTES, person=MARK).digest()
        case "other secret":
            head = hashlib.blake2b(
                path.name.encode() + value, key=bytes(32), digest_size=SEAL_BYTES, person=MARK
            ).digest()
        case "own":
            key = Cache(folder)
            assert key._usable()
            owned.add(path)
            head = key._seal(path, value)
        case _:
            return data
    return MARK + head + value


def _run(number: int, folder: Path, owned: set[Path]) -> str:
    """Run a kernel as another process would, and say whether it was found."""
    found = kernel(number)
    entry, _, key = made(number)
    cache = Cache(folder)
    backend = LlvmBackend(cache)
    kept = cache.get(f"entry {number}")
    if owned & {cache._path(f"entry {number}"), cache._path(key)}:
        if kept is not None:
            manifest.read(kept, found.outputs)
        return "own"
    code = backend.recall(kept, found.outputs) if kept is not None else None
    assert kept in (None, entry), "what was changed is no entry"
    told = "hits" if code is not None else "misses"
    if code is None:
        code = backend.compile(found, {})
    out = found.outputs[0]
    memory = {out: np.zeros(out.size, np.int32)}
    code.run({"n": 5}, memory)
    assert memory[out].tolist() == [i * (number + 2) + 5 for i in range(out.size)]
    return told


def shrink(case: str) -> Iterator[str]:
    """Leave out actions, kernels and bytes."""
    told = json.loads(case)
    for name in ("actions", "kernels"):
        for k in range(len(told[name])):
            if len(told[name]) > 1:
                yield json.dumps({**told, name: told[name][:k] + told[name][k + 1 :]})
    for k, action in enumerate(told["actions"]):
        if len(action["bytes"]) > 1:
            changed = {**action, "bytes": action["bytes"][:1]}
            yield json.dumps({**told, "actions": [*told["actions"][:k], changed, *told["actions"][k + 1 :]]})
