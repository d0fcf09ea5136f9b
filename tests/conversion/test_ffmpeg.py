"""FFmpeg and Python's `wave` as oracles: what they write is read here, and what is written here they read as well."""

from __future__ import annotations

import io
import shutil
import subprocess
import wave
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

import pellucid as pl
from pellucid.pixels import FORMATS, Layout, layout_of, pack, sound, unpack
from pellucid.pixels.reference import sample_dtype

needs_ffmpeg = pytest.mark.skipif(shutil.which("ffmpeg") is None, reason="there is no FFmpeg")

W, H = 70, 6
ORDERS = ("rggb", "bggr", "grbg", "gbrg")

# Planes as FFmpeg has them, and which of its formats hold the same samples as the formats here.
SAME = {
    ("gray", "Y:8"): {"gray8": "gray"},
    ("gray16le", "Y:16"): {"gray16": "gray16le", "gray16be": "gray16be"},
    ("gbrp", "G:8; B:8; R:8"): {"rgb24": "rgb24", "bgr24": "bgr24", "gbrp": "gbrp"},
    ("gbrap", "G:8; B:8; R:8; A:8"): {"rgba": "rgba", "bgra": "bgra", "argb": "argb"},
    ("gbrp10le", "G:10 _:6; B:10 _:6; R:10 _:6"): {"r210": "r210"},
    ("gbrp16le", "G:16; B:16; R:16"): {"rgb48": "rgb48le"},
    ("gbrap16le", "G:16; B:16; R:16; A:16"): {"rgba64": "rgba64le"},
    ("yuv420p", "Y:8; Cb:8 /2x2; Cr:8 /2x2"): {"yuv420p": "yuv420p", "nv12": "nv12", "nv21": "nv21"},
    ("yuv422p", "Y:8; Cb:8 /2x1; Cr:8 /2x1"): {
        "yuv422p": "yuv422p",
        "uyvy422": "uyvy422",
        "yuyv422": "yuyv422",
        "yvyu422": "yvyu422",
    },
    ("yuv444p", "Y:8; Cb:8; Cr:8"): {"yuv444p": "yuv444p"},
    ("yuv420p10le", "Y:10 _:6; Cb:10 _:6 /2x2; Cr:10 _:6 /2x2"): {
        "yuv420p10": "yuv420p10le",
        "p010": "p010le",
    },
    ("yuv422p10le", "Y:10 _:6; Cb:10 _:6 /2x1; Cr:10 _:6 /2x1"): {"yuv422p10": "yuv422p10le", "v210": "v210"},
}
CODECS = ("r210", "v210")
# What FFmpeg widens on its way into planes; the samples are in the high bits.
WIDENED = {
    "gray1": ("monob", "gray"),
    "gray10": ("gray10le", "gray16le"),
    "gray12": ("gray12le", "gray16le"),
    "gray14": ("gray14le", "gray16le"),
    "rgb332": ("rgb8", "gbrp"),
    "bgr332": ("bgr8", "gbrp"),
    **{
        f"{order}{bits}{end}": (f"{order}{bits}{end or 'le'}", "gbrp")
        for order in ("rgb", "bgr")
        for bits in (444, 555, 565)
        for end in ("", "be")
    },
    "rgbx": ("rgb0", "gbrp"),
    "bgrx": ("bgr0", "gbrp"),
    "bgr10a2": ("x2rgb10le", "gbrp10le"),
    "rgb10a2": ("x2bgr10le", "gbrp10le"),
}


def planes(name: str) -> Layout:
    """The planes of FFmpeg by its name for them."""
    return next(Layout(text) for known, text in SAME if known == name)


def samples(layout: Layout) -> dict[str, np.ndarray]:
    """Noise, without the ends that are no numbers in v210."""
    rng = np.random.default_rng(3)
    reserved = 4 if layout.model == "ycbcr" else 0
    return {
        c.name: rng.integers(c.low + reserved, c.high - reserved, c.shape(W, H), endpoint=True)
        for c in layout.channels
    }


