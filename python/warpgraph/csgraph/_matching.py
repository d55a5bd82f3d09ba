"""Matchings of rows and columns: maximum_bipartite_matching, structural_rank and one by weights.

SciPy's search for a maximum matching visits rows from which no column is free again and again, so
it may take exponential time, and writes beyond its stack where an entry is stored twice. The core's
finds the same matching without either. SciPy's min_weight_full_bipartite_matching looks for such a
matching first, to see that there is one: it finds that of the core at once, since each row that it
gets begins with the column of that matching.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from warpgraph import _core
from warpgraph._arguments import validate
from warpgraph.csgraph._input import Array, is_pydata_sparse, is_sparse
from warpgraph.csgraph._originals import like, original
from warpgraph.csgraph._well_formed import require_well_formed

_their_matching = original("maximum_bipartite_matching")
_their_rank = original("structural_rank")
_their_full_matching = original("min_weight_full_bipartite_matching")

_FORMATS = ("csr", "csc", "coo")
_MAX_SIZE = np.iinfo(np.int32).max
#: Differences of integers that SciPy's reduction of rows takes in a moment.
_MOST_APART = 64


def _matrix_of(graph: Any) -> Any:
    """Return a sparse matrix of SciPy, or None for what its functions refuse."""
    if is_pydata_sparse(graph):
        graph = graph.to_scipy_sparse()
    require_well_formed(graph)
    has_rows = is_sparse(graph) and graph.ndim == 2 and graph.format in _FORMATS
    return graph if has_rows and max(graph.shape) < _MAX_SIZE else None


def _matched(matrix: Any) -> tuple[Array, Array]:
    """Return the column of each row of a CSR matrix and the row of each column, or -1."""
    n_rows, n_columns = matrix.shape
    column_of, row_of = np.empty(n_rows, np.int32), np.empty(n_columns, np.int32)
    indptr = np.require(matrix.indptr, np.int64, ["C", "A"])
    indices = np.require(matrix.indices[: indptr[-1]], np.int32, ["C", "A"])
    _core.maximum_bipartite_matching(indptr, indices, column_of, row_of)
    return column_of, row_of


@like(_their_matching)
def maximum_bipartite_matching(graph: Any, perm_type: Any = "row") -> Any:
    matrix = _matrix_of(graph)
    if matrix is None:
        return _their_matching(graph, perm_type)
    column_of, row_of = _matched(matrix.tocsr())
    return column_of if perm_type == "column" else row_of


@like(_their_rank)
def structural_rank(graph: Any) -> Any:
    matrix = _matrix_of(graph)
    if matrix is None and is_sparse(graph) and graph.ndim == 2:
        _their_rank(type(graph)((1, 1)))  # warns of the format
        matrix = sp.csr_array(graph)
    if matrix is None or max(matrix.shape) >= _MAX_SIZE:
        return _their_rank(graph)
    return np.sum(_matched(matrix.tocsr())[0] >= 0)


@like(_their_full_matching)
def min_weight_full_bipartite_matching(biadjacency: Any, maximize: Any = False) -> Any:
    matrix = _matrix_of(biadjacency)
    if matrix is None or matrix.dtype.kind not in "biufc":
        return _their_full_matching(biadjacency, maximize)
    edges = matrix.astype(np.float64).tocsr()
    edges.sum_duplicates()
    _refuse_weights(edges, maximize)
    if not edges.data.all():
        validate.warn("explicit zero weights are removed before matching")
    edges.data[np.isinf(edges.data)] = 0
    edges.eliminate_zeros()
    # SciPy transposes the matrix if it is tall: what it then reads are the arrays of this CSC one.
    is_tall = edges.shape[0] > edges.shape[1]
    prepared = _with_matching_first(edges.T.tocsr()).T if is_tall else _with_matching_first(edges)
    return _their_full_matching(prepared, maximize)


def _refuse_weights(edges: Any, maximize: Any) -> None:
    """Refuse weights with which SciPy's search does not end: sums of them are no numbers."""
    gains = -edges.data if maximize else edges.data
    largest = np.finfo(np.float64).max / (4 * max(sum(edges.shape), 1))
    # An edge of infinite weight is none, or none if it is -inf and weights are to be large.
    bad = np.isnan(gains) | ((np.abs(gains) > largest) & (gains != np.inf))
    if bad.any():
        i = int(bad.argmax())
        row = int(np.searchsorted(edges.indptr, i, side="right")) - 1
        raise ValueError(
            f"biadjacency[{row}, {edges.indices[i]}] is {edges.data[i]}, but weights must be "
            f"numbers whose sums are float64: from {-largest:.3g} to {largest:.3g}"
        )


def _with_matching_first(edges: Any) -> Any:
    """Return a CSR matrix whose rows begin with the columns of a maximum matching.

    To square matrices, SciPy applies a reduction of rows that may not end where sums of floats are
    rounded, as of 0.1 and 0.2, and that takes time in proportion to the weights. What follows
    suffices, and both find the lightest matching. So the matrix has a column more than rows at
    least, unless weights are small integers, for which the reduction is the faster way.
    """
    n_rows, n_columns = edges.shape
    matched = _matched(edges)[0]
    if (matched < 0).any():
        raise ValueError("no full matching exists")
    # SciPy takes the arrays of a CSC matrix for those of a CSR one if it has to narrow them.
    narrow = np.int32 if edges.nnz <= _MAX_SIZE else np.int64
    indptr, indices, data = edges.indptr.astype(narrow), edges.indices.astype(narrow), edges.data
    first = indptr[:-1]
    places = np.flatnonzero(indices == np.repeat(matched, np.diff(indptr)))
    for array in (indices, data):
        array[first], array[places] = array[places], array[first]
    are_integers = (data == np.rint(data)).all()
    are_small = len(data) and are_integers and np.ptp(data) <= _MOST_APART
    width = n_columns if are_small else max(n_columns, n_rows + 1)
    return sp.csr_array((data, indices, indptr), shape=(n_rows, width))
