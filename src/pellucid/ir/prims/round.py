"""Rounding of floats to whole floats, and the square root: correctly rounded everywhere."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from ..facts import Facts, Transfer, rounded, top
from ..intervals.interval import Endpoints, Interval, IntervalFunction, at, only
from ..intervals.notation import root
from ..prim import Prim
from ..types import Type


def _whole(function: Callable[[float], float]) -> Transfer:
    def facts(t: Type, _: tuple[Type, ...], a: Facts) -> Facts:
        lo = function(a.lo) if math.isfinite(a.lo) else a.lo
        hi = function(a.hi) if math.isfinite(a.hi) else a.hi
        return Facts(float(lo), float(hi), a.nan, minus_zero=lo <= 0 <= hi and (a.minus_zero or a.lo < 0))

    return facts


def _sqrt_facts(t: Type, _: tuple[Type, ...], a: Facts) -> Facts:
    if a.nan or a.lo < 0:
        return top(t)
    return Facts(rounded(t, math.sqrt(a.lo)), rounded(t, math.sqrt(a.hi)), minus_zero=a.minus_zero)


def _intrinsic(name: str) -> dict[str, str]:
    return {"float": f"call {{T}} @llvm.{name}.{{M}}({{T}} {{0}})"}


def _stepwise(name: str) -> IntervalFunction:
    """The endpoints of a monotone function of every number, which keeps infinities and so the whole line."""

    def interval(_: Type, x: Interval) -> Endpoints:
        return at(name, x.lo), at(name, x.hi)

    return interval


def _sqrt_interval(_: Type, x: Interval) -> Endpoints:
    return only(x.lo >= 0.0, root(x.lo), root(x.hi))


ROWS = (
    Prim(
        "floor",
        "The largest integer not above x.",
        "F -> F",
        ref=np.floor,
        facts=_whole(math.floor),
        llvm=_intrinsic("floor"),
        c={"float": "floor{f}({0})"},
        glsl={"float": "floor({0})"},
        monotone="+",
        interval=_stepwise("floor"),
        zero_sign="pass",
    ),
    Prim(
        "ceil",
        "The smallest integer not below x.",
        "F -> F",
        ref=np.ceil,
        facts=_whole(math.ceil),
        llvm=_intrinsic("ceil"),
        c={"float": "ceil{f}({0})"},
        glsl={"float": "ceil({0})"},
        monotone="+",
        interval=_stepwise("ceil"),
        zero_sign="pass",
    ),
    Prim(
        "trunc",
        "x rounded towards zero.",
        "F -> F",
        ref=np.trunc,
        facts=_whole(math.trunc),
        llvm=_intrinsic("trunc"),
        c={"float": "trunc{f}({0})"},
        glsl={"float": "trunc({0})"},
        monotone="+",
        interval=_stepwise("trunc"),
        zero_sign="pass",
    ),
    Prim(
        "round",
        "x rounded to the nearest integer, ties to even.",
        "F -> F",
        ref=np.rint,
        facts=_whole(round),
        llvm=_intrinsic("roundeven"),
        c={"float": "rint{f}({0})"},
        glsl={"float": "roundEven({0})"},
        wgsl={"float": "round({0})"},
        monotone="+",
        interval=_stepwise("round"),
        zero_sign="pass",
    ),
    Prim(
        "sqrt",
        "The square root of x, correctly rounded; NaN below zero.",
        "F -> F",
        ref=np.sqrt,
        facts=_sqrt_facts,
        llvm=_intrinsic("sqrt"),
        c={"float": "sqrt{f}({0})"},
        glsl={"float": "sqrt({0})"},
        monotone="+",
        interval=_sqrt_interval,
        zero_sign="pass",
        cost=12,
    ),
)