def ffmpeg(folder: Path, *arguments: str) -> None:
    """Run it in a folder; whatever it complains of is a failure."""
    quiet = ("-hide_banner", "-loglevel", "error", "-nostdin", "-y")
    done = subprocess.run(
        ["ffmpeg", *quiet, *arguments], check=False, cwd=folder, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")


def raw(name: str) -> list[str]:
    return ["-f", "rawvideo", "-pix_fmt", name, "-s", f"{W}x{H}"]


def convert_all(folder: Path, files: Sequence[tuple[str, bytes, str, Sequence[tuple[str, str]]]]) -> None:
    """In one process, bytes of a file in a format to other files in other formats."""
    inputs: list[str] = []
    outputs: list[str] = []
    for number, (name, data, given, wanted) in enumerate(files):
        (folder / name).write_bytes(data)
        inputs += [*raw(given), "-i", name]
        for target, format_ in wanted:
            how = ["-c:v", format_] if format_ in CODECS else ["-pix_fmt", format_]
            exact = ["-sws_flags", "accurate_rnd+full_chroma_int+full_chroma_inp"]
            outputs += ["-map", str(number), "-f", "rawvideo", *how, *exact, target]
    ffmpeg(folder, *inputs, *outputs)


@needs_ffmpeg
def test_ffmpeg_writes_the_same_bytes(tmp_path: Path):
    files = [
        (f"{name}.raw", pack(samples(Layout(text)), Layout(text), W, H), name, [*found.items()])
        for (name, text), found in SAME.items()
    ]
    convert_all(tmp_path, files)
    for (_, text), found in SAME.items():
        for ours in found:
            want = pack(samples(Layout(text)), FORMATS[ours], W, H)
            assert (tmp_path / ours).read_bytes() == want, ours


@needs_ffmpeg
def test_ffmpeg_reads_the_same_samples(tmp_path: Path):
    files = [
        (f"{ours}.raw", pack(samples(Layout(text)), FORMATS[ours], W, H), theirs, [(ours, name)])
        for (name, text), found in SAME.items()
        for ours, theirs in found.items()
        if theirs not in CODECS
    ]
    convert_all(tmp_path, files)
    for (_, text), found in SAME.items():
        want = samples(Layout(text))
        for ours in found:
            if found[ours] not in CODECS:
                got = unpack((tmp_path / ours).read_bytes(), Layout(text), W, H)
                away = max(np.abs(got[name].astype(int) - want[name]).max() for name in want)
                # Colors with alpha go by way of Y Cb Cr there.
                assert away <= (want.keys() >= {*"RGBA"}), ours


@needs_ffmpeg
def test_ffmpeg_reads_small_samples_at_their_places(tmp_path: Path):
    files = [
        (f"{ours}.raw", pack(samples(FORMATS[ours]), FORMATS[ours], W, H), theirs, [(ours, wide)])
        for ours, (theirs, wide) in WIDENED.items()
    ]
    convert_all(tmp_path, files)
    for ours, (_, wide) in WIDENED.items():
        want = samples(FORMATS[ours])
        found = unpack((tmp_path / ours).read_bytes(), planes(wide), W, H)
        for name, values in found.items():
            got = values.astype(int) >> planes(wide)[name].bits - FORMATS[ours][name].bits
            # Colors of ten bits go by way of Y Cb Cr there.
            assert np.abs(got - want[name]).max() <= ("10a2" in ours), (ours, name)


@needs_ffmpeg
def test_ffmpeg_finds_the_colors_of_a_mosaic_at_the_same_places(tmp_path: Path):
    files = []
    for order in ORDERS:
        for ours, theirs, wide in (("raw8", "8", "rgb24"), ("raw16", "16le", "rgb48le")):
            data = pack(samples(FORMATS[ours]), FORMATS[ours], W, H)
            name = f"{ours}-{order}"
            files.append((f"{name}.raw", data, f"bayer_{order}{theirs}", [(name, wide)]))
    convert_all(tmp_path, files)
    for order in ORDERS:
        for ours, wide in (("raw8", "rgb24"), ("raw16", "rgb48")):
            rgb = unpack((tmp_path / f"{ours}-{order}").read_bytes(), FORMATS[wide], W, H)
            layout = layout_of(f"{ours} | {order}")
            mosaic = samples(layout)["M"]
            for place, letter in enumerate(layout.said["mosaic"]):
                at = slice(place // 2, None, 2), slice(place % 2, None, 2)
                assert np.array_equal(rgb[letter.upper()][at], mosaic[at])


@needs_ffmpeg
def test_ffmpeg_has_the_same_white(tmp_path: Path):
    files = []
    for ours, theirs in (("gray1", "monob"), ("white1", "monow")):
        data = pack(samples(FORMATS[ours]), FORMATS[ours], W, H)
        files.append((f"{ours}.raw", data, theirs, [(ours, "gray")]))
    convert_all(tmp_path, files)
    for ours, data, *_ in files:
        name = ours.removesuffix(".raw")
        assert (tmp_path / name).read_bytes() == pl.convert(data, name, "gray8", (W, H)).tobytes()


@needs_ffmpeg
def test_ffmpeg_and_the_palette(tmp_path: Path):
    few = {name: values // 64 * 85 for name, values in samples(FORMATS["rgb24"]).items()}
    data = pack(few, FORMATS["rgb24"], W, H)
    (tmp_path / "in").write_bytes(data)
    made = "split[a][b];[a]palettegen=reserve_transparent=0[p];[b][p]paletteuse=dither=none"
    ffmpeg(
        tmp_path,
        *raw("rgb24"),
        "-i",
        "in",
        "-filter_complex",
        made,
        "-pix_fmt",
        "pal8",
        "-f",
        "rawvideo",
        "out",
    )
    assert pl.convert((tmp_path / "out").read_bytes(), "pal8", "rgb24", (W, H)).tobytes() == data


@needs_ffmpeg
def test_ffmpeg_has_the_same_colors_for_each_matrix_and_range(tmp_path: Path):
    ways = [(matrix, range_) for matrix in ("bt601", "bt709", "bt2020") for range_ in ("limited", "full")]
    layout = FORMATS["yuv444p"]
    data = pack(samples(layout), layout, W, H)
    (tmp_path / "in").write_bytes(data)
    outputs: list[str] = []
    for matrix, range_ in ways:
        scale = f"scale=in_color_matrix={matrix}:in_range={range_}:flags=accurate_rnd+full_chroma_int"
        outputs += ["-map", "0", "-vf", scale, "-f", "rawvideo", "-pix_fmt", "gbrp", f"{matrix}-{range_}"]
    ffmpeg(tmp_path, *raw("yuv444p"), "-i", "in", *outputs)
    found = {}
    for matrix, range_ in ways:
        theirs = np.frombuffer((tmp_path / f"{matrix}-{range_}").read_bytes(), np.uint8)
        ours = pl.convert(data, f"yuv444p | {matrix} {range_}", "gbrp", (W, H))
        assert np.abs(ours.astype(int) - theirs).max() <= 1, (matrix, range_)
        found[theirs.tobytes()] = matrix, range_
    assert len(found) == len(ways)


# ---- Sound ----

SOUNDS = [n for n, f in FORMATS.items() if f.names == ("S",)]
IN_WORDS = [n for n in SOUNDS if "in32" in n or "low32" in n]
FRAMES = 300


def stereo() -> np.ndarray:
    """Samples of 32 bits, with both ends among them."""
    values = np.random.default_rng(4).integers(-(1 << 31), 1 << 31, (FRAMES, 2)).astype("<i4")
    values[0] = -(1 << 31), (1 << 31) - 1
    return values


def as_kept(values: np.ndarray, layout: Layout) -> np.ndarray:
    """Samples of 32 bits as FFmpeg has them in fewer, or in floats."""
    channel = layout.channels[0]
    if channel.kind == "f":
        return (values / 2.0**31).astype(sample_dtype(channel))
    fewer = values.astype(np.int64) >> 32 - channel.bits
    return fewer + (1 << channel.bits - 1) if channel.kind == "u" else fewer


@needs_ffmpeg
def test_ffmpeg_writes_the_same_sound(tmp_path: Path):
    (tmp_path / "in").write_bytes(stereo().tobytes())
    outputs: list[str] = []
    names = [n for n in SOUNDS if n not in IN_WORDS]
    splits = "".join(f"[0:a]channelsplit[l{k}][r{k}];" for k in range(len(names)))
    for k, name in enumerate(names):
        form = ["-f", name.removeprefix("pcm_")]
        outputs += [
            "-map",
            "0",
            *form,
            name,
            "-map",
            f"[l{k}]",
            *form,
            f"{name}-l",
            "-map",
            f"[r{k}]",
            *form,
            f"{name}-r",
        ]
    given = ["-f", "s32le", "-ar", "48000", "-ac", "2", "-i", "in"]
    ffmpeg(tmp_path, *given, "-filter_complex", splits.removesuffix(";"), *outputs)
    for name in names:
        layout = sound(name, 2)
        want = as_kept(stereo(), layout)
        got = unpack((tmp_path / name).read_bytes(), layout, FRAMES)
        assert np.array_equal(np.stack([got["FL"][0], got["FR"][0]], -1), want), name
        assert pack(got, layout, FRAMES) == (tmp_path / name).read_bytes()
        apart = (tmp_path / f"{name}-l").read_bytes() + (tmp_path / f"{name}-r").read_bytes()
        assert pack(got, sound(name, 2, planar=True), FRAMES) == apart


@pytest.mark.parametrize(
    ("name", "size"), [("pcm_u8", 1), ("pcm_s16le", 2), ("pcm_s24le", 3), ("pcm_s32le", 4)]
)
def test_wave_files_hold_the_same_sound(name: str, size: int):
    layout = sound(name, 2)
    want = as_kept(stereo(), layout)
    data = pack({"FL": want[:, 0], "FR": want[:, 1]}, layout, FRAMES)
    file = io.BytesIO()
    with wave.open(file, "wb") as written:
        written.setparams((2, size, 48000, 0, "NONE", "not compressed"))
        written.writeframes(data)
    with wave.open(io.BytesIO(file.getvalue())) as again:
        assert again.getnframes() == FRAMES
        for frame in want:
            # One frame at a time, a sample at a time, by Python's own arithmetic.
            bytes_ = again.readframes(1)
            parts = bytes_[:size], bytes_[size:]
            assert [int.from_bytes(p, "little", signed=size > 1) for p in parts] == frame.tolist()
