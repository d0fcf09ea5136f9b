"""Vectors of one constant, read from memory: an engine writes such a vector by three instructions wherever it is used.

Below `target`. The constants stand in one variable, which LLVM cannot look into, so what it reads it does not replace.
"""

from __future__ import annotations

import re

_SPLAT = re.compile(r"splat \((float|double) (0x[0-9A-F]+)\)")
_LANES = re.compile(r"<(\d+) x ")
_OTHER = re.compile(r"\s*%\S+ = (?:phi|shufflevector) ")
"""What nothing can be written in front of, and what has vectors of several lengths."""
_IN_REGISTER = {"float": 4, "double": 2}
_ZERO = "0x0000000000000000"
"""What every engine makes by one instruction, which reads nothing."""


def from_memory(text: str) -> str:
    """LLVM text in which vectors of one float are read from memory, a register of each.

    >>> print(from_memory("%y = fadd <4 x float> %x, splat (float 0x3FF0000000000000)"))
    %splat1 = load <4 x float>, ptr getelementptr (i8, ptr @splats, i32 0), align 16
    %y = fadd <4 x float> %x, %splat1
    @splats = global <{ <4 x float> }> <{ <4 x float> splat (float 0x3FF0000000000000) }>, align 16
    """
    places: dict[tuple[str, str], int] = {}
    lines: list[str] = []
    count = 0
    for line in text.split("\n"):
        if "splat (" not in line or _OTHER.match(line):
            lines.append(line)
            continue
        lanes = _LANES.search(line)
        used: list[str] = []

        def read(found: re.Match[str], lanes: re.Match[str] | None = lanes, used: list[str] = used) -> str:
            nonlocal count
            type_, value = found.groups()
            size = _IN_REGISTER[type_]
            times, rest = divmod(int(lanes[1]) if lanes else 0, size)
            if value == _ZERO or not times or rest:
                return found[0]
            count += 1
            at = 16 * places.setdefault((type_, value), len(places))
            name = f"%splat{count}"
            one = name if times == 1 else f"{name}.one"
            register = f"<{size} x {type_}>"
            used.append(f"{one} = load {register}, ptr getelementptr (i8, ptr @splats, i32 {at}), align 16")
            if times > 1:
                mask = ", ".join(f"i32 {k}" for k in [*range(size)] * times)
                all_ = f"<{size * times} x i32> <{mask}>"
                used.append(f"{name} = shufflevector {register} {one}, {register} poison, {all_}")
            return name

        changed = _SPLAT.sub(read, line)
        lines += [*used, changed]
    if places:
        types = ", ".join(f"<{_IN_REGISTER[t]} x {t}>" for t, _ in places)
        values = ", ".join(f"<{_IN_REGISTER[t]} x {t}> splat ({t} {value})" for t, value in places)
        lines.append(f"@splats = global <{{ {types} }}> <{{ {values} }}>, align 16")
    return "\n".join(lines)
