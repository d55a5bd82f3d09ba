"""KMeans is bitwise the documented algorithm of Lloyd, with scikit-learn's conventions."""

import pickle
import subprocess
import sys

import numpy as np
import pytest
import sklearn
from hypothesis import given, settings, strategies as st
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.cluster import KMeans as SklearnKMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import parametrize_with_checks

import checks
import warpgraph as wg
from warpgraph import _core
from warpgraph.cluster import KMeans

rng = np.random.default_rng(7)
CENTRES = rng.normal(0, 10, (6, 3))
FAMILIES = {
    "one point": np.zeros((1, 2)),
    "identical": np.full((40, 2), 0.1),
    "few distinct": rng.integers(0, 2, (300, 2)).astype(float),
    "lattice": rng.permutation(np.stack(np.divmod(np.arange(400), 20), -1).astype(float)),
    "uniform 1-D": rng.random((500, 1)),
    "uniform 5-D": rng.random((600, 5)),
    "normal 40-D": rng.normal(size=(200, 40)),
    "blobs": (CENTRES[rng.integers(0, 6, 700)] + rng.normal(0, 0.5, (700, 3))),
    "far blobs": np.r_[rng.normal(0, 1, (200, 2)), rng.normal(1e6, 1, (200, 2)), [[1e9, 0]]],
    "scales": 10.0 ** rng.uniform(-12, 12, (400, 2)),
    "tiny": rng.random((300, 2)) * 1e-25,
    "underflowing": rng.random((200, 2)) * 1e-170,
    "overflowing": np.where(rng.random((200, 3)) < 0.5, 1e160, 1.0) * rng.random((200, 3)),
}


def keys(points, centres):
    """Squared distances, computed one coordinate after the other in the points' own type."""
    sums = np.zeros((len(points), len(centres)), points.dtype)
    for k in range(points.shape[1]):
        apart = points[:, k : k + 1] - centres[:, k]
        sums += apart * apart
    return sums


def spell_out(points, start, max_iter=300, tol=0.0):
    """Lloyd's algorithm as in csrc/algorithms/kmeans/kmeans.hpp, for at most 4096 points."""
    centres, labels = start.copy(), np.full(len(points), -1)
    for iteration in range(1, max_iter + 1):
        distances = keys(points, centres)
        new = distances.argmin(axis=1)
        if (new == labels).all():
            return centres, labels, iteration
        labels = refill(distances, new, len(centres))
        moved = 0.0
        for c in range(len(centres)):
            mine = points[labels == c].astype(np.float64)
            if len(mine):
                total = np.zeros(points.shape[1])
                for point in mine:
                    total += point
                mean = (total / len(mine)).astype(points.dtype)
                moved += float(((mean.astype(np.float64) - centres[c]) ** 2).sum())
                centres[c] = mean
        if moved <= tol:
            break
    return centres, keys(points, centres).argmin(axis=1), iteration


def refill(distances, labels, k):
    labels = labels.copy()
    own = distances[np.arange(len(labels)), labels]
    for empty in np.flatnonzero(np.bincount(labels, minlength=k) == 0):
        free = (own > 0) & (np.bincount(labels, minlength=k)[labels] > 1)
        if not free.any():
            break
        labels[np.argmax(np.where(free, own, -1))] = empty
    return labels


def run(points, start, device="cpu", max_iter=300, tol=0.0, weights=None):
    start = np.ascontiguousarray(start)
    where, until = name(device), {"max_iterations": max_iter, "tolerance": tol}
    return _core.kmeans(points, weights, start, where, None, None, **until)


def name(device):
    return "cuda:0" if device == "cuda" else device


