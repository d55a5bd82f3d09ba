"""The .npz files of ``scipy.sparse.save_npz``; arrays ``ids`` (names) and ``coordinates`` are kept.

So is ``weight_name``, where that is not "weight".

Memory: an entry of a graph takes 8 or 12 bytes and sorting it as many as 28 more, while a file may
have one byte for it. So the limit is proportional to the entries that the arrays hold, zeros
included.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from warpgraph._arguments import convert, validate
from warpgraph._arguments.names import Names
from warpgraph._arguments.nx_graphs import DEFAULT_WEIGHT
from warpgraph._files import archive
from warpgraph._files.text import Array, check_vertices, is_regular
from warpgraph._graph import coordinates
from warpgraph._graph.graph import Graph, named

Entries = tuple[Array, Array, Array]

#: Entries of blocks and diagonals that are converted at a time.
_ITEMS_AT_ONCE = 1 << 18
#: Bytes that padding ids to the width of the longest may take.
_PADDING = 1 << 26

_WEIGHT_NAME = "weight_name"
_ROWS = ("indptr", "indices", "data")
#: The arrays of each of SciPy's formats.
_LAYOUTS = {
    "csr": _ROWS,
    "csc": _ROWS,
    "bsr": _ROWS,
    "coo": ("row", "col", "data"),
    "dia": ("offsets", "data"),
}


def read(path: str, file: IO[bytes], max_vertices: int | None) -> tuple[Graph, Array | None]:
    """Read a matrix in any of SciPy's formats."""
    if not is_regular(file.fileno()):
        raise ValueError(f"{path} is a pipe or a device; .npz is read from files alone")
    about = archive.read_arrays(file, ["format", "shape"])
    form, n = _form(about), _size(about)
    arrays = archive.read_arrays(file, [*_LAYOUTS[form], "ids", "coordinates", _WEIGHT_NAME])
    missing = [name for name in _LAYOUTS[form] if name not in arrays]
    if missing:
        raise ValueError(
            f"expected the arrays of a SciPy {form} matrix, but {missing[0]} is not there"
        )
    n_bytes = sum(array.nbytes for array in arrays.values())
    check_vertices(path, n, n_bytes, max_vertices)
    graph = _graph(form, n, arrays)
    ids = arrays.get("ids")
    if ids is not None and ids.shape != (graph.n_vertices,):
        raise ValueError(f"expected ids of {graph.n_vertices} vertices, got shape {ids.shape}")
    if ids is not None and ids.dtype.kind not in "iuU":
        raise ValueError(f"expected integers or strings as ids, got an array of {ids.dtype}")
    if ids is not None:
        if len(np.unique(ids)) < len(ids):
            raise ValueError("expected ids that all differ")
        named(graph, Names.of_ids(ids))
    if "coordinates" in arrays:
        graph.coordinates = coordinates.given(arrays["coordinates"], n)
    if _WEIGHT_NAME in arrays:
        called = arrays[_WEIGHT_NAME]
        _check(called.shape == () and called.dtype.kind == "U", f"a string as {_WEIGHT_NAME}")
        graph.weight_name = called.item()
    return graph, ids


def _form(about: dict[str, Array]) -> str:
    found = about.get("format")
    form = "" if found is None or found.ndim or found.dtype.kind not in "SU" else found.item()
    form = form.decode("latin-1") if isinstance(form, bytes) else form
    if form not in _LAYOUTS:
        raise ValueError(
            "expected the arrays of a SciPy sparse matrix, "
            + (f"got the format {form!r}" if form else "but the format is not there")
        )
    return form


def _size(about: dict[str, Array]) -> int:
    shape = about.get("shape")
    if shape is None or shape.shape != (2,) or shape.dtype.kind not in "iu":
        raise ValueError("expected the shape of a matrix, two integers")
    if shape[0] != shape[1] or not 0 <= shape[0] < 2**31:
        raise ValueError(f"a graph's matrix must be square, got shape {tuple(shape.tolist())}")
    return int(shape[0])


def _graph(form: str, n: int, arrays: dict[str, Array]) -> Graph:
    data = arrays["data"]
    if form == "coo":
        return Graph.from_edges(arrays["row"], arrays["col"], data, n_vertices=n)
    if form == "dia":
        parts = _diagonals(n, arrays["offsets"], data)
    elif form == "bsr":
        parts = _blocks(n, arrays)
    else:
        graph = Graph._of_own(arrays["indptr"], arrays["indices"], data)
        _check(graph.n_vertices == n, f"an indptr of {n + 1} entries")
        if form == "csr":
            return graph
        return Graph._of_own(*graph._handle.transpose(graph.dtype, validate.NO_LIMIT))
    return Graph.from_edges(
        *_collected(parts, int(np.count_nonzero(data)), data.dtype), n_vertices=n
    )


def _collected(parts: Iterator[Entries], most: int, dtype: npt.DTypeLike) -> Entries:
    """Return all rows, columns and values, at most `most` of each."""
    row, col, value = np.empty(most, np.int32), np.empty(most, np.int32), np.empty(most, dtype)
    end = 0
    for part in parts:
        here = slice(end, end + len(part[0]))
        row[here], col[here], value[here] = part
        end = here.stop
    return row[:end], col[:end], value[:end]


