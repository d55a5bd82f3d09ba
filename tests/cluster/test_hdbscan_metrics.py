"""HDBSCAN of distances on devices, and many sizes at once: the same clusters as on the CPU."""

import logging
import pickle

import numpy as np
import pytest
import scipy.sparse as sp

import checks
import warpgraph as wg
from hdbscan_support import (
    DISTANCES,
    FAMILIES,
    OPTIONS,
    SIZES,
    SMALL,
    assert_equal_models,
    assert_equal_sweeps,
    assert_same,
    distances_of,
    empty_results,
    nearest_pairs,
    on_device,
    over_gpus,
    results_on_device,
    with_missing,
)
from warpgraph import _core
from warpgraph.cluster import HDBSCAN


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS.keys())
@pytest.mark.parametrize("family", FAMILIES)
def test_sweeps_agree(family, options, device):
    points = FAMILIES[family]
    fit = {"min_samples": min(5, len(points)), "alpha": options.get("alpha", 1.0)}
    selection = {name: options[name] for name in options if name not in fit}
    found = HDBSCAN(3, device=device, **fit).fit(points)
    labels = found.labels_.copy()
    assert_equal_sweeps(found, HDBSCAN(7, device="cpu", **fit).fit(points), **selection)
    # The clusters that were selected before are still there.
    wanted = HDBSCAN(3, device="cpu", **fit).fit(points)
    assert_same(labels, wanted.labels_)
    assert_equal_models(found, wanted)


@over_gpus
def test_sweeps_are_written_on_the_device(gpu):
    points = FAMILIES["blobs"]
    wanted = HDBSCAN(5, device="cpu").fit(points).sweep(SIZES)
    for x, device in ((on_device(points, gpu), "auto"), (points, gpu)):
        out = results_on_device(wanted.labels.shape, gpu)
        assert_same(HDBSCAN(5, device=device).fit(x).sweep(SIZES, out=out), wanted.n_clusters)
        assert_same(out[0].to_numpy(), wanted.labels)
        assert_same(out[1].to_numpy(), wanted.probabilities)


@over_gpus
def test_bad_sweeps_of_a_fit_on_a_device(gpu):
    points = FAMILIES["moons"]
    model = HDBSCAN(5, device=gpu).fit(points)
    with checks.raises_sentence(ValueError, "min_cluster_sizes[1]", "at least 2"):
        model.sweep([5, 1])
    with checks.raises_sentence(TypeError, "progress"):
        model.sweep([5], progress=3)
    with checks.raises_sentence(ValueError, "out[0]", gpu, "cpu"):  # the CPU merges clusters
        model.sweep([5], out=results_on_device((1, 600), gpu), cluster_selection_persistence=0.1)
    with checks.raises_sentence(ValueError, "out[1]", "(2, 600)", "(2, 599)"):
        out = (np.empty((2, 600), np.int32), _core.device_array((2, 599), np.dtype("f8"), gpu))
        model.sweep([5, 6], out=out)
    with checks.raises_sentence(MemoryError, "labels", "fewer sizes"):
        model.set_params(memory_limit=1000).sweep([5, 6])
    with checks.raises_sentence(MemoryError, "condensed tree", "bytes"):
        model.sweep([5, 6], out=results_on_device((2, 600), gpu))
    assert model.sweep([]).labels.shape == (0, 600)


def test_interrupted_sweep(device):
    model = HDBSCAN(5, device=device).fit(FAMILIES["moons"])

    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        model.sweep(SIZES, progress=stop)
    assert_equal_models(model, HDBSCAN(5, device="cpu").fit(FAMILIES["moons"]))


@pytest.mark.parametrize("kind", DISTANCES)
@pytest.mark.parametrize("family", SMALL)
def test_precomputed_distances(family, kind, device):
    given = DISTANCES[kind](SMALL[family])
    options = {"metric": "precomputed"}
    if kind != "forest":
        options["min_samples"] = min(4, len(SMALL[family]))
    for size in (2, 5):
        found = HDBSCAN(size, device=device, **options).fit(given)
        wanted = HDBSCAN(size, device="cpu", **options).fit(given)
        assert_equal_models(found, wanted)
        assert found.mst_.weights.dtype == wanted.mst_.weights.dtype
    assert_equal_sweeps(found, wanted)
    assert_equal_sweeps(found, wanted, **OPTIONS["short clusters merged"])
    assert_equal_models(found.recluster(3), wanted.recluster(3))
    assert_equal_models(pickle.loads(pickle.dumps(found)), wanted)


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS.keys())
def test_cosine(options, device):
    rng = np.random.default_rng(4)
    points = rng.normal(size=(6, 4))[rng.integers(0, 6, 400)] + rng.normal(0, 0.1, (400, 4))
    options = {"metric": "cosine", "min_samples": 5, **options}
    for x in (points, points.astype(np.float32)):
        found = HDBSCAN(5, device=device, store_centers="both", **options).fit(x)
        wanted = HDBSCAN(5, device="cpu", store_centers="both", **options).fit(x)
        assert_equal_models(found, wanted)
        assert_same(found.medoids_, wanted.medoids_)
        assert_equal_sweeps(found, wanted)
        assert_same(found.exemplars_[0], wanted.exemplars_[0])


