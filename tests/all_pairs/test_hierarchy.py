"""wg.many_to_many(method="hierarchy"): distances, compared with the oracle and the searches."""

import functools

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings, strategies as st

import graphs
import oracles
import warpgraph as wg
from checks import raises_sentence
from device_lists import MIXED, SINGLE, over
from sssp_support import DTYPES, assert_same, weighted
from test_many_to_many import assert_as_on_one_thread
from warpgraph import _core
from warpgraph._paths import hierarchy as _hierarchy


def sums_fit(graph):
    return graph is not graphs.SAMPLES["huge_integers"]


def fits(graph, dtype):
    """Whether all weights are numbers of `dtype`."""
    try:
        wg.Graph(graph)._handle_for(np.dtype(dtype))
    except (ValueError, OverflowError):
        return False
    return True


def sweep(graph, sources, device="cpu", **options):
    return wg.many_to_many(graph, sources, method="hierarchy", device=device, **options)


def per_thread_count(make):
    """Make a graph once for each number of threads, with which its derived data is made."""
    cached = functools.cache(lambda threads, argument: make(argument))

    def made(argument):
        return cached(wg.get_num_threads(), argument)

    made.forget = cached.cache_clear
    return made


@per_thread_count
def road_like(draw):
    """Return a grid that keeps its hierarchies, with weights that are integers or not."""
    graph = wg.Graph(wg.generators.grid(70, 70, seed=1))
    rng = np.random.default_rng(2)
    n = graph.n_edges
    return weighted(graph, rng.random(n) if draw == "random" else rng.integers(1, 99, n) + 0.0)


@per_thread_count
def kept(name):
    """Return a sample graph that keeps its hierarchies."""
    return wg.Graph(graphs.SAMPLES[name])


def rows_of(graph, sources, **options):
    return np.array([oracles.distances(graph, s, **options) for s in sources])


def contracted(graph, *, core=1, directed=True):
    """Return a graph that keeps a hierarchy whose core has at most `core` vertices."""
    form = wg.Graph(graph)
    form = form if directed else form._undirected()
    handle = _core.build_hierarchy(
        form._handle, form.dtype, False, None, symmetric=form._is_mirrored(), core_vertices=core
    )
    form._derive("hierarchy", lambda: _hierarchy.Prepared(handle))
    return form


samples = graphs.over_samples(negative=False, only=sums_fit)


@samples
@pytest.mark.parametrize("directed", [True, False])
def test_every_row_is_right(graph, directed, device):
    n = graph.shape[0]
    sources = np.linspace(0, n - 1, min(n, 40)).astype(int)
    found = sweep(graph, sources, device, directed=directed, dtype=np.float64)
    assert found.shape == (len(sources), n)
    if n:
        expected = rows_of(graph, sources[:7], directed=directed)
        np.testing.assert_allclose(found[:7], expected, rtol=1e-13)
        options = {"directed": directed, "dtype": np.float64, "method": "dijkstra"}
        np.testing.assert_allclose(found, wg.many_to_many(graph, sources, **options), rtol=1e-13)


@graphs.over_samples(negative=False, only=lambda graph: graph.shape[0] < 200 and sums_fit(graph))
@pytest.mark.parametrize("core", [1, 7])
def test_any_core_will_do(graph, core, device):
    n = graph.shape[0]
    sources = np.arange(min(n, 33))
    expected = sweep(graph, sources, device, dtype=np.float64)
    found = sweep(contracted(graph, core=core), sources, device, dtype=np.float64)
    np.testing.assert_allclose(found, expected, rtol=1e-13)


def has_integers(graph):
    finite = graph.data[graph.data != np.inf]
    return bool((finite == np.floor(finite)).all()) and sums_fit(graph)


@graphs.over_samples(negative=False, only=has_integers)
@pytest.mark.parametrize("dtype", DTYPES)
def test_integers_are_exact_in_every_dtype(graph, dtype, device):
    whole = wg.Graph(graph)
    assert wg.Hierarchy(whole).dtype.kind == "i"
    sources = np.arange(min(graph.shape[0], 20))
    found = sweep(whole, sources, device, dtype=dtype)
    for source in sources[:7]:
        assert_same(found[source], oracles.distances(graph, source, dtype=np.dtype(dtype)))
    searched = wg.many_to_many(whole, sources, method="dijkstra", dtype=dtype, device="cpu")
    assert_same(found, searched)


