"""The words of the vocabulary as methods, found when they are asked for.

Below `drawable`. What editors and type checkers know of them stands in the stub beside this file, which
``python -m tools.stubs`` writes from the registry.
"""

from __future__ import annotations

from typing import Any


class Methods:
    """Every word of the vocabulary that takes an image, as a method."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        """A word of the vocabulary as a method."""
        if name.startswith("_"):
            raise AttributeError(name)
        from .word import method

        return method(self, name)

    def __dir__(self) -> list[str]:
        """Own names and the words that take an image."""
        from .word import method_names

        return sorted({*super().__dir__(), *method_names()})
