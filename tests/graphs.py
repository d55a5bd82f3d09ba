"""Sample graphs: small, each with a name and a purpose; and Hypothesis strategies.

``over_samples()`` parametrises a test over all of them, ``over_samples(negative=False)`` over those
that Dijkstra accepts. Graphs are SciPy CSR arrays made by hand, since SciPy's constructors would
sum parallel edges and drop stored zeros.
"""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import strategies as st

SAMPLES: dict[str, sp.csr_array] = {}


def csr(n, edges, dtype=np.float64, indptr_dtype=np.int32):
    """Make a CSR array of (tail, head, weight) triples; a row keeps the order of the list."""
    edges = sorted(edges, key=lambda edge: edge[0])
    tails = np.array([tail for tail, _, _ in edges], np.int64)
    graph = sp.csr_array((n, n), dtype=dtype)
    graph.indptr = np.searchsorted(tails, np.arange(n + 1)).astype(indptr_dtype)
    graph.indices = np.array([head for _, head, _ in edges], np.int32)
    graph.data = np.array([weight for _, _, weight in edges], dtype)
    return graph


def random_csr(n, density, seed):
    """Return SciPy's random matrix; its argument for the generator has been renamed in 1.15."""
    seeds = {"rng", "random_state"} & inspect.signature(sp.random_array).parameters.keys()
    return sp.random_array((n, n), density=density, format="csr", **{min(seeds, key=len): seed})


def for_scipy(graph):
    """Return the graph with int32 indices: csgraph of SciPy 1.13 takes no others."""
    indices, indptr = (part.astype(np.int32) for part in (graph.indices, graph.indptr))
    return sp.csr_array((graph.data, indices, indptr), shape=graph.shape)


def both_ways(edges):
    """Store every edge in both directions, loops once."""
    return [*edges, *((v, u, w) for u, v, w in edges if u != v)]


def has_negative(graph):
    return graph.data.min(initial=0) < 0


def over_samples(*, negative=True, only: Callable[[sp.csr_array], bool] | None = None):
    """Parametrise `graph` over samples; without negative weights, or where `only(graph)`."""
    chosen = [
        pytest.param(graph, id=name)
        for name, graph in SAMPLES.items()
        if (negative or not has_negative(graph)) and (only is None or only(graph))
    ]
    return pytest.mark.parametrize("graph", chosen)


def _put(make):
    """Add the graph that a function returns, under the function's name."""
    SAMPLES[make.__name__] = make()
    return make


def _random_edges(n, m, seed, skew=1.0):
    """Draw m edges; with skew > 1 low numbers are hubs. Weights 1..8 give ties."""
    rng = np.random.default_rng(seed)
    ends = (n * rng.random((m, 2)) ** skew).astype(int)
    return [(*map(int, uv), float(w)) for uv, w in zip(ends, rng.integers(1, 9, m), strict=True)]


# Empty and tiny graphs.


@_put
def no_vertices():
    return csr(0, [])


@_put
def one_vertex():
    return csr(1, [])


@_put
def one_loop():
    return csr(1, [(0, 0, 2.0)])


@_put
def no_edges():
    return csr(5, [])


@_put
def loops_only():
    return csr(4, [(v, v, float(v)) for v in range(4)])


@_put
def two_islands():
    return csr(6, both_ways([(0, 2, 1.0), (2, 4, 2.0), (1, 3, 1.5), (3, 5, 0.5)]))


@_put
def many_islands():
    return csr(60, both_ways([(v, v + 1, 1.0 + v % 7) for v in range(0, 60, 3)]))


# Shapes.


@_put
def path():
    return csr(12, both_ways([(v, v + 1, 1.0 + v % 3) for v in range(11)]))


@_put
def long_thin():
    """A path numbered at random, which takes the largest number of rounds."""
    order = np.random.default_rng(3).permutation(300).tolist()
    return csr(300, both_ways([(u, v, 1.0) for u, v in itertools.pairwise(order)]))


@_put
def directed_chain():
    """Vertex 0 reaches all vertices, the last vertex none."""
    return csr(10, [(v, v + 1, 1.0) for v in range(9)])


@_put
def star():
    """One hub, more leaves than a warp has lanes."""
    return csr(100, both_ways([(0, v, float(1 + v % 5)) for v in range(1, 100)]))


@_put
def star_with_a_late_hub():
    return csr(70, both_ways([(69, v, float(1 + v % 5)) for v in range(69)]))


@_put
def complete():
    edges = [(u, v, float((7 * u + 3 * v) % 11)) for u in range(12) for v in range(u)]
    return csr(12, both_ways(edges))


