"""wg.sssp by buckets: weights and shapes for which no width of buckets is good, and hubs.

Graphs are large enough for four threads to share them.
"""

import numpy as np
import pytest

import checks
import warpgraph as wg
from sssp_support import SIDE, assert_same, grid_with

LEAVES = 80_000  # of a hub: enough arcs for four threads


@pytest.fixture(params=["delta_stepping"])
def method(request, device):
    if device != "cpu":
        pytest.skip("the searches on cores are meant")
    return request.param


def tiny_and_enormous(rng, m):
    return np.where(rng.random(m) < 0.5, rng.integers(1, 10, m), 10**15 + rng.integers(0, 9, m))


def one_enormous_in_a_thousand(rng, m):
    return np.where(rng.random(m) < 0.001, 1e300, rng.random(m))


def all_equal(rng, m):
    return np.full(m, 7)


def all_zero(rng, m):
    return np.zeros(m)


def mostly_zero(rng, m):
    return np.where(rng.random(m) < 0.9, 0, rng.integers(1, 100, m))


def denormal(rng, m):
    return (rng.integers(0, 1000, m) * np.float32(1e-45)).astype(np.float32)


def nearly_all_of_the_range(rng, m):
    return 10.0 ** rng.uniform(-300, 300, m)


def infinite_here_and_there(rng, m):
    return np.where(rng.random(m) < 0.1, np.inf, rng.random(m))


WEIGHTS = [
    tiny_and_enormous,
    one_enormous_in_a_thousand,
    all_equal,
    all_zero,
    mostly_zero,
    denormal,
    nearly_all_of_the_range,
    infinite_here_and_there,
]


@pytest.mark.parametrize("weights", WEIGHTS)
def test_weights_that_no_width_suits(weights, method, device):
    graph = grid_with(weights)
    expected, tree = wg.sssp(graph, 7, method="dijkstra", return_predecessors=True, device="cpu")
    distances, found = wg.sssp(graph, 7, method=method, return_predecessors=True, device=device)
    assert_same(distances, expected)
    assert_same(found, tree)


@pytest.mark.parametrize("weights", [tiny_and_enormous, mostly_zero, nearly_all_of_the_range])
@pytest.mark.parametrize("n_targets", [1, 20])
def test_targets_that_no_width_suits(weights, n_targets, method, device):
    graph = grid_with(weights)
    how = {"targets": np.random.default_rng(3).integers(0, graph.n_vertices, n_targets)}
    expected, tree = wg.sssp(
        graph, 7, method="dijkstra", return_predecessors=True, device="cpu", **how
    )
    how["limit"] = expected.max()
    distances, found = wg.sssp(
        graph, 7, method=method, return_predecessors=True, device=device, **how
    )
    assert_same(distances, expected)
    assert_same(found, tree)


def hubs(rng, dtype):
    """Make two hubs with the same leaves; leaves near one are far from the other."""
    leaves = np.arange(2, LEAVES + 2)
    row = np.concatenate([np.zeros(LEAVES), np.ones(LEAVES), leaves, leaves])
    col = np.concatenate([leaves, leaves, np.zeros(LEAVES), np.ones(LEAVES)])
    weight = rng.integers(1, 10_000, 2 * LEAVES)
    return wg.Graph.from_edges(
        row.astype(int), col.astype(int), np.tile(weight, 2).astype(dtype), n_vertices=LEAVES + 2
    )


@pytest.mark.parametrize("dtype", ["float32", "int32", "int64"])
def test_hubs_are_shared(dtype, method, device):
    graph = hubs(np.random.default_rng(3), dtype)
    for source in (0, 5):
        expected = wg.sssp(graph, source, method="dijkstra", dtype=dtype, device="cpu")
        assert_same(wg.sssp(graph, source, method=method, dtype=dtype, device=device), expected)


def test_a_path_of_many_short_rounds(method, device):
    n = 200_000
    weight = np.random.default_rng(4).integers(1, 1000, n - 1)
    indptr = np.minimum(np.arange(n + 1), n - 1)
    graph = wg.Graph.from_csr(indptr, np.arange(1, n), weight)
    distances = wg.sssp(graph, 0, method=method, dtype="int64", device=device)
    assert_same(distances, np.concatenate([[0], np.cumsum(weight)]))


