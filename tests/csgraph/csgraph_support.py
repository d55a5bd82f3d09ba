"""Graphs in every form that SciPy's csgraph takes, and a check of shortest-path trees."""

import numpy as np
import scipy
import scipy.sparse as sp
import scipy.sparse.csgraph as theirs
from hypothesis import strategies as st

import graphs
import warpgraph as wg

DTYPES = [np.float64, np.float32, np.int64, np.int32, np.int8, np.uint16, np.bool_]
FORMATS = ["csr", "csc", "coo", "lil", "dok", "bsr", "dia", "dense", "masked", "matrix"]
#: Older versions refuse graphs without vertices, and 64-bit indices in some functions.
IS_OLD = tuple(map(int, scipy.__version__.split(".")[:2])) < (1, 17)
_WEIGHTS = [0, 1, 1, 2, 3, 5, 8]


def on(device):
    """Return device= for a call: with one thread "auto", which takes the way of small graphs."""
    return "auto" if wg.get_num_threads() == 1 else device


def random_csr(n, density, seed):
    """Return a random CSR array with float weights; the parameters are of every SciPy."""
    matrix = sp.random(n, n, density, "csr", random_state=np.random.default_rng(seed))
    return sp.csr_array(matrix)


def as_format(graph, form):
    """Return a CSR array in another form."""
    if form == "dense":
        return graph.toarray()
    if form == "matrix":
        return sp.csr_matrix(graph)
    if form == "masked":
        matrix = graph.toarray()
        return np.ma.array(matrix, mask=matrix == 0)  # SciPy needs a mask of the matrix's shape
    return graph.asformat(form)


@st.composite
def graph_inputs(draw, *, negative=False, formats=FORMATS):
    """Draw a graph with integer weights: sums are exact. It may have loops and parallel edges."""
    n = draw(st.integers(int(IS_OLD), 12))
    vertices = st.integers(0, n - 1) if n else st.nothing()
    weights = st.sampled_from([*_WEIGHTS, -1, -2] if negative else _WEIGHTS)
    edges = draw(st.lists(st.tuples(vertices, vertices, weights), max_size=40)) if n else []
    dtype = draw(st.sampled_from([np.float64, np.float32, np.int64, np.int32]))
    graph = graphs.csr(n, edges, dtype)
    if not IS_OLD and draw(st.booleans()):
        graph.indptr, graph.indices = graph.indptr.astype(np.int64), graph.indices.astype(np.int64)
    form = draw(st.sampled_from(formats if n else ["csr"]))
    # NumPy's and most of SciPy's conversions sum parallel edges.
    return graph if form == "csr" else as_format(graph, form)


@st.composite
def indices_of(draw, graph):
    """Draw the argument `indices`: None, a vertex or a list; negative ones count from the end."""
    n = graph.shape[0]
    if n == 0:
        return draw(st.sampled_from([None, []]))
    vertices = st.integers(-n, n - 1)
    return draw(st.none() | vertices | st.lists(vertices, max_size=4))


def outcome(function, *args, **options):
    """Return what a call returns, or the type of its exception and the message."""
    try:
        return function(*args, **options)
    except theirs.NegativeCycleError:
        return theirs.NegativeCycleError
    except (ValueError, TypeError) as error:
        return type(error), str(error)


def undirected_if(graph, wanted):
    """Return a sparse graph as it is, or with every edge both ways."""
    graph = sp.csr_array(graph)
    return graph.maximum(graph.T) if wanted else graph


def assert_trees(graph, trees, distances, indices, *, directed, unweighted):
    """Check that each predecessor ends a shortest path, and that sources have none."""
    assert trees.dtype == np.int32
    assert trees.shape == distances.shape
    n = graph.shape[0]
    if n == 0:
        return
    sources = np.arange(n) if indices is None else np.atleast_1d(np.array(indices, int)) % n
    lightest = _lightest(graph, directed, unweighted)
    rows = zip(sources, trees.reshape(-1, n), distances.reshape(-1, n), strict=True)
    for source, tree, distance in rows:
        has_none = ~np.isfinite(distance)
        has_none[source] = True
        np.testing.assert_array_equal(tree == -9999, has_none)
        for v in np.flatnonzero(~has_none):
            assert distance[tree[v]] + lightest[tree[v], v] == distance[v]
            depth = 0
            while v != source:
                v, depth = tree[v], depth + 1
                assert depth <= n


def _lightest(graph, directed, unweighted):
    """Return the matrix of the lightest edges."""
    from scipy.sparse.csgraph._validation import validate_graph

    matrix = validate_graph(graph, True, dense_output=False).tocoo()
    lightest = np.full(matrix.shape, np.inf)
    weights = np.ones(matrix.nnz) if unweighted else matrix.data
    np.minimum.at(lightest, (matrix.row, matrix.col), weights)
    return lightest if directed else np.minimum(lightest, lightest.T)
