"""Arguments of every kind: valid and invalid vertices, numbers and flags."""

import decimal
import fractions

import networkx as nx
import numpy as np
import pytest

import calls
import warpgraph as wg
from calls import triangle
from checks import raises_sentence
from test_errors import from_a_source_within_a_limit

# Vertices.


@pytest.mark.parametrize(
    ("targets", "error", "parts"),
    [
        ([0.5], TypeError, ["integers", "float64"]),
        ([True, False, True], TypeError, ["integers", "bool", "flatnonzero"]),
        (["Rome"], TypeError, ["integers", "no names"]),
        ("Rome", TypeError, ["integers", "no names"]),
        ([None], TypeError, ["integers", "object"]),
        ([[0, 1]], ValueError, ["list of vertices", "(1, 2)"]),
        ([[0], [1, 2]], ValueError, ["targets", "[[0], [1, 2]]"]),
        ({0, 1}, TypeError, ["a set"]),
        ({0: 1}, TypeError, ["a dict"]),
        (iter([0]), TypeError, ["a list_iterator"]),
        (np.ma.array([0, 1], mask=[False, True]), ValueError, ["targets[1]", "masked"]),
        (np.array([0, 2**64 - 1], np.uint64), ValueError, ["targets[1]", 2**64 - 1]),
        (np.array([0], "m8[s]"), TypeError, ["integers", "timedelta64"]),
    ],
)
def test_targets_that_are_no_vertices(targets, error, parts):
    with raises_sentence(error, "targets", *parts):
        wg.sssp(triangle(), 0, targets=targets)
    with raises_sentence(
        error, "sources", *(str(part).replace("target", "source") for part in parts)
    ):
        wg.many_to_many(triangle(), targets)


@pytest.mark.parametrize("dtype", [">i4", ">i8", "i1", "u8", "u2", object])
def test_targets_of_other_dtypes(dtype):
    targets = np.array([2, 0, 2], dtype)
    assert wg.sssp(triangle(), 0, targets=targets).tolist() == [3, 0, 3]
    assert wg.many_to_many(triangle(), targets)[:, 0].tolist() == [3, 0, 3]
    unmasked = np.ma.array([2, 0], mask=False)
    assert wg.many_to_many(triangle(), unmasked)[:, 0].tolist() == [3, 0]
    assert wg.many_to_many(triangle(), 2).tolist() == [[3, 2, 0]]


def test_integers_of_arrays_without_dimensions():
    for make in (np.array, np.ma.array):
        assert wg.sssp(triangle(), make(2)).tolist() == wg.sssp(triangle(), 2).tolist()
        grid = wg.generators.grid(4, 4)
        found = wg.k_shortest_paths(grid, 0, 15, make(2))[0]
        assert found.tolist() == wg.k_shortest_paths(grid, 0, 15, 2)[0].tolist()
    masked = np.ma.array(2, mask=True)
    with raises_sentence(TypeError, "source must be one vertex number", "masked_array(data=--"):
        wg.sssp(triangle(), masked)
    with raises_sentence(TypeError, "k must be an integer", "masked_array(data=--"):
        wg.k_shortest_paths(triangle(), 0, 1, masked)


# Other arrays.


@pytest.mark.parametrize(
    ("arguments", "error", "parts"),
    [
        (({0}, [1]), TypeError, ["row", "a set", "list"]),
        ((iter([0]), [1]), TypeError, ["row", "list_iterator"]),
        ((np.ma.array([0, 1], mask=[0, 1]), [1, 0]), ValueError, ["row[1]", "masked"]),
        (([0, 1], [1, 0], np.ma.array([1.0, 2.0], mask=[1, 0])), ValueError, ["data[0]", "masked"]),
        (([2**64], [0]), ValueError, ["row", 2**64, "int64"]),
        (([[0], [1, 0]], [0]), ValueError, ["row", "different lengths"]),
        (([True], [False]), TypeError, ["row", "bool"]),
        ((np.zeros(1, "m8[s]"), [0]), TypeError, ["row", "timedelta64"]),
        (([0], [1], np.zeros(1, "m8[s]")), TypeError, ["real numbers", "timedelta64"]),
        (([0], [1], ["3"]), TypeError, ["real numbers", "<U1"]),
        ((0, 1), ValueError, ["row", "one dimension", "()"]),
    ],
)
def test_edges_that_are_no_arrays_of_vertices(arguments, error, parts):
    with raises_sentence(error, *parts):
        wg.Graph.from_edges(*arguments, n_vertices=2)


