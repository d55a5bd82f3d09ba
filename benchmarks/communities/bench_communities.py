"""Communities, cores, trusses and triangles against igraph, leidenalg, NetworKit, NetworkX and GVE.

Those that are installed take part. Their graphs are made beforehand, of edges without loops; the
time of ours includes that of putting a graph into this form. NetworKit counts triangles for
clustering coefficients. Communities are compared by their modularity: that of the others is no
higher than ours by 0.01.
"""

import importlib.util
import random
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
from benchmarks.rivals import gve

SECTION = (
    "Dense parts and communities",
    "`wg.leiden_communities`, `wg.louvain_communities`, `wg.core_numbers` and "
    "`wg.clustering_coefficients` are compared with igraph, leidenalg, NetworkX, NetworKit "
    "and GVE-Leiden, whose graphs are made beforehand. The modularity of theirs is higher by "
    "0.01 at most.",
)


def edges_of(matrix: Any) -> sp.coo_array:
    """Return each edge once, without loops."""
    pattern = sp.csr_array(matrix, copy=True)
    pattern.data = np.ones(len(pattern.data))
    upper = sp.coo_array(sp.triu(pattern + pattern.T, k=1))
    upper.data[:] = 1
    return upper


def timed(call: Callable[[], Any], values_of: Callable[[Any], Any] = np.array) -> Timed:
    start = time.perf_counter()
    found = call()
    return Timed(time.perf_counter() - start, values_of(found))


def by_networkx(x: Input, function: Any):
    edges = edges_of(x.matrix)
    graph = nx.empty_graph(edges.shape[0])
    graph.add_edges_from(zip(edges.row.tolist(), edges.col.tolist(), strict=True))
    call = partial(function, graph, backend="networkx")
    return timed(call, lambda found: np.array(list(found.values())))


def igraph_of(x: Input):
    import igraph

    edges = edges_of(x.matrix)
    return igraph.Graph(n=edges.shape[0], edges=np.stack([edges.row, edges.col], axis=1))


def networkit_of(x: Input):
    import networkit

    networkit.setNumberOfThreads(x.threads)
    edges = edges_of(x.matrix)
    ends = edges.row.astype(np.uint64), edges.col.astype(np.uint64)
    return networkit.GraphFromCoo((edges.data, ends), n=edges.shape[0], directed=False)


def cores_by_igraph(x: Input):
    return timed(igraph_of(x).coreness)


def cores_by_networkit(x: Input):
    import networkit

    search = networkit.centrality.CoreDecomposition(networkit_of(x))
    return timed(search.run, lambda found: np.array(found.scores(), int))


def clustering_by_igraph(x: Input):
    return timed(partial(igraph_of(x).transitivity_local_undirected, mode="zero"))


def clustering_by_networkit(x: Input):
    import networkit

    graph = networkit_of(x)
    graph.indexEdges()
    search = networkit.centrality.LocalClusteringCoefficient(graph, turbo=True)
    return timed(search.run, lambda found: np.array(found.scores()))


def trusses_by_networkx(x: Input):
    """Take one truss after the other out of the one before."""
    edges = edges_of(x.matrix)
    graph = nx.Graph(zip(edges.row.tolist(), edges.col.tolist(), strict=True))
    start = time.perf_counter()
    numbers, k = dict.fromkeys(graph.edges, 2), 3
    while (graph := nx.k_truss(graph, k, backend="networkx")).number_of_edges() > 0:
        numbers.update(dict.fromkeys(graph.edges, k))
        k += 1
    seconds = time.perf_counter() - start
    rows, columns = zip(*numbers, strict=True)
    one_way = sp.csr_array((list(numbers.values()), (rows, columns)), shape=x.matrix.shape)
    return Timed(seconds, one_way + one_way.T)


def same_numbers(a, b) -> bool:
    return (a != b).nnz == 0


def leiden(x: Input):
    return wg.leiden_communities(x.graph, unweighted=True).quality


def louvain(x: Input):
    return wg.louvain_communities(x.graph, unweighted=True).quality


def modularity_of(x: Input, membership: Any) -> float:
    """Return the modularity of communities in a graph without loops."""
    edges = edges_of(x.matrix)
    labels = np.asarray(membership)
    degrees = np.bincount(np.r_[edges.row, edges.col], minlength=edges.shape[0])
    inside = (labels[edges.row] == labels[edges.col]).sum() / edges.nnz
    shares = np.bincount(labels, weights=degrees) / (2 * edges.nnz)
    return float(inside - (shares**2).sum())


def leiden_by_igraph(x: Input):
    call = partial(igraph_of(x).community_leiden, "modularity", n_iterations=2)
    return by_igraph_from_seed(x, call)


def louvain_by_igraph(x: Input):
    return by_igraph_from_seed(x, igraph_of(x).community_multilevel)


def by_igraph_from_seed(x: Input, call: Callable[[], Any]):
    """Time a call of igraph, which visits the vertices in the same random order in every run."""
    import igraph

    igraph.set_random_number_generator(random.Random(0))
    return timed(call, lambda found: modularity_of(x, found.membership))


def leiden_by_leidenalg(x: Input):
    import leidenalg

    kind = leidenalg.ModularityVertexPartition
    call = partial(leidenalg.find_partition, igraph_of(x), kind, n_iterations=2, seed=0)
    return timed(call, lambda found: modularity_of(x, found.membership))


