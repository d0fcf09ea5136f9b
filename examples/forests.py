"""Decision forests for every pixel, by an interpreter that is a compiler.

A forest decides what a pixel is from its neighborhood: each tree compares one neighbor with a threshold, goes left or
right, and ends in a leaf with a weight for each class. The weights of all trees add up, and the heaviest class wins.
Forests come from scikit-learn, trained on rows of neighbors as `features` makes them.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np

import pellucid as pl
from pellucid.staging import DYNAMIC, STATIC, Memory, apply, cogen, interpreter, lift

# ---- the interpreter ----


@interpreter
def frame(forest, size, picture, out):
    """Decide every pixel."""
    classes, offsets, trees = forest
    for row in range(lift(size[1])):
        for column in range(lift(size[0])):
            values = []
            for dx, dy in offsets:
                values.append(picture.load(place(size, row, column, dx, dy)))
            out.store(row * size[0] + column, decided(classes, trees, tuple(values)))
    return 0


def decided(classes, trees, values):
    """The class with the greatest weight, of equal ones the first."""
    best, heaviest = 0, weight(trees, 0, values)
    for one in range(1, classes):
        other = weight(trees, one, values)
        best = apply("choose.i32", apply("lt.f64", heaviest, other), one, best)
        heaviest = apply("choose.f64", apply("lt.f64", heaviest, other), other, heaviest)
    return best


def weight(trees, one, values):
    """The mean of the weights that the trees give a class."""
    total = 0.0
    for tree in trees:
        total = apply("add.f64", total, of_tree(tree, one, values))
    return apply("div.f64", total, len(trees))


def of_tree(tree, one, values):
    """The weight that a tree gives a class: of a leaf, or of the side that a neighbor chooses."""
    if tree[0] == "leaf":
        return tree[1][one]
    low, high = of_tree(tree[3], one, values), of_tree(tree[4], one, values)
    return apply("choose.f64", apply("le.i64", values[tree[1]], tree[2]), low, high)


def place(size, row, column, dx, dy):
    """Where a neighbor is; beyond the border stands the nearest pixel."""
    if dy != 0:
        row = apply("min.i64", apply("max.i64", row + dy, 0), size[1] - 1)
    if dx != 0:
        column = apply("min.i64", apply("max.i64", column + dx, 0), size[0] - 1)
    return row * size[0] + column


# ---- forests of scikit-learn ----


def square(radius):
    """The places of a neighborhood, row by row."""
    side = range(-radius, radius + 1)
    return tuple((dx, dy) for dy in side for dx in side)


def features(picture, offsets):
    """The neighbors of every pixel, one row for each pixel: what a forest is trained on."""
    reach = max(abs(by) for offset in offsets for by in offset)
    padded = np.pad(picture, reach, mode="edge")
    height, width = picture.shape
    planes = [
        padded[reach + dy : reach + dy + height, reach + dx : reach + dx + width].reshape(-1)
        for dx, dy in offsets
    ]
    return np.stack(planes, axis=1)


def trained(samples, labels, **options):
    """A forest that scikit-learn trains."""
    try:
        from sklearn.ensemble import RandomForestClassifier
    except ImportError as error:
        raise ImportError("forests are trained by scikit-learn: pip install scikit-learn") from error
    return RandomForestClassifier(**options).fit(samples, labels)


def imported(model, offsets):
    """A forest of scikit-learn as static data: the number of classes, the places of the features, the trees."""
    if model.n_features_in_ != len(offsets):
        raise ValueError(
            f"the forest takes {model.n_features_in_} features, and there are {len(offsets)} places"
        )
    trees = tuple(_tree(one.tree_, 0) for one in model.estimators_)
    return len(model.classes_), tuple(offsets), trees


def _tree(tree, node):
    """A node of a tree. Features are integers, so that thresholds may be rounded down."""
    left, right = int(tree.children_left[node]), int(tree.children_right[node])
    if left == right:
        return "leaf", tuple(float(weight) for weight in tree.value[node][0])
    threshold = math.floor(tree.threshold[node])
    return "node", int(tree.feature[node]), threshold, _tree(tree, left), _tree(tree, right)


# ---- the compiler ----


@cache
def compiler():
    """The compiler that the interpreter is."""
    return cogen(frame, forest=STATIC, size=STATIC, picture=DYNAMIC, out=DYNAMIC)


class Forest:
    """A forest of scikit-learn, compiled for pictures of 8 bits and of a size: called with one it gives the classes."""

    def __init__(self, model, offsets, size):
        self.shape, self.classes = (size[1], size[0]), model.classes_
        code = compiler()(imported(model, offsets), tuple(size)).code
        memories = [Memory(name, 8, least=size[0] * size[1]) for name in ("picture", "out")]
        self.code = pl.compile_code(code, *memories, tier="nest")

    def __call__(self, picture, out=None):
        """The number of the class of every pixel."""
        out = np.empty(self.shape, np.uint8) if out is None else out
        if picture.shape != self.shape or picture.dtype != np.uint8:
            raise TypeError(
                f"a picture of {picture.shape}, {picture.dtype}, where {self.shape}, uint8 is declared"
            )
        self.code(np.ascontiguousarray(picture).reshape(-1), out.reshape(-1))
        return out


def main():
    """Train a forest to find the dark lines of a noisy picture, and compare the decisions."""
    draw, offsets = np.random.default_rng(1), square(1)
    truth = (np.add.outer(np.arange(96), np.arange(128)) % 16 < 4).astype(np.uint8)
    picture = np.clip(160 - 80 * truth + draw.normal(0, 25, truth.shape), 0, 255).astype(np.uint8)
    samples = features(picture, offsets)
    model = trained(samples, truth.reshape(-1), n_estimators=5, max_depth=5, random_state=1)
    found = Forest(model, offsets, (128, 96))(picture)
    print(
        f"right: {(found == truth).mean():.3f}, as scikit-learn: {(found.reshape(-1) == model.predict(samples)).all()}"
    )


if __name__ == "__main__":
    main()
