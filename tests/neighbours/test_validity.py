"""validity_index is hdbscan's DBCV, with ties decided by distances."""

import functools
import itertools

import numpy as np
import pytest
import scipy.sparse as sp
from hdbscan.validity import validity_index as hdbscans
from hypothesis import given, settings, strategies as st
from scipy.spatial.distance import cdist, minkowski, pdist, squareform
from sklearn.datasets import make_blobs, make_moons

import warpgraph as wg
from checks import assert_same_bits, raises_sentence
from fuzz.oracles.validity import by_definition, powers_mean
from warpgraph.cluster import HDBSCAN, validity_index


def powers_mean_fix():
    """Check the mean by hand: of 1 and 2 with d = 1, 1 / mean(1, 1/2) = 4 / 3."""
    return powers_mean(np.array([1.0, 2.0]), 1)


rng = np.random.default_rng(5)
SETS = {
    "blobs": make_blobs(90, 3, centers=3, cluster_std=0.8, random_state=1),
    "far blobs": make_blobs(80, 2, centers=4, cluster_std=0.1, random_state=2),
    "moons": make_moons(100, noise=0.05, random_state=0),
    "random labels": (rng.random((70, 2)), rng.integers(0, 3, 70)),
    "with noise": (rng.random((80, 2)), rng.integers(-1, 2, 80)),
    "lattice": (np.argwhere(np.ones((9, 8))).astype(float), np.arange(72) // 24),
    "copies": (np.repeat(rng.random((20, 2)), 4, axis=0), np.arange(80) // 20),
    "all identical": (np.ones((12, 2)), np.arange(12) // 6),
    "small clusters": (rng.random((9, 2)), np.array([0, 0, 1, 2, 2, 2, 3, 3, -1])),
    "many columns": make_blobs(60, 200, centers=2, random_state=3),
    "huge offset": (make_blobs(60, 2, centers=3, random_state=3)[0] + 1e7, np.arange(60) % 3),
}


def in_order(points, labels):
    """Return points and labels in the order that decides between points at equal distances."""
    order = np.lexsort(points.T[::-1])
    return points[order], labels[order]


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("raw", [False, True])
def test_equals_its_definition(name, raw):
    points, labels = in_order(*SETS[name])
    wanted = by_definition(cdist(points, points), labels, points.shape[1], raw=raw)
    found = validity_index(points, labels, per_cluster_scores=True, mst_raw_dist=raw)
    np.testing.assert_allclose(found[0], wanted[0], atol=1e-9)
    np.testing.assert_allclose(found[1], wanted[1], atol=1e-9)
    assert isinstance(found[0], float)
    assert found[0] == validity_index(points, labels, mst_raw_dist=raw)


@pytest.mark.parametrize("metric", ["cityblock", "chebyshev", "cosine", "minkowski"])
def test_metrics(metric):
    points, labels = SETS["blobs"]
    options = {"p": 3} if metric == "minkowski" else {}
    wanted = by_definition(cdist(points, points, metric, **options), labels, 3)
    found = validity_index(points, labels, metric=metric, per_cluster_scores=True, **options)
    np.testing.assert_allclose(found[1], wanted[1], rtol=1e-7)
    bits = rng.random((50, 30)) < 0.3
    labels = np.arange(50) % 2
    wanted = by_definition(cdist(bits, bits, "jaccard"), labels, 4)
    np.testing.assert_allclose(
        validity_index(bits, labels, metric="jaccard", d=4), wanted[0], atol=1e-9
    )


@pytest.mark.parametrize("name", ["blobs", "far blobs", "moons", "random labels", "with noise"])
def test_equals_hdbscans_where_trees_are_unique(name):
    points, labels = SETS[name]
    wanted = hdbscans(points, labels, per_cluster_scores=True, mst_raw_dist=True)
    found = validity_index(points, labels, per_cluster_scores=True, mst_raw_dist=True)
    np.testing.assert_allclose(found[0], wanted[0], atol=1e-9)
    np.testing.assert_allclose(found[1], wanted[1], atol=1e-9)
    # Elsewhere, hdbscan's choice between edges of equal weight depends on the order of the rows.
    orders = [np.random.default_rng(seed).permutation(len(points)) for seed in range(10)]
    others = [hdbscans(points[order], labels[order]) for order in orders]
    index = validity_index(points, labels)
    assert np.abs(np.array(others) - index).max() < 0.16


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("raw", [False, True])
def test_of_distances(name, raw):
    points, labels = SETS[name]
    condensed = pdist(points)
    full, d = squareform(condensed), points.shape[1]
    wanted = by_definition(full, labels, d, raw=raw)
    options = {"metric": "precomputed", "d": d, "mst_raw_dist": raw, "per_cluster_scores": True}
    for distances in (full, condensed, full.tolist(), np.asfortranarray(full)):
        found = validity_index(distances, labels, **options)
        np.testing.assert_allclose(found[0], wanted[0], atol=1e-9)
        np.testing.assert_allclose(found[1], wanted[1], atol=1e-9)
    if raw:  # without core distances, there is no exponent
        assert validity_index(full, labels, metric="precomputed", mst_raw_dist=True) == found[0]
    single = validity_index(full.astype(np.float32), labels, **options)[0]
    if name not in ("huge offset", "lattice", "copies"):  # float32 has other ties
        assert single == pytest.approx(wanted[0], abs=0.01)


def test_of_distances_of_any_scale():
    points, labels = SETS["far blobs"]
    distances = squareform(pdist(points))
    wanted = validity_index(distances, labels, metric="precomputed", d=2)
    for scale in (1e-300, 1e-170, 1e100, 1e300):
        found = validity_index(distances * scale, labels, metric="precomputed", d=2)
        assert found == pytest.approx(wanted, abs=1e-9)


@st.composite
def clusterings(draw):
    """Draw points with many equal distances, and labels of HDBSCAN or at random."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, d = draw(st.integers(2, 80)), draw(st.integers(1, 4))
    points = rng.integers(0, draw(st.sampled_from([2, 3, 5, 9, 30])), (n, d)).astype(np.float64)
    if draw(st.booleans()):
        model = HDBSCAN(draw(st.integers(2, 6)), draw(st.integers(1, min(n, 5))))
        return points, model.fit_predict(points)
    return points, rng.integers(-1, draw(st.integers(1, 5)), n)


def assert_same_in_any_order(points, labels, **options):
    """Compare with a few orders of the rows, bit for bit."""
    wanted = validity_index(points, labels, per_cluster_scores=True, **options)
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(len(points))
        found = validity_index(points[order], labels[order], per_cluster_scores=True, **options)
        assert found[0] == wanted[0]
        assert_same_bits((found[1],), (wanted[1],))


@settings(max_examples=100)
@given(clusterings(), st.booleans(), st.sampled_from([np.float32, np.float64, np.int64]))
@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev", "minkowski"])
def test_shuffled_points(metric, clustering, raw, dtype):
    points, labels = clustering
    options = {"metric": metric, "p": 3.0, "mst_raw_dist": raw}
    assert_same_in_any_order(points.astype(dtype), labels, **options)


@settings(max_examples=50)
@given(clusterings(), st.booleans(), st.sampled_from([0.5, 1.0, 2.5, 7.0, 2000.0]))
def test_shuffled_points_of_any_exponent(clustering, raw, d):
    assert_same_in_any_order(*clustering, d=d, mst_raw_dist=raw)


@settings(max_examples=50)
@given(clusterings())
@pytest.mark.parametrize("metric", ["hamming", "jaccard"])
def test_shuffled_bits(metric, clustering):
    points, labels = clustering
    bits = (points[:, :, np.newaxis].astype(np.int64) >> np.arange(5) & 1).astype(bool)
    assert_same_in_any_order(bits.reshape(len(points), -1), labels, metric=metric)


@settings(max_examples=20)
@given(clusterings())
def test_shuffled_points_of_a_function(clustering):
    points, labels = clustering
    metric = functools.partial(minkowski, p=1)
    assert_same_in_any_order(points[:25], labels[:25], metric=metric)


@settings(max_examples=50)
@given(clusterings())
def test_other_forms_of_equal_points(clustering):
    """Integers, floats and zeros of either sign: no bit of the index differs."""
    points, labels = clustering
    wanted = validity_index(points, labels)
    for form in (points.astype(np.int32), np.where(points == 0, -0.0, points), points.tolist()):
        assert validity_index(form, labels) == wanted
    assert validity_index(points - 100, labels) == wanted  # the differences are exact


@settings(max_examples=50)
@given(st.integers(0, 2**32 - 1), st.sampled_from([0.5, 2.0, 3.0, 40.0]))
def test_shuffled_distances_of_which_no_two_are_equal(seed, d):
    """Sums do not depend on the order; with equal distances, the rows of a matrix may decide."""
    rng = np.random.default_rng(seed)
    points, labels = rng.normal(size=(60, 3)), rng.integers(-1, 3, 60)
    distances, options = cdist(points, points), {"metric": "precomputed", "d": d}
    wanted = validity_index(distances, labels, **options)
    for _ in range(3):
        order = rng.permutation(60)
        found = validity_index(distances[np.ix_(order, order)], labels[order], **options)
        assert found == wanted


@pytest.mark.parametrize("raw", [False, True])
def test_both_points_of_a_cluster_of_two_are_inner(raw):
    """By hand: 1 apart from another, and 2 from the nearest point of the other cluster."""
    points, labels = np.array([[0.0], [1.0], [3.0], [7.0]]), np.array([0, 0, 1, 1])
    for order in itertools.permutations(range(4)):
        found = validity_index(
            points[[*order]], labels[[*order]], per_cluster_scores=True, mst_raw_dist=raw
        )
        gap = 2 if raw else 4  # the core distance of 3 and 7
        np.testing.assert_allclose(found[1], [1 - 1 / gap, gap / 4 - 1])


def test_powers_do_not_overflow():
    points, labels = SETS["far blobs"]
    wanted = validity_index(points, labels)
    for scale in (1e-300, 1e-170, 1e-100, 1e100, 1e170, 1e300):
        assert validity_index(points * scale, labels) == pytest.approx(wanted, abs=1e-9)
    assert powers_mean_fix() == pytest.approx(4 / 3)


def test_noise_may_have_nan_and_missing_numbers_are_nan():
    points, labels = SETS["blobs"]
    more = np.r_[points, [[np.nan] * 3]]
    index, validity = validity_index(more, np.r_[labels * 2, -1], per_cluster_scores=True)
    assert index == pytest.approx(validity_index(points, labels) * 90 / 91)
    np.testing.assert_array_equal(np.isnan(validity), [False, True, False, True, False])
    assert validity_index(points, np.full(90, -1)) == 0
    assert validity_index(points, np.zeros(90, int)) == 0


@pytest.mark.parametrize("dtype", [*"bBhHiIlLqQ", bool])
def test_labels_of_any_integers(dtype):
    """Of each type; those that have a sign may have noise of any number below 0."""
    points, labels = SETS["blobs"]
    labels = labels % 2
    wanted = validity_index(points, labels)
    assert validity_index(points, labels.astype(dtype)) == wanted
    if np.issubdtype(dtype, np.signedinteger):
        noise = np.where(np.arange(90) % 5, labels, -1)
        least = np.where(noise < 0, np.iinfo(dtype).min, noise).astype(dtype)
        assert validity_index(points, least) == validity_index(points, noise)


def test_masked_entries_are_missing():
    """As NaN in points: noise may have them. Labels have none."""
    points, labels = SETS["with noise"]
    hidden = np.ma.array(points, mask=np.zeros(points.shape, bool))
    wanted = validity_index(points, labels)
    assert validity_index(hidden, labels) == wanted
    hidden[labels < 0] = np.ma.masked
    assert validity_index(hidden, labels) == wanted
    for dtype in (np.float32, np.float64, np.int64, np.uint8):
        four = np.ma.array([[0], [1], [5], [9]], dtype, mask=[[0], [1], [0], [0]])
        with raises_sentence(ValueError, "row 1 of X has NaN in column 0"):
            validity_index(four, [0, 0, 1, 1])
    with raises_sentence(ValueError, "labels[2] is masked"):
        validity_index(points[:4], np.ma.array([0, 0, 1, 1], mask=[0, 0, 1, 0]))
    assert validity_index(points, np.ma.array(labels)) == wanted


def test_prefers_the_clusters_of_hdbscan():
    points, _ = make_moons(300, noise=0.06, random_state=1)
    found = wg.cluster.HDBSCAN(10).fit(points).labels_
    halves = (points[:, 0] > 0.5).astype(int)
    assert validity_index(points, found) > 0 > validity_index(points, halves)


def test_moons_that_nearly_touch_are_below_noise():
    """As the docstring warns: clusters found without an error may have less than all noise."""
    points, truth = make_moons(800, noise=0.07, random_state=1)
    assert -1 < validity_index(points, truth) < 0


def test_numbers_of_clusters_may_have_gaps():
    """Time and memory are those of the clusters there are; only scores by number are as long."""
    points, labels = SETS["blobs"]
    far = np.array([7, 2**31 - 2, 1000])[labels]
    index, validity = validity_index(points, labels, per_cluster_scores=True)
    limited = {"memory_limit": "1 MB"}
    assert validity_index(points, far, **limited) == pytest.approx(index, abs=1e-12)
    with raises_sentence(MemoryError, "clusters 0..2147483646", "1000000 bytes", "without gaps"):
        validity_index(points, far, per_cluster_scores=True, **limited)
    near = np.array([7, 2, 1000])[labels]
    found = validity_index(points, near, per_cluster_scores=True, **limited)[1]
    assert found.shape == (1001,)
    np.testing.assert_array_equal(np.flatnonzero(~np.isnan(found)), [2, 7, 1000])
    np.testing.assert_allclose(found[[7, 2, 1000]], validity)
    with raises_sentence(OverflowError, "cluster 5 "):
        validity_index([[-1e308], [1e308]], [5, 5], metric="manhattan")


GIVEN = {"metric": "precomputed", "d": 2}
LIMITED = GIVEN | {"memory_limit": 10_000}
PAIR = [[0.0, 1.0], [1.0, 0.0]]
BAD = [
    (([[0.0], [1.0]], [0]), {}, ValueError, ("1 items", "(2, 1)")),
    (([[0.0], [1.0]], [0.0, 1.0]), {}, TypeError, ("labels must be integers", "float64")),
    (([[0.0], [np.nan]], [0, 0]), {}, ValueError, ("NaN",)),
    (([[0.0], [1.0], [np.nan]], [0, -1, 0]), {}, ValueError, ("row 2 of X has NaN",)),
    (([[0.0], [1.0]], [0, 0]), {"d": 0}, ValueError, ("d must", 0)),
    (([[0.0], [1.0]], [0, 0]), {"d": "1"}, TypeError, ("d must", "1")),
    (([[0.0], [1.0]], [0, 0]), {"metric": "near"}, ValueError, ("metric", "near")),
    (([[0.0], [1.0]], [0, 0]), {"memory_limit": 9}, MemoryError, ("9 bytes",)),
    (([[0.0], [1.0]], [0, 2**31]), {}, ValueError, ("labels", 2**31)),
    (([[-1e308], [1e308]], [0, 0]), {"metric": "manhattan"}, OverflowError, ("cluster 0",)),
    ((PAIR, [0, 0]), {"metric": "precomputed"}, ValueError, ("d must be given",)),
    ((PAIR, [0, 0]), GIVEN | {"d": 0}, ValueError, ("d must", 0)),
    ((PAIR, [0, 0, 1]), GIVEN, ValueError, ("3 items", "(2, 2)")),
    (([[0, 1.0], [2.0, 0]], [0, 0]), GIVEN, ValueError, ("not symmetric", "(0, 1)")),
    (([-1.0], [0, 0]), GIVEN, ValueError, ("Negative values", -1)),
    (([np.nan], [0, -1]), GIVEN, ValueError, ("(0, 1) is NaN",)),
    (([np.inf], [5, 5]), GIVEN, ValueError, ("inf", "cluster 5")),
    ((sp.csr_array(PAIR), [0, 0]), GIVEN, TypeError, ("all pairs", "csr_array")),
    ((squareform(np.ones(4950)), [0] * 100), LIMITED, MemoryError, ("tree of 100 points",)),
    ((np.ones(4950), [0] * 100), LIMITED, MemoryError, ("10000 bytes", "condensed distances")),
]


@pytest.mark.parametrize(("args", "options", "error", "parts"), BAD)
def test_bad_input(args, options, error, parts):
    with raises_sentence(error, *parts):
        validity_index(*args, **options)


def test_progress_ends_at_the_total():
    seen = []
    points, labels = SETS["blobs"]
    validity_index(points, labels, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(1, 4), (2, 4), (3, 4), (4, 4)]
