"""Trees and clusters under other metrics are those of SciPy's matrix of distances."""

import numpy as np
import pytest
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import cdist, pdist
from sklearn.cluster import DBSCAN
from sklearn.utils.estimator_checks import parametrize_with_checks

import warpgraph as wg
from checks import raises_sentence, same_partition
from test_metrics import BITS, METRICS, NUMBERS, PLACES, distances_of, given_of, haversine, where
from warpgraph.cluster import HDBSCAN, DBSCANStar, MSTClustering, mst_of_points, single_linkage


def kruskal(distances):
    """Return the edges and weights of the tree in the order of (distance, smaller, larger)."""
    u, v = np.triu_indices(len(distances), 1)
    parts = np.arange(len(distances))
    edges, weights = [], []
    for i in np.argsort(distances[u, v], kind="stable"):
        if parts[u[i]] != parts[v[i]]:
            edges.append((u[i], v[i]))
            weights.append(distances[u[i], v[i]])
            parts[parts == parts[v[i]]] = parts[u[i]]
    return np.array(edges).reshape(-1, 2), np.array(weights)


def reach_of(distances, min_samples, alpha=1.0):
    cores = np.sort(distances, axis=1)[:, min_samples - 1]
    return np.maximum(distances / alpha, np.maximum.outer(cores, cores))


def assert_is_tree(found, distances, **tolerance):
    _, weights = kruskal(distances)
    assert found.n_trees == 1
    assert found.edges.dtype == np.int32
    np.testing.assert_allclose(found.weights, weights, **tolerance)
    ends = found.edges.T
    np.testing.assert_allclose(found.weights, distances[ends[0], ends[1]], **tolerance)
    assert (np.diff(found.weights) >= 0).all()
    assert found.labels.max(initial=0) == 0  # no cycles, and connected


@pytest.mark.parametrize("points", NUMBERS.values(), ids=NUMBERS)
@pytest.mark.parametrize("name", METRICS)
def test_numbers(name, points, device):
    distances = distances_of(name, points)
    given = given_of(name) | {"device": where(device, name)}
    if not np.isfinite(distances).all():
        with raises_sentence(OverflowError, name.split()[0], "divide X"):
            mst_of_points(points, **given)
        return
    assert_is_tree(mst_of_points(points, **given), distances, rtol=1e-12)
    k = min(5, len(points))
    options = {"min_samples": k, "alpha": 1.3, **given}
    assert_is_tree(mst_of_points(points, **options), reach_of(distances, k, 1.3), rtol=1e-12)


@pytest.mark.parametrize("bits", BITS.values(), ids=BITS)
@pytest.mark.parametrize("metric", ["hamming", "jaccard"])
def test_bits(metric, bits, device):
    distances = cdist(bits, bits, metric)
    given = {"metric": metric, "device": device}
    assert_is_tree(mst_of_points(bits, **given), distances, rtol=1e-14)
    whole = mst_of_points(bits.astype(np.float32), min_samples=min(3, len(bits)), **given)
    assert_is_tree(whole, reach_of(distances, min(3, len(bits))), rtol=1e-14)


@pytest.mark.parametrize("metric", ["manhattan", "chebyshev", "hamming"])
@pytest.mark.parametrize("min_samples", [1, 4])
def test_equal_distances_are_ordered_by_rows(metric, min_samples, device):
    points = np.random.default_rng(3).integers(0, 4, (200, 3)).astype(float)
    distances = cdist(points, points, "cityblock" if metric == "manhattan" else metric)
    wanted = kruskal(reach_of(distances, min_samples))
    found = mst_of_points(points, metric=metric, min_samples=min_samples, device=device)
    np.testing.assert_array_equal(found.edges, wanted[0])
    np.testing.assert_array_equal(found.weights, wanted[1])


@pytest.mark.parametrize("alpha", [1.0, 1.7])
@pytest.mark.parametrize("min_samples", [1, 6])
def test_places_and_directions(alpha, min_samples, device):
    options = {"min_samples": min_samples, "alpha": alpha}
    distances = haversine(PLACES, PLACES)
    place = device if alpha == 1 else "cpu"
    found = mst_of_points(PLACES, metric="haversine", device=place, **options)
    assert_is_tree(found, reach_of(distances, min_samples, alpha), rtol=1e-7, atol=1e-15)
    points = NUMBERS["uniform"]
    distances = cdist(points, points, "cosine")
    found = mst_of_points(points, metric="cosine", device=device, **options)
    assert_is_tree(found, reach_of(distances, min_samples, alpha), rtol=1e-7, atol=1e-15)


def test_a_large_tree_of_all_cores():
    points = np.random.default_rng(0).random((3000, 4))
    tree = mst_of_points(points, metric="manhattan")
    wanted = linkage(pdist(points, "cityblock"), "single")
    np.testing.assert_allclose(tree.weights, wanted[:, 2], rtol=1e-12)
    heights = single_linkage(points, metric="cityblock")[:, 2]
    np.testing.assert_array_equal(heights, tree.weights)


