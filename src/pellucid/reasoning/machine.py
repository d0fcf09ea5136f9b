"""Machines: what each kind of work costs, as tables of constants that the timer multiplies with counts.

White's timer is "based on a set of constants, any of which may be changed by the user" (White, section 6.2); `PAPER` is
that table, `PROCESSOR` one for processors with wide vectors, and `driver.calibration` measures one on the machine at
hand. Units are the table's own: White's are steps, the others cycles.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace

from ..base.errors import InputError, did_you_mean
from ..base.record import record
from ..ir import prim as table

CHARGES: Mapping[str, str] = {
    "loop": "a loop begins",
    "check": "a loop's index is compared with its bound, once more than it has iterations",
    "compound": "several statements stand behind one another",
    "branch": "a condition decides between two blocks",
    "assignment": "a value is stored",
    "constant": "a constant is an operand",
    "variable": "a parameter or a loop's index is an operand",
    "load": "a value is loaded",
    "gather": "values are loaded from scattered places, into the lanes of a vector",
    "operator": "an operator of which nothing else is known",
}
"""The kinds of work besides operators, and when each is charged."""


@record
class Price:
    """The minimum saving of a change of a program, in the units of its table, as a script of `bench/` measures it."""

    cost: float
    of: str
    measured_by: str


@record
class CostModel:
    """A table of costs.

    charges    the cost of each kind of work in `CHARGES`.
    operators  the cost of operators by the names of their rows, where they differ from `charges["operator"]`.
    lanes      how many iterations of a vectorizable loop run side by side.
    threads    how many bands of a loop that is spread run side by side.
    wake       what it costs to hand such a loop to the threads and to wait for them.
    steps      how many steps an iteration of unknown length makes.
    count      how many iterations a loop of unknown length makes.
    prices     what changes of programs cost that no operator and no access stands for.
    weighs     whether an operator that is not named costs `charges["operator"]` times the cost of its row.
    shares     whether a value that is used twice is computed once; White's timer counts every use.
    """

    name: str
    charges: Mapping[str, float]
    operators: Mapping[str, float] = field(default_factory=dict[str, float])
    lanes: int = 1
    threads: int = 1
    wake: float = 0.0
    steps: float = 32
    count: float = 1000
    prices: Mapping[str, Price] = field(default_factory=dict[str, Price])
    weighs: bool = False
    shares: bool = True

    def __post_init__(self) -> None:
        """Check that every charge is there, and no other."""
        for word in {*self.charges} ^ {*CHARGES}:
            known = word in CHARGES
            why = "has no cost" if known else "is no kind of work"
            raise InputError(why, place=f"machine {self.name}, {word}", fix=did_you_mean(word, CHARGES))

    def operator(self, row: str) -> float:
        """The cost of one operator."""
        found = self.operators.get(row)
        if found is not None:
            return found
        return self.charges["operator"] * (table.row(row).cost if self.weighs else 1.0)

    def but(self, **changes: float) -> CostModel:
        """The table with some costs changed: kinds of work, or operators by their rows.

        Raises InputError for a name that is neither.

        >>> PAPER.but(mul=5, assignment=2).operator("mul")
        5
        """
        for word in changes.keys() - CHARGES.keys() - table.table().keys():
            hint = did_you_mean(word, [*CHARGES, *table.table()])
            raise InputError(
                "is neither a kind of work nor an operator", place=f"machine {self.name}, {word}", fix=hint
            )
        charges = {word: changes.get(word, cost) for word, cost in self.charges.items()}
        operators = {**self.operators, **{w: c for w, c in changes.items() if w not in CHARGES}}
        return replace(self, charges=charges, operators=operators)

    def only(self, *words: str) -> CostModel:
        """The table in which nothing costs but these kinds of work and operators, one each: the timer then counts them.

        >>> PROCESSOR.only("assignment").operator("sin")
        0.0
        """
        charges = {word: float(word in words) for word in CHARGES}
        operators = {word: 1.0 for word in words if word not in CHARGES}
        name = ", ".join(words)
        return replace(
            self, name=name, charges=charges, operators=operators, weighs=False, threads=1, wake=0.0
        )


PAPER = CostModel("White 1990", dict.fromkeys(CHARGES, 1.0) | {"check": 0.0, "gather": 0.0}, shares=False)
"""White's constants: a loop costs once, nothing for each iteration. The paper names them and gives no values."""

PAPER_WORDS: Mapping[str, str] = {
    "loop": "ForStatementTime",
    "compound": "CompoundStatementTime",
    "assignment": "AssignmentStatementTime",
    "constant": "ConstantTime",
    "variable": "VariableTime",
    "operator": "BinaryFunctionTime",
    "branch": "IfStatementTime",
    "array": "ArrayTime",
    "null": "NullStatementTime",
    "count": "DefaultCount",
}
"""White's names: the first six as Figure 6.1 prints them, the others in their manner."""

PROCESSOR = CostModel(
    "processor with 512-bit vectors",
    {
        "loop": 1.0,
        "check": 1.0,
        "compound": 0.0,
        "branch": 1.0,
        "assignment": 1.0,
        "constant": 0.0,
        "variable": 0.0,
        "load": 2.0,
        "gather": 16.0,
        "operator": 1.0,
    },
    weighs=True,
    lanes=16,
    threads=2,
    wake=5000.0,
    prices={
        "skip": Price(20.0, "a branch around work: the test, and a wrong guess now and then", "prices.py"),
        "table": Price(24.0, "a load from a table of values, its room in the cache included", "prices.py"),
        "repeat": Price(4.0, "a value that is computed again in place of an array's element", "prices.py"),
        "partner": Price(12.0, "looking for a row of the same operand, to compute both at once", "prices.py"),
        "ask": Price(2.0, "whether any lane wants what is skipped", "splitting.py"),
        "pixels": Price(8.0, "a store of a vector: pages are fetched and written back", "splitting.py"),
        "bound": Price(75.0, "a bound that is found in a row, in some ten steps", "splitting.py"),
        "code": Price(4.5, "2 or 3 ms of compiling code for a bound, each vector's share", "splitting.py"),
    },
)
"""Cycles for one vector, roughly: the costs of the operator table and those of memory around them."""