def test_masked_parts_of_csr_arrays():
    for name in ("indptr", "indices", "data"):
        arrays = {"indptr": np.array([0, 1]), "indices": np.array([0]), "data": np.array([1.0])}
        arrays[name] = np.ma.array(arrays[name], mask=True)
        with raises_sentence(ValueError, f"{name}[0]", "masked"):
            wg.Graph.from_csr(**arrays)


def test_rows_of_different_lengths():
    for call in (wg.Graph, wg.cluster.euclidean_mst, wg.cluster.KMeans(1).fit):
        with raises_sentence(ValueError, "different lengths", "[[0, 1], [1]]"):
            call([[0, 1], [1]])


@pytest.mark.parametrize(
    ("points", "parts"),
    [
        ("abc", ["str"]),
        (None, ["NoneType"]),
        ({1, 2}, ["set"]),
        ([["1", "2"], ["3", "4"]], ["<U1"]),
        (np.zeros((3, 2), "M8[s]"), ["datetime64"]),
        (np.zeros((3, 2), "m8[s]"), ["timedelta64"]),
        (np.zeros(3, [("x", "f8")]), ["'x'"]),
        (wg.Graph(np.eye(3)), ["Graph"]),
        (nx.path_graph(4), ["Graph"]),
    ],
)
def test_points_that_are_no_numbers(points, parts):
    for call in (wg.cluster.euclidean_mst, wg.cluster.KMeans(1).fit):
        with raises_sentence(TypeError, "X must be an array of real numbers", *parts):
            call(points)


def test_points_added_to_a_graph():
    model = wg.cluster.MSTClustering(1).fit(wg.Graph(triangle()))
    with raises_sentence(ValueError, "add_points", "graph"):
        model.add_points(np.zeros((2, 2)))


def test_masked_centres():
    centres = np.ma.array([[0.0], [1.0]], mask=[[False], [True]])
    with raises_sentence(ValueError, "init", "masked"):
        wg.cluster.KMeans(2, init=centres).fit([[0.0], [1.0], [3.0]])


@pytest.mark.parametrize(
    ("options", "error", "parts"),
    [
        ({"entries": {0, 1}}, TypeError, ["entries", "a set"]),
        ({"entries": np.ma.array([0, 1], mask=[0, 1])}, ValueError, ["entries[1]", "masked"]),
        ({"entries": np.array([0], "m8[s]")}, TypeError, ["entries", "timedelta64"]),
        ({"rows": {0, 2}}, TypeError, ["rows", "a set"]),
        ({"rows": "ab"}, TypeError, ["rows", "'ab'"]),
    ],
)
def test_parts_of_a_graph(options, error, parts):
    with raises_sentence(error, *parts):
        wg.local_forest(triangle(), **options)


@pytest.mark.parametrize(
    ("arguments", "error", "parts"),
    [
        (({(0, 1)}, [1.0]), TypeError, ["edges", "a set"]),
        (([[0, 1], [2]], [1.0, 2.0]), ValueError, ["edges", "different lengths"]),
        ((np.zeros((1, 2), "m8[s]"), [1.0]), TypeError, ["edges", "timedelta64"]),
        (([[0, 1]], np.ma.array([1.0], mask=True)), ValueError, ["weights[0]", "masked"]),
        (([[0, 1]], [1.0], np.array([2**64 - 1], np.uint64)), ValueError, ["edge_ids", 2**64 - 1]),
    ],
)
def test_forests_of_no_edges(arguments, error, parts):
    with raises_sentence(error, *parts):
        wg.SpanningForest(3, *arguments)


