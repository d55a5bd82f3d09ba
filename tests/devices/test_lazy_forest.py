"""Forests that a GPU has found: arrays that stay there until they are read."""

import copy
import gc
import math
import os
import pickle
import threading

import numpy as np
import pytest
import scipy.sparse as sp

import checks
import warpgraph as wg
from graphs import DTYPES
from warpgraph import _core

FIELDS = ("edges", "weights", "edge_ids")


@pytest.fixture
def gpu(device):
    """Return a device where results of any size stay."""
    if not str(device).startswith("cuda"):
        pytest.skip("needs a GPU")
    _core.set_smallest_lazy(0)
    yield device
    _core.set_smallest_lazy(1 << 20)


def a_graph(dtype=np.float64, *, both_ways=True):
    """Return a grid in two parts, whose weights are partly equal."""
    grid = wg.generators.grid(9, 11, removed=0.3, seed=4, weights=(1, 20), dtype=dtype).to_csr()
    if not both_ways:
        grid.data[:] = np.arange(grid.nnz) % 17
    return grid


def lazy_fields(forest):
    return {name for name in FIELDS if name not in vars(forest)}


def same(forest, expected):
    assert (forest.edges == expected.edges).all()
    assert (forest.edge_ids == expected.edge_ids).all()
    assert forest.weights.tobytes() == expected.weights.tobytes()
    assert forest.weights.dtype == expected.weights.dtype
    assert forest.edges.dtype == np.int32
    assert forest.edge_ids.dtype == np.int64
    assert (forest.labels == expected.labels).all()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("method", ["filter", "boruvka"])
@pytest.mark.parametrize("maximum", [False, True])
def test_the_same_as_on_cores(dtype, method, maximum, gpu):
    graph = a_graph(dtype)
    expected = wg.minimum_spanning_forest(graph, maximum=maximum, device="cpu")
    found = wg.minimum_spanning_forest(graph, maximum=maximum, method=method, device=gpu)
    assert lazy_fields(found) == set(FIELDS)
    assert (len(found), found.n_trees) == (len(expected), expected.n_trees)
    same(found, expected)
    assert not lazy_fields(found)
    assert repr(found) == repr(expected)
    assert (found.to_csr() != expected.to_csr()).nnz == 0


def test_only_what_is_read_is_copied(gpu):
    graph = a_graph()
    expected = wg.minimum_spanning_forest(graph, device="cpu")
    for name in ("labels", "total_weight", "n_trees", *FIELDS):
        forest = wg.minimum_spanning_forest(graph, device=gpu)
        assert np.array_equal(getattr(forest, name), getattr(expected, name))
        assert lazy_fields(forest) == set(FIELDS) - {name}


@pytest.mark.parametrize("kind", ["any", "sorted", "large", "tiny", "integers"])
def test_the_total_weight_has_the_same_bits(kind, gpu):
    """Sums are rounded once, whatever the order of additions and the exponents."""
    rng = np.random.default_rng(8)
    n = 3000
    weights = {
        "any": np.ldexp(rng.random(n), rng.integers(-300, 300, n)),
        "sorted": np.sort(rng.random(n)),
        "large": np.full(n, np.finfo(float).max),
        "tiny": rng.integers(1, 9, n) * 5e-324,
        "integers": rng.integers(2**59, 2**60, n),
    }[kind]
    if kind == "any":
        weights *= rng.choice([-1, 1], n)
    chain = sp.csr_array((weights, (np.arange(n), np.arange(1, n + 1))), (n + 1, n + 1))
    forest = wg.minimum_spanning_forest(chain, device=gpu)
    total = forest.total_weight
    assert lazy_fields(forest) == set(FIELDS)
    expected = wg.minimum_spanning_forest(chain, device="cpu").total_weight
    assert (total, type(total)) == (expected, type(expected))
    if kind != "large":
        assert total == (sum(weights.tolist()) if kind == "integers" else math.fsum(weights))


