"""Arrays that begin anywhere in memory: each function reads a copy, whose items are aligned."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal

import calls
import warpgraph as wg
from warpgraph import _core
from warpgraph._arguments import points, validate
from warpgraph._search import predicate_filter
from warpgraph.csgraph import _floyd_warshall, _input

ROADS = wg.generators.grid(6, 6, seed=1, weights=(1, 9)).to_csr()
POINTS = np.random.default_rng(0).random((40, 3))


def misaligned(values):
    """Return a copy that begins at an odd address."""
    values = np.ascontiguousarray(values)
    copy = np.empty(values.nbytes + 1, np.uint8)[1:].view(values.dtype).reshape(values.shape)
    copy[...] = values
    assert not copy.flags.aligned
    return copy


def of_records(values):
    """Return a copy whose items are a field of packed records of odd size."""
    values = np.asarray(values)
    records = np.empty(values.shape, [("kind", "u1"), ("value", values.dtype)])
    records["value"] = values
    assert not records["value"].flags.aligned
    return records["value"]


def misaligned_csr(graph, guise=misaligned):
    matrix = sp.csr_array(graph.shape, dtype=graph.dtype)
    matrix.indptr, matrix.indices = guise(graph.indptr), guise(graph.indices)
    matrix.data = guise(graph.data)
    return matrix


guises = pytest.mark.parametrize("guise", [misaligned, of_records])


@guises
@pytest.mark.parametrize("call", calls.CALLS, ids=str)
def test_results_are_those_of_aligned_arrays(call, guise):
    """The core refuses what is not aligned: each function copies it."""
    if call.takes == "graph":
        aligned, other = ROADS, misaligned_csr(ROADS, guise)
    elif call.takes == "points":
        aligned, other = POINTS, guise(POINTS)
    else:
        pytest.skip("takes no array")
    for ours, theirs in zip(call.run(other), call.run(aligned), strict=True):
        assert_array_equal(ours, theirs)


N = ROADS.shape[0]
M = ROADS.nnz
REALS = np.random.default_rng(1).random(M)
SOME = np.array([3, 0, 7], np.int32)
OTHERS = np.array([5, 5, 2], np.int64)
LABELS = (POINTS[:, 0] * 3).astype(np.int64)
TREE = wg.sssp(ROADS, 0, return_predecessors=True)[1]
FOREST = wg.minimum_spanning_forest(ROADS)
TURNS = np.array([0, 4, 9]), np.array([7, 2, 30])


def as_forest(to):
    parts = to(FOREST.edges), to(FOREST.weights), to(FOREST.edge_ids)
    return wg.SpanningForest(N, *parts)


def turns(to, costs):
    graph = wg.Graph(ROADS.astype(np.asarray(costs).dtype))
    ends = np.repeat(np.arange(N), np.diff(ROADS.indptr))
    from_edges = np.flatnonzero(ROADS.indices == 7)[:2]
    to_edges = np.flatnonzero(ends == 7)[:2]
    expanded = graph.with_turns(to(from_edges), to(to_edges), to(costs))
    return (expanded.sssp(0),) if hasattr(expanded, "sssp") else (wg.sssp(expanded, 0),)


def kmeans(to, **changes):
    model = wg.cluster.KMeans(3, init=to(POINTS[:3]), n_init=1)
    model.fit(to(POINTS), sample_weight=to(POINTS[:, 1]))
    model.cluster_centers_ = to(model.cluster_centers_)
    weights = to(POINTS[:, 2])
    return model.predict(to(POINTS)), np.array(model.score(to(POINTS), sample_weight=weights))


def hdbscan(to):
    model = wg.cluster.HDBSCAN(3).fit(to(POINTS))
    of_few = wg.cluster.HDBSCAN(3).fit(to(POINTS), sample_weight=to(np.ones(len(POINTS))))
    return (of_few.labels_, model.labels_, *model.approximate_predict(to(POINTS[:9] + 0.01)))


def customized(to):
    hierarchy = wg.Hierarchy(ROADS, customizable=True).customize(to(REALS))
    return (wg.many_to_many(hierarchy.graph, to(SOME), to(OTHERS), method="hierarchy"),)


def extended(to):
    ends = np.array([[0, 35], [1, 34]])
    weights = np.array([1, 2], FOREST.weights.dtype)
    forest = wg.extend_forest(as_forest(to), to(ends), to(weights), to(M + SOME[:2]))
    return forest.edges, forest.weights, forest.edge_ids


def merged(to):
    forest = wg.merge_forests(FOREST, as_forest(to))
    return forest.edges, forest.weights


def paths(to, **options):
    coordinates = to(np.random.default_rng(3).random((N, 2)))
    graph = wg.Graph(misaligned_csr(ROADS, to), coordinates=coordinates)
    length, vertices = wg.shortest_path(graph, 0, 17, **options)
    return np.array(length), vertices


def weighted(to, **options):
    graph = wg.Graph.from_csr(to(ROADS.indptr), to(ROADS.indices), to(REALS), **options)
    return (*graph.to_csr().sum(axis=0), graph.with_weights(to(REALS * 2), **options).data)


def from_edges(to, data=REALS):
    tails = np.repeat(np.arange(N), np.diff(ROADS.indptr))
    graph = wg.Graph.from_edges(to(tails), to(ROADS.indices), to(data))
    return graph.indptr, graph.indices, graph.data


#: Calls with arrays other than the graph's or the points: call(to), which makes arrays of copies.
WITH_ARRAYS = {
    "sssp": lambda to: (wg.sssp(ROADS, 0, targets=to(SOME)),),
    "many_to_many": lambda to: (wg.many_to_many(ROADS, to(SOME), to(OTHERS)),),
    "shortest_paths": lambda to: wg.shortest_paths(ROADS, to(SOME), to(OTHERS)),
    "within": lambda to: (wg.within(ROADS, to(SOME), 12).toarray(),),
    "accessibility": lambda to: (
        wg.accessibility(ROADS, to(SOME), to(np.array([3.0, 12])), opportunities=to(REALS[:N])),
    ),
    "nearest_facilities": lambda to: wg.nearest_facilities(ROADS, to(SOME), 2)[:2],
    "bottleneck_paths": lambda to: wg.bottleneck_paths(ROADS, to(SOME), to(OTHERS))[:1],
    "betweenness_centrality": lambda to: (
        wg.betweenness_centrality(ROADS, sources=to(SOME), targets=to(OTHERS)),
    ),
    "pagerank": lambda to: (
        wg.pagerank(
            ROADS,
            personalization=to(REALS[:N]),
            nstart=to(REALS[1 : N + 1]),
            dangling=to(REALS[:N]),
        ),
    ),
    "steiner_tree": lambda to: (wg.steiner_tree(ROADS, to(SOME)).weights,),
    "local_forest": lambda to: (wg.local_forest(ROADS, entries=to(np.arange(30))).weights,),
    "predicate_filter": lambda to: (wg.predicate_filter(to(REALS), 0.2, 0.7),),
    "reconstruct_path": lambda to: (wg.reconstruct_path(to(TREE), 0, 17),),
    "reconstruct_paths": lambda to: wg.reconstruct_paths(to(TREE), 0, to(SOME))[:1],
    "landmarks": lambda to: paths(to, method="alt", landmarks=to(SOME)),
    "coordinates": lambda to: paths(to, method="astar"),
    "Graph.from_csr": weighted,
    "Graph.from_csr, copy=False": lambda to: weighted(to, copy=False),
    "Graph.from_edges": from_edges,
    "Graph.from_edges, integers": lambda to: from_edges(to, ROADS.data),
    "Graph.subgraph": lambda to: (wg.Graph(ROADS).subgraph(to(SOME)).to_csr().toarray(),),
    "Graph.with_turns": lambda to: turns(to, np.array([0.5, np.inf])),
    "Graph.with_turns, integers": lambda to: turns(to, np.array([3, 1])),
    "transform.permute": lambda to: (
        wg.transform.permute(ROADS, to(np.arange(N)[::-1].copy())).graph.to_csr().toarray(),
    ),
    "Hierarchy.customize": customized,
    "SpanningForest": lambda to: (wg.cluster.single_linkage(as_forest(to)),),
    "extend_forest": extended,
    "merge_forests": merged,
    "cluster.KMeans": kmeans,
    "cluster.HDBSCAN": hdbscan,
    "cluster.nearest_neighbors": lambda to: (
        wg.cluster.nearest_neighbors(to(POINTS), 3, queries=to(POINTS[:7] * 0.9)).distances,
    ),
    "cluster.radius_neighbors_graph": lambda to: (
        wg.cluster.radius_neighbors_graph(to(POINTS), 0.3, queries=to(POINTS[:7])).toarray(),
    ),
    "cluster.mst_of_points": lambda to: (
        wg.cluster.mst_of_points(to(POINTS), metric="cosine").weights,
        wg.cluster.mst_of_points(to(LABELS[:, None]), metric="hamming").weights,
    ),
    "cluster.validity_index": lambda to: (
        np.array(wg.cluster.validity_index(to(POINTS), to(LABELS))),
    ),
    "cluster.validity_index, distances": lambda to: (
        np.array(
            wg.cluster.validity_index(
                to(np.abs(np.subtract.outer(REALS[:40], REALS[:40]))),
                to(LABELS),
                metric="precomputed",
                d=2,
            )
        ),
    ),
    "cluster.core_distances": lambda to: (
        wg.cluster.core_distances(to(REALS[:45]), 3, metric="precomputed"),
    ),
    "csgraph.reconstruct_path": lambda to: (
        wg.csgraph.reconstruct_path(ROADS, to(TREE)).toarray(),
    ),
    "csgraph.dijkstra": lambda to: (wg.csgraph.dijkstra(ROADS, indices=to(SOME)),),
    "csgraph of a matrix": lambda to: (wg.csgraph.floyd_warshall(to(ROADS.toarray())),),
}


@guises
@pytest.mark.parametrize("name", WITH_ARRAYS)
def test_other_arrays_are_copied(name, guise):
    found, expected = WITH_ARRAYS[name](guise), WITH_ARRAYS[name](np.array)
    for ours, theirs in zip(found, expected, strict=True):
        if isinstance(ours, list):
            ours, theirs = np.concatenate(ours), np.concatenate(theirs)
        assert_array_equal(ours, theirs)


def at_odd_address(buffer):
    copy = np.empty(buffer.nbytes + 1, np.uint8)[1:]
    copy[...] = np.frombuffer(buffer, np.uint8)
    return copy


def moved(value):
    """Return a copy by a pickle whose arrays begin at odd addresses."""
    buffers = []
    pickled = pickle.dumps(value, protocol=5, buffer_callback=buffers.append)
    assert buffers
    return pickle.loads(pickled, buffers=[at_odd_address(b.raw()) for b in buffers])


#: Objects with arrays, and what is asked of them.
PICKLED = {
    "Graph": (lambda: wg.Graph(ROADS), lambda g: (wg.sssp(g, 0), wg.bfs(g, 0))),
    "TurnGraph": (
        lambda: wg.Graph(ROADS).with_turns([0], [3], [1]),
        lambda graph: (wg.sssp(graph, 0),),
    ),
    "Hierarchy": (
        lambda: wg.Hierarchy(ROADS, customizable=True),
        lambda made: (wg.many_to_many(made.customize(REALS).graph, [0, 9], method="hierarchy"),),
    ),
    "SpanningForest": (
        lambda: wg.minimum_spanning_forest(ROADS),
        lambda forest: (wg.cluster.single_linkage(forest), forest.labels),
    ),
    "Arborescence": (lambda: wg.minimum_arborescence(ROADS), lambda a: (a.to_csr().toarray(),)),
    "ShortestPathDag": (lambda: wg.shortest_path_dag(ROADS, 0), lambda dag: (dag.counts(),)),
    "KMeans": (
        lambda: wg.cluster.KMeans(3, random_state=0).fit(POINTS),
        lambda model: (model.predict(POINTS), model.transform(POINTS)),
    ),
    "MSTClustering": (
        lambda: wg.cluster.MSTClustering(3).fit(POINTS),
        lambda model: (model.recut(n_clusters=4).labels_, model.add_points(POINTS[:3] / 2).labels_),
    ),
    "DBSCANStar": (
        lambda: wg.cluster.DBSCANStar(0.3).fit(POINTS),
        lambda model: (model.recut(eps=0.2).labels_,),
    ),
    "RobustSingleLinkage": (
        lambda: wg.cluster.RobustSingleLinkage(0.2).fit(POINTS),
        lambda model: (model.cluster_hierarchy_.get_clusters(0.3, 3),),
    ),
    "HDBSCAN": (
        lambda: wg.cluster.HDBSCAN(4).fit(POINTS),
        lambda model: (
            *model.approximate_predict(POINTS[:5] + 0.01),
            model.all_points_membership_vectors(),
            model.recluster(min_cluster_size=6).labels_,
            model.dbscan_clustering(0.2),
            *model.sweep([3, 5]),
        ),
    ),
    "KNeighborsTransformer": (
        lambda: wg.cluster.KNeighborsTransformer().fit(POINTS),
        lambda model: (model.transform(POINTS[:3]).toarray(),),
    ),
}


@pytest.mark.parametrize("name", PICKLED)
def test_pickles_are_copied(name):
    make, use = PICKLED[name]
    made = make()
    for ours, theirs in zip(use(moved(made)), use(made), strict=True):
        assert_array_equal(ours, theirs)


def test_the_core_refuses_what_is_not_aligned():
    """A function that forgets the copy is found by any test that passes it such an array."""
    with pytest.raises(TypeError, match="aligned"):
        _core.unit_rows(misaligned(POINTS), np.empty_like(POINTS))
    with pytest.raises(TypeError, match="aligned"):
        _core.unit_rows(POINTS, misaligned(POINTS))


def test_what_the_core_reads_is_aligned():
    ends = misaligned(np.array([[0, 1], [1, 2]], np.int32))
    forest = wg.SpanningForest(3, ends, misaligned([1.0, 2.0]), misaligned([4, 5]))
    graph = wg.Graph(misaligned_csr(ROADS))
    read = [
        *(forest.edges, forest.weights, forest.edge_ids),
        *(graph.indptr, graph.indices, graph.data),
        points.as_points(misaligned(POINTS)),
        points.as_points(misaligned(POINTS.astype(np.float32))),
        validate.vertices(misaligned(np.arange(5, dtype=np.int32)), 5, "sources"),
        predicate_filter._contiguous(misaligned(POINTS[0]), np.dtype(float), validate.NO_LIMIT),
        *_input.arcs_of(misaligned_csr(ROADS.astype(float)), True),
        *_floyd_warshall._arcs(misaligned_csr(ROADS.astype(float)), True),
    ]
    assert all(array.flags.aligned for array in read)


def test_arrays_that_are_aligned_are_not_copied():
    for array in (POINTS, np.arange(5, dtype=np.int32)):
        assert validate.in_place(array) is array
    assert np.shares_memory(points.as_points(POINTS), POINTS)


@pytest.mark.parametrize("function", ["dijkstra", "floyd_warshall", "connected_components"])
def test_csgraph(function):
    call = getattr(wg.csgraph, function)
    weights = ROADS.astype(float)
    found, expected = call(misaligned_csr(weights)), call(weights)
    if function == "connected_components":
        found, expected = found[1], expected[1]
    assert_array_equal(found, expected)
