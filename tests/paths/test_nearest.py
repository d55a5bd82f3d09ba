"""wg.many_to_many(min_only=True): the nearest of several sources."""

import functools

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings, strategies as st
from scipy.sparse import csgraph

import checks
import oracles
import warpgraph as wg
from graphs import SAMPLES, csr, for_scipy, graphs_with_source, has_negative, over_samples
from sssp_support import DTYPES, SQUARE, assert_same, canonical_tree


@pytest.fixture(params=[1, 4])
def threads(request):
    wg.set_num_threads(request.param)
    yield request.param
    wg.set_num_threads(0)


def with_super_source(graph, sources, directed):
    """Return the graph and one vertex more, from which edges of weight 0 lead to the sources."""
    n, sources = graph.shape[0], np.unique(sources).astype(int)
    tail, head, weight = oracles.arcs(graph, directed)
    tail, head = np.r_[tail, np.full(len(sources), n)], np.r_[head, sources]
    weight = np.r_[weight, np.zeros(len(sources), weight.dtype)]
    order = np.argsort(tail, kind="stable")
    indptr = np.searchsorted(tail[order], np.arange(n + 2))
    return sp.csr_array((weight[order], head[order], indptr), shape=(n + 1, n + 1))


def roots_of(tree, reached):
    """Return the root of the tree of each vertex, -1 for those that are not reached."""
    root = np.where(tree >= 0, tree, np.arange(len(tree)))
    for _ in range(len(tree).bit_length()):  # the steps up double from round to round
        root = root[root]
    return np.where(reached, root, -1).astype(np.int32)


def assert_right(graph, sources, *, directed=True, limit=np.inf, **options):
    """Compare with the search from one vertex more by the simple oracle."""
    n = graph.shape[0]
    larger = with_super_source(graph, sources, directed)
    kind = np.dtype(options.get("dtype", np.float32 if graph.dtype == np.float32 else float))
    wanted = oracles.distances(larger, n, dtype=kind)
    how = {"directed": directed, "limit": limit, "min_only": True, **options}
    if wanted is None:
        with checks.raises_sentence(wg.NegativeCycleError, "negative cycle"):
            wg.many_to_many(graph, sources, **how)
        return
    found, tree, nearest = wg.many_to_many(graph, sources, return_predecessors=True, **how)
    assert tree.shape == nearest.shape == (n,)
    assert tree.dtype == nearest.dtype == np.int32
    far = oracles.unreachable(kind)
    assert_same(found, np.where(wanted.astype(float) <= limit, wanted, far)[:n].astype(kind))
    if not has_negative(graph):
        wanted = np.where(wanted.astype(float) <= limit, wanted, far)
    rule = canonical_tree(larger, n, wanted)[:n]
    assert_same(tree, np.where(rule == n, -1, rule))
    assert_same(nearest, roots_of(tree, found != far))
    assert set(nearest[found != far]) <= set(sources)
    alone = wg.many_to_many(graph, sources, **how)
    assert len(alone) == 2
    assert_same(alone[0], found)
    assert_same(alone[1], nearest)


