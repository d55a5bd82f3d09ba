"""Arrays of other libraries that are taken and given by DLPack."""

import gc
import weakref

import numpy as np
import pytest

import checks
import warpgraph as wg
from dlpack_support import Older, Owner, on_device
from graphs import SAMPLES, csr
from sssp_support import SQUARE, assert_same
from warpgraph import _core

over_gpus = pytest.mark.parametrize("gpu", wg.devices()[1:2])
KINDS = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "?"]


# On the host.


@pytest.mark.parametrize("owner", [Owner, Older])
@pytest.mark.parametrize("kind", KINDS)
def test_arrays_are_taken_in_place_and_given_back_once(kind, owner):
    values = np.arange(12).reshape(3, 4).astype(kind)
    given = owner(values)
    taken = _core.take_array(given)
    np.testing.assert_array_equal(taken, values, strict=True)
    assert np.shares_memory(taken, values)
    assert (given.taken, given.freed) == (1, 0)
    part = taken[1:]
    del taken
    gc.collect()
    assert given.freed == 0
    del part
    gc.collect()
    assert (given.taken, given.freed) == (1, 1)


def test_views_and_offsets():
    whole = np.arange(24.0).reshape(4, 6)
    for values in (whole.T, whole[::2, 1::3], whole[::-1], whole[:0], np.array(3.0)):
        np.testing.assert_array_equal(_core.take_array(Owner(values)), values, strict=True)
    np.testing.assert_array_equal(
        _core.take_array(Owner(whole[:2], byte_offset=96)), whole[2:], strict=True
    )
    np.testing.assert_array_equal(_core.take_array(Owner(whole, strides=None)), whole)


def test_arrays_that_may_not_be_written_to():
    """Before version 1 of the protocol, nobody says so."""
    values = np.zeros(4)
    assert _core.take_array(Owner(values)).flags.writeable
    assert not _core.take_array(Owner(values, read_only=True)).flags.writeable
    assert not _core.take_array(Older(values)).flags.writeable
    for given in (Owner(values, read_only=True), Older(values)):
        with checks.raises_sentence(ValueError, "out", "writable"):
            wg.sssp(csr(4, SQUARE), 0, out=given)
        gc.collect()
        assert given.taken == given.freed == 1


@pytest.mark.parametrize("versioned", [False, True])
@pytest.mark.parametrize(
    ("fields", "parts"),
    [
        ({"code": 4, "bits": 16}, ("bfloat16", "float32")),
        ({"code": 5, "bits": 128}, ("complex128",)),
        ({"lanes": 2}, ("vectors of 2 items",)),
        ({"bits": 4}, ("4 bits",)),
        ({"code": 2, "bits": 8}, ("8 bits",)),
        ({"code": 2, "bits": 128}, ("128 bits",)),
        ({"code": 0, "bits": 24}, ("24 bits",)),
        ({"code": 3}, ("type code 3",)),
    ],
)
def test_other_items_are_refused_and_given_back(fields, parts, versioned):
    given = Owner(np.zeros(4), versioned=versioned, **fields)
    with checks.raises_sentence(TypeError, *parts):
        _core.take_array(given)
    gc.collect()
    assert given.taken == given.freed == 1


def test_later_versions_are_refused_and_given_back():
    given = Owner(np.zeros(4), major=2)
    with checks.raises_sentence(BufferError, "version 2 of DLPack"):
        _core.take_array(given)
    assert given.taken == given.freed == 1


def test_other_devices_are_refused():
    with checks.raises_sentence(TypeError, "host", "CUDA", "type 10"):
        _core.take_array(Owner(np.zeros(4), device=10))


def test_errors_of_an_owner_reach_the_caller():
    class Failing(Owner):
        def __dlpack__(self, **options):
            raise BufferError("detach it first")

    with pytest.raises(BufferError, match="detach it first"):
        wg.cluster.euclidean_mst(Failing(np.zeros((3, 2))))


def test_capsules_of_others_are_refused():
    class Wrong(Owner):
        def __dlpack__(self, **options):
            return np.zeros(3)

    with pytest.raises(ValueError, match="PyCapsule"):
        _core.take_array(Wrong(np.zeros(3)))