def leiden_by_networkit(x: Input):
    import networkit

    search = networkit.community.ParallelLeiden(networkit_of(x), iterations=2)
    return timed(search.run, lambda found: modularity_of(x, found.getPartition().getVector()))


def louvain_by_networkit(x: Input):
    import networkit

    search = networkit.community.PLM(networkit_of(x))
    return timed(search.run, lambda found: modularity_of(x, found.getPartition().getVector()))


def no_higher(a, b) -> bool:
    """Return whether the modularity of ours is about as high as that of another program."""
    return a >= b - 0.01


def partitions(name: str, build: Callable[[], Any], suite: str) -> list[Case]:
    """Return cases of graphs without loops."""
    how: dict[str, Any] = {"floor_bytes": floor_bytes, "devices": ("cpu",), "agree": no_higher}
    by_leiden = rivals(igraph=leiden_by_igraph, networkit=leiden_by_networkit)
    if importlib.util.find_spec("leidenalg"):
        by_leiden["leidenalg"] = Once(leiden_by_leidenalg)
    by_leiden |= gve.rivals("leiden", edges_of)
    by_louvain = rivals(igraph=louvain_by_igraph, networkit=louvain_by_networkit)
    by_louvain |= gve.rivals("louvain", edges_of)
    return [
        Case(f"leiden_communities, {name}", build, leiden, by_leiden, suite, **how),
        Case(f"louvain_communities, {name}", build, louvain, by_louvain, suite, **how),
    ]


def without_loops(build: Callable[[], Any]) -> sp.csr_array:
    """Return a graph each of whose edges is stored both ways, once, with weight 1."""
    edges = edges_of(build())
    return sp.csr_array(edges + edges.T)


def rivals(*, networkx: Any = None, igraph: Any, networkit: Any) -> dict[str, Any]:
    """Return the programs that are installed, by name."""
    found: dict[str, Any] = {}
    if networkx is not None:
        found["networkx"] = Once(partial(by_networkx, function=networkx))
    for name, run in (("igraph", igraph), ("networkit", networkit)):
        if importlib.util.find_spec(name):
            found[name] = Once(run)
    return found


def floor_bytes(matrix) -> int:
    """Read the structure once, and write a number for each vertex."""
    return matrix.indptr.nbytes + matrix.indices.nbytes + 4 * matrix.shape[0]


def trusses(name: str, build: Callable[[], Any], suite: str, *, by_python: bool = False) -> Case:
    return Case(
        f"truss_numbers, {name}",
        build,
        lambda x: wg.truss_numbers(x.graph),
        {"networkx": Once(trusses_by_networkx)} if by_python else {},
        suite,
        agree=same_numbers,
        floor_bytes=floor_bytes,
        devices=("cpu",),
    )


def cases(name: str, build: Callable[[], Any], suite: str, *, by_python: bool = True) -> list[Case]:
    cores = rivals(
        networkx=nx.core_number if by_python else None,
        igraph=cores_by_igraph,
        networkit=cores_by_networkit,
    )
    shares = rivals(
        networkx=nx.clustering if by_python else None,
        igraph=clustering_by_igraph,
        networkit=clustering_by_networkit,
    )
    how: dict[str, Any] = {"floor_bytes": floor_bytes, "devices": ("cpu",)}
    return [
        Case(
            f"core_numbers, {name}",
            build,
            lambda x: wg.core_numbers(x.graph),
            cores,
            suite,
            agree=np.array_equal,
            **how,
        ),
        Case(
            f"clustering_coefficients, {name}",
            build,
            lambda x: wg.clustering_coefficients(x.graph),
            shares,
            suite,
            agree=np.allclose,
            **how,
        ),
    ]


CASES = [
    *cases("grid 20 x 20", partial(inputs.grid, 20, 20), "smoke"),
    *cases("R-MAT scale 14", partial(inputs.rmat, 14), "standard"),
    *cases("R-MAT scale 18", partial(inputs.rmat, 18), "standard", by_python=False),
    *cases("SSCA2 scale 18", partial(inputs.ssca2, 18), "standard", by_python=False),
    *cases("ny-road", inputs.ny_road, "standard", by_python=False),
    *cases("grid 2048 x 2048", inputs.grid_2048, "standard", by_python=False),
    *cases("R-MAT scale 20", inputs.rmat_20, "large", by_python=False),
    trusses("grid 20 x 20", partial(inputs.grid, 20, 20), "smoke", by_python=True),
    trusses("R-MAT scale 10", partial(inputs.rmat, 10), "standard", by_python=True),
    trusses("R-MAT scale 16", partial(inputs.rmat, 16), "standard"),
    trusses("SSCA2 scale 18", partial(inputs.ssca2, 18), "standard"),
    trusses("ny-road", inputs.ny_road, "standard"),
    *partitions("grid 20 x 20", partial(inputs.grid, 20, 20), "smoke"),
    *partitions("R-MAT scale 16", partial(without_loops, partial(inputs.rmat, 16)), "standard"),
    *partitions("SSCA2 scale 17", partial(without_loops, partial(inputs.ssca2, 17)), "standard"),
    *partitions("ny-road", partial(without_loops, inputs.ny_road), "standard"),
    *partitions("R-MAT scale 20", partial(without_loops, inputs.rmat_20), "large"),
]


if __name__ == "__main__":
    main(__file__, CASES)
