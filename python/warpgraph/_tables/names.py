"""The names of vertices, from all blocks of a table: each once, in ascending order.

NumPy's arrays of bytes take the least memory and sort fast, unless one name is far longer than the
others; then they are Python's strings. NumPy's StringDType would serve for both, but sorting it
crashes (NumPy 2.4).
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from warpgraph._arguments.names import string_array
from warpgraph._files.text import Array

#: Bytes that padding names to the width of the longest may take.
_PADDING = 1 << 26
#: Names that are decoded at a time.
_SOME = 1 << 16
#: Share of distinct names from which on hashing takes more memory than sorting and no less time.
_MOSTLY_DISTINCT = 0.9
#: Names of at most this length are sorted as integers of eight bytes, several times as fast.
_MOST_BYTES_AS_INTEGERS = 64


def listed(names: Any) -> list[str]:
    """Return the names of some records as Python's strings."""
    if isinstance(names, list):
        return names
    if isinstance(names, np.ndarray) and names.dtype.kind == "S":
        return [name.decode() for name in names.tolist()]
    found: list[str] = names.tolist()
    return found


def packed(names: Any, n_ends: int, n_bytes: int) -> Any:
    """Return names as bytes of equal width if there is one for nearly every end of an edge.

    Others are kept unchanged: finding repeated names by hashing is faster than by sorting.
    """
    if len(names) < _MOSTLY_DISTINCT * n_ends:
        return names
    if _is_pyarrow(names):
        import pyarrow.compute as pc

        width = pc.max(pc.binary_length(names)).as_py()
        return names if width * len(names) > n_bytes else _padded(names, width)
    encoded = [name.encode() for name in listed(names)]
    return names if max(map(len, encoded)) * len(names) > n_bytes else np.array(encoded)


def has_empty(names: Any) -> bool:
    """Return whether one of some records' names is empty."""
    if isinstance(names, list):
        return "" in names
    if isinstance(names, np.ndarray):
        return bool((names == "").any())
    return bool(names.index("").as_py() >= 0)


def distinct(parts: list[Any], n_bytes: int) -> tuple[Array, Array]:
    """Return the distinct names of all parts and the position of each among them.

    The file has `n_bytes`: names are an array of strings of equal width if it is in proportion
    to that, else of Python's.
    """
    most_bytes = n_bytes + _PADDING
    if all(map(_is_pyarrow, parts)):
        names, position = _in_pyarrow(parts, most_bytes)
    elif "pandas" in sys.modules and all(_is_of_objects(part) for part in parts):
        names, position = _in_pandas(parts)
    else:
        names, position = _in_numpy(parts, most_bytes)
    return _as_array(names, 10 * n_bytes + _PADDING), position


def _in_pyarrow(parts: list[Any], most_bytes: int) -> tuple[Array | list[str], Array]:
    import pyarrow as pa
    import pyarrow.compute as pc

    found = pa.concat_arrays(parts).dictionary_encode()
    parts.clear()
    names = found.dictionary
    width = pc.max(pc.binary_length(names)).as_py()
    if width * len(names) > most_bytes:
        order = pc.sort_indices(names).to_numpy()
        return names.take(order).to_pylist(), _inverse(order)[found.indices.to_numpy()]
    padded = _padded(names, width)
    order = _order(padded)
    return padded[order], _inverse(order)[found.indices.to_numpy()]


def _is_pyarrow(names: Any) -> bool:
    return type(names).__module__.startswith("pyarrow")


def _is_of_objects(names: Any) -> bool:
    return isinstance(names, np.ndarray) and names.dtype.kind == "O"


def _padded(names: Any, width: int) -> Array:
    """Return pyarrow's strings as NumPy's bytes."""
    import pyarrow.compute as pc

    padded = pc.ascii_rpad(names, width, "\0")
    return np.frombuffer(padded.buffers()[2], f"S{width}", len(names))


def _in_pandas(parts: list[Any]) -> tuple[list[str], Array]:
    import pandas as pd

    position, found = pd.factorize(np.concatenate(parts))
    names = found.tolist()
    order = np.array(sorted(range(len(names)), key=names.__getitem__))
    return [names[k] for k in order.tolist()], _inverse(order)[position]


def _in_numpy(parts: list[Any], most_bytes: int) -> tuple[Array | list[str], Array]:
    width = max(map(_width, parts))
    if width * sum(map(len, parts)) <= most_bytes:
        words = []
        while parts:
            part = parts.pop(0)
            is_packed = isinstance(part, np.ndarray) and part.dtype.kind == "S"
            words.append(part if is_packed else np.array([s.encode() for s in listed(part)]))
        both = np.concatenate(words)
        words.clear()
        return _unique(both)
    found: dict[str, int] = {}
    position = np.array(
        [found.setdefault(name, len(found)) for part in parts for name in listed(part)], np.int32
    )
    words_in_order = sorted(found)
    order = np.array([found[name] for name in words_in_order])
    return words_in_order, _inverse(order)[position]


def _width(names: Any) -> int:
    if isinstance(names, np.ndarray) and names.dtype.kind == "S":
        return names.itemsize
    return max(len(name.encode()) for name in listed(names))


def _unique(names: Array) -> tuple[Array, Array]:
    """As NumPy's unique with the inverse, in less memory."""
    order = _order(names).astype(np.int32 if len(names) < 2**31 else np.int64)
    names = names[order]
    is_new = np.concatenate([[True], names[1:] != names[:-1]])
    position = np.empty(len(names), np.int32)
    position[order] = np.cumsum(is_new, dtype=np.int32) - 1
    return names[is_new], position


def _order(names: Array) -> Array:
    """As NumPy's argsort of bytes."""
    width = names.itemsize
    if width > _MOST_BYTES_AS_INTEGERS:
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


def _as_array(names: Array | list[str], most_bytes: int) -> Array:
    if isinstance(names, list):
        return string_array(names, most_bytes)
    blocks = [names[k : k + _SOME] for k in range(0, len(names), _SOME)]
    widest = max(map(_n_characters, blocks))
    found = np.empty(len(names), f"U{widest}" if 4 * widest * len(names) <= most_bytes else object)
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
