"""Reports: the one model of an explanation, and its forms: text, Markdown, JSON, and a page for browsers.

Above the ledger, below sessions of `hops` and the driver, which make reports.
"""

from .report import Report

__all__ = ["Report"]
