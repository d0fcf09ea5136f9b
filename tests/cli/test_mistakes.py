"""What beginners do wrong, each with what is printed for it: one sentence with the place, the rule and the fix.

`mistakes.txt` holds the mistakes, each a title, a few lines of a picture file, and after `>` what the command line
prints. `python -m tests.cli.test_mistakes` writes what is printed now into the file, to be read before it is committed.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path
from typing import NamedTuple

import pytest

FILE = Path(__file__).with_name("mistakes.txt")
HEAD = "import pellucid as pl\nfrom pellucid import images as im\n\n"
WANTED = 76


class Mistake(NamedTuple):
    title: str
    code: str
    printed: str


def mistakes() -> list[Mistake]:
    found: list[Mistake] = []
    for part in re.split(r"^## ", FILE.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        title, _, rest = part.partition("\n")
        code, _, printed = rest.partition("\n> ")
        found.append(Mistake(title, code.strip("\n") + "\n", printed.strip()))
    return found


def printed(code: str) -> str:
    """What the command line prints for a file that is called mistake.py in the current folder."""
    from pellucid.cli import main

    Path("mistake.py").write_text(HEAD + code, encoding="utf-8")
    said = io.StringIO()
    with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()):
        status = main(["render", "mistake.py", "-o", "out.png", "--size", "16"])
    assert status, "nothing is wrong with it"
    return said.getvalue().strip()


def test_there_are_as_many_as_were_promised():
    titles = [one.title for one in mistakes()]
    assert len(set(titles)) == len(titles) >= WANTED


@pytest.mark.parametrize("one", mistakes(), ids=lambda one: one.title)
def test_a_mistake_is_told_in_one_sentence_with_the_fix(one: Mistake, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    said = printed(one.code)
    assert said == one.printed
    assert "\n" not in said
    assert re.match(r"pellucid: mistake\.py:\d+: ", said), "it has the place in the user's file"
    assert "; " in said, "it says what to do"
    assert len(said) <= 320
    assert not re.search(r"Error:|Traceback| at 0x|/src/|please report", said)


def test_a_file_that_python_warns_of_is_read_without_another_warning(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        said = printed('pattern = "\\d"\npicture = pl.image(lambda p: 1.0 if p.x > 0 else 0.0)\n')
    assert "write pl.where(p.x > 0, 1.0, 0.0)" in said
    assert len([one for one in told if "invalid escape" in str(one.message)]) == 1


SCRIPT = """
@pl.image
def picture(p):
    if p.x < 0:
        return im.red
    return im.blue

pl.render(im.swirl(1, im.turn(0.5, picture)), 8)
"""


def _frames(tmp_path: Path, **environment: str) -> list[str]:
    """The files of the frames that Python prints for a script."""
    script = tmp_path / "mistake.py"
    script.write_text(HEAD + SCRIPT, encoding="utf-8")
    words = [sys.executable, "mistake.py"]
    done = subprocess.run(
        words,
        check=False,
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "PELLUCID_DEBUG": "", **environment},
    )
    assert done.returncode == 1
    assert done.stderr.strip().splitlines()[-1].startswith("pellucid.base.errors.TraceError: mistake.py:7: ")
    return [Path(name).name for name in re.findall(r'File "(.*)", line', done.stderr)]


def test_a_traceback_of_python_holds_the_user_s_frames_and_the_door(tmp_path):
    first, door, last = _frames(tmp_path)
    assert first == last == "mistake.py"
    assert door in ("word.py", "tracebacks.py")


def test_all_frames_are_there_when_they_are_asked_for(tmp_path):
    assert len(_frames(tmp_path, PELLUCID_DEBUG="1")) > 10


def test_debug_shows_our_frames_on_the_command_line(tmp_path, monkeypatch, capfd):
    from pellucid.cli import main

    monkeypatch.chdir(tmp_path)
    (tmp_path / "mistake.py").write_text(HEAD + SCRIPT, encoding="utf-8")
    assert main(["render", "mistake.py", "-o", "out.png", "--debug"]) == 1
    assert capfd.readouterr().err.count("File ") > 10


def test_ipython_hides_the_frames_of_pellucid(tmp_path):
    shell = pytest.importorskip("IPython.core.interactiveshell").InteractiveShell()
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        shell.run_cell(HEAD + SCRIPT)
    text = re.sub(r"\x1b\[[0-9;]*m", "", said.getvalue())
    assert "a symbolic value has no truth of its own" in text
    assert "pellucid/driver" not in text
    assert "tracebacks.py" not in text


def main() -> None:
    """Write what is printed now into the file."""
    kept = mistakes()
    os.environ["PELLUCID_CACHE_DIR"] = tempfile.mkdtemp()
    with contextlib.chdir(tempfile.mkdtemp()):
        told = [(one, printed(one.code)) for one in kept]
    FILE.write_text(
        "\n".join(f"## {one.title}\n{one.code}\n> {said}\n" for one, said in told), encoding="utf-8"
    )


if __name__ == "__main__":
    main()
