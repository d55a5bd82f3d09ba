"""Hierarchy(graph, customizable=True) and its customize: distances and paths for new weights."""

import functools
import hashlib

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings, strategies as st

import checks
import graphs
import oracles
import warpgraph as wg
from sssp_support import DTYPES, assert_same, canonical_tree
from test_hierarchy import has_integers, per_thread_count, sums_fit
from test_shortest_path import path_in
from warpgraph import _core

samples = graphs.over_samples(negative=False, only=sums_fit)


def is_quick(graph):
    """Whether an emulated GPU customizes a hierarchy of the graph in seconds."""
    return not checks.EMULATED or graph.shape[0] < 500


def sweep(graph, sources, device="cpu", **options):
    return wg.many_to_many(graph, sources, method="hierarchy", device=device, **options)


def reweighted(graph, data):
    """Return a matrix with the same entries, parallel ones apart, and other weights."""
    return sp.csr_array((data, graph.indices, graph.indptr), graph.shape)


def customizable(graph, **options):
    return wg.Hierarchy(wg.Graph(graph), customizable=True, **options)


@per_thread_count
def _of_sample(name_and_direction):
    name, directed = name_and_direction
    return customizable(graphs.SAMPLES[name], directed=directed)


@pytest.fixture(scope="module", autouse=True)
def hierarchies_are_forgotten():
    yield
    _of_sample.forget()


def name_of(graph):
    return next(name for name, sample in graphs.SAMPLES.items() if sample is graph)


def of_sample(graph, *, directed=True):
    """Return the hierarchy of a sample, which is made once for each number of threads."""
    return _of_sample((name_of(graph), directed))


def assert_rows(graph, found, sources, *, directed=True):
    """Compare with the simple oracle: exactly, where weights are integers."""
    for row, source in zip(found, sources, strict=True):
        expected = oracles.distances(graph, source, directed=directed)
        if has_integers(graph):
            assert_same(row, expected)
        else:
            np.testing.assert_allclose(row, expected, rtol=1e-13)


@samples
@pytest.mark.parametrize("directed", [True, False])
def test_every_row_is_right(graph, directed, device):
    n = graph.shape[0]
    sources = np.linspace(0, n - 1, min(n, 9)).astype(int)
    hierarchy = of_sample(graph, directed=directed)
    assert hierarchy.n_core == 0
    options = {"directed": directed, "dtype": np.float64}
    assert_rows(
        graph, sweep(hierarchy.graph, sources, device, **options), sources, directed=directed
    )
    rng = np.random.default_rng(7)
    for draw in (rng.integers(0, 4, len(graph.data)), rng.random(len(graph.data))):
        other = reweighted(graph, draw.astype(np.float64))
        made = hierarchy.customize(other.data, device=device if is_quick(graph) else "cpu")
        assert_rows(
            other, sweep(made.graph, sources, device, **options), sources, directed=directed
        )


@settings(max_examples=80)
@given(data=st.data())
def test_drawn_graphs(data, device):
    graph = data.draw(graphs.csr_graphs(min_vertices=1))
    directed = data.draw(st.booleans())
    sources = data.draw(st.lists(st.integers(0, graph.shape[0] - 1), max_size=5))
    hierarchy = customizable(graph, directed=directed)
    for _ in range(2):
        options = {"directed": directed, "dtype": np.float64}
        found = sweep(hierarchy.graph, sources, device, **options)
        assert_rows(graph, found, sources, directed=directed)
        dtype = data.draw(st.sampled_from(graphs.DTYPES))
        weight = graphs.weights_of("non_negative", dtype)
        n = len(graph.data)
        drawn = np.array(data.draw(st.lists(weight, min_size=n, max_size=n)), dtype)
        graph = reweighted(graph, drawn)
        hierarchy = hierarchy.customize(drawn, device=device)


def arrays_of(hierarchy):
    return _core.hierarchy_arrays(hierarchy._prepared.handle)


def digests_of(hierarchy):
    return {
        name: (np.shape(array), hashlib.sha256(np.asarray(array).tobytes()).digest())
        for name, array in arrays_of(hierarchy).items()
    }


def weights_of_kinds(graph):
    """Return real numbers, some without an edge, small integers, and large ones."""
    n = len(graph.data)
    rng = np.random.default_rng(11)
    far = np.where(rng.random(n) < 0.2, np.inf, rng.random(n))
    return graph.data, rng.random(n), far, rng.integers(0, 9, n), rng.integers(0, 2**40, n)


@functools.cache
def customized_on_one_thread(name, directed):
    """Return digests of the arrays of a sample's hierarchy, for each of these weights."""
    graph, before = graphs.SAMPLES[name], wg.get_num_threads()
    wg.set_num_threads(1)
    try:
        hierarchy = of_sample(graph, directed=directed)
        made = [hierarchy.customize(w, device="cpu") for w in weights_of_kinds(graph)]
    finally:
        wg.set_num_threads(before)
    return [*map(digests_of, made)]


