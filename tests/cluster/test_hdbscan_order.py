"""Clusters are a function of the distances: the order of the rows renames them, and nothing else.

Points on grids and copies of points have many equal distances; mutual-reachability distances are
often equal for all others, too.
"""

import itertools

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given, settings, strategies as st

import checks
import hdbscan_oracle
from hdbscan_support import DISTANCES, FAMILIES, OPTIONS, distances_of, with_missing
from warpgraph import SpanningForest
from warpgraph.cluster import HDBSCAN, DBSCANStar


@st.composite
def points_with_ties(draw, largest=60):
    """Draw points on a grid or of blobs, some of them several times."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, d = draw(st.integers(2, largest)), draw(st.integers(1, 3))
    width = draw(st.sampled_from([0, 2, 4, 9, 30]))
    if width:
        return rng.integers(0, width, (n, d)).astype(np.float64)
    points = rng.normal(size=(n, d)) + rng.integers(0, 3, (n, 1)) * 3
    return points[rng.integers(0, n, n)] if draw(st.booleans()) else points


@st.composite
def settings_of_fits(draw, n):
    """Draw parameters of HDBSCAN for n points."""
    return {
        "min_cluster_size": draw(st.integers(2, 8)),
        "min_samples": draw(st.integers(1, min(n, 9))),
        **OPTIONS[draw(st.sampled_from([name for name in OPTIONS if name != "divided distances"]))],
    }


def clusters_of(model, row_of):
    """Return the facts of each cluster of the condensed tree by its points, as the given numbers.

    Also those of the labels.
    """
    tree = model.condensed_tree_
    members = [set() for _ in range(tree.n_clusters)]
    for row, cluster in enumerate(tree.point_clusters.tolist()):
        members[cluster].add(int(row_of[row]))
    for c in range(tree.n_clusters - 1, 0, -1):
        members[tree.parents[c]] |= members[c]
    names = [frozenset(points) for points in members]
    parts = (tree.births, tree.deaths, tree.sizes, tree.stabilities)
    facts = [(*(part[c] for part in parts),) for c in range(tree.n_clusters)]
    parents = [names[parent] if parent >= 0 else None for parent in tree.parents.tolist()]
    chosen = {
        names[cluster]: model.cluster_persistence_[label]
        for label, cluster in enumerate(tree.selected.tolist())
    }
    return dict(zip(names, zip(facts, parents, strict=True), strict=True)), chosen


def assert_same_but_for_order(model, other, order):
    """Compare with the fit of the rows in another order, bit for bit."""
    assert clusters_of(model, np.arange(len(order))) == clusters_of(other, order)
    assert checks.same_partition(model.labels_[order], other.labels_)
    for name in ("probabilities_", "outlier_scores_"):
        checks.assert_same_bits(getattr(model, name)[order], getattr(other, name))
    mine, theirs = model.condensed_tree_, other.condensed_tree_
    checks.assert_same_bits(mine.point_lambdas[order], theirs.point_lambdas)
    for found in (model, other):
        assert_numbered(found.condensed_tree_)
        checks.assert_labels_canonical(found.labels_[found.labels_ >= 0], found.n_clusters_)
    cut = float(np.median(model.mst_.weights)) if len(model.mst_) else 1.0
    for size in (1, 3):
        cuts = model.dbscan_clustering(cut, size), other.dbscan_clustering(cut, size)
        assert checks.same_partition(cuts[0][order], cuts[1])


def assert_numbered(tree):
    """Clusters are numbered by births, then by the first points of parents, then by their own."""
    first = np.full(tree.n_clusters, tree.n_points)
    np.minimum.at(first, tree.point_clusters, np.arange(tree.n_points))
    for c in range(tree.n_clusters - 1, 0, -1):
        assert tree.parents[c] < c
        first[tree.parents[c]] = min(first[tree.parents[c]], first[c])
    assert (np.diff(tree.births) >= 0).all()
    born_at_once = (np.diff(tree.births[1:]) == 0) & (
        tree.births[tree.parents[1:-1]] < tree.births[1:-1]
    )
    keys = np.stack([first[tree.parents[1:]], first[1:]], axis=1)
    for i in np.flatnonzero(born_at_once & (tree.births[tree.parents[2:]] < tree.births[2:])):
        assert tuple(keys[i]) < tuple(keys[i + 1])


@settings(max_examples=60)
@given(data=st.data())
def test_shuffled_points_have_the_same_clusters(data, device):
    points = data.draw(points_with_ties())
    options = data.draw(settings_of_fits(len(points)))
    order = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1))).permutation(len(points))
    model, other = (HDBSCAN(**options, device=device).fit(x) for x in (points, points[order]))
    assert_same_but_for_order(model, other, order)
    copies = np.unique(points, axis=0, return_inverse=True)[1].ravel()
    for values in (model.labels_, model.probabilities_, model.outlier_scores_):
        assert len(set(zip(copies, values, strict=True))) == copies.max() + 1


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS.keys())
@pytest.mark.parametrize("family", FAMILIES)
def test_shuffled_families_have_the_same_clusters(family, options, device):
    points = FAMILIES[family][:1500]
    options = {"min_samples": min(5, len(points)), **options, "device": device}
    order = np.random.default_rng(3).permutation(len(points))
    model = HDBSCAN(5, **options).fit(points)
    assert_same_but_for_order(model, HDBSCAN(5, **options).fit(points[order]), order)
    other = HDBSCAN(60, **options).fit(points[order])
    assert_same_but_for_order(HDBSCAN(60, **options).fit(points), other, order)
    sizes = [2, 5, 60]
    for mine, theirs in zip(*(m.sweep(sizes).labels for m in (model, other)), strict=True):
        assert checks.same_partition(mine[order], theirs)


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_shuffled_points_of_which_some_are_missing(metric, device):
    points = with_missing(FAMILIES["equal distances"][:200] + 1)
    order = np.random.default_rng(4).permutation(len(points))
    fits = [HDBSCAN(4, 4, metric=metric, device=device).fit(x) for x in (points, points[order])]
    assert_same_but_for_order(*fits, order)


@settings(max_examples=25)
@given(data=st.data())
@pytest.mark.parametrize("form", [form for form in DISTANCES if form != "wg.Graph"])
def test_shuffled_distances_have_the_same_clusters(data, form, device):
    points = data.draw(points_with_ties(40))
    if "full" not in form:  # graphs have no edges between copies of a point
        points = np.unique(points, axis=0)
    n = len(points)
    assume(n > 12)  # graphs have so many neighbours of each
    options = data.draw(settings_of_fits(n)) | {"metric": "precomputed", "device": device}
    order = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1))).permutation(n)
    place = np.argsort(order)
    distances = DISTANCES[form](points)
    if isinstance(distances, SpanningForest):
        edges = place[distances.edges][::-1]
        shuffled = SpanningForest(n, edges, distances.weights[::-1])
    else:
        shuffled = distances[order][:, order]
    model, other = (HDBSCAN(**options).fit(x) for x in (distances, shuffled))
    assert_same_but_for_order(model, other, order)


@settings(max_examples=60)
@given(data=st.data())
@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev"])
def test_shuffled_points_have_the_same_predictions(data, metric):
    """New points between others at equal distances, and copies of those that were fitted."""
    points = data.draw(points_with_ties())
    options = data.draw(settings_of_fits(len(points))) | {"metric": metric}
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    order = rng.permutation(len(points))
    pairs = rng.integers(0, len(points), (2, 40))
    new = np.r_[points[pairs].mean(axis=0), points[pairs[0]] + rng.integers(-2, 3, points.shape[1])]
    new = np.r_[new, points]
    model, other = (HDBSCAN(**options).fit(x) for x in (points, points[order]))
    name = {-1: -1, **dict(zip(model.labels_[order].tolist(), other.labels_.tolist(), strict=True))}
    (mine, chances), (theirs, their_chances) = (m.approximate_predict(new) for m in (model, other))
    assert [name[label] for label in mine.tolist()] == theirs.tolist()
    scores = (m.approximate_predict_scores(new) for m in (model, other))
    for pair in ((chances, their_chances), scores):
        checks.assert_same_bits(*((values,) for values in pair))
    assert mine[80:].tolist() == model.labels_.tolist()


@settings(max_examples=40)
@given(data=st.data())
def test_every_lightest_tree_has_the_same_clusters(data, device):
    """Whichever tree a caller passes, with its edges in any order."""
    points = data.draw(points_with_ties())
    options = data.draw(settings_of_fits(len(points)))
    reach = hdbscan_oracle.mutual_reachability(points, options.pop("min_samples"))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    wanted, found = (
        HDBSCAN(**options, device=device).fit(lightest_tree(reach, rng)) for _ in range(2)
    )
    assert_same_but_for_order(wanted, found, np.arange(len(points)))


def lightest_tree(distances, rng):
    """Return a lightest tree, of which there are many if distances are equal."""
    pairs = np.array(hdbscan_oracle.pairs_of(distances))
    pairs = pairs[np.lexsort((rng.permutation(len(pairs)), pairs[:, 0]))]
    group, edges = np.arange(len(distances)), []
    for height, first, second in pairs.tolist():
        one, other = group[int(first)], group[int(second)]
        if one != other:
            group[group == other] = one
            edges.append((height, int(first), int(second)))
    edges = np.array([edges[i] for i in rng.permutation(len(edges))])
    return SpanningForest(len(distances), edges[:, 1:].astype(np.int32), edges[:, 0])


@settings(max_examples=60)
@given(data=st.data())
def test_equals_the_definition_with_ties(data, device):
    """Labels, probabilities and scores are those of the oracle, which reads all pairs."""
    points = data.draw(points_with_ties(40))
    size, samples = data.draw(st.integers(2, 7)), data.draw(st.integers(1, min(len(points), 8)))
    single = data.draw(st.booleans())
    model = HDBSCAN(size, samples, allow_single_cluster=single, device=device).fit(points)
    reach = hdbscan_oracle.mutual_reachability(points, samples)
    merges = hdbscan_oracle.merge_tree(len(points), hdbscan_oracle.pairs_of(reach))
    root = hdbscan_oracle.condensed_tree(merges, size)
    found = clusters_of(model, np.arange(len(points)))[0]
    assert {points: parent for points, (_, parent) in found.items()} == {
        c.points: None if c.parent is None else c.parent.points for c in root.below()
    }
    stability = {points: facts[3] for points, (facts, _) in found.items()}
    for cluster in root.below():
        expected = (cluster.birth, cluster.death, len(cluster.points), cluster.stability)
        np.testing.assert_allclose(found[cluster.points][0], expected, rtol=1e-12)
    chosen = hdbscan_oracle.selected_by_mass(root, stability, single)
    labels, chances = hdbscan_oracle.labels_of(root, chosen)
    checks.assert_same_bits(model.labels_, labels)
    np.testing.assert_allclose(model.probabilities_, chances, rtol=1e-12)
    np.testing.assert_allclose(model.outlier_scores_, hdbscan_oracle.glosh(root), atol=1e-12)


def test_a_cluster_may_split_into_more_than_two(device):
    """Three groups at one distance from each other, and a point that is at that distance, too."""
    sides = np.array([[0.0, 0.0], [8.0, 0.0], [0.0, 8.0]])
    groups = [side + 0.5 * np.array([[0, 0], [0, 1], [1, 0], [1, 1]]) for side in sides]
    groups[1][:, 0] -= 0.5  # of 8 - 2 * 0.5, all are 7.5 or more apart
    distances = distances_of(np.concatenate([*groups, [[-20.0, 0.0]]]))
    distances[distances > 2] = 7.5
    model = HDBSCAN(3, 2, metric="precomputed", device=device).fit(distances)
    tree = model.condensed_tree_
    assert tree.parents.tolist() == [-1, 0, 0, 0]
    assert tree.sizes.tolist() == [13, 4, 4, 4]
    assert model.labels_.tolist() == [0] * 4 + [1] * 4 + [2] * 4 + [-1]
    assert tree.point_clusters[-1] == 0
    assert tree.births.tolist() == [0, 1 / 7.5, 1 / 7.5, 1 / 7.5]
    graph = tree.to_networkx()
    assert sorted(graph.successors(13)) == [12, 14, 15, 16]


def test_the_larger_of_two_parts_has_the_points_between(device):
    """Unless both are as large: then the point between is in neither."""
    for n, label in ((4, 0), (5, -1), (6, 1)):
        line = np.r_[np.arange(5.0), 8.0, 12 + np.arange(float(n))][:, None]
        line[5] = 8.0
        distances = distances_of(line)
        distances[5, :] = distances[:, 5] = 4.0
        distances[5, 5] = 0
        distances[:5, 6:] = distances[6:, :5] = 4.0
        model = HDBSCAN(3, 1, metric="precomputed", device=device).fit(distances)
        assert model.labels_.tolist() == [0] * 5 + [label] + [1] * n
        assert model.probabilities_[5] == (0 if label < 0 else 0.25)


def test_heights_whose_densities_are_equal():
    """Two clusters that split one after the other, at one density: siblings stay together."""
    heights = [1.9, np.nextafter(1.9, 2)]
    while 1 / heights[0] != 1 / heights[1]:
        heights = [heights[1], np.nextafter(heights[1], 2)]
    groups = [range(3 * i, 3 * i + 3) for i in range(4)]
    inside = [(a, b, 1.0) for g in groups for a, b in itertools.pairwise(g)]
    between = [(0, 9, heights[1]), (0, 3, heights[0]), (9, 6, heights[0])]
    edges = np.array(inside + between)
    model = HDBSCAN(3, 1).fit(SpanningForest(12, edges[:, :2].astype(np.int32), edges[:, 2]))
    assert model.condensed_tree_.parents.tolist() == [-1, 0, 0, 1, 1, 2, 2]
    assert model.labels_.tolist() == np.repeat(np.arange(4), 3).tolist()


@settings(max_examples=40)
@given(data=st.data())
def test_shuffled_points_have_the_same_dense_groups(data, device):
    points = data.draw(points_with_ties())
    samples, eps = data.draw(st.integers(1, 6)), data.draw(st.sampled_from([0.0, 0.4, 1.0, 1.5]))
    order = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1))).permutation(len(points))
    model, other = (
        DBSCANStar(eps, min_samples=samples, device=device).fit(x) for x in (points, points[order])
    )
    assert checks.same_partition(model.labels_[order], other.labels_)
    assert ((model.labels_[order] < 0) == (other.labels_ < 0)).all()


def test_a_million_merges_at_one_height(device):
    """A path whose edges are equal is one merge, in linear time."""
    n = 20_000 if checks.EMULATED else 300_000
    path = sp.coo_array((np.ones(n - 1), (np.arange(n - 1), np.arange(1, n))), shape=(n, n))
    model = HDBSCAN(5, 1, metric="precomputed", device=device).fit(path.tocsr())
    assert model.condensed_tree_.n_clusters == 1
    assert (model.condensed_tree_.point_lambdas == 1).all()


@pytest.mark.parametrize("persistence", [0.05, 0.3])
@pytest.mark.parametrize("seed", [*range(20), 88])
def test_clusters_are_numbered_once_short_ones_are_merged(seed, persistence, device):
    """Integers in a matrix: many clusters are born at once, and have other parents afterwards."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(13, 40))
    points = rng.normal(size=(n, 1)) + rng.integers(0, 3, (n, 1)) * 3
    distances = DISTANCES["graph of integers"](np.unique(points, axis=0))
    options = {"metric": "precomputed", "cluster_selection_persistence": persistence}
    assert_numbered(HDBSCAN(2, 1, device=device, **options).fit(distances).condensed_tree_)
