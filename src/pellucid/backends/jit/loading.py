"""Object code loaded: from the store where it is kept, or else compiled now and kept there.

Every back end that keeps object code goes through here, so that one rule holds for all: code from the store that cannot
be loaded, for whatever reason, is no code.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from ..port import CodeStore

Loaded = TypeVar("Loaded")


def loaded(
    store: CodeStore | None, key: str, make: Callable[[], bytes], load: Callable[[bytes], Loaded]
) -> Loaded:
    """Load the code under a key, or make, load and keep it where there is none that can be loaded.

    >>> loaded(None, "one", lambda: b"1", int)
    1
    """
    found = recalled(store, key, load)
    if found is None:
        code = make()
        found = load(code)
        if store is not None:
            store.put(key, code)
    return found


def recalled(store: CodeStore | None, key: str, load: Callable[[bytes], Loaded]) -> Loaded | None:
    """Load the code under a key; None where there is none that can be loaded."""
    code = store.get(key) if store is not None else None
    if code is not None:
        # A damaged object makes a linker raise anything at all.
        with suppress(Exception):
            return load(code)
    return None
