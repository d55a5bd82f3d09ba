"""The column of a text table that tells the directions of its edges, read block by block."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from warpgraph._arguments.validate import shown
from warpgraph._files.text import Array, Lines, narrowed
from warpgraph._tables import columns as _columns, directions as _directions
from warpgraph._tables.directions import Directions
from warpgraph._tables.records import Records


class Words(NamedTuple):
    """The words of some rows: row i has ``words[positions[i]]``."""

    words: list[str]
    positions: Array


def position_given(first: Records, words: list[str], direction: str | int | None) -> int | None:
    """Return the position of the column that the caller chose, if he chose one."""
    if direction is None or _columns.is_auto(direction):
        return None
    if isinstance(direction, int):
        if direction < len(words):
            return direction
        raise first.error(
            first.first_line, f"at least {direction + 1} columns, of which {len(words)} are there"
        )
    if words.count(direction) == 1:
        return words.index(direction)
    raise not_one(first, words, direction)


def not_one(first: Records, words: list[str], name: str, why: str = "") -> ValueError:
    """Return the exception for a header without a column, or with two of its name."""
    sentence = "; ".join(filter(None, (_columns.not_one(words, name), why)))
    return ValueError(f"{first.path}, line {first.first_line}: {sentence}")


class DirectionColumn:
    """A column that may tell directions, if the first line turns out to be a header."""

    def __init__(self, path: str, position: int, label: str, is_given: bool) -> None:
        self._path, self._position, self._label = path, position, label
        self._is_given = is_given
        self._first_lines: dict[str, int] = {}
        self._is_other = False  #: whether it has too many words for directions

    def words_of(self, block: Records) -> Words | None:
        """Return the words of some rows."""
        if self._is_other:
            return None
        found: dict[str, int] = {}
        rows = filter(None, block.reader())
        positions = np.fromiter(
            (found.setdefault(row[self._position], len(found)) for row in rows), np.int32
        )
        self._note(block, set(found).difference(self._first_lines))
        words = Words(list(found), narrowed(positions))
        if len(self._first_lines) > _directions.MAX_WORDS:
            self._is_other = self.directions([words], is_labelled=True) is None
        return words

    def _note(self, block: Records, new: set[str]) -> None:
        """Note the lines where words are for the first time."""
        if len(new) > _directions.MAX_WORDS:
            new = set(list(new)[: _directions.MAX_WORDS + 1])
        for number, row in block.rows() if new else ():
            if row[self._position] in new:
                self._first_lines[row[self._position]] = number
                new.discard(row[self._position])
                if not new:
                    return

    def directions(self, parts: Sequence[Words | None], *, is_labelled: bool) -> Directions | None:
        """Return the directions of all rows; None if the column is about something else.

        `is_labelled`: the column has a label in a header; else it is known by its position.
        """
        if self._is_other or not (is_labelled or self._is_given):
            return None
        label = self._label if is_labelled else self._position
        known: dict[str, int] = {}
        for part in filter(None, parts):
            for word in part.words:
                known.setdefault(word, len(known))
        words = list(known)
        is_kind = _columns.direction_named(label) == _columns.KIND
        if is_kind and not self._is_given and not _directions.may_tell(words):
            return None
        positions = [
            np.array([known[word] for word in part.words], np.int32)[part.positions]
            for part in parts
            if part is not None
        ]
        found = _directions.of_words(
            label,
            words,
            np.concatenate([np.empty(0, np.int32), *positions]),
            lambda k: f"{self._path}, line {self._first_lines.get(words[k])}",
        )
        _directions.log(found, f"{self._path}, column {shown(label)}")
        return found


def refuse_common(ids: Array, tail: Array, head: Array, lines: Lines) -> None:
    """Refuse ids that both columns of a bipartite graph have, each of which is two vertices."""
    is_tail = np.zeros(len(ids), bool)
    is_tail[tail] = True
    common = head[is_tail[head]]
    if common.size:
        raise ValueError(
            f"{lines.path}, line 1: {lines.comments[0].strip()!r} says that the graph is "
            "bipartite: its two columns number two sets of vertices, and both have "
            f"{shown(ids[common[0]].item())}, which would be one vertex; number them apart, or "
            "pass direction=None to read them as one set"
        )
