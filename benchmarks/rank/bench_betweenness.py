"""wg.betweenness_centrality against NetworkX, igraph, NetworKit and GAP's bc, those that are there.

All vertices of small graphs are sources. Of large ones 16 are, the same for all programs but GAP,
which draws its own: its times alone are compared. Conversions of graphs are not timed.
"""

import importlib.util
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import networkx as nx
import numpy as np
import scipy.sparse as sp

import warpgraph as wg
from benchmarks import inputs
from benchmarks.harness import Case, Input, Once, Timed, main
from benchmarks.rivals import gap

SECTION = (
    "Betweenness",
    "`wg.betweenness_centrality` is compared with NetworkX and igraph, and with NetworKit and "
    "GAP on cores. GAP draws its own sources.",
)

SOURCES = 16
HOPS = {"unweighted": True}


def few(matrix) -> list[int]:
    """Return some sources, evenly spaced among the vertices that have edges."""
    usable = np.flatnonzero(np.diff(matrix.indptr))
    return usable[np.linspace(0, len(usable) - 1, SOURCES).astype(int)].tolist()


def ours(x: Input, **how):
    return wg.betweenness_centrality(x.graph, device=x.device, **how)


def ours_of_few(x: Input, **how):
    return ours(x, sources=few(x.matrix), **how)


def ours_of_edges(x: Input):
    return wg.edge_betweenness_centrality(x.graph, unweighted=True, device=x.device)


def timed(call: Callable[[], Any], scores_of: Callable[[Any], Any]) -> Timed:
    start = time.perf_counter()
    found = call()
    return Timed(time.perf_counter() - start, scores_of(found))


def networkx_own(x: Input, weight=None):
    graph = nx.from_scipy_sparse_array(x.matrix, create_using=nx.DiGraph)
    how = {"weight": weight, "backend": "networkx"}
    call = partial(nx.betweenness_centrality, graph, **how)
    return timed(call, lambda found: np.array(list(found.values())))


def networkx_of_edges(x: Input):
    graph = nx.from_scipy_sparse_array(x.matrix, create_using=nx.DiGraph)
    call = partial(nx.edge_betweenness_centrality, graph, backend="networkx")
    return timed(call, lambda found: np.array(list(found.values())))


def igraph_own(x: Input, weighted=False, sources=None):
    import igraph

    n = x.matrix.shape[0]
    tails = np.repeat(np.arange(n), np.diff(x.matrix.indptr))
    edges = np.stack([tails, x.matrix.indices], axis=1)
    graph = igraph.Graph(n=n, edges=edges, directed=True)
    how: dict[str, Any] = {"weights": x.matrix.data if weighted else None}
    if sources is not None:
        how["sources"] = sources(x.matrix)
    call = partial(graph.betweenness, **how)
    return timed(call, lambda found: np.array(found) / ((n - 1) * (n - 2)))


def networkit_own(x: Input):
    import networkit

    networkit.setNumberOfThreads(x.threads)
    entries = sp.coo_matrix(x.matrix)
    graph = networkit.GraphFromCoo(entries, n=x.matrix.shape[0], directed=True)
    search = networkit.centrality.Betweenness(graph, normalized=True)
    return timed(search.run, lambda found: np.array(found.scores()))


def rivals(weighted=False, sources=None) -> dict[str, Any]:
    """Return the programs that are installed, by name."""
    found: dict[str, Any] = {}
    if sources is None:
        found["networkx"] = Once(partial(networkx_own, weight="weight" if weighted else None))
        if importlib.util.find_spec("networkit") and not weighted:
            found["networkit"] = Once(networkit_own)
    if importlib.util.find_spec("igraph"):
        found["igraph"] = Once(partial(igraph_own, weighted=weighted, sources=sources))
    return found


def agree(a, b) -> bool:
    """Compare scores; of GAP there are none."""
    return b is None or np.allclose(a, b, rtol=1e-7, atol=1e-12)


def every_source(name, build, suite, *, weighted=True) -> list[Case]:
    named = {"suite": suite, "agree": agree}
    cases = [Case(f"betweenness, {name}", build, partial(ours, **HOPS), rivals(), **named)]
    if weighted:
        title = f"betweenness, {name}, weighted"
        cases.append(Case(title, build, ours, rivals(weighted=True), **named))
    return cases


def few_sources(name, build, suite, *, weighted=False, for_gap=True) -> list[Case]:
    named = {"suite": suite, "agree": agree}
    title, call = f"betweenness, {name}, {SOURCES} sources", partial(ours_of_few, **HOPS)
    hops = rivals(sources=few) | (gap.betweenness_rivals(SOURCES) if for_gap else {})
    cases = [Case(title, build, call, hops, **named)]
    if weighted:
        title = f"betweenness, {name}, weighted, {SOURCES} sources"
        others = rivals(weighted=True, sources=few)
        cases.append(Case(title, build, ours_of_few, others, **named))
    return cases


def edges(name, build, suite) -> Case:
    others = {"networkx": Once(networkx_of_edges)}
    named = {"suite": suite, "agree": agree}
    return Case(f"betweenness of edges, {name}", build, ours_of_edges, others, **named)


SMALL, MEDIUM = partial(inputs.grid, 20, 20), partial(inputs.road_like, 100)
RMAT_13 = partial(inputs.rmat, 13)

CASES = [
    *every_source("grid 20 x 20", SMALL, "smoke"),
    edges("grid 20 x 20", SMALL, "smoke"),
    *few_sources("grid 20 x 20", SMALL, "smoke", weighted=True),
    *every_source("roads, 10,000 vertices", MEDIUM, "standard"),
    edges("roads, 10,000 vertices", MEDIUM, "standard"),
    *every_source("R-MAT scale 13", RMAT_13, "standard", weighted=False),
    *few_sources("ny-road", inputs.ny_road, "standard", weighted=True),
    *few_sources("grid 2048 x 2048", inputs.grid_2048, "standard"),
    *few_sources("R-MAT scale 20", inputs.rmat_20, "standard"),
    *few_sources("R-MAT scale 20, directed", inputs.rmat_20_directed, "standard", for_gap=False),
    *few_sources("R-MAT scale 22", inputs.rmat_22, "large"),
    *few_sources("SSCA2 scale 22", inputs.ssca2_22, "large"),
    *few_sources("grid 4900 x 4900", inputs.grid_4900, "large"),
]

if __name__ == "__main__":
    main(__file__, CASES)
