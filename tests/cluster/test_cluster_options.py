"""MSTClustering: noise, added edges, costs, limits, what it refuses, and labels by hand."""

import re
from collections import deque
from itertools import combinations

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings, strategies as st
from scipy.spatial.distance import pdist

import checks
import graphs
import warpgraph as wg
from warpgraph import _core
from warpgraph.cluster import MSTClustering


def spell_out_noise(labels, min_size):
    """Label small clusters as noise; number the others in the order of their first points."""
    sizes = np.bincount(labels)
    names = {}
    return [
        -1 if sizes[label] < min_size else names.setdefault(label, len(names)) for label in labels
    ]


@settings(max_examples=60)
@given(st.integers(2, 60), st.integers(1, 6), st.integers(0, 2**32 - 1))
def test_small_pieces_are_noise(n, min_size, seed):
    draw = np.random.default_rng(seed)
    points, threshold = draw.random((n, 2)), draw.random() / 3
    plain = MSTClustering(distance_threshold=threshold).fit(points)
    model = MSTClustering(distance_threshold=threshold, min_cluster_size=min_size)
    if min_size > n:
        with pytest.raises(ValueError, match=f"min_cluster_size={min_size} is more .*={n}$"):
            model.fit(points)
        return
    model.fit(points)
    assert model.labels_.tolist() == spell_out_noise(plain.labels_, min_size)
    assert model.labels_.dtype == np.int32
    assert model.n_clusters_ == model.labels_.max() + 1
    assert model.threshold_ == threshold


@settings(max_examples=60)
@given(st.integers(2, 50), st.integers(2, 6), st.integers(0, 2**32 - 1))
def test_number_of_clusters_that_are_large_enough(n, min_size, seed):
    points = np.random.default_rng(seed).random((n, 2))
    model = MSTClustering(cut=None).fit(points)
    counts = []  # large pieces when i edges are removed
    for pieces in range(1, n + 1):
        labels = model.recut(n_clusters=pieces, min_cluster_size=1).labels_
        counts.append(int((np.bincount(labels) >= min_size).sum()))
    most = max(counts)
    for k in range(1, most + 1):
        if counts[0] > k:
            continue
        wanted = model.recut(n_clusters=counts.index(k) + 1, min_cluster_size=1).labels_
        large = model.recut(n_clusters=k, min_cluster_size=min_size)
        assert large.labels_.tolist() == spell_out_noise(wanted, min_size)
        assert large.n_clusters_ == k
    refused = f"={min_size}: at most {most}" if min_size <= n else f"={min_size} is more .*={n}$"
    with pytest.raises(ValueError, match=f"min_cluster_size{refused}"):
        model.recut(n_clusters=most + 1, min_cluster_size=min_size)


def test_noise_between_blobs_is_separated():
    draw = np.random.default_rng(5)
    points, labels = graphs.blobs(sizes=(200, 200, 200))
    points = np.r_[points, draw.uniform(-10, 60, (30, 2))]
    plain = MSTClustering(n_clusters=3).fit(points)
    assert np.bincount(plain.labels_).min() < 10  # the plain cut isolates single points
    model = MSTClustering(n_clusters=3, min_cluster_size=30).fit(points)
    inside = model.labels_[:600] >= 0
    assert inside.mean() > 0.95
    assert checks.same_partition(model.labels_[:600][inside], labels[inside])


def test_fewer_large_clusters_than_components():
    graph = sp.csr_array(([1.0, 2.0, 1.0], ([0, 2, 3], [1, 3, 4])), (6, 6))
    model = MSTClustering(n_clusters=1, min_cluster_size=2, metric="precomputed")
    with pytest.warns(UserWarning, match="2 connected components of at least 2 points"):
        model.fit(graph)
    assert model.labels_.tolist() == [0, 0, 1, 1, 1, -1]
    assert model.n_clusters_ == 2


