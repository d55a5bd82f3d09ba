"""Weak and strong components: canonical labels, on every device; weak ones on lists of devices."""

import threading

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from scipy.sparse import csgraph

import graphs
import oracles
import warpgraph as wg
from checks import assert_labels_canonical, raises_sentence
from device_lists import is_several, over_devices
from warpgraph import _core


def strong_oracle(graph):
    """Label by the transitive closure: mutually reachable vertices share the smallest vertex."""
    n = graph.shape[0]
    reaches = np.eye(n, dtype=bool)
    tail, head, _ = oracles.arcs(graph)
    reaches[tail, head] = True
    for k in range(n):
        reaches |= reaches[:, k, None] & reaches[k]
    both = reaches & reaches.T
    smallest = both.argmax(axis=1) if n else np.empty(0, int)
    return np.unique(smallest, return_inverse=True)[1].astype(np.int32)


def canonical(labels):
    """Renumber labels by their smallest vertex."""
    values, firsts, inverse = np.unique(labels, return_index=True, return_inverse=True)
    number = np.empty(len(values), np.int32)
    number[np.argsort(firsts)] = np.arange(len(values))
    return number[inverse]


def assert_components(found, expected):
    n_components, labels = found
    assert_labels_canonical(labels, n_components)
    np.testing.assert_array_equal(labels, expected)


def connections_on(device):
    """Return the kinds of components that a device finds, or a list of devices."""
    return ("weak",) if is_several(device) else ("weak", "strong")


def reference(graph, connection):
    graph = wg.Graph(graph)
    labels = np.empty(graph.n_vertices, np.int32)
    if connection == "strong":
        return _core.strong_components_reference(graph._handle, labels), labels
    return _core.connected_components_reference(graph._handle, labels), labels


def known_mirrored(graph):
    graph = wg.Graph(graph)
    assert graph._has_mirrored_structure()
    assert graph._is_known_mirrored()
    return graph


def skewed(n, m, seed, skew):
    rng = np.random.default_rng(seed)
    ends = (n * rng.random((m, 2)) ** skew).astype(np.int32)
    return sp.coo_array((np.ones(m), (ends[:, 0], ends[:, 1])), (n, n)).tocsr()


def web(n=40_000):
    """A giant strong component, paths into it and out of it, and separate cycles of three."""
    core = skewed(n, 8 * n, seed=5, skew=2.0).tocoo()
    triple = n + 3 * np.arange(500)[:, None] + [0, 1, 2]
    rows = np.r_[core.row, triple.ravel(), triple[:, 0]]
    cols = np.r_[core.col, np.roll(triple, -1, axis=1).ravel(), triple[:, 0] % n]
    size = n + 1500
    order = np.random.default_rng(6).permutation(size)
    return sp.coo_array((np.ones(len(rows)), (order[rows], order[cols])), (size, size)).tocsr()


def long_cycles(n=30_000):
    """Cycles of all lengths, numbered at random, each with an arc to the next: a large diameter."""
    cuts = np.r_[0, np.cumsum(np.arange(1, 200)), n]
    following = np.arange(1, n + 1)
    following[cuts[1:] - 1] = cuts[:-1]
    order = np.random.default_rng(8).permutation(n)
    rows = np.r_[np.arange(n), cuts[1:-1] - 1]
    cols = np.r_[following, cuts[1:-1]]
    return sp.coo_array((np.ones(len(rows)), (order[rows], order[cols])), (n, n)).tocsr()


LARGE = {
    "web": web(),
    "long_cycles": long_cycles(),
    "forest": skewed(30_000, 20_000, seed=1, skew=1.0),
    "sparse_random": skewed(30_000, 45_000, seed=2, skew=1.0),
    "layers": sp.csr_array(sp.triu(skewed(20_000, 100_000, seed=3, skew=1.0), k=1)),
}
over_large = pytest.mark.parametrize("graph", [pytest.param(g, id=n) for n, g in LARGE.items()])


@over_devices
@graphs.over_samples()
def test_weak_samples(graph, device):
    expected = oracles.components(graph)
    assert_components(wg.connected_components(graph, device=device), expected)
    assert_components(reference(graph, "weak"), expected)
    for connection in ("weak", "strong"):
        found = wg.connected_components(graph, directed=False, connection=connection, device=device)
        assert_components(found, expected)


