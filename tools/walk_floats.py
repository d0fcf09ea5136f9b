"""Measure elementary functions on every float32 there is, or every n-th, against double precision.

Run `python -m tools.walk_floats sin cos --every 64` in the root of the project; `--from` and `--to` (bits, in
hexadecimal) walk a part. Every float of one function takes about an hour: the interpreter is
what is measured, not fast code.
"""

from __future__ import annotations

import argparse

from tests.elementary.reference import walk

from pellucid.ir.prim import row, table

PIECES = 16


def main() -> None:
    """Walk, and print the worst error of each function with the one that its row states."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="functions of one argument (all that state an error)")
    parser.add_argument("--every", type=int, default=1, help="take every n-th float")
    parser.add_argument("--from", dest="start", type=lambda s: int(s, 16), default=0)
    parser.add_argument("--to", dest="stop", type=lambda s: int(s, 16), default=1 << 32)
    options = parser.parse_args()
    everything = [n for n, r in table().items() if r.ulp and r.arity == 1]
    for name in options.names or everything:
        worst = (-1.0, 0.0)
        for k in range(PIECES):
            ends = [options.start + (options.stop - options.start) * j // PIECES for j in (k, k + 1)]
            worst = max(worst, walk(name, ends[0], ends[1], options.every))
        print(f"{name:8} {worst[0]:.4f} of {row(name).ulp['f32']} ulp, at {worst[1]!r}", flush=True)


if __name__ == "__main__":
    main()
