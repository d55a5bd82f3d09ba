"""Floyd and Warshall's method on lists of devices: the bits of one device."""

import logging

import numpy as np
import pytest

import checks
import warpgraph as wg
from device_lists import over_lists
from graphs import DTYPES, over_samples
from test_apsp import light_ring_with_heavy_chords, on_a_negative_cycle, random_graph

GPUS = wg.devices()[1:]
over_gpus = pytest.mark.parametrize("gpu", GPUS[:1])


def distances(graph, device, **options):
    """Return the distances, or which error names which vertex or pair."""
    try:
        return wg.apsp(graph, method="floyd_warshall", device=device, **options)
    except (wg.NegativeCycleError, OverflowError) as error:
        return str(error)


def assert_same(graph, device, **options):
    expected = distances(graph, "cpu", **options)
    found = distances(graph, device, **options)
    if isinstance(expected, str):
        assert found == expected
    else:
        checks.assert_same_bits((found,), (expected,))


@over_lists
@over_samples()
def test_samples(graph, device):
    for directed in (True, False):
        try:
            wg.apsp(graph, directed=directed, device="cpu")
        except wg.NegativeCycleError:
            with pytest.raises(wg.NegativeCycleError):
                wg.apsp(graph, method="floyd_warshall", directed=directed, device=device)
            continue
        assert_same(graph, device, directed=directed)


@over_lists
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", [64, 65, 130, 600])
def test_sizes_around_those_of_tiles(n, dtype, device):
    graph = random_graph(n, 4, n, integers=np.dtype(dtype).kind == "i").astype(dtype)
    assert_same(graph, device, dtype=dtype)


@over_lists
@pytest.mark.parametrize("dtype", DTYPES)
def test_sums_of_all_sizes(dtype, device):
    """16 bits, 32, 64, and integers that may overflow."""
    for light in (3, 3000, 1 << 20):
        graph = random_graph(200, 4, 1, integers=True).astype(dtype)
        graph.data *= np.array(light).astype(dtype)
        assert_same(graph, device, dtype=dtype)
    assert_same(light_ring_with_heavy_chords(200, 4, 2, dtype), device, dtype=dtype)


@over_lists
def test_several_stages_for_a_device(device):
    """A stage has at most 512 pivots."""
    n = 1100 if checks.EMULATED else 2700
    graph = random_graph(n, 3, 5, integers=True)
    graph.data %= 50
    assert_same(graph, device)
    assert_same(graph, device, return_predecessors=False, unweighted=True)


@over_lists
def test_negative_weights_and_cycles(device):
    graph = wg.generators.rmat(8, 4, seed=1, weights=(1, 9), dtype=np.float64).to_csr()
    potential = np.random.default_rng(0).random(256)
    tilted = graph.tocoo()
    tilted.data = tilted.data + 5 * (potential[tilted.row] - potential[tilted.col])
    assert (tilted.data < 0).any()
    assert_same(tilted.tocsr(), device)
    ring = np.roll(np.arange(200), -1)
    edges = np.full(200, 1.0)
    edges[150] = -300.0
    cycle = wg.Graph.from_edges(np.arange(200), ring, edges, n_vertices=200)
    with pytest.raises(wg.NegativeCycleError) as caught:
        wg.apsp(cycle, method="floyd_warshall", device=device)
    assert on_a_negative_cycle(cycle.to_csr(), caught.value.vertex)


@over_lists
def test_out_with_rows_apart_and_progress(device):
    graph = random_graph(150, 3, 1)
    wide = np.full((150, 170), -1.0)
    reports = []
    out = wide[:, :150]
    found = wg.apsp(
        graph,
        method="floyd_warshall",
        device=device,
        out=out,
        progress=lambda done, total: reports.append((done, total)),
    )
    assert found is out
    checks.assert_same_bits((out,), (distances(graph, "cpu"),))
    assert (wide[:, 150:] == -1).all()
    assert reports == sorted(reports)
    assert reports[-1][0] == reports[-1][1]


def test_method_auto(caplog):
    graph = wg.generators.rmat(6, 16, seed=1)
    with caplog.at_level(logging.INFO, "warpgraph"):
        found = wg.apsp(graph, device=["cpu"] * 3)
    assert "chose floyd_warshall" in caplog.text
    checks.assert_same_bits((found,), (wg.apsp(graph, device="cpu"),))
    with checks.raises_sentence(wg.DeviceError, "floyd_warshall_naive", "one device"):
        wg.apsp(graph, method="floyd_warshall_naive", device=["cpu"] * 3)


@over_gpus
def test_rows_lie_on_the_gpus_of_a_list(gpu, caplog):
    graph = random_graph(200, 3, 3)
    with caplog.at_level(logging.INFO, "warpgraph"):
        found = distances(graph, ["cpu", gpu, gpu])
    assert "GPUs of the list only" in caplog.text
    checks.assert_same_bits((found,), (distances(graph, "cpu"),))


@over_gpus
def test_a_matrix_beyond_the_memory_of_all_passes_through_them(gpu):
    graph = random_graph(601, 3, 3)
    expected = distances(graph, "cpu")
    for limit in (3_000_000, 6_000_000, 60_000_000):
        out = np.empty((601, 601))
        found = distances(graph, [gpu] * 2, memory_limit=limit, out=out)
        checks.assert_same_bits((found,), (expected,))
    with pytest.raises(MemoryError, match="memory_limit"):
        distances(graph, [gpu] * 2, memory_limit=100_000, out=out)


@over_lists
def test_an_error_in_progress_ends_the_call(device):
    graph = random_graph(300, 3, 4)

    def fail(done, total):
        raise ArithmeticError("enough")

    with pytest.raises(ArithmeticError, match="enough"):
        wg.apsp(graph, method="floyd_warshall", device=device, progress=fail)
    assert_same(graph, device)
