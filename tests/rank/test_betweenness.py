"""Betweenness centrality: against the enumeration of shortest paths, NetworkX and properties."""

import collections
import functools
import itertools
import random
from fractions import Fraction

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings, strategies as st

import checks
import graphs
import oracles
import warpgraph as wg
from device_lists import MIXED, SINGLE, is_list, over

TINY = 2.0**-40
over_devices = over(SINGLE + MIXED)


def positive(graph):
    """Return the graph with weights that are not 0, of which sums are not rounded."""
    made = graph.copy()
    made.data = np.where(made.data == 0, 1, made.data).astype(made.data.dtype)
    return made


def is_enumerable(graph):
    finite = graph.data[np.isfinite(graph.data)].astype(float)
    return graph.shape[0] <= 60 and (finite.size == 0 or np.ptp(np.log2(finite[finite > 0])) < 40)


small_samples = graphs.over_samples(negative=False, only=is_enumerable)


def assert_scores(graph, **options):
    """Both functions return the scores of the oracle."""
    how = {name: options.pop(name, default) for name, default in DEFAULTS.items()}
    n = graph.shape[0]
    edges = oracles.lightest_edges(graph, directed=how["directed"], unweighted=how["unweighted"])
    half = 1 if how["directed"] or how["normalized"] else Fraction(1, 2)
    told = {"normalized": how["normalized"], "endpoints": how["endpoints"], **options}
    told.pop("device", None)
    told = {name: tuple(v) if np.ndim(v) else v for name, v in told.items()}
    vertices, arcs = oracles.kept_betweenness(frozenset(edges.items()), n, **told)
    found = wg.betweenness_centrality(graph, **how, **options)
    assert found.dtype == np.float64
    np.testing.assert_allclose(found, [float(half * v) for v in vertices], rtol=TINY, atol=TINY)
    del how["endpoints"]
    found = wg.edge_betweenness_centrality(graph, **how, **options)
    stored = list(zip(*(part.tolist() for part in oracles.arcs(graph)), strict=True))
    counts = [(u, v) in edges and (how["unweighted"] or w == edges[u, v]) for u, v, w in stored]
    sharers = collections.Counter(itertools.compress([(u, v) for u, v, _ in stored], counts))
    expected = []
    for (u, v, _), is_lightest in zip(stored, counts, strict=True):
        both = arcs.get((u, v), 0) + (0 if how["directed"] else arcs.get((v, u), 0))
        n_sharers = max(sharers[u, v], 0 if how["directed"] else sharers[v, u])
        expected.append(float(half * both / n_sharers) if is_lightest else 0.0)
    np.testing.assert_allclose(found, expected, rtol=TINY, atol=TINY)


DEFAULTS = {
    "directed": True,
    "unweighted": False,
    "normalized": True,
    "endpoints": False,
}


# Against the oracle.


@small_samples
@pytest.mark.parametrize("unweighted", [False, True])
@pytest.mark.parametrize("directed", [True, False])
def test_samples(graph, directed, unweighted, device):
    assert_scores(positive(graph), directed=directed, unweighted=unweighted, device=device)


@settings(max_examples=60)
@given(data=st.data())
def test_drawn_graphs(data, device):
    weights = data.draw(st.sampled_from(["ties", "integer"]))
    graph = positive(data.draw(graphs.csr_graphs(weights=weights, max_vertices=12)))
    n = graph.shape[0]
    options = {name: data.draw(st.booleans(), label=name) for name in DEFAULTS}
    some = st.lists(st.integers(0, n - 1), min_size=1, max_size=6) if n else st.just([])
    for name in ("sources", "targets"):
        if data.draw(st.booleans()):
            options[name] = data.draw(some, label=name)
    options["limit"] = data.draw(st.sampled_from([np.inf, 0, 1, 2.5, 7]), label="limit")
    assert_scores(graph, device=device, **options)


@pytest.mark.parametrize("dtype", graphs.DTYPES)
def test_dtypes(dtype, device):
    graph = graphs.SAMPLES["grid"].copy()
    graph.data = graph.data.astype(dtype)
    assert_scores(graph, device=device)
    assert_scores(graph, directed=False, limit=9, device=device)