@pytest.mark.parametrize("points", FAMILIES.values(), ids=FAMILIES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("init", ["first", "farthest"])
def test_equals_its_definition(points, dtype, init, device):
    with np.errstate(over="ignore", under="ignore"):
        points = points.astype(dtype)
        points = np.where(np.isfinite(points), points, np.finfo(dtype).max)
        for k in {1, min(2, len(points)), min(7, len(points)), min(60, len(points))}:
            start = (
                points[:k]
                if init == "first"
                else points[_core.farthest_points(points, None, k, device)]
            )
            centres, labels, n_iter = spell_out(points, start)
            got = run(points, start, device)
            np.testing.assert_array_equal(got[0], centres)
            np.testing.assert_array_equal(got[1], labels)
            assert got[3] == n_iter
            assert got[0].dtype == dtype


@settings(max_examples=60)
@given(seed=st.integers(0, 2**32 - 1))
def test_equals_its_definition_at_random(seed, device):
    draw = np.random.default_rng(seed)
    n, d, k = (
        draw.integers(1, 120),
        draw.choice([1, 2, 3, 4, 7, 16, 30, 33, 50, 70]),
        draw.integers(1, 12),
    )
    kind = draw.integers(0, 3)
    points = draw.random((n, d)) if kind == 0 else draw.integers(0, 4, (n, d)).astype(float)
    points = points.astype(draw.choice(["float32", "float64"]))
    start = points[draw.integers(0, n, k)] if kind < 2 else draw.random((k, d)).astype(points.dtype)
    max_iter, tol = int(draw.integers(1, 20)), float(draw.choice([0, 1e-3]))
    centres, labels, n_iter = spell_out(points, start, max_iter, tol)
    got = run(points, start, device, max_iter, tol)
    np.testing.assert_array_equal(got[0], centres)
    np.testing.assert_array_equal(got[1], labels)
    assert got[3] == n_iter


@pytest.mark.parametrize(("n", "d", "k"), [(50_000, 2, 30), (30_000, 16, 64), (20_000, 3, 500)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_devices_change_nothing(n, d, k, dtype, device):
    draw = np.random.default_rng(n)
    centres = draw.random((k, d))
    points = (centres[draw.integers(0, k, n)] + draw.normal(0, 0.1, (n, d))).astype(dtype)
    iterations = 2 if checks.EMULATED else 15
    found = run(points, points[:k], device, max_iter=iterations)
    on_cpu = run(points, points[:k], max_iter=iterations)
    for a, b in zip(found, on_cpu, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("offset", [0, 1e2, 1e4, 1e7])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_points_far_from_the_origin(offset, dtype, device):
    # There, distances by products are rounded more coarsely, and many tie.
    draw = np.random.default_rng(3)
    points = (offset + draw.integers(0, 5, (3000, 5)) / 4).astype(dtype)
    for k in (2, 9, 40):
        wanted = run(points, points[:k], max_iter=4)
        for found, value in zip(run(points, points[:k], device, max_iter=4), wanted, strict=True):
            np.testing.assert_array_equal(found, value)


def test_threads_change_nothing():
    points = np.random.default_rng(1).random((40_000, 3))
    results = []
    for threads in (1, 2, 5):
        wg.set_num_threads(threads)
        results.append(KMeans(20, max_iter=10, random_state=0).fit(points))
    wg.set_num_threads(0)
    for other in results[1:]:
        np.testing.assert_array_equal(results[0].cluster_centers_, other.cluster_centers_)
        np.testing.assert_array_equal(results[0].labels_, other.labels_)
        assert results[0].inertia_ == other.inertia_


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_equals_scikit_learn(dtype, device):
    points = FAMILIES["blobs"].astype(dtype)
    ours = KMeans(6, init=points[:6], device=device).fit(points)
    theirs = SklearnKMeans(6, init=points[:6], n_init=1, tol=0, algorithm="lloyd").fit(points)
    np.testing.assert_array_equal(ours.labels_, theirs.labels_)
    np.testing.assert_allclose(ours.cluster_centers_, theirs.cluster_centers_, rtol=1e-4)
    np.testing.assert_allclose(ours.inertia_, theirs.inertia_, rtol=1e-4)
    assert ours.n_iter_ == theirs.n_iter_
    np.testing.assert_allclose(ours.transform(points), theirs.transform(points), rtol=1e-3)
    np.testing.assert_allclose(ours.score(points), theirs.score(points), rtol=1e-4)


def test_empty_clusters_take_the_farthest_points(device):
    points = np.array([[0.0], [1.0], [2.0], [100.0], [110.0]])
    start = [[1.0], [50.0], [1e6]]
    model = KMeans(3, init=start, device=device).fit(points)
    assert model.labels_.tolist() == [0, 0, 0, 1, 2]
    assert model.cluster_centers_.ravel().tolist() == [1.0, 100.0, 110.0]


def test_fewer_distinct_points_than_clusters(device):
    points = np.repeat([[1.0, 2.0], [5.0, 6.0]], 5, axis=0)
    for init in ("k-means++", "farthest", "random", "first"):
        with pytest.warns(ConvergenceWarning, match=r"only \d of the 4 clusters have points"):
            model = KMeans(4, init=init, n_init=1, device=device).fit(points)
        assert set(np.unique(model.labels_[:5])).isdisjoint(model.labels_[5:])
        assert model.inertia_ == 0


def test_labels_are_of_the_centres_returned(device):
    points = np.random.default_rng(0).random((3000, 4))
    for arguments in ({"max_iter": 3}, {"tol": 1e-3}, {}):
        model = KMeans(12, init="first", device=device, **arguments).fit(points)
        distances = cdist(points, model.cluster_centers_)
        assert (model.labels_ == distances.argmin(axis=1)).all()
        assert (model.labels_ == model.predict(points)).all()
        np.testing.assert_allclose(model.inertia_, (distances.min(axis=1) ** 2).sum())
        np.testing.assert_allclose(model.score(points), -model.inertia_)
    assert KMeans(12, init="first", tol=1e-2).fit(points).n_iter_ < model.n_iter_


def test_types():
    for given_type, wanted in ((np.float32, np.float32), (np.int16, np.float64)):
        points = np.arange(20).reshape(10, 2).astype(given_type)
        model = KMeans(2).fit(points)
        assert model.cluster_centers_.dtype == wanted
        assert model.transform(points).dtype == wanted
        assert model.labels_.dtype == model.predict(points).dtype == np.int32


def test_transform_in_blocks_and_within_the_memory_limit(monkeypatch):
    monkeypatch.setattr("warpgraph.cluster._kmeans._AT_ONCE", 40)  # two rows
    model = KMeans(6).fit(FAMILIES["blobs"])
    distances = cdist(FAMILIES["blobs"], model.cluster_centers_)
    np.testing.assert_array_equal(model.transform(FAMILIES["blobs"]), distances)
    with checks.raises_sentence(MemoryError, "the distances", distances.nbytes, 1000):
        model.set_params(memory_limit=1000).transform(FAMILIES["blobs"])


def expected_failures(estimator):
    """As of scikit-learn's own KMeans: the check shuffles the rows before the draw."""
    if estimator.init == "farthest":
        return {}
    return {"check_sample_weight_equivalence_on_dense_data": "other rows are drawn"}


@parametrize_with_checks(
    [
        KMeans(n_clusters=3),
        KMeans(n_clusters=2, init="random"),
        KMeans(n_clusters=3, init="farthest"),
    ],
    expected_failed_checks=expected_failures,
)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"n_clusters": 5}, r"n_clusters=5 is more than there are points: n_samples=4"),
        ({"n_clusters": 0}, r"n_clusters must be at least 1, got 0"),
        ({"init": "middle"}, r"init must be one of 'k-means\+\+', 'farthest', .* got 'middle'"),
        ({"init": [[0.0, 1.0]]}, r"a row for each of the 2 clusters .* got shape \(1, 2\)"),
        ({"init": [[0.0, 1.0], [np.nan, 1]]}, r"row 1 of init is not finite: \[nan, 1.0\]"),
        ({"max_iter": 0}, r"max_iter must be in 1\.\.2147483647, got 0"),
        ({"max_iter": 2**40}, r"max_iter must be in 1\.\.2147483647, got 1099511627776"),
        (
            {"init": "random", "random_state": -1},
            r"random_state must be an integer >= 0, .* got -1",
        ),
        ({"tol": -1.0}, r"tol must be at least 0, got -1.0"),
        ({"tol": np.nan}, r"tol must be at least 0, got nan"),
        ({"n_init": 0}, r"n_init must be at least 1, got 0"),
        ({"n_init": "many"}, r"n_init must be one of 'auto', got 'many'"),
        ({"init": lambda X, k, random_state: X[:1]}, r"the result of init .* got shape \(1, 2\)"),
        ({"random_state": -1}, r"random_state must be an integer >= 0, .* got -1"),
    ],
)
def test_bad_parameters(parameters, sentence):
    with pytest.raises(ValueError, match=sentence):
        KMeans(**{"n_clusters": 2, **parameters}).fit(np.arange(8.0).reshape(4, 2))


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"n_clusters": 2.5}, "n_clusters must be an integer, got 2.5"),
        ({"tol": "far"}, "tol must be a number, got 'far'"),
        ({"max_iter": 1.5}, "max_iter must be an integer, got 1.5"),
        ({"device": 3}, "device must be a string .* got 3"),
        ({"init": None}, "init must be one of .* or an array of centres, got None"),
        ({"n_init": 2.5}, "n_init must be an integer, got 2.5"),
        ({"n_init": True}, "n_init must be an integer, got True"),
        ({"init": lambda X, k, random_state: "far"}, "the result of init must be .* got 'far'"),
        ({"init": [[0.0], [1.0, 2.0]]}, "or an array of centres, got"),
        ({"init": np.full((2, 2), 1j)}, "or an array of centres, got"),
        ({"init": "random", "random_state": "dice"}, "random_state must be .* got 'dice'"),
        ({"init": "random", "random_state": True}, "random_state must be .* got True"),
    ],
)
def test_parameters_of_wrong_type(parameters, sentence):
    with pytest.raises(TypeError, match=sentence):
        KMeans(**{"n_clusters": 2, **parameters}).fit(np.zeros((4, 2)))


