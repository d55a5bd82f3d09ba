"""wg.many_to_many with negative weights: each row equals the result of wg.sssp, bit for bit."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings, strategies as st
from scipy.sparse import csgraph

import checks
import oracles
import warpgraph as wg
from graphs import SAMPLES, csr, graphs_with_source, has_negative, over_samples
from sssp_support import DTYPES, assert_same, canonical_tree


def has_negative_cycle(graph, dtype, directed=True):
    """Search from one vertex more, which leads to all others, by the simple oracle."""
    n = graph.shape[0]
    tail, head, weight = oracles.arcs(graph, directed)
    tail, head = np.r_[tail, np.full(n, n)], np.r_[head, np.arange(n)]
    weight = np.r_[weight, np.zeros(n, weight.dtype)]
    order = np.argsort(tail, kind="stable")
    indptr = np.searchsorted(tail[order], np.arange(n + 2))
    larger = sp.csr_array((weight[order], head[order], indptr), shape=(n + 1, n + 1))
    return oracles.distances(larger, n, dtype=dtype) is None


def assert_right(graph, sources, device, *, directed=True, limit=np.inf, **options):
    kind = np.dtype(options.get("dtype", np.float32 if graph.dtype == np.float32 else float))
    how = {"directed": directed, "limit": limit, "device": device, **options}
    # Sums are rounded, so that a source may find a cycle of a small weight that the vertex with
    # an arc to all others does not.
    if has_negative_cycle(graph, kind, directed) or any(
        oracles.distances(graph, source, dtype=kind, directed=directed) is None
        for source in sources
    ):
        with checks.raises_sentence(wg.NegativeCycleError, "negative cycle"):
            wg.many_to_many(graph, sources, **how)
        return
    found, trees = wg.many_to_many(graph, sources, return_predecessors=True, **how)
    assert found.shape == trees.shape == (len(sources), graph.shape[0])
    for source, row, tree in zip(sources, found, trees, strict=True):
        wanted = oracles.distances(graph, source, dtype=kind, directed=directed)
        within = np.where(wanted.astype(float) <= limit, wanted, oracles.unreachable(kind)).astype(
            kind
        )
        rule = canonical_tree(graph, source, wanted if has_negative(graph) else within, directed)
        assert_same(row, within)
        assert_same(tree, rule)
    assert_same(wg.many_to_many(graph, sources, **how), found)
    targets = sources[::-1]
    assert_same(wg.many_to_many(graph, sources, targets, **how), found[:, targets])


def some_vertices(n):
    return [v for v in (0, n // 2, n - 1, 0, n // 3) if 0 <= v < n]


@over_samples(only=lambda g: has_negative(g) and np.isfinite(g.data).all())
def test_samples(graph, device):
    assert_right(graph, some_vertices(graph.shape[0]), device)
    assert_right(graph, some_vertices(graph.shape[0]), device, limit=2.5)
    assert_right(graph, some_vertices(graph.shape[0]), device, directed=False)


@pytest.mark.parametrize("dtype", DTYPES)
def test_samples_in_every_dtype(dtype, device):
    graph = SAMPLES["negative_integer_weights"]
    assert_right(graph, some_vertices(graph.shape[0]), device, dtype=dtype)


def shifted(graph, rng):
    """Return the graph with weights that potentials make negative, without a negative cycle."""
    height = rng.integers(-500, 500, graph.shape[0])
    tail, head, weight = oracles.arcs(graph)
    moved = sp.csr_array(graph)
    moved.data = (weight + height[tail] - height[head]).astype(graph.dtype)
    return moved


@pytest.mark.parametrize("weights", ["integer", "ties"])
def test_drawn_graphs(weights, device):
    @settings(max_examples=40)
    @given(graphs_with_source(weights=weights), st.data(), st.integers(0, 2**32 - 1))
    def agrees(drawn, data, seed):
        graph, source = drawn
        graph = shifted(graph, np.random.default_rng(seed))
        vertices = st.lists(st.integers(0, graph.shape[0] - 1), max_size=6)
        limit = data.draw(st.just(np.inf) | st.floats(0, 40))
        assert_right(graph, [source, *data.draw(vertices)], device, limit=limit)

    agrees()


def test_drawn_weights_of_any_sign(device):
    @settings(max_examples=60)
    @given(graphs_with_source(weights="any", max_vertices=12), st.booleans())
    def agrees(drawn, directed):
        graph, source = drawn
        assert_right(graph, [source, 0], device, directed=directed)

    agrees()


LARGER = {
    "grid": lambda: wg.generators.grid(60, 70, seed=1),
    "power law": lambda: wg.generators.rmat(11, 12, seed=3, directed=True),
}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("make", LARGER)
def test_larger_graphs(make, dtype, device):
    """Rounded sums, too: the same bits and trees as by Bellman and Ford from each source."""
    graph = LARGER[make]()
    rng = np.random.default_rng(7)
    weights = rng.random(graph.n_edges) * 9 + 1e-3
    weights = weights.astype(dtype)  # a multiple of one if it is an integer
    height = rng.integers(0, 50, graph.n_vertices)
    tail, head, _ = graph.to_edges()
    weights = (weights + height[tail] - height[head]).astype(dtype)
    moved = wg.Graph.from_csr(graph.indptr, graph.indices, weights)
    if moved._first_negative() is None or has_negative_cycle(moved.to_csr(), dtype):
        pytest.fail("the weights should be negative, without a negative cycle")
    sources = rng.integers(0, graph.n_vertices, 12)
    how = {"dtype": dtype, "return_predecessors": True, "device": device}
    found, trees = wg.many_to_many(moved, sources, **how)
    for source, row, tree in zip(sources, found, trees, strict=True):
        one, its_tree = wg.sssp(moved, source, method="bellman_ford", **{**how, "device": "cpu"})
        assert_same(row, one)
        assert_same(tree, its_tree)
    some = wg.many_to_many(moved, sources, [5, 3, 5], **{**how, "return_predecessors": False})
    assert_same(some, found[:, [5, 3, 5]])
    lists = wg.many_to_many(moved, sources, **{**how, "device": ["cpu"] * 3})
    assert_same(lists[0], found)
    assert_same(lists[1], trees)


def test_as_scipy(device):
    graph = SAMPLES["negative_weights"]
    found = wg.many_to_many(graph, range(graph.shape[0]), device=device)
    np.testing.assert_allclose(found, csgraph.johnson(graph), rtol=1e-13, atol=1e-13)


def test_a_negative_cycle_that_no_source_reaches(device):
    graph = csr(4, [(0, 1, 1.0), (2, 3, -2.0), (3, 2, 1.0)])
    with checks.raises_sentence(wg.NegativeCycleError, "negative cycle") as caught:
        wg.many_to_many(graph, [0], device=device)
    assert caught.value.vertex in (2, 3)
    with pytest.raises(csgraph.NegativeCycleError):
        csgraph.johnson(graph, indices=[0])


def test_an_undirected_negative_edge_is_a_cycle(device):
    graph = csr(2, [(0, 1, -1.0)])
    assert wg.many_to_many(graph, [0], device=device).tolist() == [[0, -1]]
    with checks.raises_sentence(wg.NegativeCycleError, "negative cycle"):
        wg.many_to_many(graph, [0], directed=False, device=device)


def test_cycles_that_rounding_hides(device):
    """The float cycle 0 -> 1 -> 2 -> 0 adds up to 0 or -1, depending on where sums begin."""
    graph = csr(4, [(0, 1, 1e16), (1, 2, -1e16), (2, 0, -1.0), (2, 3, 1.0)])
    for source in range(4):
        try:
            wanted = wg.sssp(graph, source, method="bellman_ford", return_predecessors=True)
        except wg.NegativeCycleError:
            continue
        try:
            found = wg.many_to_many(graph, [source], return_predecessors=True, device=device)
        except wg.NegativeCycleError:
            continue
        assert_same(found[0][0], wanted[0])
        assert_same(found[1][0], wanted[1])


def test_potentials_are_kept():
    graph = wg.Graph(SAMPLES["negative_weights"])
    before = graph.nbytes
    wg.many_to_many(graph, [0])
    assert graph.nbytes == before + 8 * graph.n_vertices
    wg.many_to_many(graph, [0, 1])
    assert graph.nbytes == before + 8 * graph.n_vertices
    graph.clear()
    assert graph.nbytes == before


def test_overflow(device):
    big = 2**30
    graph = csr(4, [(0, 1, big), (1, 2, big), (2, 3, -5)], np.int32)
    with checks.raises_sentence(OverflowError, big, "dtype"):
        wg.many_to_many(graph, [0], dtype="int32", device=device)
    assert wg.many_to_many(graph, [0], dtype="int64", device=device)[0, 3] == 2 * big - 5
    assert wg.many_to_many(graph, [2], dtype="int32", device=device)[0, 3] == -5


def test_extreme_integers(device):
    """Reduced distances need a bit more than the type of distances."""
    for dtype in ("int32", "int64"):
        info = np.iinfo(dtype)
        graph = csr(3, [(0, 1, info.min), (1, 2, info.max - 1), (0, 2, 5)], dtype)
        found = wg.many_to_many(graph, [0, 1, 2], dtype=dtype, device=device)
        far = info.max
        assert found.tolist() == [[0, info.min, -2], [far, 0, far - 1], [far, far, 0]]


@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_reduced_distances_of_all_bits(dtype, device):
    most = np.iinfo(dtype).max
    graph = csr(3, [(0, 1, most - 1), (2, 1, -2)], dtype)
    assert wg.many_to_many(graph, [0], dtype=dtype, device=device)[0].tolist() == [
        0,
        most - 1,
        most,
    ]
    rng = np.random.default_rng(8)
    far, low = (rng.integers(most // 4 * k, most // 4 * (k + 1) - 1000, 300) for k in (3, 1))
    edges = [(0, v + 2, int(far[v])) for v in range(300)]
    edges += [(1, v + 2, -int(low[v])) for v in range(0, 300, 2)]
    edges += [(v + 2, to + 2, v % 4) for v, to in enumerate(rng.permutation(300).tolist())]
    graph = csr(302, edges, dtype)
    found = wg.many_to_many(graph, [0, 1, 7], dtype=dtype, device=device)
    for row, source in zip(found, (0, 1, 7), strict=True):
        wanted = wg.sssp(graph, source, method="bellman_ford", dtype=dtype, device="cpu")
        np.testing.assert_array_equal(row, wanted)


def test_minus_infinity(device):
    with checks.raises_sentence(ValueError, "-inf", "(0, 1)"):
        wg.many_to_many(csr(2, [(0, 1, -np.inf)]), [0], device=device)


def test_method_johnson_without_negative_weights(device):
    graph = SAMPLES["medium_random"]
    found = wg.many_to_many(graph, [0, 5], method="johnson", device=device)
    assert_same(found, wg.many_to_many(graph, [0, 5], method="dijkstra", device="cpu"))


def test_memory_limit(device):
    graph = wg.generators.grid(60, 70, seed=1).to_csr()
    graph.data = graph.data * 1.0
    graph.data[0], graph.indices[0] = -1e-3, graph.indices[0]
    graph = sp.csr_array(sp.triu(graph))
    graph.data[3] = -0.5
    with checks.raises_sentence(MemoryError, "bytes"):
        wg.many_to_many(graph, [0, 1], memory_limit=80_000, device=device)