@pytest.mark.skipif(len(wg.devices()) > 1, reason="there is a GPU")
def test_no_device_no_array_there():
    given = Owner(np.zeros((4, 2)), device=2)
    for call in (wg.cluster.euclidean_mst, wg.cluster.single_linkage, wg.cluster.KMeans(2).fit):
        with pytest.raises(wg.DeviceError):
            call(given)
    assert given.taken == given.freed


def test_points_weights_and_edges():
    points = np.random.default_rng(0).random((50, 3))
    expected = wg.cluster.euclidean_mst(points)
    given = Owner(points)
    assert_same(wg.cluster.euclidean_mst(given).weights, expected.weights)
    gc.collect()
    assert given.taken == given.freed > 0

    graph = wg.Graph(SAMPLES["medium_random"])
    row, col = graph.to_edges()[:2]
    weights = np.random.default_rng(0).random(graph.n_edges)
    expected = wg.sssp(graph.with_weights(weights), 3)
    assert_same(wg.sssp(graph.with_weights(Owner(weights)), 3), expected)
    arrays = map(Owner, (graph.indptr.copy(), graph.indices.copy(), weights))
    assert_same(wg.sssp(wg.Graph.from_csr(*arrays), 3), expected)
    edges = wg.Graph.from_edges(Owner(row), Owner(col), Owner(weights))
    assert_same(wg.sssp(edges, 3), expected)
    dense = np.array([[0, 2.0], [0, 0]])
    assert wg.sssp(Owner(dense), 0).tolist() == [0, 2]


def test_graphs_own_what_others_can_write_to():
    weights = np.array([1.0, 2.0])
    graph = wg.Graph.from_csr(np.array([0, 1, 2, 2]), np.array([1, 2]), Owner(weights))
    weights[:] = 7
    assert wg.sssp(graph, 0).tolist() == [0, 1, 3]


def test_results_are_written_in_place():
    graph = csr(4, SQUARE)
    values = np.empty(4)
    given = Owner(values)
    assert wg.sssp(graph, 0, out=given) is given
    assert values.tolist() == [0, 1, 3, 4.5]
    distances, tree = wg.sssp(graph, 0, out=given, return_predecessors=True)
    assert distances is given
    assert tree.tolist() == wg.sssp(graph, 0, return_predecessors=True)[1].tolist()
    hops = Owner(np.empty(4, np.int32))
    assert wg.bfs(graph, 0, out=hops) is hops
    labels = Owner(np.empty(4, np.int32))
    assert wg.connected_components(graph, out=labels) == (1, labels)
    scores = Owner(np.empty(4))
    assert wg.pagerank(graph, out=scores) is scores
    rows = Owner(np.empty((2, 4)))
    assert wg.many_to_many(graph, [0, 1], out=rows) is rows
    whole = Owner(np.empty((4, 4)))
    assert wg.apsp(graph, out=whole) is whole
    pair = Owner(np.empty((3, 2), np.int32)), Owner(np.empty(3))
    points = np.array([[0.0], [1], [3], [7]])
    assert wg.cluster.euclidean_mst(points, out=pair) is pair
    assert pair[1].array.tolist() == [1, 2, 4]
    linkage = Owner(np.empty((3, 4)))
    assert wg.cluster.single_linkage(points, out=linkage) is linkage
    labels, chances = Owner(np.empty(4, np.int32)), Owner(np.empty(4))
    found = wg.cluster.HDBSCAN(min_cluster_size=2).fit(points, out=(labels, chances))
    assert labels.array.tolist() == found.labels_.tolist()
    del found
    gc.collect()
    assert all(one.taken == one.freed > 0 for one in (given, hops, rows, *pair, labels, chances))


def test_arrays_of_jax_are_no_place_for_results():
    array = type("ArrayImpl", (Owner,), {"__module__": "jaxlib._jax"})(np.empty(4))
    with checks.raises_sentence(TypeError, "out", "JAX"):
        wg.sssp(csr(4, SQUARE), 0, out=array)


class Tensor:
    """A sparse matrix with the names that PyTorch has."""

    layout, shape = "torch.sparse_csr", (4, 4)

    def __init__(self, matrix):
        arrays = map(Owner, (matrix.indptr, matrix.indices, matrix.data))
        self.crow_indices, self.col_indices, self.values = map(lambda a: lambda: a, arrays)


class Rows:
    """A sparse matrix with the names that JAX has."""

    def __init__(self, matrix):
        self.shape = matrix.shape
        self.indptr, self.indices, self.data = map(
            Owner, (matrix.indptr, matrix.indices, matrix.data)
        )


