"""Directions of the edges of a table: as a column of it says, or a comment above it.

One rule for tables of all kinds. Each row is an edge from its source to its target, unless

1. a column is called ``oneway``, ``directed``, ``undirected``, ``bidirectional`` or the like, or
   ``type`` and has the word Undirected, or no words but Directed and Mutual, as in tables of
   Gephi. Its words say which rows are edges both ways, and which lead from target to source. A
   word that is not known is an error: words are never guessed. Or
2. there is no such column, and a comment above a text says that the graph is undirected: ``#
   Undirected graph`` in files of SNAP, ``% sym`` on the first line in those of KONECT.
"""

from __future__ import annotations

import logging
import math
import re
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from warpgraph._arguments.validate import shown
from warpgraph._files.text import Array
from warpgraph._tables import columns

logger = logging.getLogger("warpgraph")

#: Ways of an edge: from its source to its target, from target to source, or both.
ALONG, AGAINST, BOTH = 1, -1, 0

#: Letters, too, as databases write booleans.
_TRUE, _FALSE = ("true", "yes", "y", "t", "1"), ("false", "no", "n", "f", "0")
_KINDS = {"directed": ALONG, "undirected": BOTH, "mutual": BOTH}
#: Words of road networks for from-to, to-from and both.
_LETTERS = {"ft": ALONG, "tf": AGAINST, "b": BOTH}
#: Meanings of true and false in columns that are called so.
_BOOLEANS = {
    "directed": (ALONG, BOTH),
    "undirected": (BOTH, ALONG),
    "bidirectional": (BOTH, ALONG),
    "oneway": (ALONG, BOTH),
}
#: Distinct words of which a column of directions has fewer.
MAX_WORDS = 256
#: First lines in the files of KONECT.
_KONECT = re.compile(r"%\s*(sym|asym|bip)(?:\s|$)")
_UNDIRECTED = re.compile(
    r"\W*(?:graph\s*:\s*)?(un)?directed,?(?:\s+\w+)?(?:\s+(?:graph|network)\b|\s*$)", re.IGNORECASE
)


class Directions(NamedTuple):
    """The direction of each edge of a table.

    If `lists_ways`, a row is a part of a road: rows of both ways for a pair of vertices may be
    ways of their own, as in tables of OSMnx.
    """

    codes: Array  #: int8: `ALONG`, `AGAINST` or `BOTH`
    lists_ways: bool = False


def folded(value: Any) -> str:
    """Return a value as a word: 1.0 as 1, None and NaN as nothing."""
    if value is None or value != value:
        return ""
    if isinstance(value, float | np.floating) and math.isfinite(value) and value == int(value):
        value = int(value)
    word = str(value).strip().lower()
    return word.removesuffix(".0") if word in ("1.0", "0.0", "-1.0") else word


def of_values(
    label: Any,
    values: Array,
    is_given: bool,
    where: str,
    row: Callable[[Array], str] = lambda is_bad: f"row {int(is_bad.argmax())}",
) -> Directions | None:
    """Return what the values of a column say of directions; None: missing.

    Unless the caller chose it, a column called ``type`` may say nothing of them. `where` is the
    table, and `row` returns how callers know the first of some rows.
    """
    found: dict[Any, int] = {}
    words_of_rows = (v if isinstance(v, Hashable) else str(v) for v in values)
    positions = np.fromiter((found.setdefault(v, len(found)) for v in words_of_rows), np.int32)
    words = list(found)
    is_kind = columns.direction_named(label) == columns.KIND
    if is_kind and not is_given and not may_tell(words):
        return None
    directions = of_words(label, words, positions, lambda k: f"{where}, {row(positions == k)}")
    log(directions, f"{where}, column {shown(label)}")
    return directions


def of_words(
    label: Any, words: Sequence[Any], positions: Array, where: Callable[[int], str]
) -> Directions:
    """Return the directions of rows, of which row i has the word ``words[positions[i]]``.

    `where` returns the place of the first row with word k, for the error about it.
    """
    plain = [folded(word) for word in words]
    about, known = _vocabulary(label, set(plain))
    for k, word in enumerate(plain):
        if word not in known:
            column = shown(label) if isinstance(label, str) else f"column {shown(label)}"
            listed = ", ".join(map(shown, filter(None, known)))
            raise ValueError(
                f"{where(k)}: expected a direction in {column}, got "
                f"{shown(words[k]) if word else 'none'}; known are {listed}"
                f"{_advice(about, word)}; direction=None ignores them"
            )
    codes = np.array([known[word] for word in plain], np.int8)[positions]
    return Directions(codes, about in ("oneway", "bidirectional"))


def _vocabulary(label: Any, words: set[str]) -> tuple[str | None, dict[str, int]]:
    """Return what a column is about, if that is known, and the meanings of words in it."""
    about = columns.direction_within(label)
    if about in (None, columns.KIND) and not words.isdisjoint(_KINDS):
        about = columns.KIND
    elif about in (None, columns.KIND) and not words.isdisjoint([*_LETTERS, "-1"]):
        about = "oneway"
    if about == "oneway":
        return about, _of_roads(words)
    if about in _BOOLEANS:
        yes, no = _BOOLEANS[about]
        return about, dict.fromkeys(_TRUE, yes) | dict.fromkeys(_FALSE, no) | _KINDS
    return about, _KINDS if about else _KINDS | _LETTERS | {"-1": AGAINST}


def _of_roads(words: set[str]) -> dict[str, int]:
    """Return the meanings of words about one-way streets; a road that has none is no such."""
    known = {"": BOTH, "-1": AGAINST, "reverse": AGAINST, **_LETTERS}
    yes, no = _BOOLEANS["oneway"]
    # T and F are true and false in some tables, but to-from and from-to beside B. N is no, but
    # beside FT and TF a closed road.
    doubtful = set("tf" if words.isdisjoint(_LETTERS) else "tfyn")
    known |= {word: yes for word in _TRUE if word not in doubtful}
    known |= {word: no for word in _FALSE if word not in doubtful}
    return known | ({"f": ALONG, "t": AGAINST} if "b" in words else {})


def _advice(about: str | None, word: str) -> str:
    """Return the end of a sentence about a word that may be meant in several ways."""
    if about == "oneway" and word in ("t", "f"):
        return "; T and F may be true and false, or to-from and from-to as beside B"
    if about is None:
        return "; yes and no are, in columns called oneway, directed, undirected or bidirectional"
    return ""


def may_tell(words: Iterable[Any]) -> bool:
    """Return whether a column called ``type`` has words that tell directions.

    Edges may be of the types "directed" and "mutual" among others, but not "undirected".
    """
    plain = {folded(word) for word in words} - {""}
    return "undirected" in plain or (bool(plain) and plain <= _KINDS.keys())


def log(directions: Directions, source: str) -> None:
    """Say in the log what was found; `source` is the file or the table and what told it."""
    codes = directions.codes
    both, against = (int(np.count_nonzero(codes == code)) for code in (BOTH, AGAINST))
    logger.info(
        "%s: of %d edges, %d lead both ways and %d from target to source",
        source,
        len(codes),
        both,
        against,
    )


def said_by(comments: Sequence[str]) -> str:
    """Return what the lines above a table say: directed, undirected, bipartite or nothing."""
    found = _KONECT.match(comments[0]) if comments else None
    if found is not None:
        return {"sym": "undirected", "asym": "directed", "bip": "bipartite"}[found[1]]
    for line in comments:
        if found := _UNDIRECTED.match(line):
            return "undirected" if found[1] else "directed"
    return ""
