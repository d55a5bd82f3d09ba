"""wg.many_to_many: row for row what wg.sssp says, from every method, on every device."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csgraph

import checks
import warpgraph as wg
from graphs import csr, graphs_with_source, over_zoo
from sssp_support import DTYPES, SQUARE, assert_same

METHODS = ["dijkstra", "batched"]
METHODS_ON_CUDA = ["dijkstra"]


def methods_on(device):
    return ["auto", *(METHODS if device == "cpu" else METHODS_ON_CUDA)]


@pytest.fixture(params=["auto", *METHODS])
def method(request, device):
    if request.param not in methods_on(device):
        pytest.skip("the method does not run there")
    return request.param


def assert_right(graph, sources, device, targets=None, **options):
    """Compare the distances and trees of every method with those of sssp, row by row."""
    rows = [
        wg.sssp(
            graph,
            source,
            targets=targets,
            method="dijkstra",
            device="cpu",
            return_predecessors=True,
            **options,
        )
        for source in sources
    ]
    for method in methods_on(device):
        given_to = {"method": method, "device": device, **options}
        distances, trees = wg.many_to_many(
            graph, sources, targets, return_predecessors=True, **given_to
        )
        assert trees.shape == (len(sources), graph.shape[0])
        assert_same(wg.many_to_many(graph, sources, targets, **given_to), distances)
        for i, (row, tree) in enumerate(rows):
            assert_same(distances[i], row)
            assert_same(trees[i], tree)


def some_vertices(n):
    return [v for v in (0, n // 2, n - 1, 0, n // 3) if 0 <= v < n]


@over_zoo(negative=False)
def test_zoo(graph, device):
    assert_right(graph, some_vertices(graph.shape[0]), device)


@over_zoo(negative=False)
def test_zoo_to_targets(graph, device):
    vertices = some_vertices(graph.shape[0])
    assert_right(graph, vertices, device, vertices[::-1])
    assert_right(graph, vertices, device, vertices[:1], directed=False)


@pytest.mark.parametrize("weights", ["non_negative", "integer", "ties"])
def test_drawn_graphs(weights, device):
    @settings(max_examples=30)
    @given(graphs_with_source(weights=weights), st.data())
    def agrees(drawn, data):
        graph, source = drawn
        vertices = st.lists(st.integers(0, graph.shape[0] - 1), max_size=40)
        sources = [source, *data.draw(vertices)]
        targets = data.draw(st.none() | vertices)
        limit = data.draw(st.just(np.inf) | st.floats(0, 40))
        directed = data.draw(st.booleans())
        assert_right(graph, sources, device, targets, limit=limit, directed=directed)

    agrees()


def test_as_scipy_has_it(method, device):
    matrix = wg.datasets.load("ny-road").to_csr().astype(np.float64)
    sources = [0, 200_000, 77]
    distances = wg.many_to_many(matrix, sources, method=method, device=device)
    assert_same(distances, csgraph.dijkstra(matrix, indices=sources))


def test_negative_weights(device):
    with checks.raises_sentence(ValueError, "-0.5", "(2, 1)", "sssp", "bellman_ford"):
        wg.many_to_many(csr(3, [(0, 1, 1.0), (2, 1, -0.5)]), [0], device="cpu")


@pytest.mark.parametrize("dtype", DTYPES)
def test_empty(dtype, method, device):
    graph = csr(4, SQUARE)
    options = {"dtype": dtype, "method": method, "device": device, "return_predecessors": True}
    distances, trees = wg.many_to_many(graph, [], **options)
    assert distances.shape == trees.shape == (0, 4)
    distances, trees = wg.many_to_many(graph, [1, 2], [], **options)
    assert distances.shape == (2, 0)
    assert distances.dtype == dtype
    assert trees.tolist() == [[-1] * 4] * 2
