"""The ends and weights of records: by NumPy's loadtxt, else by Python's csv, with the same result.

NumPy is always installed, and reads names as fast as pyarrow and pandas. It answers None where a
value is doubtful; then Python's csv decides.
"""

from __future__ import annotations

import contextlib
import itertools
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from warpgraph._files.text import Array, may_exceed, parse_table, type_exceeded
from warpgraph._tables import names as _names
from warpgraph._tables.records import Records

_WHOLE_NUMBER = re.compile(r"[-+]?[0-9]+")
#: Rows of Python's csv that are converted to columns at a time.
_ROWS = 1 << 12
#: NumPy ignores these beside a number, unlike Python's rules for weights.
_ODD_BLANKS = tuple(b"\r\v\f\x1c\x1d\x1e\x1f")

_FLOAT = re.compile(r"[.eE]")
_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]{0,18})")
# The part after digits begins with another character: otherwise a long word takes quadratic time.
_NUMBER = re.compile(
    r"[-+]?(?:(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:e[-+]?[0-9]+)?|inf|infinity)", re.IGNORECASE
)


class Edges(NamedTuple):
    """The edges of some records: ids at both ends, or positions among names; weights or None."""

    tail: Array
    head: Array
    weight: Array | None
    names: _names.Some | None = None  #: each once
    direction: Any = None  #: the words that tell directions, if a column does


def is_integer(word: str) -> bool:
    """Return whether a word is an int64 in its usual form: 7, but not 007 or +7."""
    return bool(_INTEGER.fullmatch(word)) and word != "-0" and -(2**63) <= int(word) < 2**63


def is_whole_float(word: str) -> bool:
    """Return whether a word is an integer in the form of a float: 7.0 or 7e0."""
    return _FLOAT.search(word) is not None and is_number(word) and float(word).is_integer()


def is_number(word: str) -> bool:
    """Return whether a word is a number and not NaN."""
    return bool(_NUMBER.fullmatch(word.strip(" \t")))


def with_point(word: str, decimal: str) -> str:
    """Return a number with a point for its decimal mark; if it has another, no number."""
    if decimal == ".":
        return word
    return "" if "." in word else word.replace(decimal, ".")


def parse(records: Records, columns: Sequence[int], *, integers: bool) -> Edges | None:
    """Return the edges of records in columns that exist, or None if one is invalid."""
    found = _in_numpy(records, columns, integers)
    if found is None:
        found = _in_python(records, columns, integers)
    if found is None or (found.names is not None and _names.has_empty(found.names)):
        return None
    return None if _has_too_large(found.weight, records, columns) else found


def _has_too_large(weight: Array | None, records: Records, columns: Sequence[int]) -> bool:
    """Return whether the text of a weight is a number that its type does not hold."""
    if weight is None or not may_exceed(weight).any():
        return False
    rows = itertools.compress(filter(None, records.reader()), may_exceed(weight).tolist())
    return any(type_exceeded(row[columns[2]]) for row in rows)


def _in_numpy(records: Records, columns: Sequence[int], integers: bool) -> Edges | None:
    if not (_is_plain(records) if integers else _has_plain_blanks(records)):
        return None
    kind = "i8" if integers else _names.dtype_of(records.lengths()[:, columns[:2]])
    found = parse_table(
        records.text,
        (kind, kind, "number")[: len(columns)],
        records.separator,
        columns,
        # Each byte of UTF-8 as a character: so NumPy sees no blanks that only Unicode has.
        encoding="latin-1",
        quote='"' if b'"' in records.text else None,
    )
    weight = found[2] if found is not None and len(found) == 3 else None
    if found is None or (weight is not None and np.isnan(weight).any()):
        return None
    if integers:
        return Edges(found[0], found[1], weight)
    names, position = _names.numbered(np.concatenate(found[:2]))
    if isinstance(names, list) and not records.text.isascii():
        names = [name.encode("latin-1").decode() for name in names]
    tail, head = np.split(position, 2)
    return Edges(tail, head, weight, names)


def _is_plain(records: Records) -> bool:
    """Return whether there are numbers only, and no integer such as 007, +7 or -0."""
    separator, text = records.separator.encode(), b"\n" + records.text
    if text.translate(None, b"0123456789+-.eE\n" + separator):
        return False
    has_signs = any(start + sign in text for start in (b"\n", separator) for sign in (b"+", b"-0"))
    if has_signs and re.search(rb"[\n%s](?:\+|-0(?!\.))" % re.escape(separator), text):
        return False
    codes = np.frombuffer(text, np.uint8)
    zeros = np.flatnonzero(codes[:-1] == ord("0"))
    first = (codes[zeros - 1] == ord("\n")) | (codes[zeros - 1] == ord(separator))
    after = codes[zeros + 1]
    return not (first & (ord("0") <= after) & (after <= ord("9"))).any()


def _has_plain_blanks(records: Records) -> bool:
    """Return whether NumPy and Python agree on the blanks beside numbers."""
    has_odd = any(blank in records.text for blank in _ODD_BLANKS)
    return not has_odd and records.text.count(b"\n") == records.hidden.count(b"\n")


def _in_python(records: Records, columns: Sequence[int], integers: bool) -> Edges | None:
    ends: list[list[Any]] = [[], []]
    words: list[str] = []
    names: dict[str, int] = {}
    rows = filter(None, records.reader())
    while some := list(itertools.islice(rows, _ROWS)):
        table = list(zip(*some, strict=True))
        for end, column in zip(ends, columns, strict=False):
            if integers:
                if not all(map(is_integer, table[column])):
                    return None
                end.append(np.array(list(map(int, table[column])), np.int64))
            else:
                found = [names.setdefault(name, len(names)) for name in table[column]]
                end.append(np.array(found, np.int32))
        if len(columns) == 3:
            words += table[columns[2]]
    weight = numbers(words) if len(columns) == 3 else None
    if len(columns) == 3 and weight is None:
        return None
    tail, head = map(np.concatenate, ends)
    return Edges(tail, head, weight, None if integers else _names.packed(list(names)))


def numbers(words: list[str]) -> Array | None:
    """Return int64 if all words are integers, else float64; None if one is no number, or NaN."""
    joined = ",".join(words)
    if joined.isascii() and not joined.encode().translate(None, b"0123456789+-.eE,"):
        are_whole = not any(mark in joined for mark in ".eE")
    else:
        # Blanks, inf, or text that only Python's float() accepts, such as 1_0.
        if not all(map(is_number, words)):
            return None
        are_whole = all(_WHOLE_NUMBER.fullmatch(word.strip(" \t")) for word in words)
    if are_whole:
        with contextlib.suppress(OverflowError, ValueError):  # of thousands of digits
            return np.array(list(map(int, words)), np.int64)
    with contextlib.suppress(ValueError):
        return np.array(list(map(float, words)), np.float64)
    return None
