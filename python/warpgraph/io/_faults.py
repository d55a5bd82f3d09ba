"""The end of an error's sentence about a record of a text table: why it is invalid."""

from __future__ import annotations

from collections.abc import Sequence

from warpgraph._arguments.validate import shown
from warpgraph._files.text import type_exceeded
from warpgraph._tables import parsers
from warpgraph._tables.records import Records

#: Said of a first line that has one field.
SEPARATORS = "fields are separated by tabs, commas, semicolons or blanks"


def of_first(words: Sequence[str]) -> str:
    """Return why a first line may have too few or too many fields, or nothing."""
    return SEPARATORS if len(words) == 1 or "|" in words else ""


def first_of(
    block: Records,
    columns: Sequence[int],
    *,
    integers: bool,
    decimal: str,
    expected: str,
    advice: str,
) -> ValueError:
    """Return the exception for the first invalid record.

    `columns` are those of source, target and perhaps weight; `advice` is about a weight that is no
    number.
    """
    for number, row in block.rows():
        ends = [row[k] for k in columns[:2]]
        words = [end for end in ends if integers and not parsers.is_integer(end)]
        why = ""
        if not all(ends):
            why = "the name of a vertex is empty"
        elif words:
            why = f"{shown(words[0])} is no such integer; id_dtype='str' reads names"
        elif len(columns) == 3:
            why = _of_weight(row[columns[2]], decimal, advice)
        if why:
            return block.error(number, expected, why)
    return block.error(block.first_line, expected)


def _of_weight(word: str, decimal: str, advice: str) -> str:
    """Return what is wrong with a weight, or nothing."""
    weight = parsers.with_point(word, decimal)
    why = f"the weight is {shown(word)}"
    if parsers.is_number(weight):
        kind = type_exceeded(weight)
        return f"{why}, beyond the largest {kind}" if kind else ""
    if not word:
        return "the weight is missing"
    if decimal == "," and "." in word:
        return f"{why}, with a point, but decimal=','"
    if parsers.is_number(word.replace(",", ".")):
        return f"{why}; pass decimal=',' if its comma is a decimal mark"
    return f"{why}; {advice}" if advice else why
