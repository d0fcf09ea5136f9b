"""Small programs that every back end must run as the interpreter does, chosen for what back ends get wrong.

Each is a kernel in text, with WIDTH for the number of lanes, and the arguments to run it with.
"""

from __future__ import annotations

from .control import CONTROL
from .memory import MEMORY

PROGRAMS = MEMORY + CONTROL
