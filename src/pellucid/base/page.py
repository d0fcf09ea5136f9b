"""The frame of a page: one HTML file that needs no other file and no network, in colors for day and night.

Explanations (`loops.report`) and binding times (`staging.front`) are shown in it. Whatever a page shows goes through
`escaped`; should something slip through, the policy of the page lets the browser run no script but the page's own.
"""

from __future__ import annotations

import base64
import hashlib
import html
import re

STYLE = """\
:root { color-scheme: light dark; --ground: #ffffff; --panel: #f4f5f8; --text: #1c1b22; --soft: #595b66;
  --line: #d5d7de; --accent: #1257c9; }
@media (prefers-color-scheme: dark) {
  :root { --ground: #1c1b22; --panel: #26252e; --text: #e9e8ef; --soft: #a9a8b5; --line: #44434f; --accent: #7fb0ff; }
}
*, ::before, ::after { box-sizing: border-box; }
body { margin: 0 auto; padding: 1rem clamp(.75rem, 3vw, 2rem) 3rem; max-width: 84rem; color: var(--text);
  background: var(--ground); font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1, h2, h3 { line-height: 1.2; }
a { color: var(--accent); }
pre, code { font-family: ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
"""
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")


def escaped(text: str) -> str:
    """A text as it stands in HTML, between tags or between quotes; what cannot be shown is U+FFFD.

    >>> escaped('<b> & "c"')
    '&lt;b&gt; &amp; &quot;c&quot;'
    """
    return html.escape(_CONTROL.sub("\ufffd", text))


def page(title: str, body: str, *, style: str = "", script: str = "", assembly: bool = False) -> str:
    """A whole page; `title` is plain text, `body`, `style` and `script` are HTML, CSS and JavaScript.

    With `assembly` the script may compile modules of WebAssembly.

    >>> page("a < b", "<p>text</p>").count("a &lt; b")
    1
    """
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    compiles = " 'wasm-unsafe-eval'" if assembly else ""
    allowed = f"; script-src 'sha256-{digest}'{compiles}" if script else ""
    policy = f"default-src 'none'; img-src data:; style-src 'unsafe-inline'{allowed}"
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escaped(title)}</title>\n<style>\n{STYLE}{style}</style>\n</head>\n<body>\n{body}"
        + (f"<script>{script}</script>\n" if script else "")
        + "</body>\n</html>\n"
    )