def _blocks(n: int, arrays: dict[str, Array]) -> Iterator[Entries]:
    """Yield (rows, columns, values) of a matrix in blocks, whose zeros are no edges."""
    data, indptr, indices = arrays["data"], arrays["indptr"], arrays["indices"]
    _check(data.ndim == 3 and min(data.shape[1:]) > 0, "blocks as data")
    height, width = data.shape[1:]
    _check(n % height == n % width == 0, f"blocks that fill {n} rows and columns")
    _check(indptr.dtype.kind in "iu" and indices.dtype.kind in "iu", "integers as indices")
    _check(indptr.shape == (n // height + 1,), f"an indptr of {n // height + 1} entries")
    _check(indices.shape == (len(data),), f"{len(data)} indices")
    starts = convert.as_index_array(indptr, "indptr")
    ascends = starts[0] == 0 and starts[-1] == len(data) and bool((starts[1:] >= starts[:-1]).all())
    _check(ascends, f"an indptr from 0 to {len(data)}")
    inside = not len(data) or 0 <= indices.min() <= indices.max() < n // width
    _check(bool(inside), "blocks in the matrix")
    block_row = np.repeat(np.arange(n // height, dtype=np.int32), starts[1:] - starts[:-1])
    for block, rows, cols in _pieces(len(data), height, width):
        piece = data[block, rows, cols]
        k, row, col = np.nonzero(piece)
        value = piece[k, row, col]
        k += block.start
        row += rows.start + block_row[k].astype(np.int64) * height
        col += cols.start + indices[k].astype(np.int64) * width
        yield row, col, value


def _pieces(n: int, height: int, width: int) -> Iterator[tuple[slice, slice, slice]]:
    """Yield slices of an array with few items each, in an order that keeps rows in order."""
    if n * height * width == 0:
        return
    n_cols = min(width, _ITEMS_AT_ONCE)
    n_rows = min(height, _ITEMS_AT_ONCE // n_cols) if n_cols == width else 1
    at_once = max(_ITEMS_AT_ONCE // (height * width), 1)
    for first in range(0, n, at_once):
        for row in range(0, height, n_rows):
            for col in range(0, width, n_cols):
                yield (
                    slice(first, min(first + at_once, n)),
                    slice(row, row + n_rows),
                    slice(col, min(col + n_cols, width)),
                )


def _diagonals(n: int, offsets: Array, data: Array) -> Iterator[Entries]:
    """Yield (rows, columns, values) of a matrix of diagonals, in the order of their offsets."""
    _check(data.ndim == 2 and offsets.shape == (len(data),), "an offset for each row of data")
    _check(offsets.dtype.kind in "iu", "integers as offsets")
    # A diagonal has no entries outside the matrix.
    offsets = convert.as_index_array(offsets, "offsets").astype(np.int64).clip(-n, n)
    order = np.argsort(offsets, kind="stable")
    for some, _, cols in _pieces(len(data), 1, min(data.shape[1], n)):
        chosen = order[some]
        piece = data[chosen, cols]
        k, col = np.nonzero(piece)
        value = piece[k, col]
        col += cols.start
        row = col - offsets[chosen[k]]
        kept = (row >= 0) & (row < n)
        yield row[kept], col[kept], value[kept]


def _check(holds: bool, expected: str) -> None:
    if not holds:
        raise ValueError(f"expected {expected}")


def write(file: IO[bytes], graph: Graph, ids: Any) -> None:
    """Write CSR arrays uncompressed: compressing takes longer than everything else together."""
    names = {}
    if ids is not None:
        names["ids"] = _as_strings(ids.tolist()) if ids.dtype.kind in "OT" else ids
        if names["ids"].dtype.kind not in "iuU" or names["ids"].tolist() != ids.tolist():
            raise TypeError(f"vertex ids must be integers or strings, got an array of {ids.dtype}")
    if graph.coordinates is not None:
        names["coordinates"] = graph.coordinates
    if graph.weight_name != DEFAULT_WEIGHT:
        names[_WEIGHT_NAME] = np.array(graph.weight_name)
    np.savez(
        file,
        format=np.array(b"csr"),
        shape=np.array([graph.n_vertices, graph.n_vertices]),
        indptr=graph.indptr,
        indices=graph.indices,
        data=graph.data,
        _is_array=np.array(True),
        **names,  # type: ignore[arg-type]
    )


def _as_strings(ids: list[Any]) -> Array:
    """Return ids as strings of equal width, unless that is out of proportion to their length."""
    texts = [name for name in ids if isinstance(name, str)]
    longest = max(texts, key=len, default="")
    n_bytes = 4 * len(longest) * len(ids)
    if n_bytes > 40 * sum(map(len, texts)) + _PADDING:
        raise ValueError(
            f"the id {longest[:20]!r}... has {len(longest)} characters, and .npz takes as many for "
            f"each of {len(ids)} ids, {n_bytes} bytes; write a table, or pass shorter ids="
        )
    return np.array(ids, str)
