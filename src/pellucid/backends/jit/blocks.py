"""Cuts long blocks of LLVM text into shorter ones: the time to compile grows with the square of a block's length.

Applied to the text of a whole function, at its end. A cut is a jump to the next line, which costs nothing at run time;
only the largest pictures have blocks that long.
"""

from __future__ import annotations

import re

MAX_BLOCK = 1000
"""Lines of a block: below, the square does not matter yet."""

_INCOMING = re.compile(r"%([\w.]+) \]")


def bounded(text: str, longest: int = MAX_BLOCK) -> str:
    r"""The text of a function with blocks of at most so many lines.

    >>> print(bounded("entry:\n%a = add i8 %p, 1\n%b = add i8 %a, 1\nbr label %x\nx:\n%c = phi i8 [ %b, %entry ]", 1))
    entry:
    %a = add i8 %p, 1
    br label %cut1
    cut1:
    %b = add i8 %a, 1
    br label %x
    x:
    %c = phi i8 [ %b, %cut1 ]
    """
    lines = text.split("\n")
    if len(lines) <= longest:
        return text
    made: list[str] = []
    # The last part of each block: what jumps from the block jumps from there.
    end: dict[str, str] = {}
    block, length, cuts = "", 0, 0
    for line in lines:
        if line.endswith(":"):
            block, length = line[:-1], -1
        elif length >= longest and line.startswith(("%", "store ")) and " = phi " not in line:
            cuts += 1
            made += [f"br label %cut{cuts}", f"cut{cuts}:"]
            end[block], length = f"cut{cuts}", 0
        made.append(line)
        length += 1
    if not cuts:
        return text
    # Phis stand at the beginning of a block, in its first part, whose label is still that of the block.
    return "\n".join(_from_ends(line, end) if " = phi " in line else line for line in made)


def _from_ends(phi: str, end: dict[str, str]) -> str:
    return _INCOMING.sub(lambda found: f"%{end.get(found[1], found[1])} ]", phi)