@graphs.over_samples(negative=False, only=lambda graph: sums_fit(graph) and is_quick(graph))
@pytest.mark.parametrize("directed", [True, False])
def test_same_bits_on_every_device(graph, directed, device):
    hierarchy = of_sample(graph, directed=directed)
    expected = customized_on_one_thread(name_of(graph), directed)
    for weights, wanted in zip(weights_of_kinds(graph), expected, strict=True):
        assert digests_of(hierarchy.customize(weights, device=device)) == wanted


def test_large_separators(device):
    """Rows of hundreds of arcs, and levels of one vertex."""
    rng = np.random.default_rng(3)
    dense = np.where(rng.random((90, 90)) < 0.7, rng.random((90, 90)), 0)
    hierarchy = customizable(sp.csr_array(dense))
    weights = rng.random(len(hierarchy.graph.data))
    wanted = arrays_of(hierarchy.customize(weights, device="cpu"))
    found = arrays_of(hierarchy.customize(weights, device=device))
    assert all(np.array_equal(found[name], array) for name, array in wanted.items())


@settings(max_examples=60)
@given(data=st.data())
def test_drawn_paths(data):
    graph = data.draw(graphs.csr_graphs(min_vertices=1))
    directed = data.draw(st.booleans())
    n = graph.shape[0]
    first = wg.Hierarchy(
        reweighted(graph, np.ones(len(graph.data))), directed=directed, customizable=True
    )
    kept = first.customize(graph.data).graph
    source = data.draw(st.integers(0, n - 1))
    kind = np.dtype(np.float32 if graph.dtype == np.float32 else float)
    wanted = oracles.distances(graph, source, dtype=kind, directed=directed)
    tree = canonical_tree(graph, source, wanted, directed)
    for target in range(n):
        length, vertices = wg.shortest_path(
            kept, source, target, method="hierarchy", directed=directed
        )
        assert_same(np.array(length, kind), wanted[target])
        assert vertices.tolist() == path_in(tree, source, target)
    lengths, *_ = wg.shortest_paths(
        kept, np.full(n, source), np.arange(n), method="hierarchy", directed=directed
    )
    assert_same(lengths, wanted)


@graphs.over_samples(negative=False, only=has_integers)
@pytest.mark.parametrize("dtype", DTYPES)
def test_integers_are_exact_in_every_dtype(graph, dtype, device):
    hierarchy = of_sample(graph)
    assert hierarchy.dtype.kind == "i"
    sources = np.arange(min(graph.shape[0], 7))
    found = sweep(hierarchy.graph, sources, device, dtype=dtype)
    for source in sources:
        assert_same(found[source], oracles.distances(graph, source, dtype=np.dtype(dtype)))


@samples
def test_targets_and_predecessors(graph, device):
    whole = of_sample(graph).graph
    if (n := whole.n_vertices) == 0:
        return
    sources, targets = np.random.default_rng(5).integers(0, n, (2, 35))
    rows = sweep(whole, sources, device)
    assert_same(sweep(whole, sources, device, targets=targets), rows[:, targets])
    if has_integers(graph) and graph.dtype != np.float32:
        options = {"dtype": np.float64, "return_predecessors": True}
        expected = wg.many_to_many(graph, sources, method="dijkstra", **options)
        for found, wanted in zip(sweep(whole, sources, device, **options), expected, strict=True):
            assert_same(found, wanted)


@settings(max_examples=25)
@given(data=st.data())
def test_float_sums_stay_within_the_stated_error(data, device):
    """Weights are multiples of a power of two, so that float64 sums in this range are exact."""
    n = data.draw(st.integers(2, 40))
    vertex = st.integers(0, n - 1)
    edges = data.draw(
        st.lists(st.tuples(vertex, vertex, st.integers(1, 2**50)), min_size=1, max_size=3 * n)
    )
    exact = graphs.csr(n, graphs.both_ways(edges), np.int64)
    hierarchy = customizable(reweighted(exact, exact.data * 2.0**-51 + 0.0))
    found = sweep(hierarchy.graph, range(n), device)
    expected = wg.many_to_many(exact, range(n), dtype=np.int64, method="dijkstra")
    far = oracles.unreachable(np.int64)
    assert (np.isinf(found) == (expected == far)).all()
    reached = expected != far
    off = [
        abs(int(f * 2.0**60) - (int(e) << 9)) / ((int(e) << 9) or 1)
        for f, e in zip(found[reached].tolist(), expected[reached].tolist(), strict=True)
    ]
    assert max(off) <= hierarchy.relative_error < 1e-12


