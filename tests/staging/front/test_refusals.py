"""Python outside of the subset: one error, with the line and what to write instead."""

import linecache
import re
from dataclasses import dataclass

import pytest

from pellucid.base.errors import StagingError
from pellucid.staging import DYNAMIC, STATIC, Memory, cogen, interpreter

REFUSED = [
    ("y = lambda z: z", "write a function with `def`"),
    ("y = (lambda z: z)(x)", "call it by its name.*a text that names it"),
    ("y = called(same, x)", "a text and branch where it is called: if which == 'same': y = same\\(x\\)"),
    ("y = p(x)", "p is a variable that is called: .* hand on a text that names the function, and branch"),
    ("y = [z for z in (1, 2)]", "write a loop that appends"),
    ("y = {z: 1 for z in (1, 2)}", "write a loop that assigns"),
    ("y = {1, 2}", "write a tuple"),
    ("y = (z := 1)", "assign the variable on a line before"),
    ("y = [1, 2]\n    y = y[1:2]", "take the items by their index"),
    ("y = p[0:9:2]", "take the items in a loop"),
    ("y = x.real", "keep values in tuples or dictionaries"),
    ("y = x ** 2", "multiply in a loop"),
    ("y = x @ x", "multiply in a loop"),
    ("y = x is 3", "write == for other values"),
    ("y = print(x)", "write a loop"),
    ("y = {'a': same}['a'](x)", "write `if` and `elif` with calls"),
    ("y = round(x)", r"write int\(apply\('round\.f64', x\)\)"),
    ("y = zip(p, p)", "use it in `for"),
    ("y = x.bit_length()", "use append and pop"),
    ("y = min((1, 2))", "give two values or more"),
    ("y = len(x, x)", "give as many"),
    ("y = b'text'", "write it with if"),
    ("y = f'{x:3}'", "write {x} or {x!r}"),
    ("y = unknown", "define it before"),
    ("y = (1, 2) + (3,)", "append items"),
    ("y = [1, 2] * 3", "repeat a list of one item"),
    ("y = [1]\n    y += [2]", "append the items one by one"),
    ("y = [1]\n    z = y\n    z.append(2)", "copy it"),
    ("y = [[1]]\n    z = y[0]\n    z.append(2)", "copy it"),
    ("y = ([1], 2)\n    z, w = y\n    z.append(2)", "copy it"),
    ("y = [1]\n    for z in y:\n        y.append(z)", "loop over tuple"),
    ("y = [1] if x else (1,)\n    y = y[0]", "copy"),
    ("p.append(1)", "begin with a copy under another name"),
    ("p[0] = 1", "begin with a copy under another name"),
    ("y = [1]\n    y = twice(y, y)\n    y.append(1)", "copy it"),
    ("y = [1]\n    z = same(y)\n    y.append(1)", "copy it"),
    ("x.y = 3", "begin with a copy under another name"),
    ("y = Point(1)", "give one argument for each parameter"),
    ("y = Point(1, 2, z=3)", "name one that it has"),
    ("y = Point(1, 2)\n    y = y.z", "it has x, y"),
    ("y = Point(1, 2)\n    y = y.norm()", "write a function that takes the object"),
    ("y = Point(1, 2)\n    y.x = 3\n    z = y\n    y.x = 4", "make a second object of its fields"),
    ("y = Point(1, 2) if x else Other(3)\n    y = y.x", "use one class with a field"),
    ("y = p[0]\n    y.z = 3", "copy it"),
    ("y = Point(1, 2)\n    y = y[0]", "take a field by its name"),
    ("y = Checked(1)", "compute fields before"),
    ("y = isinstance(x)", "write isinstance"),
    ("y = isinstance(x, p)", "write int, str, tuple or a class"),
    ("y = isinstance([1], list)", "keep a tag"),
    ("y = (*p, 1)", "put \\*x last"),
    ("y = [1, *p]", "append them in a loop"),
    ("y = {'a': 1, **p}", "put \\*\\*x first"),
    ("y, *z, w = p", "put \\*rest last"),
    ("y = [1] == p", "compare with a tuple that is written"),
    ("y = [1] == (1,)", "compare with a tuple that is written"),
    ("y = (1, 2) < (3, 4)", "compare their items"),
    ("y = p.items()", "write `for ... in p.items"),
    ("for y in reversed(range(3)):\n        z = y", "write range, enumerate, zip or reversed of a sequence"),
    ("for y in enumerate(p):\n        z = y", "name one variable for each"),
    ("for y in x.values:\n        z = y", "annotate the parameter"),
    ("try:\n        y = 1\n    finally:\n        y = 2", "test before"),
    ("with x:\n        y = 1", "write plain calls"),
    ("del x", "leave the variable"),
    ("global g", "pass the value as an argument"),
    ("import os", "import at the top"),
    ("def g():\n        return 1", "define functions at the top"),
    ("def g(y):\n        return y + x", "define functions at the top"),
    ("class G:\n        pass", "define classes outside"),
    ("match p:\n        case {'a': y}:\n            y = 1", "match literals, names"),
    ("match p:\n        case (1, *y, 2):\n            y = 1", "match literals, names"),
    ("match p:\n        case Point(1, 2, 3):\n            y = 1", "name the fields"),
    ("match p:\n        case same():\n            y = 1", "match int, str, tuple or a class"),
    ("y = [1]\n    match y:\n        case (1,):\n            y = 1", "write `if` and `elif`"),
    ("for y in range():\n        z = y", "write `for i in range"),
    ("if x:\n        y = 1\n    x = y", "give it a value before"),
    ("y = None if x else []\n    z = y is None", "keep a flag beside it"),
    ("match x:\n        case [*_]:\n            x = None if x else (1,)[1:]", "keep a flag beside it"),
    ("if x:\n        return None\n    return [x]", "return a flag beside it"),
    ("if x:\n        return (None, x)\n    return ((x,)[1:], x)", "return a flag beside it"),
    ("if x:\n        return {'a': x}\n    return [x]", "return one of them"),
    ("if x:\n        return None\n    return Point(x, 2) or [x]", "return one of them"),
    ("raise", "raise one with a message"),
    ("y = abs(x, key=1)", "give the values in order"),
]


