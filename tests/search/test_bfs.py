"""Breadth-first search: hops and canonical predecessors, on every device and lists of devices."""

import threading

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings, strategies as st
from scipy.sparse import csgraph

import graphs
import oracles
import warpgraph as wg
from sssp_support import over_devices_and_workers
from warpgraph import _core


def reference(graph, source, *, limit=2**31 - 1):
    """Run the sequential version of the core."""
    n = graph.n_vertices
    hops, predecessors = np.empty(n, np.int32), np.empty(n, np.int32)
    none = np.empty(0, np.int32)
    _core.bfs_reference(graph._handle, hops, predecessors, none, source=source, limit=limit)
    return hops, predecessors


def assert_right(graph, source, device, *, directed=True, limit=None):
    """Both as a matrix and as a Graph, which is searched from both sides if it is symmetric."""
    expected = oracles.hops(graph, source, directed=directed, limit=limit)
    tree = oracles.smallest_predecessors(graph, expected, directed=directed)
    for form in (graph, wg.Graph(graph)):
        options = {"directed": directed, "limit": limit, "device": device}
        alone = wg.bfs(form, source, **options)
        assert alone.dtype == np.int32
        np.testing.assert_array_equal(alone, expected)
        hops, predecessors = wg.bfs(form, source, return_predecessors=True, **options)
        assert predecessors.dtype == np.int32
        np.testing.assert_array_equal(hops, expected)
        np.testing.assert_array_equal(predecessors, tree)


@pytest.fixture(scope="module")
def power_law():
    """Hubs and a small diameter, so some levels run bottom-up; a part is unreachable."""
    rng = np.random.default_rng(11)
    n, m = 20_000, 150_000
    ends = (n * rng.random((m, 2)) ** 3).astype(np.int32)
    both = np.r_[ends, ends[:, ::-1]]
    return sp.coo_array((np.ones(len(both)), (both[:, 0], both[:, 1])), (n, n)).tocsr()


@pytest.fixture(scope="module")
def wide_grid():
    """Hundreds of levels, some of them wide enough for all threads."""
    n = 400
    line = sp.diags_array([np.ones(n - 1), np.ones(n - 1)], offsets=[-1, 1])
    rungs = sp.kron(sp.eye_array(n), sp.csr_array(np.ones((8, 8))))
    return sp.csr_array(sp.kron(line, sp.csr_array(np.ones((8, 8)))) + rungs)


@pytest.fixture(scope="module")
def deep():
    """A strip of streets, a tenth of them one-way or parallel, and an island: over 2000 levels."""
    rng = np.random.default_rng(5)
    rows, columns = 40, 2000
    place = np.arange(rows * columns, dtype=np.int32).reshape(rows, columns)
    u = np.r_[place[:, :-1].ravel(), place[:-1].ravel()]
    v = np.r_[place[:, 1:].ravel(), place[1:].ravel()]
    back = rng.random(len(u)) < 0.9
    again = rng.random(len(u)) < 0.05
    tail, head = np.r_[u, v[back], u[again]], np.r_[v, u[back], v[again]]
    name = rng.permutation(place.size + 100).astype(np.int32)
    n = len(name)
    indptr = np.r_[0, np.cumsum(np.bincount(name[tail], minlength=n))]
    order = np.lexsort((name[head], name[tail]))
    return sp.csr_array((np.ones(len(tail)), name[head][order], indptr), (n, n)), int(name[0])


