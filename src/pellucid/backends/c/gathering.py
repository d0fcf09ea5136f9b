"""Loads of bytes from constant arrays as loads of words, of which C compilers make vectors.

Beside `source`. Processors gather words from places that are computed, and no single bytes, so gcc makes no vectors of
a loop that loads a byte of a bitmap. A word that begins at the byte has it in its low bits; the array is padded for it.
"""

from __future__ import annotations

from ...ir import types as T
from ...ir.expr import Buffer
from .spelling import Text, typed

WORD_ANYWHERE = "defined(__GNUC__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__"
HELPER_WORD = f"""#if {WORD_ANYWHERE}
typedef uint32_t __attribute__((aligned(1), may_alias)) word_anywhere;
#endif
"""


def padding(buffer: Buffer) -> int:
    """The elements that an array needs behind its own to be loaded by words; 0 for one that is not loaded so."""
    return 32 // buffer.type.bits - 1 if buffer.type in (T.u8, T.u16) else 0


def by_word(element: str, type_: T.Type, helpers: dict[str, str]) -> Text:
    """The text of an element as the low bits of a word, by a function that is added to the helpers."""
    word = typed(type_)
    name = f"load_{word}"
    helpers["word"] = HELPER_WORD
    # The result is a word as well: with a byte among the values, gcc would make vectors of as many elements as bytes.
    helpers[name] = f"""static inline int32_t {name}(const {word} *element)
{{
#if {WORD_ANYWHERE}
    return (int32_t)(*(const word_anywhere *)element & {(1 << type_.bits) - 1}u);
#else
    return *element;
#endif
}}
"""
    return Text(f"{name}(&{element})", closed=True)