@samples
def test_unweighted(graph, device):
    n = graph.shape[0]
    sources = np.arange(min(n, 20))
    whole = wg.Graph(graph)
    for directed in (True, False):
        options = {"unweighted": True, "directed": directed}
        found = sweep(whole, sources, device, **options)
        for source in sources[:7]:
            hops = oracles.hops(graph, source, directed=directed)
            assert (found[source] == np.where(hops < 0, np.inf, hops)).all()
        searched = wg.many_to_many(whole, sources, method="dijkstra", device="cpu", **options)
        assert_same(found, searched)


@samples
def test_targets_are_columns_of_all(graph, device):
    graph = wg.Graph(graph)
    n = graph.n_vertices
    if n == 0:
        return
    rng = np.random.default_rng(5)
    sources, targets = rng.integers(0, n, (2, 35))
    whole = sweep(graph, sources, device)
    assert_same(sweep(graph, sources, device, targets=targets), whole[:, targets])
    assert_same(sweep(graph, sources, device, targets=targets[:1]), whole[:, targets[:1]])
    assert sweep(graph, sources, device, targets=[]).shape == (35, 0)
    assert sweep(graph, [], device, targets=targets).shape == (0, 35)


@pytest.mark.parametrize("limit", [0, 1, 4.5, 7, np.inf])
def test_limit(limit, device):
    graph = kept("medium_random")
    found = sweep(graph, [0, 5, 9], device, limit=limit)
    assert_same(found, wg.many_to_many(graph, [0, 5, 9], limit=limit, method="dijkstra"))
    targets = [0, 5, 700, 1499]
    assert_same(sweep(graph, [0, 5, 9], device, limit=limit, targets=targets), found[:, targets])


def test_many_rows_of_few_columns(device):
    graph = kept("grid")
    n = graph.n_vertices
    rng = np.random.default_rng(300)
    sources, targets = rng.integers(0, n, 7_001), rng.integers(0, n, 300)
    of_each = wg.many_to_many(graph, np.arange(n), targets=targets, method="dijkstra")
    assert_same(sweep(graph, sources, device, targets=targets), of_each[sources])
    wide = np.full((7_001, 303), -1.0)
    sweep(graph, sources, device, targets=targets, out=wide[:, :300])
    assert_same(wide[:, :300], of_each[sources])
    assert (wide[:, 300:] == -1).all()


@over(SINGLE + MIXED)
@pytest.mark.parametrize("trees", [False, True])
def test_the_same_bits_everywhere(trees, device):
    graph = wg.generators.grid(30, 40, seed=2, weights=(1, 100))
    how = {"method": "hierarchy", "return_predecessors": trees}
    assert_as_on_one_thread(graph, np.arange(1200), device, **how)
    assert_as_on_one_thread(graph, np.arange(1200), device, [7, 1199, 3], **how)


