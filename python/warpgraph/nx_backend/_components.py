"""Connected components, in NetworkX's functions."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import networkx as nx
import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components as scipy_components

from warpgraph._connected_components import connected_components as find_components
from warpgraph._graph import Graph
from warpgraph.nx_backend._graph import BackendGraph


def _find(G: BackendGraph, connection: str) -> tuple[int, Any]:
    return find_components(G.structure(), connection=connection)


def _sets(G: BackendGraph, n_components: int, labels: Any) -> Iterator[set[Any]]:
    """Yield the components in the order of their labels."""
    if n_components == 1:
        yield set(G.nodes)
        return
    ends = np.cumsum(np.bincount(labels, minlength=n_components)).tolist()
    names = G.named(np.argsort(labels, kind="stable"))
    for begin, end in pairwise([0, *ends]):
        yield set(names[begin:end])


def _is_one(G: BackendGraph, connection: str) -> bool:
    if not len(G):
        raise nx.NetworkXPointlessConcept("Connectivity is undefined for the null graph.")
    return _find(G, connection)[0] == 1


def connected_components(G: Any) -> Any:
    """See NetworkX."""
    yield from _sets(G, *_find(G, "weak"))


def number_connected_components(G: Any) -> int:
    """See NetworkX."""
    return _find(G, "weak")[0]


def is_connected(G: Any) -> bool:
    """See NetworkX."""
    return _is_one(G, "weak")


def node_connected_component(G: Any, n: Any) -> Any:
    """See NetworkX."""
    vertex = G.numbers[n]
    labels = _find(G, "weak")[1]
    return set(G.named(np.flatnonzero(labels == labels[vertex])))


def weakly_connected_components(G: Any) -> Any:
    """See NetworkX."""
    yield from _sets(G, *_find(G, "weak"))


def number_weakly_connected_components(G: Any) -> int:
    """See NetworkX."""
    return _find(G, "weak")[0]


def is_weakly_connected(G: Any) -> bool:
    """See NetworkX."""
    return _is_one(G, "weak")


def _as_scipy(matrix: Graph, *, parallel: bool) -> Any:
    """Return the edges as a matrix for SciPy's search in the order of the rows.

    Its weights are float64: SciPy would convert others, and so sort the rows, in place.
    """

    def make() -> Any:
        shape = (matrix.n_vertices, matrix.n_vertices)
        narrow = matrix.n_edges <= np.iinfo(np.int32).max
        indptr = matrix.indptr.astype(np.int32, copy=False) if narrow else matrix.indptr
        made = sp.csr_array((np.ones(matrix.n_edges), matrix.indices, indptr), shape=shape)
        if parallel:  # SciPy's search for strong components does not end with parallel edges
            made = made.copy()
            made.sum_duplicates()
        return made

    return matrix.derived("matrix for SciPy", make)


def strongly_connected_components(G: Any) -> Any:
    """See NetworkX.

    NetworkX yields a component after those that it leads to, as its depth-first search ends, and
    `condensation` numbers them so. Such is the order of SciPy's search, too.
    """
    matrix = _as_scipy(G.structure(), parallel=G.is_multigraph())
    yield from _sets(G, *scipy_components(matrix, connection="strong"))


def number_strongly_connected_components(G: Any) -> int:
    """See NetworkX."""
    return _find(G, "strong")[0]


def is_strongly_connected(G: Any) -> bool:
    """See NetworkX."""
    return _is_one(G, "strong")
