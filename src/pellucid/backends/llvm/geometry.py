"""The geometry of a stream: which bytes of its buffers a block of samples reaches over. No text is written here."""

from __future__ import annotations

from ...ir.stream import Samples, Stream, bits_of

NOBODY = 0xFFFF
"""The owner of bits that are not an output's."""


class Geometry:
    """The places of the samples of a stream in its buffers."""

    def __init__(self, stream: Stream) -> None:
        self.stream = stream

    @property
    def written(self) -> list[int]:
        """The buffers of outputs."""
        return list(dict.fromkeys(s.buffer for s in self.stream.outputs))

    def of_buffer(self, k: int) -> list[Samples]:
        """The samples of a buffer."""
        return [s for s in (*self.stream.outputs, *self.stream.inputs) if s.buffer == k]

    def span(self, k: int, lanes: int) -> tuple[int, int]:
        """The first byte that the samples of a block reach over in a buffer, and the end of them."""
        mine = self.of_buffer(k)
        first = min(s.start(j) for s in mine for j in range(len(s.offsets)))
        return first >> 3, max(s.bytes(lanes) for s in mine)

    def step(self, k: int, lanes: int) -> int:
        """The number of bytes from a block of a buffer to the next."""
        return int(self.of_buffer(k)[0].pace * lanes) // 8

    def farthest(self, lanes: int) -> int:
        """The end of the samples of a block in the buffer where they reach farthest, in bytes."""
        return max(s.bytes(lanes) for s in (*self.stream.outputs, *self.stream.inputs))

    def longest(self, lanes: int) -> int:
        """The bytes that a block takes of the buffer of which it takes most."""
        return max(self.step(k, lanes) for k in range(self.stream.buffers))

    def shares(self, k: int, lanes: int) -> bool:
        """Whether a block has bits of a byte that the next block has bits of, too."""
        first, end = self.span(k, lanes)
        return end > first + self.step(k, lanes)

    def shared_bits(self, k: int, lanes: int) -> int:
        """The bits of the byte that a block shares with the next one that are its own."""
        end = self.span(k, lanes)[1]
        return sum(
            1 << (bit & 7)
            for s in self.of_buffer(k)
            for j in range(lanes)
            for bit in bits_of(s, s.start(j))
            if bit >> 3 == end - 1
        )

    def owners(self, k: int, size: int, lanes: int) -> list[int]:
        """The lane that each bit of a block of an output belongs to."""
        found = [NOBODY] * (8 * size)
        for s in self.of_buffer(k):
            for j in range(lanes):
                for bit in bits_of(s, s.start(j)):
                    found[bit] = j
        return found

    def lies_even(self, k: int) -> bool:
        """Whether a buffer has nothing but samples one after the other, from a whole byte on."""
        mine = self.of_buffer(k)
        s = mine[0]
        even = s.size == s.stride and len(s.offsets) == 1 and s.start(0) % 8 == 0 and s.order == "little"
        return len(mine) == 1 and even
