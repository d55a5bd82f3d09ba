"""First calls of a matrix on a GPU: plans made while it is copied, and what stays there."""

import logging

import numpy as np
import pytest

import warpgraph as wg
from device_lists import GPUS
from warpgraph import _core

on_a_gpu = pytest.mark.parametrize("gpu", GPUS[:1])


def with_hub(n=3000, n_edges=40_000, depth=0):
    """Return a graph whose vertex 0 is joined to all but a path of `depth` vertices at the end."""
    rng = np.random.default_rng(n + depth)
    tails = rng.integers(0, n, n_edges)
    heads = rng.integers(0, n, n_edges)
    ring = np.arange(1, n)
    path = np.arange(n - 1, n - 1 + depth)
    tails = np.concatenate([tails, np.zeros(n - 1, int), path])
    heads = np.concatenate([heads, ring, path + 1])
    weights = rng.integers(1, 100, len(tails)).astype(float)
    return wg.Graph.from_edges(tails, heads, weights, directed=False).to_csr()


def method_of(reasons):
    (reason,) = (r for r in reasons if r.startswith("method='auto' chose "))
    return reason.removeprefix("method='auto' chose ").split(":")[0].split()[0]


@on_a_gpu
@pytest.mark.parametrize("options", [{}, {"unweighted": True}, {"dtype": "float32"}], ids=str)
@pytest.mark.parametrize("depth", [0, 6000])
def test_a_call_that_is_logged_is_the_one_that_is_explained(gpu, depth, options, caplog):
    matrix = with_hub(depth=depth)
    plan = wg.explain(wg.sssp, matrix, 1, device=gpu, **options)
    with caplog.at_level(logging.INFO, logger="warpgraph"):
        found = wg.sssp(matrix, 1, device=gpu, **options)
    assert method_of(caplog.messages) == plan.method
    np.testing.assert_array_equal(found, wg.sssp(matrix, 1, device="cpu", **options))


@on_a_gpu
def test_a_graph_with_a_hub_and_few_hops_is_searched_by_bellman_ford(gpu):
    assert wg.explain(wg.sssp, with_hub(), 1, device=gpu).method == "bellman_ford"
    assert wg.explain(wg.sssp, with_hub(depth=6000), 1, device=gpu).method == "near_far"


@on_a_gpu
@pytest.mark.parametrize("bad", [0, -1])
def test_a_nan_is_found_while_the_gpu_searches(gpu, bad):
    matrix = with_hub()
    matrix.data[bad] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        wg.sssp(matrix, 1, device=gpu)
    matrix.data[bad] = 1
    np.testing.assert_array_equal(wg.sssp(matrix, 1, device=gpu), wg.sssp(matrix, 1, device="cpu"))


@on_a_gpu
@pytest.mark.parametrize("is_kept", [False, True])
def test_sums_that_were_cleared_are_made_again(gpu, is_kept, monkeypatch):
    graph = wg.Graph(with_hub())
    wanted = wg.pagerank(graph, device="cpu")
    keep = _core.keep_leaving_weights

    def keep_and_clear(*arguments):
        found = keep(*arguments)
        graph.clear()  # as another thread may
        return found

    if is_kept:
        graph.to(gpu)
    monkeypatch.setattr(_core, "keep_leaving_weights", keep_and_clear)
    np.testing.assert_array_equal(wg.pagerank(graph, device=gpu), wanted)
