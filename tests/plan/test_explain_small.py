"""Small graphs and empty requests: wg.explain and the call have the same answer to each limit."""

import warnings

import numpy as np
import pytest

import graphs
import warpgraph as wg

#: Directed edges of small graphs, by the number of vertices.
SHAPES = {
    "no vertices": (0, []),
    "one": (1, []),
    "loop": (1, [(0, 0, 1)]),
    "no edges": (2, []),
    "edge": (2, [(0, 1, 3)]),
    "islands": (7, graphs.both_ways([(0, 1, 1), (1, 2, 2), (4, 5, 3)])),
    "cycle": (4, [(0, 1, 1), (1, 2, 1), (2, 3, 1), (3, 0, 2)]),
    "star": (40, graphs.both_ways([(0, i, i % 5 + 1) for i in range(1, 40)])),
    "negative": (3, [(0, 1, -1), (1, 2, 2)]),
}
GRAPHS = {
    (name, dtype): graphs.csr(n, edges, dtype)
    for name, (n, edges) in SHAPES.items()
    for dtype in (np.float64, np.int32)
}
_BOTH = {"directed": False}
_TREES = {"return_predecessors": True}
_HOPS = {"unweighted": True}
_WORKERS = {"device": ["cpu"] * 2}


def _methods(*names, **options):
    return [{"method": name, **options} for name in names]


def _first(n):
    return lambda graph: list(range(min(n, graph.shape[0])))


def _none(_):
    return []


def _ends(graph):
    return [0, max(graph.shape[0] - 1, 0)]


#: Functions, the vertices that calls name before other arguments, and options.
CALLS = [
    ("sssp", [lambda _: 0], [_TREES, _BOTH, {"dtype": "int64"}, {"targets": []}, {"limit": 0}]),
    ("sssp", [lambda _: 0], _methods("dijkstra", "delta_stepping", "bellman_ford")),
    ("bfs", [lambda _: 0], [{}, _TREES, _BOTH, {"targets": []}, {"limit": 1}, _WORKERS]),
    ("bfs", [_none], [{}, _TREES, _BOTH]),
    ("bfs", [_first(3)], [{}, _TREES, {"targets": []}, _WORKERS]),
    ("many_to_many", [_none], [{}, _TREES, _BOTH, {"min_only": True}]),
    (
        "many_to_many",
        [_first(3)],
        [{}, _TREES, {"min_only": True}, {"limit": 3}, {"dtype": "int32"}],
    ),
    ("many_to_many", [_first(3), _first(1)], [_TREES, _BOTH, *_methods("batched", "hierarchy")]),
    ("many_to_many", [_first(3), _none], [{}, _TREES]),
    ("apsp", [], [{}, _BOTH, *_methods("many_to_many", "floyd_warshall", "floyd_warshall_naive")]),
    ("apsp", [], _methods("floyd_warshall", "floyd_warshall_naive", **_TREES)),
    ("apsp", [], _methods("floyd_warshall", dtype="int64")),
    ("within", [_none, lambda _: 1], [{}]),
    ("accessibility", [_none, lambda _: [1]], [{}]),
    ("accessibility", [_first(3), lambda _: [1, 2]], [{}, _BOTH, {"dtype": "int64"}]),
    ("accessibility", [_first(3), _none], [{}]),
    ("nearest_facilities", [_first(2)], [{}, _BOTH, {"k": 2}, {"k": 7}]),
    ("betweenness_centrality", [], [{}, _BOTH, {"limit": 2}, _HOPS]),
    ("edge_betweenness_centrality", [], [{}, _BOTH, _HOPS]),
    ("connected_components", [], [{}, _BOTH, {"connection": "strong"}, _WORKERS]),
    ("pagerank", [], [{}, _HOPS, *_methods("push")]),
    ("minimum_spanning_forest", [], [{}, {"maximum": True}]),
    ("bottleneck_paths", [_none, _none], [{}]),
    ("steiner_tree", [_first(1)], [{}]),
    ("core_numbers", [], [{}]),
    ("triangles", [], [{}]),
    ("truss_numbers", [], [{}]),
    ("label_propagation_communities", [], [{}]),
    ("leiden_communities", [], [{}]),
]
#: Functions that make a form, which counts as large as it may be.
MAKE_FORMS = ("pagerank", "nearest_facilities", "truss_numbers")
#: Limits between those of small results and of searches.
LIMITS = (1, 100, 3000, 30_000)
#: Errors of what is found by computing, which no plan knows of.
COMPUTED = (wg.NegativeCycleError, wg.ConvergenceError, OverflowError)


def _outcome(run, *args, **options):
    """Return what a call returns, or its error."""
    try:
        return run(*args, **options)
    except Exception as error:
        return error


