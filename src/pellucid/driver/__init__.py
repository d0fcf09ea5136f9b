"""The order of the pipeline as data, options, caches, threads and the callable kernel."""

from .kernel import Kernel, compile, export_c
from .known import forget, kernels
from .options import Options

__all__ = ["Kernel", "Options", "compile", "export_c", "forget", "kernels"]
