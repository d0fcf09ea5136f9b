"""Packed samples, three ways: as a plain program, specialized to a layout, and in wide registers."""

import numpy as np

from pellucid import signals as sg
from pellucid.driver.program import compile_program
from pellucid.driver.streams import compile_stream
from pellucid.ir.text import print_nest
from pellucid.staging import Memory, Samples, cyclic, specialize, stream


def unpack(source, target, start, stop, first, last):
    """Twelve bits to sixteen."""
    sg.copy(sg.memory(source, start, stop, 12, 12), sg.memory(target, first, last, 16, 16))


COUNT = 1 << 16
packed = np.random.default_rng(1).integers(0, 1 << 32, COUNT * 12 // 32, dtype=np.uint32)

# As it is written, on the first samples.
plain = np.zeros(8 // 2, np.uint32)
unpack(Memory("packed", 32, packed), Memory("words", 32, plain), 0, 96, 0, 128)

# Specialized: addresses begin at words. Eight samples a turn, three loads, four stores.
layout = cyclic(32, "start"), cyclic(32, "stop"), cyclic(32, "first"), cyclic(32, "last")
residual = specialize(unpack, Memory("packed"), Memory("words"), *layout)
print(print_nest(residual.kernel))
whole = np.zeros(COUNT // 2, np.uint32)
compile_program(residual)(
    {"packed": packed, "words": whole}, start=0, stop=len(packed), first=0, last=len(whole)
)

# In wide registers.
wide = np.zeros(COUNT * 2, np.uint8)
compile_stream(stream(lambda x: x, [Samples(1, 0, 12, 12)], [Samples(0, 0, 16, 16)]))(
    [wide, packed.view(np.uint8)], COUNT
)

print("all three alike:", (plain == whole[:4]).all() and (whole == wide.view(np.uint32)).all())
