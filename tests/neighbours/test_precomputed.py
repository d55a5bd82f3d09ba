"""Distances in place of points: full, condensed or of a graph, in every function that takes them.

Zero distances, those between copies of a point, are edges. Oracles: SciPy's linkage, and the same
functions of points under the metric of sums of integers, whose distances are exact.
"""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings, strategies as st
from scipy.cluster.hierarchy import cophenet, linkage
from scipy.spatial.distance import pdist, squareform

import warpgraph as wg
from warpgraph import cluster


@st.composite
def points_with_copies(draw):
    """Draw points of integers, many of them several times."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, width = draw(st.integers(2, 40)), draw(st.sampled_from([1, 2, 3, 8, 50]))
    return rng.integers(0, width, (n, draw(st.integers(1, 3)))).astype(np.float64)


def graph_of(condensed):
    """Return distances as a sparse matrix that stores those above the diagonal, zeros too."""
    n = round((1 + np.sqrt(1 + 8 * len(condensed))) / 2)
    return sp.coo_array((condensed, np.triu_indices(n, 1)), shape=(n, n)).tocsr()


def forms(condensed):
    """Return the same distances in each form."""
    full = squareform(condensed)
    graph = graph_of(condensed)
    single = [full.astype(np.float32), condensed.astype(np.float32)]
    lists = [full.tolist(), condensed.tolist()]
    return [full, condensed, *single, *lists, np.asfortranarray(full), graph, wg.Graph(graph)]


@settings(max_examples=60)
@given(points_with_copies())
def test_trees_are_those_of_scipy_with_copies(points):
    distances = pdist(points, "cityblock")
    wanted = linkage(distances, "single")
    for given_distances in forms(distances):
        forest = cluster.mst_of_points(given_distances, metric="precomputed")
        assert forest.n_vertices == len(points)
        assert forest.n_trees == 1
        np.testing.assert_array_equal(forest.weights, wanted[:, 2])
        found = cluster.single_linkage(given_distances, metric="precomputed")
        np.testing.assert_array_equal(cophenet(found), cophenet(wanted))


@settings(max_examples=60)
@given(points_with_copies(), st.integers(1, 9), st.sampled_from([0.5, 1.0, 2.0]))
def test_trees_of_distances_are_those_of_points(points, min_samples, alpha):
    min_samples = min(min_samples, len(points))
    options = {"min_samples": min_samples, "alpha": alpha}
    wanted = cluster.mst_of_points(points, metric="manhattan", **options)
    for distances in forms(pdist(points, "cityblock")):
        found = cluster.mst_of_points(distances, metric="precomputed", **options)
        np.testing.assert_array_equal(found.edges, wanted.edges)
        np.testing.assert_array_equal(found.weights, wanted.weights)


ESTIMATORS = {
    "HDBSCAN": lambda **o: cluster.HDBSCAN(2, 3, **o),
    "DBSCANStar": lambda **o: cluster.DBSCANStar(1.0, min_samples=3, **o),
    "MSTClustering": lambda **o: cluster.MSTClustering(distance_threshold=2.0, **o),
    "RobustSingleLinkage": lambda **o: cluster.RobustSingleLinkage(1.5, 3, 1.0, 2, **o),
}


@pytest.mark.parametrize("name", ESTIMATORS)
@settings(max_examples=30)
@given(points=points_with_copies())
def test_estimators_take_every_form(name, points):
    points = np.r_[points, points[:1], points[:1]]  # at least three for min_samples
    wanted = ESTIMATORS[name](metric="manhattan").fit_predict(points)
    for distances in forms(pdist(points, "cityblock")):
        model = ESTIMATORS[name](metric="precomputed").fit(distances)
        np.testing.assert_array_equal(model.labels_, wanted)
        assert model.n_features_in_ == len(points)


@settings(max_examples=60)
@given(points_with_copies(), st.data())
def test_neighbours_of_distances_are_those_of_points(points, data):
    n, with_self = len(points), data.draw(st.booleans())
    k = data.draw(st.integers(1, n - (not with_self)))
    options = {"mode": data.draw(st.sampled_from(["distance", "connectivity"]))}
    options["include_self"] = with_self
    wanted = cluster.kneighbors_graph(points, k, metric="manhattan", **options)
    cores = cluster.core_distances(points, k, metric="manhattan")
    for distances in forms(pdist(points, "cityblock")):
        found = cluster.kneighbors_graph(distances, k, metric="precomputed", **options)
        assert found.dtype == np.float64
        for part in ("indptr", "indices", "data"):
            np.testing.assert_array_equal(getattr(found, part), getattr(wanted, part))
        of_given = cluster.core_distances(distances, k, metric="precomputed")
        np.testing.assert_array_equal(of_given, cores)


@pytest.mark.parametrize("name", ["mst_of_points", "kneighbors_graph", "core_distances"])
def test_memory_limits_count_copies(name):
    """Of matrices that are not of floats row by row, and of condensed ones before they are made."""
    call, arguments = getattr(cluster, name), () if name == "mst_of_points" else (2,)
    integers = np.abs(np.subtract.outer(np.arange(200), np.arange(200)))
    reals = integers.astype(np.float64)
    options = {"metric": "precomputed", "memory_limit": 200_000}
    wanted = call(reals, *arguments, **options)
    copied = [integers, np.asfortranarray(reals), np.repeat(reals, 2, axis=1)[:, ::2]]
    for distances in [*copied, integers[np.triu_indices(200, 1)].astype(np.int32)]:
        size = 8 * distances.size
        with pytest.raises(MemoryError, match=rf"{size} bytes\).* are left of memory_limit"):
            call(distances, *arguments, **options | {"memory_limit": size - 1})
        found = call(distances, *arguments, **options | {"memory_limit": "1 MB"})
        for part in ("weights",) if name == "mst_of_points" else ("data",):
            ours, theirs = (getattr(result, part) for result in (found, wanted))
            np.testing.assert_array_equal(ours, theirs)


def test_inf_is_no_edge():
    distances = np.array([[0, 0, np.inf], [0, 0, np.inf], [np.inf, np.inf, 0]])
    for given_distances in (distances, squareform(distances)):
        forest = cluster.mst_of_points(given_distances, metric="precomputed")
        assert forest.n_trees == 2
        assert forest.edges.tolist() == [[0, 1]]
        assert forest.weights.tolist() == [0.0]


def test_neighbours_of_both_directions_count():
    graph = sp.csr_array(([3.0, 1.0, 2.0, 5.0], ([0, 1, 1, 2], [1, 0, 2, 2])), shape=(3, 3))
    found = cluster.kneighbors_graph(graph, 1, mode="distance", metric="precomputed")
    assert found.indices.tolist() == [1, 0, 1]
    assert found.data.tolist() == [1.0, 1.0, 2.0]


#: Calls of everything that takes distances.
CALLS = {
    "mst_of_points": lambda x: cluster.mst_of_points(x, metric="precomputed"),
    "single_linkage": lambda x: cluster.single_linkage(x, metric="precomputed"),
    "core_distances": lambda x: cluster.core_distances(x, 1, metric="precomputed"),
    "kneighbors_graph": lambda x: cluster.kneighbors_graph(x, 1, metric="precomputed"),
    **{
        name: lambda x, made=made: made(metric="precomputed").fit(x)
        for name, made in ESTIMATORS.items()
    },
}

BAD = {
    "not square": (np.zeros((2, 3)), r"must be square, got shape \(2, 3\)"),
    "no condensed form": (np.zeros(4), r"must be square, got shape \(4,\); condensed, it has n"),
    "three axes": (np.zeros((2, 2, 2)), r"must be square, got shape \(2, 2, 2\)"),
    "empty": (np.zeros((0, 0)), "matrix of distances is empty"),
    "negative": (np.array([[0, 1.0], [-2.0, 0]]), r"Negative values in data: .* \(1, 0\) is -2"),
    "negative, condensed": ([1.0, -2.0, 1.0], r"Negative values in data: .* \(0, 2\) is -2"),
    "NaN": (np.array([[0, np.nan], [1.0, 0]]), r"the distance at \(0, 1\) is NaN"),
    "NaN, condensed": ([1.0, 1.0, np.nan], r"the distance at \(1, 2\) is NaN"),
    "not symmetric": (
        np.array([[0, 1.0], [2.0, 0]]),
        r"not symmetric: entry \(0, 1\) is 1, entry \(1, 0\) is 2",
    ),
    "negative, sparse": (sp.csr_array(np.array([[0, -1.0], [0, 0]])), "Negative values in data"),
}


@pytest.mark.parametrize("bad", BAD)
@pytest.mark.parametrize("name", CALLS)
def test_bad_distances_are_named(name, bad):
    distances, sentence = BAD[bad]
    with pytest.raises(ValueError, match=sentence):
        CALLS[name](distances)


@pytest.mark.parametrize("name", CALLS)
def test_the_copy_of_condensed_distances_is_in_the_limit(name):
    """200 points have a full matrix of 320,000 bytes."""
    condensed = pdist(np.random.default_rng(0).normal(size=(200, 2)))
    limited = {
        "mst_of_points": lambda: cluster.mst_of_points(
            condensed, metric="precomputed", memory_limit=300_000
        ),
        "core_distances": lambda: cluster.core_distances(
            condensed, 2, metric="precomputed", memory_limit=300_000
        ),
        "kneighbors_graph": lambda: cluster.kneighbors_graph(
            condensed, 2, metric="precomputed", memory_limit=300_000
        ),
        **{
            key: lambda made=made: made(metric="precomputed", memory_limit=300_000).fit(condensed)
            for key, made in ESTIMATORS.items()
        },
    }
    if name not in limited:
        pytest.skip("has no memory_limit")
    with pytest.raises(MemoryError, match="full matrix of condensed distances"):
        limited[name]()


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_the_search_for_neighbours_is_in_the_limit(form):
    distances = form(squareform(pdist(np.random.default_rng(0).normal(size=(200, 2)))))
    with pytest.raises(MemoryError, match="the search for neighbours"):
        cluster.kneighbors_graph(distances, 2, metric="precomputed", memory_limit=1000)


@pytest.mark.parametrize(
    ("distances", "name"),
    [
        (np.array([[0, 1, np.inf], [1, 0, np.inf], [np.inf, np.inf, 0]]), "2"),
        (wg.Graph(sp.csr_array(([1.0], ([0], [1])), shape=(3, 3)), names=["a", "b", "c"]), "c"),
    ],
)
def test_too_few_neighbours_are_named(distances, name):
    with pytest.raises(ValueError, match=f"point {name} has 0 neighbours at finite distances"):
        cluster.kneighbors_graph(distances, 1, metric="precomputed")


def test_forests_and_text_are_no_distances():
    for bad in (wg.SpanningForest(2, [[0, 1]], [1.0]), "fail"):
        with pytest.raises(TypeError, match="got "):
            cluster.mst_of_points(bad, metric="precomputed")


@pytest.mark.cuda
def test_a_full_matrix_is_searched_on_the_cpu():
    with pytest.raises(wg.DeviceError, match="on the CPU only"):
        cluster.mst_of_points(np.zeros((3, 3)), metric="precomputed", device="cuda")
