"""WAV files: the chunks of RIFF, read from any file however it is broken, and the header of those that are written.

What their samples are is a format of `pixels`; a file is read whole or refused with one sentence
(RIFF MCI 1991; WAVE_FORMAT_EXTENSIBLE of mmreg.h).
"""

from __future__ import annotations

import os
import struct

from ..base.errors import FileError, InputError
from ..base.kinds import TEXT, TRUTH, instance, optional, takes, whole
from ..base.opening import contents
from ..base.record import record
from .pcm import frame_bytes, pcm
from .recording import Recording

_PCM, _FLOAT, _EXTENSIBLE = 1, 3, 0xFFFE
_GUID = bytes.fromhex("000000001000800000aa00389b71")
_FORMATS = {
    # Tag, bits of the container, bits that count.
    (_PCM, 8, 8): "pcm_u8",
    (_PCM, 16, 16): "pcm_s16le",
    (_PCM, 24, 24): "pcm_s24le",
    (_PCM, 32, 24): "pcm_s24in32le",
    (_PCM, 32, 32): "pcm_s32le",
    (_FLOAT, 32, 32): "pcm_f32le",
    (_FLOAT, 64, 64): "pcm_f64le",
}
_SPEAKERS = (0x1, 0x2, 0x4, 0x8, 0x10, 0x20, 0x200, 0x400)
"""The bits of the speakers in the order of `pixels.sound`; one channel alone is in front."""
_MAX_BYTES = (1 << 32) - 1024
MAX_BYTES = 1 << 32
"""Bytes of a file of sound: what WAV can hold at most."""
_UNKNOWN = 0xFFFFFFFF
"""The size of data that was written to a pipe."""


@record
class _Kind:
    """The content of a fmt chunk."""

    format: str
    channels: int
    rate: int


def header(format: str, channels: int, rate: int, frames: int) -> bytes:
    """The header of a WAV file.

    Raises InputError for a format that WAV has not, or for more than 4 GB.

    >>> header("pcm_s16le", 1, 8000, 2).hex(" ", 4)
    '52494646 28000000 57415645 666d7420 10000000 01000100 401f0000 803e0000 02001000 64617461 04000000'
    """
    known = {name: key for key, name in _FORMATS.items()}
    if format not in known:
        raise InputError(
            f"WAV has no {format}",
            place="format",
            fix=f"give one of {', '.join(known)}, or write a .raw file",
        )
    tag, bits, valid = known[format]
    size = frame_bytes(pcm(format, channels))
    data = frames * size
    if data > _MAX_BYTES:
        raise InputError(f"{data} bytes are more than WAV can hold", place="seconds", fix="write a .raw file")
    extensible = channels > 2 or valid != bits
    chunk = struct.pack(
        "<HHIIHH", _EXTENSIBLE if extensible else tag, channels, rate, rate * size, size, bits
    )
    if extensible:
        mask = 0x4 if channels == 1 else sum(_SPEAKERS[:channels])
        chunk += struct.pack("<HHIH", 22, valid, mask, tag) + _GUID
    elif tag != _PCM:
        chunk += struct.pack("<H", 0)
    before = b"WAVE" + _chunk(b"fmt ", chunk)
    if tag != _PCM:
        before += _chunk(b"fact", struct.pack("<I", frames))
    # A chunk of odd size is followed by a byte that does not count.
    whole = len(before) + 8 + data + data % 2
    return b"RIFF" + struct.pack("<I", whole) + before + b"data" + struct.pack("<I", data)


def _chunk(name: bytes, data: bytes) -> bytes:
    return name + struct.pack("<I", len(data)) + data