@pytest.mark.parametrize("directed", [True, False])
def test_roads_against_scipy(directed, device):
    roads = wg.datasets.load("ny-road")
    hierarchy = wg.Hierarchy(roads, directed=directed, customizable=True)
    rng = np.random.default_rng(3)
    sources = rng.integers(0, roads.n_vertices, 20)
    rush_hour = roads.data + rng.integers(0, 500, roads.n_edges)
    for weights in (roads.data, rush_hour, rng.random(roads.n_edges)):
        made = hierarchy.customize(weights)
        found = sweep(made.graph, sources, device, directed=directed, dtype=np.float64)
        matrix = made.graph.to_csr().astype(np.float64)
        expected = sp.csgraph.dijkstra(matrix, directed=directed, indices=sources[:2])
        np.testing.assert_allclose(
            found[:2], expected, rtol=0 if weights.dtype.kind == "i" else 1e-12
        )
        assert made.n_arcs < 7.5 * roads.n_vertices
    assert wg.Hierarchy(hierarchy.graph).dtype == np.int32
    assert hierarchy.n_arcs < 4 * roads.n_vertices


def test_sums_of_any_width(device):
    """32 bits are tried first; sums that do not fit are found to be wrong, and are repeated."""
    path = graphs.csr(3000, [(v, v + 1, 2**10) for v in range(2999)], np.int32)
    hierarchy = customizable(path)
    assert hierarchy.dtype == np.int32
    for weight, dtype in ((2**18, np.int32), (2**19, np.int64), (2**45, np.int64)):
        made = hierarchy.customize(np.full(2999, weight))
        assert made.dtype == dtype
        found = sweep(made.graph, [0], device, dtype=np.int64)
        assert_same(found[0], np.arange(3000, dtype=np.int64) * weight)
    both_ways = path + path.T
    for weight, dtype in ((2**17, np.int32), (2**19, np.int64)):
        made = customizable(both_ways).customize(np.full(2 * 2999, weight))
        assert made.dtype == dtype
        found = sweep(made.graph, [2999], device, dtype=np.int64)
        assert_same(found[0], np.arange(3000, dtype=np.int64)[::-1] * weight)
    assert hierarchy.customize(np.full(2999, 2.0**60)).dtype == np.float64


def test_results_do_not_depend_on_threads():
    graph = wg.generators.grid(70, 70, seed=1)
    weights = np.random.default_rng(2).random(graph.n_edges)
    made = []
    for threads in (1, 4):
        wg.set_num_threads(threads)
        hierarchy = customizable(graph).customize(weights)
        made.append(_core.hierarchy_arrays(hierarchy._prepared.handle))
    wg.set_num_threads(0)
    assert made[0].keys() == made[1].keys()
    for name, array in made[0].items():
        assert np.array_equal(array, made[1][name]), name


def test_turns():
    """A hierarchy with turns is customized by a graph with the same turns."""
    streets = wg.Graph.from_edges([0, 1, 1, 2], [1, 2, 3, 3], [5.0, 4.0, 3.0, 1.0])
    hierarchy = wg.Hierarchy(streets.with_turns([0], [2]), customizable=True)
    jam = streets.with_weights([5.0, 40.0, 3.0, 1.0]).with_turns([0], [2])
    made = hierarchy.customize(jam)
    assert made.graph is jam
    assert sweep(jam, [0]).tolist() == [[0.0, 5.0, 45.0, 46.0]]
    assert sweep(hierarchy.graph, [0]).tolist() == [[0.0, 5.0, 9.0, 10.0]]


def test_other_turns():
    """Costs may be others, but not the forbidden turns, nor the edges that turns begin with."""
    town = wg.Graph.from_edges(["gate", "mill", "mill", "park"], ["mill", "park", "hill", "hill"])
    first = wg.Hierarchy(town.with_turns([0, 0], [1, 2], [3, np.inf]), customizable=True)
    dearer = first.customize(town.with_turns([0, 0], [2, 1], [np.inf, 7])).graph
    assert sweep(dearer, ["gate"], targets=["hill"]).tolist() == [[10.0]]
    for costs in ([3, 4], [np.inf, np.inf], [np.inf, 3]):
        with checks.raises_sentence(ValueError, "forbidden", "at vertex 'mill'") as caught:
            first.customize(town.with_turns([0, 0], [1, 2], costs))
        assert "indptr" not in str(caught.value)
    for table in (([0, 0, 1], [1, 2, 3], [3, np.inf, 0]), ([1], [3], 1)):
        with checks.raises_sentence(ValueError, "turns from an edge", "the cost 0"):
            first.customize(town.with_turns(*table))
    other = wg.Graph.from_edges(["gate", "mill", "mill"], ["mill", "park", "hill"])
    with checks.raises_sentence(ValueError, "same edges in the same order"):
        first.customize(other.with_turns([0, 0], [1, 2], [3, np.inf]))
