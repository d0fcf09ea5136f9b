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

MAX_LEAVES, MAX_CLASSES, MAX_TREES = 1 << 16, 255, 1 << 10
SCORES, LOW = (1 << 14) - 1, 1 << 6
"""What all trees together may give a class, and what the upper byte of a score counts."""
TOGETHER = 4
"""So many trees stand together: the sum of their lower bytes is one."""
CLOSE = 255
"""Stands for a class where scores, which are rounded, cannot tell."""

# ---- the interpreter ----


@interpreter
def frame(forest, size, picture, scores, weights, out):
    """Decide every pixel by scores of 16 bits, and then exactly where those are close."""
    for row in range(lift(size[1])):
        for column in range(lift(size[0])):
            out.store(row * size[0] + column, nearly(forest, size, picture, scores, row, column))
    for row in range(lift(size[1])):
        for column in range(lift(size[0])):
            if out.load(row * size[0] + column) == CLOSE:
                out.store(row * size[0] + column, decided(forest, size, picture, weights, row, column))
    return 0


def nearly(forest, size, picture, scores, row, column):
    """The class with the greatest score, or CLOSE if another one has nearly as much."""
    rest = score(forest, 0, size, picture, scores, row, column)
    best, most, second, rest = 0, rest, -1 - forest[4], apply("sub.i16", forest[5], rest)
    for one in range(1, forest[0]):
        if one < forest[0] - 1:
            other = score(forest, one, size, picture, scores, row, column)
            rest = apply("sub.i16", rest, other)
        else:
            other = rest  # the weights of a leaf add up to 1
        best = apply("choose.u8", apply("lt.i16", most, other), one, best)
        second = apply("max.i16", second, apply("min.i16", most, other))
        most = apply("max.i16", most, other)
    return apply("choose.u8", apply("lt.i16", apply("add.i16", second, forest[4]), most), best, CLOSE)


def score(forest, which, size, picture, scores, row, column):
    """The sum of the scores that the trees give a class.

    A tree has two rows of bytes for a class, with one of each leaf: how often LOW is in its score, and what is left.
    """
    high, total = lift(0), lift(0)
    for some in forest[2]:
        low = lift(0)
        for first, leaves, tree in some:
            number = reached(tree, forest[3], forest[1], size, picture, row, column)
            at = 2 * ((forest[0] - 1) * first + which * leaves)
            high = apply("add.u8", high, scores.load(number + at))
            low = apply("add.u8", low, scores.load(number + at + leaves))
        total = apply("add.i16", total, low)
    return apply("add.i16", apply("mul.i16", high, LOW), total)


def decided(forest, size, picture, weights, row, column):
    """The class with the greatest weight, of equal ones the first."""
    best, heaviest = 0, mean(forest, 0, size, picture, weights, row, column)
    for one in range(1, forest[0]):
        other = mean(forest, one, size, picture, weights, row, column)
        best = apply("choose.i32", apply("lt.f64", heaviest, other), one, best)
        heaviest = apply("choose.f64", apply("lt.f64", heaviest, other), other, heaviest)
    return best


def mean(forest, which, size, picture, weights, row, column):
    """The mean of the weights that the trees give a class; each is two words of a table."""
    total, count = lift(0.0), 0
    for some in forest[2]:
        for first, _, tree in some:
            number = reached(tree, forest[3], forest[1], size, picture, row, column)
            at = (number + first) * (2 * forest[0]) + 2 * which
            bits = weights.load(at) | (weights.load(at + 1) << 32)
            total = apply("add.f64", total, apply("bitcast.i64.f64", bits))
            count += 1
    return apply("div.f64", total, count)


def reached(tree, kind, offsets, size, picture, row, column):
    """The number of the leaf that a tree leads a pixel to."""
    if tree[0] == "leaf":
        return tree[1]
    low = reached(tree[3], kind, offsets, size, picture, row, column)
    high = reached(tree[4], kind, offsets, size, picture, row, column)
    value = picture.load(place(size, row, column, offsets[tree[1]]))
    return apply("choose." + kind, apply("le.u8", value, tree[2]), low, high)