def test_masked_weights_of_new_edges():
    forest = wg.SpanningForest(3, [[0, 1]], [1.0])
    with raises_sentence(ValueError, "weights[0]", "masked"):
        wg.extend_forest(forest, [[1, 2]], np.ma.array([1.0], mask=True))


# Arrays to write to.


@pytest.mark.parametrize(
    ("out", "error", "parts"),
    [
        (np.ma.empty(3), TypeError, ["NumPy array", "MaskedArray"]),
        (np.frombuffer(bytearray(25), np.uint8)[1:].view(float), ValueError, ["aligned"]),
        (np.empty(3, ">f8"), ValueError, ["float64", ">f8"]),
        ([0.0] * 3, TypeError, ["NumPy array", "list"]),
    ],
)
def test_what_cannot_be_written_to(out, error, parts):
    with raises_sentence(error, "out", *parts):
        wg.sssp(triangle(), 0, out=out)


def test_linkage_into_the_weights_it_is_made_of():
    memory = np.ones((3, 4))
    weights = memory.ravel()[:3]
    weights[:] = [1, 2, 3]
    forest = wg.SpanningForest(4, [[0, 1], [1, 2], [2, 3]], weights)
    with raises_sentence(ValueError, "out shares memory", "forest"):
        wg.cluster.single_linkage(forest, out=memory)


# Sizes and devices.


@pytest.mark.parametrize("n", [2**62, 2**40])
def test_more_memory_than_can_be_counted(n):
    with raises_sentence(MemoryError, "generating points", "fewer points"):
        wg.generators.random_points(n, 2**31 - 1)


@pytest.mark.parametrize("device", ["cpu\0", "\udcff", "cuda:²", "cpu\n"])
def test_devices_of_strange_letters(device):
    with raises_sentence(ValueError, "device must be 'auto', 'cpu'", ascii(device)):
        wg.bfs(triangle(), 0, device=device)


@pytest.mark.parametrize("device", ["gpu", "cuda:", "cuda:x", "CPU", "", ["gpu", "cpu"]])
def test_an_unknown_device_is_answered_with_all_that_there_are(device):
    names = ("'auto'", "'cpu'", "'cuda'", "'cuda:<number>'", "'cuda:all'", "['cuda:0', 'cuda:1']")
    given = device if isinstance(device, str) else device[0]
    with raises_sentence(ValueError, "device must be", *names, f"got {given!r}"):
        wg.sssp(triangle(), 0, device=device)


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda n: wg.bfs(triangle(), 0, limit=n), "limit"),
        (lambda n: wg.cluster.KMeans(n).fit([[0.0]]), "n_clusters"),
        (lambda n: wg.cluster.MSTClustering(n).fit([[0.0]]), "n_clusters"),
        (lambda n: wg.cluster.MSTClustering(distance_threshold=n).fit([[0.0]]), "distance_thr"),
        (lambda n: wg.cluster.KMeans(1, tol=n).fit([[0.0]]), "tol"),
        (lambda n: wg.generators.rmat(n), "scale"),
        (lambda n: wg.generators.rmat(3, n), "edge_factor"),
        (lambda n: wg.transform.compress(triangle(), block_bits=n), "block_bits"),
        (wg.set_num_threads, "number of threads"),
    ],
)
def test_numbers_are_no_flags_and_no_text(call, name):
    for value in (True, "1", [1], np.array([1, 2])):
        with raises_sentence(TypeError, name, "number" if name == "tol" else ""):
            call(value)


@pytest.mark.parametrize("method", [None, 3, ["auto"], np.array(["auto", "auto"]), b"auto"])
def test_a_method_that_is_no_text(method):
    with raises_sentence(ValueError, "method must be one of 'auto'"):
        wg.sssp(triangle(), 0, method=method)