@pytest.mark.filterwarnings("ignore:the COO matrix has .* parallel entries")
@settings(max_examples=60)
@given(st.integers(1, 30), st.integers(0, 8), st.integers(0, 2**32 - 1))
def test_added_edges_give_the_forest_of_all_edges(n, more, seed):
    draw = np.random.default_rng(seed)

    def edges(n_vertices, m):
        ends = draw.integers(0, n_vertices, (2, m))
        return sp.coo_array((draw.integers(1, 5, m).astype(float), ends), (n_vertices,) * 2)

    parts = [edges(n, 2 * n), edges(n + more, n), edges(n + more, more)]
    model = MSTClustering(metric="precomputed", distance_threshold=2.0).fit(parts[0])
    for part in parts[1:]:
        assert model.add_edges(part) is model
    ends = np.concatenate([part.coords for part in parts], axis=1)
    everything = wg.Graph.from_edges(
        *ends, np.concatenate([part.data for part in parts]), n_vertices=n + more
    )
    fresh = MSTClustering(metric="precomputed", distance_threshold=2.0).fit(everything)
    np.testing.assert_array_equal(model.mst_.weights, fresh.mst_.weights)
    assert model.labels_.tolist() == fresh.labels_.tolist()
    assert model.n_connected_components_ == fresh.n_connected_components_
    np.testing.assert_array_equal(model.distances_, fresh.distances_)
    assert model.n_features_in_ == n + more
    assert model.mst_.edge_ids is None


@settings(max_examples=60)
@given(
    n=st.integers(1, 40),
    size=st.integers(1, 4),
    k=st.integers(1, 12),
    seed=st.integers(0, 2**32 - 1),
)
def test_shuffled_points_have_the_same_labels(n, size, k, seed, device):
    """On a grid, whose tree has few different weights: whichever tree is found."""
    rng = np.random.default_rng(seed)
    points, order = rng.integers(0, 6, (n, 2)).astype(float), rng.permutation(n)
    for cut in ({"n_clusters": k}, {"distance_threshold": 1.4}, {"cut": "largest_gap"}):
        fits = []
        for rows in (points, points[order]):
            with checks.possible_numbers_of_clusters():
                try:
                    fits.append(
                        MSTClustering(**cut, min_cluster_size=size, device=device).fit(rows)
                    )
                except ValueError as error:
                    fits.append(str(error))
        if isinstance(fits[0], str):
            assert fits[0] == fits[1]
            continue
        assert checks.same_partition(fits[0].labels_[order], fits[1].labels_)
        assert ((fits[0].labels_[order] < 0) == (fits[1].labels_ < 0)).all()
        assert fits[0].threshold_ == fits[1].threshold_


@settings(max_examples=60)
@given(st.integers(1, 30), st.integers(0, 2**32 - 1))
def test_forests_in_any_order(n, seed):
    """Edges in descending or random order are cut as sorted ones."""
    draw = np.random.default_rng(seed)
    later = np.flatnonzero(draw.random(n) < 0.8)
    later = later[later > 0]
    edges = np.stack([(draw.random(len(later)) * later).astype(int), later], axis=1)
    weights = draw.permutation(len(later)).astype(float)
    order = np.argsort(weights)
    sorted_forest = wg.SpanningForest(n, edges[order], weights[order], order)
    wanted = MSTClustering(distance_threshold=n / 3).fit(sorted_forest)
    model = MSTClustering(distance_threshold=n / 3).fit(
        wg.SpanningForest(n, edges, weights, np.arange(len(later)))
    )
    assert model.labels_.tolist() == wanted.labels_.tolist()
    assert model.mst_.edge_ids.tolist() == order.tolist()
    np.testing.assert_array_equal(model.linkage_, wanted.linkage_)
    for k in range(sorted_forest.n_trees, n + 1):
        expected = wanted.recut(n_clusters=k)
        found = model.recut(n_clusters=k)
        assert found.labels_.tolist() == expected.labels_.tolist()
        assert found.threshold_ == expected.threshold_


