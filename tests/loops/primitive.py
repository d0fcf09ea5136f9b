"""What the tests of the primitive moves share: nests from text, where a move is asked for, goldens, random pairs."""

from pathlib import Path as File

from tests.loops.nests import BUFFERS, RANGES, agree

from pellucid.ir import nest as N
from pellucid.ir.expr import Buffer
from pellucid.ir.parse import parse_nest
from pellucid.ir.path import Path, walk
from pellucid.ir.text import print_nest
from pellucid.loops.core.registry import named
from pellucid.reasoning.prove import Proved, Refuted, Unknown

MEMORY: dict[str, Buffer] = {b.name: b for b in BUFFERS}
HEAD = "kernel k(n: i32, m: i32):\n" + "".join(f"  output {b!r}\n" for b in BUFFERS)
GOLDEN = File(__file__).parent / "golden"


def nest(body: str) -> N.Kernel:
    """A kernel over the buffers of the random nests, from its statements."""
    return parse_nest(HEAD + body, MEMORY)


def body(kernel: N.Kernel) -> str:
    """The statements of such a kernel as text."""
    return print_nest(kernel).removeprefix(HEAD)


def first_of(kernel: N.Kernel, kind: type) -> Path:
    """The path of the first statement of a kind."""
    return next(p for p, s in walk(kernel.body) if isinstance(s, kind))


def made(move: str, before: str, path: Path = ((0, 0),), **options: object) -> str:
    """The statements after a move, which must be proved and must preserve what they mean."""
    kernel = nest(before)
    verdict = named(move).check(kernel, path, ranges=RANGES, **options)
    assert isinstance(verdict, Proved), verdict
    after = named(move).apply(kernel, path, ranges=RANGES, **options).kernel
    agree(kernel, after)
    return body(after)


def refused(move: str, before: str, path: Path = ((0, 0),), **options: object) -> Refuted | Unknown:
    """The verdict on a move that must not be made here."""
    verdict = named(move).check(nest(before), path, ranges=RANGES, **options)
    assert isinstance(verdict, Refuted | Unknown), verdict
    return verdict


PRIMITIVE = (
    "interchange",
    "interchange_with_substitution",
    "interchange_with_back_substitution",
    "compress",
    "absorb_before",
    "absorb_after",
    "absorb_with_substitution",
    "extract_before",
    "extract_after",
    "split_if",
    "simplify_if",
    "eliminate_loop",
    "unroll",
    "unroll_all",
    "roll",
    "roll_all",
)
