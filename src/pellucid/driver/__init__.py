"""The order of the pipeline as data, options, caches, threads and the callable kernel."""

from .compiled import forget
from .kernel import Kernel, compile, explain, export_c
from .options import Options
from .report import Report

__all__ = ["Kernel", "Options", "Report", "compile", "explain", "export_c", "forget"]