@graphs.over_samples(only=lambda graph: graph.shape[0] <= 200)
def test_strong_samples(graph, device):
    expected = strong_oracle(graph)
    assert_components(wg.connected_components(graph, connection="strong", device=device), expected)
    assert_components(reference(graph, "strong"), expected)


@over_devices
@settings(max_examples=100)
@given(graph=graphs.csr_graphs(weights="extremes"))
def test_drawn_graphs(graph, device):
    expected = {"weak": oracles.components(graph), "strong": strong_oracle(graph)}
    for connection in connections_on(device):
        found = wg.connected_components(graph, connection=connection, device=device)
        assert_components(found, expected[connection])
    assert_components(reference(graph, "strong"), expected["strong"])


@over_devices
@settings(max_examples=60)
@given(graph=graphs.csr_graphs(weights="extremes", symmetric=True))
def test_drawn_mirrored_graphs(graph, device):
    expected = oracles.components(graph)
    for connection in connections_on(device):
        found = wg.connected_components(known_mirrored(graph), connection=connection, device=device)
        assert_components(found, expected)


@over_devices
@over_large
def test_agrees_with_scipy(graph, device):
    for connection in connections_on(device):
        found = wg.connected_components(graph, connection=connection, device=device)
        n_components, labels = csgraph.connected_components(graph, connection=connection)
        assert found[0] == n_components
        assert_components(found, canonical(labels))


@pytest.fixture(params=[1, 2, 4])
def threads(request):
    wg.set_num_threads(request.param)
    yield request.param
    wg.set_num_threads(0)


def test_strong_on_threads(threads):
    """From four threads on, the giant component of a graph of many arcs is found separately."""
    web, cliques = LARGE["web"], 70
    first = web.shape[0] + 30 * np.arange(cliques)
    apart = sp.csr_array(sp.block_diag([web, *[np.ones((30, 30))] * cliques]))
    links = np.ones(cliques - 1), (first[:-1], first[1:])
    graph = sp.csr_array(apart + sp.coo_array(links, apart.shape))
    assert graph.nnz >= 8 * graph.shape[0]
    n_components, labels = csgraph.connected_components(graph, connection="strong")
    found = wg.connected_components(graph, connection="strong", device="cpu")
    assert found[0] == n_components > 500
    assert_components(found, canonical(labels))


@over_large
def test_reference_agrees(graph):
    for connection in ("weak", "strong"):
        n_components, labels = csgraph.connected_components(graph, connection=connection)
        found = reference(graph, connection)
        assert found[0] == n_components
        assert_components(found, canonical(labels))


@over_devices
@over_large
def test_mirrored(graph, device):
    both = sp.csr_array(graph + graph.T)
    expected = canonical(csgraph.connected_components(both, directed=False)[1])
    kept = known_mirrored(both)
    for connection in connections_on(device):
        found = wg.connected_components(kept, connection=connection, device=device)
        assert_components(found, expected)


@over_devices
def test_agrees_with_networkx(device):
    graph = nx.gnp_random_graph(120, 0.012, seed=3, directed=True)
    components = {
        "weak": nx.weakly_connected_components,
        "strong": nx.strongly_connected_components,
    }
    for connection in connections_on(device):
        smallest = {v: min(found) for found in components[connection](graph) for v in found}
        found = wg.connected_components(graph, connection=connection, device=device)
        assert_components(found, canonical([smallest[v] for v in range(120)]))


def test_a_giant_beside_islands(device):
    """Arcs that are only in the rows of the giant, after the sampled ones."""
    n = 5000
    hub = [(0, v, 1.0) for v in range(1, n)]
    ring = [(v, 1 + v % (n - 1), 1.0) for v in range(1, n)]
    graph = graphs.csr(n + 40, [*hub[:-1], *ring, *((7, n + i, 1.0) for i in range(20))])
    expected = np.r_[np.zeros(n + 20), 1 + np.arange(20)]
    assert_components(wg.connected_components(graph, device=device), expected)