def place(size, row, column, by):
    """Where a neighbor is in a picture with a margin."""
    return (row + size[2] + by[1]) * (size[0] + 2 * size[2]) + column + size[2] + by[0]


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
    """A forest of scikit-learn as static data, and two tables: the scores of its leaves, and what they weigh.

    The data are the number of classes, the places of the features, for each tree of some together the number of its
    first leaf, how many it has and its root, the type of the numbers of leaves, by how much scores have to differ, and
    the sum of them all.
    """
    if model.n_features_in_ != len(offsets):
        raise ValueError(
            f"the forest takes {model.n_features_in_} features, and there are {len(offsets)} places"
        )
    classes, trees, weights = len(model.classes_), [], []
    count = len(model.estimators_)
    if classes > MAX_CLASSES or count > MAX_TREES:
        raise ValueError(f"{classes} classes, {count} trees, of at most {MAX_CLASSES}, {MAX_TREES}")
    for one in model.estimators_:
        first = len(weights)
        root = _tree(one.tree_, 0, first, weights)
        trees.append((first, len(weights) - first, root))
    most = max(leaves for _, leaves, _ in trees)
    if most > MAX_LEAVES:
        raise ValueError(f"a tree of {most} leaves; train with max_leaf_nodes={MAX_LEAVES}")
    # Each score is wrong by half a unit at most, and what is left for the last class by half a unit for each other.
    unit, margin = SCORES // count, count * (classes + 1) // 2 + 2
    scores = np.rint(np.stack(weights)[:, :-1] * unit).astype(np.int64)
    rows = [np.stack(np.divmod(scores[first : first + many].T, LOW), 1).ravel() for first, many, _ in trees]
    kind = "u8" if most <= 256 else "u16"
    # Whatever the number of a leaf may be, its weights are inside of the table, and nobody has to ask.
    weights += [np.zeros(classes)] * (256 if kind == "u8" else MAX_LEAVES)
    together = tuple(tuple(trees[begin : begin + TOGETHER]) for begin in range(0, count, TOGETHER))
    forest = (classes, tuple(offsets), together, kind, margin, unit * count)
    return forest, np.concatenate(rows).astype(np.uint8), np.stack(weights).reshape(-1).view(np.uint32)


def _tree(tree, node, first, weights):
    """A node of a tree; new leaves are entered in the table. Features are integers: thresholds are rounded down."""
    left, right = int(tree.children_left[node]), int(tree.children_right[node])
    if left == right:
        weights.append(np.ascontiguousarray(tree.value[node][0], "<f8"))
        return "leaf", len(weights) - 1 - first
    threshold = math.floor(tree.threshold[node])
    if not 0 <= threshold < 255:
        return _tree(tree, right if threshold < 0 else left, first, weights)
    sides = [_tree(tree, side, first, weights) for side in (left, right)]
    return ("node", int(tree.feature[node]), threshold, *sides)


# ---- the compiler ----


@cache
def compiler():
    """The compiler that the interpreter is."""
    dynamic = dict.fromkeys(("picture", "scores", "weights", "out"), DYNAMIC)
    return cogen(frame, forest=STATIC, size=STATIC, **dynamic)


class Forest:
    """A forest of scikit-learn, compiled for pictures of 8 bits and of a size: called with one it gives the classes."""

    def __init__(self, model, offsets, size):
        self.shape, pixels = (size[1], size[0]), size[0] * size[1]
        forest, self.scores, self.weights = imported(model, offsets)
        self.reach = max(abs(by) for offset in offsets for by in offset)
        around = (size[0] + 2 * self.reach) * (size[1] + 2 * self.reach)
        memories = [
            Memory("picture", 8, least=around),
            Memory("scores", 8, least=self.scores.size),
            Memory("weights", 32, least=self.weights.size),
            Memory("out", 8, least=pixels),
        ]
        code = compiler()(forest, (*size, self.reach)).code
        self.code = pl.compile_code(code, *memories, tier="nest")

    def __call__(self, picture, out=None):
        """The number of the class of every pixel."""
        out = np.empty(self.shape, np.uint8) if out is None else out
        if picture.shape != self.shape or picture.dtype != np.uint8:
            raise TypeError(
                f"a picture of {picture.shape}, {picture.dtype}, where {self.shape}, uint8 is declared"
            )
        around = np.pad(picture, self.reach, mode="edge").reshape(-1)
        self.code(around, self.scores, self.weights, out.reshape(-1))
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
