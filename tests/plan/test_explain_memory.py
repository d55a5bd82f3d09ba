"""The memory that wg.explain tells is that of the call, whose errors it raises."""

import re

import numpy as np
import pytest

import graphs
import warpgraph as wg
from warpgraph._graph import explain


def _edges_both_ways():
    return wg.Graph(wg.generators.rmat(10, 8, seed=1, weights=(1, 100)))


def _edges_one_way():
    return wg.Graph(wg.generators.rmat(10, 8, seed=1, weights=(1, 100), directed=True))


def _roads():
    return wg.Graph(wg.generators.grid(30, 30, seed=0), coordinates=_places(30, 30))


def _forest():
    return wg.minimum_spanning_forest(_roads())


def _places(n_rows, n_columns):
    return np.stack(np.divmod(np.arange(n_rows * n_columns), n_columns), axis=1).astype(float)


def _parallel_edges():
    """A graph whose rows are not sorted, with some edges twice."""
    tails, heads, weights = _edges_both_ways().to_edges()[:3]
    order = np.random.default_rng(0).permutation(np.tile(np.arange(len(tails)), 2))
    order = np.concatenate([np.arange(len(tails)), order[: len(tails) // 4]])
    return wg.Graph.from_edges(tails[order], heads[order], weights[order])


def _points():
    return np.random.default_rng(0).random((3000, 3))


def _fit(estimator, **options):
    def fit(points, memory_limit, call):
        return call(estimator(**options, device="cpu", memory_limit=memory_limit).fit, points)

    return _points, fit


def _call(function, make, *args, **options):
    def run(graph, memory_limit, call):
        given = {"memory_limit": memory_limit, **options}
        if function is not wg.shortest_paths:
            given.setdefault("device", "cpu")
        return call(function, graph, *args, **given)

    return make, run


CALLS = {
    "sssp": _call(wg.sssp, _edges_both_ways, 0),
    "sssp, weights as they are": _call(wg.sssp, _edges_both_ways, 0, dtype="int64"),
    "sssp, tree": _call(wg.sssp, _edges_both_ways, 0, return_predecessors=True),
    "sssp, heap": _call(wg.sssp, _edges_both_ways, 0, method="dijkstra"),
    "sssp, passes": _call(wg.sssp, _edges_both_ways, 0, method="bellman_ford"),
    "sssp, workers": _call(wg.sssp, _edges_both_ways, 0, device=["cpu"] * 3),
    "shortest_path": _call(wg.shortest_path, _edges_both_ways, 0, 5),
    "shortest_path, astar": _call(wg.shortest_path, _roads, 0, 5, method="astar"),
    "shortest_path, alt": _call(wg.shortest_path, _roads, 0, 5, method="alt"),
    "shortest_path, alt in float32": _call(
        wg.shortest_path, _edges_both_ways, 0, 5, method="alt", dtype="float32"
    ),
    "shortest_path, alt of two": _call(wg.shortest_path, _roads, 0, 5, method="alt", landmarks=2),
    "shortest_paths": _call(wg.shortest_paths, _edges_both_ways, [0, 3], [5, 6]),
    "many_to_many": _call(wg.many_to_many, _edges_both_ways, [0, 1, 2]),
    "many_to_many, nearest": _call(wg.many_to_many, _edges_both_ways, [0, 1], min_only=True),
    "apsp": _call(wg.apsp, _edges_both_ways, method="floyd_warshall", dtype="int32"),
    "bfs": _call(wg.bfs, _edges_both_ways, 0),
    "bfs, targets": _call(wg.bfs, _edges_both_ways, 0, targets=[5, 6]),
    "bfs, workers": _call(wg.bfs, _edges_both_ways, 0, device=["cpu"] * 3),
    "components": _call(wg.connected_components, _edges_both_ways),
    "strong components": _call(wg.connected_components, _edges_one_way, connection="strong"),
    "components, workers": _call(wg.connected_components, _edges_both_ways, device=["cpu"] * 3),
    "pagerank": _call(wg.pagerank, _edges_both_ways),
    "pagerank, entering edges": _call(wg.pagerank, _edges_one_way),
    "pagerank, pushes": _call(wg.pagerank, _edges_both_ways, method="push"),
    "pagerank, workers": _call(wg.pagerank, _edges_both_ways, device=["cpu"] * 3),
    "forest": _call(wg.minimum_spanning_forest, _edges_both_ways),
    "accessibility": _call(wg.accessibility, _edges_both_ways, [0, 1], [10, 20]),
    "nearest_facilities": _call(wg.nearest_facilities, _edges_both_ways, [0, 1]),
    "betweenness": _call(wg.betweenness_centrality, _edges_both_ways, sources=5),
    "betweenness of edges": _call(
        wg.edge_betweenness_centrality, _edges_both_ways, sources=5, unweighted=True
    ),
    "betweenness of arcs": _call(wg.edge_betweenness_centrality, _edges_both_ways, sources=5),
    "betweenness, parallel edges": _call(
        wg.betweenness_centrality, _parallel_edges, sources=5, unweighted=True
    ),
    "core_numbers": _call(wg.core_numbers, _edges_both_ways),
    "triangles": _call(wg.triangles, _edges_both_ways),
    "clustering_coefficients": _call(wg.clustering_coefficients, _edges_both_ways),
    "transitivity": _call(wg.transitivity, _edges_both_ways),
    "Steiner tree": _call(wg.steiner_tree, _roads, [0, 5, 99]),
    "arborescence": _call(wg.minimum_arborescence, _roads),
    "bottleneck_paths": _call(wg.bottleneck_paths, _edges_both_ways, [0, 3], [5, 9]),
    "bottleneck_paths in a forest": _call(wg.bottleneck_paths, _forest, [0, 3], [5, 9]),
    "KMeans": _fit(wg.cluster.KMeans, random_state=0),
    "KMeans, far points": _fit(wg.cluster.KMeans, init="farthest"),
    "HDBSCAN": _fit(wg.cluster.HDBSCAN),
    "euclidean_mst": _call(wg.cluster.euclidean_mst, _points),
}
# The same, where what a form of the graph, a later step or the result takes is not known exactly.
FORMS = {
    "betweenness of arcs, parallel edges": _call(
        wg.edge_betweenness_centrality, _parallel_edges, sources=5
    ),
    "leiden_communities": _call(wg.leiden_communities, _edges_both_ways),
    "core_numbers, one way": _call(wg.core_numbers, _edges_one_way),
    "triangles, one way": _call(wg.triangles, _edges_one_way),
    "truss_numbers": _call(wg.truss_numbers, _edges_both_ways),
    "truss_numbers, one way": _call(wg.truss_numbers, _edges_one_way),
    "bottleneck_paths, one way": _call(wg.bottleneck_paths, _edges_one_way, [0, 3], [5, 9]),
    "betweenness, both ways": _call(
        wg.betweenness_centrality, _edges_one_way, sources=5, directed=False
    ),
    "betweenness of arcs, both ways": _call(
        wg.edge_betweenness_centrality, _edges_one_way, sources=5, directed=False
    ),
    "shortest_path, entering edges": _call(wg.shortest_path, _edges_one_way, 0, 5),
    "shortest_path, alt, one way": _call(wg.shortest_path, _edges_one_way, 0, 5, method="alt"),
    "shortest_path, alt, both ways": _call(
        wg.shortest_path, _edges_one_way, 0, 5, method="alt", directed=False
    ),
    "sssp, both ways": _call(wg.sssp, _edges_one_way, 0, directed=False),
    "pagerank, both ways": _call(wg.pagerank, _edges_one_way, directed=False),
    "forest of one way": _call(wg.minimum_spanning_forest, _edges_one_way),
    "within": _call(wg.within, _edges_both_ways, [0, 1], 10),
}


def _run(function, *args, **options):
    return function(*args, **options)


def _refusals(make, run):
    """Return the least limit that is enough, and for each smaller one the error of the call."""
    limit, refusals = 1, []
    for _ in range(10):
        try:
            run(make(), limit, _run)
        except MemoryError as error:
            needed, left = (int(n) for n in re.findall(r"(\d+) bytes", str(error))[:2])
            refusals.append((limit, str(error)))
            limit += needed - left
        else:
            return limit, refusals
    raise AssertionError("what errors ask for is not enough")


@pytest.mark.parametrize("name", CALLS)
def test_a_limit_is_refused_as_by_the_call(name):
    make, run = CALLS[name]
    _, refusals = _refusals(make, run)
    for limit, _ in refusals:
        with pytest.raises(MemoryError, match="left of memory_limit; raise memory_limit"):
            run(make(), limit, wg.explain)
    limit, sentence = refusals[-1]
    with pytest.raises(MemoryError) as refused:
        run(make(), limit, wg.explain)
    assert str(refused.value) == sentence


@pytest.mark.parametrize("name", CALLS | FORMS)
def test_the_bytes_are_those_that_the_call_asks_for(name):
    make, run = (CALLS | FORMS)[name]
    least, _ = _refusals(make, run)
    plan = run(make(), None, wg.explain)
    results = 32 * 3000  # which some limits do not include, and of the plan
    sum_of_searches = wg.get_num_threads() * least
    assert run(make(), least, wg.explain).bytes <= least + results
    if name != "within":  # where the result is not known before
        assert least <= plan.bytes <= results + sum_of_searches


@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_another_method_takes_a_call_that_memory_lacks_for(dtype):
    make, run = _call(wg.apsp, _edges_both_ways, dtype=dtype)
    least, refusals = _refusals(make, run)
    graph, how = make(), {"dtype": dtype, "device": "cpu"}
    assert wg.explain(wg.apsp, graph, **how).method == "floyd_warshall"
    plan = wg.explain(wg.apsp, graph, **how, memory_limit=least)
    assert plan.method == "many_to_many"
    assert plan.bytes <= least
    assert any(
        reason.startswith("many_to_many instead of floyd_warshall: the matrix of all")
        for reason in plan.reasons
    )
    np.testing.assert_array_equal(wg.apsp(graph, **how, memory_limit=least), wg.apsp(graph, **how))
    limit, sentence = refusals[-1]
    with pytest.raises(MemoryError) as refused:
        wg.explain(wg.apsp, make(), **how, memory_limit=limit)
    assert str(refused.value) == sentence


@pytest.mark.parametrize(
    ("function", "args"), [(wg.shortest_path, (0, 5)), (wg.many_to_many, ([0, 5],))]
)
def test_the_bytes_of_a_hierarchy(function, args):
    """They have the hierarchy, until that is kept, and queries."""
    graph = _roads()
    how = {"method": "hierarchy", "device": "cpu"}
    before = wg.explain(function, graph, *args, **how).bytes
    with pytest.raises(MemoryError) as refused:
        wg.explain(function, graph, *args, **how, memory_limit="1kB")
    with pytest.raises(MemoryError) as of_the_call:
        function(graph, *args, **how, memory_limit="1kB")
    assert str(refused.value) == str(of_the_call.value)
    kept = graph.nbytes
    function(graph, *args, **how)
    after = wg.explain(function, graph, *args, **how).bytes
    assert 0 < after < before
    assert graph.nbytes - kept < before


@pytest.mark.parametrize("name", FORMS)
def test_a_limit_that_no_form_fits_is_refused(name):
    make, run = FORMS[name]
    with pytest.raises(MemoryError, match="left of memory_limit; raise memory_limit"):
        run(make(), 1, wg.explain)


def test_the_memory_is_that_of_a_call():
    """The graph that is there does not count, and calls that differ take different memory."""
    graph = wg.Graph(graphs.SAMPLES["medium_directed"])
    n, m = graph.n_vertices, graph.n_edges
    several = wg.Graph.from_edges(*(np.tile(part, 50) for part in graph.to_edges()), n_vertices=n)
    of_one, of_several = (
        wg.explain(wg.connected_components, g, device="cpu").bytes for g in (graph, several)
    )
    assert 4 * n <= of_one <= of_several < several.nbytes
    assert several.n_edges == 50 * m
    takes = {
        function.__name__: wg.explain(function, graph, *args, device="cpu").bytes
        for function, args in (
            (wg.sssp, (0,)),
            (wg.bfs, (0,)),
            (wg.connected_components, ()),
            (wg.pagerank, ()),
            (wg.minimum_spanning_forest, ()),
            (wg.betweenness_centrality, ()),
        )
    }
    assert len(set(takes.values())) == len(takes), takes
    tree = wg.explain(wg.sssp, graph, 0, device="cpu", return_predecessors=True)
    assert tree.bytes > takes["sssp"]


def test_weights_in_another_type_count_once():
    graph = _edges_both_ways()
    before = wg.explain(wg.sssp, graph, 0, device="cpu").bytes
    wg.sssp(graph, 0, device="cpu")
    assert wg.explain(wg.sssp, graph, 0, device="cpu").bytes == before - 8 * graph.n_edges


def test_the_memory_of_an_answer_of_unknown_size():
    plan = wg.explain(wg.within, _edges_both_ways(), [0, 1], 10)
    assert plan.bytes > 0
    assert any("12 bytes for each distance that is found" in reason for reason in plan.reasons)


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (1, "1 B"),
        (999, "999 B"),
        (1000, "1 kB"),
        (12_100, "12.1 kB"),
        (999_499, "999 kB"),
        (999_500, "1 MB"),
        (123_456_789, "123 MB"),
        (2_510_000_000, "2.51 GB"),
        (5_000_000_000_000, "5000 GB"),
    ],
)
def test_sizes_have_units_that_suit_them(size, text):
    plan = explain.Plan("sssp", "dijkstra", ["cpu"], size, 1.0, ())
    assert f"memory         at most {text} on cpu, beside the input" in str(plan)


def test_the_devices_whose_memory_it_is():
    def memory(devices, size=1):
        return str(explain.Plan("sssp", "near_far", devices, size, 1.0, ())).splitlines()[2]

    assert memory(["cuda:0", "cuda:1"]).endswith("1 B on each of cuda:0, cuda:1, beside the input")
    assert memory(["cpu"] * 3).endswith("1 B on cpu, beside the input")
    assert memory(["cuda:0"], 0).endswith("not known before the call")


def test_a_limit_does_not_ask_for_another_machine():
    with pytest.raises(MemoryError) as refused:
        wg.minimum_spanning_forest(_edges_both_ways(), memory_limit=1000, device="cpu")
    assert "raise memory_limit" in str(refused.value)
    assert "machine" not in str(refused.value)