@pytest.mark.parametrize("kept", [0.35, 0.55, 1.0])
@pytest.mark.parametrize("width", [3, 90, 4096])
def test_near_arcs(width, kept, device):
    """Edges lead to near vertices, few of them out of the blocks that are labelled alone."""
    n, rng = 40_000, np.random.default_rng(width)
    v = np.arange(n)
    tail, head = np.r_[v[:-1], v[:-width]], np.r_[v[1:], v[width:]]
    stays = rng.random(len(tail)) < kept
    tail, head = tail[stays], head[stays]
    ends = np.r_[tail, head], np.r_[head, tail]
    matrix = sp.coo_array((np.ones(len(ends[0])), ends), (n, n)).tocsr()
    expected, labels = csgraph.connected_components(matrix, directed=False)
    found, of_vertex = wg.connected_components(matrix, directed=False, device=device)
    assert found == expected
    assert_labels_canonical(of_vertex)
    assert len(set(zip(labels.tolist(), of_vertex.tolist(), strict=True))) == expected


@over_devices
def test_a_row_of_many_segments(device):
    """A row that several threads or endpoints share, between rows without edges."""
    n = 300_000
    heads = np.random.default_rng(0).permutation(n)[: n // 2]
    graph = wg.Graph.from_edges(np.full(n // 2, n // 3), heads, n_vertices=n)
    expected = reference(graph, "weak")[1]
    assert_components(wg.connected_components(graph, device=device), expected)


def test_two_calls_at_once(device):
    graph = wg.Graph(LARGE["web"])
    found = {}

    def call(connection):
        found[connection] = wg.connected_components(graph, connection=connection, device=device)

    threads = [threading.Thread(target=call, args=(c,)) for c in ("weak", "strong")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for connection in ("weak", "strong"):
        labels = csgraph.connected_components(LARGE["web"], connection=connection)[1]
        assert_components(found[connection], canonical(labels))


def test_empty_and_single(device):
    for connection in ("weak", "strong"):
        for n in (0, 1):
            found = wg.connected_components(
                sp.csr_array((n, n)), connection=connection, device=device
            )
            assert_components(found, np.arange(n))


def test_bad_input():
    graph = graphs.SAMPLES["grid"]
    with raises_sentence(ValueError, "connection", "weak", "strong", "sideways"):
        wg.connected_components(graph, connection="sideways")
    with raises_sentence(wg.DeviceError, "cuda:97"):
        wg.connected_components(graph, connection="strong", device="cuda:97")
    with raises_sentence(ValueError, "square"):
        wg.connected_components(np.ones((2, 3)))
    with raises_sentence(TypeError, "graph", "str"):
        wg.connected_components("grid")


@pytest.mark.parametrize("connection", ["weak", "strong"])
def test_labels_are_new_arrays(connection):
    first = wg.connected_components(graphs.SAMPLES["grid"], connection=connection)[1]
    first[:] = -7
    second = wg.connected_components(graphs.SAMPLES["grid"], connection=connection)[1]
    assert (second == 0).all()


@over_devices
@pytest.mark.parametrize("directed", [True, False])
def test_out(directed, device):
    graph = graphs.csr(5, [(0, 1, 1), (1, 0, 1), (1, 2, 1), (4, 4, 1)])
    labels_of = {"weak": [0, 0, 0, 1, 2], "strong": [0, 0, 1, 2, 3]}
    for connection in connections_on(device):
        expected = labels_of[connection]
        out = np.full(5, 9, np.int32)
        n_components, labels = wg.connected_components(
            graph, directed=directed, connection=connection, out=out, device=device
        )
        assert labels is out
        assert out.tolist() == (expected if directed else [0, 0, 0, 1, 2])
        assert n_components == out.max() + 1


@pytest.mark.parametrize("connection", ["weak", "strong"])
@pytest.mark.parametrize(
    ("out", "error", "parts"),
    [
        (np.empty(3, np.int32), ValueError, ("out", "(3,)", "(4,)")),
        (np.empty(4), ValueError, ("out", "float64", "int32")),
        ([0] * 4, TypeError, ("out", "list")),
    ],
)
def test_out_that_does_not_fit(out, error, parts, connection):
    with raises_sentence(error, *parts):
        wg.connected_components(graphs.csr(4, [(0, 1, 1)]), connection=connection, out=out)


@pytest.mark.parametrize("connection", ["weak", "strong"])
def test_out_may_not_be_the_graph(connection, device):
    graph = graphs.csr(4, [(0, 1, 1), (1, 2, 1), (2, 3, 1), (3, 0, 1)])
    with raises_sentence(ValueError, "out shares memory"):
        wg.connected_components(graph, connection=connection, out=graph.indices, device=device)


@pytest.mark.parametrize("connection", ["weak", "strong"])
def test_memory_limit(connection, device):
    graph = wg.generators.rmat(8, 4, seed=1, directed=True)
    how = {"connection": connection, "device": device}
    with raises_sentence(MemoryError, "100 bytes", "memory_limit"):
        wg.connected_components(graph, memory_limit=100, **how)
    with raises_sentence(ValueError, "memory_limit", 0):
        wg.connected_components(graph, memory_limit=0, **how)
    n, labels = wg.connected_components(graph, memory_limit=1 << 30, **how)
    expected = wg.connected_components(graph, **how)
    assert n == expected[0]
    np.testing.assert_array_equal(labels, expected[1])


def test_strong_components_are_for_one_device():
    with raises_sentence(ValueError, "strong", "['cpu', 'cpu']"):
        wg.connected_components(graphs.SAMPLES["grid"], device=["cpu"] * 2, connection="strong")


def test_memory_limit_of_several_workers():
    graph = wg.Graph(LARGE["forest"])
    needed = 3 * 4 * graph.n_vertices
    assert wg.connected_components(graph, device=["cpu"] * 3, memory_limit=needed)[0] > 1
    with raises_sentence(MemoryError, "3 endpoints", "name fewer devices"):
        wg.connected_components(graph, device=["cpu"] * 3, memory_limit=needed - 1)


@pytest.mark.cuda
def test_memory_limit_of_several_gpus():
    with raises_sentence(MemoryError, "a part of the graph", "name more devices"):
        wg.connected_components(LARGE["forest"], device=["cuda:0"] * 2, memory_limit=1000)


@pytest.mark.cuda
def test_mixed_lists_are_refused():
    with raises_sentence(wg.DeviceError, "['cpu', 'cuda:0']", "mixed list"):
        wg.connected_components(graphs.SAMPLES["grid"], device=["cpu", "cuda:0"])


@pytest.mark.parametrize("both_ways", [False, True])
def test_giant_component_gets_a_smaller_vertex_last(device, both_ways):
    """Only arcs that are not sampled lead to the smallest vertex, and sets lie in between."""
    n, start = 70_000, 9_000
    links = np.arange(start, n - 1)
    links = links[links % 997 != 0]
    # Rows in this order: the third arc of vertex 1 joins the giant component, whose own first arcs
    # lead to its next vertices.
    small = np.array([(1, 5), (1, 7), (1, 40_000), (3, 8_000), (8_000, 8_001), (6, 69_999)])
    tail, head = np.r_[links, small[:, 0]], np.r_[links + 1, small[:, 1]]
    if both_ways:
        tail, head = np.r_[tail, head], np.r_[head, tail]
    order = np.lexsort((-head, tail)) if both_ways else np.argsort(tail, kind="stable")
    indptr = np.searchsorted(tail[order], np.arange(n + 1))
    graph = wg.Graph.from_csr(indptr, head[order].astype(np.int32), np.ones(len(tail)))
    if both_ways:
        graph = known_mirrored(graph)
    count, labels = csgraph.connected_components(
        sp.coo_array((np.ones(len(tail)), (tail, head)), (n, n)).tocsr(), connection="weak"
    )
    found = wg.connected_components(graph, device=device)
    assert found[0] == count
    assert_components(found, canonical(labels))


@pytest.mark.parametrize("n", [63, 64, 65, 4095, 4096, 4097, 70_001])
def test_numbers_of_many_components(device, n):
    """Pairs and single vertices in every block of the numbering, at the ends of words too."""
    left = np.arange(0, n // 2, 3)
    right = n - 1 - left
    graph = sp.coo_array((np.ones(len(left)), (left, right)), (n, n)).tocsr()
    number = np.arange(n)
    number[right] = left
    assert_components(wg.connected_components(graph, device=device), canonical(number))
