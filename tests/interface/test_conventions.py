"""Rules for every function: the same bits everywhere, dtypes, input only read."""

import functools
import gc
import hashlib
import inspect
import weakref

import numpy as np
import pytest
import scipy.sparse as sp

import calls
import graphs
import warpgraph as wg
from call_entry import has_weights_for
from checks import assert_same_bits


def run_variant(call, options, graph, device):
    """Make a call with a variant's options; skip large graphs."""
    if calls.n_vertices(graph) > call.most_vertices:
        pytest.skip("too large a result")
    if not has_weights_for(call, graph):
        pytest.skip("weights that the function refuses")
    return calls.run_on(device, call, graph, options)


#: Calls by name: run(graph, device) returns a tuple of arrays, whose bits do not depend on devices.
CALLS = {
    name: functools.partial(run_variant, call, options)
    for name, call, options in calls.expanded("variants", "device")
}

every_call = pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)


def larger(dtype=np.float64):
    """Return a graph large enough for several threads, with weights whose sums are rounded.

    It has no derived data yet.
    """
    graph = edges_of_larger(np.dtype(dtype))
    return wg.Graph.from_csr(graph.indptr, graph.indices, graph.data)


@functools.cache
def edges_of_larger(dtype):
    rng = np.random.default_rng(11)
    n, m = 20_000, 60_000
    ends = (n * rng.random((2, m)) ** [[1.0], [3.0]]).astype(int)
    weights = rng.random(m) if dtype.kind == "f" else rng.integers(0, 50, m)
    both = np.concatenate([ends, ends[::-1]], axis=1)
    return wg.Graph.from_edges(*both, np.tile(weights, 2).astype(dtype), n_vertices=n)


def on_one_thread(call, graph):
    before = wg.get_num_threads()
    wg.set_num_threads(1)
    try:
        return call(graph, "cpu")
    finally:
        wg.set_num_threads(before)


def fits_float32(graph):
    return graph.shape[0] > 0 and graph is not graphs.SAMPLES["huge_weights"]


@every_call
@graphs.over_samples(negative=False, only=fits_float32)
def test_same_bits_on_every_device(call, graph, device):
    assert_same_bits(call(graph, device), on_one_thread(call, graph))


def digest(results):
    """Return what tells apart results with other bits."""
    arrays = [np.ascontiguousarray(array) for array in results]
    return [(a.dtype, a.shape, hashlib.sha256(a.view(np.uint8)).digest()) for a in arrays]


@functools.cache
def digest_on_one_thread(call, dtype):
    return digest(on_one_thread(call, larger(dtype)))


@every_call
@pytest.mark.parametrize("dtype", graphs.DTYPES)
def test_same_bits_of_a_larger_graph(call, dtype, device):
    graph = larger(dtype)
    assert digest(call(graph, device)) == digest_on_one_thread(call, dtype)
    assert digest(call(graph.to_csr(), device)) == digest_on_one_thread(call, dtype)
    graph.clear()  # without derived data, as that of a matrix
    assert digest(call(graph, device)) == digest_on_one_thread(call, dtype)


@pytest.mark.parametrize("dim", [2, 3, 12])
def test_same_bits_of_points(dim, device):
    points = np.random.default_rng(dim).random((5000, dim))

    def call(points, device):
        model = wg.cluster.MSTClustering(device=device).fit(points)
        return model.labels_, model.linkage_, model.mst_.edges, model.mst_.weights

    assert_same_bits(call(points, device), on_one_thread(call, points))


@every_call
def test_input_is_only_read(call, device):
    graph = graphs.SAMPLES["medium_power_law"].copy()
    arrays = (graph.indptr, graph.indices, graph.data)
    before = [array.copy() for array in arrays]
    for array in arrays:
        array.flags.writeable = False
    call(graph, device)
    for array, copy in zip(arrays, before, strict=True):
        assert array.tobytes() == copy.tobytes()


@every_call
@pytest.mark.parametrize("name", ["grid", "asymmetric_weights"])
def test_a_graph_is_freed_with_its_last_reference(call, name, device):
    """Its device memory must not wait for the garbage collector."""
    graph = wg.Graph(graphs.SAMPLES[name])
    alive = weakref.ref(graph)
    gc.disable()
    try:
        call(graph, device)
        del graph
        assert alive() is None
    finally:
        gc.enable()


