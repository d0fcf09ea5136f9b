"""Pellucid: a run-time compiler for pixels and samples that you can see through.

Images are functions of continuous space and time; every picture is compiled for exactly the case at hand.
"""

from __future__ import annotations

__version__ = "0.1.0"
