"""Options that are words: other values are refused by a sentence with the option and the value.

An array compared with a word is an array; NumPy's error about its truth value is no answer.
"""

import functools

import numpy as np
import pytest
import scipy.sparse as sp

import calls
import warpgraph as wg

NO_WORDS = {
    "an array of words": np.array(["auto", "cpu"]),
    "an array of numbers": np.array([1.0, 2.0, 3.0]),
    "an array of one word": np.array(["auto"]),
    "a 0-D array": np.array("auto"),
    "an empty array": np.array([]),
    "a number": 3,
    "NaN": float("nan"),
    "True": True,
    "bytes": b"auto",
    "a tuple": ("auto", "cpu", 1),
    "a list": ["auto", "cpu", 1],
    "a dict": {},
    "a set": {"auto"},
    "a type": str,
    "a word": "fastest",
}
POINTS = np.random.default_rng(0).random((20, 2))
GRAPH = calls.triangle()
CLUSTER = wg.cluster

#: Options that are in no signature of `calls.CALLS`, or have other values for other input.
OTHERS = {
    "metric of single_linkage": lambda v: CLUSTER.single_linkage(POINTS, metric=v),
    "metric of a graph": lambda v: CLUSTER.single_linkage(GRAPH, metric=v),
    "metric of core_distances": lambda v: CLUSTER.core_distances(POINTS, 2, metric=v),
    "metric of kneighbors_graph": lambda v: CLUSTER.kneighbors_graph(POINTS, 2, metric=v),
    "metric of MSTClustering": lambda v: CLUSTER.MSTClustering(2, metric=v).fit(POINTS),
    "metric of HDBSCAN": lambda v: CLUSTER.HDBSCAN(metric=v).fit(POINTS),
    "metric of DBSCANStar": lambda v: CLUSTER.DBSCANStar(metric=v).fit(POINTS),
    "metric of add_points": lambda v: (
        CLUSTER.MSTClustering(2).fit(POINTS).set_params(metric=v).add_points(POINTS)
    ),
    "metric of add_edges": lambda v: (
        CLUSTER.MSTClustering(2, metric="precomputed").fit(GRAPH).set_params(metric=v)
    ).add_edges(GRAPH),
    "store_centers of HDBSCAN": lambda v: CLUSTER.HDBSCAN(store_centers=v).fit(POINTS),
    "cluster_selection_method of recluster": lambda v: (
        CLUSTER.HDBSCAN().fit(POINTS).recluster(cluster_selection_method=v)
    ),
    "cluster_selection_method of sweep": lambda v: (
        CLUSTER.HDBSCAN().fit(POINTS).sweep([5], cluster_selection_method=v)
    ),
    "include_self of kneighbors_graph": lambda v: CLUSTER.kneighbors_graph(
        POINTS, 2, include_self=v if v is not True else 3
    ),
    "method of csgraph.shortest_path": lambda v: wg.csgraph.shortest_path(GRAPH, method=v),
    "method of csgraph.dijkstra": lambda v: wg.csgraph.dijkstra(GRAPH, method=v),
    "method of csgraph.bellman_ford": lambda v: wg.csgraph.bellman_ford(GRAPH, method=v),
    "method of csgraph.floyd_warshall": lambda v: wg.csgraph.floyd_warshall(GRAPH, method=v),
    "method of csgraph.minimum_spanning_tree": lambda v: wg.csgraph.minimum_spanning_tree(
        GRAPH, method=v
    ),
    "connection of csgraph.connected_components": lambda v: wg.csgraph.connected_components(
        GRAPH, connection=v
    ),
    "name of datasets.load": wg.datasets.load,
    "parameters of rmat": lambda v: wg.generators.rmat(3, parameters=v),
    "dist of random_points": lambda v: wg.generators.random_points(3, 2, dist=v),
}
#: Attributes of NetworkX graphs, which points and matrices do not have.
WEIGHTS = {
    "HDBSCAN": lambda v: CLUSTER.HDBSCAN(weight=v).fit(POINTS),
    "DBSCANStar": lambda v: CLUSTER.DBSCANStar(weight=v).fit(POINTS),
    "MSTClustering": lambda v: CLUSTER.MSTClustering(2, weight=v).fit(POINTS),
    "single_linkage": lambda v: CLUSTER.single_linkage(POINTS, weight=v),
    "core_distances": lambda v: CLUSTER.core_distances(POINTS, 2, weight=v),
    "HDBSCAN of distances": lambda v: CLUSTER.HDBSCAN(2, 1, weight=v, metric="precomputed").fit(
        np.zeros((3, 3))
    ),
    "core_distances of distances": lambda v: CLUSTER.core_distances(
        np.zeros((3, 3)), 2, weight=v, metric="precomputed"
    ),
}


def assert_refused(call, option, value):
    """Assert that the error names the option, and is not one of Python's or NumPy's operations."""
    with pytest.raises((TypeError, ValueError)) as caught:
        call(value)
    sentence = str(caught.value)
    assert option in sentence or (option == "method" and "unrecognized method" in sentence)
    for raw in ("ambiguous", "unhashable", "no attribute", "NoneType"):
        assert raw not in sentence


#: What options take beside words: a number of runs, and a function.
TAKEN = {("n_init", "a number"), ("init", "a type")}

OPTIONS_OF_CALLS = pytest.mark.parametrize(
    ("call", "option"),
    [
        pytest.param(call, option, id=f"{call}, {option}")
        for call in calls.CALLS
        for option in call.choices
    ],
)


@pytest.mark.parametrize("kind", NO_WORDS)
@OPTIONS_OF_CALLS
def test_other_values_of_options_of_functions(call, option, kind):
    if (option, kind) in TAKEN:
        return
    run = functools.partial(call.run, calls.small_input(call))
    assert_refused(lambda value: run(**{option: value}), option, NO_WORDS[kind])


@pytest.mark.parametrize("kind", NO_WORDS)
@pytest.mark.parametrize("name", OTHERS)
def test_other_values_of_other_options(name, kind):
    option = name.split()[0]
    assert_refused(OTHERS[name], option, NO_WORDS[kind])


@OPTIONS_OF_CALLS
def test_words_of_numpy(call, option):
    """numpy.str_ is a str, as an item of an array of words."""
    word = call.parameters[option].default
    if option == "metric":
        word = "euclidean" if call.takes == "points" else "precomputed"
    given = calls.small_input(call)
    found = call.run(given, **{option: np.str_(word)})
    wanted = call.run(given, **{option: word})
    for ours, theirs in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("kind", [*NO_WORDS, "None"])
@pytest.mark.parametrize("name", WEIGHTS)
def test_weights_of_what_is_no_networkx_graph(name, kind):
    assert_refused(WEIGHTS[name], "weight", NO_WORDS.get(kind))


@pytest.mark.parametrize("name", [*OTHERS])
def test_none_is_no_word(name):
    if name.startswith("store_centers"):
        return
    assert_refused(OTHERS[name], name.split()[0], None)


def test_sparse_input_takes_the_euclidean_metric_by_any_of_its_names():
    graph = sp.csr_array(GRAPH)
    for metric in ("euclidean", "l2", np.str_("euclidean")):
        assert len(CLUSTER.single_linkage(graph, metric=metric)) == 2
