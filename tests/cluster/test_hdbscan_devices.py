"""HDBSCAN of points on devices: the same clusters, which stay there until they are read."""

import copy
import pickle

import numpy as np
import pytest

import checks
from hdbscan_support import (
    FAMILIES,
    OPTIONS,
    SMALL,
    assert_equal_models,
    assert_equal_sweeps,
    assert_same,
    distances_of,
    empty_results,
    on_device,
    over_gpus,
    results_on_device,
    with_missing,
)
from warpgraph import SpanningForest
from warpgraph.cluster import HDBSCAN


@over_gpus
@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS.keys())
@pytest.mark.parametrize("family", FAMILIES)
def test_devices_agree(family, options, gpu):
    points = FAMILIES[family]
    for size in (2, 5, 60):
        options = {"min_samples": 5, **options}
        options["min_samples"] = min(options["min_samples"], len(points))
        wanted = HDBSCAN(size, device="cpu", **options).fit(points)
        assert_equal_models(HDBSCAN(size, device=gpu, **options).fit(points), wanted)
        assert_equal_models(HDBSCAN(size, **options).fit(on_device(points, gpu)), wanted)


@over_gpus
@pytest.mark.parametrize("seed", range(20))
def test_devices_agree_on_random_data(seed, gpu):
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(3, 400)), int(rng.integers(1, 5))
    points = rng.normal(size=(n, d)) + rng.integers(0, 4, (n, 1)) * rng.uniform(0, 5)
    if seed % 4 == 0:
        points = points.round()
    size, samples = int(rng.integers(2, 12)), int(rng.integers(1, min(n, 8)))
    wanted = HDBSCAN(size, samples, device="cpu", store_centers="both").fit(points)
    for x in (points, on_device(points, gpu)):
        found = HDBSCAN(size, samples, device=gpu, store_centers="both").fit(x)
        assert_equal_models(found, wanted)
        assert_same(found.centroids_, wanted.centroids_)
        assert_same(found.medoids_, wanted.medoids_)


@over_gpus
def test_other_clusters_of_a_tree_on_a_device(gpu):
    points = FAMILIES["blobs"]
    wanted = HDBSCAN(5, device="cpu").fit(points)
    model = HDBSCAN(5).fit(on_device(points, gpu))
    assert_equal_sweeps(model, wanted)
    for size, options in ((10, OPTIONS["leaf"]), (3, OPTIONS["short clusters merged"]), (7, {})):
        other = model.recluster(size, **options)
        assert other.mst_ is model.mst_
        assert_equal_models(other, wanted.recluster(size, **options))
    assert_equal_models(model, wanted)
    assert_same(
        model.dbscan_clustering(0.4, min_cluster_size=3),
        wanted.dbscan_clustering(0.4, min_cluster_size=3),
    )
    assert_same(model.exemplars_[0], wanted.exemplars_[0])
    for found, there in zip(
        model.approximate_predict(points[:50] + 0.1),
        wanted.approximate_predict(points[:50] + 0.1),
        strict=True,
    ):
        assert_same(found, there)
    other = FAMILIES["moons"]
    assert_equal_models(model.fit(on_device(other, gpu)), HDBSCAN(5, device="cpu").fit(other))


@over_gpus
def test_a_fit_on_a_device_can_be_copied(gpu):
    points = FAMILIES["moons"]
    wanted = HDBSCAN(5, device="cpu").fit(points)
    for x in (points, on_device(points, gpu)):
        model = HDBSCAN(5, device=gpu).fit(x)
        for other in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
            assert_equal_models(other, wanted)
            assert_same(other.exemplars_[0], wanted.exemplars_[0])
            assert_equal_models(other.recluster(9), HDBSCAN(9, 5, device="cpu").fit(points))
        assert_equal_models(model, wanted)


@over_gpus
def test_results_are_written_on_the_device(gpu):
    points = FAMILIES["blobs"]
    wanted = HDBSCAN(5, device="cpu").fit(points)
    for x, device in ((on_device(points, gpu), "auto"), (points, "auto"), (points, gpu)):
        out = results_on_device(len(points), gpu)
        model = HDBSCAN(5, device=device).fit(x, out=out)
        assert_same(out[0].to_numpy(), wanted.labels_)
        assert_same(out[1].to_numpy(), wanted.probabilities_)
        assert_equal_models(model, wanted)
    out = empty_results(len(points))
    model = HDBSCAN(5).fit(on_device(points, gpu), out=out)
    assert_same(out[0], wanted.labels_)
    assert_equal_models(model, wanted)


