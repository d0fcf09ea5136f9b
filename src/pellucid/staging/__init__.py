"""The online specializer: programs on partly known values, down to bit addresses, become nests (Draves 1996, 1997).

`specialize` runs an ordinary Python function on arguments of which some are `unknown` or `cyclic`, and returns what is
left as a nest. The function controls itself by `loop`, `choose` and `fork`, reads and writes a `Memory` by words or by
samples of any number of bits, and means the same when it is simply called on numbers.

To read: `value` and `real` are what programs compute with, written by `folding`; `memory`, `cells` and `samples` are
what they read and write, through the `bitcache`; `control` is how they go on, of which `loop_specializer` does the
loops, with `points`, `graph`, `merges` and `same`. What is written is `residual` code; `structure` takes its jumps
away, and `lower` makes the nest; `streams` map samples, and `stream_nest` makes nests of them. `session` is the state
of all that, and `specialize` the door.

`cogen` makes compilers of interpreters: of codes in `root`, and of Python functions that are marked by `interpreter`;
`explain_times` shows what it found in those.
"""

from ..ir.stream import Samples
from .cells import Cells
from .cogen import cogen
from .control import choose, dynamic_call, fork, loop, require, set_base
from .front import explain_times, interpreter, load_compiler
from .integers import divides, equals, lift
from .memory import Memory
from .real import Real, to_integer
from .root.primitives import apply
from .same import early_equal
from .samples import load_sample, signed, store_sample
from .specialize import Residual, cyclic, specialize, unknown
from .streams import Table, stream
from .times.lattice import CYCLIC, DYNAMIC, STATIC
from .value import Cyclic, Dynamic, negate

__all__ = [
    "CYCLIC",
    "DYNAMIC",
    "STATIC",
    "Cells",
    "Cyclic",
    "Dynamic",
    "Memory",
    "Real",
    "Residual",
    "Samples",
    "Table",
    "apply",
    "choose",
    "cogen",
    "cyclic",
    "divides",
    "dynamic_call",
    "early_equal",
    "equals",
    "explain_times",
    "fork",
    "interpreter",
    "lift",
    "load_compiler",
    "load_sample",
    "loop",
    "negate",
    "require",
    "set_base",
    "signed",
    "specialize",
    "store_sample",
    "stream",
    "to_integer",
    "unknown",
]
