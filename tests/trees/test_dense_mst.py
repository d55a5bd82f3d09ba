"""The spanning forest of a full matrix of distances, as for precomputed metrics."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import oracles
from warpgraph._trees.dense_mst import dense_mst


def kruskal(distances):
    n = len(distances)
    pairs = [(distances[u, v], u, v) for u in range(n) for v in range(u + 1, n)]
    sets = oracles.Sets(n)
    return [(w, u, v) for w, u, v in sorted(pairs) if np.isfinite(w) and sets.join(u, v)]


def symmetric(values, n):
    matrix = np.zeros((n, n))
    matrix[np.triu_indices(n, 1)] = values
    return matrix + matrix.T


@st.composite
def matrices(draw):
    n = draw(st.integers(1, 20))
    size = n * (n - 1) // 2
    weights = st.sampled_from([0.0, 0.5, 1.0, 2.0, 3.0, np.inf])
    return symmetric(draw(st.lists(weights, min_size=size, max_size=size)), n)


@settings(max_examples=80)
@given(matrices(), st.sampled_from([np.float32, np.float64]))
def test_equals_kruskal(distances, dtype):
    forest = dense_mst(distances.astype(dtype))
    wanted = kruskal(distances)
    assert forest.edges.tolist() == [[u, v] for _, u, v in wanted]
    assert forest.weights.tolist() == [w for w, _, _ in wanted]
    assert forest.n_vertices == len(distances)


def test_zero_is_a_distance_and_inf_is_none():
    distances = np.array([[0, 0, np.inf], [0, 0, np.inf], [np.inf, np.inf, 0]])
    forest = dense_mst(distances)
    assert forest.edges.tolist() == [[0, 1]]
    assert forest.n_trees == 2


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32])
def test_masked_entries_are_no_edges(dtype):
    distances = np.array([[0, 2, 9], [2, 0, 9], [9, 9, 0]], dtype)
    forest = dense_mst(np.ma.masked_equal(distances, 9))
    assert forest.edges.tolist() == [[0, 1]]
    assert forest.weights.tolist() == [2.0]


def test_diagonal_is_ignored():
    assert dense_mst(np.array([[7.0, 3.0], [3.0, 7.0]])).weights.tolist() == [3.0]


def test_mapped_file(tmp_path):
    points = np.random.default_rng(0).random((90, 1))
    distances = np.abs(points - points.T)
    np.save(tmp_path / "distances.npy", distances)
    mapped = np.load(tmp_path / "distances.npy", mmap_mode="r")
    assert dense_mst(mapped).edges.tolist() == [[u, v] for _, u, v in kruskal(distances)]


def test_integer_distances():
    assert dense_mst([[0, 2], [2, 0]]).weights.tolist() == [2.0]


def test_differences_by_rounding_are_no_asymmetry():
    distances = symmetric(np.random.default_rng(0).random(45), 10)
    distances[3, 4] = np.nextafter(distances[3, 4], 2)
    assert dense_mst(distances).n_trees == 1


@pytest.mark.parametrize("size", [3, 100])
def test_asymmetry_is_named(size):
    distances = symmetric(np.full(size * (size - 1) // 2, 2.0), size)
    distances[size - 1, 1] = 2.5
    sentence = rf"not symmetric: entry \(1, {size - 1}\) is 2, entry \({size - 1}, 1\) is 2.5"
    with pytest.raises(ValueError, match=sentence):
        dense_mst(distances)


def test_one_sided_inf_is_an_asymmetry():
    with pytest.raises(ValueError, match="not symmetric"):
        dense_mst(np.array([[0, np.inf], [1.0, 0]]))


@pytest.mark.parametrize(
    ("distances", "sentence"),
    [
        (np.array([[0, np.nan], [1.0, 0]]), r"the distance at \(0, 1\) is NaN"),
        (np.array([[0, 1.0], [-2.0, 0]]), r"Negative values in data: .* \(1, 0\) is -2"),
        (np.zeros((2, 3)), r"must be square, got shape \(2, 3\)"),
        (np.zeros(4), r"must be square, got shape \(4,\)"),
        (np.zeros((0, 0)), r"is empty"),
    ],
)
def test_bad_matrices(distances, sentence):
    with pytest.raises(ValueError, match=sentence):
        dense_mst(distances)
