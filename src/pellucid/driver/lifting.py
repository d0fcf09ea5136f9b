"""Parametrized constants: pictures that differ in constants only share machine code in which these are parameters.

Between `frame`, which traces, and `session`, which keeps a kernel for each template. In exact numerics the bits are the
same whether a number is a constant or a parameter. Every occurrence of a constant has its own parameter, so that one of
two equal numbers can change without the other.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property

from ..ir import expr as E
from ..ir import nest as N
from ..ir.expr import Expr
from ..ir.facts import Facts
from .frame import Frame

KEPT = frozenset((0.0, 0.5, 1.0, 2.0, 255.0))
"""Numbers, of either sign, that stay constants: rules match them, and colors are packed by them."""

Place = tuple[Expr, int]
"""A user of a constant, and which of its operands that is."""


class Template:
    """A picture without its constants: their places, and the frame in which they are parameters."""

    def __init__(self, base: Frame) -> None:
        self.base, self.root = base, base.pixel

    @cached_property
    def _users(self) -> Mapping[Expr, list[Expr]]:
        found: dict[Expr, list[Expr]] = {}
        for node in E.topological([self.root]):
            for a in node.args:
                if a.args:
                    found.setdefault(a, []).append(node)
        return found

    @cached_property
    def places(self) -> Mapping[Place, str]:
        """The parameter for each place of a constant."""
        found: dict[Place, str] = {}
        for node in E.topological([self.root]):
            for k, a in enumerate(node.args):
                if _can_change(a) and abs(a.attr) not in KEPT:
                    # No name that anybody can give to a parameter.
                    found[node, k] = f"constant {len(found)}"
        return found

    @cached_property
    def values(self) -> dict[str, float]:
        """The constants of the picture that it was made of, by parameter."""
        return {name: node.args[k].attr for (node, k), name in self.places.items()}

    @cached_property
    def frame(self) -> Frame:
        """The frame with parameters for constants: any finite number may come."""
        done: dict[Expr, Expr] = {}
        made: list[Expr] = []
        for node in E.topological([self.root]):
            args = [done[a] for a in node.args]
            for k, a in enumerate(node.args):
                name = self.places.get((node, k))
                if name is not None:
                    args[k] = E.param(name, a.type)
                    made.append(args[k])
            done[node] = E.rebuild(node, tuple(args))
        base = self.base
        old = {self.root: done[self.root]}
        body = N.rewrite(base.kernel.body, lambda roots: tuple([old.get(r, r) for r in roots]))
        kernel = replace(base.kernel, params=(*base.kernel.params, *made), body=body)
        facts = {p: Facts(float(p.type.low), float(p.type.high), minus_zero=True) for p in made}
        return replace(base, kernel=kernel, ranges={**base.ranges, **facts})

    def match(self, frame: Frame) -> dict[str, float] | None:
        """The values of the parameters for which this template draws another frame, or None if there are none.

        Both are walked in step, from users to operands, where they differ.
        """
        root = frame.pixel
        if root is self.root and frame.ranges == self.base.ranges:
            return self.values
        if _kind(root) != _kind(self.root) or frame.ranges != self.base.ranges:
            return None
        others = {self.root: root}
        changed: dict[Place, Expr] = {}
        stack = [self.root]
        while stack:
            mine = stack.pop()
            for k, (a, b) in enumerate(zip(mine.args, others[mine].args, strict=True)):
                if a is b:
                    continue
                if not a.args:
                    if not (_can_change(a) and _can_change(b) and a.type is b.type):
                        return None
                    changed[mine, k] = b
                    continue
                met = others.get(a)
                if met is None and _kind(a) == _kind(b):
                    others[a] = b
                    stack.append(a)
                elif met is not b:
                    return None
        # What is used twice must have changed for both users: a parameter has one value.
        users = self._users
        for mine, other in others.items():
            if any(user not in others for user in users.get(mine, ())):
                return None
            if any(others.get(a, b) is not b for a, b in zip(mine.args, other.args, strict=True)):
                return None
        if any(place not in self.places for place in changed):
            return None
        return {**self.values, **{self.places[place]: b.attr for place, b in changed.items()}}


def _kind(e: Expr) -> tuple[object, ...]:
    return e.op, e.type, e.attr, len(e.args)


def _can_change(e: Expr) -> bool:
    """Whether a node is a finite real constant."""
    return e.op == "const" and e.type.is_float and math.isfinite(e.attr)
