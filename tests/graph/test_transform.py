"""wg.transform: sorted rows, new numbers, ranks and compressed neighbours."""

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, strategies as st

import checks
import oracles
import warpgraph as wg
from graphs import DTYPES, SAMPLES, both_ways, csr, csr_graphs, over_samples
from warpgraph import transform

over_strategies = pytest.mark.parametrize("strategy", ["communities", "degree", "rcm"])


@pytest.fixture(params=[1, 4])
def n_threads(request):
    """The transformations run on cores only."""
    wg.set_num_threads(request.param)
    yield request.param
    wg.set_num_threads(0)


def same_graph(a, b):
    for left, right in ((a.indptr, b.indptr), (a.indices, b.indices), (a.data, b.data)):
        assert left.tolist() == right.tolist()
        assert left.dtype == right.dtype or left is a.indptr


# Rows sorted by weight.


def check_sorted(graph, made, descending):
    graph = wg.Graph(graph)
    tail, _, weight = oracles.arcs(graph.to_csr())
    sign = -1 if descending else 1
    # Python's integers do not overflow when negated, and its sort is stable.
    expected = sorted(range(len(tail)), key=lambda e: (tail[e], sign * weight[e].item(), e))
    assert made.edge_ids.tolist() == expected
    np.testing.assert_array_equal(made.graph.indptr, graph.indptr)
    assert wg.transform.sort_by_weight(graph).graph.indptr is graph.indptr
    assert made.graph.indices.tolist() == graph.indices[expected].tolist()
    assert made.graph.data.tobytes() == graph.data[expected].tobytes()


@over_samples()
@pytest.mark.parametrize("descending", [False, True])
def test_sort_samples(graph, descending, device):
    made = transform.sort_by_weight(graph, descending=descending, device=device)
    check_sorted(graph, made, descending)


def test_sort_drawn_graphs(device):
    @given(csr_graphs(weights="any") | csr_graphs(weights="extremes"), st.booleans())
    def is_sorted(graph, descending):
        made = transform.sort_by_weight(graph, descending=descending, device=device)
        check_sorted(graph, made, descending)

    is_sorted()


@pytest.mark.parametrize("dtype", DTYPES)
def test_sort_long_rows(dtype, device):
    """The row of a hub, which all threads sort together, and short rows."""
    n = 70_000
    rng = np.random.default_rng(1)
    spokes = np.arange(1, n)
    weights = rng.integers(-500, 500, n - 1).astype(dtype)
    graph = wg.Graph.from_edges(
        np.r_[np.zeros_like(spokes), spokes],
        np.r_[spokes, np.zeros_like(spokes)],
        np.r_[weights, weights],
        n_vertices=n,
    )
    made = transform.sort_by_weight(graph, device=device)
    assert (made.edge_ids[: n - 1] == np.argsort(weights, kind="stable")).all()
    assert (made.edge_ids[n - 1 :] == np.arange(n - 1, 2 * (n - 1))).all()


# New numbers.


@over_strategies
@over_samples()
def test_reorder_samples(graph, strategy, n_threads):
    checks.check_renumbered(graph, transform.reorder(graph, strategy))


@over_strategies
def test_reorder_drawn_graphs(strategy):
    @given(csr_graphs(weights="any"))
    def is_a_renumbering(graph):
        made = transform.reorder(graph, strategy)
        checks.check_renumbered(graph, made)
        before, after = (
            nx.from_scipy_sparse_array(sp.csr_array(g.to_csr()), create_using=nx.DiGraph)
            for g in (wg.Graph(graph), made.graph)
        )
        assert nx.faster_could_be_isomorphic(before.to_undirected(), after.to_undirected())
        assert nx.is_isomorphic(nx.relabel_nodes(before, dict(enumerate(made.inverse))), after)

    is_a_renumbering()


@over_strategies
def test_order_does_not_depend_on_threads(strategy):
    graph = wg.generators.rmat(13, edge_factor=6, seed=4)
    orders = []
    for n in (1, 4, 3):
        wg.set_num_threads(n)
        orders.append(transform.reorder(graph, strategy).order.tolist())
    wg.set_num_threads(0)
    assert orders[0] == orders[1] == orders[2]


@over_strategies
def test_order_is_that_of_the_undirected_form(strategy):
    """The same if an edge is stored one way or both, except that degrees count stored entries."""
    rng = np.random.default_rng(3)
    pairs = np.unique(np.sort(rng.integers(0, 300, (700, 2)), axis=1), axis=0)
    edges = [(u, v, 1.0) for u, v in pairs.tolist() if u != v]
    one_way, two_ways = csr(300, edges), csr(300, both_ways(edges))
    if strategy != "degree":
        order = transform.reorder(one_way, strategy).order
        assert set(order.tolist()) == set(range(300))
        assert bandwidth(one_way, order) == bandwidth(two_ways, order)


def bandwidth(graph, order):
    tail, head, _ = oracles.arcs(graph)
    inverse = np.argsort(order)
    return int(np.abs(inverse[tail] - inverse[head]).max(initial=0))


