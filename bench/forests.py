"""Decision forests for every pixel of 1920 x 1080, compiled by the example, beside scikit-learn's predict.

Five forests; the decisions are compared. Times are the best of some calls; scikit-learn's features are made before.
Its predict uses one thread by itself, and all with `n_jobs=-1`; compiled forests use all.
"""

from __future__ import annotations

import runpy
import time
from pathlib import Path

import numpy as np

EXAMPLE = runpy.run_path(str(Path(__file__).parents[1] / "examples/forests.py"))
SIZE = (1920, 1080)
MODELS = [
    (1, {"n_estimators": 10, "max_depth": 4}),
    (1, {"n_estimators": 10, "max_depth": 6}),
    (2, {"n_estimators": 20, "max_depth": 5}),
    (1, {"n_estimators": 50, "max_depth": 3}),
    (1, {"n_estimators": 5, "max_leaf_nodes": 64}),
]


def best(call, rounds: int) -> float:  # noqa: ANN001
    """The least milliseconds of some calls."""
    found = float("inf")
    for _ in range(rounds):
        start = time.perf_counter()
        call()
        found = min(found, time.perf_counter() - start)
    return 1e3 * found


def scene(classes: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """A noisy picture, and what its pixels are."""
    draw = np.random.default_rng(seed)
    truth = np.add.outer(np.arange(SIZE[1]), np.arange(SIZE[0])) // 5 % classes
    noisy = truth * (200 // classes) + draw.normal(20, 30, truth.shape)
    return np.clip(noisy, 0, 255).astype(np.uint8), truth


def main() -> None:
    """Print a row for each forest."""
    print(
        "forest                                     compile ms   frame ms   predict ms   times   with threads ms   times"
    )
    for k, (radius, options) in enumerate(MODELS):
        offsets = EXAMPLE["square"](radius)
        picture, truth = scene(2 + k % 2, k)
        samples = EXAMPLE["features"](picture, offsets)
        some = np.random.default_rng(k).choice(len(samples), 20_000, replace=False)
        model = EXAMPLE["trained"](samples[some], truth.reshape(-1)[some], random_state=k, **options)
        EXAMPLE["compiler"]()
        start = time.perf_counter()
        compiled = EXAMPLE["Forest"](model, offsets, SIZE)
        made = 1e3 * (time.perf_counter() - start)
        out = np.empty(truth.shape, np.uint8)
        own = best(lambda compiled=compiled, picture=picture, out=out: compiled(picture, out), 9)
        rows = samples.astype(np.float32)  # as it would make them itself
        other = best(lambda model=model, rows=rows: model.predict(rows), 2)
        model.n_jobs = -1
        threads = best(lambda model=model, rows=rows: model.predict(rows), 2)
        assert (out.reshape(-1) == model.predict(rows)).all()
        print(
            f"{options!s:44}{made:9.0f}{own:11.2f}{other:13.0f}{other / own:8.0f}{threads:18.0f}{threads / own:8.0f}"
        )


if __name__ == "__main__":
    main()