@pytest.mark.parametrize("count", [1, 8, 9, 100])
def test_few_targets_and_many(count, method, device):
    graph = grid_with(lambda rng, m: rng.integers(1, 1000, m))
    full = wg.sssp(graph, 7, method="dijkstra", device="cpu")
    near = np.argsort(full, kind="stable")[: SIDE * SIDE // 2]
    targets = np.random.default_rng(count).choice(near, count, replace=False)
    found, tree = wg.sssp(
        graph, 7, targets=targets, method=method, return_predecessors=True, device=device
    )
    assert_same(found, full[targets])
    for target in targets[:5]:
        path = wg.reconstruct_path(tree, 7, target)
        assert path[0] == 7
        assert path[-1] == target


def test_an_unreachable_target_among_near_ones(method, device):
    graph = grid_with(lambda rng, m: rng.integers(1, 1000, m))
    apart = wg.Graph.from_csr(
        np.append(graph.indptr, graph.indptr[-1]), graph.indices, graph.data
    )  # one more vertex, without edges
    full = wg.sssp(graph, 7, method="dijkstra", device="cpu")
    found = wg.sssp(apart, 7, targets=[8, SIDE * SIDE, 300], method=method, device=device)
    assert_same(found, np.array([full[8], np.inf, full[300]]))


@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_sums_that_do_not_fit(dtype, method, device):
    """An overflow is reported if there is no shorter path, and otherwise ignored."""
    most = int(np.iinfo(dtype).max)
    graph = grid_with(lambda rng, m: np.ones(m, dtype))
    n = graph.n_vertices
    corner = np.argmax(wg.sssp(graph, 0, method="dijkstra", device="cpu"))
    tail, head, weight = graph.to_edges()
    extra_tail = np.append(tail, [0, corner, corner])
    extra_head = np.append(head, [n, n, n + 1])
    for last, fits in ((most - 10**4, True), (most - 1, False)):
        weights = np.append(weight, [3, most - 1, last]).astype(dtype)
        larger = wg.Graph.from_edges(extra_tail, extra_head, weights, n_vertices=n + 2)
        if fits:
            found = wg.sssp(larger, 0, method=method, dtype=dtype, device=device)
            assert found[n] == 3
            assert found[n + 1] == found[corner] + last
        else:
            with checks.raises_sentence(OverflowError, f"({corner}, {n + 1})"):
                wg.sssp(larger, 0, method=method, dtype=dtype, device=device)


@pytest.mark.parametrize("dtype", ["float32", "int32", "float64", "int64"])
@pytest.mark.parametrize("copies", [1, 200])
def test_jumps_of_every_multiple_of_a_bucket(copies, dtype, method, device):
    """Chains on which the next vertex is any number of buckets ahead.

    A bucket is as wide as the typical arc, and there are 64 bins. With 200 copies of each chain
    there are enough arcs for more than one thread.
    """
    for jump in range(1, 200):
        steps = np.tile([10, 10, 10, 10, 10 * jump], 60 if copies > 1 else 8)
        weight = np.tile(steps, copies).astype(dtype)
        n = len(steps) + 1
        tail = (np.arange(copies)[:, None] * n + np.arange(n - 1)).ravel()
        # The first vertex of every chain is a neighbour of vertex 0.
        first = np.arange(1, copies) * n
        graph = wg.Graph.from_edges(
            np.r_[tail, np.zeros(len(first), int)],
            np.r_[tail + 1, first],
            np.r_[weight, np.ones(len(first), dtype)],
            n_vertices=copies * n,
        )
        expected = np.r_[0, np.cumsum(steps)] + (np.arange(copies) > 0)[:, None]
        if copies > 1 and jump % 64 > 2 and jump % 7:
            continue  # a sample of these larger graphs
        distances = wg.sssp(graph, 0, method=method, dtype=dtype, device=device)
        assert_same(distances, expected.ravel().astype(dtype))


@pytest.mark.parametrize("dtype", ["float32", "int32"])
def test_a_bin_is_not_reused_while_it_is_read(dtype):
    """A search that needs a bin again 64 buckets later, while that bin is being read."""
    i = np.arange(299)
    weight = np.where(i % 5 == 4, 1024, 10)
    graph = wg.Graph.from_edges(
        np.r_[i, 0, 0],
        np.r_[i + 1, 2, 3],
        np.r_[weight, 33, 65].astype(dtype),
        n_vertices=300,
    )
    exact = np.cumsum(np.r_[0, weight])[:9]
    exact = np.where(exact[None, :] < exact[:, None], np.inf, exact[None, :] - exact[:, None])
    for method in ("dijkstra", "batched"):
        for _ in range(20):
            found = wg.many_to_many(graph, np.arange(64), np.arange(9), method=method, device="cpu")
            assert (found[:9] == exact).all()
            assert np.isinf(found[9:]).all()
