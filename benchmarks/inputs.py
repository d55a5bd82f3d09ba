"""Graphs that several benchmarks use, as SciPy matrices with the index types that SciPy gives."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

import warpgraph as wg


def matrix_of(graph: wg.Graph) -> sp.csr_array:
    """Return a graph as a matrix, with 32-bit indices where they are wide enough."""
    wide = graph.n_edges > np.iinfo(np.int32).max
    index = np.int64 if wide else np.int32
    indices, indptr = graph.indices.astype(index), graph.indptr.astype(index)
    return sp.csr_array((graph.data, indices, indptr), (graph.n_vertices, graph.n_vertices))


def rmat(scale: int, *, directed: bool = False) -> sp.csr_array:
    """Return an R-MAT graph with 16 edges a vertex drawn: hubs, and a small diameter."""
    return matrix_of(wg.generators.rmat(scale, seed=1, weights=None, directed=directed))


def grid(rows: int, columns: int) -> sp.csr_array:
    """Return a grid: even degrees, and a large diameter."""
    return matrix_of(wg.generators.grid(rows, columns, weights=None))


def ny_road() -> sp.csr_array:
    """Return New York's roads."""
    return matrix_of(wg.datasets.load("ny-road"))
