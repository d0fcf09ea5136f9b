"""Every public function of the image algebra, given the wrong kind of thing, says what is wrong in one error."""

from __future__ import annotations

from typing import Any

import dask.array
import numpy as np
import pytest

from pellucid import algebra as alg
from pellucid.base.errors import PellucidError

WRONG: dict[str, Any] = {
    "None": None, "truth": True, "negative": -3, "zero": 0, "half": 2.5, "nan": float("nan"), "infinity": float("inf"),
    "huge": 10**400, "large": 2**63, "complex": 1j, "text": "loud", "empty text": "", "surrogate": "\udc80",
    "bytes": b"ab", "list": [1, [2]], "nothing": [], "pair": (1, 2), "nested": [[1, 2], [3, 4]], "dict": {},
    "table of others": {"a": None, 3: 4}, "set": {1}, "object": object(), "class": int, "function": lambda: None,
    "numpy": np.float32(2.5), "scalar": np.array(3), "empty": np.zeros(0), "complex array": np.zeros((3, 3), complex),
    "objects": np.array([[None, 1, 2]], object), "words": np.array(["a"]), "times": np.zeros(3, "M8[s]"),
    "records": np.zeros(3, [("a", "u1")]), "swapped": np.ones((4, 6), ">f4"), "cube": np.ones((3, 3, 3)),
    "apart": np.ones((8, 12), np.uint8)[::2, ::2], "transposed": np.ones((6, 4), np.uint8).T,
    "read-only": np.broadcast_to(np.uint8(1), (4, 6)),
    "view of much": np.broadcast_to(np.float32(1), (2**20 - 1, 2**20 - 1)),
    "array of bytes": alg.array("other", (3, 5), "u8"), "array of truths": alg.array("other", (4, 6), "u8") < 3,
    "a line": alg.array("line", 7, "i64"), "a scalar": alg.scalar("t", "i64"), "an index": alg.index("k", 9),
    "an array's class": alg.Array,
}  # fmt: skip

A, F = alg.array("a", (4, 6), "u8"), alg.array("f", (4, 6), "f32")
BYTES, FLOATS = np.ones((4, 6), np.uint8), np.ones((4, 6), np.float32)
SOFT = {"kernel": [[1, 2, 1]], "border": "reflect", "outside": 0}
HARD = {"size": 3, "border": "clamp", "outside": 0}
PROGRAM = alg.compile(A + alg.scalar("s", "u8"), backend="numpy")


def set_item(key: Any, value: Any) -> None:
    alg.array("h", 9, "i64")[key] = value


#: A call that is right, as a function and its arguments by name.
CALLS: dict[str, tuple[Any, dict[str, Any]]] = {
    "additive_maximum": (alg.additive_maximum, {"a": F, "template": [[0, 1, 0]], "border": "reflect", "outside": 0}),
    "additive_minimum": (alg.additive_minimum, {"a": F, "template": [[0, 1, 0]], "border": "reflect", "outside": 0}),
    "array": (alg.array, {"name": "b", "shape": (3, 4), "type": "u8"}),
    "astype": (A.astype, {"to": "f32"}),
    "chi": (alg.chi, {"condition": A < 3, "type": "u8"}),
    "compile": (alg.compile, {"outputs": A + 1, "numerics": "exact", "backend": "numpy", "optimize": False}),
    "compile several": (alg.compile, {"outputs": {"o": A + 1, "p": A + 2}, "backend": "numpy"}),
    "convolve": (alg.convolve, {"a": F, **SOFT}),
    "coordinate": (alg.coordinate, {"like": A, "axis": 0}),
    "correlate": (alg.correlate, {"a": F, **SOFT}),
    "dilate": (alg.dilate, {"a": A, **HARD}),
    "erode": (alg.erode, {"a": A, **HARD}),
    "explain": (lambda o: str(alg.compile(o, backend="numpy").explain()), {"o": A + 1}),
    "halo": (alg.halo, {"program": PROGRAM}),
    "index": (alg.index, {"name": "i", "count": 3}),
    "map_blocks": (alg.map_blocks, {"program": PROGRAM, "a": dask.array.ones((4, 6), chunks=3, dtype="u1"), "s": 3}),
    "max": (alg.max, {"a": A, "axis": 0}),
    "maximum": (alg.maximum, {"a": A, "b": 3}),
    "mean": (alg.mean, {"a": A, "axis": 0}),
    "median": (alg.median, {"a": A, **HARD}),
    "min": (alg.min, {"a": A, "axis": (0, 1)}),
    "minimum": (alg.minimum, {"a": 3, "b": A}),
    "plus": (lambda b: A + b, {"b": 3}),
    "less": (lambda b: b < A, {"b": 3}),
    "pointwise": (lambda row, *, a: alg.pointwise(row, a), {"row": "sqrt", "a": F}),
    "program": (PROGRAM, {"a": BYTES, "s": 3, "out": np.zeros((4, 6), np.uint8)}),
    "restrict": (alg.restrict, {"a": A, "low": (1, 1), "shape": (2, 2)}),
    "run": (alg.run, {"outputs": F + 1, "f": FLOATS}),
    "scalar": (alg.scalar, {"name": "s", "type": "i32"}),
    "set": (set_item, {"key": alg.index("i", 9), "value": 3}),
    "shift": (alg.shift, {"a": A, "by": 1, "border": "constant", "outside": 3}),
    "sum": (alg.sum, {"a": A, "axis": 1, "type": "i64"}),
    "translate": (alg.translate, {"a": A, "by": (1, 2)}),
    "where": (alg.where, {"condition": A < 3, "then": A, "orelse": 3}),
}  # fmt: skip
CLASSES = {"Array", "Coordinates", "Program"}
"""What is made by these functions and not by a caller."""


def test_every_public_function_is_here():
    assert set(alg.__all__) - CLASSES <= set(CALLS)


@pytest.mark.parametrize("name", CALLS)
def test_a_wrong_kind_is_told_by_one_error(name: str):
    function, right = CALLS[name]
    function(**right)
    refused = 0
    for parameter in right:
        for kind, wrong in WRONG.items():
            try:
                function(**{**right, parameter: wrong})
            except PellucidError as error:
                refused += 1
                assert "\n" not in str(error), f"{name}({parameter}={kind})"  # noqa: PT017 - some kinds are right
            except Exception as error:
                error.add_note(f"{name}({parameter}={kind})")
                raise
    assert refused > len(WRONG) // 4
