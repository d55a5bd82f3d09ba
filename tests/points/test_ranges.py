"""Points times a power of two: all distances are multiplied by it, and nothing else changes."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

import warpgraph as wg
from checks import raises_sentence
from warpgraph.cluster import (
    HDBSCAN,
    DBSCANStar,
    KMeans,
    MSTClustering,
    RobustSingleLinkage,
    core_distances,
    euclidean_mst,
    kneighbors_graph,
    mst_of_points,
    nearest_neighbors,
    radius_neighbors_graph,
    single_linkage,
    validity_index,
)

EXPONENTS = {
    np.float32: [-110, -90, -76, -64, -40, 40, 60, 63, 64, 66, 70, 100, 120],
    np.float64: [-1000, -600, -550, -520, -480, 480, 505, 510, 515, 520, 700, 1010],
}
CASES = [(dtype, exponent) for dtype, found in EXPONENTS.items() for exponent in found]


def points_of(dtype, n=150, d=3, seed=0):
    rng = np.random.default_rng(seed)
    blobs = rng.integers(-3, 4, (n, d)) + rng.normal(0, 0.1, (n, d))
    # Few bits, so that no product with a power of two loses any, even where it is subnormal.
    return np.round(blobs * 2**12).astype(dtype) / dtype(2**12)


def times(points, exponent):
    found = np.ldexp(points, exponent)
    assert (np.ldexp(found, -exponent) == points).all()
    return found


def lengths_and_others(points, unit, device):
    """Return distances, and what does not depend on the unit of length."""
    d, of_cores = {"device": device}, {"metric": "manhattan"}
    found = [nearest_neighbors(points, 7, **d), nearest_neighbors(points, 7, **of_cores, **d)]
    found += [nearest_neighbors(points, 7, queries=points[::2] + points[1::2])]
    lengths, others = [a.distances for a in found], [a.indices for a in found]
    graphs = [
        kneighbors_graph(points, 5, mode="distance", **d),
        radius_neighbors_graph(points, 0.25 * unit, mode="distance"),
        radius_neighbors_graph(points, 0.25 * unit, mode="distance", metric="chebyshev"),
        radius_neighbors_graph(points, 1 * unit, queries=points[:9] * 2, mode="distance"),
    ]
    lengths += [graph.data for graph in graphs]
    others += [part for graph in graphs for part in (graph.indptr, graph.indices)]
    trees = [
        euclidean_mst(points, **d),
        euclidean_mst(points, min_samples=5, alpha=1.5, **d),
        mst_of_points(points, metric="chebyshev", **d),
    ]
    lengths += [tree.weights for tree in trees] + [core_distances(points, 4, **d)]
    others += [tree.edges for tree in trees]
    linkage = single_linkage(points, **d)
    model = HDBSCAN(4, store_centers="both", **d).fit(points)
    lengths += [linkage[:, 2], model.centroids_, model.medoids_, model.mst_.weights]
    lengths += [model.linkage_[:, 2], *model.exemplars_]
    others += [linkage[:, [0, 1, 3]], model.labels_, model.outlier_scores_]
    others += [*model.approximate_predict(points[::3]), model.probabilities_]
    others += [DBSCANStar(0.3 * unit, min_samples=4, **d).fit(points).labels_]
    others += [RobustSingleLinkage(0.3 * unit, 3, **d).fit(points).labels_]
    trees = MSTClustering(3, **d).fit(points[:-9]).add_points(points[-9:])
    lengths += [trees.mst_.weights]
    others += [trees.labels_, trees.mst_.edges]
    others += [np.array(validity_index(points, np.arange(len(points)) % 3))]
    inits = ("k-means++", "farthest", "first", points[5:9] + points[9:13])
    for init in inits if unit < 1e150 else ():  # no inertia of larger ones is a number
        means = KMeans(4, init, random_state=3, tol=1e-3, **d).fit(points)
        lengths += [means.cluster_centers_, means.transform(points[:20])]
        others += [means.labels_, means.predict(points[::2] * 2)]
    return lengths, others


@pytest.mark.parametrize(("dtype", "exponent"), CASES)
def test_powers_of_two(dtype, exponent, device):
    points = points_of(dtype)
    wanted, same = lengths_and_others(points, 1.0, device)
    found, others = lengths_and_others(times(points, exponent), 2.0**exponent, device)
    wanted, same = wanted[: len(found)], same[: len(others)]
    for here, there in zip(others, same, strict=True):
        np.testing.assert_array_equal(here, there)
    for here, there in zip(found, wanted, strict=True):
        assert here.dtype == there.dtype
        with np.errstate(under="ignore"):
            np.testing.assert_array_equal(here, np.ldexp(there, exponent))


@pytest.mark.parametrize(("dtype", "exponent"), CASES)
@pytest.mark.parametrize("d", [1, 9, 60])
def test_dimensions(dtype, exponent, d, device):
    """Neighbours and trees in as many dimensions as there are methods."""
    points = points_of(dtype, 200, d, 1)
    scaled = times(points, exponent)
    for k in (1, 20):
        wanted = nearest_neighbors(points, k, device=device)
        found = nearest_neighbors(scaled, k, device=device)
        np.testing.assert_array_equal(found.indices, wanted.indices)
        np.testing.assert_array_equal(found.distances, np.ldexp(wanted.distances, exponent))
        wanted = euclidean_mst(points, min_samples=k, device=device)
        found = euclidean_mst(scaled, min_samples=k, device=device)
        np.testing.assert_array_equal(found.edges, wanted.edges)
        np.testing.assert_array_equal(found.weights, np.ldexp(wanted.weights, exponent))


@pytest.mark.parametrize(("dtype", "exponent"), CASES)
def test_memberships(dtype, exponent):
    """Each member of a cluster is nearest to its exemplars."""
    far = np.repeat([[0, 0], [64, 0], [0, 64]], 40, axis=0).astype(dtype) / 8
    points = times(points_of(dtype, 120, 2, 3) / 8 + far, exponent - 4)
    model = HDBSCAN(15).fit(points)
    assert model.n_clusters_ == 3
    members = model.labels_ >= 0
    for found in (model.all_points_membership_vectors(), model.membership_vector(points)):
        assert np.isfinite(found).all()
        np.testing.assert_array_equal(found[members].argmax(axis=1), model.labels_[members])


@pytest.mark.parametrize("k", range(-126, 64, 14))
def test_float32_beside_float64(k):
    """Distances of float32 points at any magnitude are near those of SciPy, computed in float64."""
    points = np.ldexp(np.random.default_rng(2).normal(size=(80, 4)).astype(np.float32), k)
    wanted = np.sort(cdist(*[points.astype(np.float64)] * 2), axis=1)[:, :9]
    found = nearest_neighbors(points, 9).distances
    np.testing.assert_allclose(found, wanted, rtol=1e-5)
    np.testing.assert_allclose(core_distances(points, 9), wanted[:, -1], rtol=1e-5)


def test_many_magnitudes_of_float32(device):
    """No factor suits 1e30 beside differences of 1e-30, but float64 has squares of both."""
    rng = np.random.default_rng(3)
    near = rng.normal(size=(40, 2)) * 1e-30
    points = np.r_[near, rng.normal(size=(40, 2)) * 1e30, rng.normal(size=(40, 2))]
    points = points.astype(np.float32)
    exact = points.astype(np.float64)
    wanted = np.argsort(cdist(exact, exact), axis=1, kind="stable")[:, :6]
    np.testing.assert_array_equal(nearest_neighbors(points, 6, device=device).indices, wanted)
    one, two = (euclidean_mst(X, device=device) for X in (points, exact))
    np.testing.assert_array_equal(one.edges, two.edges)
    np.testing.assert_array_equal(one.weights, two.weights)
    labels = KMeans(3, points[[0, 40, 80]], device=device).fit(points).labels_
    np.testing.assert_array_equal(labels, KMeans(3, exact[[0, 40, 80]]).fit(exact).labels_)


def test_many_magnitudes_of_added_points(device):
    near = np.array([[0], [3e-16], [7e-16], [2e-15]], np.float32)
    model = MSTClustering(2, device=device).fit(near).add_points([[1.8e19]])
    wanted = euclidean_mst(np.r_[near, [[np.float32(1.8e19)]]])
    np.testing.assert_array_equal(model.mst_.edges, wanted.edges)
    np.testing.assert_array_equal(model.mst_.weights, wanted.weights)


def test_what_float64_loses_is_said(device):
    points = np.array([[0.0, 1e200], [1e-200, 1e200], [0, 0], [2e199, 1]])
    calls = [
        lambda X: nearest_neighbors(X, 2, device=device),
        lambda X: euclidean_mst(X, device=device),
        lambda X: HDBSCAN(2, device=device).fit(X),
        lambda X: core_distances(X, 2, device=device),
    ]
    for call in calls:
        with pytest.warns(UserWarning, match=r"differ by less than .*e-1\d\d.*beside.*1e\+200"):
            call(points)
        call(points[1:])  # only (1e-200, 1e200) has such a coordinate, and nothing is near it
    with np.errstate(under="ignore"):
        noise = np.exp(-np.random.default_rng(4).uniform(0, 740, (50, 4)))
    nearest_neighbors(noise, 5, device=device)


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev", "minkowski"])
def test_infinite_distances_are_refused(metric, device):
    far = np.array([[-1e308, 0], [1.7e308, 0], [-5e307, 0], [1.6e308, 0]])
    by = {"metric": metric, "p": 3, "device": "cpu" if metric == "minkowski" else device}
    assert nearest_neighbors(far, 2, **by).indices.tolist() == [[0, 2], [1, 3], [2, 0], [3, 1]]
    assert kneighbors_graph(far, 3, **by).indices.tolist()[:3] == [2, 3, 1]
    sentence = OverflowError, metric, "far apart", "float64", "divide X"
    for call in (
        lambda: nearest_neighbors(far, 4, **by),
        lambda: kneighbors_graph(far, 3, mode="distance", **by),
        lambda: core_distances(far, 3, **by),
        lambda: radius_neighbors_graph(far, np.inf, mode="distance", metric=metric, p=3),
        lambda: mst_of_points(far[:2], **by),
    ):
        with raises_sentence(*sentence):
            call()
    np.testing.assert_array_equal(
        radius_neighbors_graph(far, np.inf, metric=metric, p=3).toarray(), 1 - np.eye(4)
    )


def test_inertia_that_is_no_number():
    points = np.array([[0.0], [1.0], [9.0], [1e200]])
    with raises_sentence(OverflowError, "inertia", "float64", "divide X"):
        KMeans(1).fit(points)
    model = KMeans(2, "farthest").fit(points)
    assert model.labels_.tolist() == [1, 1, 1, 0]
    assert model.inertia_ == pytest.approx(np.var([0, 1, 9]) * 3)


def test_queries_beyond_the_range_of_the_points():
    points = np.random.default_rng(5).normal(size=(50, 3)).astype(np.float32)
    queries = np.array([[1e30, 0, 0], [0, -3e37, 0], [1e-40, 0, 0]], np.float32)
    found = nearest_neighbors(points, 3, queries=queries)
    exact = cdist(queries.astype(np.float64), points.astype(np.float64))
    np.testing.assert_allclose(found.distances, np.sort(exact, axis=1)[:, :3], rtol=1e-6)
    within = radius_neighbors_graph(points, 2e30, queries=queries)
    assert np.diff(within.indptr).tolist() == [50, 0, 50]


@pytest.mark.parametrize("exponent", [-1000, -600, -520, -400, 480, 520, 700, 1000])
def test_coordinates_of_a_goal_directed_search(exponent):
    """Straight lines that are no numbers bound nothing: the path is the shortest one."""
    rng = np.random.default_rng(6)
    places = rng.random((200, 2))
    graph = kneighbors_graph(places, 6, mode="distance")
    wanted = wg.shortest_path(graph, 3, 150, directed=False, method="dijkstra")
    for coordinates in (np.ldexp(places, exponent), places * [2.0**exponent, 1]):
        there = wg.Graph(graph, coordinates=coordinates)
        found = wg.shortest_path(there, 3, 150, directed=False, method="astar")
        assert found[0] == wanted[0]
        np.testing.assert_array_equal(found[1], wanted[1])


@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
def test_densities_that_are_no_numbers_are_refused(metric, device):
    model = HDBSCAN(5, metric=metric, device=device)
    with raises_sentence(OverflowError, "has an inverse, the density", "multiply X"):
        model.fit(times(points_of(np.float64), -1040))
    near = points_of(np.float64)
    near[0] = near[1] + [1e-310, 0, 0]  # as if both were the same
    assert model.fit(near).n_clusters_ > 1
