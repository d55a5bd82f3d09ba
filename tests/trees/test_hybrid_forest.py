"""Spanning forests by CPU threads and a GPU together, and of graphs that a GPU cannot hold."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

import checks
import oracles
import warpgraph as wg
from graphs import SAMPLES, csr, csr_graphs, over_samples
from warpgraph import _core
from warpgraph._arguments import device as _device
from warpgraph._trees import hybrid_forest

BOTH = ["cpu", "cuda:0"]


@pytest.fixture(params=[1, 4])
def threads(request):
    wg.set_num_threads(request.param)
    yield request.param
    wg.set_num_threads(0)


def least_limit(graph, **options):
    """Return the smallest memory limit under which a graph can be solved on the GPU."""
    low, high = 0, 1 << 30
    while high - low > 1:
        middle = (low + high) // 2
        try:
            wg.minimum_spanning_forest(graph, memory_limit=middle, **options)
            high = middle
        except MemoryError as error:
            low, message = middle, str(error)
    assert "memory_limit" in message
    return high


@pytest.mark.cuda
@over_samples()
@pytest.mark.parametrize("maximum", [False, True])
def test_samples(graph, maximum, threads):
    for device in (BOTH, ("cuda", "cpu")):
        forest = wg.minimum_spanning_forest(graph, maximum=maximum, device=device)
        assert forest.edge_ids.tolist() == oracles.kruskal(graph, maximum=maximum).tolist()


@pytest.mark.cuda
def test_drawn_graphs(threads):
    @given(csr_graphs(weights="ties"), st.booleans())
    def is_kruskals(graph, maximum):
        graph = wg.Graph(graph)
        expected = oracles.kruskal(graph.to_csr(), maximum=maximum).tolist()
        for _ in range(2):
            forest = wg.minimum_spanning_forest(graph, maximum=maximum, device=BOTH)
            assert forest.edge_ids.tolist() == expected

    is_kruskals()


@pytest.mark.cuda
@pytest.mark.parametrize("name", ["medium_random", "asymmetric_weights"])
def test_edges_that_do_not_fit(name, threads):
    graph = wg.Graph(SAMPLES[name])
    expected = oracles.kruskal(SAMPLES[name]).tolist()
    least = least_limit(graph, device=BOTH)
    seen = set()
    for more in (0, 2000, 20_000, 1 << 22):
        limit = least + more
        forest = wg.minimum_spanning_forest(graph, device=BOTH, memory_limit=limit)
        assert forest.edge_ids.tolist() == expected
        kept = hybrid_forest.hybrid_forests(graph._upper_triangle()[0], False)
        seen.add(kept.on("cuda:0", _core.ledger(limit)).n_resident_arcs)
    n_arcs = kept.on("cuda:0", _core.ledger()).n_resident_arcs
    # The arcs of a tiny graph take less memory than the division of its rows.
    assert (min(seen) < n_arcs) == (name == "medium_random")
    assert max(seen) == n_arcs


@pytest.mark.cuda
def test_a_limit_on_one_gpu_moves_edges_to_the_host(threads):
    """With one byte less than a resident graph takes, CPU threads take part."""
    graph = wg.Graph(SAMPLES["medium_random"])
    expected = oracles.kruskal(SAMPLES["medium_random"]).tolist()
    limit = least_limit(graph, device="cuda:0")
    forest = wg.minimum_spanning_forest(graph, device="cuda:0", memory_limit=limit)
    assert forest.edge_ids.tolist() == expected
    part = wg.local_forest(graph, rows=(0, 50), device=BOTH)
    rest = wg.local_forest(graph, rows=(50, graph.n_vertices), device=BOTH)
    assert wg.merge_forests(part, rest, device=BOTH).edge_ids.tolist() == expected


@pytest.mark.cuda
def test_clusters_and_their_dendrogram():
    graph = SAMPLES["medium_random"]
    n_components, _ = wg.connected_components(graph)
    options = {"n_clusters": n_components + 16, "metric": "precomputed"}
    model = wg.cluster.MSTClustering(device=BOTH, **options).fit(graph)
    wanted = wg.cluster.MSTClustering(device="cpu", **options).fit(graph)
    assert model.labels_.tolist() == wanted.labels_.tolist()
    assert model.linkage_.tolist() == wanted.linkage_.tolist()


@pytest.mark.cuda
def test_what_is_kept_counts_and_is_freed():
    graph = wg.Graph(SAMPLES["medium_random"])
    graph._upper_triangle()
    before = graph.nbytes
    wg.minimum_spanning_forest(graph, device=BOTH)
    kept = hybrid_forest.hybrid_forests(graph, False)
    assert graph.nbytes == before + kept.nbytes
    assert kept.nbytes > kept.rows.nbytes > 0
    assert kept.on("cuda:0", _core.ledger()) is kept.on("cuda:0", _core.ledger())
    graph.clear()
    assert graph.nbytes <= before


@pytest.mark.cuda
def test_progress_and_errors():
    graph = SAMPLES["medium_random"]
    reports = []
    wg.minimum_spanning_forest(
        graph, device=BOTH, progress=lambda done, total: reports.append((done, total))
    )
    assert reports[-1][0] == reports[-1][1]
    assert reports == sorted(reports)

    def refuse(done, total):
        raise RuntimeError("enough")

    kept = wg.Graph(graph)
    with pytest.raises(RuntimeError, match="enough"):
        wg.minimum_spanning_forest(kept, device=BOTH, progress=refuse)
    expected = oracles.kruskal(graph).tolist()
    assert wg.minimum_spanning_forest(kept, device=BOTH).edge_ids.tolist() == expected
    with checks.raises_sentence(MemoryError, "100 bytes", "memory_limit"):
        wg.minimum_spanning_forest(kept, device=BOTH, memory_limit=100)
    with checks.raises_sentence(ValueError, "filter", "one device"):
        wg.minimum_spanning_forest(kept, method="filter", device=BOTH)
    with checks.raises_sentence(ValueError, "NaN", "(0, 1)"):
        wg.minimum_spanning_forest(csr(2, [(0, 1, np.nan)]), device=BOTH)


def test_pairs_of_devices():
    assert _device.beside_cpu("cpu") is None
    assert _device.beside_cpu(["cpu"]) is None
    assert _device.beside_cpu(["cpu", "cpu"]) is None
    assert _device.beside_cpu(["cpu", "cuda:all"]) is None
    assert _device.beside_cpu(["cpu", 3]) is None
    with checks.raises_sentence(wg.DeviceError, "cuda:99"):
        _device.beside_cpu(["cpu", "cuda:99"])
    with checks.raises_sentence(wg.DeviceError, "cpu"):
        wg.local_forest(SAMPLES["path"], rows=(0, 2), device=["cpu"] * 3)


@pytest.mark.cuda
def test_hybrid_takes_a_cuda_device_only():
    rows = hybrid_forest.hybrid_forests(wg.Graph(SAMPLES["path"]), False).rows
    with pytest.raises(ValueError, match="cpu"):
        _core.hybrid_forest(rows, "cpu", None)
