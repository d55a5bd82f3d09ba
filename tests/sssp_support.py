"""Helpers of the tests of shortest paths."""

import numpy as np
import pytest

import checks
import oracles
import warpgraph as wg
from device_lists import GPUS, HOST, SINGLE, gpus_in_turns, is_several, on_one_gpu, over
from graphs import both_ways, has_negative

METHODS_ON_CORES = ["dijkstra", "delta_stepping", "bellman_ford"]
METHODS = [*METHODS_ON_CORES, "near_far"]
DTYPES = ["float32", "float64", "int32", "int64"]
#: Of the square grid that grid_with() makes.
SIDE = 60 if checks.EMULATED else 200
SQUARE = both_ways([(0, 1, 1.0), (1, 2, 2.0), (2, 3, 1.5), (0, 3, 5.0)])


#: Lists that search together: of workers of the host, of some on one GPU, of one on each GPU.
WORKERS = HOST + on_one_gpu(2, 3) + [GPUS] * (len(GPUS) > 1)

over_workers = over(WORKERS)
over_devices_and_workers = over(SINGLE + WORKERS)


def methods_on(device):
    """Return the methods that a device has; of lists, those that share the work."""
    if isinstance(device, list):
        return ["auto", "delta_stepping"] if is_several(device) and device[0] != "cpu" else ["auto"]
    if device == "cpu":
        return ["auto", *METHODS_ON_CORES]
    return ["auto", "near_far", "bellman_ford"]


def methods_for(graph, device):
    """Return the methods of a device, or a list of devices, that take the graph's weights."""
    if has_negative(graph):
        return ["auto"] if isinstance(device, list) else ["auto", "bellman_ford"]
    return methods_on(device)


def all_ways(*marks):
    """Return all methods of each device and each list of workers; the marks are for lists."""
    ways = [(pair, method) for pair in SINGLE for method in methods_on(pair[0])]
    for names in WORKERS:
        ways += [pytest.param(names, method, marks=marks) for method in methods_on(names)]
    return ways


def method_fixture():
    """Make a fixture of all methods that run on the device of the test."""

    @pytest.fixture(params=["auto", *METHODS])
    def method(request, device):
        if request.param not in methods_on(device):
            pytest.skip("the method does not run there")
        return request.param

    return method


def gpu_list_fixture():
    """Make a fixture of lists of GPUs: as many members of a team, on those here in turns."""
    sizes = (2, 3) if checks.EMULATED else (2, 3, 5, 8)

    @pytest.fixture(params=sizes, ids=lambda n: f"cuda-{n}members")
    def team(request):
        if not GPUS:
            pytest.skip("needs a CUDA device")
        return gpus_in_turns(request.param)[0]

    return team


def assert_same(a, b):
    """Bit for bit."""
    assert a.dtype == b.dtype
    np.testing.assert_array_equal(a, b)
    assert a.tobytes() == b.tobytes()


def outcome(graph, source, **how):
    """Return the distances and the tree, or the type and the text of the error."""
    try:
        return wg.sssp(graph, source, return_predecessors=True, **how)
    except (wg.NegativeCycleError, OverflowError) as error:
        return type(error), str(error)


def assert_as_on_cores(graph, source, device, method=None, **how):
    """Compare distances, tree or error with those of cores, by a method or by all of the device."""
    for each in [method] if method else methods_for(graph, device):
        on_cores = {"near_far": "delta_stepping"}.get(each, each) if device != "cpu" else "auto"
        expected = outcome(graph, source, method=on_cores, device="cpu", **how)
        found = outcome(graph, source, method=each, device=device, **how)
        if expected[0] is wg.NegativeCycleError:
            assert found[0] is expected[0]  # any vertex of a cycle
        elif isinstance(expected[0], type):
            assert found == expected
        else:
            assert_same(found[0], expected[0])
            assert_same(found[1], expected[1])


def canonical_tree(graph, source, distances, directed=True):
    """Find predecessors by the rule, given distances, one level after the other."""
    tail, head, weight = oracles.arcs(graph, directed)
    far = oracles.unreachable(distances.dtype)
    usable = (distances[tail] != far) & (distances[head] != far) & (head != source)
    tail, head = tail[usable], head[usable]
    through = distances[tail] + weight[usable].astype(distances.dtype)
    tight = through == distances[head]
    tail, head = tail[tight], head[tight]
    none = np.iinfo(np.int32).max
    tree, is_placed = np.full(len(distances), none, np.int32), np.zeros(len(distances), bool)
    is_placed[source] = True
    if not has_negative(graph):
        nearer = distances[tail] < distances[head]
        np.minimum.at(tree, head[nearer], tail[nearer])
        is_placed[head[nearer]] = True
        tail, head = tail[~nearer], head[~nearer]
    order = np.argsort(tail, kind="stable")
    tail, head = tail[order], head[order]
    starts = np.searchsorted(tail, np.arange(len(distances) + 1))
    frontier = np.flatnonzero(is_placed)
    while len(frontier):
        arcs = np.concatenate([np.arange(*starts[u : u + 2]) for u in frontier])
        arcs = arcs[~is_placed[head[arcs]]]
        np.minimum.at(tree, head[arcs], tail[arcs])
        frontier = np.unique(head[arcs])
        is_placed[frontier] = True
    return np.where(tree == none, -1, tree).astype(np.int32)


def weighted(graph, weights):
    return wg.Graph.from_csr(graph.indptr, graph.indices, weights)


def grid_with(draw):
    """Make a grid with work for four threads and weights draw(rng, m)."""
    graph = wg.generators.grid(SIDE, SIDE, seed=1)
    return weighted(graph, draw(np.random.default_rng(2), graph.n_edges))
