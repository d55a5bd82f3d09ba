"""The persistence of clusters is exact up to rounding: it is compared with fractions.

The points are integers on a line, with two samples: all mutual-reachability distances are
integers, and all densities fractions. hdbscan rounds some densities and sums to float32.
"""

import warnings
from fractions import Fraction

import numpy as np
import pytest

import checks
from warpgraph.cluster import HDBSCAN

OPTIONS = {
    "default": {},
    "leaf": {"cluster_selection_method": "leaf"},
    "epsilon": {"cluster_selection_epsilon": 30_000_000.0},
    "short clusters merged": {"cluster_selection_persistence": 2e-7},
}


def integers(seed):
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 4, 300) * 2 * 10**9 + rng.integers(0, 10**9, 300)
    return np.unique(values).astype(np.float64)[:, None]


def fraction_of(density):
    """Return the density that was rounded: 1 over an integer."""
    distance = round(1 / density) if density else 0
    assert distance == 0 or 1 / distance == density
    return Fraction(1, distance) if distance else Fraction(0)


def stabilities(tree):
    """Return the exact stability of each cluster."""
    births = [fraction_of(birth) for birth in tree.births.tolist()]
    found = [Fraction(0)] * tree.n_clusters
    for cluster, leaving in zip(tree.point_clusters, tree.point_lambdas.tolist(), strict=True):
        found[cluster] += fraction_of(leaving) - births[cluster]
    for cluster in range(1, tree.n_clusters):
        parent = tree.parents[cluster]
        found[parent] += int(tree.sizes[cluster]) * (births[cluster] - births[parent])
    return found


def persistences(model, passes_over):
    """Return the exact persistences; `passes_over`: by excess of mass, clusters can be."""
    tree = model.condensed_tree_
    value = stabilities(tree)
    if passes_over:
        below = [Fraction(0)] * tree.n_clusters
        for cluster in range(tree.n_clusters - 1, 0, -1):
            value[cluster] = max(value[cluster], below[cluster])
            below[tree.parents[cluster]] += value[cluster]
    most = max(map(fraction_of, tree.point_lambdas.tolist()))
    n_points = np.bincount(model.labels_[model.labels_ >= 0])
    return [
        value[cluster] / (int(n_points[label]) * most)
        for label, cluster in enumerate(tree.selected.tolist())
    ]


def relative_errors(found, exact):
    return [
        abs(float((Fraction(ours) - theirs) / theirs))
        for ours, theirs in zip(found, exact, strict=True)
    ]


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS.keys())
@pytest.mark.parametrize("seed", range(5))
def test_persistence_is_exact_up_to_rounding(seed, options, device):
    model = HDBSCAN(4, 2, device=device, **options).fit(integers(seed))
    assert model.n_clusters_ > 1
    exact = persistences(model, "cluster_selection_method" not in options)
    assert max(relative_errors(model.cluster_persistence_.tolist(), exact)) < 1e-12
    wanted = [float(value) for value in stabilities(model.condensed_tree_)]
    np.testing.assert_allclose(model.condensed_tree_.stabilities, wanted, rtol=1e-12)


@pytest.mark.parametrize("name", OPTIONS)
def test_persistence_of_hdbscan(name):
    """What docs/from-hdbscan.md says of it: exact by default, float32 with two of the options."""
    package = pytest.importorskip("hdbscan")
    errors = []
    for seed in range(5):
        points = integers(seed)
        model = HDBSCAN(4, 2, **OPTIONS[name]).fit(points)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            theirs = package.HDBSCAN(
                4, min_samples=1, approx_min_span_tree=False, **OPTIONS[name]
            ).fit(points)
        assert checks.same_partition(model.labels_, theirs.labels_)
        label = [theirs.labels_[model.labels_ == k][0] for k in range(model.n_clusters_)]
        exact = persistences(model, name != "leaf")
        errors += relative_errors(theirs.cluster_persistence_[label].tolist(), exact)
    rounds = name in ("epsilon", "short clusters merged")
    assert (1e-9 < max(errors) < 1e-4) if rounds else (max(errors) < 1e-12)
