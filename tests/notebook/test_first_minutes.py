"""The notebook of the examples runs as it stands, in a kernel, and each cell shows what it should."""

from __future__ import annotations

import base64
import io
import os
import re
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from PIL import Image

NOTEBOOK = Path(__file__).parents[2] / "examples/first_minutes.ipynb"

PICTURE, LIVE, TEXT, REPORT = (
    "image/png",
    "application/vnd.jupyter.widget-view+json",
    "text/plain",
    "text/markdown",
)
SHOWN = {
    "board": PICTURE,
    "flower.framed((480, 320), width=9)": PICTURE,
    "rings.framed((480, 320), width=9)": PICTURE,
    "turning": PICTURE,
    "live": LIVE,
    "live.view": TEXT,
    "field.at(np.linspace(0, np.pi, 5), [[0.0], [1.0]])": TEXT,
    "im.bitmap(pixels)": PICTURE,
    'im.from_buffer(packed, "mono12p", (240, 160))': PICTURE,
    "pl.explain(board)": REPORT,
}
"""The last line of each cell, and the richest kind of what it shows."""


def read():
    return nbformat.read(NOTEBOOK, as_version=4)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """The folder in which the notebook was run, and what each cell shows, by its last line."""
    folder = tmp_path_factory.mktemp("notebook")
    own = {
        name: str(folder)
        for name in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR")
    }
    notebook = read()
    client = NotebookClient(notebook, timeout=60, resources={"metadata": {"path": str(folder)}})
    client.execute(env={**os.environ, **own})
    return folder, {
        cell.source.splitlines()[-1]: cell.outputs for cell in notebook.cells if cell.cell_type == "code"
    }


def data(outputs):
    (result,) = [output for output in outputs if output.output_type == "execute_result"]
    return result.data


def picture(outputs):
    return Image.open(io.BytesIO(base64.b64decode(data(outputs)[PICTURE])))


def test_each_cell_runs_and_shows_what_it_should(run):
    _, shown = run
    assert list(shown) == list(SHOWN)
    for line, outputs in shown.items():
        kinds = data(outputs).keys()
        assert SHOWN[line] in kinds, line
        assert SHOWN[line] != TEXT or kinds == {TEXT}, line
        # Warnings would be there.
        assert not [each for each in outputs if each.get("name") == "stderr"], line


def test_pictures_have_the_size_of_their_frames_and_what_moves_moves(run):
    _, shown = run
    for line, size, moves in (
        ("board", (400, 300), False),
        ("flower.framed((480, 320), width=9)", (480, 320), False),
        ("turning", (240, 160), True),
        ("live", (480, 320), False),
        ("im.bitmap(pixels)", (400, 300), False),
    ):
        with picture(shown[line]) as seen:
            assert (seen.size, getattr(seen, "n_frames", 1) > 1) == (size, moves), line
            assert len(seen.convert("RGB").getcolors(1 << 20)) > 1, line


def test_the_notebook_saves_a_picture_and_says_what_it_unpacked(run):
    folder, shown = run
    with Image.open(folder / "flower.png") as saved:
        assert saved.size == (960, 640)
    # What a cell prints may come in several parts.
    texts = [
        "".join(each.text for each in outputs if each.output_type == "stream") for outputs in shown.values()
    ]
    first, second = filter(None, texts)
    assert first == "(160, 240, 4) uint8\n"
    assert second.startswith("57600 bytes hold 38400 samples")


def test_the_notebook_is_small_and_its_links_lead_somewhere():
    notebook = read()
    nbformat.validate(notebook)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            # Outputs are large, and change.
            assert (cell.outputs, cell.execution_count) == ([], None)
        for target in re.findall(r"\]\(([^)#\s]+)\)", cell.source if cell.cell_type == "markdown" else ""):
            assert (NOTEBOOK.parent / target).exists(), target