def test_heaviest_forest_is_cut_at_its_heaviest_edges():
    graph = sp.csr_array(([5.0, 1.0, 3.0], ([0, 1, 2], [1, 2, 3])), (4, 4))
    forest = wg.minimum_spanning_forest(graph, maximum=True)
    model = MSTClustering(distance_threshold=2).fit(forest)
    assert model.labels_.tolist() == [0, 1, 1, 2]
    assert model.mst_.weights.tolist() == [1.0, 3.0, 5.0]


def test_edges_that_are_no_forest():
    cycle = wg.SpanningForest(3, [[0, 1], [1, 2], [0, 2]], [1.0, 1.0, 1.0])
    with pytest.raises(ValueError, match=r"edges\[2\] is \(0, 2\), which closes a cycle"):
        MSTClustering(n_clusters=3).fit(cycle)
    with pytest.raises(ValueError, match=r"distance of edge 0, \(0, 1\), is NaN"):
        MSTClustering().fit(wg.SpanningForest(2, [[0, 1]], [np.nan]))


def test_edges_that_cannot_be_added():
    model = MSTClustering(metric="precomputed").fit(sp.csr_array((4, 4)))
    with pytest.raises(ValueError, match="has 3 vertices, but 4 were fitted"):
        model.add_edges(sp.csr_array((3, 3)))
    with pytest.raises(ValueError, match=r"Negative values in data: the distance at \(0, 1\)"):
        model.add_edges(sp.csr_array(([-1.0], ([0], [1])), (4, 4)))
    points = MSTClustering().fit(np.zeros((4, 2)))
    with pytest.raises(ValueError, match="add_edges needs metric='precomputed'"):
        points.add_edges(sp.csr_array((4, 4)))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("n", "d", "k"), [(2, 2, 3), (60, 1, 40), (400, 3, 50), (300, 12, 20)])
def test_added_points_change_the_tree_as_a_fit_to_all_does(n, d, k, dtype, device):
    draw = np.random.default_rng(n)
    lattice = draw.integers(0, 7, (n + 3 * k, d)).astype(dtype)
    blobs = (10 * draw.integers(0, 3, (n + 3 * k, 1)) + draw.random((n + 3 * k, d))).astype(dtype)
    for points in (lattice, blobs):
        with checks.possible_numbers_of_clusters():
            model = MSTClustering(n_clusters=2, device=device).fit(points[:n])
            for first in range(n, n + 3 * k, k):
                assert model.add_points(points[first : first + k]) is model
            fresh = MSTClustering(n_clusters=2, device=device).fit(points)
        np.testing.assert_array_equal(model.mst_.edges, fresh.mst_.edges)
        np.testing.assert_array_equal(model.mst_.weights, fresh.mst_.weights)
        np.testing.assert_array_equal(model.linkage_, fresh.linkage_)
        np.testing.assert_array_equal(model.labels_, fresh.labels_)


def test_many_added_points(device):
    points = np.random.default_rng(0).random((3000, 2))
    model = MSTClustering(device=device).fit(points[:1000])
    model.add_points(points[1000:].tolist())
    fresh = MSTClustering(device=device).fit(points)
    np.testing.assert_array_equal(model.mst_.edges, fresh.mst_.edges)


@pytest.mark.parametrize("gpu", wg.devices()[1:2])
def test_added_points_on_a_device(gpu):
    points = np.random.default_rng(0).random((300, 3))

    def there(part):
        array = _core.device_array(part.shape, part.dtype, gpu)
        array.set(part)
        return array

    fresh = MSTClustering(n_clusters=3, device=gpu).fit(points)
    for first, second in ((there, there), (there, np.asarray), (np.asarray, there)):
        model = MSTClustering(n_clusters=3, device=gpu).fit(first(points[:250]))
        model.add_points(second(points[250:]))
        np.testing.assert_array_equal(model.mst_.edges, fresh.mst_.edges)
        np.testing.assert_array_equal(model.labels_, fresh.labels_)
    with pytest.raises(ValueError, match="X has 2 features, but MSTClustering is expecting 3"):
        model.add_points(there(np.zeros((4, 2))))