def test_infinite_total_weights(gpu):
    for ends, total in (([1, np.inf], np.inf), ([-np.inf, 3], -np.inf), ([np.inf, -np.inf], None)):
        chain = sp.csr_array((np.array(ends), ([0, 1], [1, 2])), (3, 3))
        forest = wg.minimum_spanning_forest(chain, device=gpu)
        expected = wg.minimum_spanning_forest(chain, device="cpu").total_weight
        assert np.array_equal(forest.total_weight, expected, equal_nan=True)
        assert total is None or len(forest) < 2 or expected == total


@pytest.mark.cuda
@pytest.mark.parametrize("n_devices", [2, 3])
def test_forests_of_several_devices(n_devices):
    _core.set_smallest_lazy(0)
    try:
        for both_ways in (True, False):
            graph = a_graph(both_ways=both_ways)
            expected = wg.minimum_spanning_forest(graph, device="cpu")
            found = wg.minimum_spanning_forest(graph, device=["cuda:0"] * n_devices)
            assert lazy_fields(found) >= {"edges", "weights"}
            assert found.total_weight == expected.total_weight
            same(found, expected)
            limited = {"device": ["cuda:0"] * n_devices, "memory_limit": "1 GiB"}
            assert not lazy_fields(wg.minimum_spanning_forest(graph, **limited))
    finally:
        _core.set_smallest_lazy(1 << 20)


@pytest.mark.parametrize("dimensions", [2, 9])
@pytest.mark.parametrize("min_samples", [1, 4])
def test_trees_of_points(dimensions, min_samples, gpu):
    points = np.random.default_rng(2).random((70, dimensions))
    how = {"min_samples": min_samples}
    expected = wg.cluster.euclidean_mst(points, device="cpu", **how)
    found = wg.cluster.euclidean_mst(points, device=gpu, **how)
    assert lazy_fields(found) == {"edges", "weights"}
    assert found.edge_ids is None
    assert found.total_weight == expected.total_weight
    assert (found.labels == 0).all()
    assert lazy_fields(found) == {"edges", "weights"}
    assert found.edges.tobytes() == expected.edges.tobytes()
    assert found.weights.tobytes() == expected.weights.tobytes()
    limited = wg.cluster.euclidean_mst(points, device=gpu, memory_limit="1 GiB", **how)
    assert not lazy_fields(limited)
    assert limited.edges.tobytes() == expected.edges.tobytes()
    for metric in ("euclidean", "cosine"):
        by = {"metric": metric, **how}
        tree = wg.cluster.mst_of_points(points, device=gpu, **by)
        assert "edges" in lazy_fields(tree)
        on_cores = wg.cluster.mst_of_points(points, device="cpu", **by)
        assert tree.edges.tobytes() == on_cores.edges.tobytes()
        assert tree.weights.tobytes() == on_cores.weights.tobytes()


def test_points_far_apart(gpu):
    points = np.array([[0, 0], [1e30, 0], [0, 1]], np.float32)
    found = wg.cluster.euclidean_mst(points, device=gpu)
    assert found.weights.tolist() == [1, np.float64(np.float32(1e30))]
    with checks.raises_sentence(OverflowError, "points are so far apart"):
        wg.cluster.euclidean_mst(np.array([[-1.7e308], [1.7e308]]), device=gpu)


def test_a_field_is_read_once_and_can_be_written(gpu):
    forest = wg.minimum_spanning_forest(a_graph(), device=gpu)
    weights = forest.weights
    assert forest.weights is weights
    assert weights.flags.writeable
    before = forest.total_weight
    forest.weights *= 2
    assert forest.weights is weights
    assert forest.total_weight == 2 * before
    forest.edges = forest.edges[::-1]
    assert forest.edges.strides[0] < 0
    with pytest.raises(AttributeError, match="colour"):
        _ = forest.colour


def test_a_field_that_is_written_before_it_is_read(gpu):
    forest = wg.minimum_spanning_forest(a_graph(), device=gpu)
    n = len(forest)
    forest.edges = np.empty((0, 2), np.int32)
    assert len(forest) == 0
    assert (forest.labels == np.arange(forest.n_vertices)).all()
    assert len(forest.weights) == n