@over_gpus
def test_other_metrics_find_clusters_on_the_device(gpu):
    points = SMALL["blobs"]
    for metric, x in (
        ("cosine", points),
        ("cosine", on_device(points, gpu)),
        ("precomputed", distances_of(points)),
        ("precomputed", nearest_pairs(points)),
    ):
        wanted = HDBSCAN(5, metric=metric, device="cpu").fit(
            x.to_numpy() if hasattr(x, "to_numpy") else x
        )
        for device in ("auto", gpu):
            out = results_on_device(len(points), gpu)
            model = HDBSCAN(5, metric=metric, device=device).fit(x, out=out)
            assert_same(out[0].to_numpy(), wanted.labels_)
            assert_same(out[1].to_numpy(), wanted.probabilities_)
            assert_equal_models(model, wanted)
            out = results_on_device((len(SIZES), len(points)), gpu)
            assert_same(model.sweep(SIZES, out=out), wanted.sweep(SIZES).n_clusters)
            assert_same(out[0].to_numpy(), wanted.sweep(SIZES).labels)


@over_gpus
def test_tree_on_several_devices_and_clusters_on_one(gpu):
    graph = nearest_pairs(SMALL["blobs"])
    wanted = HDBSCAN(5, metric="precomputed", device="cpu").fit(graph)
    found = HDBSCAN(5, metric="precomputed", device=["cpu", gpu]).fit(graph)
    assert_equal_models(found, wanted)
    assert_equal_sweeps(found, wanted)


def far_apart(points):
    forest = wg.minimum_spanning_forest(nearest_pairs(points))
    weights = np.where(np.arange(len(forest)) < len(forest) - 2, forest.weights, np.inf)
    return wg.SpanningForest(forest.n_vertices, forest.edges, weights)


ON_CPU = {
    "components": ("precomputed", lambda p: sp.block_diag([nearest_pairs(p)] * 3), "3 components"),
    "infinite": ("precomputed", far_apart, "inf"),
    "missing": ("euclidean", with_missing, "2 components"),
    "cosine, missing": ("cosine", with_missing, "2 components"),
    "full matrix": ("precomputed", distances_of, "full matrix"),
}


@pytest.mark.parametrize("case", ON_CPU)
def test_the_log_says_what_the_cpu_does(case, device, caplog):
    metric, make, reason = ON_CPU[case]
    x = make(SMALL["blobs"])
    with caplog.at_level(logging.INFO, "warpgraph"):
        found = HDBSCAN(5, metric=metric, device=device).fit(x)
    said = [m for m in caplog.messages if "on the CPU, not on" in m and reason in m]
    assert len(said) == (device != "cpu")
    wanted = HDBSCAN(5, metric=metric, device="cpu").fit(x)
    assert_equal_models(found, wanted)
    assert_equal_sweeps(found, wanted)


def test_a_single_point(device):
    for metric, x in (("euclidean", [[3.0]]), ("cosine", [[3.0]]), ("precomputed", [[0.0]])):
        model = HDBSCAN(2, 1, metric=metric, device=device).fit(x)
        assert model.labels_.tolist() == [-1]
        assert model.sweep([2, 3]).labels.tolist() == [[-1], [-1]]


def test_bad_distances(device):
    distances = distances_of(SMALL["blobs"])
    model = HDBSCAN(5, metric="precomputed", device=device)
    for x, sentence in (
        (distances - 1, "Negative"),
        (np.triu(distances), "not symmetric"),
        (distances[:, 1:], "square"),
        (sp.csr_array(-distances), "Negative"),
    ):
        with pytest.raises(ValueError, match=sentence):
            model.fit(x)
        with checks.raises_sentence(AttributeError, "labels_"):
            _ = model.labels_
        with pytest.raises(ValueError, match=sentence):  # also of too few points
            HDBSCAN(5, 301, metric="precomputed", device=device).fit(x)
    with checks.raises_sentence(wg.DeviceError, "cuda:97"):
        HDBSCAN(5, metric="precomputed", device="cuda:97").fit(distances)
    with checks.raises_sentence(ValueError, "out[0]", "(300,)"):
        model.fit(distances, out=empty_results(299))
