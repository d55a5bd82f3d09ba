"""wg.csgraph: every method of a function returns what SciPy returns."""

import functools

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.csgraph as theirs

import warpgraph as wg
import warpgraph.csgraph as ours
from csgraph_support import on, random_csr

METHODS = {
    "dijkstra": ("auto", "dijkstra", "batched", "delta_stepping", "near_far"),
    "bellman_ford": ("auto", "bellman_ford"),
    "floyd_warshall": ("auto", "floyd_warshall", "floyd_warshall_naive", "many_to_many"),
    "minimum_spanning_tree": ("auto", "filter", "boruvka"),
}
METHODS_OF_PATHS = [(name, m) for name in list(METHODS)[:3] for m in METHODS[name]]


def check_refusal(device, method, call, *, from_one=False):
    """Whether the method does not run on the device; then the call must say so."""
    place = "cuda" if on(device).startswith("cuda") else "cpu"
    refused = method == "delta_stepping" or (method == "dijkstra" and from_one)
    if place == "cpu":
        takes_gpu = on(device) == "auto" and len(wg.devices()) > 1
        refused = method in ("near_far", "boruvka") and not takes_gpu
    if not refused:
        return False
    with pytest.raises(ValueError, match=f"'{method}' does not run on {place}"):
        call(method=method)
    return True


def random_graph(n=130, seed=1):
    """Return a matrix of integers, for which sums in any order are equal."""
    graph = random_csr(n, 4 / n, seed)
    graph.data[:] = np.ceil(50 * graph.data)
    return graph


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("unweighted", [True, False])
@pytest.mark.parametrize(("name", "method"), METHODS_OF_PATHS)
def test_methods_of_paths(device, name, method, directed, unweighted):
    graph = random_graph()
    how = {"directed": directed, "unweighted": unweighted, "return_predecessors": True}
    expected = getattr(theirs, name)(graph, **how)[0]
    call = functools.partial(getattr(ours, name), graph, device=on(device))
    if check_refusal(device, method, call):
        return
    found, trees = call(method=method, **how)
    first, first_trees = call(**how)
    alone = call(directed, unweighted=unweighted, method=method)
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(found, first)
    np.testing.assert_array_equal(alone, expected)
    np.testing.assert_array_equal(trees, first_trees)


@pytest.mark.parametrize("indices", [3, [3], [], [[5, 5], [0, -1]]])
@pytest.mark.parametrize("method", METHODS["dijkstra"])
def test_methods_from_some_vertices(device, method, indices):
    graph = random_graph()
    how = {"indices": indices, "limit": 60, "return_predecessors": True}
    expected = theirs.dijkstra(graph, **how)
    call = functools.partial(ours.dijkstra, graph, device=on(device), **how)
    if indices != [] and check_refusal(device, method, call, from_one=np.size(indices) == 1):
        return
    found = call(method=method)
    first = call()
    np.testing.assert_array_equal(found[0], expected[0])
    assert found[1].shape == expected[1].shape
    np.testing.assert_array_equal(found[1], first[1])


def test_bellman_ford_with_negative_weights():
    graph = sp.csr_array(sp.triu(random_graph(), 1))  # has no cycle
    graph.data -= 20
    expected = theirs.bellman_ford(graph, indices=[0, 7])
    np.testing.assert_array_equal(ours.bellman_ford(graph, indices=[0, 7]), expected)
    found = ours.bellman_ford(graph, indices=[0, 7], method="bellman_ford")
    np.testing.assert_array_equal(found, expected)
    with pytest.raises(theirs.NegativeCycleError):
        ours.bellman_ford([[0, 1], [-2, 0]], method="bellman_ford")


@pytest.mark.parametrize("method", METHODS["minimum_spanning_tree"])
def test_methods_of_trees(device, method):
    graph = random_graph()
    call = functools.partial(ours.minimum_spanning_tree, graph, device=on(device))
    if check_refusal(device, method, call):
        return
    found = call(method=method)
    assert (found != theirs.minimum_spanning_tree(graph)).nnz == 0


@pytest.mark.parametrize("name", METHODS)
def test_other_methods_are_refused(name):
    with pytest.raises(ValueError, match="method must be one of"):
        getattr(ours, name)([[0, 1], [1, 0]], method="quick")


def test_the_nearest_source_has_one_method():
    graph = random_graph()
    expected = theirs.dijkstra(graph, indices=[0, 9], min_only=True)
    found = ours.dijkstra(graph, indices=[0, 9], min_only=True, method="dijkstra")
    np.testing.assert_array_equal(found, expected)
    with pytest.raises(ValueError, match="batched"):
        ours.dijkstra(graph, indices=[0, 9], min_only=True, method="batched")
