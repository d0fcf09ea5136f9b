"""The page on interpreters prints what it shows."""

import re
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).parents[3] / "docs/interpreters.md"


def test_the_page_prints_what_it_shows(tmp_path: Path) -> None:
    found = re.findall(r"^```(python|text)\n(.*?)^```", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    program = tmp_path / "page.py"
    program.write_text("\n".join(body for language, body in found if language == "python"), encoding="utf-8")
    done = subprocess.run([sys.executable, str(program)], check=True, capture_output=True, text=True)
    assert done.stdout == "".join(body for language, body in found if language == "text")