@pytest.mark.parametrize(
    "copied",
    [copy.copy, copy.deepcopy, lambda forest: pickle.loads(pickle.dumps(forest))],
)
def test_copies_and_pickles(copied, gpu):
    graph = a_graph()
    forest = wg.minimum_spanning_forest(graph, device=gpu)
    _ = forest.weights
    again = copied(forest)
    assert not lazy_fields(again)
    same(again, wg.minimum_spanning_forest(graph, device="cpu"))


def test_what_was_read_outlives_the_forest(gpu):
    forest = wg.minimum_spanning_forest(a_graph(), device=gpu)
    expected = wg.minimum_spanning_forest(a_graph(), device="cpu").weights
    weights = forest.weights
    del forest
    gc.collect()
    assert weights.tobytes() == expected.tobytes()


def test_memory_of_the_device_is_freed(gpu):
    _core.finish_lazy_results()  # those that other tests have left, as long as they exist
    before = _core.lazy_bytes(gpu)
    assert before == 0
    forest = wg.minimum_spanning_forest(a_graph(), device=gpu)
    taken = sum(getattr(copy.copy(forest), name).nbytes for name in FIELDS)
    del forest
    gc.collect()
    forest = wg.minimum_spanning_forest(a_graph(), device=gpu)
    assert _core.lazy_bytes(gpu) == before + taken
    left = taken - forest.edges.nbytes
    assert _core.lazy_bytes(gpu) == before + left
    del forest
    gc.collect()
    assert _core.lazy_bytes(gpu) == before


def test_before_a_fork_all_comes_to_the_host(gpu):
    forest = wg.minimum_spanning_forest(a_graph(), device=gpu)
    _core.finish_lazy_results()
    assert _core.lazy_bytes(gpu) == 0
    assert lazy_fields(forest) == set(FIELDS)
    same(forest, wg.minimum_spanning_forest(a_graph(), device="cpu"))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
@pytest.mark.filterwarnings(
    "ignore:.*fork.* is incompatible with multithreaded code:RuntimeWarning"
)
def test_a_child_reads_the_forest_of_its_parent(gpu):
    forest = wg.minimum_spanning_forest(a_graph(), device=gpu)
    expected = wg.minimum_spanning_forest(a_graph(), device="cpu").edges
    child = os.fork()
    if child == 0:
        os._exit(0 if np.array_equal(forest.edges, expected) else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_threads_read_one_array(gpu):
    for _ in range(5):
        forest = wg.minimum_spanning_forest(a_graph(), device=gpu)
        start, found = threading.Barrier(4), []

        def read(forest=forest, start=start, found=found):
            start.wait()
            found.append((forest.edges, forest.labels, forest.weights))

        threads = [threading.Thread(target=read) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(found) == 4
        assert all(edges is found[0][0] for edges, _, _ in found)
        assert all(weights is found[0][2] for _, _, weights in found)


def test_ids_of_a_matrix_that_is_not_symmetric(gpu):
    graph = a_graph(both_ways=False)
    expected = wg.minimum_spanning_forest(graph, device="cpu")
    same(wg.minimum_spanning_forest(graph, device=gpu), expected)
    half = graph.shape[0] // 2
    for rows in ((0, half), (half, graph.shape[0])):
        found, on_cores = (wg.local_forest(graph, rows=rows, device=d) for d in (gpu, "cpu"))
        same(found, on_cores)


def test_merged_and_extended_forests(gpu):
    graph = a_graph()
    n = graph.shape[0]
    parts = [wg.local_forest(graph, rows=rows, device=gpu) for rows in ((0, n // 2), (n // 2, n))]
    expected = wg.minimum_spanning_forest(graph, device="cpu")
    same(wg.merge_forests(*parts, device=gpu), expected)
    more = [wg.extend_forest(f, [[0, n - 1]], [0.5], [10**6], device=gpu) for f in (parts[0],)]
    assert 0.5 in more[0].weights
    checks.assert_spanning_forest(graph, expected)


def test_within_a_memory_limit_nothing_stays(gpu):
    forest = wg.minimum_spanning_forest(a_graph(), device=gpu, memory_limit="1 GiB")
    assert not lazy_fields(forest)