def test_degrees_fall():
    graph = SAMPLES["medium_power_law"]
    made = transform.reorder(graph, "degree")
    degrees = np.diff(made.graph.indptr)
    assert (np.diff(degrees) <= 0).all()
    old = np.diff(graph.indptr)
    ties = old[made.order[1:]] == old[made.order[:-1]]
    assert (np.diff(made.order)[ties] > 0).all()


def test_rcm_reduces_the_bandwidth_as_scipy_does():
    """On a grid with shuffled numbers, the bandwidth becomes about the shorter side."""
    rows, columns = 12, 70
    grid = wg.generators.grid(rows, columns, seed=1, weights=None)
    shuffled = transform.permute(grid, np.random.default_rng(2).permutation(grid.n_vertices)).graph
    made = transform.reorder(shuffled, "rcm")
    matrix = shuffled.to_csr()
    theirs = sp.csgraph.reverse_cuthill_mckee(sp.csr_matrix(matrix), symmetric_mode=True)
    assert bandwidth(matrix, made.order) <= bandwidth(matrix, theirs) <= 3 * rows
    assert made.report.after < made.report.before


def sequential_cuthill_mckee(graph, start):
    """Number from `start` with a queue, as in textbooks."""
    tail, head, _ = oracles.arcs(graph)
    degree = np.bincount(tail, minlength=graph.shape[0])
    neighbours = [
        sorted(set(head[tail == v]), key=lambda u: (degree[u], u)) for v in range(len(degree))
    ]
    order = [start]
    for v in order:
        order.extend(u for u in neighbours[v] if u not in order)
    return order


@given(csr_graphs(symmetric=True, min_vertices=1))
def test_rcm_is_cuthill_mckee(graph):
    """For every component, from its first vertex."""
    order = transform.reorder(graph, "rcm").order.tolist()[::-1]
    while order:
        component = sequential_cuthill_mckee(graph, order[0])
        assert order[: len(component)] == component
        del order[: len(component)]


def test_communities_are_contiguous():
    """Cliques on a ring, in shuffled numbers, become contiguous."""
    size, n_cliques = 20, 60
    rng = np.random.default_rng(6)
    numbers = rng.permutation(size * n_cliques).reshape(n_cliques, size)
    inside = [(u, v, 1.0) for clique in numbers.tolist() for u in clique for v in clique if u < v]
    ring = [
        (*rng.choice(numbers[c], 1).tolist(), *rng.choice(numbers[c - 1], 1).tolist(), 1.0)
        for c in range(n_cliques)
    ]
    made = transform.reorder(csr(size * n_cliques, both_ways(inside + ring)))
    for clique in numbers:
        places = made.inverse[clique]
        assert places.max() - places.min() == size - 1
    assert made.report.gain > 2


@pytest.mark.parametrize(
    ("order", "parts"),
    [
        ([0, 1], ["2 items", "3 vertices"]),
        ([0, 1, 1], ["vertex 2", "missing"]),
        ([0, 1, 3], ["order[2]", "3"]),
    ],
)
def test_permute_rejects(order, parts):
    with checks.raises_sentence(ValueError, *parts):
        transform.permute(csr(3, [(0, 1, 1.0)]), order)


def test_reorder_rejects():
    with checks.raises_sentence(ValueError, "strategy", "'random'", "'rcm'"):
        transform.reorder(SAMPLES["path"], "random")


# Compression.

over_block_bits = pytest.mark.parametrize("block_bits", [None, 0, 1, 2, 4, 8])


@over_block_bits
@over_samples()
def test_compress_samples(graph, block_bits, n_threads):
    graph = wg.Graph(graph)
    made = transform.compress(graph, block_bits=block_bits)
    same_graph(made.decompress(), graph)
    assert (made.n_vertices, made.n_edges) == (graph.n_vertices, graph.n_edges)
    assert block_bits in (None, made.block_bits)
    for v in range(min(graph.n_vertices, 50)):
        assert (
            made.neighbours(v).tolist() == graph.indices[slice(*graph.indptr[v : v + 2])].tolist()
        )


@st.composite
def spread_rows(draw):
    """Draw rows of near heads and outliers: all kinds of rows in all formats."""
    n = draw(st.sampled_from([200, 700, 70_000, 20_000_000]))
    rows = []
    for _ in range(draw(st.integers(1, 12))):
        reach = draw(st.sampled_from([1, 100, 250, 256, 257, 1000, 1024, 70_000]))
        base = draw(st.integers(0, n - 1))
        near = st.integers(base, min(base + reach, n - 1))
        heads = draw(st.lists(near, max_size=40))
        outliers = draw(st.lists(st.integers(0, n - 1), max_size=draw(st.sampled_from([0, 2, 30]))))
        rows.append(draw(st.permutations(heads + outliers)))
    return n, rows