def test_rounded_sums_of_floats_are_not_tied(device):
    """0.1 + 0.2 + 0.3 is not 0.6 in float64, but an integer multiple of it is."""
    edges = [(0, 1, 0.1), (1, 2, 0.2), (2, 4, 0.3), (0, 3, 0.3), (3, 4, 0.3)]
    how = {"normalized": False, "device": device}
    assert wg.betweenness_centrality(graphs.csr(5, edges), **how)[1] == 1
    integers = [(u, v, round(10 * w)) for u, v, w in edges]
    found = wg.betweenness_centrality(graphs.csr(5, integers, np.int64), **how)
    assert found[1] == 1.5


@over_devices
@pytest.mark.parametrize("function", [wg.betweenness_centrality, wg.edge_betweenness_centrality])
def test_the_same_bits_everywhere(function, device):
    shuffled = graphs.SAMPLES["grid"].tocoo()
    order = np.random.default_rng(1).permutation(shuffled.nnz)
    parts = (shuffled.data[order] + 1, (shuffled.row[order], shuffled.col[order]))
    unsorted = wg.Graph.from_edges(*parts[1], parts[0], n_vertices=shuffled.shape[0])
    for graph in (
        unsorted,
        wg.generators.grid(30, 30, seed=1, weights=(1, 3)),
        sp.csr_array((3, 3)),
    ):
        for how in ({"unweighted": True}, {"directed": False, "targets": [0, 2]}, {"sources": [1]}):
            found = function(graph, **how, device=device)
            before = wg.get_num_threads()
            wg.set_num_threads(1)
            expected = function(graph, **how, device="cpu")
            wg.set_num_threads(before)
            checks.assert_same_bits((found,), (expected,))


# Against NetworkX.


def as_networkx(graph, directed=True):
    made = (nx.DiGraph if directed else nx.Graph)()
    made.add_nodes_from(range(graph.shape[0]))
    edges = oracles.lightest_edges(graph, directed=directed)
    made.add_weighted_edges_from((u, v, w) for (u, v), w in edges.items())
    return made


def ends_of(graph):
    for ends in (range(50), range(1500)), (range(30, 70), range(20, 90)):
        yield [[v for v in part if v < graph.shape[0]] for part in ends]


@functools.cache
def scores_of_networkx(name, unweighted):
    graph = graphs.SAMPLES[name]
    how = {"weight": None if unweighted else "weight", "backend": "networkx"}
    scores = functools.partial(nx.betweenness_centrality_subset, as_networkx(graph), **how)
    return [[*scores(*ends).values()] for ends in ends_of(graph)]


@pytest.mark.parametrize("name", ["medium_random", "medium_power_law", "medium_directed"])
@pytest.mark.parametrize("unweighted", [False, True])
def test_the_scores_of_networkx(name, unweighted, device):
    graph = graphs.SAMPLES[name]
    how = {"unweighted": unweighted, "normalized": False, "device": device}
    for ends, theirs in zip(ends_of(graph), scores_of_networkx(name, unweighted), strict=True):
        ours = wg.betweenness_centrality(graph, sources=ends[0], targets=ends[1], **how)
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(("sources", "targets", "each"), [([0], [4], 0.5), ([0, 4], [0, 4], 1)])
def test_a_source_with_a_target_counts_half(sources, targets, each, device):
    line = graphs.csr(5, graphs.both_ways([(v, v + 1, 1.0) for v in range(4)]))
    how = {"sources": sources, "targets": targets, "normalized": False, "device": device}
    found = wg.betweenness_centrality(line, directed=False, **how)
    assert found.tolist() == [0, each, each, each, 0]
    assert wg.edge_betweenness_centrality(line, directed=False, **how).tolist() == [each] * 8
    theirs = nx.betweenness_centrality_subset(
        nx.path_graph(5), sources, targets, backend="networkx"
    )
    assert found.tolist() == list(theirs.values())


