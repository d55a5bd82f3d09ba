"""The L1 error of PageRank's scores is below tol: against linear systems, on every device."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings, strategies as st

import checks
import device_lists
import graphs
import warpgraph as wg
from checks import raises_sentence
from device_lists import over_lists
from pagerank_support import each_method, power_law, solved, solved_exactly, spikes
from warpgraph._rank import stopping

__all__ = ["power_law"]

TOLS = (0.3, 1e-3, 1e-6, 1e-10)


@pytest.fixture
def _accelerates(monkeypatch):
    device_lists.accelerate(monkeypatch)


def assert_within(graph, device, *, tols=TOLS, method="pull", **options):
    """Compare with the solution; the calls take the default number of iterations."""
    known = {k: v for k, v in options.items() if k in ("alpha", "personalization", "dangling")}
    wanted, error = solved(graph, **known)
    for tol in tols:
        found = wg.pagerank(graph, tol=tol, method=method, device=device, **options)
        assert error < 0.1 * tol
        assert np.abs(found - wanted).sum() < tol + error


def random_graph(n, m, seed, skew=3.0):
    """Return a graph with hubs, dangling vertices and weights of very different sizes."""
    rng = np.random.default_rng(seed)
    ends = (n * rng.random((2, m)) ** [[1.0], [skew]]).astype(np.int64)
    ends = ends[:, ends[0] % 5 > 0]
    weights = 10.0 ** rng.uniform(-3, 3, ends.shape[1])
    return sp.coo_array((weights, ends), shape=(n, n)).tocsr()


@each_method
@pytest.mark.parametrize("alpha", [0, 0.05, 0.5, 0.85, 0.99])
def test_random_graphs(alpha, method, device):
    graph = random_graph(600, 3000, seed=1)
    n = graph.shape[0]
    for options in (
        {},
        {"personalization": spikes(n, 7, n - 1)},
        {"dangling": spikes(n, 3), "personalization": 1.0 + np.arange(n) % 3},
    ):
        tols = TOLS if alpha < 0.9 else TOLS[:3]
        assert_within(graph, device, method=method, tols=tols, alpha=alpha, **options)


@pytest.mark.usefixtures("_accelerates")
@pytest.mark.parametrize("alpha", [0, 0.05, 0.5, 0.85, 0.99])
def test_symmetric_graphs(alpha, device):
    """Of accelerated iterations, those are returned whose change is known."""
    half = random_graph(600, 3000, seed=2)
    for graph in (sp.csr_array(half + half.T), graphs.SAMPLES["grid"]):
        n = graph.shape[0]
        for options in ({}, {"personalization": spikes(n, 7)}, {"nstart": spikes(n, 9)}):
            assert_within(graph, device, alpha=alpha, **options)


def star(n_leaves):
    leaves = np.arange(1, n_leaves + 1, dtype=np.int32)
    hub = np.zeros_like(leaves)
    ends = np.r_[leaves, hub], np.r_[hub, leaves]
    return wg.Graph.from_edges(*ends, n_vertices=n_leaves + 1)


def test_a_star_of_millions_of_leaves(device):
    """The hub has (1 - alpha) / n of restarts, and alpha times what the leaves have."""
    n_leaves = 30_000 if checks.EMULATED else 3_000_000
    graph = star(n_leaves)
    hub = (0.15 / (n_leaves + 1) + 0.85) / 1.85
    wanted = np.full(n_leaves + 1, (1 - hub) / n_leaves)
    wanted[0] = hub
    assert hub == pytest.approx(0.4594595, abs=1e-5)
    for tol in (1e-6, 1e-10):
        found = wg.pagerank(graph, tol=tol, device=device)
        assert np.abs(found - wanted).sum() < tol
        assert found[0] == pytest.approx(hub, abs=tol)


@pytest.mark.parametrize("directed", [True, False])
def test_power_law_graphs(directed, device):
    scale = 9 if checks.EMULATED else 16
    graph = wg.generators.rmat(scale, 8, seed=3, weights="uniform", directed=True).to_csr()
    if not directed:
        graph = sp.csr_array(graph + graph.T)
    assert_within(graph, device, tols=(1e-2, 1e-6))
    assert_within(graph, device, tols=(1e-6,), personalization=spikes(graph.shape[0], 5))


@over_lists
def test_lists_of_devices(device, monkeypatch):
    half = random_graph(900, 5000, seed=4)
    assert_within(half, device, personalization=spikes(900, 7))
    device_lists.accelerate(monkeypatch)
    assert_within(sp.csr_array(half + half.T), device, personalization=spikes(900, 7))


def test_clusters():
    graph = random_graph(900, 5000, seed=5).tocoo()
    edges = (graph.row, graph.col, graph.data)
    wanted, error = solved(sp.csr_array(graph), personalization=spikes(900, 7))
    partitioned = wg.distributed.graph([edges], wg.distributed.LocalEngine(3), n_vertices=900)
    for tol in TOLS:
        found = wg.distributed.pagerank(partitioned, tol=tol, personalization=spikes(900, 7))
        assert np.abs(found.gather() - wanted).sum() < tol + error
    for options in ({}, {"max_iter": 3}):
        kind = wg.ConvergenceError if options else ValueError
        with raises_sentence(kind, "tol = 1e-15", "raise tol"):
            wg.distributed.pagerank(partitioned, tol=1e-15, **options)


# Exactly, as fractions: also where tol is hardly above rounding.


@settings(max_examples=60)
@each_method
@given(data=st.data())
def test_small_graphs_exactly(data, method, device):
    n = data.draw(st.integers(1, 6), label="n")
    vertex = st.integers(0, n - 1)
    weight = st.sampled_from([0.0, 1.0, 0.1, 3.0, 1e-9, 1e9])
    edges = data.draw(st.lists(st.tuples(vertex, vertex, weight), max_size=14), label="edges")
    numbers = st.lists(st.sampled_from([0.0, 1.0, 0.3]), min_size=n, max_size=n).filter(any)
    p, d = data.draw(numbers, label="personalization"), data.draw(numbers, label="dangling")
    alpha = data.draw(st.sampled_from([0.0, 1e-6, 0.3, 0.85, 0.99]), label="alpha")
    directed = data.draw(st.booleans(), label="directed") or method == "push"
    stored = edges if directed else graphs.both_ways(edges)
    wanted = solved_exactly(n, stored, alpha, p, d)
    least = 2.0**-44 / (1 - alpha)
    for tol in (2, 1e-2, 1e-9, 4 * least / (1 - alpha)):
        found = wg.pagerank(
            graphs.csr(n, stored),
            alpha=alpha,
            personalization=np.array(p),
            dangling=np.array(d),
            tol=tol,
            method=method,
            device=device,
        )
        error = sum(abs(Fraction(x) - y) for x, y in zip(found.tolist(), wanted, strict=True))
        assert error < tol


# The default number of iterations suffices.


def test_the_slowest_walk_needs_more_than_a_hundred_iterations(device):
    """It starts on one side of a bipartite graph, so that each change is `alpha` times the last."""
    pair = graphs.csr(2, [(0, 1, 1.0), (1, 0, 1.0)])
    options = {"nstart": {0: 1.0}, "personalization": {1: 1.0}, "device": device}
    found = wg.pagerank(pair, **options)
    assert np.abs(found - [0.85 / 1.85, 1 / 1.85]).sum() < 1e-6
    with raises_sentence(wg.ConvergenceError, "100 iterations", "L1 error by tol = 1e-06"):
        wg.pagerank(pair, max_iter=100, **options)
    assert wg.pagerank(pair, max_iter=102, **options).tobytes() == found.tobytes()


@settings(max_examples=60)
@pytest.mark.parametrize("accelerates", [True, False])
@given(data=st.data())
def test_every_call_ends(data, accelerates):
    graph = data.draw(graphs.csr_graphs(weights="integer", min_vertices=1))
    n = graph.shape[0]
    rng = np.random.default_rng(data.draw(st.integers(0, 99), label="seed"))
    graph.data = graph.data * 10.0 ** rng.uniform(-9, 9, len(graph.data))
    options = {name: np.eye(1, n, rng.integers(n))[0] for name in ("personalization", "nstart")}
    options["alpha"] = data.draw(st.sampled_from([0, 1e-3, 0.5, 0.85, 0.99]), label="alpha")
    tol = data.draw(st.sampled_from([1e-9, 1e-6, 1e-2, 3, np.inf]), label="tol")
    with pytest.MonkeyPatch.context() as patch:
        if accelerates:
            device_lists.accelerate(patch)
        scores = wg.pagerank(graph, directed=not accelerates, tol=tol, **options, device="cpu")
        pushed = wg.pagerank(graph, method="push", tol=tol, alpha=options["alpha"])
    assert scores.sum() == pytest.approx(1, abs=min(tol, 1) + 1e-12)
    assert pushed.sum() == pytest.approx(1)


def test_paths_and_stars_of_extreme_weights_end(monkeypatch, device):
    """Where the norm of Chebyshev polynomials is far from the sum of absolute values."""
    device_lists.accelerate(monkeypatch)
    n = 200
    for weights in (10.0 ** np.linspace(-120, 120, n - 1), 10.0 ** -np.linspace(-9, 9, n - 1)):
        for heads in (np.arange(1, n), np.zeros(n - 1, int)):
            tails = np.arange(n - 1) if heads[-1] else np.arange(1, n)
            half = sp.coo_array((weights, (tails, heads)), shape=(n, n)).tocsr()
            graph = sp.csr_array(half + half.T)
            for where in (0, n // 2, n - 1):
                assert_within(graph, device, personalization=spikes(n, where), tols=(1e-6, 1e-9))


# What float64 cannot reach.


@pytest.mark.parametrize(
    ("alpha", "tol", "least"),
    [(0.85, 1e-13, "3.8e-13"), (0.85, 0, "3.8e-13"), (0, 1e-14, "5.7e-14"), (1 - 2**-52, 0.5, "2")],
)
def test_an_error_below_rounding(alpha, tol, least, device):
    for method in ("pull", "push", "auto"):
        how = {"alpha": alpha, "tol": tol, "method": method, "device": device}
        with raises_sentence(ValueError, f"tol = {tol:.3g}", least, "max_iter", "raise tol"):
            wg.pagerank(graphs.SAMPLES["grid"], **how)
        with raises_sentence(wg.ConvergenceError, f"tol = {tol:.3g}", least, "raise tol") as caught:
            wg.pagerank(graphs.SAMPLES["grid"], **how, max_iter=400)
        assert caught.value.scores.sum() == pytest.approx(1)


def test_pushes_count_what_they_round(device):
    """Visits of a graph add up, so that an error between both bounds is not claimed."""
    graph = graphs.SAMPLES["medium_directed"]
    with raises_sentence(wg.ConvergenceError, "L1 error", "below", "raise") as caught:
        wg.pagerank(graph, tol=3.82e-13, method="push", device=device, max_iter=3000)
    assert caught.value.scores.sum() == pytest.approx(1)


def test_rules():
    """The bounds are those of the documentation."""
    rule = stopping.stopping(10**6, 0.85, 1e-6, None)
    assert rule.change == pytest.approx(1e-6 * 0.15 / 0.85)
    assert rule.change_accelerated == pytest.approx(1e-6 * 0.15)
    assert rule.error_pushed == pytest.approx(1e-6)
    assert 2 * 0.85 ** (rule.iterations - 1) <= rule.change / 2
    assert 102 <= rule.iterations < 110
    assert stopping.stopping(10**6, 0.85, 1e-6, 7).iterations == 7
    assert stopping.stopping(10**6, 1.0, 1e-6, None).change == 1e-6
    of_networkx = stopping.stopping(10**6, 0.85, stopping.ChangePerVertex(1e-6), 100)
    assert of_networkx.pulled(accelerated=True) == of_networkx.pulled(accelerated=False) == (1, 100)