@pytest.mark.parametrize(
    ("kind", "module"), [(Tensor, "torch"), (Rows, "jax.experimental.sparse.bcsr")]
)
def test_sparse_matrices_of_other_libraries(kind, module, monkeypatch):
    monkeypatch.setattr(kind, "__module__", module)
    matrix = csr(4, SQUARE)
    expected = wg.sssp(matrix, 0).tolist()
    graph = wg.Graph(kind(matrix))
    assert wg.sssp(kind(matrix), 0).tolist() == expected
    distances = wg.cluster.single_linkage(matrix)
    np.testing.assert_array_equal(wg.cluster.single_linkage(kind(matrix)), distances)
    matrix.data[:] = 7
    assert wg.sssp(graph, 0).tolist() == expected
    monkeypatch.setattr(kind, "shape", (4, 5), raising=False)
    if kind is Tensor:
        with checks.raises_sentence(ValueError, "square", "(4, 5)"):
            wg.Graph(kind(matrix))


@pytest.mark.parametrize(
    ("names", "advice"),
    [({"is_sparse": True}, "to_sparse_csr"), ({"n_batch": 0, "todense": None}, "BCSR.from_bcoo")],
)
def test_advice_for_other_sparse_matrices(names, advice):
    with checks.raises_sentence(TypeError, advice):
        wg.Graph(type("Sparse", (), names)())


# On a device.


@over_gpus
def test_arrays_on_a_device_are_taken_in_place(gpu):
    values = np.arange(12.0).reshape(3, 4)
    given = on_device(values, gpu, _core)
    taken = _core.take_array(given)
    assert taken.__cuda_array_interface__ == given.array.__cuda_array_interface__
    assert (taken.shape, taken.dtype, taken.device) == ((3, 4), values.dtype, gpu)
    assert (len(taken), taken.nbytes) == (3, 96)
    assert repr(taken) == f"<array on {gpu}, shape (3, 4), dtype float64>"
    assert given.streams != [None]
    np.testing.assert_array_equal(np.asarray(taken), values)
    np.testing.assert_array_equal(np.asarray(taken, np.float32), values)
    with checks.raises_sentence(ValueError, "copy"):
        np.asarray(taken, copy=False)


class Capsule:
    """The owner of one capsule."""

    def __init__(self, capsule, device):
        self.capsule, self.device = capsule, device

    def __dlpack__(self, **options):
        return self.capsule

    def __dlpack_device__(self):
        return self.device


@over_gpus
@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_of_items_comes_back(kind, gpu):
    values = np.arange(5).astype(kind)
    for version in (None, (0, 8), (1, 0), (2, 0)):
        array = on_device(values, gpu, _core).array
        capsule = array.__dlpack__(max_version=version)
        assert ("versioned" in repr(capsule)) == (version is not None and version[0] > 0)
        given = Capsule(capsule, array.__dlpack_device__())
        taken = _core.take_array(given)
        del array, given, capsule
        gc.collect()
        np.testing.assert_array_equal(taken.to_numpy(), values, strict=True)


@over_gpus
def test_what_an_array_cannot_give(gpu):
    array = _core.device_array(3, np.dtype("f4"), gpu)
    assert array.__dlpack_device__() == (2, int(gpu[5:]))
    for options in ({"copy": True}, {"dl_device": (1, 0)}):
        with checks.raises_sentence(BufferError, "in place"):
            array.__dlpack__(**options)
    array.__dlpack__(copy=False, dl_device=array.__dlpack_device__(), stream=1)


@over_gpus
def test_an_owner_is_held_as_long_as_its_memory(gpu):
    given = on_device(np.arange(3.0), gpu, _core)
    end = weakref.ref(given)
    taken = _core.take_array(given)
    del given
    gc.collect()
    assert end() is None
    assert taken.to_numpy().tolist() == [0, 1, 2]


