"""Clustering with NetworkX over all pairs and a threshold gives the same labels as warpgraph."""

from collections import deque
from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from scipy.spatial.distance import pdist

import checks
import warpgraph as wg
from warpgraph.cluster import MSTClustering


def complete_graph(points):
    """Join all pairs by their distances."""
    distances = deque(pdist(points, "euclidean"))
    graph = nx.Graph()
    graph.add_nodes_from(range(len(points)))
    for a, b in combinations(range(len(points)), 2):
        graph.add_edge(a, b, weight=distances.popleft())
    return graph


def components_below(tree, threshold):
    """Number the components that the tree's short edges leave, by their first vertices."""
    short = nx.Graph()
    short.add_nodes_from(sorted(tree))
    short.add_edges_from((a, b) for a, b, w in tree.edges(data="weight") if w < threshold)
    labels = np.empty(len(tree), np.int32)
    for number, part in enumerate(nx.connected_components(short)):
        labels[list(part)] = number
    return labels


def families():
    rng = np.random.default_rng(8)
    angles = rng.uniform(0, 2 * np.pi, 80)
    ring = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    return {
        "blobs": np.concatenate([rng.normal(c, 0.1, (40, 3)) for c in range(4)]),
        "rings": np.concatenate([ring, 3 * ring]) + rng.normal(0, 0.02, (160, 2)),
        "uniform": rng.random((120, 2)),
        "lattice": np.stack(np.divmod(np.arange(100), 10), axis=1).astype(float),
        "repeated": np.repeat(rng.random((20, 2)), 5, axis=0),
    }


@pytest.mark.parametrize("points", families().values(), ids=families())
def test_labels_by_hand(points, device):
    graph = complete_graph(points)
    tree = nx.minimum_spanning_tree(graph)
    weights = np.array([w for _, _, w in tree.edges(data="weight")])
    model = MSTClustering(device=device).fit(points)
    from_graph = MSTClustering(metric="precomputed", device=device).fit(graph)
    np.testing.assert_allclose(model.mst_.weights, np.sort(weights), rtol=1e-12, atol=1e-15)
    np.testing.assert_array_equal(from_graph.mst_.weights, np.sort(weights))
    # Between two weights, since the two methods round distances differently.
    heights = np.unique(weights.round(12))
    for threshold in [0.5 * heights[0], *((heights[:-1] + heights[1:]) / 2)[::9], 2 * heights[-1]]:
        wanted = components_below(tree, threshold)
        for fitted in (model, from_graph):
            labels = fitted.recut(distance_threshold=threshold).labels_
            np.testing.assert_array_equal(labels, wanted)
            checks.assert_labels_canonical(labels)


def test_the_tree_is_that_of_networkx():
    points = families()["uniform"]
    tree = nx.minimum_spanning_tree(complete_graph(points))
    ours = wg.cluster.euclidean_mst(points).to_networkx()
    assert {frozenset(e) for e in ours.edges} == {frozenset(e) for e in tree.edges}