def graph_of_rows(n, rows, indptr_dtype=np.int64):
    ends = np.cumsum([0, *map(len, rows)])
    indptr = np.full(n + 1, ends[-1], indptr_dtype)
    indptr[: len(ends)] = ends
    heads = np.array([head for row in rows for head in row], np.int32)
    return wg.Graph.from_csr(indptr, heads, np.ones(len(heads), np.float32))


@over_block_bits
def test_compress_drawn_rows(block_bits):
    handles = {}

    @given(spread_rows(), st.sampled_from([np.int32, np.int64]))
    def comes_back(drawn, indptr_dtype):
        n, rows = drawn
        # Numbers up to n need a matrix of that size; most rows are empty.
        small = min(n, 70_000)
        rows = [[head % small for head in row] for row in rows]
        graph = graph_of_rows(small, rows, indptr_dtype)
        made = transform.compress(graph, block_bits=block_bits)
        assert [made.neighbours(v).tolist() for v in range(len(rows))] == rows
        assert made.decompress().indices.tolist() == graph.indices.tolist()
        handles[made.block_bits] = made

    comes_back()
    assert handles


def test_compress_many_vertices():
    """Numbers of 25 bits: upper parts of two bytes with blocks of 2 bits, and three with none."""
    n = 1 << 25
    rng = np.random.default_rng(8)
    rows = [
        rng.integers(0, n, 60).tolist(),
        (n - 200 + rng.integers(0, 200, 60)).tolist(),
        [*(5_000_000 + rng.integers(0, 200, 60)).tolist(), 0, n - 1],
        [n - 1],
    ]
    graph = graph_of_rows(n, rows)
    for block_bits in (0, 2, 8):
        made = transform.compress(graph, block_bits=block_bits)
        assert [made.neighbours(v).tolist() for v in range(4)] == rows
        assert (made.n_patched_rows, made.n_wide_rows) == (1, 1)


def test_compress_long_rows():
    """Rows too long for exceptions, and more exceptions than codes."""
    n = 5000
    rng = np.random.default_rng(9)
    rows = [[*range(200), *[n - 1] * 900], rng.integers(0, n, 900).tolist(), [n - 1, 0] * 450]
    for block_bits in (0, 1, 2, 4, 8):
        made = transform.compress(graph_of_rows(n, rows), block_bits=block_bits)
        assert [made.neighbours(v).tolist() for v in range(3)] == rows


def test_default_is_the_smallest():
    graphs = [
        transform.reorder(wg.generators.ssca2(11, seed=1)).graph,
        wg.generators.rmat(11, seed=1),
        wg.generators.grid(60, 60, seed=1),
    ]
    for graph in graphs:
        sizes = [transform.compress(graph, block_bits=bits).nbytes for bits in (0, 1, 2, 4, 8)]
        assert transform.compress(graph).nbytes == min(sizes)


def test_cliques_shrink_as_in_the_article():
    """If all rows fit: 1.25 bytes per entry, and 4 bytes per vertex."""
    graph = transform.reorder(wg.generators.ssca2(13, seed=1)).graph
    made = transform.compress(graph, block_bits=2)
    floor = graph.n_edges * 1.25 + 4 * graph.n_vertices
    assert floor <= made.nbytes <= 1.05 * floor
    assert transform.compress(graph).report.gain > 2.9


def test_compress_rejects():
    with checks.raises_sentence(ValueError, "block_bits", "3"):
        transform.compress(SAMPLES["path"], block_bits=3)
    with checks.raises_sentence(ValueError, "vertex is 99"):
        transform.compress(SAMPLES["path"]).neighbours(99)


# All together.


@given(csr_graphs(weights="any"))
def test_a_chain_of_transformations(graph):
    near = transform.reorder(graph)
    ranked = transform.rank_weights(near.graph)
    rows = transform.sort_by_weight(ranked.graph)
    small = transform.compress(rows.graph)
    forest = wg.minimum_spanning_forest(small.decompress())
    ids = near.edge_ids[rows.edge_ids[forest.edge_ids]]
    weights = np.sort(wg.Graph(graph).data[ids])
    assert weights.tolist() == sorted(wg.Graph(graph).data[oracles.kruskal(graph)].tolist())


@pytest.mark.parametrize(
    "call",
    [transform.sort_by_weight, transform.reorder, transform.rank_weights, transform.compress],
)
def test_report(call):
    report = call(SAMPLES["medium_random"]).report
    assert report.seconds > 0
    assert report.gain == report.before / report.after
    assert report.measure in str(report)
    assert "x) in " in str(report)
    nothing = call(SAMPLES["no_vertices"]).report
    assert nothing.gain == 1


@pytest.mark.parametrize(
    "call",
    [transform.sort_by_weight, transform.reorder, transform.rank_weights, transform.compress],
)
def test_input_is_only_read(call):
    graph = SAMPLES["medium_power_law"].copy()
    arrays = (graph.indptr, graph.indices, graph.data)
    before = [array.tobytes() for array in arrays]
    for array in arrays:
        array.flags.writeable = False
    call(graph)
    assert [array.tobytes() for array in arrays] == before
