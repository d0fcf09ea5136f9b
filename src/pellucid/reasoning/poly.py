"""Polynomials in named sizes, exact, with the guards that loops need which may be empty.

Part of `reasoning`: the timer's symbolic costs. A coefficient is a fraction; an atom of a monomial is a name or the
maximum or minimum of polynomials, such as ``max(0, n)`` iterations of a loop up to n.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Mapping
from fractions import Fraction

from ..base.record import record

Number = int | float | Fraction
Monomial = tuple[tuple["Atom", int], ...]


@record
class Extreme:
    """The largest (``max``) or smallest (``min``) of some polynomials; made by `maximum` and `minimum`."""

    word: str
    parts: tuple[Poly, ...]

    def __str__(self) -> str:
        """As a call."""
        return f"{self.word}({', '.join(map(str, self.parts))})"


Atom = str | Extreme


@record
class Poly:
    """A polynomial: its monomials, in a fixed order, with their coefficients, none of them zero.

    >>> n, m = name("n"), name("m")
    >>> (n + 1) * (n - 1) + 2 * m, (n + m).at({"n": 3, "m": 4})
    (n^2 + 2*m - 1, Fraction(7, 1))
    """

    terms: tuple[tuple[Monomial, Fraction], ...]

    def __add__(self, other: Poly | Number) -> Poly:
        """The sum."""
        return total((self, other))

    __radd__ = __add__

    def __neg__(self) -> Poly:
        """The negative."""
        return Poly(tuple((m, -c) for m, c in self.terms))

    def __sub__(self, other: Poly | Number) -> Poly:
        """The difference."""
        return total((self, -number(other)))

    def __mul__(self, other: Poly | Number) -> Poly:
        """The product."""
        right = number(other)
        if len(right.terms) == 1 and not right.terms[0][0]:
            return Poly(tuple((m, c * right.terms[0][1]) for m, c in self.terms))
        found: dict[Monomial, Fraction] = {}
        for m, c in self.terms:
            for m2, c2 in right.terms:
                both = _times(m, m2)
                found[both] = found.get(both, Fraction(0)) + c * c2
        return _made(found)

    __rmul__ = __mul__

    def __pow__(self, power: int) -> Poly:
        """A power; 0 gives one."""
        return functools.reduce(lambda a, b: a * b, [self] * power, number(1))

    @property
    def constant(self) -> Fraction | None:
        """The value, if it is a number."""
        if not self.terms:
            return Fraction(0)
        ((m, c), *rest) = self.terms
        return c if not rest and not m else None

    def names(self) -> set[str]:
        """Every name in it, those in guards included."""
        found: set[str] = set()
        stack: list[Poly] = [self]
        while stack:
            for m, _ in stack.pop().terms:
                for atom, _ in m:
                    if isinstance(atom, str):
                        found.add(atom)
                    else:
                        stack.extend(atom.parts)
        return found

    def at(self, values: Mapping[str, Number]) -> Fraction:
        """The value where every name has one.

        Raises KeyError for a name without a value.
        """
        result = Fraction(0)
        for m, c in self.terms:
            product = c
            for atom, power in m:
                product *= _value(atom, values) ** power
            result += product
        return result

    def where(self, values: Mapping[str, Poly]) -> Poly:
        """The polynomial with names replaced by polynomials."""
        if not self.names() & values.keys():
            return self
        parts: list[Poly | Number] = []
        for m, c in self.terms:
            product = number(c)
            for atom, power in m:
                product *= _replaced(atom, values) ** power
            parts.append(product)
        return total(parts)

    def summed(self, word: str, lo: Poly, hi: Poly) -> Poly:
        """The sum over a name from `lo` to below `hi`, which is not below `lo`.

        Exact without guards that the name occurs in, and for one of the form ``max(0, rest + name)`` or
        ``max(0, rest - name)``, which cuts the range; any other guard is taken at the middle of the range.

        >>> i, n, m = name("i"), name("n"), name("m")
        >>> i.summed("i", number(0), n)
        1/2*n^2 - 1/2*n
        >>> maximum(number(0), m - i).summed("i", number(0), n).at({"n": 9, "m": 4})
        Fraction(10, 1)
        """
        middle = {word: (lo + hi - 1) * Fraction(1, 2)}
        parts: list[Poly | Number] = []
        for m, c in self.terms:
            begin, end, inside = lo, hi, number(c)
            cut = next((a for a, p in m if p == 1 and _cut(a, word) is not None), None)
            for atom, p in m:
                found = _cut(atom, word) if atom is cut else None
                if found is not None:
                    rest, slope = found
                    inside *= name(word) * slope + rest
                    # The guard is zero before its root, or from there on.
                    if slope > 0:
                        begin = minimum(hi, maximum(lo, -rest))
                    else:
                        end = maximum(lo, minimum(hi, rest))
                elif atom == word:
                    inside *= name(word) ** p
                else:
                    inside *= _replaced(atom, middle) ** p
            parts += [q * (_power_sum(k, end) - _power_sum(k, begin)) for k, q in inside.powers(word).items()]
        return total(parts)

    def powers(self, word: str) -> dict[int, Poly]:
        """The polynomial as one in a name: the factor of each power of it, guards aside."""
        found: dict[int, list[Poly | Number]] = {}
        for m, c in self.terms:
            power = next((p for a, p in m if a == word), 0)
            rest = tuple((a, p) for a, p in m if a != word)
            found.setdefault(power, []).append(Poly(((rest, c),)))
        return {k: total(parts) for k, parts in found.items()}

    def prefix(self) -> str:
        """The text in the notation of s-expressions.

        >>> (name("n") * 3 + 2).prefix()
        '(+ (* 3 n) 2)'
        """
        terms = [_prefix(m, c) for m, c in self.terms]
        return f"(+ {' '.join(terms)})" if len(terms) > 1 else terms[0] if terms else "0"

    def __str__(self) -> str:
        """The text as a sum, highest powers first."""
        text = ""
        for m, c in self.terms:
            factors = [f"{a}^{p}" if p > 1 else str(a) for a, p in m]
            if abs(c) != 1 or not factors:
                factors.insert(0, _plain(abs(c)))
            sign = "-" if c < 0 else "+"
            text += (f" {sign} " if text else sign if sign == "-" else "") + "*".join(factors)
        return text or "0"

    __repr__ = __str__


def number(value: Poly | Number) -> Poly:
    """A number as a polynomial; a polynomial as it is."""
    if isinstance(value, Poly):
        return value
    return Poly((((), Fraction(value)),)) if value else ZERO


def name(word: str) -> Poly:
    """A size or constant by its name."""
    return Poly(((((word, 1),), Fraction(1)),))


def total(parts: Iterable[Poly | Number]) -> Poly:
    """The sum of many, in one pass."""
    found: dict[Monomial, Fraction] = {}
    plain: Number = 0
    for part in parts:
        if not isinstance(part, Poly):
            plain += part
            continue
        for m, c in part.terms:
            found[m] = found[m] + c if m in found else c
    if plain:
        found[()] = found.get((), 0) + Fraction(plain)
    return _made(found)


ZERO = Poly(())


def maximum(*parts: Poly) -> Poly:
    """The largest of polynomials, as far as differences show it.

    >>> n = name("n")
    >>> maximum(n, n - 1), maximum(number(0), n)
    (n, max(0, n))
    """
    return _extreme("max", parts, 1)


def minimum(*parts: Poly) -> Poly:
    """The smallest of polynomials, as far as differences show it."""
    return _extreme("min", parts, -1)


def _extreme(word: str, parts: Iterable[Poly], sign: int) -> Poly:
    kept: list[Poly] = []
    for p in parts:
        for k, q in enumerate(kept):
            gap = (p - q).constant
            if gap is not None:
                kept[k] = p if sign * gap > 0 else q
                break
        else:
            kept.append(p)
    if len(kept) == 1:
        return kept[0]
    return Poly((((((Extreme(word, tuple(sorted(kept, key=str)))), 1),), Fraction(1)),))


def _made(found: Mapping[Monomial, Fraction]) -> Poly:
    if len(found) == 1:
        ((m, c),) = found.items()
        return Poly(((m, c),)) if c else ZERO
    kept = [(m, c) for m, c in found.items() if c]
    return Poly(tuple(sorted(kept, key=lambda t: (-sum(p for _, p in t[0]), [str(a) for a, _ in t[0]]))))


def _times(a: Monomial, b: Monomial) -> Monomial:
    if not a or not b:
        return a or b
    powers = dict(a)
    for atom, p in b:
        powers[atom] = powers.get(atom, 0) + p
    return tuple(sorted(powers.items(), key=lambda t: str(t[0])))


def _value(atom: Atom, values: Mapping[str, Number]) -> Fraction:
    if isinstance(atom, str):
        return Fraction(values[atom])
    found = [p.at(values) for p in atom.parts]
    return max(found) if atom.word == "max" else min(found)


def _replaced(atom: Atom, values: Mapping[str, Poly]) -> Poly:
    if isinstance(atom, str):
        return values[atom] if atom in values else name(atom)
    return _extreme(atom.word, [p.where(values) for p in atom.parts], 1 if atom.word == "max" else -1)


def _cut(atom: Atom, word: str) -> tuple[Poly, int] | None:
    """The rest and the sign of a guard ``max(0, rest + name)`` or ``max(0, rest - name)``; None for anything else."""
    if isinstance(atom, str) or atom.word != "max" or len(atom.parts) != 2 or ZERO not in atom.parts:
        return None
    (gap,) = (p for p in atom.parts if p != ZERO)
    slope = dict(gap.terms).get(((word, 1),), Fraction(0))
    rest = gap - name(word) * slope
    return (rest, int(slope)) if abs(slope) == 1 and word not in rest.names() else None


@functools.cache
def _faulhaber(power: int) -> tuple[Fraction, ...]:
    """The coefficients, by power of n, of the sum of ``k**power`` for k from 0 to below n."""
    # Sums telescope: n**(p+1) is the sum of (k+1)**(p+1) - k**(p+1), which holds all lower powers of k.
    found = [Fraction(0)] * (power + 2)
    found[power + 1] = Fraction(1, power + 1)
    for lower in range(power):
        scale = Fraction(math.comb(power + 1, lower), power + 1)
        for k, c in enumerate(_faulhaber(lower)):
            found[k] -= scale * c
    return tuple(found)


def _power_sum(power: int, n: Poly) -> Poly:
    return total(n**k * c for k, c in enumerate(_faulhaber(power)) if c)


def _plain(c: Fraction) -> str:
    return str(c) if c.denominator <= 1000 else f"{float(c):g}"


def _prefix(m: Monomial, c: Fraction) -> str:
    factors = [_plain(c)] if c != 1 or not m else []
    for atom, p in m:
        text = atom if isinstance(atom, str) else f"({atom.word} {' '.join(q.prefix() for q in atom.parts)})"
        factors += [text] * p
    return f"(* {' '.join(factors)})" if len(factors) > 1 else factors[0]
