r"""Documents: Python texts that are read as trees of words, edited as text, and evaluated to pictures.

Above `images`, whose registry says what words take, and below `canvas`. `read` never raises and executes nothing;
`evaluate` calls words of the registry only. `data` and `words_for` tell a page what there is, `offers` which edits fit
where; each of `EDITS` gives a change of the text, and `apply` the document after it with the change that goes back.

>>> from pellucid.document import evaluate, read
>>> document = read("from pellucid import images as im\npicture = im.disk(0.5)")
>>> evaluate(document).picture
disk(0.5)
"""

from __future__ import annotations

from .change import Replacement, TextChange, Utf16
from .editing import AppliedChange, apply
from .evaluating import Evaluated, diagnosis, evaluate, pictures
from .offering import EDITS, EditOffer, offers
from .presenting import change_data, change_of, data, diagnostic_data
from .reading import read
from .source import MAX_CHARACTERS
from .templates import words_for
from .tree import Argument, Definition, Diagnostic, Document, DocumentNode, Statement

__all__ = [
    "EDITS",
    "MAX_CHARACTERS",
    "AppliedChange",
    "Argument",
    "Definition",
    "Diagnostic",
    "Document",
    "DocumentNode",
    "EditOffer",
    "Evaluated",
    "Replacement",
    "Statement",
    "TextChange",
    "Utf16",
    "apply",
    "change_data",
    "change_of",
    "data",
    "diagnosis",
    "diagnostic_data",
    "evaluate",
    "offers",
    "pictures",
    "read",
    "words_for",
]