@pytest.mark.parametrize("name", ["cosine", "haversine", *METRICS])
def test_clusters_are_those_of_the_matrix(name, device):
    rng = np.random.default_rng(8)
    points = np.concatenate([rng.normal(c, 0.08, (40, 2)) for c in ([1, 0.2], [-0.6, 2], [0.5, 3])])
    points = np.concatenate([points, rng.uniform(-1, 3, (30, 2))])
    if name == "haversine":
        points[:, 0] = np.clip(points[:, 0], -1.5, 1.5)
        distances = haversine(points, points)
    elif name == "hamming":
        points = rng.integers(0, 3, (150, 12)).astype(float)
        distances = distances_of(name, points)
    else:
        distances = (
            cdist(points, points, "cosine") if name == "cosine" else distances_of(name, points)
        )
    np.fill_diagonal(distances, 0)
    distances = (distances + distances.T) / 2
    given = given_of(name) | {"device": where(device, name)}
    wanted = HDBSCAN(8, 4, metric="precomputed").fit(distances)
    found = HDBSCAN(8, 4, **given).fit(points)
    np.testing.assert_array_equal(found.labels_, wanted.labels_)
    np.testing.assert_allclose(found.probabilities_, wanted.probabilities_, rtol=1e-6, atol=1e-9)
    if name == "hamming":
        return
    assert found.n_clusters_ > 1
    wanted = MSTClustering(4, metric="precomputed").fit(distances)
    cut = MSTClustering(4, **given).fit(points)
    assert same_partition(cut.labels_, wanted.labels_)
    assert cut.recut(2).n_clusters_ == 2


@pytest.mark.parametrize("name", ["haversine", *METRICS])
def test_fitted_points_as_new_ones(name):
    points = PLACES if name == "haversine" else NUMBERS["uniform"]
    model = HDBSCAN(5, 3, **given_of(name)).fit(points)
    labels, probabilities = model.approximate_predict(points)
    assert (labels == model.labels_).mean() > 0.8  # some have a nearest neighbour elsewhere
    assert ((probabilities >= 0) & (probabilities <= 1)).all()
    scores = model.approximate_predict_scores(points)
    np.testing.assert_allclose(scores, model.outlier_scores_, rtol=1e-12)
    assert all(of.shape[1] == points.shape[1] for of in model.exemplars_)
    missing = np.full((1, points.shape[1]), np.nan)
    assert model.approximate_predict(missing)[0].tolist() == [-1]


@pytest.mark.parametrize("name", [name for name in METRICS if name != "hamming"])
def test_in_one_column_metrics_are_equal(name):
    points = np.random.default_rng(3).integers(0, 300, (120, 1)).astype(float)
    new = np.random.default_rng(4).integers(-20, 320, (50, 1)).astype(float)
    wanted = HDBSCAN(6, 3).fit(points)
    found = HDBSCAN(6, 3, **given_of(name)).fit(points)
    np.testing.assert_array_equal(found.labels_, wanted.labels_)
    for values, others in zip(
        found.approximate_predict(new), wanted.approximate_predict(new), strict=True
    ):
        np.testing.assert_allclose(values, others, rtol=1e-9)
    again = found.recluster(9)
    np.testing.assert_array_equal(again.labels_, wanted.recluster(9).labels_)


@pytest.mark.parametrize("metric", ["manhattan", "chebyshev", "haversine"])
def test_dbscan_star_is_scikit_learns_without_border_points(metric):
    points = PLACES if metric == "haversine" else NUMBERS["uniform"]
    theirs = DBSCAN(0.25, min_samples=4, metric=metric).fit(points)
    found = DBSCANStar(0.25, min_samples=4, metric=metric).fit(points)
    core = theirs.core_sample_indices_
    np.testing.assert_array_equal(found.core_sample_indices_, core)
    assert same_partition(found.labels_[core], theirs.labels_[core])


def test_missing_rows_are_noise():
    points = NUMBERS["uniform"].copy()
    points[::10] = np.nan
    kept = ~np.isnan(points[:, 0])
    found = HDBSCAN(4, metric="manhattan").fit(points)
    alone = HDBSCAN(4, metric="manhattan").fit(points[kept])
    np.testing.assert_array_equal(found.labels_[kept], alone.labels_)
    assert (found.labels_[~kept] == -1).all()
    weighted = HDBSCAN(4, metric="manhattan").fit(points[kept], sample_weight=np.full(180, 2))
    copies = HDBSCAN(4, metric="manhattan").fit(np.repeat(points[kept], 2, axis=0))
    np.testing.assert_array_equal(weighted.labels_, copies.labels_[::2])


@parametrize_with_checks(
    [
        MSTClustering(metric="manhattan"),
        HDBSCAN(metric="chebyshev"),
        HDBSCAN(metric="minkowski", p=3),
    ]
)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


def test_what_other_metrics_have_not():
    points = NUMBERS["uniform"]
    model = HDBSCAN(4, metric="manhattan").fit(points)
    with raises_sentence(ValueError, "membership_vector needs metric", "manhattan"):
        model.membership_vector(points)
    with raises_sentence(ValueError, "all_points_membership_vectors", "manhattan"):
        model.all_points_membership_vectors()
    with raises_sentence(ValueError, "store_centers", "manhattan"):
        HDBSCAN(metric="manhattan", store_centers="both").fit(points)
    with raises_sentence(ValueError, "add_points needs metric='euclidean'"):
        MSTClustering(metric="manhattan").fit(points).add_points(points)
    with raises_sentence(OverflowError, "manhattan"):
        mst_of_points([[-1e308], [1e308]], metric="manhattan")
    with raises_sentence(ValueError, "alpha", 0):
        mst_of_points(points, metric="manhattan", alpha=0)
    with raises_sentence(ValueError, "min_samples must be at most", 201):
        mst_of_points(points, metric="manhattan", min_samples=201)
    with raises_sentence(MemoryError, "100 bytes"):
        mst_of_points(points, metric="manhattan", memory_limit=100)
    with raises_sentence(wg.DeviceError, "cuda:63"):
        mst_of_points(points, metric="manhattan", device="cuda:63")


def test_progress_ends_at_the_total():
    seen = []
    mst_of_points(
        NUMBERS["uniform"], metric="l1", progress=lambda done, total: seen.append((done, total))
    )
    assert all(done <= total == 400 for done, total in seen)
    assert seen[-1] == (400, 400)
