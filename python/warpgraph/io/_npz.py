"""The .npz files of ``scipy.sparse.save_npz``; an array ``ids`` beside the matrix's is kept."""

from __future__ import annotations

from typing import IO, Any

import numpy as np

from warpgraph import _archive
from warpgraph._graph import Graph
from warpgraph.io._text import Array, check_vertices

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
    about = _archive.read_arrays(file, ["format", "shape"])
    form, n = _form(about), _size(about)
    arrays = _archive.read_arrays(file, [*_LAYOUTS[form], "ids"])
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
        return _from_diagonals(n, arrays["offsets"], data)
    if form == "bsr":
        return _from_blocks(n, arrays)
    graph = Graph.from_csr(arrays["indptr"], arrays["indices"], data)
    _check(graph.n_vertices == n, f"an indptr of {n + 1} entries")
    return graph if form == "csr" else Graph.from_csr(*graph.handle.transpose(graph.dtype))


def _from_blocks(n: int, arrays: dict[str, Array]) -> Graph:
    data, indptr, indices = arrays["data"], arrays["indptr"], arrays["indices"]
    _check(data.ndim == 3 and min(data.shape[1:]) > 0, "blocks as data")
    height, width = data.shape[1:]
    _check(n % height == n % width == 0, f"blocks that fill {n} rows and columns")
    _check(indptr.dtype.kind in "iu" and indices.dtype.kind in "iu", "integers as indices")
    _check(indptr.shape == (n // height + 1,), f"an indptr of {n // height + 1} entries")
    _check(indices.shape == (len(data),), f"{len(data)} indices")
    ends = np.concatenate([[0], indptr.astype(np.int64), [len(data)]])
    lengths = ends[1:] - ends[:-1]
    _check(lengths.min() == lengths[0] == lengths[-1] == 0, f"an indptr from 0 to {len(data)}")
    inside = not len(data) or 0 <= indices.min() <= indices.max() < n // width
    _check(bool(inside), "blocks in the matrix")
    block_row = np.repeat(np.arange(n // height), lengths[1:-1])
    row = block_row[:, None, None] * height + np.arange(height)[:, None]
    col = indices.astype(np.int64)[:, None, None] * width + np.arange(width)
    # The zeros that fill blocks up are not edges.
    kept = data != 0
    row, col = (np.broadcast_to(end, data.shape)[kept] for end in (row, col))
    return Graph.from_edges(row, col, data[kept], n_vertices=n)


def _from_diagonals(n: int, offsets: Array, data: Array) -> Graph:
    _check(data.ndim == 2 and offsets.shape == (len(data),), "an offset for each row of data")
    _check(offsets.dtype.kind in "iu", "integers as offsets")
    if data.size == 0:
        return Graph.from_edges([], [], [], n_vertices=n)
    rows, cols, values = [], [], []
    for offset, diagonal in sorted(zip(offsets.tolist(), data, strict=True), key=lambda p: p[0]):
        first, end = max(offset, 0), min(n, n + offset, len(diagonal))
        if first >= end:
            continue
        kept = first + np.flatnonzero(diagonal[first:end])
        rows.append(kept - offset)
        cols.append(kept)
        values.append(diagonal[kept])
    empty = np.empty(0, np.int64)
    row, col = (np.concatenate([empty, *part]) for part in (rows, cols))
    return Graph.from_edges(row, col, np.concatenate([data.ravel()[:0], *values]), n_vertices=n)


def _check(holds: bool, expected: str) -> None:
    if not holds:
        raise ValueError(f"expected {expected}")


def write(file: IO[bytes], graph: Graph, ids: Any) -> None:
    """Write CSR arrays uncompressed: compressing takes longer than everything else together."""
    names = {}
    if ids is not None:
        names["ids"] = np.array(ids.tolist(), str) if ids.dtype.kind in "OT" else ids
        if names["ids"].dtype.kind not in "iuU" or names["ids"].tolist() != ids.tolist():
            raise TypeError(f"vertex ids must be integers or strings, got an array of {ids.dtype}")
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
