"""The hook of hatchling: before a wheel or an archive of sources is made, the page of the studio is built."""

from __future__ import annotations

import os
import runpy
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class StudioPage(BuildHookInterface[Any]):
    """Builds the page by `tools/page.py`; with PELLUCID_SKIP_FRONTEND set, the package is made without it."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the page before hatchling lists the files of the package."""
        if not os.environ.get("PELLUCID_SKIP_FRONTEND"):
            runpy.run_path(str(Path(self.root) / "tools/page.py"))["build"]()