@pytest.mark.parametrize("normalized", [False, True])
@pytest.mark.parametrize("directed", [False, True])
def test_edges_of_networkx(directed, normalized):
    graph = graphs.SAMPLES["medium_directed"][:300, :300]
    theirs = nx.edge_betweenness_centrality(
        as_networkx(graph, directed), normalized=normalized, weight="weight", backend="networkx"
    )
    how = {"directed": directed, "normalized": normalized}
    found = wg.edge_betweenness_centrality(graph, **how)
    stored = list(zip(*(part.tolist() for part in oracles.arcs(graph)), strict=True))
    lightest = oracles.lightest_edges(graph, directed=directed)
    sharers = collections.Counter((u, v) for u, v, w in stored if w == lightest.get((u, v)))
    assert max(sharers.values()) > 1
    for (u, v, w), score in zip(stored, found.tolist(), strict=True):
        counts = u != v and w == lightest[u, v]
        n_sharers = max(sharers[u, v], 0 if directed else sharers[v, u])
        expected = theirs.get((u, v), theirs.get((v, u))) / n_sharers if counts else 0
        assert score == pytest.approx(expected, rel=1e-9)


# Options.


def test_sources_that_are_repeated_count_again(device):
    graph = graphs.SAMPLES["grid"]
    how = {"normalized": False, "targets": [60, 60, 3], "unweighted": True, "device": device}
    once = wg.betweenness_centrality(graph, sources=[5, 9], **how)
    twice = wg.betweenness_centrality(graph, sources=[5, 5, 9], **how)
    assert (twice == once + wg.betweenness_centrality(graph, sources=[5], **how)).all()


@pytest.mark.parametrize("endpoints", [False, True])
@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("normalized", [False, True])
def test_samples_have_the_scale_of_networkx(normalized, directed, endpoints):
    graph = graphs.SAMPLES["grid"]
    how = {"normalized": normalized, "directed": directed, "endpoints": endpoints}
    found = wg.betweenness_centrality(graph, sources=5, seed=3, **how)
    drawn = wg._core.sample_vertices(64, 5, 3).tolist()
    assert len(set(drawn)) == 5

    class Drawn(random.Random):
        def sample(self, nodes, k):
            return drawn

    theirs = nx.betweenness_centrality(
        as_networkx(graph, directed),
        k=5,
        normalized=normalized,
        weight="weight",
        endpoints=endpoints,
        seed=Drawn(),
        backend="networkx",
    )
    np.testing.assert_allclose(found, list(theirs.values()), rtol=1e-12)
    every = wg.betweenness_centrality(graph, sources=64, **how)
    assert every.tolist() == wg.betweenness_centrality(graph, **how).tolist()


@pytest.mark.parametrize("make", [np.int64, np.uint8, np.array, lambda k: np.array(k, np.uint16)])
def test_numbers_of_sources(make):
    graph = graphs.SAMPLES["grid"]
    for function in (wg.betweenness_centrality, wg.edge_betweenness_centrality):
        expected = function(graph, sources=5)
        assert (function(graph, sources=make(5)) == expected).all()
        assert (function(graph, sources=[5]) != expected).any()
        assert (function(graph, sources=np.array([5])) == function(graph, sources=[5])).all()


def test_samples_are_drawn_evenly():
    counts = np.zeros(10)
    for seed in range(3000):
        drawn = wg._core.sample_vertices(10, 3, seed)
        assert (np.diff(drawn) > 0).all()
        counts[drawn] += 1
    assert (np.abs(counts - 900) < 5 * np.sqrt(900 * 0.7)).all()


def test_a_sample_is_within_its_bound():
    graph = wg.generators.grid(20, 20, seed=1, weights=(1, 9))
    exact = wg.betweenness_centrality(graph)
    k, n, delta = 100, 400, 0.01
    bound = np.sqrt(np.log(2 * n / delta) / (2 * k)) * n / (n - 1)
    errors = [
        np.abs(wg.betweenness_centrality(graph, sources=k, seed=seed) - exact).max()
        for seed in range(20)
    ]
    assert max(errors) < bound


def test_names():
    roads = nx.Graph()
    roads.add_weighted_edges_from([("a", "b", 1.0), ("b", "c", 1.0), ("c", "d", 1.0)])
    scores = wg.betweenness_centrality(roads, sources=["a"], targets=["d", "c"], normalized=False)
    assert scores.tolist() == [0, 2, 1, 0]
    roads["b"]["c"]["weight"] = 0.0
    with pytest.raises(ValueError, match=r"the weight 0.0 of entry \('b', 'c'\) is not positive"):
        wg.betweenness_centrality(roads)


