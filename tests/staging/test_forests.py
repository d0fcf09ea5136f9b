"""The example of decision forests: every pixel is what scikit-learn decides."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import numpy as np
import pytest

from pellucid.ir.nest import For, walk
from pellucid.staging import Memory

EXAMPLE = runpy.run_path(str(Path(__file__).parents[2] / "examples/forests.py"))
Forest, features, imported, square, trained = (
    EXAMPLE[name] for name in ("Forest", "features", "imported", "square", "trained")
)
SIZE = (40, 24)
MODELS = [
    {"n_estimators": 1, "max_depth": 3},
    {"n_estimators": 4, "max_depth": 4},
    {"n_estimators": 9, "max_depth": 2},
    {"n_estimators": 3, "max_leaf_nodes": 12},
    {"n_estimators": 6, "max_depth": 3, "criterion": "entropy", "bootstrap": False},
]


def scene(classes: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """A noisy picture, and what its pixels are."""
    draw = np.random.default_rng(seed)
    truth = np.add.outer(np.arange(SIZE[1]), np.arange(SIZE[0])) // 5 % classes
    noisy = truth * (200 // classes) + draw.normal(20, 30, truth.shape)
    return np.clip(noisy, 0, 255).astype(np.uint8), truth


@pytest.mark.parametrize("k", range(len(MODELS)))
def test_decisions_are_those_of_scikit_learn(k: int) -> None:
    classes, offsets = 2 + k % 3, square(1 + (k == 3))
    picture, truth = scene(classes, k)
    samples = features(picture, offsets)
    model = trained(samples, truth.reshape(-1), random_state=k, **MODELS[k])
    compiled = Forest(model, offsets, SIZE)
    other, _ = scene(classes, 100 + k)
    for one in (picture, other):
        assert (compiled(one).reshape(-1) == model.predict(features(one, offsets))).all()
    assert sum(isinstance(s, For) for s in walk(compiled.code.program.residual.kernel.body)) == 4


def test_the_interpreter_itself_decides_the_same() -> None:
    offsets = square(1)
    picture, truth = scene(3, 7)
    model = trained(
        features(picture, offsets), truth.reshape(-1), n_estimators=2, max_depth=3, random_state=7
    )
    forest, scores, weights = imported(model, offsets)
    out = np.zeros(picture.size, np.uint8)
    around = np.pad(picture, 1, mode="edge").reshape(-1)
    arrays = {"picture": around, "scores": scores, "weights": weights, "out": out}
    memories = [Memory(name, 8 * data.itemsize, data) for name, data in arrays.items()]
    EXAMPLE["frame"](forest, (*SIZE, 1), *memories)
    assert (out.reshape(picture.shape) == Forest(model, offsets, SIZE)(picture)).all()


def test_what_does_not_fit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    offsets = square(1)
    picture, truth = scene(2, 8)
    model = trained(
        features(picture, offsets), truth.reshape(-1), n_estimators=1, max_depth=1, random_state=8
    )
    with pytest.raises(ValueError, match="takes 9 features, and there are 25 places"):
        Forest(model, square(2), SIZE)
    with pytest.raises(TypeError, match="uint8 is declared"):
        Forest(model, offsets, SIZE)(picture.astype(np.float32))
    monkeypatch.setitem(sys.modules, "sklearn.ensemble", None)
    with pytest.raises(ImportError, match="pip install scikit-learn"):
        trained([[0]], [0])
