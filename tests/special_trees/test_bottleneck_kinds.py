"""wg.bottleneck_paths of forests that are known to be minimum or maximum ones, and of others."""

import copy
import pickle

import numpy as np
import pytest

import graphs
import warpgraph as wg
from checks import raises_sentence
from device_lists import METHODS_OF_FORESTS, over_devices, over_methods
from warpgraph import cluster, distributed

KINDS = pytest.mark.parametrize("maximum", [False, True])
GRAPH = graphs.SAMPLES["grid"]
N = GRAPH.shape[0]
POINTS = np.random.default_rng(1).random((50, 3))
SQUARE = np.abs(POINTS[:, :1] - POINTS[:, 0])


REFUSALS = {
    False: "maximum=False needs a minimum spanning forest, but the forest is a maximum one: pass "
    "maximum=True, or the graph in place of the forest",
    True: "maximum=True needs a maximum spanning forest, but the forest is a minimum one: pass "
    "maximum=False, or the graph in place of the forest",
}


def refusal(forest, maximum):
    """Return why the call does not take a forest, or None."""
    try:
        wg.bottleneck_paths(forest, [0], [1], maximum=maximum)
    except ValueError as error:
        return str(error)
    return None


def kinds_taken(forest):
    """Return the values of maximum= with which the call takes a forest."""
    assert isinstance(forest, wg.SpanningForest)
    refused = {maximum: refusal(forest, maximum) for maximum in (False, True)}
    assert all(said in (None, REFUSALS[maximum]) for maximum, said in refused.items())
    return [maximum for maximum, said in refused.items() if said is None]


@KINDS
@over_devices
def test_forests_of_graphs(maximum, device):
    for graph in (GRAPH, wg.Graph(GRAPH), graphs.SAMPLES["two_islands"]):
        forest = wg.minimum_spanning_forest(graph, maximum=maximum, device=device)
        assert kinds_taken(forest) == [maximum]
        assert forest.total_weight is not None  # also if the arrays have been read
        assert kinds_taken(forest) == [maximum]


@KINDS
@over_methods(METHODS_OF_FORESTS)
def test_methods(maximum, device, method):
    how = {"maximum": maximum, "method": method, "device": device}
    assert kinds_taken(wg.minimum_spanning_forest(GRAPH, **how)) == [maximum]