# Storage.


def test_each_entry_of_an_edge_has_its_score():
    edges = [(0, 1, 2.0), (0, 1, 1.0), (1, 0, 1.0), (1, 2, 1.0), (1, 2, 1.0), (2, 2, 5.0)]
    graph = graphs.csr(3, edges)
    how = {"normalized": False}
    assert wg.edge_betweenness_centrality(graph, **how).tolist() == [0, 2, 1, 1, 1, 0]
    found = wg.edge_betweenness_centrality(graph, directed=False, **how)
    assert found.tolist() == [0, 2, 2, 1, 1, 0]


@over_devices
def test_equally_light_parallel_edges_share_a_score(device):
    graph = wg.Graph.from_edges([0, 0, 1], [1, 1, 2])
    how = {"normalized": False, "device": device}
    assert wg.edge_betweenness_centrality(graph, **how).tolist() == [1, 1, 2]
    assert wg.edge_betweenness_centrality(graph, directed=False, **how).tolist() == [1, 1, 2]
    thrice = wg.Graph.from_edges([0, 0, 0, 1], [1, 1, 1, 2], [2, 1, 1, 1])
    assert wg.edge_betweenness_centrality(thrice, **how).tolist() == [0, 1, 1, 2]
    found = wg.edge_betweenness_centrality(thrice, unweighted=True, **how)
    assert found.tolist() == [2 / 3, 2 / 3, 2 / 3, 2]


@pytest.mark.parametrize("unweighted", [False, True])
@pytest.mark.parametrize("directed", [False, True])
def test_multigraphs_of_networkx(directed, unweighted, device):
    rng = np.random.default_rng(directed)
    how = {"normalized": False, "directed": directed, "unweighted": unweighted, "device": device}
    same = {"normalized": False, "backend": "networkx"}
    same["weight"] = None if unweighted else "weight"
    for n, m in ((2, 5), (6, 20), (30, 200)):
        ends = rng.integers(0, n, (2, m))
        # Without directions, entries (i, j) and (j, i) may be one edge: each is stored once.
        ends = (ends if directed else np.sort(ends, axis=0)).tolist()
        weights = rng.integers(1, 4, m).tolist()
        theirs = (nx.MultiDiGraph if directed else nx.MultiGraph)()
        theirs.add_nodes_from(range(n))
        theirs.add_weighted_edges_from(zip(*ends, weights, strict=True))
        ours = wg.Graph.from_edges(*ends, weights, n_vertices=n)
        found = wg.betweenness_centrality(ours, **how)
        expected = list(nx.betweenness_centrality(theirs, **same).values())
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
        found = wg.edge_betweenness_centrality(ours, **how)
        parts = *(part.tolist() for part in ours.to_edges()), found.tolist()
        expected = sorted_scores(theirs, nx.edge_betweenness_centrality(theirs, **same))
        found = [score for *_, score in sorted(zip(*parts, strict=True))]
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


def sorted_scores(graph, scores):
    """Return the scores of NetworkX's edges in the order of their ends and weights."""
    edges = []
    for u, v, key, data in graph.edges(keys=True, data=True):
        ends = (u, v) if graph.is_directed() else sorted((u, v))
        edges.append((*ends, data["weight"], scores[u, v, key]))
    return [score for *_, score in sorted(edges)]


# Bad input.


@pytest.mark.parametrize("function", ["betweenness_centrality", "edge_betweenness_centrality"])
@pytest.mark.parametrize(
    ("weight", "sentence"),
    [
        (0.0, r"the weight 0.0 of entry \(1, 2\) is not positive, as lengths of edges must be"),
        (-2.0, r"the weight -2.0 of entry \(1, 2\) is not positive"),
        (1e-17, "a weight is so small that a distance does not change where it is added"),
    ],
)
def test_weights_that_are_refused(function, weight, sentence, device):
    graph = graphs.csr(4, [(0, 1, 1.0), (1, 2, weight), (2, 3, 1.0)])
    with pytest.raises(ValueError, match=sentence):
        getattr(wg, function)(graph, device=device)
    getattr(wg, function)(graph, unweighted=True, device=device)


