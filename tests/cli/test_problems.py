"""Everything that can be wrong with the words or the file is one line on standard error."""

from __future__ import annotations

import subprocess
import sys

import pytest

USAGE = [
    ([], None),
    (["rendr", "x.py"], "unknown command 'rendr'; did you mean 'render'? See pellucid --help"),
    (["frobnicate"], "unknown command 'frobnicate'; see pellucid --help"),
    (["render"], "the following arguments are required: FILE.py[:NAME]; see pellucid render --help"),
    (["render", "ramp.py"], "no file to write was named; add -o OUT.png, or -o - for standard output"),
    (["render", "ramp.py", "-o", "a.png", "--siez", "4"], "unrecognized arguments: --siez 4; see pellucid"),
    (
        ["render", "ramp.py", "-o", "a.png", "--size", "4y3"],
        "argument --size: '4y3' is not a size; write 1024x768",
    ),
    (["render", "ramp.py", "-o", "a.png", "--size", "0x3"], "size: 0x3 has no pixels"),
    (["render", "ramp.py", "-o", "a.png", "--size", "-4"], "size: -4x-4 has no pixels"),
    (
        ["render", "ramp.py", "-o", "a.png", "--size", "1000000x1000000"],
        "size: 1000000x1000000 has more than 2147483647 pixels",
    ),
    (
        ["render", "ramp.py", "-o", "a.png", "--center", "3"],
        "argument --center: '3' is not a point; write x,y",
    ),
    (["render", "ramp.py", "-o", "a.png", "--center", "nan,0"], "center: nan is not a finite number"),
    (["render", "ramp.py", "-o", "a.png", "--zoom", "0"], "zoom: 0 pixels per unit; give a positive number"),
    (["render", "ramp.py", "-o", "a.png", "--zoom", "big"], "argument --zoom: 'big' is not a number"),
    (["render", "ramp.py", "-o", "a.png", "--time", "inf"], "time: inf is not a finite number"),
    (["render", "ramp.py", "-o", "a.png", "--samples", "0"], "samples: 0 is out of range"),
    (
        ["render", "ramp.py", "-o", "a.png", "--samples", "1.5"],
        "argument --samples: '1.5' is not a whole number",
    ),
    (["render", "ramp.py", "-o", "a.png", "--threads", "0"], "threads: 0 is out of range"),
    (["render", "ramp.py", "-o", "a.png", "--param", "twist"], "argument --param: 'twist' sets no parameter"),
    (["render", "ramp.py", "-o", "a.png", "--param", "twst=1"], "no parameter 'twst'; did you mean 'twist'?"),
    (
        ["render", "ramp.py", "-o", "a.png", "--numerics", "exakt"],
        "argument --numerics: invalid choice: 'exakt'",
    ),
    (["render", "ramp.py", "-o", "a.xyz"], "a.xyz: unknown suffix '.xyz'; known are .png"),
    (["render", "ramp.py", "-o", "a.png", "--background", "mauve"], "background: 'mauve' is not a color"),
    (["render", "ramp.py:nope", "-o", "a.png"], "ramp.py: has no picture 'nope'; it has picture"),
    (
        ["render", "ramp.py:pictur", "-o", "a.png"],
        "ramp.py: has no picture 'pictur'; did you mean 'picture'?",
    ),
    (["render", "ramp.py:", "-o", "a.png"], "a name is missing after the colon"),
    (["animate", "ramp.py", "-o", "a.jpg"], "JPEG holds no moving pictures"),
    (
        ["animate", "ramp.py", "-o", "a.png", "--seconds", "-1"],
        "seconds: -1.0 is not a positive, finite number",
    ),
    (["animate", "ramp.py", "-o", "a.mp4", "--size", "15"], "MP4 needs an even width and height"),
    (["export", "rust", "ramp.py"], "argument language: invalid choice: 'rust'"),
    (["export", "c", "ramp.py", "--name", "my-name"], "--name: 'my-name' cannot name a C function"),
    (["export", "html", "ramp.py", "--name", "ramp"], "--name: names a function in C; leave it out"),
    (["export", "html", "ramp.py", "--lanes", "32"], "--lanes: only C has lanes to choose; leave it out"),
    (["export", "html", "ramp.py", "-o", "a.htm"], "-o: a file of this kind ends in .html; name it a.html"),
    (["export", "c", "ramp.py", "--zoom", "2"], "--zoom: a function in C draws all views; leave it out"),
    (
        ["export", "c", "ramp.py", "--param", "a=1"],
        "--param: a function in C takes all parameters; leave it out",
    ),
    (["explain", "ramp.py", "--json", "--markdown"], "not allowed with argument"),
]


@pytest.mark.parametrize(("words", "message"), USAGE, ids=[" ".join(row[0]) or "nothing" for row in USAGE])
def test_wrong_usage_is_one_line_and_status_2(pellucid, ramp, tmp_path, words, message):
    before = sorted(tmp_path.iterdir())
    status, out, err = pellucid(*words)
    assert status == 2
    assert out == ""
    if message is not None:
        assert err.startswith("pellucid: ")
        assert message in err
        assert err.count("\n") == 1
    assert sorted(tmp_path.iterdir()) == before