@pytest.mark.parametrize("count", [1, 15, 16, 17, 31, 32, 33, 100])
@pytest.mark.parametrize("draw", ["random", "integers"])
def test_any_number_of_sources(count, draw, device):
    graph = road_like(draw)
    sources = np.random.default_rng(count).integers(0, graph.n_vertices, count)
    found = sweep(graph, sources, device, directed=False)
    for i in (0, count // 2, count - 1):
        expected = wg.sssp(graph, sources[i], directed=False, device="cpu")
        np.testing.assert_allclose(found[i], expected, rtol=1e-13)
        assert (draw == "random") or (found[i] == expected).all()


@settings(max_examples=40)
@given(data=st.data())
def test_drawn_graphs(data, device):
    graph = data.draw(graphs.csr_graphs(min_vertices=1))
    sources = data.draw(st.lists(st.integers(0, graph.shape[0] - 1), max_size=5))
    core = data.draw(st.integers(1, 6))
    directed = data.draw(st.booleans())
    form = contracted(graph, core=core, directed=directed)
    found = sweep(form, sources, device, dtype=np.float64)
    for i, source in enumerate(sources):
        expected = oracles.distances(graph, source, directed=directed)
        np.testing.assert_allclose(found[i], expected, rtol=1e-13)
        if graph.dtype.kind == "i":
            assert (found[i] == expected).all()


@settings(max_examples=25)
@given(data=st.data())
def test_float_sums_stay_within_the_stated_error(data, device):
    """Weights are multiples of a power of two, so that float64 sums in this range are exact."""
    n = data.draw(st.integers(2, 40))
    vertex = st.integers(0, n - 1)
    weight = st.integers(1, 2**50)
    edges = data.draw(st.lists(st.tuples(vertex, vertex, weight), min_size=1, max_size=3 * n))
    exact = graphs.csr(n, graphs.both_ways(edges), np.int64)
    scaled = weighted(exact, exact.data * 2.0**-51 + 0.0)
    form = contracted(scaled, core=3)
    hierarchy = wg.Hierarchy(form)
    found = sweep(form, range(n), device)
    expected = wg.many_to_many(exact, range(n), dtype=np.int64, method="dijkstra")
    far = oracles.unreachable(np.int64)
    assert (np.isinf(found) == (expected == far)).all()
    reached = expected != far
    off = [
        abs(int(f * 2.0**60) - (int(e) << 9)) / ((int(e) << 9) or 1)
        for f, e in zip(found[reached].tolist(), expected[reached].tolist(), strict=True)
    ]
    assert max(off) <= hierarchy.relative_error < 1e-12


def test_beyond_float32_integers_distances_are_rounded_once(device):
    """A float32 search rounds at every vertex."""
    n = 3000
    path = graphs.csr(n, [(v, v + 1, 2.0**14 + 1) for v in range(n - 1)])
    found = sweep(path, [0], device, dtype=np.float32)[0]
    assert_same(found, (np.arange(n) * (2.0**14 + 1)).astype(np.float32))
    assert found[-1] > 2**24


def test_sums_beyond_32_bits(device):
    path = wg.Graph(graphs.csr(3000, [(v, v + 1, 2**22) for v in range(2999)], np.int32))
    assert wg.Hierarchy(path).dtype == np.int64
    expected = np.arange(3000, dtype=np.int64) * 2**22
    assert_same(sweep(path, [0], device, dtype=np.int64)[0], expected)
    with raises_sentence(OverflowError, "more than 2147483646", "dtype", "limit"):
        sweep(path, [0], device, dtype=np.int32)
    within = sweep(path, [0], device, dtype=np.int32, limit=2**31 - 2)[0]
    assert_same(within, np.where(expected < 2**31 - 1, expected, 2**31 - 1).astype(np.int32))
    near = sweep(path, [0], device, dtype=np.int32, targets=[5])
    assert_same(near[0], expected[5:6].astype(np.int32))


def test_sums_that_may_not_fit_are_refused():
    with raises_sentence(OverflowError, "62 bits"):
        sweep(graphs.SAMPLES["huge_integers"], [0], dtype=np.int64)


def test_weights_must_be_of_the_dtype():
    graph = graphs.csr(3, [(0, 1, 0.5), (1, 2, 1.0)])
    with raises_sentence(ValueError, "0.5", "(0, 1)", "int64"):
        sweep(graph, [0], dtype=np.int64)
    assert sweep(graph, [0], dtype=np.int64, unweighted=True).tolist() == [[0, 1, 2]]


def test_roads_against_scipy(device):
    graph = wg.datasets.load("ny-road")
    sources = np.random.default_rng(3).integers(0, graph.n_vertices, 40)
    found = sweep(graph, sources, device)
    expected = sp.csgraph.dijkstra(graph.to_csr(), indices=sources[:2])
    assert_same(found[:2], expected)
    assert_same(sweep(graph, sources, device, targets=sources), found[:, sources])
    hierarchy = wg.Hierarchy(graph)
    assert hierarchy.dtype == np.int32
    assert hierarchy.n_arcs < 3.2 * graph.n_vertices


def test_hierarchies_do_not_depend_on_threads():
    graph = road_like("random")
    made = []
    for threads in (1, 4):
        wg.set_num_threads(threads)
        made.append(_core.build_hierarchy(graph._handle, graph.dtype, False, None))
    wg.set_num_threads(0)
    one, four = (_core.hierarchy_arrays(handle) for handle in made)
    assert one.keys() == four.keys()
    for name, array in one.items():
        assert np.array_equal(array, four[name]), name