@_put
def grid():
    across = [(8 * r + c, 8 * r + c + 1, 1.0 + (r * c) % 4) for r in range(8) for c in range(7)]
    down = [(8 * r + c, 8 * r + c + 8, 2.0 + (r + c) % 3) for r in range(7) for c in range(8)]
    return csr(64, both_ways(across + down))


@_put
def bipartite():
    edges = [(u, 6 + (u * k) % 5, float(1 + u * k % 4)) for u in range(6) for k in (1, 2, 3)]
    return csr(11, both_ways(edges))


@_put
def directed_cycle():
    return csr(7, [(v, (v + 1) % 7, 1.0) for v in range(7)])


@_put
def medium_random():
    """Sparse enough for contraction hierarchies in a tenth of a second."""
    return csr(1500, both_ways(_random_edges(1500, 3200, seed=1)))


@_put
def medium_power_law():
    """Hubs with a thousand edges, loops, parallel edges and vertices without any."""
    return csr(1500, both_ways(_random_edges(1500, 6000, seed=2, skew=4.0)))


@_put
def medium_directed():
    return csr(1200, _random_edges(1200, 5000, seed=4, skew=1.5))


# Forms of storage.


@_put
def parallel_edges():
    """The lightest of several, stored in no order; SciPy would sum them."""
    return csr(3, [(0, 1, 5.0), (0, 1, 2.0), (0, 1, 9.0), (1, 0, 5.0), (1, 0, 2.0), (1, 2, 1.0)])


@_put
def unsorted_indices():
    return csr(5, [(0, 4, 1.0), (0, 1, 3.0), (0, 3, 2.0), (1, 4, 1.0), (1, 2, 1.0), (3, 0, 2.0)])


@_put
def upper_triangle_only():
    return csr(6, [(0, 1, 4.0), (0, 5, 1.0), (1, 2, 2.0), (1, 3, 7.0), (2, 4, 2.0), (3, 4, 2.0)])


@_put
def lower_triangle_only():
    return csr(6, [(1, 0, 4.0), (5, 0, 1.0), (2, 1, 2.0), (3, 1, 7.0), (4, 2, 2.0), (4, 3, 2.0)])


@_put
def some_edges_one_way():
    return csr(5, [(0, 1, 1.0), (1, 0, 1.0), (2, 1, 1.0), (2, 3, 1.0), (3, 2, 1.0), (4, 0, 1.0)])


@_put
def asymmetric_weights():
    """The two directions of an edge differ in weight."""
    return csr(4, [(0, 1, 1.0), (1, 0, 5.0), (1, 2, 1.0), (2, 1, 2.0), (0, 2, 3.0), (3, 2, 1.0)])


@_put
def wide_indptr():
    """int64 indptr beside int32 indices."""
    return csr(6, both_ways([(0, 2, 1.0), (2, 4, 2.0), (4, 5, 1.5)]), indptr_dtype=np.int64)


@_put
def wide_indices():
    """Both int64, as SciPy stores matrices with more than 2**31 entries."""
    graph = csr(6, both_ways([(1, 2, 1.0), (2, 4, 2.0), (3, 5, 1.5)]), indptr_dtype=np.int64)
    graph.indices = graph.indices.astype(np.int64)
    return graph


# Weights.


@_put
def all_ties():
    return csr(9, both_ways([(u, v, 1.0) for u in range(9) for v in range(u) if (u + v) % 3]))


@_put
def zero_weights():
    """Stored zeros are edges."""
    return csr(5, both_ways([(0, 1, 0.0), (1, 2, 3.0), (0, 2, 0.0), (2, 3, 0.0), (3, 4, 1.0)]))


@_put
def zero_weight_cycle():
    """Predecessors must not form a cycle."""
    return csr(5, [(0, 3, 1.0), (3, 1, 0.0), (1, 2, 0.0), (2, 3, 0.0), (2, 1, 0.0), (1, 4, 0.0)])


@_put
def infinite_weights():
    """Edges that are stored but never used."""
    return csr(4, both_ways([(0, 1, 1.0), (1, 2, np.inf), (2, 3, 1.0)]))


@_put
def huge_weights():
    """The sums fit float64, but neither float32 nor an integer."""
    return csr(4, both_ways([(0, 1, 4e307), (1, 2, 5e307), (0, 2, 8e307), (2, 3, 1e-3)]))


@_put
def huge_integers():
    """Not even a float64 holds them exactly."""
    big = 2**61
    edges = [(0, 1, big + 1), (1, 2, big - 1), (0, 2, big), (2, 3, 1)]
    return csr(4, both_ways(edges), np.int64)