def test_bad_points():
    with pytest.raises(ValueError, match=r"row 1 of X has NaN in column 0"):
        KMeans(1).fit([[0.0], [np.nan]])
    model = KMeans(1).fit([[0.0], [1.0]])
    with pytest.raises(ValueError, match=r"X has 2 features, but KMeans is expecting 1 features"):
        model.predict([[0.0, 1.0]])


def test_missing_device_and_not_fitted():
    with pytest.raises(wg.DeviceError):
        KMeans(1, device="cuda:99").fit(np.zeros((4, 2)))
    with pytest.raises(sklearn.exceptions.NotFittedError, match="call fit first"):
        KMeans().predict([[0.0]])


over_gpus = pytest.mark.parametrize("gpu", wg.devices()[1:2])


def on(gpu, points):
    array = _core.device_array(points.shape, points.dtype, gpu)
    array.set(np.ascontiguousarray(points))
    return array


@over_gpus
@pytest.mark.parametrize("init", ["k-means++", "farthest", "random", "first"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_points_stay_on_the_device(init, dtype, gpu):
    points = FAMILIES["blobs"].astype(dtype)
    wanted = KMeans(6, init=init, tol=1e-6, random_state=1, device="cpu").fit(points)
    there = on(gpu, points)
    for device in ("auto", gpu):
        model = KMeans(6, init=init, tol=1e-6, random_state=1, device=device).fit(there)
        np.testing.assert_array_equal(model.cluster_centers_, wanted.cluster_centers_)
        np.testing.assert_array_equal(model.labels_, wanted.labels_)
        assert (model.inertia_, model.n_iter_) == (wanted.inertia_, wanted.n_iter_)
        assert model.n_features_in_ == points.shape[1]
        np.testing.assert_array_equal(model.predict(there), wanted.predict(points))
        np.testing.assert_array_equal(model.transform(there), wanted.transform(points))


@over_gpus
def test_bad_points_on_the_device(gpu):
    points = np.zeros((50, 3), np.float32)
    points[7, 1] = np.nan
    points[20, 2] = np.inf
    with checks.raises_sentence(ValueError, "row 7 of X has NaN in column 1"):
        KMeans(2).fit(on(gpu, points))
    with checks.raises_sentence(ValueError, "X", gpu, "cpu"):
        KMeans(2, device="cpu").fit(on(gpu, points[:5]))
    with checks.raises_sentence(TypeError, "int32"):
        KMeans(2).fit(on(gpu, points[:5].astype(np.int32)))
    with checks.raises_sentence(ValueError, "shape (3,)"):
        KMeans(2).fit(on(gpu, points[0]))


def test_memory_limit(device):
    with checks.raises_sentence(MemoryError, "10000 points and 8 centres", "memory_limit"):
        KMeans(memory_limit=999, init="first", device=device).fit(
            np.random.default_rng(0).random((10_000, 2))
        )


def test_progress_and_ctrl_c():
    seen = []
    points = np.random.default_rng(0).random((3000, 2))
    KMeans(9, progress=lambda done, total: seen.append((done, total))).fit(points)
    assert seen == sorted(seen)
    assert seen[-1] == (300, 300)
    seen.clear()
    KMeans(9, n_init=3, progress=lambda done, total: seen.append((done, total))).fit(points)
    assert seen == sorted(seen)
    assert seen[-1] == (900, 900)

    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        KMeans(9, progress=stop).fit(points)
    assert KMeans(9).fit(points).n_iter_ > 1


def test_parameters_by_position():
    model = KMeans(2, "random", 10, 1e-3, 0, "cpu")
    named = {"init": "random", "max_iter": 10, "tol": 1e-3, "random_state": 0, "device": "cpu"}
    assert model.get_params() == KMeans(2, **named).get_params()
    with pytest.raises(TypeError, match="positional"):
        KMeans(2, "random", 10, 1e-3, 0, "cpu", 10**6)


def test_clone_and_pickle():
    points = FAMILIES["blobs"]
    model = KMeans(3, device="cpu", tol=1e-4)
    assert clone(model).get_params() == model.get_params()
    again = pickle.loads(pickle.dumps(model.fit(points)))
    assert (again.predict(points) == model.labels_).all()


_WITHOUT_SKLEARN = """
import sys
sys.modules["sklearn"] = sys.modules["sklearn.base"] = None
import warnings
from warpgraph.cluster import KMeans
from warpgraph.cluster._base import ConvergenceWarning
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    KMeans(2).fit([[1.0], [1.0]])
assert [w.category for w in caught] == [ConvergenceWarning], caught
assert issubclass(ConvergenceWarning, UserWarning)
model = KMeans(2)
assert model.fit_predict([[0.0], [1.0], [9.0]]).tolist() in ([0, 0, 1], [1, 1, 0])
assert repr(model) == "KMeans(n_clusters=2)", repr(model)
assert model.fit_transform([[0.0], [1.0], [9.0]]).shape == (3, 2)
assert len(set(model.fit_predict([[0.0], [1.0], [9.0]], sample_weight=[0, 1, 1]))) == 2
try:
    model.predict([[0.0, 1.0]])
except ValueError as error:
    assert "X has 2 features" in str(error)
else:
    raise AssertionError
"""


def test_without_scikit_learn():
    subprocess.run([sys.executable, "-c", _WITHOUT_SKLEARN], check=True)
