"""Betweenness centrality: counts of paths of any size, and the same bits in every way."""

from fractions import Fraction

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp

import checks
import graphs
import oracles
import warpgraph as wg
from device_lists import GPUS


def exact_scores(n, edges):
    """Brandes' algorithm in integers and fractions; `edges` have length 1."""
    out = {v: [] for v in range(n)}
    for u, v in edges:
        out[u].append(v)
    scores = [Fraction(0)] * n
    for s in range(n):
        hops, counts, order = {s: 0}, {s: 1}, [s]
        for u in order:
            for v in out[u]:
                if v not in hops:
                    hops[v], counts[v] = hops[u] + 1, 0
                    order.append(v)
                if hops[v] == hops[u] + 1:
                    counts[v] += counts[u]
        dependency = dict.fromkeys(order, Fraction(0))
        for u in reversed(order):
            tight = [v for v in out[u] if hops[v] == hops[u] + 1]
            dependency[u] = sum(
                (Fraction(counts[u], counts[v]) * (1 + dependency[v]) for v in tight), Fraction(0)
            )
            scores[u] += dependency[u] if u != s else 0
    return scores


@pytest.mark.parametrize("weighted", [False, True])
def test_counts_beyond_the_integers_of_float64(weighted, device):
    """The corners of a grid are joined by 2 ** 64 paths."""
    side = 12
    ends = wg.generators.grid(side, side).to_csr()
    chain = [(u, u + k, 1.0) for u in range(0, 105, 3) for k in (1, 2)]
    chain += [(u + k, u + 3, 1.0) for u in range(0, 105, 3) for k in (1, 2)]
    long = graphs.csr(106, graphs.both_ways(chain * 2))
    parts = [sp.csr_array(ends), long]
    graph = sp.block_diag(parts, format="csr") if weighted else long
    graph.data = np.full(len(graph.data), 3.0 if weighted else 1.0)
    pairs = set(zip(*(part.tolist() for part in oracles.arcs(graph)[:2]), strict=True))
    expected = [float(score) for score in exact_scores(graph.shape[0], pairs)]
    how = {"unweighted": not weighted, "device": device}
    found = wg.betweenness_centrality(graph, normalized=False, **how)
    np.testing.assert_allclose(found, expected, rtol=1e-13)


def many_diamonds(n_diamonds):
    """A chain whose ends are joined by 2 ** n_diamonds paths."""
    first = 3 * np.arange(n_diamonds)
    tail = np.r_[first, first, first + 1, first + 2]
    head = np.r_[first + 1, first + 2, first + 3, first + 3]
    return wg.Graph.from_edges(tail, head, np.ones(len(tail)), n_vertices=3 * n_diamonds + 1)


@pytest.mark.parametrize("n_diamonds", [50, 60, 520, pytest.param(2000, marks=pytest.mark.heavy)])
@pytest.mark.parametrize("unweighted", [False, True])
def test_counts_of_any_size(n_diamonds, unweighted, device):
    """From an end, beyond the exponents of float64; each vertex behind the first depends on it."""
    n, graph = 3 * n_diamonds + 1, many_diamonds(n_diamonds)
    how = {"sources": [0], "unweighted": unweighted, "normalized": False}
    how["device"] = device
    v = np.arange(n)
    behind = n - 1 - v
    expected = np.where(v % 3 == 0, behind, (behind - (v % 3 == 1)) / 2)
    expected[0] = 0
    assert (wg.betweenness_centrality(graph, **how) == expected).all()
    assert wg.edge_betweenness_centrality(graph, **how)[0] == expected[1] + 1


@pytest.mark.heavy
def test_a_few_paths_beside_very_many(device):
    """One of 2 ** 2000 + 1 paths has no share of what follows, but all behind it alone."""
    n = 6001
    tail, head, _ = (part.tolist() for part in oracles.arcs(many_diamonds(2000).to_csr()))
    alone = [(0, n), *((n + i, n + i + 1) for i in range(3998)), (n + 3998, n - 1)]
    edges = [*zip(tail, head, strict=True), *alone, (n - 1, n + 3999), (n + 3998, n + 4000)]
    graph = graphs.csr(n + 4001, [(u, v, 1.0) for u, v in edges])
    for unweighted in (False, True):
        how = {"sources": [0], "unweighted": unweighted, "normalized": False}
        how["device"] = device
        found = wg.betweenness_centrality(graph, **how)
        assert found[n - 1] == 1
        assert found[n] == 3999
        assert found[n + 3998] == 1


@pytest.mark.parametrize("unweighted", [False, True])
def test_the_same_bits_in_every_way(unweighted):
    """By one thread a source, by threads together, and from rows in any order."""
    graph = wg.generators.grid(150, 160, seed=2, weights=(1, 3)).to_csr()
    rng = np.random.default_rng(5)
    shuffled = graph.copy()
    for first, last in zip(graph.indptr[:-1], graph.indptr[1:], strict=True):
        order = first + rng.permutation(last - first)
        shuffled.indices[first:last] = graph.indices[order]
        shuffled.data[first:last] = graph.data[order]
    found = []
    for threads in (1, 2, 3, 8):
        wg.set_num_threads(threads)
        for matrix in (graph, shuffled):
            how = {"unweighted": unweighted, "sources": [3, 9000]}
            found.append((wg.betweenness_centrality(matrix, **how),))
    wg.set_num_threads(0)
    for device in GPUS[:1]:
        found.append((wg.betweenness_centrality(shuffled, **how, device=device),))
    for other in found[1:]:
        checks.assert_same_bits(other, found[0])


def layers(n_layers, width, degree, seed, both_ways=False):
    """A graph of layers, from each vertex to some of the next; its vertices are renumbered."""
    rng = np.random.default_rng(seed)
    tails = np.repeat(np.arange((n_layers - 1) * width), degree)
    some = [rng.choice(width, degree, replace=False) for _ in range((n_layers - 1) * width)]
    heads = (tails // width + 1) * width + np.concatenate(some)
    names = rng.permutation(n_layers * width)
    arcs = [(u, v, 1.0) for u, v in zip(names[tails], names[heads], strict=True)]
    return graphs.csr(n_layers * width, graphs.both_ways(arcs) if both_ways else arcs)


@pytest.mark.parametrize(("n_layers", "width", "degree"), [(8, 20, 15), (14, 48, 28)])
def test_dense_layers_both_ways(n_layers, width, degree):
    """Most arcs leave the level before the last: the cores pull counts from there, up to 28 ** 13.

    With fewer sources than threads, these push instead.
    """
    graph = layers(n_layers, width, degree, 2, both_ways=True)
    how = {"sources": [0, 7, 90], "unweighted": True, "normalized": False}
    found = []
    for threads in (1, 8):
        wg.set_num_threads(threads)
        found.append((wg.betweenness_centrality(graph, **how),))
        found[-1] += (wg.edge_betweenness_centrality(graph, **how),)
    wg.set_num_threads(0)
    checks.assert_same_bits(found[1], found[0])
    theirs = nx.DiGraph(graph)
    expected = nx.betweenness_centrality_subset(theirs, how["sources"], list(theirs))
    np.testing.assert_allclose(found[0][0], list(expected.values()), rtol=1e-9)