@pytest.mark.parametrize("options", [{}, OPTIONS["short clusters merged"], {"metric": "cosine"}])
def test_results_are_written(device, options):
    points = FAMILIES["moons"]
    out = empty_results(len(points))
    model = HDBSCAN(5, device=device, **options).fit(points, out=out)
    wanted = HDBSCAN(5, device="cpu", **options).fit(points)
    assert_same(out[0], wanted.labels_)
    assert_same(out[1], wanted.probabilities_)
    assert model.labels_ is out[0]
    assert_same(model.recluster(30).labels_, wanted.recluster(30).labels_)
    assert_same(out[0], HDBSCAN(5, device="cpu", **options).fit(points).labels_)


def test_results_with_missing_points(device):
    points = FAMILIES["moons"].copy()
    points[7] = np.nan
    out = empty_results(len(points))
    model = HDBSCAN(5, device=device).fit(points, out=out)
    assert_same(out[0], HDBSCAN(5, device="cpu").fit(points).labels_)
    assert model.labels_[7] == -1


@pytest.mark.parametrize(
    ("out", "error", "sentence"),
    [
        (np.empty(600, np.int32), TypeError, r"pair \(labels, probabilities\)"),
        ((None, np.empty(600)), TypeError, r"out\[0\] must be an array"),
        (empty_results(599), ValueError, r"out\[0\] must be .* shape \(600,\)"),
        ((np.empty(600, np.int32), np.empty(600, np.float32)), ValueError, r"out\[1\].*float64"),
    ],
)
def test_bad_out(out, error, sentence, device):
    with pytest.raises(error, match=sentence):
        HDBSCAN(device=device).fit(FAMILIES["moons"], out=out)


@pytest.mark.parametrize("options", [{}, OPTIONS["short clusters merged"], {"metric": "cosine"}])
def test_out_that_shares_memory(options, device):
    points = FAMILIES["moons"]
    n, wanted = len(points), HDBSCAN(5, device=device, **options).fit(points)
    buffer = bytearray(8 * n)
    both = np.frombuffer(buffer, np.int32)[:n], np.frombuffer(buffer, np.float64)
    with pytest.raises(ValueError, match="out share memory"):
        HDBSCAN(5, device=device, **options).fit(points, out=both)
    with pytest.raises(ValueError, match="out share memory"):
        wanted.sweep([5], out=tuple(part[np.newaxis] for part in both))
    forest = wanted.mst_
    weights = np.r_[forest.weights, 0.0]
    given = SpanningForest(n, forest.edges, weights[:-1])
    with pytest.raises(ValueError, match="out share memory"):
        HDBSCAN(5, device=device).fit(given, out=(np.empty(n, np.int32), weights))
    assert not any(buffer)


def test_out_that_shares_memory_with_the_points(device):
    column = np.random.default_rng(0).random((600, 1))
    with pytest.raises(ValueError, match="out share memory"):
        HDBSCAN(5, device=device).fit(column, out=(np.empty(600, np.int32), column[:, 0]))


@over_gpus
def test_out_on_a_device_that_does_not_do_the_work(gpu):
    out = results_on_device(600, gpu)
    points = FAMILIES["moons"]
    for options in ({}, {"metric": "cosine"}, {"metric": "precomputed"}):
        x = distances_of(points) if options.get("metric") == "precomputed" else points
        for others in ({"device": "cpu"}, OPTIONS["short clusters merged"]):
            with checks.raises_sentence(ValueError, "out[0]", gpu, "cpu"):
                HDBSCAN(**options, **others).fit(x, out=out)
    for metric in ("euclidean", "cosine"):
        with checks.raises_sentence(ValueError, "out[0]", gpu, "cpu"):
            HDBSCAN(metric=metric).fit(with_missing(points), out=out)
    with checks.raises_sentence(ValueError, "out[0]", gpu, "cpu"):
        model = HDBSCAN(device="cpu").fit(points)
        model.sweep([5], out=results_on_device((1, 600), gpu))


@over_gpus
def test_bad_points_on_a_device(gpu):
    model = HDBSCAN(5)
    with checks.raises_sentence(ValueError, "row 1"):
        model.fit(on_device(np.array([[0.0], [np.nan], [2.0]]), gpu))
    with checks.raises_sentence(AttributeError, "labels_"):
        _ = model.labels_
    with checks.raises_sentence(ValueError, "min_cluster_size=5"):
        model.fit(on_device(np.array([[0.0], [1.0], [2.0]]), gpu))
    with checks.raises_sentence(MemoryError, "bytes"):
        HDBSCAN(device=gpu, memory_limit=1000).fit(FAMILIES["blobs"])
    with checks.raises_sentence(MemoryError, "bytes"):
        distances = distances_of(SMALL["blobs"])
        HDBSCAN(metric="precomputed", device=gpu, memory_limit=1000).fit(distances)
