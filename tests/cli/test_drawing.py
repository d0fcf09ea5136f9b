"""`render`, `animate` and `show` from the words to the file."""

from __future__ import annotations

import io
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import numpy as np
import OpenEXR
import pytest
import tifffile
from PIL import Image


def opened(path):
    with Image.open(path) as picture:
        return np.asarray(picture)


def test_render_writes_the_view_that_was_asked_for(pellucid, ramp):
    words = ["--size", "40x30", "--center", "-5,7", "--zoom", "2", "--time", "0.5", "--param", "twist=3"]
    assert pellucid("render", ramp, "-o", "out.png", *words) == (0, "", "")
    pixels = opened("out.png")
    assert pixels.shape == (30, 40, 4)
    assert pixels[0, 0].tolist() == [123, 135, 80, 255]


def test_a_size_may_be_one_number_and_values_may_be_negative(pellucid, ramp):
    assert (
        pellucid("render", ramp, "-o", "out.png", "--size", "16", "--time", "-.5", "--center=-1,-2")[0] == 0
    )
    assert opened("out.png").shape == (16, 16, 4)


def test_quality_and_background_reach_the_file(pellucid, ramp):
    for quality in ("5", "95"):
        assert pellucid("render", ramp, "-o", f"{quality}.jpg", "--quality", quality, "--size", "64")[0] == 0
    assert Path("5.jpg").stat().st_size < Path("95.jpg").stat().st_size


def test_depth_reaches_the_file_and_the_suffix_chooses_floats(pellucid, written):
    source = "from pellucid import images as im\npicture = im.const(im.rgba(0.5, 0, 1, 0.5))\n"
    half = written("half.py", source, kernel=False)
    for name, words in (
        ("a.npy", ["--depth", "16"]),
        ("b.npy", ["--depth", "32"]),
        ("a.tiff", ["--depth", "16"]),
    ):
        assert pellucid("render", half, "-o", name, "--size", "4", *words) == (0, "", "")
    assert np.load("a.npy")[0, 0].tolist() == [32768, 0, 65535, 32768]
    assert np.load("b.npy")[0, 0].tolist() == [0.5, 0, 1, 0.5]
    assert np.array_equal(tifffile.imread("a.tiff"), np.load("a.npy"))
    assert pellucid("render", half, "-o", "a.exr", "--size", "4") == (0, "", "")
    light = OpenEXR.File("a.exr").channels()["RGBA"].pixels[0, 0]
    assert np.abs(light - [0.214041 / 2, 0, 0.5, 0.5]).max() < 1e-6
    status, _, err = pellucid("render", half, "-o", "a.exr", "--size", "4", "--depth", "8")
    assert status == 2
    assert "EXR is written with 16 or 32 bits" in err


def test_animate_writes_frames(pellucid, ramp):
    status, out, err = pellucid(
        "animate",
        ramp,
        "-o",
        "out.gif",
        "--seconds",
        "1/2",
        "--fps",
        "10",
        "--start",
        "1",
        "--size",
        "16",
        "--once",
    )
    assert (status, out, err) == (0, "", "")
    with Image.open("out.gif") as film:
        assert film.n_frames == 5
        assert "loop" not in film.info
        assert film.convert("RGB").getpixel((0, 0))[2] == 100


def test_render_to_standard_output(ramp, capfdbinary):
    from pellucid.cli import main

    assert main(["render", ramp, "-o", "-", "--size", "8"]) == 0
    assert opened(io.BytesIO(capfdbinary.readouterr().out)).shape == (8, 8, 4)


def test_prints_of_the_user_do_not_reach_standard_output(written, capfdbinary):
    from pellucid.cli import main

    name = written("chatty.py", "print('hello')\npicture = Ramp()\n")
    assert main(["render", name, "-o", "-", "--size", "8"]) == 0
    out, err = capfdbinary.readouterr()
    assert opened(io.BytesIO(out)).shape == (8, 8, 4)
    assert err == b"hello\n"


def test_a_terminal_gets_no_png(pellucid, ramp, monkeypatch):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    status, _, err = pellucid("render", ramp, "-o", "-")
    assert status == 2
    assert (
        err
        == "pellucid: -o -: a PNG would garble the terminal; name a file, or send it to a program with |\n"
    )


def test_show_prints_text(pellucid, ramp, monkeypatch):
    monkeypatch.setenv("COLUMNS", "20")
    status, out, _ = pellucid("show", ramp, "--mode", "ascii", "--size", "64")
    assert status == 0
    assert [len(line) for line in out.splitlines()] == [20] * 10


def test_list_names_the_pictures(pellucid, written):
    name = written(
        "many.py", "from pathlib import Path\na = Ramp()\nb = Ramp()\nagain = a\n_hidden = Ramp()\n"
    )
    for command in ("render", "animate", "show", "explain"):
        assert pellucid(command, name, "--list") == (0, "a\nb\n", "")


def test_a_picture_is_chosen_by_name_by_habit_or_because_it_is_the_only_one(pellucid, written):
    one = written("one.py", "strange_name = Ramp()\n")
    two = written("two.py", "a = Ramp()\npicture = Ramp()\n")
    assert pellucid("render", one, "-o", "out.png")[0] == 0
    assert pellucid("render", two, "-o", "out.png")[0] == 0
    assert pellucid("render", f"{two}:a", "-o", "out.png")[0] == 0


def test_files_may_import_their_neighbors(pellucid, written):
    written("neighbor_of_main.py", "made = Ramp()\n")
    name = written("uses.py", "from neighbor_of_main import made\npicture = made\n", kernel=False)
    assert pellucid("render", name, "-o", "out.png") == (0, "", "")


def command(*words):
    return [sys.executable, "-m", "pellucid", *words]


def test_as_a_program(ramp):
    done = subprocess.run(
        command("render", ramp, "-o", "-", "--size", "12x9"), capture_output=True, check=True
    )
    assert opened(io.BytesIO(done.stdout)).shape == (9, 12, 4)
    assert done.stderr == b""


def test_a_closed_pipe_is_no_drama(ramp):
    words = command("render", ramp, "-o", "-", "--size", "2000")
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as program:
        program.stdout.close()
        assert program.stderr.read() == b""
        assert program.wait(30) == 1


def being_written(process: int, folder: Path) -> bool:
    """Whether a process has a file of a folder open, with a name or without."""
    if list(folder.glob(".film.png.*.part")):
        return True
    with suppress(OSError):
        handles = list(Path(f"/proc/{process}/fd").iterdir())
        return any(str(handle.readlink()).startswith(f"{folder}/") for handle in handles)
    return False


@pytest.mark.parametrize(
    ("number", "status", "said"),
    [(signal.SIGINT, 130, b"pellucid: interrupted\n"), (signal.SIGTERM, 143, b"")],
)
def test_an_interrupted_film_leaves_nothing(ramp, tmp_path, number, status, said):
    (tmp_path / "film.png").write_bytes(b"old")
    before = sorted(item.name for item in tmp_path.iterdir())
    words = command("animate", ramp, "-o", "film.png", "--seconds", "1000", "--size", "256")
    with subprocess.Popen(words, stderr=subprocess.PIPE) as program:
        give_up = time.monotonic() + 30
        while not being_written(program.pid, tmp_path):
            assert time.monotonic() < give_up
            time.sleep(0.01)
        time.sleep(0.1)
        program.send_signal(number)
        _, err = program.communicate(timeout=30)
    assert (program.returncode, err) == (status, said)
    assert (tmp_path / "film.png").read_bytes() == b"old"
    assert sorted(item.name for item in tmp_path.iterdir()) == before
