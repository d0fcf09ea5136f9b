"""The command `serve`, as people type it."""

from __future__ import annotations

import http.client
import re
import signal
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

PICTURE = "from pellucid import images as im\ndots = im.swirl(100, im.checkerboard(10, im.black, im.white))\n"


def test_a_picture_is_served_until_it_is_interrupted(tmp_path: Path):
    (tmp_path / "poster.py").write_text(PICTURE)
    words = ["serve", str(tmp_path / "poster.py"), "--size", "5000x4000", "--zoom", "20", "--no-browser"]
    run = subprocess.Popen([sys.executable, "-m", "pellucid", *words], stdout=subprocess.PIPE, text=True)
    assert run.stdout is not None
    lines = [run.stdout.readline() for _ in range(4)]
    page, zarr = (re.search(r"http://\S+", lines[k])[0] for k in (0, 2))
    connection = http.client.HTTPConnection("127.0.0.1", urlsplit(page).port, timeout=60)
    connection.request("GET", urlsplit(zarr).path + "/0/c/0/7/9")
    answer = connection.getresponse()
    assert (answer.status, len(answer.read())) == (200, 4 * 256 * 256)
    connection.close()
    run.send_signal(signal.SIGINT)
    run.stdout.close()
    assert run.wait(60) in (0, 130)


def test_no_size_and_a_bad_port_are_told(pellucid, tmp_path: Path):
    (tmp_path / "poster.py").write_text(PICTURE)
    status, _, problem = pellucid("serve", str(tmp_path / "poster.py"), "--size", "64x64", "--port", "99999")
    assert (status, problem) == (
        2,
        "pellucid: port: 99999 is out of range; give a whole number from 0 to 65535\n",
    )
