"""Checks the site that ``make docs`` has made: links within it, and what readers of pages hear.

Every link leads to a page, and every anchor to a place there. Figures have texts for readers who do
not see them, pages say their language, and headings skip no level.
"""

from __future__ import annotations

import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlparse


class Page(HTMLParser):
    """The links, anchors, figures and headings of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.without_text: list[str] = []
        self.levels: list[int] = []
        self.language: str | None = None
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        """Note what a tag has."""
        has = {name: value or "" for name, value in attributes}
        self.anchors |= {has[name] for name in ("id", "name") if name in has}
        self.links += [has[name] for name in ("href", "src") if has.get(name)]
        if tag == "img" and not has.get("alt"):
            self.without_text.append(has.get("src", ""))
        if tag == "html":
            self.language = has.get("lang")
        if re.fullmatch("h[1-6]", tag):
            self.levels.append(int(tag[1]))


def problems(root: Path) -> list[str]:
    """Return a sentence for each problem of a site."""
    files = [path for path in sorted(root.rglob("*.html")) if "_static" not in path.parts]
    pages = {path.resolve(): Page(path.read_text(encoding="utf-8")) for path in files}
    found = []
    for path, page in pages.items():
        name = path.relative_to(root.resolve())
        found += [f"{name}: {link} leads nowhere" for link in page.links if lost(link, path, pages)]
        found += [f"{name}: the figure {source} has no text" for source in page.without_text]
        if not page.language:
            found.append(f"{name}: the page does not say its language")
        steps = zip(page.levels, page.levels[1:], strict=False)
        if any(after > before + 1 for before, after in steps):
            found.append(f"{name}: headings skip a level: {page.levels}")
    return found


def lost(link: str, path: Path, pages: dict[Path, Page]) -> bool:
    """Return whether a link within the site leads to no page, or to no place there."""
    url = urlparse(link)
    if url.scheme or url.netloc:
        return False
    to = (path.parent / unquote(url.path)).resolve() if url.path else path
    if to not in pages:
        return not to.exists()
    return bool(url.fragment) and unquote(url.fragment) not in pages[to].anchors


if __name__ == "__main__":
    sentences = problems(Path(sys.argv[1]))
    print("\n".join(sentences) or "every link leads somewhere, every figure has a text")
    sys.exit(bool(sentences))
