"""wg.bfs: the effect of its arguments, and the errors of invalid ones."""

import numpy as np
import pytest

import graphs
import oracles
import warpgraph as wg
from checks import raises_sentence
from device_lists import is_several
from sssp_support import over_devices_and_workers
from test_bfs import power_law

__all__ = ["power_law"]


@over_devices_and_workers
def test_out(device):
    graph = graphs.csr(4, [(0, 1, 1), (1, 2, 1), (2, 1, 1)])
    out = np.full(4, 9, np.int32)
    assert wg.bfs(graph, 0, out=out, device=device) is out
    assert out.tolist() == [0, 1, 2, -1]
    hops, predecessors = wg.bfs(graph, 2, out=out, return_predecessors=True, device=device)
    assert hops is out
    assert out.tolist() == [-1, 1, 0, -1]
    assert predecessors.tolist() == [-1, 2, -1, -1]
    grid = wg.generators.grid(60, 60, seed=0)
    out = np.empty(grid.n_vertices, np.int32)
    assert wg.bfs(grid, 0, out=out, device=device) is out
    np.testing.assert_array_equal(out, oracles.hops(grid.to_csr(), 0))


@pytest.mark.parametrize(
    ("out", "error", "parts"),
    [
        (np.empty(3, np.int32), ValueError, ("out", "(3,)", "(4,)")),
        (np.empty(4), ValueError, ("out", "float64", "int32")),
        ([0] * 4, TypeError, ("out", "list")),
    ],
)
def test_out_that_does_not_fit(out, error, parts):
    with raises_sentence(error, *parts):
        wg.bfs(graphs.csr(4, [(0, 1, 1)]), 0, out=out)


def test_out_may_not_be_the_graph(device):
    graph = graphs.csr(4, [(0, 1, 1), (1, 2, 1), (2, 3, 1), (3, 0, 1)])
    with raises_sentence(ValueError, "out shares memory"):
        wg.bfs(graph, 0, out=graph.indices, device=device)


@over_devices_and_workers
def test_progress(power_law, device):
    least = 0 if is_several(device) else 1  # the source
    grid = wg.generators.grid(60, 60, seed=0)
    for graph, n in ((power_law, power_law.shape[0]), (grid, grid.n_vertices)):
        reports = []
        wg.bfs(graph, 0, progress=lambda *report, to=reports: to.append(report), device=device)
        assert all(least <= done <= total == n for done, total in reports)
        assert reports == sorted(reports)
        assert reports[-1] == (n, n)  # though not all are reached


@over_devices_and_workers
def test_progress_may_end_the_call(power_law, device):
    def refuse(done, total):
        raise InterruptedError("enough")

    with pytest.raises(InterruptedError, match="enough"):
        wg.bfs(power_law, 0, progress=refuse, device=device)


def test_bad_input():
    graph = graphs.SAMPLES["grid"]
    with raises_sentence(ValueError, "source", "64", "0..63"):
        wg.bfs(graph, 64)
    with raises_sentence(ValueError, "source", "-1"):
        wg.bfs(graph, -1)
    with raises_sentence(TypeError, "source", "1.5"):
        wg.bfs(graph, 1.5)
    with raises_sentence(ValueError, "source", "no vertices"):
        wg.bfs(graphs.SAMPLES["no_vertices"], 0)
    with raises_sentence(ValueError, "limit", "-2"):
        wg.bfs(graph, 0, limit=-2)
    with raises_sentence(TypeError, "limit", "half"):
        wg.bfs(graph, 0, limit="half")
    with raises_sentence(wg.DeviceError, "cuda:97"):
        wg.bfs(graph, 0, device="cuda:97")
    with raises_sentence(ValueError, "square"):
        wg.bfs(np.ones((2, 3)), 0)


@over_devices_and_workers
def test_memory_limit(power_law, device):
    parts = () if is_several(device) else ("100 bytes",)
    with raises_sentence(MemoryError, "memory_limit", *parts):
        wg.bfs(power_law, 0, device=device, memory_limit=100)
    with raises_sentence(MemoryError):
        wg.bfs(wg.generators.grid(60, 60, seed=0), 0, device=device, memory_limit=1 << 10)
    with raises_sentence(ValueError, "memory_limit", 0):
        wg.bfs(power_law, 0, device=device, memory_limit=0)
    expected = wg.bfs(power_law, 0, device=device)
    np.testing.assert_array_equal(
        wg.bfs(power_law, 0, device=device, memory_limit=1 << 30), expected
    )
