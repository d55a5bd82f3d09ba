"""KMeans' starts, runs and weights against plain NumPy, scikit-learn, and repeated points."""

import numpy as np
import pytest
import sklearn
from hypothesis import given, settings, strategies as st
from sklearn.cluster import KMeans as SklearnKMeans
from sklearn.datasets import make_blobs
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

import checks
import warpgraph as wg
from fuzz.oracles import lloyd
from test_kmeans import FAMILIES, keys, name, run
from warpgraph import _core
from warpgraph.cluster import KMeans

BLOBS = FAMILIES["blobs"]
STARTS = ("k-means++", "farthest", "random", "first")


def plus_plus(points, weights, k, uniforms, device="cpu"):
    return _core.plus_plus_points(points, weights, k, uniforms, name(device), None).tolist()


def spell_out_draws(points, weights, k, uniforms):
    """Greedy k-means++ by cumulative sums, which are exact for small integers."""
    weights = np.ones(len(points)) if weights is None else weights
    n_trials = (len(uniforms) - 1) // max(k - 1, 1)

    def draw(values, uniform):
        ends = np.cumsum(values)
        return int(np.searchsorted(ends, uniform * ends[-1], side="right")) if ends[-1] else rows[0]

    rows = []
    rows.append(draw(weights, uniforms[0]))
    nearest = keys(points, points[rows])[:, 0].astype(np.float64)
    for c in range(1, k):
        some = uniforms[1 + (c - 1) * n_trials :][:n_trials]
        drawn = [draw(weights * nearest, uniform) for uniform in some]
        lowered = [np.minimum(nearest, keys(points, points[[row]])[:, 0]) for row in drawn]
        best = int(np.argmin([(weights * key).sum() for key in lowered]))
        rows.append(drawn[best])
        nearest = lowered[best]
    return rows


@settings(max_examples=60)
@given(seed=st.integers(0, 2**32 - 1))
def test_draws_equal_cumulative_sums(seed, device):
    draw = np.random.default_rng(seed)
    n = int(draw.choice([1, 2, 5, 100, 127, 128, 129, 1000, 20_000]))
    d, k = int(draw.integers(1, 20)), int(draw.integers(1, min(n, 9) + 1))
    points = draw.integers(0, 30, (n, d)).astype(draw.choice(["float32", "float64"]))
    weights = None if seed % 2 else draw.integers(0, 4, n).astype(np.float64)
    if weights is not None:
        weights[int(draw.integers(n))] = 1
    uniforms = draw.random(1 + (k - 1) * int(draw.integers(1, 5)))
    found = plus_plus(points, weights, k, uniforms, device)
    assert found == spell_out_draws(points, weights, k, uniforms)


