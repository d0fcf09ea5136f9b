"""Verdicts: what a check answers, in words that a person can act on.

The bottom of all checks, from "are these two elements different" to "may this move be made here": `Proved` with its
premises, `Refuted` with a witness, or `Unknown` with the fact that would decide it.
"""

from __future__ import annotations

from collections.abc import Callable

from ..base.record import record


@record
class Premise:
    """One side condition on one site: its words, the test that decides it again at any time, its clause's name."""

    words: str
    test: Callable[[], Verdict]
    clause: str = ""

    def holds(self) -> bool:
        """Run the test again."""
        return isinstance(self.test(), Proved)

    def __str__(self) -> str:
        """The condition in words."""
        return self.words


@record
class Proved:
    """It holds: by which theorem or for which reason, from which premises.

    `lemma` names the machine-checked proof of the theorem; without one the ledger says "Tested".

    >>> print(Proved("White 4.1.2", lemma="interchange"))
    Proved  White 4.1.2
    >>> print(Proved("sharing adds no evaluation"))
    Tested  sharing adds no evaluation
    """

    theorem: str
    premises: tuple[Premise, ...] = ()
    lemma: str | None = None

    def __str__(self) -> str:
        """One line for the ledger."""
        label = "Proved" if self.lemma else "Tested"
        return f"{label}  {self.theorem}" + "".join(f"; {p}" for p in self.premises)


@record
class Refuted:
    """The premise is false here, and a witness shows it; `clause` is the name of the clause that failed."""

    premise: str
    witness: str
    clause: str = ""

    def __str__(self) -> str:
        """One line for the ledger."""
        return f"Refuted  not so that {self.premise}: {self.witness}{_by(self.clause)}"


@record
class Unknown:
    """The premise could not be decided; `missing` is the fact that would decide it."""

    premise: str
    missing: str
    clause: str = ""

    def __str__(self) -> str:
        """One line for the ledger."""
        return f"Unknown  whether {self.premise}: {self.missing}{_by(self.clause)}"


Verdict = Proved | Refuted | Unknown


def _by(clause: str) -> str:
    return f" ({clause})" if clause else ""


def decided(truth: bool, premise: str, witness: str) -> Verdict:
    """The verdict on a premise that can be looked at: Proved if it is true, else Refuted by the witness.

    >>> print(decided(1 > 2, "one is more than two", "1 <= 2"))
    Refuted  not so that one is more than two: 1 <= 2
    """
    return Proved(premise) if truth else Refuted(premise, witness)


def both(*verdicts: Verdict) -> Verdict:
    """The first verdict that is not Proved; if all are, Proved for all their reasons and from all their premises.

    >>> both(Proved("a"), Proved("b"), Proved("a")).theorem
    'a; b'
    """
    reasons: dict[str, None] = {}
    premises: dict[Premise, None] = {}
    for v in verdicts:
        if not isinstance(v, Proved):
            return v
        reasons[v.theorem] = None
        premises.update(dict.fromkeys(v.premises))
    return Proved("; ".join(reasons), tuple(premises))