# Limits.


@from_a_source_within_a_limit
@pytest.mark.parametrize("limit", ["3", b"3", True, [1], {}, 1j, np.timedelta64(2, "s")])
def test_limit_that_is_no_number(call, limit):
    with raises_sentence(TypeError, "limit", repr(limit)):
        call(triangle(), 0, limit=limit)


def test_a_span_of_time_is_no_memory_limit():
    with raises_sentence(TypeError, "memory_limit must be a positive number of bytes", "timedelta"):
        wg.sssp(triangle(), 0, memory_limit=np.timedelta64(2, "s"))


def test_limits_of_other_kinds():
    for limit in (2, 2.5, np.float32(2), np.int8(2), fractions.Fraction(5, 2), decimal.Decimal(2)):
        assert wg.sssp(triangle(), 0, limit=limit).tolist() == [0, 1, np.inf]


@pytest.mark.parametrize("kind", [fractions.Fraction, decimal.Decimal])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64"])
def test_limits_of_other_kinds_are_compared_exactly(kind, dtype):
    far = wg.sssp(triangle(), 0, dtype=dtype, limit=0).tolist()
    assert wg.sssp(triangle(), 0, dtype=dtype, limit=kind("0.99999999999999999999")).tolist() == far
    assert wg.sssp(triangle(), 0, dtype=dtype, limit=kind(1))[1] == 1
    with raises_sentence(ValueError, "limit must be at least 0", "-1"):
        wg.sssp(triangle(), 0, dtype=dtype, limit=kind("-1e-400"))


# Callers who have set NumPy to raise errors.


def filtered(low):
    return wg.predicate_filter(np.ones(2, np.float32), low=low)


SMALL_WEIGHTS = wg.Graph.from_edges([0, 1], [1, 2], [1e-50, 0.5])


@pytest.mark.parametrize(
    "call",
    [
        lambda: wg.sssp(SMALL_WEIGHTS, 0, dtype="float32"),
        lambda: wg.sssp(triangle(), 0, dtype="float32", limit=1e-42),
        lambda: wg.sssp(triangle(), 0, dtype="float32", limit=1e300),
        lambda: wg.pagerank(triangle(), personalization=[1e-310, 1, 1]),
        lambda: wg.pagerank(triangle(), personalization={0: 1e-310, 1: 3}),
        lambda: filtered(1e-60),
        lambda: filtered(1e60),
        lambda: filtered(fractions.Fraction(1, 10**400)),
    ],
    ids=range(8),
)
def test_floating_point_errors_of_the_caller(call):
    expected = call()
    with np.errstate(all="raise"):
        assert call().tobytes() == expected.tobytes()


# Flags.


NO_FLAGS = ("no", "False", "", None, 2, 0.0, [], [False], np.array([True]), np.array("no"))


@pytest.mark.parametrize(
    ("call", "option"),
    [
        pytest.param(call, option, id=f"{call}, {option}")
        for call in calls.CALLS
        for option in call.flags
    ],
)
def test_flags_are_true_or_false(call, option):
    has_auto = option == "include_self" and call.name.endswith("neighbors_graph")
    allowed = ["True, False or 'auto'"] if has_auto else ["True or False"]
    for value in NO_FLAGS:
        with raises_sentence(TypeError, option, *allowed):
            call.run(calls.small_input(call), **{option: value})
    for value in (True, False, np.True_, np.False_):
        call.run(calls.small_input(call), **{option: value})


def test_the_flag_of_a_file(tmp_path):
    wg.Hierarchy(triangle()).save(tmp_path / "saved.npz")
    for value in NO_FLAGS:
        with raises_sentence(TypeError, "directed", "True or False"):
            wg.Hierarchy.load(tmp_path / "saved.npz", triangle(), directed=value)
    for value in (True, np.True_):  # it was saved as a directed graph
        wg.Hierarchy.load(tmp_path / "saved.npz", triangle(), directed=value)
