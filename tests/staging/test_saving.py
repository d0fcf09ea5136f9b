"""Compilers as files: what is loaded compiles the same, in another process too, and nothing of a file is run."""

import hashlib
import subprocess
import sys

import pytest
from tests.staging.figures import FILTER
from tests.staging.interpreters import RPN, TREES

from pellucid.base.errors import FileError, InputError, StagingError
from pellucid.staging import DYNAMIC, STATIC, Memory, cogen, interpreter, load_compiler
from pellucid.staging.root.machine import run
from pellucid.staging.root.program import linked
from pellucid.staging.root.reading import read_sugar
from pellucid.staging.root.writing import write

WEIGHTS = {"one": (1, 0.5), "two": (2, 0.25)}


@interpreter
def weigh(program, x):
    found = []
    for name in program:
        number, part = WEIGHTS[name]
        found.append(x * number)
        found.append(part)
    return found, len(found)


@pytest.mark.parametrize(
    ("text", "name", "times", "options", "statics"),
    [
        (RPN, "expr", "D S nil D D", {}, [linked("x", "y", "+", linked(3), "*")]),
        (TREES, "start", "D S D D", {}, [linked("if", *(linked("var", one) for one in "xyx"))]),
        (FILTER, "fir", "D cyc D S nil", {"integers": True}, [(3, 0), linked(2, 5, 2)]),
    ],
)
def test_a_loaded_compiler_is_the_one_that_was_saved(tmp_path, text, name, times, options, statics) -> None:
    compiler = cogen(read_sugar(text)[name], times.split(), **options)
    compiler.save(tmp_path / "saved")
    loaded = load_compiler(tmp_path / "saved")
    assert (loaded.trace, loaded.options) == (compiler.trace, compiler.options)
    assert write(loaded(*statics)) == write(compiler(*statics))


def test_a_compiler_is_loaded_by_another_process(tmp_path) -> None:
    compiler = cogen(read_sugar(RPN)["expr"], ["D", "S", "nil", "D", "D"])
    compiler.save(tmp_path / "saved")
    program = f"""
from pellucid.staging import load_compiler
from pellucid.staging.root.program import linked
from pellucid.staging.root.writing import write
print(write(load_compiler({str(tmp_path / "saved")!r})(linked("x", "y", "+", linked(3), "*"))))
"""
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == write(compiler(linked("x", "y", "+", linked(3), "*")))


def test_a_compiler_of_a_python_interpreter_keeps_its_names_and_results(tmp_path) -> None:
    compiler = cogen(weigh, program=STATIC, x=DYNAMIC)
    compiler.save(tmp_path / "saved")
    loaded = load_compiler(tmp_path / "saved")
    for program in ((), ("two",), ("one", "two")):
        assert loaded(program)(7) == compiler(program)(7) == weigh(program, 7)
    assert repr(loaded) == repr(compiler)
    for one in (compiler, loaded):
        with pytest.raises(StagingError, match=r"test_saving.py:\d+: no entry 'three'; change the program"):
            one(["three"])
    with pytest.raises(StagingError, match=r"test_saving.py:\d+: 0 static values.*give program"):
        loaded()


def test_a_damaged_file_is_refused_whatever_was_changed(tmp_path) -> None:
    path = tmp_path / "saved"
    cogen(read_sugar(RPN)["expr"], ["D", "S", "nil", "D", "D"]).save(path)
    whole = path.read_bytes()
    for at in range(20, len(whole), 97):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        with pytest.raises(FileError, match=r"saved: is damaged.*make the compiler by cogen again"):
            load_compiler(path)
    path.write_bytes(whole[:300])
    with pytest.raises(FileError, match="damaged"):
        load_compiler(path)
    path.write_text("hello")
    with pytest.raises(FileError, match=r"is not a saved compiler; give a file that the method save wrote"):
        load_compiler(path)
    with pytest.raises(FileError, match="missing"):
        load_compiler(tmp_path / "missing")
    with pytest.raises(InputError, match="load_compiler: path"):
        load_compiler(3)  # pyright: ignore[reportArgumentType]


def sealed(content: str) -> str:
    """A file with the hash that fits, which is no secret."""
    seal = hashlib.blake2b(content.encode(), digest_size=16).hexdigest()
    return f"pellucid compiler 1 {seal}\n{content}"


HEAD = '{"entry": "f", "times": ["D"], "options": {"integers": 0, "most": 9, "deepest": 9}, "more": null}'
CODES = "(code f (k) ((jump k k)))"


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{}\n",
        f"[]\n{CODES}",
        f"{HEAD.replace('f', 'g')}\n{CODES}",
        f"{HEAD.replace('D', 'Q')}\n{CODES}",
        f"{HEAD.replace('null', '{}')}\n{CODES}",
        f"{HEAD.replace('9', '[]')}\n{CODES}",
        f"{HEAD}\n{CODES.replace('jump', 'leap')}",
        "(" * 100_000,
    ],
)
def test_what_only_has_the_right_hash_holds_no_compiler(tmp_path, content) -> None:
    (tmp_path / "made").write_text(sealed(content))
    with pytest.raises(FileError, match="holds no compiler"):
        load_compiler(tmp_path / "made")


@pytest.mark.parametrize("name", ['"p\nraise SystemExit(1)\n"', '"p\\nraise SystemExit(1)"'])
def test_names_of_a_file_never_become_python(tmp_path, name) -> None:
    codes = f"""(code f (k s {name} n) ((prim z zero? n) (if z ((prim c car k) (jump c k s)))
      (prim m (cons {name}) n s) (const one 1) (prim n - n one) (const j f) (jump j k m {name} n)))"""
    head = '{"entry": "f", "times": ["D", "nil", "D", "S"], "options": {"integers": 0, "most": 99, "deepest": 9}, '
    (tmp_path / "made").write_text(sealed(f'{head}"more": null}}\n{codes}'))
    made = load_compiler(tmp_path / "made")(2)
    pair = run(made, 5)
    assert (pair.car, pair.cdr.car) == (1, 2)


def test_what_has_no_text_cannot_be_saved(tmp_path) -> None:
    words = Memory("m")

    @interpreter
    def reads(program, x):
        return words.load(program) + x

    compiler = cogen(reads, program=STATIC, x=DYNAMIC)
    with pytest.raises(StagingError, match="a constant without a text"):
        compiler.save(tmp_path / "saved")
    assert not list(tmp_path.iterdir())