@over_gpus
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_points_on_a_device(dtype, gpu):
    points = np.random.default_rng(0).random((300, 3)).astype(dtype)
    there = on_device(points, gpu, _core)
    expected = wg.cluster.euclidean_mst(points)
    assert_same(wg.cluster.euclidean_mst(there).weights, expected.weights)
    linkage = wg.cluster.single_linkage(points)
    assert_same(wg.cluster.single_linkage(there), linkage)
    labels = wg.cluster.HDBSCAN().fit(points).labels_
    np.testing.assert_array_equal(wg.cluster.HDBSCAN().fit(there).labels_, labels)
    wg.cluster.KMeans(3).fit(there)
    assert all(there.streams)
    with checks.raises_sentence(ValueError, "device", "cpu"):
        wg.cluster.euclidean_mst(there, device="cpu")


@over_gpus
def test_results_on_a_device(gpu):
    graph = wg.Graph(SAMPLES["medium_random"])
    given = on_device(np.zeros(graph.n_vertices), gpu, _core)
    distances, tree = wg.sssp(graph, 3, out=given, return_predecessors=True)
    expected = wg.sssp(graph, 3, return_predecessors=True)
    assert distances is given
    assert_same(given.array.to_numpy(), expected[0])
    assert_same(tree, expected[1])
    rows = on_device(np.zeros((2, graph.n_vertices)), gpu, _core)
    assert wg.many_to_many(graph, [3, 5], out=rows) is rows
    assert_same(rows.array.to_numpy()[0], expected[0])
    labels = on_device(np.zeros(graph.n_vertices, np.int32), gpu, _core)
    n, found = wg.connected_components(graph, out=labels)
    assert found is labels
    assert n == wg.connected_components(graph)[0]
    points = np.random.default_rng(0).random((40, 2))
    pair = on_device(np.zeros((39, 2), np.int32), gpu, _core), on_device(np.zeros(39), gpu, _core)
    assert wg.cluster.euclidean_mst(points, out=pair) is pair
    linkage = on_device(np.zeros((39, 4)), gpu, _core)
    assert wg.cluster.single_linkage(pair, out=linkage) is linkage
    assert_same(linkage.array.to_numpy(), wg.cluster.single_linkage(points))
    ids = on_device(np.zeros(graph.n_vertices, np.int64), gpu, _core)
    assert wg.minimum_spanning_forest(graph, out=ids) == len(
        wg.minimum_spanning_forest(graph).edges
    )


@over_gpus
def test_graphs_and_weights_from_a_device(gpu):
    matrix = SAMPLES["medium_random"]
    expected = wg.sssp(matrix, 3)
    arrays = [on_device(part, gpu, _core) for part in (matrix.indptr, matrix.indices, matrix.data)]
    graph = wg.Graph.from_csr(*arrays)
    assert_same(wg.sssp(graph, 3), expected)
    doubled = graph.with_weights(on_device(2 * matrix.data, gpu, _core))
    assert_same(wg.sssp(doubled, 3), 2 * expected)
    assert_same(
        wg.sssp(graph, 3, targets=on_device(np.array([5, 7]), gpu, _core)), expected[[5, 7]]
    )


@over_gpus
def test_strided_arrays_are_refused_by_their_strides(gpu):
    whole = on_device(np.zeros((6, 4)), gpu, _core).array

    class Columns:
        __cuda_array_interface__ = whole.__cuda_array_interface__ | {
            "shape": (4, 6),
            "strides": (8, 32),
        }

    with checks.raises_sentence(ValueError, "C-contiguous", "(4, 6)", "(8, 32)"):
        wg.cluster.euclidean_mst(Columns())
    Columns.__cuda_array_interface__ |= {"shape": (6,), "strides": (32,)}
    with checks.raises_sentence(ValueError, "weights", "C-contiguous", "(32,)"):
        wg.Graph(csr(4, SQUARE)).with_weights(Columns())


class Strings:
    """An array of strings as pyarrow has it: DLPack cannot describe its items."""

    def __init__(self, items):
        self.items = items

    def __len__(self):
        return len(self.items)

    def __array__(self, dtype=None, copy=None):
        return np.array(self.items, object)

    def __dlpack__(self, **options):
        raise TypeError("DataType is not compatible with DLPack spec: string")

    def __dlpack_device__(self):
        raise TypeError("DataType is not compatible with DLPack spec: string")


def test_arrays_that_dlpack_cannot_describe_are_read_otherwise():
    graph = wg.Graph.from_edges(Strings(["a", "b"]), Strings(["b", "c"]), [1.0, 2.0])
    assert graph.names.tolist() == ["a", "b", "c"]
    lengths = wg.sssp(graph, "a", targets=["c"])
    assert lengths.tolist() == [3]
