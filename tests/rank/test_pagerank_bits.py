"""PageRank: the same bits on every device, on lists of devices, and with all numbers of threads."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings, strategies as st

import checks
import graphs
import warpgraph as wg
from device_lists import over_devices
from pagerank_support import assert_scores, each_method, expected, power_law, strict
from test_pagerank import NAMES, usable_samples, vectors

__all__ = ["power_law"]


def scores_of(graph, device, **options):
    """Return scores and the number of iterations, which has not converged."""
    try:
        return wg.pagerank(graph, **options, device=device), None
    except wg.ConvergenceError as error:
        return error.scores, (error.iterations, str(error))


def assert_as_on_one_thread(graph, device, **options):
    found, iterations = scores_of(graph, device, **options)
    before = wg.get_num_threads()
    wg.set_num_threads(1)
    expected, iterations_of_one = scores_of(graph, "cpu", **options)
    wg.set_num_threads(before)
    checks.assert_same_bits((found,), (expected,))
    assert iterations == iterations_of_one


@over_devices
@usable_samples
def test_samples(graph, device):
    for directed in (True, False):
        for unweighted in (True, False):
            options = {"directed": directed, "unweighted": unweighted}
            assert_as_on_one_thread(graph, device, **options)
            assert_as_on_one_thread(graph, device, tol=1e-9, max_iter=3, method="pull", **options)


@over_devices
@settings(max_examples=40)
@given(data=st.data())
def test_drawn_graphs(data, device):
    graph = data.draw(graphs.csr_graphs(weights="integer", min_vertices=1))
    options = {name: data.draw(vectors(graph.shape[0]), label=name) for name in NAMES}
    options["alpha"] = data.draw(st.sampled_from([0.05, 0.5, 0.85, 0.99]), label="alpha")
    for name in ("directed", "unweighted"):
        options[name] = data.draw(st.booleans(), label=name)
    assert_as_on_one_thread(graph, device, **options, tol=1e-10, max_iter=100)


@over_devices
@pytest.mark.parametrize("dtype", graphs.DTYPES)
def test_power_law(power_law, dtype, device):
    graph = power_law.copy()
    graph.data = (100 * graph.data).astype(dtype)
    assert_as_on_one_thread(graph, device, tol=1e-8)
    assert_as_on_one_thread(graph, device, tol=1e-8, directed=False)


@over_devices
def test_a_hub_of_several_segments(device):
    n = 150_000
    tail = np.arange(n, dtype=np.int32)
    ends = np.r_[tail, tail], np.r_[np.zeros(n, int), (tail + 1) % n]
    graph = wg.Graph.from_edges(*ends, 1 + np.arange(2 * n) % 7.0, n_vertices=n)
    for _ in range(3):  # the later calls may use another order of the vertices
        assert_as_on_one_thread(graph, device, method="pull")


@over_devices
@pytest.mark.parametrize("n", [1, 2, 3, 7])
def test_fewer_vertices_than_devices(n, device):
    assert_as_on_one_thread(sp.csr_array(np.ones((n, n))), device)
    assert_as_on_one_thread(sp.csr_array((n, n)), device)


@over_devices
def test_method_auto_pushes(device):
    graph = wg.generators.grid(80, 80, seed=0)
    assert_as_on_one_thread(graph, device, personalization={0: 1}, tol=1e-5)


@over_devices
def test_after_an_error_in_progress(device):
    def refuse(done, total):
        raise KeyError("enough")

    graph = wg.generators.grid(60, 60, seed=0)
    with pytest.raises(KeyError, match="enough"):
        wg.pagerank(graph, tol=0, max_iter=10**6, device=device, progress=refuse)
    assert_as_on_one_thread(graph, device)


@pytest.mark.parametrize("threads", [1, 2, 3, 4, 8])
@pytest.mark.parametrize("directed", [True, False])
@each_method
def test_all_numbers_of_threads(power_law, directed, method, threads):
    options = {"personalization": 1.0 + np.arange(power_law.shape[0]) % 5, "device": "cpu"}
    options |= {"directed": directed, "method": method}
    before = wg.get_num_threads()
    found = []
    try:
        for n in (1, threads):
            wg.set_num_threads(n)
            found.append(wg.pagerank(power_law, **options))
    finally:
        wg.set_num_threads(before)
    checks.assert_same_bits((found[0],), (found[1],))


@over_devices
@pytest.mark.parametrize("most", [50, 64, 120])
@pytest.mark.parametrize("unweighted", [True, False])
def test_rows_of_a_few_dozen_arcs(most, unweighted, device):
    random = np.random.default_rng(most)
    tails = np.repeat(np.arange(997), random.integers(9, most, 997))
    arcs = (tails, random.integers(0, 997, tails.size), random.random(tails.size))
    graph = graphs.csr(997, list(zip(*arcs, strict=True)))
    how = {"unweighted": unweighted, "method": "pull"}
    found = wg.pagerank(graph, device=device, **how)
    checks.assert_same_bits((found,), (wg.pagerank(graph, device="cpu", **how),))
    assert_scores(strict(graph, device=device, **how), expected(graph, unweighted=unweighted))
