"""PageRank on lists of devices: the same bits as on one device."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings, strategies as st

import checks
import graphs
import warpgraph as wg
from checks import raises_sentence
from device_lists import over_lists
from pagerank_support import power_law
from test_pagerank import usable_samples, vectors

__all__ = ["power_law"]

NAMES = ("personalization", "dangling", "nstart")


def scores_of(graph, device, **options):
    """Return scores and the number of iterations, which has not converged."""
    try:
        return wg.pagerank(graph, **options, device=device), None
    except wg.ConvergenceError as error:
        return error.scores, (error.iterations, str(error))


def assert_same(graph, device, **options):
    one, iterations_of_one = scores_of(graph, "cpu", **options)
    several, iterations = scores_of(graph, device, **options)
    checks.assert_same_bits((several,), (one,))
    assert iterations == iterations_of_one


@over_lists
@usable_samples
def test_samples(graph, device):
    for directed in (True, False):
        for unweighted in (True, False):
            options = {"directed": directed, "unweighted": unweighted}
            assert_same(graph, device, **options)
            assert_same(graph, device, tol=1e-9, max_iter=3, method="pull", **options)


@over_lists
@settings(max_examples=40)
@given(data=st.data())
def test_drawn_graphs(data, device):
    graph = data.draw(graphs.csr_graphs(weights="integer", min_vertices=1))
    options = {name: data.draw(vectors(graph.shape[0]), label=name) for name in NAMES}
    options["alpha"] = data.draw(st.sampled_from([0.05, 0.5, 0.85, 0.99]), label="alpha")
    for name in ("directed", "unweighted"):
        options[name] = data.draw(st.booleans(), label=name)
    assert_same(graph, device, **options, tol=1e-10, max_iter=100)


@over_lists
@pytest.mark.parametrize("dtype", graphs.DTYPES)
def test_power_law(power_law, dtype, device):
    graph = power_law.copy()
    graph.data = (100 * graph.data).astype(dtype)
    assert_same(graph, device, tol=1e-8)
    assert_same(graph, device, tol=1e-8, directed=False)


@over_lists
def test_a_hub_of_several_segments(device):
    n = 150_000
    tail = np.arange(n, dtype=np.int32)
    ends = np.r_[tail, tail], np.r_[np.zeros(n, int), (tail + 1) % n]
    graph = wg.Graph.from_edges(*ends, 1 + np.arange(2 * n) % 7.0, n_vertices=n)
    for _ in range(3):  # the later calls may use another order of the vertices
        assert_same(graph, device, method="pull")


@over_lists
@pytest.mark.parametrize("n", [1, 2, 3, 7])
def test_more_devices_than_vertices(n, device):
    assert_same(sp.csr_array(np.ones((n, n))), device)
    assert_same(sp.csr_array((n, n)), device)


@over_lists
def test_method_auto_pushes_on_the_first_device(device):
    graph = wg.generators.grid(80, 80, seed=0)
    assert_same(graph, device, personalization={0: 1}, tol=1e-5)


@over_lists
def test_progress(device):
    graph, reports = wg.generators.grid(60, 60, seed=0), []
    with pytest.raises(wg.ConvergenceError) as error:
        wg.pagerank(
            graph,
            tol=0,
            max_iter=50,
            method="pull",
            device=device,
            progress=lambda done, total: reports.append((done, total)),
        )
    assert error.value.iterations == 50
    assert reports[-1] == (50, 50)
    assert reports == sorted(reports)


@over_lists
def test_progress_may_end_the_call(device):
    def refuse(done, total):
        raise KeyError("enough")

    graph = wg.generators.grid(60, 60, seed=0)
    with pytest.raises(KeyError, match="enough"):
        wg.pagerank(graph, tol=0, max_iter=10**6, device=device, progress=refuse)
    assert_same(graph, device)


def test_push_is_for_one_device():
    with raises_sentence(ValueError, "method='push'", "['cpu', 'cpu']"):
        wg.pagerank(graphs.SAMPLES["grid"], method="push", device=["cpu"] * 2)


def test_memory_limit():
    graph = wg.Graph(wg.generators.grid(100, 100, seed=0))
    wg.pagerank(graph)  # the graph keeps what it derives
    needed = 3 * 16 * graph.n_vertices + 8 * (graph.n_vertices + 3)
    wg.pagerank(graph, method="pull", memory_limit=needed + 10_000, device=["cpu"] * 3)
    with raises_sentence(MemoryError, "3 endpoints", "name fewer devices"):
        wg.pagerank(graph, method="pull", memory_limit=needed - 1, device=["cpu"] * 3)


@pytest.mark.cuda
def test_errors_of_cuda():
    with raises_sentence(wg.DeviceError, "['cpu', 'cuda:0']", "mixed list"):
        wg.pagerank(graphs.SAMPLES["grid"], device=["cpu", "cuda:0"])
    with raises_sentence(MemoryError, "a part of the graph", "name more devices"):
        wg.pagerank(graphs.SAMPLES["grid"], method="pull", device=["cuda:0"] * 2, memory_limit=1000)
