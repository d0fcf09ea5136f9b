"""Derive the polynomials and constants of the elementary functions again: weighted minimax fits, rounded coefficients.

Slow and exact: Remez exchange in 80-digit arithmetic (mpmath); then the coefficients are rounded to their type one by
one, lowest order first, and the rest fitted again around each rounded one. Nothing imports this file.

Run `python tools/fit_polynomials.py [NAME ...]` (`constants` is a name too); each line printed is ready to be pasted.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import mpmath as mp
import numpy as np

mp.mp.dps = 80
Real = Callable[[mp.mpf], mp.mpf]


@dataclass(frozen=True)
class Fit:
    """Minimize ``weight(t) * |P(t) - target(t)|`` over low <= t <= high for P of `terms` coefficients of a type.

    `fixed` gives leading coefficients (of 1, t, t**2 ...) that are wanted exactly.
    """

    target: Real
    weight: Real
    low: float | mp.mpf
    high: float | mp.mpf
    terms: int
    type: str
    fixed: tuple[float, ...] = ()


def rounded(value: mp.mpf, type_: str) -> mp.mpf:
    """The value in a floating type, nearest."""
    with mp.workprec(24 if type_ == "f32" else 53):
        return +value


def horner(coefficients: Sequence[mp.mpf], t: mp.mpf) -> mp.mpf:
    """The polynomial's value, lowest order first."""
    total = mp.mpf(0)
    for c in reversed(coefficients):
        total = total * t + c
    return total


def remez(fit: Fit, known: Sequence[mp.mpf], grid: list[tuple[mp.mpf, mp.mpf, mp.mpf]]) -> list[mp.mpf]:
    """The best free coefficients given the known leading ones, over a grid of (t, target, weight)."""
    k, n = len(known), fit.terms - len(known)
    rest = [(t, (g - horner(known, t)) / t**k, w * abs(t) ** k) for t, g, w in grid]
    last = len(rest) - 1
    chosen = [round(last * (1 - np.cos(np.pi * i / n)) / 2) for i in range(n + 1)] if n else []
    coefficients: list[mp.mpf] = []
    for _ in range(40):
        rows = mp.matrix(n + 1, n + 1)
        right = mp.matrix(n + 1, 1)
        for i, place in enumerate(chosen):
            t, g, w = rest[place]
            for j in range(n):
                rows[i, j] = w * t**j
            rows[i, n] = (-1) ** i
            right[i] = w * g
        solution = mp.lu_solve(rows, right)
        coefficients = [solution[j] for j in range(n)]
        level = abs(solution[n])
        errors = [w * (horner(coefficients, t) - g) for t, g, w in rest]
        chosen, worst = exchange(errors, n + 1)
        if worst <= level * mp.mpf("1.0005"):
            break
    return coefficients


def exchange(errors: Sequence[mp.mpf], count: int) -> tuple[list[int], mp.mpf]:
    """The places of `count` alternating extremes of a curve, and the largest magnitude."""
    runs: list[int] = []
    for i, e in enumerate(errors):
        if runs and (errors[runs[-1]] > 0) == (e > 0):
            if abs(e) > abs(errors[runs[-1]]):
                runs[-1] = i
        else:
            runs.append(i)
    worst = max(abs(errors[i]) for i in runs)
    while len(runs) > count:
        if len(runs) == count + 1:
            runs.pop(0 if abs(errors[runs[0]]) < abs(errors[runs[-1]]) else -1)
        else:
            weakest = min(range(len(runs)), key=lambda i: abs(errors[runs[i]]))
            if weakest in (0, len(runs) - 1):
                runs.pop(weakest)
            else:
                neighbor = max((weakest - 1, weakest + 1), key=lambda i: -abs(errors[runs[i]]))
                for i in sorted((weakest, neighbor), reverse=True):
                    runs.pop(i)
    if len(runs) < count:
        raise ArithmeticError(f"only {len(runs)} alternations of {count}: fewer terms, or a finer grid")
    return runs, worst


def solve(fit: Fit, points: int = 400) -> tuple[list[mp.mpf], mp.mpf]:
    """Rounded coefficients and the largest weighted error that remains."""
    low, high = mp.mpf(fit.low), mp.mpf(fit.high)
    grid = []
    for i in range(points):
        t = low + (high - low) * (1 - mp.cos(mp.pi * (i + mp.mpf("0.37")) / points)) / 2
        grid.append((t, fit.target(t), fit.weight(t)))
    known = [mp.mpf(c) for c in fit.fixed]
    while len(known) < fit.terms:
        known.append(rounded(remez(fit, known, grid)[0], fit.type))
    worst = max(abs(w * (horner(known, t) - g)) for t, g, w in grid)
    return known, worst


def odd(function: Real, lead: int = 1) -> tuple[Real, Real]:
    """Target and weight for ``f(x) = x + x*z*P(z)``, z = x*x, with relative error; `lead` 0 fits ``x*P(z)``."""

    def target(z: mp.mpf) -> mp.mpf:
        x = mp.sqrt(z)
        return (function(x) / x - 1) / z if lead else function(x) / x

    def weight(z: mp.mpf) -> mp.mpf:
        x = mp.sqrt(z)
        return abs((z if lead else 1) * x / function(x))

    return target, weight


