"""wg.shortest_path_dag: all shortest paths from a vertex."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import checks
import graphs
import oracles
import warpgraph as wg

#: No path of a sample has more edges than the oracle's recursion bears.
FEW = 200


def lightest(graph, directed):
    """Return {(tail, head): (weight, position)} of the first of the lightest parallel edges."""
    found = {}
    tail, head, weight = (array.tolist() for array in oracles.arcs(graph, directed))
    for e, (u, v, w) in enumerate(zip(tail, head, weight, strict=True)):
        if u != v and w < np.inf:
            found[u, v] = min(found.get((u, v), (np.inf, 0)), (w, e % max(graph.nnz, 1)))
    return found


def simple_paths(graph, source, *, directed=True, dtype=np.float64):
    """Return the simple paths from the source, (vertices, edges), by their ends."""
    distance = oracles.distances(graph, source, dtype=dtype, directed=directed)
    leaving = {}
    for (u, v), (w, e) in lightest(graph, directed).items():
        if distance[u] < np.inf and distance[u] + np.dtype(dtype).type(w) == distance[v]:
            leaving.setdefault(u, []).append((v, e))
    found = [[] for _ in range(graph.shape[0])]

    def extend(vertices, edges):
        found[vertices[-1]].append((vertices, edges))
        for v, e in leaving.get(vertices[-1], []):
            if v not in vertices:
                extend([*vertices, v], [*edges, e])

    extend([source], [])
    return [sorted(paths, key=lambda path: path[0][::-1]) for paths in found]


def has_cycle(dag):
    links = nx.DiGraph()
    heads = np.repeat(np.arange(len(dag.distances)), np.diff(dag.indptr))
    links.add_edges_from(zip(dag.predecessors.tolist(), heads.tolist(), strict=True))
    return not nx.is_directed_acyclic_graph(links)


def assert_right(graph, source, *, directed=True, **options):
    dag = wg.shortest_path_dag(graph, source, directed=directed, **options)
    kind = dag.distances.dtype
    assert dag.source == source
    assert dag.distances.tobytes() == wg.sssp(graph, source, directed=directed).tobytes()
    assert dag.indptr.dtype == dag.edge_ids.dtype == np.int64
    assert dag.predecessors.dtype == np.int32
    wanted = simple_paths(graph, source, directed=directed, dtype=kind)
    for v, paths in enumerate(wanted):
        assert [path.tolist() for path in dag.paths(v)] == [path for path, _ in paths]
        assert [path.tolist() for path in dag.edge_paths(v)] == [edges for _, edges in paths]
    if has_cycle(dag):
        with checks.raises_sentence(ValueError, "cycle of weight zero through vertex"):
            dag.counts()
    else:
        assert dag.counts().tolist() == [len(paths) for paths in wanted]
        assert [dag.n_paths(v) for v in range(graph.shape[0])] == [len(paths) for paths in wanted]


def is_small(graph):
    return (
        not graphs.has_negative(graph)
        and abs(graph.data).max(initial=0) < 1e6
        and 0 < graph.shape[0] < FEW
    )


@graphs.over_samples(only=is_small)
def test_samples(graph, device):
    for source in {0, graph.shape[0] // 2}:
        assert_right(graph, source, device=device)
    assert_right(graph, 0, directed=False, device=device)


@pytest.mark.parametrize("weights", ["integer", "ties", "non_negative"])
def test_drawn_graphs(weights, device):
    strategy = graphs.graphs_with_source(
        weights=weights, max_vertices=8, dtypes=[np.float32, np.float64]
    )

    @settings(max_examples=60)
    @given(strategy, st.booleans())
    def agrees(drawn, directed):
        assert_right(*drawn, directed=directed, device=device)

    agrees()


def test_networkx_agrees(device):
    graph = nx.gnp_random_graph(40, 0.12, seed=4, directed=True)
    rng = np.random.default_rng(4)
    for _, _, attributes in graph.edges(data=True):
        attributes["weight"] = int(rng.integers(1, 4))
    dag = wg.shortest_path_dag(graph, 0, device=device)
    for target in nx.descendants(graph, 0):
        wanted = sorted(nx.all_shortest_paths(graph, 0, target, weight="weight"))
        assert sorted(path.tolist() for path in dag.paths(target)) == wanted
        assert dag.n_paths(target) == len(wanted)


def test_edges_of_a_larger_graph(device):
    graph = wg.Graph(graphs.SAMPLES["medium_power_law"])
    dag = wg.shortest_path_dag(graph, 7, device=device)
    tail, head, weight = oracles.arcs(graph.to_csr())
    ids, heads = dag.edge_ids, np.repeat(np.arange(1500), np.diff(dag.indptr))
    assert (tail[ids] == dag.predecessors).all()
    assert (head[ids] == heads).all()
    assert (dag.distances[tail[ids]] + weight[ids] == dag.distances[heads]).all()
    tight = (dag.distances[tail] + weight == dag.distances[head]) & (dag.distances[tail] < np.inf)
    pairs = set(zip(tail[tight & (tail != head)], head[tight & (tail != head)], strict=True))
    assert len(pairs) == len(ids)


def ladder(n):
    """A chain of n squares, each of which has two ways across."""
    edges = []
    for i in range(n):
        a = 3 * i
        edges += [(a, a + 1, 1), (a, a + 2, 1), (a + 1, a + 3, 1), (a + 2, a + 3, 1)]
    return graphs.csr(3 * n + 1, edges)


def test_large_counts():
    dag = wg.shortest_path_dag(ladder(100), 0)
    assert dag.counts()[-1] == 2.0**100
    assert dag.n_paths(300) == 2**100
    first = next(dag.paths(300))
    assert len(first) == 201
    assert (first[1::2] % 3 == 1).all()
    endless = wg.shortest_path_dag(ladder(1100), 0)
    assert endless.counts()[-1] == np.inf
    assert endless.n_paths(3300) == 2**1100


def test_counts_beyond_two_to_53_are_rounded():
    graph = graphs.csr(
        176,
        [
            *zip(*oracles.arcs(ladder(53)), strict=True),
            (159, 161, 1),
            (0, 160, 107),
            (160, 161, 0),
        ],
    )
    dag = wg.shortest_path_dag(graph, 0)
    assert dag.distances[161] == 107
    assert dag.n_paths(161) == 2**53 + 1
    assert dag.counts()[161] == 2.0**53


def test_negative_weights(device):
    dag = wg.shortest_path_dag(graphs.SAMPLES["negative_weights"], 0, device=device)
    assert dag.counts().tolist() == [1, 1, 1, 1, 1]
    assert [p.tolist() for p in dag.paths(4)] == [[0, 2, 1, 3, 4]]
    with pytest.raises(wg.NegativeCycleError):
        wg.shortest_path_dag(graphs.SAMPLES["negative_cycle"], 0, device=device)


def test_cycles_of_zero_weight():
    """Paths visit no vertex twice; how many they are is not counted."""
    graph = graphs.csr(4, [(0, 1, 1), (1, 2, 0), (2, 1, 0), (0, 2, 1), (2, 3, 1), (2, 0, 0)])
    dag = wg.shortest_path_dag(graph, 0)
    assert [p.tolist() for p in dag.paths(3)] == [[0, 2, 3], [0, 1, 2, 3]]
    assert dag.predecessors[: dag.indptr[1]].size == 0
    with checks.raises_sentence(ValueError, "cycle of weight zero through vertex 1", "paths()"):
        dag.n_paths(3)


def test_parallel_edges_and_both_directions():
    graph = graphs.csr(3, [(0, 1, 3), (0, 1, 2), (0, 1, 2), (2, 1, 4), (1, 2, 5)])
    dag = wg.shortest_path_dag(graph, 0)
    assert [p.tolist() for p in dag.edge_paths(2)] == [[1, 3]]
    undirected = wg.shortest_path_dag(graph, 0, directed=False)
    assert undirected.distances.tolist() == [0, 2, 6]
    assert [p.tolist() for p in undirected.edge_paths(2)] == [[1, 4]]
    assert graph.indices[4] == 1  # (2, 1)


def test_names():
    roads = nx.Graph([("a", "b"), ("b", "d"), ("a", "c"), ("c", "d")])
    dag = wg.shortest_path_dag(roads, "a", unweighted=True)
    assert [p.tolist() for p in dag.paths("d")] == [["a", "b", "d"], ["a", "c", "d"]]
    assert dag.n_paths("d") == 2
    with checks.raises_sentence(ValueError, "target is 'z'", "no vertex has that name"):
        dag.paths("z")
    zeros = nx.Graph([("a", "b", {"weight": 1}), ("b", "c", {"weight": 0})])
    zeros.add_edge("c", "a", weight=1)
    with checks.raises_sentence(ValueError, "cycle of weight zero through vertex 'b'"):
        wg.shortest_path_dag(zeros, "a").counts()


def test_unreachable_and_trivial_targets():
    dag = wg.shortest_path_dag(graphs.SAMPLES["two_islands"], 0)
    assert list(dag.paths(1)) == []
    assert list(dag.edge_paths(1)) == []
    assert dag.n_paths(1) == 0
    assert [p.tolist() for p in dag.paths(0)] == [[0]]
    assert dag.n_paths(0) == 1
    assert repr(dag) == "<warpgraph.ShortestPathDag: from vertex 0, 6 vertices, 2 edges>"


def test_bad_input():
    graph = graphs.SAMPLES["grid"]
    with checks.raises_sentence(ValueError, "source is 64", "0..63"):
        wg.shortest_path_dag(graph, 64)
    dag = wg.shortest_path_dag(graph, 0)
    for wrong in (dag.paths, dag.edge_paths, dag.n_paths):
        with checks.raises_sentence(ValueError, "target is 64", "0..63"):
            wrong(64)
    with checks.raises_sentence(MemoryError, "memory_limit"):
        wg.shortest_path_dag(graph, 0, memory_limit=100)
