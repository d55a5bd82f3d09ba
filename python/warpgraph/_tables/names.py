"""The names of vertices, from all blocks of a table: each once, in ascending order.

NumPy's arrays of bytes take the least memory and sort fast, unless few names are far longer than
the others; then they are Python's strings. NumPy's StringDType would serve for both, but sorting it
crashes (NumPy 2.4); its unique() of bytes takes twice the time and memory.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterable
from typing import TypeAlias

import numpy as np

from warpgraph._arguments.names import string_array
from warpgraph._files.text import Array
from warpgraph._tables.integer_ids import translated

#: Names in UTF-8 as an array of bytes of equal width, or strings in a list.
Some: TypeAlias = "Array | list[str]"

#: Bytes that an array of names, padded to the width of the longest, may take beyond its share of
#: the file.
_MAX_PADDING = 1 << 26
#: Names that are decoded at a time.
_SOME = 1 << 16
#: Names of at most this length are sorted as integers of eight bytes, several times as fast.
_MAX_BYTES_AS_INTEGERS = 64


def dtype_of(lengths: Array) -> str:
    """Return NumPy's type for names of these lengths: bytes, unless most would be padding."""
    width = max(int(lengths.max()), 1)
    return f"S{width}" if width * lengths.size <= 2 * (lengths.sum() + lengths.size) else "O"


def packed(names: list[str]) -> Some:
    """Return names as bytes of equal width, unless most of that is padding."""
    encoded = [name.encode() for name in names]
    kind = dtype_of(np.array(list(map(len, encoded))))
    return names if kind == "O" else np.array(encoded, kind)


def listed(names: Some) -> list[str]:
    """Return the names of some records as Python's strings."""
    return names if isinstance(names, list) else [name.decode() for name in names.tolist()]


def has_empty(names: Some) -> bool:
    """Return whether one of some records' names is empty."""
    return "" in names if isinstance(names, list) else bool((names == b"").any())


def numbered(names: Array) -> tuple[Some, Array]:
    """Return each of some bytes or strings once, and the position of all among these."""
    if names.dtype.kind != "S":
        return _hashed(names.tolist())
    # With their quotes, fields were longer.
    width = max(int(np.strings.str_len(names).max()), 1)
    return _unique(names.astype(f"S{width}", copy=False))


def distinct(parts: list[Some], n_bytes: int) -> tuple[Array, Array]:
    """Return the distinct names of all parts and the position of each among them.

    The file has `n_bytes`: names are an array of strings of equal width if it is in proportion
    to that, else of Python's.
    """
    names: Some
    packs = [part for part in parts if isinstance(part, np.ndarray)]
    width = max((part.itemsize for part in packs), default=0)
    if len(packs) == len(parts) and width * sum(map(len, parts)) <= n_bytes + _MAX_PADDING:
        parts.clear()
        both = np.concatenate(packs)
        packs.clear()
        names, position = _unique(both)
    else:
        found, position = _hashed(itertools.chain.from_iterable(map(listed, parts)))
        order = sorted(range(len(found)), key=found.__getitem__)
        names = [found[k] for k in order]
        position = _inverse(np.array(order))[position]
    return _as_array(names, 10 * n_bytes + _MAX_PADDING), position


def numbered_parts(
    found: list[Some], columns: list[list[Array]], n_bytes: int
) -> tuple[Array, Array, Array]:
    """Return the names of a file of `n_bytes`, ascending, and the ends of all edges among them.

    Part i has the names ``found[i]`` and the ends ``columns[i]`` among these; both are emptied.
    """
    lengths = list(map(len, found))
    names, position = distinct(found, n_bytes)
    return names, *translated(columns, position, lengths)


def _hashed(names: Iterable[str]) -> tuple[list[str], Array]:
    """Return each of some names once, and the position of all among these."""
    found = defaultdict[str, int](itertools.count().__next__)
    position = np.fromiter(map(found.__getitem__, names), np.int32)
    return list(found), position


def _unique(names: Array) -> tuple[Array, Array]:
    """Return what NumPy's unique with the inverse does, in less memory."""
    order = _order(names).astype(np.int32 if len(names) < 2**31 else np.int64)
    names = names[order]
    is_new = np.concatenate([[True], names[1:] != names[:-1]])
    position = np.empty(len(names), np.int32)
    position[order] = np.cumsum(is_new, dtype=np.int32) - 1
    return names[is_new], position


def _order(names: Array) -> Array:
    """Return the ascending order of names in bytes, as NumPy's argsort does."""
    width = names.itemsize
    if width > _MAX_BYTES_AS_INTEGERS:
        return np.argsort(names)
    n_words = -(-width // 8)
    characters = np.zeros((len(names), 8 * n_words), np.uint8)
    characters[:, :width] = names.view(np.uint8).reshape(len(names), width)
    words = characters.view(">u8").astype(np.uint64)
    del characters
    return np.lexsort(words.T[::-1])


def _inverse(order: Array) -> Array:
    """Return the inverse of a permutation."""
    inverse = np.empty(len(order), np.int32)
    inverse[order] = np.arange(len(order), dtype=np.int32)
    return inverse


def _as_array(names: Array | list[str], max_bytes: int) -> Array:
    if isinstance(names, list):
        return string_array(names, max_bytes)
    blocks = [names[k : k + _SOME] for k in range(0, len(names), _SOME)]
    widest = max(map(_n_characters, blocks))
    found = np.empty(len(names), f"U{widest}" if 4 * widest * len(names) <= max_bytes else object)
    for k, block in enumerate(blocks):
        found[k * _SOME : (k + 1) * _SOME] = _decoded(block)
    return found


def _is_ascii(names: Array) -> bool:
    return bool(names.view(np.uint8).max(initial=0) < 128)


def _n_characters(names: Array) -> int:
    """Return the length of the longest of some names."""
    return names.itemsize if _is_ascii(names) else np.strings.decode(names, "utf-8").itemsize // 4


def _decoded(names: Array) -> Array:
    """Return names in UTF-8 as strings."""
    if not _is_ascii(names):
        return np.strings.decode(names, "utf-8")
    characters = names.view(np.uint8).astype(np.uint32)
    return characters.view(f"U{names.itemsize}")
