"""The compiler generator: an interpreter in root and binding times to a compiler (Draves 1996).

>>> from pellucid.staging.cogen import cogen, tidy
"""

from pellucid.staging.cogen.generator import Compiler, cogen
from pellucid.staging.cogen.tidy import tidy

__all__ = ["Compiler", "cogen", "tidy"]
