"""Random documents whose kinds fit, written from the registry, and random edits of them.

The shapes matter more than the numbers: names are shared, words are called as functions and as methods, numbers stand
in operators, and lines are broken and commented as people do.
"""

from __future__ import annotations

from random import Random
from typing import Any

from pellucid.base.errors import InputError
from pellucid.document import EDITS, Document, apply, kinds, offers, read, vocabulary
from pellucid.images.word import Parameter, Word

COLORS = ("im.gold", '"#264653"', "im.rgb(0.2, 0.4, 0.6)", "im.midnightblue", 'im.color("tomato")')
CONSTANTS = {
    "region": ("im.udisk", "im.checker"),
    "field": ("im.r", "im.x", "im.wave_dist"),
    "image": ("im.yb_rings",),
}
LEFT_OUT = (
    vocabulary.FILES | vocabulary.ARRAYS | {"text", "lift", "centered", "polar_transform", "distance", "glow"}
)


class Writer:
    """Writes one document."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.names: dict[str, list[str]] = {}
        names = vocabulary.names(vocabulary.IMAGES)
        self.words = [
            k.word for n, k in sorted(names.items()) if k.word and k.word.parameters and n not in LEFT_OUT
        ]

    def number(self, parameter: Parameter) -> str:
        type_ = parameter.slot.type
        limits = parameter.limits if parameter.limits is not None else type_ and type_.range
        allowed = kinds.interval(limits)
        low, high = (allowed.low, allowed.high) if allowed else (-3.0, 3.0)
        low, high = max(low, -3.0), min(high, max(low, -3.0) + 4.0)
        if parameter.type in {"Count", "Integer"}:
            return str(self.random.randint(max(int(low), 1), max(int(high), 1)))
        value = f"{self.random.uniform(low + 0.1 * (high - low), high):.3g}"
        if allowed is None and self.random.random() < 0.2:
            return f"({value} + 1) * 2"
        return value

    def picture(self, kind: str, depth: int) -> str:
        known = self.names.get(kind, [])
        if known and self.random.random() < 0.3:
            return self.random.choice(known)
        if depth <= 0:
            return self.random.choice(
                COLORS if kind == "image" and self.random.random() < 0.7 else CONSTANTS[kind]
            )
        if kind == "region" and self.random.random() < 0.25:
            sign = self.random.choice("&|^-")
            return f"({self.picture(kind, depth - 1)} {sign} {self.picture(kind, depth - 1)})"
        if kind == "field" and self.random.random() < 0.25:
            return f"({self.picture(kind, depth - 1)} {self.random.choice('+-*')} {self.random.uniform(0.1, 2):.2g})"
        fitting = [w for w in self.words if kinds.of_slot(w.result) in {kind, "picture"}]
        return self.call(self.random.choice(fitting), kind, depth)

    def call(self, word: Word, kind: str, depth: int) -> str:
        parts: list[tuple[str, str]] = []
        for p in word.parameters:
            if not p.required and not p.slot.many:
                break
            expected = kinds.of_slot(p.slot)
            wanted = kind if expected == "picture" else expected
            times = self.random.randint(2, 3) if p.slot.many else 1
            parts += [(p.name, self.argument(p, wanted, depth)) for _ in range(times)]
        receiver = word.receiver
        many = any(p.slot.many for p in word.parameters)
        if receiver is not None and not many and self.random.random() < 0.4:
            text = next(t for n, t in parts if n == receiver)
            if text.startswith("im.") and text not in COLORS:
                rest = ", ".join(t for n, t in parts if n != receiver)
                return f"{text}.{word.name}({rest})"
        broken = self.random.random() < 0.2
        comma = ",  # a note\n    " if broken else ", "
        return f"im.{word.name}({comma.join(t for _, t in parts)})"

    def argument(self, parameter: Parameter, kind: str, depth: int) -> str:
        type_ = parameter.slot.type
        limits = parameter.limits if parameter.limits is not None else type_ and type_.range
        if isinstance(limits, tuple) and isinstance(limits[0], str):
            return repr(self.random.choice(limits))
        match kind:
            case "number":
                return self.number(parameter)
            case "point":
                low = 1.0 if limits is not None else -1.0
                return f"({self.random.uniform(low, 2):.2g}, {self.random.uniform(max(low, 0.2), 2):.2g})"
            case "color":
                return self.random.choice(COLORS)
            case "stops":
                return f"[{', '.join(self.random.choices(COLORS, k=self.random.randint(2, 4)))}]"
            case "warp" | "function":
                return self.random.choice(("im.rotate(0.5)", "lambda p: p * 2", "lambda p: (p.y, p.x + 0.1)"))
            case _ if limits is not None:
                return self.number(parameter)
            case _:
                return self.picture(kind, depth - 1)

    def document(self) -> str:
        lines = ['"""A document."""', "", "import pellucid as pl", "from pellucid import images as im", ""]
        if self.random.random() < 0.5:
            lines += ['amount = pl.param("amount", 0.5, low=0.0, high=2.0)  # a slider']
        for k in range(self.random.randint(0, 3)):
            kind = self.random.choice(("region", "field", "image"))
            lines.append(f"part_{k} = {self.picture(kind, 2)}")
            self.names.setdefault(kind, []).append(f"part_{k}")
        kind = self.random.choice(("image", "image", "region", "field"))
        ending = self.random.choice(("", ".framed(width=4)"))
        lines.append(f"picture = im.const({self.picture(kind, 3)}){ending}  # the end")
        return "\n".join(lines) + "\n"


def written(seed: int) -> str:
    """A document, the same for the same seed."""
    return Writer(Random(seed)).document()


def some_edit(document: Document, random: Random) -> tuple[str, int, dict[str, Any]] | None:
    """One of the edits that a document offers at one of its nodes, with all that it needs."""
    for _ in range(30):
        identity = random.choice(list(document.nodes))
        found = offers(document, identity)
        if found:
            offer = random.choice(found)
            node = document.nodes[identity]
            needs = {
                name: random.choice(choices) for name, choices in offer.needs.items() if choices is not None
            }
            if "value" in offer.needs:
                number = node.value if isinstance(node.value, int | float) else 1
                needs["value"] = (
                    not node.value
                    if node.form == "truth"
                    else round(number * random.uniform(0.5, 1.5), 3)
                    if node.form == "number"
                    else "#ff8000"
                )
            if "text" in offer.needs:
                needs["text"] = "..."
            return offer.edit, identity, needs
    return None


def edited_and_undone(text: str, count: int, random: Random) -> int:
    """Edit a document at random, undo all of it, and check what must hold; how many edits were made."""
    document = read(text)
    assert document.valid
    backs = []
    for _ in range(count):
        chosen = some_edit(document, random)
        if chosen is None or len(document.text) > 5000:
            continue
        edit, identity, needs = chosen
        try:
            change = EDITS[edit](document, identity, **needs)
        except InputError:
            # What was chosen, such as a number out of range, is refused: nothing has changed.
            continue
        applied = apply(document, change)
        assert applied.document.valid, (edit, applied.document.text)
        assert len(applied.document.nodes) == len(list(applied.document.walk()))
        assert applied.back.apply(applied.document.text) == document.text
        backs.append(applied.back)
        document = applied.document
    for back in reversed(backs):
        document = apply(document, back).document
    assert document.text.encode() == text.encode()
    return len(backs)