@dataclass
class Point:
    x: int
    y: int


@dataclass
class Other:
    x: int


@dataclass
class Checked:
    x: int

    def __post_init__(self):
        self.x += 1


def twice(one, other):
    one.append(1)
    return len(other)


def called(function, one):
    return function(one)


def same(one):
    return one


def refusal(text: str) -> str:
    """The error of a function with such a body."""
    source = f"def run(p, x):\n    {text}\n    return x\n"
    linecache.cache["refused.py"] = (len(source), None, source.splitlines(keepends=True), "refused.py")
    names = dict(globals())
    exec(compile(source, "refused.py", "exec"), names)
    with pytest.raises(StagingError) as caught:
        cogen(interpreter(names["run"]), p=STATIC, x=DYNAMIC)
    return str(caught.value)


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
@pytest.mark.parametrize(("text", "instead"), REFUSED)
def test_what_is_outside_of_the_subset_is_refused(text: str, instead: str) -> None:
    told = refusal(text)
    assert re.match(r"refused\.py:[2-5]: ", told), told
    assert re.search(instead, told), told


@interpreter
def plain(p, x):
    return x + p


def test_binding_times_are_checked() -> None:
    with pytest.raises(StagingError, match=r"plain has no parameter q; .*p, x"):
        cogen(plain, p=STATIC, q=DYNAMIC)
    with pytest.raises(StagingError, match="the parameter x has no binding time; give x=STATIC"):
        cogen(plain, p=STATIC)
    with pytest.raises(StagingError, match=r"x: no binding time: 'Q'"):
        cogen(plain, p=STATIC, x="Q")
    with pytest.raises(StagingError, match="3 is no binding time of x"):
        cogen(plain, p=STATIC, x=3)
    with pytest.raises(StagingError, match=r"is no binding time of x; give DYNAMIC.*: x: Memory$"):
        cogen(plain, p=STATIC, x=Memory("m", 8))
    with pytest.raises(StagingError, match="0 static values, where 1 are asked for; give p"):
        cogen(plain, p=STATIC, x=DYNAMIC)()
    with pytest.raises(StagingError, match="is no static value"):
        cogen(plain, p=STATIC, x=DYNAMIC)(object())