@takes(
    path=instance("a path", str, os.PathLike),
    format=optional(TEXT),
    channels=optional(whole(1)),
    rate=optional(whole(1)),
    planar=TRUTH,
)
def read_audio(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    channels: int | None = None,
    rate: int | None = None,
    planar: bool = False,
) -> Recording:
    """The recording in a WAV file; or, with a `format`, in a file of nothing but samples.

    WAV may hold pcm_u8, pcm_s16le, pcm_s24le, pcm_s24in32le, pcm_s32le, pcm_f32le and pcm_f64le, up to eight channels,
    plain or extensible. Raises FileError for what is no regular file, is larger than 4 GiB or than memory, cannot be
    read, or is cut short or contradicts itself; InputError for options that make no sense.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "a.raw"
    >>> _ = path.write_bytes(bytes([0, 64, 128]))
    >>> read_audio(path, format="pcm_u8", rate=8000).channels[0].take(3)
    [-1.0, -0.5, 0.0]
    """
    shown = os.fsdecode(path)
    data = contents(path, "a file of sound", max_bytes=MAX_BYTES)
    if format is not None:
        many, speed = 1 if channels is None else channels, 48000 if rate is None else rate
        size = frame_bytes(pcm(format, many, planar=planar))
        if len(data) % size:
            raise FileError(
                f"{len(data)} bytes are no whole number of frames of {size}",
                place=shown,
                fix="check the format and the number of channels",
            )
        return Recording(data, format, channels=many, rate=speed, planar=planar)
    if channels is not None or rate is not None or planar:
        raise InputError(
            "a WAV file says itself how many channels it has and how fast they are",
            place=shown,
            fix="give a format too if the file has nothing but samples",
        )
    kind, samples = _parsed(memoryview(data), shown)
    return Recording(samples, kind.format, channels=kind.channels, rate=kind.rate)


def _parsed(data: memoryview, shown: str) -> tuple[_Kind, memoryview]:
    name = bytes(data[:4])
    if name not in (b"RIFF", b"RIFX", b"RF64") or bytes(data[8:12]) != b"WAVE":
        raise FileError(
            "is not a WAV file", place=shown, fix="give a format, such as pcm_s16le, if it is samples alone"
        )
    if name != b"RIFF":
        raise FileError(f"is {name.decode()}, which is not read", place=shown, fix="convert it to RIFF WAV")
    kind: _Kind | None = None
    at = 12
    while at + 8 <= len(data):
        name, (size,) = bytes(data[at : at + 4]), struct.unpack_from("<I", data, at + 4)
        inside = data[at + 8 : at + 8 + size]
        if name == b"data":
            if kind is None:
                raise _broken(shown, "its samples come before their format")
            return kind, _samples(data[at + 8 :], size, kind, shown)
        if len(inside) < size:
            raise _broken(shown, f"it ends within the chunk {_told(name)}")
        if name == b"fmt ":
            kind = _kind(inside, shown)
        at += 8 + size + size % 2
    raise _broken(shown, "it has no samples" if kind is not None else "it says no format")


def _samples(rest: memoryview, size: int, kind: _Kind, shown: str) -> memoryview:
    frame = frame_bytes(pcm(kind.format, kind.channels))
    if size == _UNKNOWN:
        # Its writer did not know how long it would be: to the end of the file.
        return rest[: len(rest) // frame * frame]
    if len(rest) < size:
        raise _broken(shown, f"it has {len(rest)} of {size} bytes of samples")
    if size % frame:
        raise _broken(shown, f"{size} bytes of samples are no whole number of frames of {frame}")
    return rest[:size]


def _kind(chunk: memoryview, shown: str) -> _Kind:
    if len(chunk) < 16:
        raise _broken(shown, f"its format takes {len(chunk)} bytes, not 16")
    tag, channels, rate, _, align, bits = struct.unpack_from("<HHIIHH", chunk)
    valid = bits
    if tag == _EXTENSIBLE:
        if len(chunk) < 40:
            raise _broken(shown, f"its extensible format takes {len(chunk)} bytes, not 40")
        valid, _, tag = struct.unpack_from("<HIH", chunk, 18)
        if bytes(chunk[26:40]) != _GUID:
            raise FileError("holds samples of a private kind", place=shown, fix="convert it to plain PCM")
    # Samples that do not fill their container are at its top, with zeros below them.
    format_ = _FORMATS.get((tag, bits, valid)) or _FORMATS.get((tag, bits, bits))
    if format_ is None or not 0 < valid <= bits:
        raise FileError(
            f"holds samples of kind {tag} with {valid} of {bits} bits",
            place=shown,
            fix="convert it to PCM of 8, 16, 24 or 32 bits, or to floats",
        )
    if not 1 <= channels <= len(_SPEAKERS):
        raise FileError(f"has {channels} channels", place=shown, fix=f"give 1 to {len(_SPEAKERS)}")
    if rate == 0:
        raise _broken(shown, "its rate is 0")
    if align != channels * bits // 8:
        raise _broken(shown, f"a frame of {channels} samples of {bits} bits takes {align} bytes")
    return _Kind(format_, channels, rate)


def _told(name: bytes) -> str:
    return repr(name.decode("latin-1").strip())


def _broken(shown: str, why: str) -> FileError:
    return FileError(f"is no whole WAV file: {why}", place=shown, fix="make it again")