def test_a_small_weight_beside_a_shorter_path(device):
    """It changes no distance, and is on no shortest path."""
    graph = graphs.csr(3, [(0, 1, 1.0), (1, 2, 1e-17), (0, 2, 0.5)])
    how = {"sources": [0], "normalized": False, "device": device}
    assert wg.betweenness_centrality(graph, **how).tolist() == [0, 0, 0]


def test_distances_beyond_int64(device):
    big = 2**62
    graph = graphs.csr(3, [(0, 1, big), (1, 2, big)], np.int64)
    with pytest.raises(OverflowError, match=r"distance .*make the weights float64"):
        wg.betweenness_centrality(graph, device=device)
    how = {"normalized": False, "device": device}
    assert wg.betweenness_centrality(graph, limit=big, **how).tolist() == [0, 0, 0]
    assert wg.betweenness_centrality(graph, unweighted=True, **how)[1] == 1


#: A number may be meant as a vertex.
SAMPLED = (
    r"sources must be in 1\.\.3, got {0}: a number is how many vertices are sampled, "
    r"and \[{0}\] is the vertex {0}"
)


@pytest.mark.parametrize(
    ("how", "error", "sentence"),
    [
        ({"sources": 0}, ValueError, SAMPLED.format(0)),
        ({"sources": 4}, ValueError, SAMPLED.format(4)),
        ({"sources": [3]}, ValueError, r"sources\[0\] is 3"),
        ({"sources": True}, TypeError, "sources must be integers"),
        ({"sources": np.array(4)}, ValueError, SAMPLED.format(4)),
        (
            {"sources": np.array(2.0)},
            TypeError,
            "sources must be integers, got an array of float64",
        ),
        ({"sources": np.array(True)}, TypeError, "sources must be integers, got an array of bool"),
        ({"sources": np.ma.array(2, mask=True)}, ValueError, "sources.* is masked"),
        ({"seed": np.ma.array(2, mask=True)}, TypeError, "seed must be an integer, got masked"),
        ({"targets": 2.5}, TypeError, "targets must be integers"),
        ({"limit": -1}, ValueError, "limit must be at least 0"),
        ({"seed": -1}, ValueError, "seed must be in"),
        ({"normalized": "no"}, TypeError, "normalized must be True or False"),
    ],
)
def test_bad_arguments(how, error, sentence):
    graph = graphs.csr(3, [(0, 1, 1.0)])
    for function in (wg.betweenness_centrality, wg.edge_betweenness_centrality):
        with pytest.raises(error, match=sentence):
            function(graph, **how)


@over_devices
def test_memory(device):
    graph = wg.generators.grid(60, 60, seed=1, weights=(1, 9))
    for unweighted in (False, True):
        expected = wg.betweenness_centrality(graph, sources=20, unweighted=unweighted)
        how = {"sources": 20, "unweighted": unweighted, "device": device}
        least = "1 MiB" if device == "cpu" or unweighted else "2 MiB"  # 32 sources at once
        if is_list(device):
            least = "64 MiB"
        found = wg.betweenness_centrality(graph, **how, memory_limit=least)
        assert (found == expected).all()
        what = "" if is_list(device) else "betweenness centrality "
        with pytest.raises(MemoryError, match=f"{what}needs"):
            wg.betweenness_centrality(graph, **how, memory_limit=50_000)
        with pytest.raises(MemoryError, match="storing the scores needs"):
            wg.betweenness_centrality(graph, **how, memory_limit=5_000)


@over_devices
def test_progress(device):
    weighted = wg.generators.grid(60, 60, seed=1, weights=(1, 9))
    for graph, n, how in (
        (wg.generators.grid(9, 9), 81, {"unweighted": True}),
        (weighted, 20, {"sources": 20}),
    ):
        seen = []
        report = lambda *done, to=seen: to.append(done)  # noqa: E731
        wg.betweenness_centrality(graph, progress=report, device=device, **how)
        assert seen[-1] == (n, n)


def test_plans():
    plan = wg.explain(wg.betweenness_centrality, wg.generators.grid(9, 9), directed=False)
    assert (plan.method, plan.devices) == ("brandes", ["cpu"])
