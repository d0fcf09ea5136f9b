"""Pages of reports, read: what stands in them, as a browser would find it."""

from __future__ import annotations

from html.parser import HTMLParser

VOID = {"meta", "input", "img", "wbr", "br"}


class PageReader(HTMLParser):
    """A page that was read.

    `stages` gives for each stage, by its title, the lines of its program as (tag, text); `steps` the text of each step
    of the ledger and whether its details are there, `tags` every tag with its attributes, and `text` all text.
    """

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.stages: dict[str, list[list[str]]] = {}
        self.steps: list[dict[str, str]] = []
        self.text = ""
        self._title: list[str] | None = None
        self._at: str | None = None
        self._part: str | None = None
        self.feed(page)
        self.close()
        assert self.open == [], "a tag is not closed"

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        self.tags.append((tag, found))
        if tag not in VOID:
            self.open.append(tag)
        if tag == "h3":
            self._title = []
        if found.get("class") == "l" and self._at is not None:
            self.stages[self._at].append([tag, ""])
            self._part = "line"
        if tag == "details":
            self.steps.append({"summary": "", "behind": ""})
        if tag == "summary":
            self._part = "summary"
        if found.get("class") == "behind":
            self._part = "behind"

    def handle_endtag(self, tag):
        assert self.open.pop() == tag
        if tag == "h3" and self._title is not None:
            self._at = "".join(self._title)
            self.stages[self._at] = []
            self._title = None
        if tag in {"pre", "details"}:
            self._part = self._part if tag == "pre" and self._part == "behind" else None

    def handle_data(self, data):
        self.text += data
        if self._title is not None:
            self._title.append(data)
        elif self._part == "line" and self._at is not None:
            self.stages[self._at][-1][1] += data
        elif self._part is not None and self.steps:
            self.steps[-1][self._part] += data

    def programs(self) -> list[str]:
        """The program of each stage, without the lines that were removed."""
        return ["".join(text for tag, text in lines if tag != "del") for lines in self.stages.values()]
