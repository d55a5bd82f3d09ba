"""What the tests of wg.io share."""

import bz2
import gzip
import lzma

import numpy as np

OPENERS = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}


def put(path, text):
    """Write a text, compressed if the ending says so."""
    with OPENERS.get(path.suffix, open)(path, "wb") as file:
        file.write(text.encode())
    return path


def assert_same(read, graph):
    """Equal arrays; text knows only int64 and float64."""
    np.testing.assert_array_equal(read.indptr, graph.indptr)
    np.testing.assert_array_equal(read.indices, graph.indices)
    np.testing.assert_array_equal(read.data, graph.data)
    assert read.data.dtype.kind == graph.data.dtype.kind


def arcs(graph, ids=None):
    """Return the edges as a sorted list of (tail, head, weight)."""
    row, col, data = graph.to_edges()
    if ids is not None:
        row, col = ids[row], ids[col]
    return sorted(zip(row.tolist(), col.tolist(), data.tolist(), strict=True))