@over_devices_and_workers
@graphs.over_samples(only=lambda graph: graph.shape[0] > 0)
@pytest.mark.parametrize("directed", [True, False])
def test_samples(graph, directed, device):
    for source in {0, graph.shape[0] // 2, graph.shape[0] - 1}:
        assert_right(graph, source, device, directed=directed)
    for limit in (0, 1, 3):
        assert_right(graph, 0, device, directed=directed, limit=limit)


@graphs.over_samples(only=lambda graph: graph.shape[0] > 0)
@pytest.mark.parametrize("limit", [0, 1, 3])
def test_reference(graph, limit):
    expected = oracles.hops(graph, 0, limit=limit)
    hops, predecessors = reference(wg.Graph(graph), 0, limit=limit)
    np.testing.assert_array_equal(hops, expected)
    np.testing.assert_array_equal(predecessors, oracles.smallest_predecessors(graph, expected))


@over_devices_and_workers
@settings(max_examples=60)
@given(
    drawn=graphs.graphs_with_source(weights="extremes"),
    directed=st.booleans(),
    limit=st.none() | st.integers(0, 4),
)
def test_drawn_graphs(drawn, directed, limit, device):
    assert_right(*drawn, device, directed=directed, limit=limit)


@over_devices_and_workers
@pytest.mark.heavy
@pytest.mark.parametrize(
    "graph",
    [
        pytest.param(lambda: wg.generators.grid(120, 90, seed=0), id="grid"),
        pytest.param(lambda: wg.generators.rmat(12, 8, seed=1), id="power law"),
    ],
)
def test_larger_graphs(graph, device):
    matrix = graph().to_csr()
    for limit in (None, 6):
        assert_right(matrix, 5, device, limit=limit)


@pytest.mark.parametrize("directed", [True, False])
def test_from_both_sides(power_law, directed, device):
    graph = wg.Graph(power_law)
    expected = reference(graph, 0)
    hops, predecessors = wg.bfs(
        graph, 0, directed=directed, return_predecessors=True, device=device
    )
    np.testing.assert_array_equal(hops, expected[0])
    np.testing.assert_array_equal(predecessors, expected[1])
    assert (hops < 0).any()
    assert 2 < hops.max() < 20
    np.testing.assert_array_equal(wg.bfs(graph, 0, directed=directed, device=device), hops)


def test_unsorted_rows_from_both_sides(power_law, device):
    shuffled = power_law.copy()
    rng = np.random.default_rng(2)
    for first, last in zip(shuffled.indptr[:-1], shuffled.indptr[1:], strict=True):
        rng.shuffle(shuffled.indices[first:last])
    expected = wg.bfs(power_law, 7, return_predecessors=True, device="cpu")
    found = wg.bfs(shuffled, 7, directed=False, return_predecessors=True, device=device)
    np.testing.assert_array_equal(found, expected)


@pytest.fixture(scope="module")
def late_hub():
    """A hub of 9000 leaves that is reached by its last arc, and leaves that have no arc at all.

    The core has many arcs and few levels, so the level that reaches the hub runs bottom-up. Behind
    leaf 5 a path of 30 vertices, the last ones: levels that run top-down again.
    """
    rng = np.random.default_rng(5)
    n_leaves, n_core = 9000, 2000
    hub, first = n_leaves, n_leaves + 501
    core = first + rng.integers(0, n_core, (2, 60 * n_core))
    leaves = np.arange(n_leaves)
    path = first + n_core + np.arange(30)
    tail = np.r_[leaves, core[0], first + n_core - 1, 5, path[:-1]]
    head = np.r_[np.full(n_leaves, hub), core[1], hub, path]
    n = first + n_core + len(path)
    graph = sp.coo_array((np.ones(len(tail)), (tail, head)), (n, n)).tocsr()
    return sp.csr_array(graph + graph.T)


def test_a_hub_that_is_reached_by_its_last_arc(late_hub, device):
    n = late_hub.shape[0]
    for source in (n - 32, n - 31, n - 1, 9000, 17):
        assert_right(late_hub, source, device, directed=False)


def test_cliques_in_a_chain(device):
    # Many levels of vertices with more than eight arcs.
    block = sp.csr_array(np.ones((12, 12)))
    graph = sp.lil_array(sp.block_diag([block] * 60))
    for last in range(11, graph.shape[0] - 1, 12):
        graph[last, last + 1] = graph[last + 1, last] = 1
    graph = graph.tocsr()
    assert_right(graph, 0, device, directed=False)
    assert_right(graph, 360, device, directed=False, limit=7)


def test_power_law_one_way(power_law, device):
    upper = sp.csr_array(sp.triu(power_law))
    expected = reference(wg.Graph(upper), 1)
    found = wg.bfs(upper, 1, return_predecessors=True, device=device)
    np.testing.assert_array_equal(found, expected)
    both = wg.bfs(upper, 1, directed=False, return_predecessors=True, device=device)
    np.testing.assert_array_equal(both, reference(wg.Graph(upper)._undirected(), 1))


def test_many_levels(wide_grid, device):
    expected = reference(wg.Graph(wide_grid), 3)
    assert expected[0].max() == 399
    found = wg.bfs(wide_grid, 3, return_predecessors=True, device=device)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("limit", [None, 10, 64, 65, 700])
def test_deep_graphs(deep, directed, limit, device):
    graph, source = deep
    matrix = graphs.for_scipy(graph)
    distances = csgraph.dijkstra(matrix, directed=directed, indices=source, unweighted=True)
    expected = np.where(np.isinf(distances), -1, distances).astype(np.int32)
    assert expected.max() > 2000
    if limit is not None:
        expected[expected > limit] = -1
    options = {"directed": directed, "limit": limit, "device": device}
    np.testing.assert_array_equal(wg.bfs(graph, source, **options), expected)
    hops, tree = wg.bfs(graph, source, return_predecessors=True, **options)
    np.testing.assert_array_equal(hops, expected)
    np.testing.assert_array_equal(
        tree, oracles.smallest_predecessors(graph, hops, directed=directed)
    )


def test_deep_graphs_with_little_memory(deep, device):
    graph, source = wg.Graph(deep[0]), deep[1]
    expected = wg.bfs(graph, source, return_predecessors=True, device=device)
    bytes_allowed = 1 << 26
    while bytes_allowed > 1 << 16:
        try:
            found = wg.bfs(
                graph,
                source,
                return_predecessors=True,
                memory_limit=bytes_allowed,
                device=device,
            )
        except MemoryError:
            break
        np.testing.assert_array_equal(found, expected)
        bytes_allowed = bytes_allowed * 3 // 4
    assert bytes_allowed < 1 << 26


def test_progress_in_deep_graphs(deep, device):
    graph, source = deep
    reports = []
    wg.bfs(graph, source, progress=lambda *report: reports.append(report), device=device)
    assert reports
    assert all(total == graph.shape[0] for _, total in reports)
    done = [done for done, _ in reports]
    assert done == sorted(done)
    assert done[-1] <= graph.shape[0]


@pytest.mark.usefixtures("threads")
@pytest.mark.parametrize("threads", [2, 3], indirect=True)
@pytest.mark.parametrize("directed", [False, True])
def test_levels_that_threads_divide(directed):
    """Levels of hundreds of vertices with few arcs, of which each thread keeps a part."""
    rng = np.random.default_rng(7)
    grid = wg.generators.grid(500, 700).to_csr()
    if directed:
        grid.data = (rng.random(grid.nnz) < 0.95).astype(float)
        grid.eliminate_zeros()
    source = 250 * 700 + 350
    hops = oracles.hops(grid, source, directed=directed)
    tree = oracles.smallest_predecessors(grid, hops, directed=directed)
    assert np.bincount(hops[hops >= 0]).max() > 600
    found = wg.bfs(grid, source, directed=directed, return_predecessors=True, device="cpu")
    np.testing.assert_array_equal(found, (hops, tree))
    again = wg.bfs(grid, source, directed=directed, device="cpu")
    np.testing.assert_array_equal(again, hops)


def test_levels_for_all_threads(device):
    """A tree whose levels double: sequential, then parallel, then sequential again at its end."""
    n = 2**15 - 1
    child = np.arange(1, n, dtype=np.int32)
    parent = (child - 1) // 2
    tail = np.arange(n, n + 50, dtype=np.int32)  # a path after the last leaf
    rows, cols = np.r_[parent, tail - 1], np.r_[child, tail]
    graph = wg.Graph.from_edges(rows, cols, n_vertices=n + 50)
    hops, predecessors = wg.bfs(graph, 0, return_predecessors=True, device=device)
    np.testing.assert_array_equal(hops[:n], np.log2(np.arange(1, n + 1)).astype(int))
    np.testing.assert_array_equal(hops[n:], 15 + np.arange(50))
    np.testing.assert_array_equal(predecessors[cols], rows)


def test_agrees_with_scipy(power_law, device):
    hops = wg.bfs(power_law, 5, device=device)
    distances = csgraph.shortest_path(power_law, unweighted=True, indices=5, method="D")
    np.testing.assert_array_equal(np.where(hops < 0, np.inf, hops), distances)


def test_agrees_with_networkx(device):
    graph = nx.gnp_random_graph(80, 0.04, seed=5, directed=True)
    found = wg.bfs(graph, 3, device=device)
    expected = nx.single_source_shortest_path_length(graph, 3)
    assert {v: h for v, h in enumerate(found.tolist()) if h >= 0} == dict(expected)


@pytest.mark.parametrize("limit", [0, 1, 2, 10**12])
def test_limit(wide_grid, power_law, limit, device):
    for graph in (wide_grid, power_law):
        everything = reference(wg.Graph(graph), 0)[0]
        found = wg.bfs(wg.Graph(graph), 0, limit=limit, device=device)
        np.testing.assert_array_equal(found, np.where(everything <= limit, everything, -1))


def test_weights_are_not_read(device):
    graph = graphs.csr(3, graphs.both_ways([(0, 1, -5.0), (1, 2, 0.0)]))
    np.testing.assert_array_equal(wg.bfs(graph, 0, device=device), [0, 1, 2])


def test_asymmetric_weights_need_no_copy():
    graph = wg.Graph(graphs.csr(2, [(0, 1, 1.0), (1, 0, 2.0)]))
    assert graph._undirected_structure() is graph
    assert graph._undirected() is not graph


def test_two_calls_at_once(power_law, device):
    graph = wg.Graph(power_law)
    expected = {source: reference(graph, source)[0] for source in (0, 9)}
    found = {}
    threads = [
        threading.Thread(target=lambda s=s: found.update({s: wg.bfs(graph, s, device=device)}))
        for s in expected
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for source, hops in expected.items():
        np.testing.assert_array_equal(found[source], hops)


@pytest.mark.parametrize("both_ways", [False, True])
def test_rows_that_threads_share(device, both_ways):
    """Two hubs in one small frontier, whose rows overlap, and a chain behind the last leaf."""
    n, reach = 60_000, 40_000
    first = np.arange(3, 3 + reach)
    second = np.arange(n - 10 - reach, n - 10)
    chain = np.arange(n - 11, n - 1)
    tail = np.r_[0, 0, np.full(reach, 2), np.full(reach, 1), chain]
    head = np.r_[1, 2, first, second, chain + 1]
    if both_ways:
        tail, head = np.r_[tail, head], np.r_[head, tail]
    graph = sp.coo_array((np.ones(len(tail)), (tail, head)), (n, n)).tocsr()
    hops, tree = wg.bfs(graph, 0, return_predecessors=True, device=device)
    expected = np.r_[0, 1, 1, np.full(n - 13, 2), np.arange(3, 13)]
    np.testing.assert_array_equal(hops, expected)
    np.testing.assert_array_equal(wg.bfs(graph, 0, device=device), expected)
    leaves = np.where(np.arange(3, n - 10) >= second[0], 1, 2)
    np.testing.assert_array_equal(tree, np.r_[-1, 0, 0, leaves, chain])


def test_vertices_without_arcs_between_levels_of_both_directions(device):
    """Dense parts joined by a path: levels go bottom-up, top-down and bottom-up again."""
    rng = np.random.default_rng(3)
    part, gap = 4_000, 60
    dense = (rng.integers(0, part, (2, 8 * part)) * 2).astype(np.int32)  # odd vertices: no arcs
    path = 2 * part + np.arange(gap)
    joined = np.r_[dense[0, 0], path], np.r_[path, 2 * part + gap + dense[0, 0]]
    tail = np.r_[dense[0], dense[0] + 2 * part + gap, joined[0]]
    head = np.r_[dense[1], dense[1] + 2 * part + gap, joined[1]]
    n = 4 * part + gap
    ones = np.ones(2 * len(tail))
    graph = sp.coo_array((ones, (np.r_[tail, head], np.r_[head, tail])), (n, n)).tocsr()
    source = int(dense[0, 5])
    found = csgraph.dijkstra(graphs.for_scipy(graph), indices=source, unweighted=True)
    expected = np.where(np.isinf(found), -1, found).astype(np.int32)
    assert expected.max() > gap
    hops, tree = wg.bfs(graph, source, directed=False, return_predecessors=True, device=device)
    np.testing.assert_array_equal(hops, expected)
    np.testing.assert_array_equal(tree, oracles.smallest_predecessors(graph, expected))
    np.testing.assert_array_equal(wg.bfs(wg.Graph(graph), source, device=device), expected)


@pytest.mark.parametrize("directed", [False, True])
def test_the_order_in_rows_does_not_matter(directed, device):
    """Bottom-up levels end at the first head in the frontier where heads ascend."""
    graph = wg.generators.rmat(13, 16, seed=2, directed=directed)
    reverse = np.lexsort((-graph.indices, np.repeat(np.arange(1 << 13), np.diff(graph.indptr))))
    turned = wg.Graph.from_csr(graph.indptr, graph.indices[reverse], graph.data[reverse])
    hops = oracles.hops(graph.to_csr(), 1)
    expected = hops, oracles.smallest_predecessors(graph.to_csr(), hops)
    for form in (graph, turned):
        for _ in range(6):  # the transposed graph is made for the fifth search
            found = wg.bfs(form, 1, return_predecessors=True, device=device)
            np.testing.assert_array_equal(found, expected)