@every_call
@pytest.mark.parametrize("name", ["csr", "csc", "coo", "lil", "dok", "bsr", "matrix", "dense"])
def test_every_format_gives_the_same(call, name):
    graph = sp.csr_array(graphs.SAMPLES["grid"].toarray())
    other = graph.toarray() if name == "dense" else graph
    other = sp.csr_matrix(graph) if name == "matrix" else other
    other = graph.asformat(name) if name in ("csc", "coo", "lil", "dok", "bsr") else other
    if call.args[0].reads_dense_distances and name == "dense":
        pytest.skip("in dense distances 0 is a distance, not a missing edge")
    assert_same_bits(call(other, "cpu"), call(graph, "cpu"))


@pytest.mark.parametrize("dtype", graphs.DTYPES)
def test_dtypes(dtype, device):
    graph = larger(dtype)
    distances, predecessors = wg.sssp(graph, 0, return_predecessors=True, device=device)
    assert distances.dtype == (np.float32 if dtype == np.float32 else np.float64)
    assert predecessors.dtype == np.int32
    for requested in graphs.DTYPES:
        if np.dtype(dtype).kind == "i" or np.dtype(requested).kind == "f":
            assert wg.sssp(graph, 0, dtype=requested, device=device).dtype == requested
    hops, tree = wg.bfs(graph, 0, return_predecessors=True, device=device)
    assert hops.dtype == tree.dtype == np.int32
    n_components, labels = wg.connected_components(graph, device=device)
    assert type(n_components) is int
    assert labels.dtype == np.int32
    found = wg.minimum_spanning_forest(graph, device=device)
    assert found.edges.dtype == found.labels.dtype == np.int32
    assert found.weights.dtype == dtype
    assert found.edge_ids.dtype == np.int64
    assert type(found.total_weight) is (float if np.dtype(dtype).kind == "f" else int)


@pytest.mark.parametrize("dtype", graphs.DTYPES)
def test_what_cannot_be_reached(dtype, device):
    islands = graphs.SAMPLES["two_islands"].astype(dtype)
    islands.data[:] = 1
    distance = wg.sssp(islands, 0, dtype=dtype, device=device)[1]
    assert distance == (np.inf if np.dtype(dtype).kind == "f" else np.iinfo(dtype).max)


def public_functions():
    """Return the functions of the package that take a graph, points or sizes, by name."""
    for module in (wg, wg.cluster, wg.generators, wg.io, wg.datasets):
        for name in module.__all__:
            value = getattr(module, name)
            if inspect.isroutine(value):
                yield pytest.param(value, id=f"{module.__name__}.{name}")


@pytest.mark.parametrize("function", list(public_functions()))
def test_options_are_named_and_have_defaults(function):
    parameters = inspect.signature(function).parameters.values()
    for parameter in parameters:
        if parameter.kind is parameter.KEYWORD_ONLY and parameter.name != "n_vertices":
            assert parameter.default is not parameter.empty
        if parameter.name in ("device", "directed", "method", "progress", "memory_limit", "out"):
            assert parameter.kind is parameter.KEYWORD_ONLY
        if parameter.name == "device":
            assert parameter.default == "auto"


@pytest.mark.parametrize("function", list(public_functions()))
def test_functions_say_what_they_take_and_return(function):
    documentation = inspect.getdoc(function)
    parameters = inspect.signature(function).parameters
    assert documentation.splitlines()[0].endswith((".", "?"))
    for parameter in parameters:
        assert parameter in documentation
    if len(parameters) > 1:
        assert "Parameters\n----------" in documentation


#: `extend_forest` of `calls` takes weights of float64.
_STREETS = wg.generators.grid(14, 14, seed=1, weights=(1, 1000)).to_csr().astype(np.float64)
_MADE = {
    "graph": lambda: _STREETS,
    "points": lambda: np.random.default_rng(1).random((500, 2)),
    "forest": lambda: wg.minimum_spanning_forest(_STREETS),
}


@pytest.mark.parametrize(
    ("call", "options"),
    [
        pytest.param(call, options, id=name)
        for kind in ("variants", "methods", "methods_on_gpus")
        for takes in _MADE
        for name, call, options in calls.expanded(kind, "progress", takes=takes)
    ],
)
def test_progress_rises_to_the_total(call, options, device):
    reports = []
    given = _MADE[call.takes]()
    how = {**options, "progress": lambda *report: reports.append(report)}
    try:
        calls.run_on(device if "device" in call.parameters else "cpu", call, given, how)
    except ValueError as error:
        if "does not run on" not in str(error):
            raise
        pytest.skip(str(error))
    assert reports
    done, totals = zip(*reports, strict=True)
    assert len(set(totals)) == 1
    assert list(done) == sorted(done)
    assert done[-1] == totals[-1]
