"""CSV parsers behind one interface: pyarrow or pandas if installed, else NumPy and Python's csv.

Their input is so plain (see `_records`) that their results are the same. A parser that meets a
doubtful value returns None; then Python's csv decides.
"""

from __future__ import annotations

import contextlib
import io
import itertools
import re
import sys
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from warpgraph._files.text import Array, may_exceed, parse_table, type_exceeded
from warpgraph._tables.names import has_empty
from warpgraph._tables.records import Records

#: Number of bytes that are parsed without pandas or pyarrow in the time of their import.
_WORTH_AN_IMPORT = 1 << 21

_WHOLE_NUMBER = re.compile(r"[-+]?[0-9]+")
#: Rows of Python's csv that are converted to columns at a time.
_ROWS = 1 << 12

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
    names: Any = None  #: a list, an array of objects, or pyarrow's strings


def is_integer(word: str) -> bool:
    """Return whether a word is an int64 in its usual form: 7, but not 007 or +7."""
    return bool(_INTEGER.fullmatch(word)) and word != "-0" and -(2**63) <= int(word) < 2**63


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
    found = None
    if not integers:
        found = _with_names(records, columns)
    elif _is_plain(records):
        found = _with_integers(records, columns)
    if found is None:
        found = _in_python(records, columns, integers)
    if found is not None and found.names is not None and has_empty(found.names):
        return None
    if found is not None and _has_too_large(found.weight, records, columns):
        return None
    return found


def _has_too_large(weight: Array | None, records: Records, columns: Sequence[int]) -> bool:
    """Return whether the text of a weight is a number that its type does not hold."""
    if weight is None or not may_exceed(weight).any():
        return False
    rows = itertools.compress(filter(None, records.reader()), may_exceed(weight).tolist())
    return any(type_exceeded(row[columns[2]]) for row in rows)


def _with_names(records: Records, columns: Sequence[int]) -> Edges | None:
    parser = _parser(len(records.text))
    if records.text.startswith(b"\xef\xbb\xbf"):
        return None  # a name; other parsers would read it as a byte order mark
    return None if parser is None else _PARSERS[parser](records, columns)


def _with_integers(records: Records, columns: Sequence[int]) -> Edges | None:
    kinds = ("i8", "i8", "number")[: len(columns)]
    found = parse_table(records.text, kinds, records.separator, columns)
    if found is None or (len(found) == 3 and np.isnan(found[2]).any()):
        return None
    return Edges(found[0], found[1], found[2] if len(found) == 3 else None)


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


def _parser(n_bytes: int) -> str | None:
    """Return the name of the parser that is installed and worth its import."""
    for name in _PARSERS:
        if name in sys.modules or n_bytes >= _WORTH_AN_IMPORT:
            try:
                __import__(name)
            except ImportError:
                continue
            return name
    return None


def _in_pyarrow(records: Records, columns: Sequence[int]) -> Edges | None:
    import pyarrow as pa
    from pyarrow import csv

    text = records.text
    kinds = {str(k): pa.string() for k in columns}
    try:
        table = csv.read_csv(
            pa.BufferReader(text),
            read_options=csv.ReadOptions(
                use_threads=False,
                block_size=len(text) + 1,
                column_names=list(map(str, range(_n_columns(records)))),
            ),
            parse_options=csv.ParseOptions(
                delimiter=records.separator, newlines_in_values=b'"' in text
            ),
            convert_options=csv.ConvertOptions(
                column_types=kinds, include_columns=list(kinds), null_values=[]
            ),
        )
        ends = pa.chunked_array([*table.column(0).chunks, *table.column(1).chunks])
        found = ends.combine_chunks().dictionary_encode()
        weight = _arrow_weights(table.column(2)) if len(columns) == 3 else None
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return None
    if len(columns) == 3 and weight is None:
        return None
    del table, ends
    pa.default_memory_pool().release_unused()  # otherwise the pool grows to three times the block
    tail, head = np.split(found.indices.to_numpy(), 2)
    return Edges(tail, head, weight, found.dictionary)


def _arrow_weights(words: Any) -> Array | None:
    """Return int64 or float64, or None where Python's rules for numbers might differ."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if _WHOLE_NUMBER.fullmatch(words[0].as_py()):
        # pyarrow reads 0x10 as an integer, but not +7.
        if pc.any(pc.match_substring(words, "x", ignore_case=True)).as_py():
            return None
        with contextlib.suppress(pa.ArrowInvalid):
            return np.asarray(words.cast(pa.int64()))
        if pc.all(pc.match_substring_regex(words, "^[-+]?[0-9]+$")).as_py():
            return None
    weight = np.asarray(words.cast(pa.float64()))
    return None if np.isnan(weight).any() else weight


def _in_pandas(records: Records, columns: Sequence[int]) -> Edges | None:
    import pandas as pd

    table = pd.read_csv(
        io.BytesIO(records.text),
        sep=records.separator,
        header=None,
        names=range(_n_columns(records)),
        usecols=sorted(columns),
        dtype=object,
        na_filter=False,
        lineterminator="\n",
        low_memory=False,
    )
    position, names = pd.factorize(np.concatenate([table[k].to_numpy() for k in columns[:2]]))
    tail, head = np.split(position.astype(np.int32), 2)
    weight = numbers(table[columns[2]].tolist()) if len(columns) == 3 else None
    if len(columns) == 3 and weight is None:
        return None
    return Edges(tail, head, weight, names)


_PARSERS: dict[str, Callable[[Records, Sequence[int]], Edges | None]] = {
    "pyarrow": _in_pyarrow,
    "pandas": _in_pandas,
}


def _n_columns(records: Records) -> int:
    first = records.split_first()[0]
    return 0 if first is None else len(first.quoted())


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
    return Edges(tail, head, weight, None if integers else list(names))


def numbers(words: list[str]) -> Array | None:
    """Return int64 if all words are such, else float64; None if one is no number, or NaN."""
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