@_put
def subnormal_weights():
    tiny = 5e-324
    return csr(4, both_ways([(0, 1, tiny), (1, 2, 2 * tiny), (0, 2, 4 * tiny), (2, 3, 1e-310)]))


@_put
def mixed_magnitudes():
    """Floating-point sums depend on the order of their terms."""
    edges = [(v, v + 1, w) for v, w in enumerate((1e16, 1.0, 1.0, 1e-3, 1e8, 0.1, 0.2, 0.3))]
    return csr(9, both_ways([*edges, (0, 8, 1e16), (2, 6, 1e8)]))


@_put
def int32_weights():
    return csr(
        8, both_ways([(u, v, 1 + (u * v) % 5) for u in range(8) for v in range(u)]), np.int32
    )


@_put
def int64_weights():
    return csr(
        8, both_ways([(u, v, 1 + (u + v) % 5) for u in range(8) for v in range(u)]), np.int64
    )


@_put
def float32_weights():
    return csr(8, both_ways([(u, v, 0.1 * u + v) for u in range(8) for v in range(u)]), np.float32)


@_put
def small_integer_weights():
    """A dtype that no kernel supports."""
    return csr(4, both_ways([(0, 1, 3), (1, 2, 200), (2, 3, 7), (0, 3, 255)]), np.uint8)


@_put
def negative_weights():
    """Negative edges, no negative cycle."""
    return csr(5, [(0, 1, 4.0), (0, 2, 3.0), (2, 1, -2.0), (1, 3, -1.0), (3, 4, 2.0), (0, 4, 5.0)])


@_put
def negative_integer_weights():
    return csr(4, [(0, 1, 2), (1, 2, -3), (0, 2, 1), (2, 3, 1)], np.int32)


@_put
def negative_cycle():
    return csr(4, [(0, 1, 1.0), (1, 2, -3.0), (2, 1, 1.0), (2, 3, 1.0)])


# For Hypothesis.

DTYPES = (np.float32, np.float64, np.int32, np.int64)


def extremes_of(dtype):
    """Return the numbers at both ends of a dtype, and around zero."""
    if np.dtype(dtype).kind == "i":
        info = np.iinfo(dtype)
        return [info.min, info.min + 1, -1, 0, 1, info.max - 1, info.max]
    info = np.finfo(dtype)
    positive = [0.0, info.smallest_subnormal, info.tiny, 1.0, info.max, np.inf]
    return [sign * float(number) for sign in (-1, 1) for number in positive]


def weights_of(kind, dtype):
    """Return a strategy: ``non_negative``, ``any``, ``integer``, ``ties`` or ``extremes``."""
    if kind == "extremes":
        return st.sampled_from(extremes_of(dtype))
    if kind == "ties":
        return st.integers(0, 2)
    if kind == "integer":
        return st.integers(0, 20)
    lowest = -1000 if kind == "any" else 0
    if np.dtype(dtype).kind == "i":
        return st.integers(lowest, 1000)
    return st.floats(lowest, 1000, width=8 * np.dtype(dtype).itemsize)


@st.composite
def csr_graphs(
    draw, *, weights="non_negative", symmetric=None, dtypes=DTYPES, min_vertices=0, max_vertices=40
):
    """Draw a graph, sparse more often than not: islands, loops, parallel edges, rows unsorted.

    `symmetric`: True stores every edge both ways, False does not, None draws which.
    """
    n = draw(st.integers(min_vertices, max_vertices))
    dtype = draw(st.sampled_from(dtypes))
    vertex = st.integers(0, max(n - 1, 0))
    edge = st.tuples(vertex, vertex, weights_of(weights, dtype))
    edges = draw(st.lists(edge, max_size=3 * n))
    if draw(st.booleans()) if symmetric is None else symmetric:
        edges = both_ways(edges)
    return csr(n, edges, dtype, indptr_dtype=draw(st.sampled_from((np.int32, np.int64))))


@st.composite
def graphs_with_source(draw, **options):
    """Draw a graph and one of its vertices."""
    graph = draw(csr_graphs(**{"min_vertices": 1, **options}))
    return graph, draw(st.integers(0, graph.shape[0] - 1))


def blobs(seed=0, sizes=(40, 25, 60), apart=20.0):
    """Return points of well-separated clusters, and the cluster of each."""
    rng = np.random.default_rng(seed)
    points = np.concatenate([rng.normal(i * apart, 1, (n, 2)) for i, n in enumerate(sizes)])
    return points, np.repeat(np.arange(len(sizes)), sizes)