def _both(function, graph, args, options):
    """Return what explain, and the call itself, return or raise."""
    return (
        _outcome(wg.explain, function, graph, *args, **options),
        _outcome(function, graph, *args, **options),
    )


CASES = [
    pytest.param(name, vertices, some, id=f"{name} {len(vertices)} {some}")
    for name, vertices, options in CALLS
    for some in options
]


@pytest.mark.parametrize(("name", "vertices", "options"), CASES)
def test_the_same_limits_are_refused(name, vertices, options):
    function = getattr(wg, name)
    options = {"device": "cpu", **options}
    may_make_form = options.get("directed") is False or name in MAKE_FORMS
    for key, graph in GRAPHS.items():
        args = [of(graph) for of in vertices]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            plan, result = _both(function, graph, args, options)
            if isinstance(result, Exception):
                is_same = type(plan) is type(result) and str(plan) == str(result)
                assert is_same or isinstance(result, COMPUTED), (key, plan, result)
                continue
            assert isinstance(plan, wg.Plan), (key, plan)
            for limit in {*LIMITS, plan.bytes} - {0}:
                how = {**options, "memory_limit": limit}
                again, result = _both(function, graph, args, how)
                refused = isinstance(again, MemoryError), isinstance(result, MemoryError)
                assert refused == (False, False) or limit != plan.bytes, (key, again, result)
                may_differ = may_make_form and refused == (True, False)
                assert refused[0] == refused[1] or may_differ, (key, limit, again, result)
                assert refused[0] or again.bytes <= limit


def test_what_needs_no_search_takes_no_memory():
    """Beside the result, and a form that is made before."""
    graph = GRAPHS["star", np.float64]
    for function, args, options in (
        (wg.sssp, (0,), {"targets": []}),
        (wg.bfs, (0,), {"targets": []}),
        (wg.bfs, ([],), {}),
        (wg.many_to_many, ([],), {}),
        (wg.many_to_many, ([0, 1], []), {}),
        (wg.accessibility, ([], [1]), {}),
        (wg.accessibility, ([0, 1], []), {}),
    ):
        plan, result = _both(function, graph, args, {**options, "memory_limit": 1})
        assert isinstance(plan, wg.Plan), (function, plan)
        assert plan.bytes <= 1
        assert np.asarray(result).size == 0


def test_a_plan_of_no_vertices_is_there_if_the_call_returns():
    graph = GRAPHS["no vertices", np.float64]
    for function in (wg.pagerank, wg.apsp, wg.betweenness_centrality, wg.connected_components):
        assert wg.explain(function, graph).seconds >= 0
        function(graph)


def test_more_clusters_than_points_are_refused_before_the_tree():
    points = np.arange(6.0).reshape(3, 2)
    for X, metric in ((points, "euclidean"), (GRAPHS["negative", np.float64], "precomputed")):
        model = wg.cluster.MSTClustering(4, metric=metric)
        for run in (model.fit, lambda X, model=model: wg.explain(model, X)):
            with pytest.raises(
                ValueError, match="n_clusters=4 is more than there are points: n_samples=3"
            ):
                run(X)


def test_integers_that_no_hierarchy_takes_are_refused():
    graph = graphs.csr(2, [(0, 1, 2**62), (1, 0, 1)], np.int64)
    plan, result = _both(wg.many_to_many, graph, ([0],), {"method": "hierarchy"})
    assert isinstance(result, OverflowError)
    assert str(plan) == str(result)


@pytest.mark.parametrize("name", sorted({name for name, _, _ in CALLS}))
def test_the_plan_tells_why_it_takes_its_device(name):
    vertices = next(vertices for other, vertices, _ in CALLS if other == name)
    graph = GRAPHS["star", np.float64]
    plan = wg.explain(getattr(wg, name), graph, *(of(graph) for of in vertices))
    assert any("cpu" in reason or "cores" in reason or "GPU" in reason for reason in plan.reasons)


@pytest.mark.parametrize(
    ("function", "args", "options"),
    [
        (wg.sssp, (0,), {"limit": 3}),
        (wg.sssp, (0,), {"targets": [1]}),
        (wg.bfs, (0,), {"limit": 3}),
        (wg.many_to_many, ([0, 1],), {"limit": 3}),
        (wg.betweenness_centrality, (), {"limit": 3}),
        (wg.nearest_facilities, ([0],), {"limit": 3}),
        (wg.within, ([0], 3), {}),
        (wg.accessibility, ([0], 3), {}),
    ],
)
def test_times_of_searches_that_may_end_early_are_upper_bounds(function, args, options):
    plan = wg.explain(function, GRAPHS["star", np.float64], *args, **options)
    assert any("upper bound" in reason for reason in plan.reasons)
    assert "upper bound" in str(plan)