@KINDS
def test_merged_and_extended_forests(maximum, device):
    how = {"maximum": maximum, "device": device}
    parts = [wg.local_forest(GRAPH, rows=rows, **how) for rows in ((0, N // 2), (N // 2, N))]
    assert [kinds_taken(part) for part in parts] == [[maximum]] * 2
    merged = wg.merge_forests(*parts, **how)
    assert kinds_taken(merged) == [maximum]
    extended = wg.extend_forest(merged, [[0, 5]], np.ones(1, GRAPH.dtype), [GRAPH.nnz], **how)
    assert kinds_taken(extended) == [maximum]
    user = [wg.SpanningForest(3, [[u, u + 1]], [1.0]) for u in (0, 1)]
    assert kinds_taken(wg.merge_forests(*user, **how)) == [maximum]


@KINDS
def test_forests_of_several_machines(maximum):
    tails, heads = GRAPH.nonzero()
    blocks = [(tails, heads, GRAPH.data)]
    edges = distributed.graph(blocks, distributed.LocalEngine(2), n_vertices=N)
    found = distributed.minimum_spanning_forest(edges, maximum=maximum)
    assert kinds_taken(found.gather()) == [maximum]


@KINDS
@pytest.mark.parametrize(
    "again",
    [copy.copy, copy.deepcopy, *(lambda x, p=p: pickle.loads(pickle.dumps(x, p)) for p in (2, 5))],
    ids=["copy", "deepcopy", "pickle 2", "pickle 5"],
)
def test_copies(maximum, again, device):
    forest = wg.minimum_spanning_forest(GRAPH, maximum=maximum, device=device)
    assert kinds_taken(again(forest)) == [maximum]
    assert kinds_taken(again(wg.SpanningForest(2, [[0, 1]], [1.0]))) == [False, True]


POINT_TREES = {
    "euclidean_mst": lambda: cluster.euclidean_mst(POINTS),
    "reachability": lambda: cluster.euclidean_mst(POINTS, min_samples=4),
    "cosine": lambda: cluster.mst_of_points(POINTS, metric="cosine"),
    "manhattan": lambda: cluster.mst_of_points(POINTS, metric="manhattan"),
    "function": lambda: cluster.mst_of_points(POINTS, metric=lambda u, v: abs(u - v).sum()),
    "square": lambda: cluster.mst_of_points(SQUARE, metric="precomputed"),
    "sparse": lambda: cluster.mst_of_points(GRAPH, metric="precomputed", min_samples=2),
    "MSTClustering": lambda: cluster.MSTClustering(n_clusters=2).fit(POINTS).mst_,
    "added": lambda: added(POINTS),
    "HDBSCAN": lambda: cluster.HDBSCAN().fit(POINTS).mst_,
    "DBSCANStar of few": lambda: cluster.DBSCANStar(1.0, min_samples=60).fit(POINTS).mst_,
    "HDBSCAN of distances": lambda: cluster.HDBSCAN(metric="precomputed").fit(SQUARE).mst_,
}


def added(points):
    return cluster.MSTClustering(n_clusters=2).fit(points[:30]).add_points(points[30:]).mst_


@pytest.mark.parametrize("make", POINT_TREES.values(), ids=POINT_TREES)
def test_trees_of_points_are_minimum_ones(make):
    assert kinds_taken(make()) == [False]


@KINDS
def test_clusters_keep_the_kind_of_a_forest(maximum):
    forest = wg.minimum_spanning_forest(GRAPH, maximum=maximum)
    model = cluster.MSTClustering(distance_threshold=2).fit(forest)  # puts edges in order
    assert kinds_taken(model.mst_) == [maximum]


def test_forests_of_which_the_kind_is_not_known():
    made = wg.minimum_spanning_forest(GRAPH)
    of_user = wg.SpanningForest(N, made.edges, made.weights, made.edge_ids)
    assert kinds_taken(of_user) == [False, True]
    assert kinds_taken(wg.steiner_tree(GRAPH, [0, 5])) == [False, True]
    assert kinds_taken(wg.minimum_spanning_forest(GRAPH)) == [False]


def test_assigned_weights_may_make_a_forest_of_the_other_kind():
    """The heaviest trees are the lightest ones of the negated weights."""
    sources, targets = range(N), np.roll(range(N), 7)
    expected = -wg.bottleneck_paths(GRAPH, sources, targets)
    forest = wg.minimum_spanning_forest(GRAPH)
    forest.weights *= -1
    found = wg.bottleneck_paths(forest, sources, targets, maximum=True)
    np.testing.assert_array_equal(found, expected)
    for name in ("edges", "weights"):
        forest = wg.minimum_spanning_forest(GRAPH, maximum=True)
        setattr(forest, name, getattr(forest, name).copy())
        assert kinds_taken(forest) == [False, True]
    forest = wg.minimum_spanning_forest(GRAPH, maximum=True)
    forest.names = None
    assert kinds_taken(forest) == [True]


def test_a_graph_has_forests_of_both_kinds():
    for maximum in (False, True):
        wg.bottleneck_paths(GRAPH, [0], [1], maximum=maximum)
        forest = wg.minimum_spanning_forest(GRAPH, maximum=not maximum)
        with pytest.raises(ValueError, match=f"maximum={maximum} needs"):
            wg.explain(wg.bottleneck_paths, forest, [0], [1], maximum=maximum)


@pytest.mark.parametrize("maximum", [False, True])
def test_merged_and_extended_forests_are_of_one_kind(maximum):
    forest = wg.minimum_spanning_forest([[0, 2, 3], [2, 0, 1], [3, 1, 0]], maximum=maximum)
    unknown = wg.SpanningForest(3, [[0, 1]], [1], [50])
    for merge in (
        lambda: wg.merge_forests(unknown, forest, maximum=not maximum),
        lambda: wg.extend_forest(forest, [[0, 2]], [7], [60], maximum=not maximum),
    ):
        with raises_sentence(ValueError, f"maximum={not maximum}", f"pass maximum={maximum}"):
            merge()
    assert len(wg.merge_forests(unknown, forest, maximum=maximum)) == 2
    assert len(wg.extend_forest(forest, [[0, 2]], [7], [60], maximum=maximum)) == 2