@pytest.mark.parametrize("points", FAMILIES.values(), ids=FAMILIES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_draws_equal_their_definition(points, dtype, device):
    draw = np.random.default_rng(5)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        points = points.astype(dtype)
        points = np.where(np.isfinite(points), points, np.finfo(dtype).max)
        k = min(len(points), 30)
        for weights in (None, draw.random(len(points)), draw.integers(0, 2, len(points)) * 0.3):
            if weights is not None and not weights.any():
                weights = weights + 1
            uniforms = draw.random(1 + (k - 1) * 5)
            given_weights = np.ones(len(points)) if weights is None else weights
            wanted = lloyd.plus_plus(points, k, uniforms, given_weights)
            assert plus_plus(points, weights, k, uniforms, device) == wanted


@pytest.mark.parametrize("device_list", [wg.devices()])
def test_draws_on_every_device_and_by_any_threads(device_list):
    points = np.random.default_rng(1).normal(size=(50_000, 5))
    weights = np.random.default_rng(2).random(50_000)
    uniforms = np.random.default_rng(3).random(1 + 39 * 5)
    found = []
    for threads in (1, 2, 5):
        wg.set_num_threads(threads)
        found += [plus_plus(points, w, 40, uniforms) for w in (None, weights)]
    wg.set_num_threads(0)
    for where in device_list[1:]:
        found += [plus_plus(points, w, 40, uniforms, where) for w in (None, weights)]
    assert all(rows == found[i % 2] for i, rows in enumerate(found))
    assert found[0] != found[1]


def test_draws_are_in_proportion_to_squared_distances():
    """Of 0, 1, 3: the first evenly, the second by squares; scikit-learn's rule of one trial."""
    points = np.array([[0.0], [1.0], [3.0]])
    draw = np.random.default_rng(0)
    pairs = [plus_plus(points, None, 2, draw.random(2)) for _ in range(6000)]
    shares = {(0, 2): 0.9, (0, 1): 0.1, (1, 0): 0.2, (1, 2): 0.8, (2, 0): 9 / 13, (2, 1): 4 / 13}
    for pair, share in shares.items():
        assert abs(pairs.count(list(pair)) / 6000 - share / 3) < 0.02
    heavy = [plus_plus(points, np.array([0.0, 1, 3]), 1, draw.random(1))[0] for _ in range(4000)]
    assert abs(heavy.count(2) / 4000 - 0.75) < 0.03
    assert 0 not in heavy


@pytest.mark.parametrize("points", FAMILIES.values(), ids=FAMILIES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_farthest_points(points, dtype, device):
    with np.errstate(over="ignore", under="ignore"):
        points = points.astype(dtype)
        points = np.where(np.isfinite(points), points, np.finfo(dtype).max)
        mean = (np.add.reduce(points.astype(np.float64)) / len(points)).astype(dtype)
        if len({*keys(points, mean[None])[:, 0]}) == len(points) > 1:
            # Otherwise NumPy's order of summation may decide which of two points is farthest.
            assert (
                _core.farthest_points(points, None, 1, device)[0]
                == keys(points, mean[None])[:, 0].argmax()
            )
        chosen = _core.farthest_points(points, None, min(len(points), 50), device)
        nearest = keys(points, points[chosen[:1]])[:, 0]
        for row in chosen[1:]:
            assert row == nearest.argmax()
            nearest = np.minimum(nearest, keys(points, points[row][None])[:, 0])


def test_starts(device):
    points = np.arange(10.0)[:, None]
    first = KMeans(3, init="first", max_iter=1, device=device).fit(points)
    assert first.cluster_centers_.tolist() == [[0.0], [1.0], [5.5]]
    farthest = KMeans(3, init="farthest", max_iter=1, device=device).fit(points)
    assert sorted(farthest.cluster_centers_.ravel()) == [1.0, 4.5, 8.0]
    drawn = [KMeans(4, init="random", random_state=s).fit(points).labels_ for s in (1, 1, 2, 3, 4)]
    assert drawn[0].tolist() == drawn[1].tolist()
    assert len({tuple(labels) for labels in drawn}) > 1
    state = np.random.RandomState(0)
    assert KMeans(4, init="random", random_state=state).fit(points).n_clusters == 4


@pytest.mark.parametrize("init", STARTS)
def test_equals_its_definition(init, device):
    for seed in range(2):
        draw = np.random.default_rng(seed)
        points = draw.normal(size=(150, 3)).astype(("f4", "f8")[seed])
        for weights in (None, draw.integers(0, 4, 150) * 0.37):
            for n_init in ("auto", 2):
                model = KMeans(8, init=init, n_init=n_init, random_state=seed, device=device)
                model.fit(points, sample_weight=weights)
                wanted = lloyd.k_means(points, 8, init, seed, n_init, weights)
                np.testing.assert_array_equal(model.cluster_centers_, wanted[0])
                np.testing.assert_array_equal(model.labels_, wanted[1])
                np.testing.assert_allclose(model.inertia_, wanted[2], rtol=1e-12)
                assert model.n_iter_ == wanted[3]


@pytest.mark.parametrize("n", [3000, 50_000])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("d", [2, 33])
def test_weights_on_every_device(n, dtype, d, device):
    draw = np.random.default_rng(n)
    points = draw.random((n, d)).astype(dtype)
    weights = draw.random(n) * draw.integers(0, 2, n)
    for k in (1, 2, 9):
        found = run(points, points[:k], device, max_iter=3, weights=weights)
        wanted = run(points, points[:k], max_iter=3, weights=weights)
        for one, other in zip(found, wanted, strict=True):
            np.testing.assert_array_equal(one, other)
        rows = _core.farthest_points(points, weights, k, name(device)).tolist()
        assert rows == _core.farthest_points(points, weights, k, "cpu").tolist()
        assert weights[rows].all()
    ones = run(points, points[:9], device, max_iter=3, weights=np.ones(n))
    for one, other in zip(ones, run(points, points[:9], device, max_iter=3), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("init", STARTS)
def test_weights_equal_copies(init, device):
    """In the order of the points, so that the same ones are drawn; 0 is as if left out."""
    draw = np.random.default_rng(3)
    weights = draw.integers(0, 4, len(BLOBS))
    copies = np.repeat(BLOBS, weights, axis=0)
    if init in ("random", "first"):
        rows = draw.choice(np.flatnonzero(weights), 6, replace=False)
        init = BLOBS[rows]
    options = {"init": init, "random_state": 1, "tol": 1e-9, "device": device}
    model = KMeans(6, **options).fit(BLOBS, sample_weight=weights)
    wanted = KMeans(6, **options).fit(copies)
    np.testing.assert_allclose(model.cluster_centers_, wanted.cluster_centers_, rtol=1e-12)
    np.testing.assert_allclose(model.inertia_, wanted.inertia_, rtol=1e-12)
    np.testing.assert_array_equal(np.repeat(model.labels_, weights), wanted.labels_)
    np.testing.assert_array_equal(model.labels_, model.predict(BLOBS))
    np.testing.assert_allclose(model.score(BLOBS, None, weights), -model.inertia_)
    np.testing.assert_allclose(
        model.score(BLOBS, sample_weight=weights), wanted.score(copies), rtol=1e-12
    )
    labels = KMeans(6, **options).fit_predict(BLOBS, sample_weight=weights)
    np.testing.assert_array_equal(labels, model.labels_)
    apart = KMeans(6, **options).fit_transform(BLOBS, sample_weight=weights)
    np.testing.assert_array_equal(apart, model.transform(BLOBS))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_weights_equal_scikit_learn(dtype, device):
    points, weights = BLOBS.astype(dtype), np.random.default_rng(0).random(len(BLOBS))
    ours = KMeans(6, init=points[:6], device=device).fit(points, sample_weight=weights)
    theirs = SklearnKMeans(6, init=points[:6], n_init=1, tol=0, algorithm="lloyd")
    theirs.fit(points, sample_weight=weights)
    np.testing.assert_array_equal(ours.labels_, theirs.labels_)
    np.testing.assert_allclose(ours.cluster_centers_, theirs.cluster_centers_, rtol=1e-4)
    np.testing.assert_allclose(ours.inertia_, theirs.inertia_, rtol=1e-4)
    score = theirs.score(points, sample_weight=weights)
    np.testing.assert_allclose(ours.score(points, sample_weight=weights), score, rtol=1e-4)


def test_points_without_weight_change_nothing(device):
    """Also where a centre has no others, which therefore moves."""
    points = np.array([[0.0], [1.0], [2.0], [100.0], [110.0], [1e6]])
    weights = np.array([1, 1, 1, 1, 1, 0])
    model = KMeans(3, init=[[1.0], [50.0], [1e6]], device=device).fit(points, sample_weight=weights)
    assert model.cluster_centers_.ravel().tolist() == [1.0, 100.0, 110.0]
    assert model.labels_.tolist() == [0, 0, 0, 1, 2, 2]
    assert model.inertia_ == 2
    copies = np.repeat([[1.0, 2.0], [5.0, 6.0], [7.0, 8.0]], 5, axis=0)
    with pytest.warns(ConvergenceWarning, match="only 2 of the 3 clusters have points"):
        KMeans(3, device=device).fit(copies, sample_weight=np.repeat([1, 1, 0], 5))


def test_a_point_without_weight_far_away(device):
    points = np.array([[0.0], [1.0], [9.0], [1e200]])
    model = KMeans(2, init="first", device=device).fit(points, sample_weight=[1, 1, 1, 0])
    assert model.labels_.tolist() == [0, 0, 1, 0]  # both centres are at the same rounded distance
    assert model.cluster_centers_.tolist() == [[0.5], [9.0]]
    assert model.inertia_ == 0.5


def test_forms_of_weights():
    wanted = KMeans(3, random_state=0).fit(BLOBS)
    n = len(BLOBS)
    for weights in (1, 2.0, np.ones(n, np.float32), [1] * n, np.ones(n, object), np.ones(n, bool)):
        model = KMeans(3, random_state=0).fit(BLOBS, sample_weight=weights)
        np.testing.assert_allclose(model.cluster_centers_, wanted.cluster_centers_)
    rows = np.ones(2 * n)[::2]
    np.testing.assert_array_equal(
        KMeans(3, random_state=0).fit(BLOBS, None, rows).labels_, wanted.labels_
    )


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        ([1.0, -2.0, 1.0], ["at least 0", "-2.0", "row 1"]),
        ([1.0, 1.0, np.nan], ["nan", "row 2"]),
        ([np.inf, 1.0, 1.0], ["inf", "row 0"]),
        ([0.0, 0.0, 0.0], ["zero for all 3"]),
        ([1.0, 0.0, 0.0], ["n_clusters=2", "positive weight: 1"]),
        ([1.0, 1.0], ["each of the 3 points", "(2,)"]),
        (np.ones((3, 1)), ["1D", "(3, 1)"]),
        ([1e308, 1e308, 1e308], ["overflows"]),
        (np.ma.masked_array([1.0, 1, 1], [False, True, False]), ["masked"]),
        ([[1.0], [1.0, 2.0], [3.0]], ["different lengths"]),
    ],
)
@pytest.mark.parametrize("init", STARTS)
def test_bad_weights(weights, words, init):
    with checks.raises_sentence(ValueError, *words):
        KMeans(2, init=init).fit([[0.0], [1.0], [5.0]], sample_weight=weights)


def test_weights_of_wrong_type():
    for weights in (["a", "b", "c"], [1j, 1, 1]):
        with checks.raises_sentence(TypeError, "sample_weight must be real numbers"):
            KMeans(2).fit([[0.0], [1.0], [5.0]], sample_weight=weights)
    model = KMeans(2).fit([[0.0], [1.0], [5.0]])
    with checks.raises_sentence(ValueError, "sample_weight", "-1.0", "row 0"):
        model.score([[0.0]], sample_weight=[-1.0])


def test_runs():
    """The best of several runs counts; fixed starts have one."""
    points = make_blobs(800, 2, centers=25, cluster_std=0.4, random_state=2)[0]
    for init, of_auto in (("k-means++", 1), ("random", 10)):
        source = np.random.default_rng(7)
        single = [
            KMeans(25, init=init, n_init=1, random_state=source).fit(points) for _ in range(10)
        ]
        inertias = [model.inertia_ for model in single]
        assert len(set(inertias)) > 3
        best = single[int(np.argmin(inertias))]
        model = KMeans(25, init=init, n_init=10, random_state=7).fit(points)
        np.testing.assert_array_equal(model.cluster_centers_, best.cluster_centers_)
        assert (model.inertia_, model.n_iter_) == (best.inertia_, best.n_iter_)
        auto = KMeans(25, init=init, random_state=7).fit(points)
        assert auto.inertia_ == min(inertias[:of_auto])
    seen = []
    for init in ("farthest", "first", points[:25]):
        model = KMeans(25, init=init, n_init=9, progress=lambda *done: seen.append(done))
        assert model.fit(points).inertia_ == KMeans(25, init=init).fit(points).inertia_
        assert seen[-1] == (300, 300)


def test_callable_start(device):
    taken = []

    def init(X, n_clusters, random_state):
        assert isinstance(X, np.ndarray)
        rows = random_state.permutation(len(X))[:n_clusters]
        taken.append(rows)
        return X[rows]

    for seed in (3, np.random.RandomState(3), 2**40, np.random.default_rng(3), None):
        taken.clear()
        model = KMeans(6, init=init, random_state=seed, device=device).fit(BLOBS)
        assert len(taken) == 10
        fits = [KMeans(6, init=BLOBS[rows]).fit(BLOBS) for rows in taken]
        assert model.inertia_ == min(fit.inertia_ for fit in fits)
    taken.clear()
    theirs = SklearnKMeans(6, init=init, n_init=2, random_state=3).fit(BLOBS)
    KMeans(6, init=init, n_init=2, random_state=3).fit(BLOBS)
    assert [rows.tolist() for rows in taken[:2]] == [rows.tolist() for rows in taken[2:]]
    assert isinstance(theirs, sklearn.base.BaseEstimator)
    found = KMeans(3, init=lambda X, k, random_state: [[0], [1], [2]]).fit(np.arange(9)[:, None])
    assert found.cluster_centers_.dtype == np.float64

    def fails(X, n_clusters, random_state):
        raise LookupError("of the caller")

    with pytest.raises(LookupError, match="of the caller"):
        KMeans(3, init=fails).fit(BLOBS)


@pytest.mark.parametrize("init", ["k-means++", "random"])
def test_the_same_numbers_every_time(init, device):
    def labels(state):
        return KMeans(6, init=init, random_state=state, device=device).fit(BLOBS).labels_.tolist()

    for make in (lambda: 5, lambda: np.random.default_rng(5), lambda: np.random.RandomState(5)):
        assert labels(make()) == labels(make())
    assert len({tuple(labels(seed)) for seed in range(6)}) > 1


def test_as_good_as_scikit_learn():
    """The inertia from drawn starts, over data on which it varies, is distributed as theirs."""
    points = make_blobs(400, 2, centers=20, cluster_std=0.7, random_state=4)[0]
    ours = [KMeans(20, random_state=seed).fit(points).inertia_ for seed in range(40)]
    with threadpool_limits(1):
        theirs = [SklearnKMeans(20, random_state=seed).fit(points).inertia_ for seed in range(40)]
    best = min(ours + theirs)
    assert abs(np.mean(ours) - np.mean(theirs)) < 0.03 * best
    assert np.isclose(min(ours), min(theirs), rtol=0.01)
    model = KMeans(20, n_init=10, random_state=0).fit(points)
    other = SklearnKMeans(20, n_init=10, random_state=0).fit(points)
    assert model.inertia_ < 1.02 * other.inertia_


@pytest.mark.parametrize("init", ["k-means++", "random"])
def test_memory_does_not_hold_all_distances(init, device):
    n, k = 20_000, 200
    points = np.random.default_rng(0).random((n, 2)).astype(np.float32)
    limit = 6 * 10**6  # n * k distances would take 16 MB
    model = KMeans(k, init=init, n_init=1, max_iter=1, memory_limit=limit, device=device)
    model.fit(points)
    with checks.raises_sentence(MemoryError, "k-means", "20000 points", "memory_limit"):
        model.set_params(memory_limit=1000).fit(points)
