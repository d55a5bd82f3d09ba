"""wg.explain refuses what the call refuses, in the same words, and nothing else."""

import itertools
import re
import warnings

import numpy as np
import pytest
import scipy.sparse as sp

import graphs
import warpgraph as wg
from calls import calls, triangle
from warpgraph._graph import plan

#: The functions that take graphs and have plans.
PLANNED = [
    (call, name, options)
    for call in calls()
    if call.name in plan.PUBLIC_NAMES.values()
    for name, options in (*call.variants.items(), *call.methods.items())
]
#: Errors of what is found by computing: no plan knows of it.
COMPUTED = (wg.NegativeCycleError, wg.ConvergenceError)
OF_WORK = re.compile("a weight is so small|the weight .* is beyond 62 bits")


def _weighted(*weights, dtype=float, both=True):
    edges = [(i, j, w) for (i, j), w in zip([(0, 1), (1, 2), (2, 0)], weights, strict=True)]
    return graphs.csr(3, graphs.both_ways(edges) if both else edges, dtype)


GRAPHS = {
    "usual": triangle(),
    "integers": triangle(np.int64),
    "no vertices": sp.csr_array((0, 0)),
    "negative": _weighted(-1, 2, 3),
    "negative, one way": _weighted(1, -2, 3, both=False),
    "-inf": _weighted(-np.inf, 2, 3),
    "-inf, one way": _weighted(1, -np.inf, 3, both=False),
    "inf": _weighted(1, np.inf, 3, both=False),
    "fractions": _weighted(0.5, 1, 2),
    "large": _weighted(1e300, 1, 2),
    "large, one way": _weighted(1, 1e300, 2, both=False),
    "large, one of two": graphs.csr(2, [(0, 1, 1e300), (1, 0, 1)]),
    "large integers": _weighted(2**40, 1, 2, dtype=np.int64),
    "unreachable": _weighted(2**63 - 1, 1, 2, dtype=np.int64, both=False),
    "names": wg.Graph.from_edges(["a", "b"], ["b", "c"], [-1.0, 1e300]),
}
BAD_OPTIONS = [
    {"device": "cuda:77"},
    {"device": "tpu"},
    {"memory_limit": 0},
    {"dtype": "int8"},
    {"method": "magic"},
    {"progress": 3},
    {"limit": -1},
    {"k": 0},
    {"directed": 3},
    {"targets": [99]},
    {"sources": [99]},
    {"out": np.zeros(1)},
    {"opportunities": [1, np.inf, 2]},
    {"opportunities": [1]},
]


def _error(run):
    """Return the type and the sentence of the error of a call, or None."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            run()
    except Exception as error:
        return type(error), str(error)
    return None


def _are_equal(of_the_call, planned):
    is_computed = of_the_call is not None and (
        issubclass(of_the_call[0], COMPUTED) or OF_WORK.match(of_the_call[1])
    )
    assert is_computed or planned == of_the_call


def _refuses_the_same(run):
    def planned():
        with plan.only():
            run()

    _are_equal(_error(run), _error(planned))


@pytest.mark.parametrize(
    ("call", "options"), [case[::2] for case in PLANNED], ids=[f"{c}, {n}" for c, n, _ in PLANNED]
)
def test_the_weights_that_the_call_refuses(call, options):
    dtypes = [None, "float32", "int32", "int64"] if "dtype" in call.parameters else [None]
    if "dtype" in options:
        dtypes = [options["dtype"]]
    for graph, dtype in itertools.product(GRAPHS.values(), dtypes):
        chosen = options if dtype is None else {**options, "dtype": dtype}
        _refuses_the_same(lambda graph=graph, chosen=chosen: call.run(graph, **chosen))


@pytest.mark.parametrize("bad", BAD_OPTIONS, ids=str)
def test_the_arguments_that_the_call_refuses(bad):
    for call, _, options in PLANNED:
        if set(bad) <= set(call.parameters):
            chosen = {**options, **bad}
            _refuses_the_same(lambda call=call, chosen=chosen: call.run(triangle(), **chosen))


def _shortest(method, **options):
    return lambda graph, how: how(wg.shortest_path, graph, 0, 2, method=method, **options)


OTHERS = {
    "shortest_path, bidirectional": _shortest("bidirectional"),
    "shortest_path, both ways": _shortest("bidirectional", directed=False),
    "shortest_path, hierarchy": _shortest("hierarchy"),
    "shortest_path, astar": _shortest("astar"),
    "shortest_path, astar in int64": _shortest("astar", dtype="int64"),
    "shortest_path, alt": _shortest("alt"),
    "shortest_path, alt in int64": _shortest("alt", dtype="int64"),
    "shortest_path, alt of few": _shortest("alt", landmarks=[1], memory_limit="1MB"),
    "shortest_path, landmarks of none": _shortest("astar", landmarks=3),
    "many_to_many, hierarchy": lambda graph, how: how(
        wg.many_to_many, graph, [0], method="hierarchy"
    ),
    "many_to_many, both ways": lambda graph, how: how(
        wg.many_to_many, graph, [0], method="dijkstra", directed=False, memory_limit="1GB"
    ),
    "many_to_many, nearest": lambda graph, how: how(
        wg.many_to_many, graph, [0], min_only=True, method="dijkstra", directed=False
    ),
    "sssp, both ways": lambda graph, how: how(wg.sssp, graph, 0, method="dijkstra", directed=False),
    "sssp, workers": lambda graph, how: how(wg.sssp, graph, 0, device=["cpu"] * 2),
    "facilities": lambda graph, how: how(wg.nearest_facilities, graph, [0], 2, directed=False),
    "within": lambda graph, how: how(wg.within, graph, [0], 5, directed=False),
    "accessibility": lambda graph, how: how(
        wg.accessibility, graph, [0], 5, directed=False, opportunities=[1, 2, 3]
    ),
    "apsp, workers": lambda graph, how: how(wg.apsp, graph, device=["cpu"] * 2),
    "several of bfs": lambda graph, how: how(wg.bfs, graph, [0, 1], device=["cpu"] * 2),
    "no sources": lambda graph, how: how(wg.betweenness_centrality, graph, sources=[]),
    "no facilities": lambda graph, how: how(wg.nearest_facilities, graph, []),
    "no targets": lambda graph, how: how(wg.edge_betweenness_centrality, graph, targets=[]),
    "nothing to search": lambda graph, how: how(wg.many_to_many, graph, []),
}


@pytest.mark.parametrize("name", OTHERS)
def test_searches_that_are_refused(name):
    def call(function, *args, **options):
        return function(*args, **options)

    for graph in (GRAPHS[key] for key in GRAPHS if key not in ("names", "no vertices")):
        by = [
            _error(lambda how=how, graph=graph: OTHERS[name](graph, how))
            for how in (call, wg.explain)
        ]
        _are_equal(*by)


def test_planning_makes_and_computes_nothing():
    """Progress would be told, and forms and weights of another type would be kept."""

    def report(done, total):
        raise AssertionError("it has begun")

    for call, name, options in PLANNED:
        for device in ("cpu", ["cpu"] * 2, *wg.devices()[1:2]):
            graph = wg.Graph(graphs.SAMPLES["medium_directed"])
            graph._handle.is_mirrored()
            before = graph.nbytes
            how = {"device": device, "progress": report}
            chosen = options | {name: how[name] for name in how if name in call.parameters}
            with plan.only() as found:
                try:
                    call.run(graph, **chosen)
                except (ValueError, wg.DeviceError):
                    continue
            assert found.plan is not None, (call.name, name)
            assert graph.nbytes == before, (call.name, name)
