"""Betweenness centrality on a GPU: the same bits as on cores, where that is hard."""

import numpy as np
import pytest

import checks
import graphs
import oracles
import warpgraph as wg
from test_betweenness_counts import layers, many_diamonds


def long_rows():
    """A hub and its 300 neighbours, which have 260 each, behind 2 ** 60 paths."""
    ends = oracles.arcs(many_diamonds(60).to_csr())
    chain = list(zip(*(part.tolist() for part in ends), strict=True))
    rng = np.random.default_rng(3)
    first, second, last = 180, 181, 781
    arcs = [(first, second + v, 1.0) for v in range(300)]
    for v in range(300):
        heads = rng.choice(300, 260, replace=False)
        arcs += [(second + v, second + 300 + int(w), 1.0) for w in heads]
    arcs += [(second + 300 + v, last, 1.0) for v in range(300)]
    return graphs.csr(last + 1, chain + arcs + [(last, 0, 1.0)])


def star():
    """A hub whose segments are too many for one sum; smaller in emulation."""
    n = 3000 if checks.EMULATED else 70_000
    return graphs.csr(n + 1, graphs.both_ways([(0, v, 1.0) for v in range(1, n + 1)]))


#: Counts that are exact, rounded, and have exponents; rows of one chunk and of several.
HARD = {
    "few paths": (lambda: wg.generators.rmat(9, 8, seed=1).to_csr(), list(range(0, 512, 16))),
    "rounded counts": (lambda: layers(14, 40, 24, 1), [0, 1, 2, 3, 300]),
    "exponents": (lambda: layers(180, 12, 9, 2), [5]),
    "both ways": (lambda: layers(30, 20, 6, 3, both_ways=True), [0, 0, 1, 400]),
    "both ways, dense": (lambda: layers(14, 40, 24, 1, both_ways=True), [0, 1, 2, 300]),
    "long rows": (long_rows, [0, 3]),
    "star": (star, [5]),
    "lengths": (lambda: wg.generators.grid(30, 40, seed=2, weights=(1, 3)).to_csr(), [0, 700]),
}


@pytest.mark.cuda
@pytest.mark.parametrize("name", HARD)
@pytest.mark.parametrize("unweighted", [True, False])
def test_the_same_bits_on_a_gpu(name, unweighted):
    make, sources = HARD[name]
    graph = make()
    how = {"sources": sources, "unweighted": unweighted, "normalized": False}
    some = {"targets": [int(v) for v in np.arange(0, graph.shape[0], 7)], "limit": 9}
    for more in ({}, {"directed": False}, some) if unweighted else ({}, some):
        for function in (wg.betweenness_centrality, wg.edge_betweenness_centrality):
            found = [(function(graph, **how, **more, device=where),) for where in ("cpu", "cuda")]
            checks.assert_same_bits(found[1], found[0])


@pytest.mark.cuda
@pytest.mark.parametrize("unweighted", [True, False])
def test_batches_of_sources_on_a_gpu(unweighted):
    """With memory for few searches at a time, and with more sources than a batch has."""
    graph = wg.generators.grid(12, 12).to_csr()
    how = {"unweighted": unweighted, "sources": [*range(144)] * 4, "endpoints": True}
    expected = wg.betweenness_centrality(graph, **how)
    for limit in (None, "100 kB" if unweighted else "600 kB", "1 MB"):
        found = wg.betweenness_centrality(graph, **how, device="cuda", memory_limit=limit)
        checks.assert_same_bits((found,), (expected,))
