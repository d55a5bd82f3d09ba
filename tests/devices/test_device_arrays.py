"""out= on a CUDA device: results stay there."""

import numpy as np
import pytest

import checks
import oracles
import warpgraph as wg
from graphs import SAMPLES, csr, random_csr
from sssp_support import DTYPES, SQUARE, assert_same
from warpgraph import _core

over_gpus = pytest.mark.parametrize("gpu", wg.devices()[1:2])


class Shown:
    """An object that claims to be an array on a device."""

    def __init__(self, **interface):
        whole = {"shape": (4,), "typestr": "<f8", "data": (0, False), "version": 3}
        self.__cuda_array_interface__ = whole | interface


@over_gpus
@pytest.mark.parametrize("method", ["auto", "near_far", "bellman_ford"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_distances_stay_on_the_device(method, dtype, gpu):
    graph = wg.Graph(SAMPLES["medium_random"])
    options = {"dtype": dtype, "method": method, "return_predecessors": True}
    expected = wg.sssp(graph, 3, device="cuda", **options)
    out = _core.device_array(graph.n_vertices, np.dtype(dtype), gpu)
    for device in ("auto", gpu):
        distances, tree = wg.sssp(graph, 3, out=out, device=device, **options)
        assert distances is out
        assert_same(out.to_numpy(), expected[0])
        assert_same(tree, expected[1])


@over_gpus
def test_targets_are_gathered_on_the_device(gpu):
    graph = wg.Graph(SAMPLES["medium_random"])
    everywhere = wg.sssp(graph, 3, device="cpu")
    for targets in ([9, 0, 1400, 9], [3], []):
        out = _core.device_array(len(targets), np.dtype(np.float64), gpu)
        assert wg.sssp(graph, 3, targets=targets, out=out) is out
        assert_same(out.to_numpy(), everywhere[targets])


@over_gpus
@pytest.mark.parametrize("sample", ["medium_random", "medium_power_law"])
def test_hops_of_targets_are_gathered_on_the_device(sample, gpu):
    graph = wg.Graph(SAMPLES[sample])
    for targets in ([9, 0, 1400, 9], [3], []):
        expected = wg.bfs(graph, 3, targets=targets, return_predecessors=True, device="cpu")
        out = _core.device_array(len(targets), np.dtype(np.int32), gpu)
        hops, tree = wg.bfs(graph, 3, targets=targets, out=out, return_predecessors=True)
        assert hops is out
        assert_same(out.to_numpy(), expected[0])
        assert_same(tree, expected[1])


@over_gpus
@pytest.mark.parametrize("sample", ["medium_random", "medium_power_law"])
def test_hops_stay_on_the_device(sample, gpu):
    graph = wg.Graph(SAMPLES[sample])
    expected = wg.bfs(graph, 3, device="cpu", return_predecessors=True)
    for device in ("auto", gpu):
        out = _core.device_array(graph.n_vertices, np.dtype(np.int32), gpu)
        hops, tree = wg.bfs(graph, 3, out=out, device=device, return_predecessors=True)
        assert hops is out
        assert_same(out.to_numpy(), expected[0])
        assert_same(tree, expected[1])


@over_gpus
@pytest.mark.parametrize("connection", ["weak", "strong"])
@pytest.mark.parametrize(
    "sample", ["medium_random", "medium_power_law", "many_islands", "wide_indptr"]
)
def test_labels_stay_on_the_device(sample, connection, gpu):
    graph = wg.Graph(SAMPLES[sample])
    for directed in (True, False):
        options = {"connection": connection, "directed": directed}
        expected = wg.connected_components(graph, device="cpu", **options)
        for device in ("auto", gpu):
            out = _core.device_array(graph.n_vertices, np.dtype(np.int32), gpu)
            found = wg.connected_components(graph, out=out, device=device, **options)
            assert found == (expected[0], out)
            assert_same(out.to_numpy(), expected[1])


@over_gpus
@pytest.mark.parametrize("connection", ["weak", "strong"])
def test_labels_of_no_vertices_on_the_device(connection, gpu):
    out = _core.device_array(0, np.dtype(np.int32), gpu)
    assert wg.connected_components(csr(0, []), connection=connection, out=out) == (0, out)


@pytest.mark.parametrize("connection", ["weak", "strong"])
def test_components_are_found_where_the_array_lies(connection):
    out = Shown(typestr="<i4")
    with checks.raises_sentence(ValueError, "out", "cuda:0", "cpu"):
        wg.connected_components(csr(4, SQUARE), connection=connection, out=out, device="cpu")
    with checks.raises_sentence(ValueError, "out", "float64", "int32"):
        wg.connected_components(csr(4, SQUARE), connection=connection, out=Shown())


@over_gpus
def test_overflow_is_reported_from_the_device(gpu):
    graph = csr(3, [(0, 1, 2**30), (1, 2, 2**30)], np.int32)
    out = _core.device_array(3, np.dtype(np.int32), gpu)
    with checks.raises_sentence(OverflowError, "(1, 2)"):
        wg.sssp(graph, 0, dtype="int32", out=out)


@pytest.mark.parametrize(
    ("interface", "parts"),
    [
        ({"shape": (3,)}, ("(3,)", "(4,)")),
        ({"shape": (4, 1)}, ("(4, 1)", "(4,)")),
        ({"typestr": "<f4"}, ("float32", "float64")),
        ({"data": (0, True)}, ("writable",)),
        ({"strides": (16,)}, ("C-contiguous",)),
        ({"mask": object()}, ("mask",)),
    ],
)
def test_arrays_that_do_not_fit(interface, parts):
    with checks.raises_sentence(ValueError, "out", *parts):
        wg.sssp(csr(4, SQUARE), 0, out=Shown(**interface))


def test_the_work_must_be_done_where_the_array_lies():
    with checks.raises_sentence(ValueError, "out", "cuda:0", "cpu"):
        wg.sssp(csr(4, SQUARE), 0, out=Shown(), device="cpu")


@over_gpus
def test_host_memory_is_no_device_array(gpu):
    host = np.empty(4)
    with checks.raises_sentence(ValueError, "cpu", "cuda:0"):
        wg.sssp(csr(4, SQUARE), 0, out=Shown(data=(host.ctypes.data, False)), device=gpu)


@over_gpus
def test_strides_in_order_are_no_strides(gpu):
    out = _core.device_array(4, np.dtype(np.float64), gpu)
    same = Shown(**out.__cuda_array_interface__, strides=(8,))
    assert wg.sssp(csr(4, SQUARE), 0, out=same) is same
    assert out.to_numpy().tolist() == [0, 1, 3, 4.5]


# Rows of many sources.

M2M_METHODS = ["dijkstra", "batched", "hierarchy"]


def filled(shape, dtype, gpu, value):
    """Return an array on a device, and its contents on the host."""
    array = _core.device_array(shape, np.dtype(dtype), gpu)
    graph = wg.Graph(csr(shape[1], [(0, v, value) for v in range(1, shape[1])]))
    wg.many_to_many(graph, [0] * shape[0], out=array, method="dijkstra", dtype=dtype)
    return array, array.to_numpy()


def part_of(array, rows, columns):
    """Return a matrix within a matrix."""
    interface = dict(array.__cuda_array_interface__)
    item = np.dtype(interface["typestr"]).itemsize
    step = item * interface["shape"][1]
    address = interface["data"][0] + rows.start * step + columns.start * item
    interface["shape"] = (rows.stop - rows.start, columns.stop - columns.start)
    return Shown(**interface | {"data": (address, False), "strides": (step, item)})


@over_gpus
@pytest.mark.parametrize("method", M2M_METHODS)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("trees", [False, True])
def test_rows_stay_on_the_device(method, dtype, trees, gpu):
    """More sources than a batch has; rows keep the order of the sources."""
    graph = wg.Graph(SAMPLES["grid"])
    sources = np.random.default_rng(1).integers(0, graph.n_vertices, 101)
    options = {"dtype": dtype, "return_predecessors": trees}
    for targets in (None, [5, 0, 40, 5], [7]):
        expected = wg.many_to_many(graph, sources, targets, device="cpu", **options)
        shape = (len(sources), graph.n_vertices if targets is None else len(targets))
        out = _core.device_array(shape, np.dtype(dtype), gpu)
        device = "auto" if targets is None else gpu
        found = wg.many_to_many(
            graph, sources, targets, method=method, out=out, device=device, **options
        )
        if trees:
            assert_same(found[1], expected[1])
            found, expected = found[0], expected[0]
        assert found is out
        assert_same(out.to_numpy(), expected)


@over_gpus
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("k", [5, 101])
def test_hops_from_many_stay_on_the_device(k, dtype, gpu):
    graph = wg.generators.rmat(7, 16, seed=2)
    sources = np.random.default_rng(k).integers(0, graph.n_vertices, k)
    how = {"dtype": dtype, "unweighted": True}
    for targets in (None, np.arange(0, graph.n_vertices, 9)):
        expected = wg.many_to_many(graph, sources, targets, device="cpu", **how)
        whole = _core.device_array((k, expected.shape[1] + 5), np.dtype(dtype), gpu)
        part = part_of(whole, slice(0, k), slice(3, 3 + expected.shape[1]))
        assert wg.many_to_many(graph, sources, targets, out=part, **how) is part
        assert_same(whole.to_numpy()[:, 3:-2], expected)


@over_gpus
@pytest.mark.parametrize("method", M2M_METHODS)
def test_rows_on_the_device_may_lie_apart(method, gpu):
    graph = wg.Graph(SAMPLES["grid"])
    n, sources = graph.n_vertices, np.arange(40)
    whole, before = filled((45, n + 9), np.float64, gpu, 1.0)
    rows, columns = slice(2, 42), slice(4, 4 + n)
    part = part_of(whole, rows, columns)
    for targets, width in ((None, n), ([3, 1], 2)):
        place = slice(4, 4 + width)
        part = part_of(whole, rows, place)
        assert wg.many_to_many(graph, sources, targets, out=part, method=method) is part
        after = whole.to_numpy()
        expected = wg.many_to_many(graph, sources, targets, device="cpu")
        np.testing.assert_array_equal(after[rows, place], expected)
        before[rows, place] = expected
        np.testing.assert_array_equal(after, before)


@over_gpus
@pytest.mark.parametrize("method", M2M_METHODS)
def test_little_memory_beside_rows_on_the_device(method, gpu):
    graph = wg.Graph(SAMPLES["medium_random"] if method != "hierarchy" else SAMPLES["grid"])
    sources = np.arange(33)
    # A hierarchy is kept on the graph; the memory to build it grows with the number of threads.
    wg.many_to_many(graph, sources[:1], method=method, device=gpu)
    out = _core.device_array((33, graph.n_vertices), np.dtype(np.float64), gpu)
    less = 400_000 if method == "dijkstra" else 1_300_000
    wg.many_to_many(graph, sources, out=out, method=method, memory_limit=less)
    expected = wg.many_to_many(graph, sources, device="cpu")
    assert_same(out.to_numpy(), expected)


@over_gpus
@pytest.mark.parametrize("method", M2M_METHODS)
def test_overflow_of_rows_on_the_device_is_reported(method, gpu):
    big = 2**30
    graph = csr(4, [(0, 1, big), (1, 2, big), (2, 3, big)], np.int32)
    out = _core.device_array((2, 4), np.dtype(np.int32), gpu)
    with checks.raises_sentence(OverflowError, "dtype"):
        wg.many_to_many(graph, [1, 0], dtype="int32", out=out, method=method)
    wg.many_to_many(graph, [3, 2], dtype="int32", out=out, method=method)
    far = 2**31 - 1
    assert out.to_numpy().tolist() == [[far, far, far, 0], [far, far, 0, big]]


@over_gpus
def test_no_rows_or_no_columns(gpu):
    graph = csr(4, SQUARE)
    for sources, targets, shape in (([], None, (0, 4)), ([0, 1], [], (2, 0))):
        out = _core.device_array(shape, np.dtype(np.float64), gpu)
        assert wg.many_to_many(graph, sources, targets, out=out) is out


@pytest.mark.parametrize(
    ("interface", "parts"),
    [
        ({"shape": (8,)}, ("(8,)", "(2, 4)")),
        ({"shape": (4, 2)}, ("(4, 2)", "(2, 4)")),
        ({"typestr": "<f4"}, ("float32", "float64")),
        ({"data": (0, True)}, ("writable",)),
        ({"strides": (64, 16)}, ("contiguous rows",)),
        ({"strides": (16, 8)}, ("contiguous rows",)),
        ({"strides": (36, 8)}, ("contiguous rows",)),
        ({"mask": object()}, ("mask",)),
    ],
)
def test_matrices_that_do_not_fit(interface, parts):
    with checks.raises_sentence(ValueError, "out", *parts):
        wg.many_to_many(csr(4, SQUARE), [0, 1], out=Shown(**{"shape": (2, 4)} | interface))


def test_many_searches_must_run_where_the_array_lies():
    out = Shown(shape=(2, 4))
    with checks.raises_sentence(ValueError, "out", "cuda:0", "cpu"):
        wg.many_to_many(csr(4, SQUARE), [0, 1], out=out, device="cpu")


@pytest.mark.skipif(len(wg.devices()) > 1, reason="there is a GPU")
def test_no_device_no_array():
    with pytest.raises(wg.DeviceError):
        _core.device_array(4, np.dtype(np.float64), "cuda")
    with pytest.raises(wg.DeviceError):
        wg.sssp(csr(4, SQUARE), 0, out=Shown(data=(8, False)))
    with pytest.raises(wg.DeviceError):
        wg.many_to_many(csr(4, SQUARE), [0], out=Shown(shape=(1, 4), data=(8, False)))


# Forests.


def ids_in(out, count):
    """Return the edge ids of a forest on a device."""
    return out.to_numpy()[:count].tolist()


@over_gpus
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("maximum", [False, True])
@pytest.mark.parametrize(
    "name",
    ["medium_power_law", "grid", "parallel_edges", "lower_triangle_only", "asymmetric_weights"],
)
def test_edge_ids_stay_on_the_device(name, dtype, maximum, gpu):
    graph = wg.Graph(SAMPLES[name].astype(dtype))
    expected = wg.minimum_spanning_forest(graph, maximum=maximum, device="cpu")
    out = _core.device_array(graph.n_vertices, np.dtype(np.int64), gpu)
    # The last call reuses the rows that the former one has prepared.
    for device, method in (
        ("auto", "filter"),
        (gpu, "auto"),
        (gpu, "boruvka"),
        (gpu, "auto"),
    ):
        count = wg.minimum_spanning_forest(
            graph, maximum=maximum, method=method, out=out, device=device
        )
        ids = np.array(ids_in(out, count))
        assert sorted(ids) == sorted(expected.edge_ids)
        tails = graph.to_edges()[0][ids]
        smaller = np.minimum(tails, graph.indices[ids])
        assert ids.tolist() == ids[np.lexsort((ids, tails != smaller, smaller))].tolist()


@over_gpus
def test_a_forest_needs_no_longer_array(gpu):
    graph = csr(4, SQUARE)
    out = _core.device_array(3, np.dtype(np.int64), gpu)
    count = wg.minimum_spanning_forest(graph, out=out)
    assert sorted(ids_in(out, count)) == sorted(wg.minimum_spanning_forest(graph).edge_ids)
    empty = _core.device_array(0, np.dtype(np.int64), gpu)
    for n in (0, 1):
        assert wg.minimum_spanning_forest(csr(n, []), out=empty) == 0


@pytest.mark.parametrize(
    ("interface", "parts"),
    [
        ({"shape": (2,), "typestr": "<i8"}, ("at least 3 items", "(2,)")),
        ({"shape": (4, 1), "typestr": "<i8"}, ("one dimension", "(4, 1)")),
        ({"typestr": "<i4"}, ("int64", "int32")),
    ],
)
def test_edge_ids_that_do_not_fit(interface, parts):
    with checks.raises_sentence(ValueError, "out", *parts):
        wg.minimum_spanning_forest(csr(4, SQUARE), out=Shown(**interface))


def test_edge_ids_on_unsupported_arrays_are_refused():
    with checks.raises_sentence(TypeError, "out", "CUDA device", "ndarray"):
        wg.minimum_spanning_forest(csr(4, SQUARE), out=np.empty(4, np.int64))
    with checks.raises_sentence(ValueError, "out", "cuda:0", "cpu"):
        shown = Shown(typestr="<i8")
        wg.minimum_spanning_forest(csr(4, SQUARE), out=shown, device="cpu")


@pytest.mark.parametrize("gpu", wg.devices()[1:][-1:])
@pytest.mark.parametrize("limit", [None, 80_000])
def test_all_gpus_are_the_one_of_out(limit, gpu):
    """Results of several GPUs come to the host, so an array on a GPU has those of one."""
    graph = random_csr(150, 0.1, seed=1)
    options = {"memory_limit": limit, "device": "cuda:all"}
    out = _core.device_array(150, np.dtype(np.float64), gpu)
    assert_same(wg.sssp(graph, 3, out=out, **options).to_numpy(), oracles.distances(graph, 3))
    ids = _core.device_array(149, np.dtype(np.int64), gpu)
    n = wg.minimum_spanning_forest(graph, out=ids, **options)
    assert sorted(ids.to_numpy()[:n].tolist()) == sorted(oracles.kruskal(graph).tolist())
