"""List what changed since the last commit, modules with their importers: what `scripts/check` has to type.

    python -m tools.changed_modules

Prints one path a line, or `src` and `examples` where the answer hangs on more than modules: a stub, or the settings of
the tools. Each commit is typed as a whole by `scripts/test`, so what a change leaves alone was right before it.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import grimp

ROOT = Path(__file__).parents[1]
SOURCES = ROOT / "src"


def changed() -> list[str]:
    """Files that differ from the last commit, or are new, or are gone."""
    listed = [["git", "diff", "--name-only", "HEAD"], ["git", "ls-files", "--others", "--exclude-standard"]]
    return [
        line
        for command in listed
        for line in subprocess.run(
            command, cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout.splitlines()
    ]


def to_check(names: list[str]) -> list[str]:
    """The paths to be typed for some changed files.

    >>> to_check(["docs/house.md"])
    []
    >>> to_check(["pyproject.toml"]), to_check(["src/pellucid/images/gone.py"])
    (['src', 'examples'], ['src', 'examples'])
    >>> "src/pellucid/ir/interp.py" in to_check(["src/pellucid/ir/interp.py"])
    True
    >>> to_check(["examples/swirl.py"])
    ['examples/swirl.py']
    """
    mine = [name for name in names if name.startswith("src/") and name.endswith((".py", ".pyi"))]
    is_wide = any(name == "pyproject.toml" or name.startswith("typings/") for name in names)
    # What is gone leaves importers that the graph no longer shows.
    if is_wide or any(name.endswith(".pyi") or not (ROOT / name).exists() for name in mine):
        return ["src", "examples"]
    examples = [n for n in names if n.startswith("examples/") and n.endswith(".py") and (ROOT / n).exists()]
    if not mine:
        return examples
    graph = grimp.build_graph("pellucid", cache_dir=None)
    found: set[str] = set()
    for name in mine:
        module = ".".join(Path(name).relative_to("src").with_suffix("").parts).removesuffix(".__init__")
        found |= {
            module,
            *(graph.find_modules_that_directly_import(module) if module in graph.modules else ()),
        }
    return [*sorted(map(_path, found)), *examples]


def _path(module: str) -> str:
    """The file of a module."""
    path = SOURCES.joinpath(*module.split("."))
    whole = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return str(whole.relative_to(ROOT))


if __name__ == "__main__":
    print("\n".join(to_check(changed())))