FILES = [
    ("raise ValueError('no luck')", "bad.py:1: ValueError: no luck"),
    ("x = 1\n\ndef f():\n    return 1 / 0\nf()\n", "bad.py:4: ZeroDivisionError: division by zero"),
    ("def f(:\n", "bad.py:1: SyntaxError: "),
    ("import not_there_at_all\n", "bad.py:1: ModuleNotFoundError: No module named 'not_there_at_all'"),
    ("import sys\nsys.exit(3)\n", "bad.py: the file ended the program (exit 3)"),
    ("raise AssertionError\n", "bad.py:1: AssertionError\n"),
    (
        "from pellucid.base.errors import InputError\n\nraise InputError('too hot', place='sun')",
        "bad.py:3: sun: too hot",
    ),
]


@pytest.mark.parametrize(("text", "message"), FILES, ids=[row[1][:30] for row in FILES])
def test_errors_of_the_file_are_told_with_their_line(pellucid, written, text, message):
    written("bad.py", text, kernel=False)
    status, out, err = pellucid("render", "bad.py", "-o", "a.png")
    assert (status, out) == (1, "")
    assert err.startswith(f"pellucid: {message}")
    assert "Traceback" not in err


def test_errors_of_the_picture_are_told_with_their_line(pellucid, written):
    written(
        "bad.py",
        "class Bad(Ramp):\n    def render(self, **_):\n        raise KeyError('deep inside')\npicture = Bad()\n",
    )
    status, _, err = pellucid("render", "bad.py", "-o", "a.png")
    assert status == 1
    assert err == "pellucid: bad.py:18: KeyError: 'deep inside'\n"


def test_debug_shows_the_traceback(pellucid, written):
    written("bad.py", "raise ValueError('no luck')", kernel=False)
    _, _, err = pellucid("render", "bad.py", "-o", "a.png", "--debug")
    assert "Traceback (most recent call last)" in err
    assert err.endswith("pellucid: bad.py:1: ValueError: no luck\n")


def test_our_own_mistakes_say_so(pellucid, ramp, monkeypatch):
    from pellucid.canvas import draw

    def broken(*args, **named):
        raise IndexError("oops")

    monkeypatch.setattr(draw, "save", broken)
    status, _, err = pellucid("render", ramp, "-o", "a.png")
    assert status == 1
    assert (
        err
        == "pellucid: a mistake in pellucid: IndexError: oops; please report it with the output of --debug\n"
    )


def test_files_that_are_not_there(pellucid, ramp, tmp_path):
    assert pellucid("render", "rammp.py", "-o", "a.png") == (
        1,
        "",
        "pellucid: rammp.py: is not there; did you mean 'ramp.py'?\n",
    )
    (tmp_path / "folder.py").mkdir()
    assert pellucid("render", "folder.py", "-o", "a.png")[2].startswith(
        "pellucid: folder.py: is not a file but a folder"
    )


def test_files_without_or_with_many_pictures(pellucid, written):
    none, many = written("none.py"), written("many.py", "a = Ramp()\nb = Ramp()\n")
    assert pellucid("render", none, "-o", "a.png")[2].startswith(
        "pellucid: none.py: has no pictures; define one"
    )
    status, _, err = pellucid("render", many, "-o", "a.png")
    assert (status, err) == (2, "pellucid: many.py: has 2 pictures (a, b); choose one: many.py:a\n")


def test_an_unwritable_output(pellucid, ramp):
    status, _, err = pellucid("render", ramp, "-o", "nowhere/a.png")
    assert status == 1
    assert err == (
        "pellucid: nowhere/a.png: cannot be written (no such file or directory); make the folder 'nowhere' first\n"
    )


def test_ctrl_c_while_the_file_runs(pellucid, written):
    written("slow.py", "raise KeyboardInterrupt\n", kernel=False)
    assert pellucid("render", "slow.py", "-o", "a.png") == (130, "", "pellucid: interrupted\n")


@pytest.mark.parametrize(
    "command", [[], ["render"], ["animate"], ["show"], ["explain"], ["export"], ["gallery"], ["doctor"]]
)
def test_help_teaches_by_example(pellucid, command):
    status, out, err = pellucid(*command, "--help")
    assert (status, err) == (0, "")
    assert "examples:\n  " in out
    assert max(len(line) for line in out.splitlines()) <= 110


def test_version(pellucid):
    from pellucid import __version__

    assert pellucid("--version") == (0, f"pellucid {__version__}\n", "")


def test_help_is_cheap():
    """Asking for help imports nothing heavy."""
    program = (
        "import sys; from pellucid.cli import main; main(['--help']); "
        "print([name for name in ('numpy', 'llvmlite', 'PIL', 'rich', 'av') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_warnings_are_one_line(written):
    """In a process of its own, because the tests make errors of warnings."""
    name = written("warns.py", "import warnings\nwarnings.warn('a bit odd')\npicture = Ramp()\n")
    words = [sys.executable, "-m", "pellucid", "render", name, "-o", "a.png", "--size", "8"]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert done.stderr == "pellucid: warning: a bit odd\n"
