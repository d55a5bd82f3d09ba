"""Arrays of vertices that the caller changes while a call runs: the call has its own copy."""

import numpy as np
import pytest

import checks
import graphs
import warpgraph as wg
from warpgraph._arguments import validate

N = 400
#: Of no graph here: a core that read it would read beyond its arrays.
NO_VERTEX = 10**9

# Each takes a graph, vertices and a progress callable.
CALLS = {
    "sssp, targets": lambda g, v, p: wg.sssp(g, 0, targets=v, progress=p, device="cpu"),
    "bfs, targets": lambda g, v, p: wg.bfs(g, 0, targets=v, progress=p, device="cpu"),
    "bfs, sources": lambda g, v, p: wg.bfs(g, v, progress=p, device="cpu"),
    "many_to_many, sources": lambda g, v, p: wg.many_to_many(
        g, v, np.arange(N), progress=p, device=["cpu"] * 2
    ),
    "many_to_many, targets": lambda g, v, p: wg.many_to_many(
        g, np.arange(N), v, progress=p, device=["cpu"] * 2
    ),
    "many_to_many, nearest": lambda g, v, p: wg.many_to_many(
        g, v, v, min_only=True, progress=p, device="cpu"
    )[0],
}


@pytest.mark.parametrize("name", CALLS)
def test_vertices_that_a_progress_callable_changes(name):
    graph = wg.Graph(wg.generators.grid(60, 60, seed=1))
    vertices = np.arange(N, dtype=np.int32)
    expected = CALLS[name](graph, vertices, None)
    reports = []

    def change(done, total):
        reports.append((done, total))
        vertices.fill(NO_VERTEX)

    checks.assert_same_bits((CALLS[name](graph, vertices, change),), (expected,))
    assert reports
    assert (vertices == NO_VERTEX).all()


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_checked_numbers_are_copies(dtype):
    given = np.arange(9, dtype=dtype)
    for values in (given, given[::-1], given[:1]):
        for check in (validate.vertices, validate.positions):
            assert not np.shares_memory(check(values, 9, "values"), given)


def test_an_order_that_changes_later():
    order = np.arange(4, dtype=np.int32)[::-1].copy()
    made = wg.transform.permute(graphs.csr(4, [(0, 1, 1), (1, 2, 1)]), order)
    order.fill(NO_VERTEX)
    assert made.order.tolist() == [3, 2, 1, 0]
