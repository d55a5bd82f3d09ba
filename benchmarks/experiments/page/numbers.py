"""The numbers in the text of docs/experiments.md: those of articles, and settings of experiments.

A measurement of this project stands in a table, which is made of results. A number in the text
between the tables must be one that an article states (articles.QUOTES), a setting of an experiment,
or part of a name. Code, links and headings are not read.
"""

from __future__ import annotations

import re

from benchmarks.experiments import seed_000, seed_001, seed_002
from benchmarks.experiments.page.articles import QUOTES, SECONDS_001

#: Numbers that experiments set themselves, and what they are.
SETTINGS = {
    str(seed_000.N_SOURCES): "sources",
    str(seed_000.MANY_SECONDS_FOR_DIJKSTRA): "the scale from which on a core has fewer sources",
    str(seed_000.FEW_SOURCES): "their number",
    str(seed_001.N_RUNS): "runs",
    str(seed_001.N_EDGES): "edges of a vertex",
    str(seed_002.N_ORIGINS): "origins",
    str(seed_001.LARGEST_FOR_A_CORE): "the most vertices of a core",
    "255": "hops that fit a byte",
    **{str(n): "vertices" for n in SECONDS_001},
}
#: Numbers in names: documents, tables, figures, machines and powers.
_COUNTED = r"(?i:table|figure|scale|point)s?"
_NAMES = re.compile(
    r"seeds?[ -]\d{3}|\b00\d\b|\bR\d+\b|kron21\S*|LiveJournal1"
    rf"|{_COUNTED}\s+\d+[a-d]?(?:(?:,\s+\d+)*\s+(?:to|and)\s+\d+[a-d]?)?"
    r"|H[12]00s?|M60|K40c|M4000|M2050|M1200|E5620|float\d\d|int\d\d|2\^\d+|\d-ary"
)
_NOT_TEXT = re.compile(
    r"^(?: {4}|#|\|)[^\n]*$|```.*?```|`[^`]*`|\]\([^)]*\)|<!--.*?-->", re.MULTILINE | re.DOTALL
)
_NUMBER = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?(?![\w])")


def unknown(text: str) -> list[str]:
    """Return a sentence for each number of the text that is neither quoted nor a setting."""
    known = {quote.number for quotes in QUOTES.values() for quote in quotes}
    known |= {number for quotes in QUOTES.values() for q in quotes for number in _found(q.says)}
    known |= SETTINGS.keys()
    read = _NAMES.sub(_blank, _NOT_TEXT.sub(_blank, text))
    return [
        f"line {read.count(chr(10), 0, match.start()) + 1}: {match.group()} stands in no table and "
        "no article"
        for match in _NUMBER.finditer(read)
        if match.group().rstrip(",") not in known
    ]


def _found(text: str) -> list[str]:
    return _NUMBER.findall(_NAMES.sub(" ", text))


def _blank(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", match.group())