def some_vertices(n):
    return [v for v in (n // 2, 0, n - 1, n // 2, n // 3) if 0 <= v < n]


@over_samples(only=lambda g: g is not SAMPLES["huge_integers"])
def test_samples(graph, device):
    vertices = some_vertices(graph.shape[0])
    assert_right(graph, vertices, device=device)
    assert_right(graph, vertices[:1], device=device)
    assert_right(graph, vertices, directed=False, device=device)
    assert_right(graph, vertices, limit=2.5, device=device)


@over_samples(
    only=lambda g: g.nnz > 0 and abs(g.data).max() < 1e6 and (g.data % 1 == 0).all(),
)
@pytest.mark.parametrize("dtype", DTYPES)
def test_samples_in_every_dtype(graph, dtype, device):
    assert_right(graph, some_vertices(graph.shape[0]), dtype=dtype, device=device)


@pytest.mark.parametrize("weights", ["non_negative", "integer", "ties"])
def test_drawn_graphs(weights, device):
    @settings(max_examples=40)
    @given(graphs_with_source(weights=weights), st.data())
    def agrees(drawn, data):
        graph, source = drawn
        vertices = st.lists(st.integers(0, graph.shape[0] - 1), max_size=10)
        sources = [source, *data.draw(vertices)]
        limit = data.draw(st.just(np.inf) | st.floats(0, 40))
        method = data.draw(st.sampled_from(["auto", "dijkstra"] if device == "cpu" else ["auto"]))
        how = {"limit": limit, "directed": data.draw(st.booleans()), "method": method}
        assert_right(graph, sources, **how, device=device)
        targets = data.draw(vertices)
        whole = wg.many_to_many(graph, sources, min_only=True, **how, device=device)
        some = wg.many_to_many(graph, sources, targets, min_only=True, **how, device=device)
        for all_of_them, part in zip(whole, some, strict=True):
            assert_same(part, all_of_them[targets])

    agrees()


LARGER = {
    "grid": lambda: wg.generators.grid(150, 160, seed=1),
    "power law": lambda: wg.generators.rmat(13, 16, seed=3, directed=True),
}


def drawn_vertices(graph, k):
    return np.random.default_rng(k).permutation(graph.n_vertices)[:k]


@functools.cache
def rows_of_larger(make, k):
    """Return the distances from k vertices, each found alone."""
    graph = LARGER[make]()
    return wg.many_to_many(graph, drawn_vertices(graph, k), device="cpu")


@pytest.mark.parametrize("make", LARGER)
def test_larger_graphs(make, device):
    """Large enough for several threads: as the least of each column, found source by source."""
    graph = LARGER[make]()
    for k in (1, 2, 100, graph.n_vertices):
        sources = drawn_vertices(graph, k)
        found, tree, nearest = wg.many_to_many(
            graph, sources, min_only=True, return_predecessors=True, device=device
        )
        reached = np.isfinite(found)
        assert_same(nearest, roots_of(tree, reached))
        if k <= 100:
            rows = rows_of_larger(make, k)
            assert_same(found, rows.min(axis=0))
            position = np.full(graph.n_vertices, -1)
            position[sources] = np.arange(k)
            assert_same(rows[position[nearest[reached]], np.flatnonzero(reached)], found[reached])
        else:
            assert_same(nearest, np.arange(k, dtype=np.int32))


def test_as_scipy_where_paths_are_unique():
    graph = wg.generators.grid(60, 70, seed=4)
    weights = np.random.default_rng(5).random(graph.n_edges)
    matrix = sp.csr_array((weights, graph.indices, graph.indptr))
    sources = [4000, 7, 7, 2500]
    found = wg.many_to_many(matrix, sources, min_only=True, return_predecessors=True)
    theirs = csgraph.dijkstra(
        for_scipy(matrix), indices=sources, min_only=True, return_predecessors=True
    )
    np.testing.assert_array_equal(found[0], theirs[0])
    np.testing.assert_array_equal(found[1], np.where(theirs[1] < 0, -1, theirs[1]))
    np.testing.assert_array_equal(found[2], theirs[2])


def test_ties_do_not_depend_on_the_order_of_sources():
    graph = csr(3, [(0, 1, 1.0), (2, 1, 1.0)])
    for sources in ([0, 2], [2, 0], [2, 0, 2]):
        distances, nearest = wg.many_to_many(graph, sources, min_only=True)
        assert distances.tolist() == [0, 1, 0]
        assert nearest.tolist() == [0, 0, 2]


def test_out_names_and_progress():
    out, reports = np.empty(4), []
    how = {"min_only": True, "progress": lambda *pair: reports.append(pair)}
    found, nearest = wg.many_to_many(csr(4, SQUARE), [2], out=out, **how)
    assert found is out
    assert reports[-1] == (4, 4)
    named = wg.Graph(csr(4, SQUARE), names=list("abcd"))
    again, numbers = wg.many_to_many(named, ["c"], ["d", "a"], min_only=True)
    assert_same(again, found[[3, 0]])
    assert_same(numbers, nearest[[3, 0]])


@pytest.mark.parametrize(
    ("options", "error", "parts"),
    [
        ({"method": "batched"}, ValueError, ("min_only", "'dijkstra'", "batched")),
        ({"method": "hierarchy"}, ValueError, ("min_only", "hierarchy")),
        ({"out": np.empty((1, 4))}, ValueError, ("out", "(4,)", "(1, 4)")),
        ({"min_only": 2}, TypeError, ("min_only", 2)),
        ({"memory_limit": 10}, MemoryError, ("10 bytes",)),
    ],
)
def test_wrong_arguments(options, error, parts):
    with checks.raises_sentence(error, *parts):
        wg.many_to_many(csr(4, SQUARE), [0], **{"min_only": True, **options})


def test_the_limit_has_all_arrays_that_are_returned():
    graph = csr(5000, [(v, v + 1, 1.0) for v in range(4999)])
    arrays = wg.many_to_many(graph, [0, 9], min_only=True, return_predecessors=True)
    size = sum(array.nbytes for array in arrays)
    for limit in (size // 5, size - 1):  # the array of sources alone, and all three
        with pytest.raises(MemoryError, match="left of memory_limit"):
            wg.many_to_many(graph, [0, 9], min_only=True, memory_limit=limit, device="cpu")


def test_negative_weights():
    graph = csr(4, [(0, 1, 4.0), (1, 2, -2.0), (3, 2, 3.0)])
    distances, nearest = wg.many_to_many(graph, [0, 3], min_only=True)
    assert distances.tolist() == [0, 4, 2, 0]
    assert nearest.tolist() == [0, 0, 0, 3]
    with checks.raises_sentence(ValueError, "-2.0", "(1, 2)", "'dijkstra'"):
        wg.many_to_many(graph, [0, 3], min_only=True, method="dijkstra")


def test_a_list_of_workers_is_one_search():
    found = wg.many_to_many(csr(4, SQUARE), [0, 2], min_only=True, device=["cpu"] * 3)
    for part, wanted in zip(
        found, wg.many_to_many(csr(4, SQUARE), [0, 2], min_only=True), strict=True
    ):
        assert_same(part, wanted)


@pytest.mark.cuda
def test_no_silent_fallback():
    with checks.raises_sentence(wg.DeviceError, "'dijkstra'", "CPU", "cuda:0"):
        wg.many_to_many(csr(4, SQUARE), [0], min_only=True, method="dijkstra", device="cuda")


@pytest.mark.parametrize("options", [{}, {"method": "dijkstra"}], ids=str)
@pytest.mark.parametrize(
    "device",
    [["cpu", "cpu"], *(pytest.param(["cpu", gpu], id="cpu-gpu") for gpu in wg.devices()[1:2])],
    ids=str,
)
def test_a_list_of_devices_is_its_first_one(options, device):
    found, nearest = wg.many_to_many(
        csr(4, [(0, 1, 4.0), (1, 2, 2.0), (3, 2, 3.0)]),
        [0, 3],
        min_only=True,
        device=device,
        **options,
    )
    assert found.tolist() == [0, 4, 3, 0]
    assert nearest.tolist() == [0, 0, 3, 3]


def test_a_list_names_devices_that_are_here():
    with checks.raises_sentence(wg.DeviceError, "cuda:99"):
        wg.many_to_many(csr(4, SQUARE), [0], min_only=True, device=["cpu", "cuda:99"])
