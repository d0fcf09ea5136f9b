"""Finds the kinds of an interpreter's values: one walk over each function, from the entry to what it calls."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np

from pellucid.staging.front.effects import CHANGES, Effects, EffectTarget, is_transparent
from pellucid.staging.front.givens import find_forms
from pellucid.staging.front.kinds import ANY, ITEM, Kind, Kinds, find_keyed, link_rest
from pellucid.staging.front.literals import outside_kind, position, written_key
from pellucid.staging.front.objects import (
    defaults_of,
    field_class,
    fields_of,
    has_init,
    is_class,
    is_named_tuple,
    match_fields,
    method_of,
)
from pellucid.staging.front.source import Source, bound_arguments, matched, parallel
from pellucid.staging.front.vectors import LISTING
from pellucid.staging.memory import Memory

RESULT = "return"
"""The variable that stands for what a function returns."""
VIEWS = ("items", "keys", "values")
SIZE = "size$"
"""The prefix of a parameter that is the length of a memory."""


class Inference(Effects):
    """The kinds of all functions that an entry reaches; `static` are its parameters that hold static data."""

    def __init__(self, entry: Source, static: Iterable[str]) -> None:
        super().__init__(entry)
        self.entry = entry
        self.kinds = Kinds()
        self.marks: dict[str, tuple[Source, ast.AST]] | None = None
        """Variables whose times are those of expressions, for explanations."""
        self.unfolded: set[ast.Call] = set()
        """Calls that are left to the compiled program."""
        self.made: dict[tuple[str, str], ast.AST] = {}
        """The expression whose value a variable of a function is."""
        self.rests: list[tuple[Kind, int, Kind]] = []
        """Sequences, and what is behind some of their items."""
        self.dictionaries: list[tuple[Kind, set[str]]] = []
        """The dictionaries that are written, with their keys; an empty text is one that is no text."""
        self.copies: list[tuple[Kind, Kind]] = []
        """Copies of dictionaries, and what they are copies of."""
        self.sized: list[str] = []
        """The memories among the parameters of the entry whose length is asked for."""
        self.sizes: list[str] = []
        """The parameters that the entry has for those lengths, after its own."""
        for name in static:
            self.kinds.variable(entry.function, name).add("given")
        self.waiting = [entry]
        pending: list[_Pending] = []
        while self.waiting or _progress(pending):
            while self.waiting:
                walk = _Walk(self, self.waiting.pop(), pending)
                walk.function()
        for one in pending:
            # Of what is no object's method, the texts that a text is split to are a static list.
            if isinstance(one.node.func, ast.Attribute) and one.node.func.attr in LISTING:
                one.made.add("given")
        while any(link_rest(*one) for one in self.rests):
            pass
        for made, held in self.copies:
            # A copy is the same pairs, so what is changed in it later is of the same points.
            if "given" not in held.root.forms:
                made.unite(held)
        find_keyed(self.dictionaries)
        find_forms(self)
        self.find_effects()

    def source(self, function: FunctionType) -> Source:
        """The source of a function; a new one is read later."""
        if function not in self.sources:
            self.sources[function] = Source(function)
            self.waiting.append(self.sources[function])
        return self.sources[function]


class _Pending(NamedTuple):
    """A call of a method of an object whose class is not known yet."""

    walk: _Walk
    node: ast.Call
    held: Kind
    made: Kind


class _Walk:
    """One function."""

    def __init__(self, inference: Inference, source: Source, pending: list[_Pending]) -> None:
        self._inference = inference
        self._source = source
        self._pending = pending

    def _variable(self, name: str) -> Kind:
        return self._inference.kinds.variable(self._source.function, name)

    def function(self) -> None:
        """Read the function: the annotations of its parameters, and its body."""
        for one in self._source.tree.args.args:
            if isinstance(one.annotation, ast.Name):
                known = self._source.annotation(one.annotation.id)
                if known is Memory or known is np.ndarray:
                    self._variable(one.arg).add("memory")
                elif is_class(known):
                    self._made(self._variable(one.arg), known)
        for one in self._source.tree.body:
            self.statement(one)

    def _made(self, kind: Kind, what: type) -> Kind:
        """A kind as one of the objects of a class."""
        kind.made_of(what)
        if is_named_tuple(what):
            kind.root.lengths.add(len(fields_of(what)))
            kind.root.forms.discard("object")
            kind.add("tuple")
        return kind

    def statement(self, node: ast.stmt) -> None:
        """Unite what a statement makes flow together, also in those inside of it."""
        match node:
            case ast.Assign(targets, value):
                for target in targets:
                    for one, part in parallel(target, value) if len(targets) == 1 else [(target, value)]:
                        self._assign(one, self.kind(part))
            case ast.AnnAssign(target, _, value) if value is not None:
                self._assign(target, self.kind(value))
            case ast.AugAssign(target, _, value):
                self.kind(value)
                self.kind(target)
                self._assign(target, Kind())
            case ast.Return(value):
                self._variable(RESULT).unite(self.kind(value) if value else Kind("none"))
            case ast.For(target, iterated):
                self.kind(iterated)
                self._assign(target, self._each(iterated))
            case ast.Match(subject, cases):
                held = self.kind(subject)
                for one in cases:
                    self._pattern(one.pattern, held)
                    if one.guard is not None:
                        self.kind(one.guard)
                    for each in one.body:
                        self.statement(each)
            case _:
                pass
        for one in ast.iter_child_nodes(node):
            if isinstance(one, ast.stmt):
                self.statement(one)
            elif isinstance(one, ast.expr) and not isinstance(
                node, ast.Assign | ast.AugAssign | ast.For | ast.AnnAssign
            ):
                self.kind(one)

    def _assign(self, target: ast.expr, kind: Kind) -> None:
        match target:
            case ast.Name(name):
                self._variable(name).unite(kind)
            case ast.Tuple(elts) | ast.List(elts):
                for at, one in enumerate(elts):
                    if isinstance(one, ast.Starred):
                        self._assign(one.value, self._rest(kind, at))
                    else:
                        self._assign(one, kind.part(at))
            case ast.Subscript(value, key):
                self.kind(value).mutated = True
                self.kind(key)
                self.kind(value).part(written_key(key) or ITEM).unite(kind)
                self.kind(target)
            case ast.Attribute(value, name):
                self.kind(value).mutated = True
                self.kind(value).part(name).unite(kind)
                self.kind(target)
            case _:
                pass

    def _pattern(self, pattern: ast.pattern, kind: Kind) -> None:
        match pattern:
            case ast.MatchAs(inner, name):
                if inner is not None:
                    self._pattern(inner, kind)
                if name is not None:
                    self._variable(name).unite(kind)
            case ast.MatchSequence(patterns):
                for at, one in enumerate(patterns):
                    if isinstance(one, ast.MatchStar):
                        if one.name is not None:
                            self._variable(one.name).unite(self._rest(kind, at))
                    else:
                        self._pattern(one, kind.part(at))
            case ast.MatchClass(what, patterns, names, named):
                fields = match_fields(self._source, pattern, self._source.known(what))
                for name, one in zip((*fields, *names), (*patterns, *named), strict=False):
                    self._pattern(one, kind.part(name) if name else kind)
            case ast.MatchOr(patterns):
                for one in patterns:
                    self._pattern(one, kind)
            case ast.MatchValue(value):
                self.kind(value)
            case _:
                pass

    def _rest(self, kind: Kind, first: int) -> Kind:
        """The kind of the items of a sequence from some position on."""
        made = Kind()
        self._inference.rests.append((kind, first, made))
        return made

    def _each(self, node: ast.expr) -> Kind:
        """The kind of what a loop goes over."""
        if not isinstance(node, ast.Call):
            kind = self.kind(node)
            kind.root.looped = True
            self._use(kind, node)
            return Kind() if kind.root.forms == {"dict"} else kind.part(ITEM)
        known = self._source.known(node.func)
        if known is range:
            return Kind()
        if known is enumerate and node.args:
            made = Kind("tuple")
            made.part(0)
            made.part(1).unite(self._each(node.args[0]))
            return made
        if known is zip:
            made = Kind("tuple")
            for at, one in enumerate(node.args):
                made.part(at).unite(self._each(one))
            return made
        if known is reversed and node.args:
            return self._each(node.args[0])
        if isinstance(node.func, ast.Attribute) and node.func.attr in VIEWS and not node.args:
            held = self.kind(node.func.value)
            if "given" not in held.root.forms:
                held.add("dict")
            keys = Kind("given") if "given" in held.root.forms else Kind()
            if node.func.attr == "keys":
                return keys
            if node.func.attr == "values":
                return held.part(ITEM)
            made = Kind("tuple")
            made.part(0).unite(keys)
            made.part(1).unite(held.part(ITEM))
            return made
        return self.kind(node).part(ITEM)

    def kind(self, node: ast.expr) -> Kind:
        """The kind of an expression."""
        found = self._inference.of_node.get(node)
        if found is None:
            found = self._inference.of_node[node] = self._kind(node)
        return found.root

    def _kind(self, node: ast.expr) -> Kind:
        match node:
            case ast.Name(name):
                if name in self._source.locals:
                    return self._variable(name)
                return outside_kind(self._source.outside(node))
            case ast.Constant(value):
                return Kind("none") if value is None else outside_kind(value)
            case ast.JoinedStr(values):
                for one in values:
                    self.kind(one)
                return Kind("given")
            case ast.BinOp(left, ast.Add(), right):
                # A sum with a text is one, and one of static values is static.
                both = [self.kind(left), self.kind(right)]
                is_text = any(isinstance(one, ast.Constant | ast.JoinedStr) for one in (left, right))
                are_given = [one.root.forms == {"given"} for one in both]
                return Kind("given") if (any(are_given) if is_text else all(are_given)) else Kind()
            case ast.Tuple(elts):
                made = Kind("tuple")
                made.lengths.add(ANY if any(isinstance(one, ast.Starred) for one in elts) else len(elts))
                for at, one in enumerate(elts):
                    if isinstance(one, ast.Starred):
                        made.part(ITEM).unite(self.kind(one.value).part(ITEM))
                    else:
                        made.part(at).unite(self.kind(one))
                return made
            case ast.List(elts):
                made = Kind("list")
                for one in elts:
                    if isinstance(one, ast.Starred):
                        made.part(ITEM).unite(self.kind(one.value).part(ITEM))
                    else:
                        made.part(ITEM).unite(self.kind(one))
                return made
            case ast.Dict(keys, values):
                return self._dictionary(keys, values)
            case ast.BinOp(ast.List() as held, ast.Mult(), count):
                self.kind(count)
                return self.kind(held)
            case ast.Subscript(value, ast.Slice(lower, upper, step)):
                for one in (lower, upper, step):
                    if one is not None:
                        self.kind(one)
                held = self.kind(value)
                held.part(ITEM)
                held.root.lengths.add(ANY)
                return held
            case ast.Subscript(value, index):
                self.kind(index)
                literal = position(index)
                held = self.kind(value)
                if isinstance(value, ast.Constant):
                    held.add("given")
                key = written_key(index) or (ITEM if literal is None else literal)
                held.indexed |= key == ITEM
                self._use(held, node)
                return held.part(key)
            case ast.Attribute(value, name):
                known = self._source.attribute(node)
                if known is not None:
                    return outside_kind(known[0])
                held = self.kind(value)
                what = field_class(held.of, name) if held.of is not None else None
                return held.part(name) if what is None else self._made(held.part(name), what)
            case ast.IfExp(test, one, other):
                self.kind(test)
                made = self.kind(one)
                made.unite(self.kind(other))
                return made
            case ast.BoolOp(_, values):
                made, kinds = Kind(), [self.kind(one) for one in values]
                for one in kinds if node not in self._source.tested else ():
                    made.unite(one)
                return made
            case ast.Call():
                return self._call(node)
            case ast.Compare(left, operators, others):
                made = self.kind(left)
                for operator, one in zip(operators, others, strict=True):
                    # A tuple that is written is of the kind of what it is compared with, static or not.
                    if isinstance(operator, ast.Eq | ast.NotEq) and (
                        isinstance(one, ast.Tuple) or isinstance(left, ast.Tuple)
                    ):
                        made.unite(self.kind(one))
                    self.kind(one)
                    if isinstance(operator, ast.In | ast.NotIn):
                        self.kind(one).part(ITEM)
                return Kind()
            case ast.Lambda():
                return Kind()
            case _:
                for one in ast.iter_child_nodes(node):
                    if isinstance(one, ast.expr):
                        self.kind(one)
                return Kind()

    def _use(self, kind: Kind, node: ast.expr) -> None:
        """Take note of an expression that uses values as sequences."""
        kind.used(self._source.file, node, written_key(getattr(node, "slice", None)))

    def _dictionary(self, keys: list[ast.expr | None], values: list[ast.expr]) -> Kind:
        """The kind of a dictionary that is written: its entries have kinds of their own, where the keys are texts."""
        made = Kind("dict")
        names = [written_key(one) for one in keys]
        self._inference.dictionaries.append((made, set(names)))
        for key, name, one in zip(keys, names, values, strict=True):
            if key is None:
                made.part(ITEM).unite(self.kind(one).part(ITEM))
                continue
            self.kind(key)
            made.part(name or ITEM).unite(self.kind(one))
        if len(set(names)) < len(names):
            made.part(ITEM)
        return made

    # ---- calls ----

    def _call(self, node: ast.Call) -> Kind:
        function = self._source.callee(node)
        if function is not None:
            callee = self._inference.source(function)
            return self._entered(node, EffectTarget(callee, bound_arguments(self._source, node, callee)))
        known: Any = self._source.known(node.func)
        if is_class(known):
            return self._constructed(node, known)
        for one in node.keywords:
            self.kind(one.value)
        if isinstance(node.func, ast.Attribute) and self._source.attribute(node.func) is None:
            return self._method(node, node.func)
        args = [self.kind(one) for one in node.args]
        if known is len and args:
            args[0].root.sized = True
            self._use(args[0], node)
        if known in (tuple, list, dict) and args:
            made = Kind(known.__name__)
            made.lengths.add(ANY)
            made.part(ITEM).unite(args[0].part(ITEM))
            if known is dict:
                self._inference.copies.append((made, args[0]))
            return made
        if known is dict:
            return self._dictionary([], [])
        if known is tuple or known is list:
            return Kind(known.__name__)
        if is_transparent(known) and args:
            return args[0]
        return Kind()

    def _entered(self, node: ast.Call, target: EffectTarget) -> Kind:
        """Unite the arguments of a call with the parameters; the kind of the result."""
        self._inference.calls[node] = target
        kinds, callee = self._inference.kinds, target.source
        if callee is None:
            return Kind()
        params = callee.params[target.what is not None :]
        for name, one in zip(params, target.args, strict=True):
            kinds.variable(callee.function, name).unite(self.kind(one))
        return kinds.variable(callee.function, RESULT)

    def _constructed(self, node: ast.Call, what: type) -> Kind:
        """The kind of a new object."""
        made = self._made(Kind(name=what.__name__), what)
        source = self._source
        if has_init(what):
            init = self._inference.source(method_of(source, node, what, "__init__"))
            self._inference.kinds.variable(init.function, init.params[0]).unite(made)
            own = ast.copy_location(ast.Constant(None), node)
            args = bound_arguments(source, node, init, own)[1:]
            self._entered(node, EffectTarget(init, args, what))
            return made
        names = fields_of(what)
        args = matched(source, node, what.__name__, names, defaults_of(source, node, what), node.args)
        self._inference.calls[node] = EffectTarget(None, args, what)
        for name, one in zip(names, args, strict=True):
            made.part(name).unite(self.kind(one))
        return made

    def resolved(self, one: _Pending) -> bool:
        """Whether the class of a method's object is known by now; if so, the call is read."""
        held = one.held.root
        if held.of is None:
            return False
        if isinstance(one.node.func, ast.Attribute):
            one.made.unite(self._method_of(one.node, one.node.func, held.of))
        return True

    def _method_of(self, node: ast.Call, func: ast.Attribute, what: type) -> Kind:
        callee = self._inference.source(method_of(self._source, node, what, func.attr))
        args = bound_arguments(self._source, node, callee, func.value)
        return self._entered(node, EffectTarget(callee, args))

    def _method(self, node: ast.Call, func: ast.Attribute) -> Kind:
        held = self.kind(func.value)
        args = [self.kind(one) for one in node.args]
        name = func.attr
        if held.root.of is not None and name not in ("index", "count"):
            return self._method_of(node, func, held.root.of)
        if name in CHANGES and "given" not in held.root.forms:
            held.mutated = True
            held.add("list")
            held.root.mutated = True
        if name == "append" and args:
            held.part(ITEM).unite(args[0])
        if name in ("load", "store"):
            held.add("memory")
        if name == "get" and args:
            made = held.part(ITEM)
            made.unite(args[1] if len(args) > 1 else Kind("none"))
            return made
        if name == "pop":
            return held.part(ITEM)
        made = Kind()
        self._pending.append(_Pending(self, node, held, made))
        return made


def size_of(memory: str) -> str:
    """The parameter that is the length of a memory."""
    return f"{SIZE}{memory}"


def _progress(pending: list[_Pending]) -> bool:
    """Read the calls of methods of objects whose class is known by now; whether there were any."""
    done = [one for one in pending if one.walk.resolved(one)]
    pending[:] = [one for one in pending if one not in done]
    return bool(done)
