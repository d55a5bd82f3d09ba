"""validity_index of given distances, by its definition: one pair after the other."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial.distance import pdist, squareform

import warpgraph as wg
from checks import raises_sentence
from fuzz.oracles import validity
from warpgraph.cluster import validity_index

#: Their ratios, and sums of these, are exact: cores that are equal have equal bits.
POWERS_OF_TWO = [0.0, 0.25, 0.5, 1.0, 2.0, 4.0, np.inf]
DTYPES = (np.float32, np.float64)


@st.composite
def clusterings(draw, values):
    """Draw condensed distances, and labels with noise, gaps and clusters of one or two points."""
    n = draw(st.integers(2, 40))
    distances = draw(arrays(np.float64, n * (n - 1) // 2, elements=values))
    n_clusters = draw(st.sampled_from([1, 2, 3, 20]))
    labels = draw(arrays(np.int64, n, elements=st.integers(-1, n_clusters - 1)))
    return distances, labels


@st.composite
def distinct_distances(draw):
    """Draw random distances, of which no two are equal, but some are 0."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, share = draw(st.integers(2, 40)), draw(st.sampled_from([0, 0.1, 0.5]))
    distances = rng.permutation(n * (n - 1) // 2) + rng.uniform(0.9, 1.1)
    distances[rng.random(len(distances)) < share] = 0
    return distances, rng.integers(-1, draw(st.sampled_from([1, 2, 3, 20])), n)


def check(condensed, labels, d, *, raw):
    """Compare all forms of distances with the definition, or with its error."""
    options = {"metric": "precomputed", "d": d, "mst_raw_dist": raw, "per_cluster_scores": True}
    full = squareform(condensed)
    np.fill_diagonal(full, 3.0)  # it is not read
    forms = [form.astype(dtype) for form in (full, condensed) for dtype in DTYPES]
    if validity.has_infinite_trees(full, labels):
        for distances in forms:
            with raises_sentence(ValueError, "distances of inf separate points of cluster"):
                validity_index(distances, labels, **options)
        return
    wanted, by_cluster = validity.by_definition(full, labels, d, raw=raw)
    present = np.unique(labels[labels >= 0])
    for distances in forms:
        index, scores = validity_index(distances, labels, **options)
        assert index == pytest.approx(wanted, abs=1e-9)
        np.testing.assert_allclose(scores[present], by_cluster[present], atol=1e-9)
        missing = np.setdiff1d(np.arange(len(scores)), present)
        assert len(scores) == labels.max() + 1
        assert np.isnan(scores[missing]).all()


@settings(max_examples=200)
@given(clusterings(st.sampled_from(POWERS_OF_TWO)), st.booleans())
def test_ties_zeros_and_islands(clustering, raw):
    check(*clustering, d=1, raw=raw)


@settings(max_examples=100)
@given(clusterings(st.sampled_from(POWERS_OF_TWO[:-1])), st.booleans())
def test_ties_and_zeros(clustering, raw):
    check(*clustering, d=1, raw=raw)


@settings(max_examples=100)
@given(distinct_distances(), st.sampled_from([0.5, 1, 2, 7.5]), st.booleans())
def test_distinct_distances(clustering, d, raw):
    condensed, labels = clustering
    check(condensed.astype(np.float32).astype(np.float64), labels, d, raw=raw)


@settings(max_examples=50)
@given(clusterings(st.sampled_from(POWERS_OF_TWO[:-1])), st.booleans())
def test_threads_do_not_change_a_bit(clustering, raw):
    condensed, labels = clustering
    assert_bits_of_all_threads(squareform(condensed), labels, raw)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("raw", [False, True])
def test_threads_share_large_clusters(dtype, raw):
    """Rows of 4200 distances are shared while the tree grows."""
    rng = np.random.default_rng(0)
    points = rng.integers(0, 90, 4300).astype(dtype)  # copies of points, and equal distances
    labels = np.r_[np.zeros(4200, int), rng.integers(-1, 3, 100)]
    order = np.argsort(points, kind="stable")  # which decides between equal distances
    points, labels = points[order], labels[order]
    distances = np.abs(points[:, np.newaxis] - points)
    found = assert_bits_of_all_threads(distances, labels, raw)
    of_points = validity_index(points[:, np.newaxis], labels, d=1, mst_raw_dist=raw)
    assert found == pytest.approx(of_points, abs=1e-9)


def assert_bits_of_all_threads(distances, labels, raw):
    """Return the index, whose bits are those of every number of threads."""
    options = {"metric": "precomputed", "d": 1, "mst_raw_dist": raw, "per_cluster_scores": True}
    found = []
    for threads in (1, 2, 5):
        wg.set_num_threads(threads)
        try:
            found.append(validity_index(distances, labels, **options))
        finally:
            wg.set_num_threads(0)
    for index, scores in found[1:]:
        assert index == found[0][0]
        np.testing.assert_array_equal(scores, found[0][1])
    return found[0][0]


def test_entries_may_differ_by_rounding():
    points = np.random.default_rng(1).random((60, 3))
    distances = squareform(pdist(points))
    wrong = distances + np.triu(np.full((60, 60), 1e-12), 1)
    labels = np.arange(60) % 3
    options = {"metric": "precomputed", "d": 3}
    found = validity_index(wrong, labels, **options)
    assert found == pytest.approx(validity_index(distances, labels, **options), abs=1e-6)


@pytest.mark.parametrize("labels", [[0] * 100, [0, 1] * 50, [-1] * 98 + [0] * 2])
def test_memory_is_linear(labels):
    """The matrix of 80,000 bytes is read where it is, and no cluster's part of it is copied."""
    matrix = squareform(pdist(np.random.default_rng(0).random((100, 2))))
    options = {"metric": "precomputed", "d": 2}
    wanted = validity_index(matrix, labels, **options)
    assert validity_index(matrix, labels, memory_limit=30_000, **options) == wanted
    with raises_sentence(MemoryError, "100 points", "100 bytes"):
        validity_index(matrix, labels, memory_limit=100, **options)


def test_noise_is_no_part_of_the_points_that_are_copied():
    """Two copies of 100 points are in the limit; 10,000 points of noise are in no copy."""
    rng = np.random.default_rng(0)
    points, labels = rng.random((10_100, 50)), np.r_[np.full(10_000, -1), np.arange(100) % 2]
    wanted = validity_index(points[10_000:], labels[10_000:]) * 100 / 10_100
    found = validity_index(points, labels, memory_limit=600_000)
    assert found == pytest.approx(wanted, abs=1e-12)
    with raises_sentence(MemoryError, "the points of clusters"):
        validity_index(points, labels, memory_limit=40_000)