def test_points_that_cannot_be_added():
    model = MSTClustering().fit(np.zeros((4, 2)))
    with pytest.raises(ValueError, match="X has 3 features, but MSTClustering is expecting 2"):
        model.add_points(np.zeros((2, 3)))
    with pytest.raises(ValueError, match="row 1 of X has inf in column 0"):
        model.add_points([[0.0, 0.0], [np.inf, 0.0]])
    graph = MSTClustering(metric="precomputed").fit(sp.csr_array((4, 4)))
    with pytest.raises(ValueError, match="add_points needs metric='euclidean'"):
        graph.add_points(np.zeros((2, 2)))
    with pytest.raises(ValueError, match="not fitted"):
        MSTClustering().add_points(np.zeros((2, 2)))


@pytest.mark.parametrize("metric", ["euclidean", "precomputed", "graph"])
def test_progress_memory_limit_and_ctrl_c(metric):
    points = np.random.default_rng(0).random((1500, 2))
    X = points
    if metric == "precomputed":
        X = np.sqrt(((points[:, None] - points) ** 2).sum(axis=2))
    if metric == "graph":
        X = graphs.random_csr(20_000, 1e-3, np.random.default_rng(0))
    kind = "euclidean" if metric == "euclidean" else "precomputed"
    seen = []
    MSTClustering(metric=kind, progress=lambda done, total: seen.append((done, total))).fit(X)
    assert seen == sorted(seen)
    assert seen[-1][0] == seen[-1][1]
    with pytest.raises(MemoryError, match=r"needs .* left of memory_limit"):
        MSTClustering(metric=kind, memory_limit=999).fit(X)

    def stop(done, total):
        raise KeyboardInterrupt

    model = MSTClustering(metric=kind, progress=stop)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X)
    model.set_params(progress=None).fit(X)


def test_costs_are_logged_beforehand(caplog):
    points = np.random.default_rng(0).random((200, 12))
    with caplog.at_level("INFO", logger="warpgraph"):
        MSTClustering(device="cpu").fit(points)
        MSTClustering(metric="precomputed").fit(np.zeros((50, 50)))
    said = [record.getMessage() for record in caplog.records]
    assert any("200 points in 12 dimensions on cpu: 1.99e+04 pairs" in line for line in said)
    assert any("reads its 2.5e+03 entries" in line for line in said)
    caplog.clear()
    with caplog.at_level("INFO", logger="warpgraph"):
        MSTClustering(device="cpu").fit(points[:, :3])
    assert not any(re.search(r": \S+ pairs", line.getMessage()) for line in caplog.records)


@pytest.mark.parametrize(
    ("X", "metric", "sentence"),
    [
        ([[0.0, 1.0], [2.0, np.nan]], "euclidean", r"row 1 of X has NaN in column 1"),
        ([[0.0], [np.inf]], "euclidean", r"row 1 of X has inf in column 0"),
        ([[0.0, 1.0], [2.0, 0.0]], "precomputed", r"not symmetric: entry \(0, 1\) is 1, .* is 2"),
        ([[0.0, np.nan], [1.0, 0.0]], "precomputed", r"the distance at \(0, 1\) is NaN"),
        ([[0.0, -1.0], [-1.0, 0.0]], "precomputed", r"Negative .* at \(0, 1\) is -1"),
        (np.zeros((2, 3)), "precomputed", r"must be square, got shape \(2, 3\)"),
        (sp.csr_array(([-2.0], ([0], [1])), (2, 2)), "precomputed", r"Negative .* \(0, 1\) is -2"),
    ],
)
def test_bad_input(X, metric, sentence):
    with pytest.raises(ValueError, match=sentence):
        MSTClustering(metric=metric).fit(X)


# The same labels with NetworkX, over all pairs and a threshold.


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