QUARTER = (
    mp.pi / 4 * mp.mpf("1.02")
)  # quadrants are chosen by a rounded product, so arguments overshoot a little
HALF_LN2 = mp.log(2) / 2 * mp.mpf("1.0001")


def catalog() -> dict[str, Fit]:
    """All fits by name."""
    fits: dict[str, Fit] = {}

    def add(
        name: str,
        target: Real,
        weight: Real,
        low: float,
        high: float,
        fixed: tuple[float, ...] = (),
        **terms: int,
    ) -> None:
        for type_, count in terms.items():
            fits[f"{name} {type_}"] = Fit(target, weight, low, high, count, type_, fixed)

    add("sin", *odd(mp.sin), 0, QUARTER**2, f32=3, f64=6)
    add("tan", *odd(mp.tan), 0, QUARTER**2, f32=7, f64=15)
    # cos x = 1 + z*P(z); the error counts against cos x
    add(
        "cos",
        lambda z: (mp.cos(mp.sqrt(z)) - 1) / z,
        lambda z: z / mp.cos(mp.sqrt(z)),
        0,
        QUARTER**2,
        (-0.5,),
        f32=4,
        f64=7,
    )
    # exp r - 1 = r + r*r*P(r); 2**f = 1 + f*P(f)
    add(
        "exp",
        lambda r: (mp.expm1(r) / r - 1) / r,
        lambda r: abs(r * r / mp.expm1(r)),
        -HALF_LN2,
        HALF_LN2,
        f32=5,
        f64=10,
    )
    add(
        "exp2",
        lambda f: (mp.power(2, f) - 1) / f,
        lambda f: abs(f) / mp.power(2, f),
        -0.50001,
        0.50001,
        f32=6,
        f64=12,
    )
    # log(1+f) = f + f*f*P(f), mantissas from 2/3 to 4/3
    add(
        "log",
        lambda f: (mp.log1p(f) - f) / f**2,
        lambda f: abs(f**2 / mp.log1p(f)),
        -1 / mp.mpf(3),
        1 / mp.mpf(3),
        (-0.5,),
        f32=9,
    )
    # atanh s = s + s*z*P(z) = s + s*z/3 + s*z*z*Q(z), mantissas from sqrt(1/2) to sqrt(2)
    reach = (3 - 2 * mp.sqrt(2)) ** 2 * mp.mpf("1.001")
    target, weight = odd(mp.atanh)
    add("atanh", target, weight, 0, reach, f64=7)
    add(
        "atanh_tail",
        lambda z: (target(z) - mp.mpf(1) / 3) / z,
        lambda z: weight(z) * z,
        0,
        reach,
        f32=3,
        f64=7,
    )
    add("atan", *odd(mp.atan), 0, 1, f32=9, f64=20)
    add("sinh", *odd(mp.sinh), 0, 1, f32=4, f64=8)
    add("tanh", *odd(mp.tanh), 0, mp.mpf("0.55") ** 2, f32=5, f64=11)
    add("asin", *odd(mp.asin), 0, 0.25, f32=5, f64=12)
    return fits


def split(value: mp.mpf, type_: str, parts: int) -> list[float]:
    """A number as a sum of floats of decreasing size."""
    found: list[float] = []
    for _ in range(parts):
        found.append(float(rounded(value, type_)))
        value = value - found[-1]
    return found


def print_constants() -> None:
    """Print the constants in several parts, and the binary digits of 2/pi in words."""
    with mp.workprec(1600):
        ln2, ln10 = mp.log(2), mp.log(10)
        numbers = {"HALF_PI": mp.pi / 2, "LN_2": ln2, "TWICE_LOG2_E": 2 / ln2, "THIRD": mp.mpf(1) / 3}
        numbers |= {"LOG10_2": ln2 / ln10, "LOG10_E": 1 / ln10, "TWO_OVER_PI": 2 / mp.pi, "LOG2_E": 1 / ln2}
        for name, value in numbers.items():
            for type_ in ("f32", "f64"):
                print(f"{name} {type_}: {split(value, type_, 3)}")
        for zeros, width, count in ((8, 32, 7), (24, 64, 19)):
            digits = int(mp.floor(2 / mp.pi * mp.mpf(2) ** (width * count - zeros)))
            words = [digits >> (width * (count - 1 - k)) & ((1 << width) - 1) for k in range(count)]
            print(f"digits of 2/pi by {width}: {[hex(w) for w in words]}")


def main(names: Sequence[str]) -> None:
    """Fit and print the named polynomials, or all, and the constants."""
    if not names or "constants" in names:
        print_constants()
    for name, fit in catalog().items():
        if names and name not in names and name.split()[0] not in names:
            continue
        coefficients, worst = solve(fit)
        inside = ", ".join(repr(float(c)) for c in coefficients)
        print(f"{name}: ({inside})  # 2**{float(mp.log(worst, 2)):.2f}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
