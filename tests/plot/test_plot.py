"""Pictures have the expected parts; their appearance is not tested."""

import subprocess
import sys

import matplotlib as mpl
import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from matplotlib import pyplot as plt
from matplotlib.collections import LineCollection, PathCollection
from scipy.cluster import hierarchy

import checks
import warpgraph as wg
from warpgraph import plot
from warpgraph.cluster import HDBSCAN, MSTClustering
from warpgraph.plot import _condense


@pytest.fixture
def model(points):
    return MSTClustering().fit(points)


def lines(ax):
    return [c for c in ax.collections if isinstance(c, LineCollection)]


def test_weights_counts_every_edge(model):
    ax = model.plot_weights()
    assert sum(bar.get_height() for bar in ax.patches) == len(model.mst_)
    assert [line.get_xdata()[0] for line in ax.lines] == [model.threshold_]
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert labels[-2:] == ["kept", "removed"]
    assert labels[0].startswith("cut at ")


def test_removed_edges_have_their_own_bars(model):
    ax = model.plot_weights(bins=400)
    removed = [bar for bar in ax.patches if bar.get_x() > model.threshold_]
    assert sum(bar.get_height() for bar in removed) == 2
    assert len({bar.get_facecolor() for bar in ax.patches}) == 2


def test_weights_without_a_cut(points):
    ax = MSTClustering(cut=None).fit(points).plot_weights()
    assert not ax.lines
    assert ax.get_legend() is None


@pytest.mark.parametrize("weights", [[], [np.inf], [3.0], [2, 2, 2]])
def test_weights_of_few_edges(weights):
    forest = wg.SpanningForest(9, [(i, i + 1) for i in range(len(weights))], weights)
    ax = plot.weights(forest, 1.0)
    assert sum(bar.get_height() for bar in ax.patches) == np.isfinite(weights).sum()
    ax.figure.canvas.draw()


@pytest.mark.parametrize(
    ("points", "bins"),
    [
        ((0.1 * np.arange(50))[:, np.newaxis], 100),
        (np.arange(6.0)[:, np.newaxis] * 1e17, 100),
        (np.arange(6.0)[:, np.newaxis] * 1e17, 1000),
        (np.zeros((6, 1)), 3),
    ],
)
def test_weights_that_are_equal_up_to_rounding(points, bins):
    ax = MSTClustering().fit(points).plot_weights(bins=bins)
    bars = [bar for bar in ax.patches if bar.get_height()]
    assert sum(bar.get_height() for bar in bars) == len(points) - 1
    low, high = ax.get_xlim()
    step = points[1, 0]
    assert low < step < high
    assert sum(bar.get_width() for bar in ax.patches) > 0.8 * (high - low)  # wide enough to see
    for bar in bars:
        assert bar.get_x() <= step * (1 + 1e-12)
        assert bar.get_x() + bar.get_width() >= step * (1 - 1e-12)
    ax.figure.canvas.draw()


def test_dendrogram_has_the_last_joins(model):
    ax = model.plot_dendrogram(max_leaves=12)
    (brackets,) = lines(ax)
    segments = np.array(brackets.get_segments())
    assert segments.shape == (11, 4, 2)
    np.testing.assert_array_equal(np.sort(segments[:, 1, 1]), model.distances_[-11:])
    assert len(ax.get_xticklabels()) == 12
    members = [text.get_text() for text in ax.get_xticklabels()]
    assert sum(int(m.strip("()")) if "(" in m else 1 for m in members) == len(model.labels_)
    assert [line.get_ydata()[0] for line in ax.lines] == [model.threshold_]
    # Two joins are above the cut, and the clusters below have three colours.
    assert len(np.unique(brackets.get_colors(), axis=0)) == 4


def test_dendrogram_of_everything(points):
    forest = wg.cluster.euclidean_mst(points[:9])
    ax = plot.dendrogram(forest)
    assert len(lines(ax)[0].get_segments()) == 8
    assert sorted(int(text.get_text()) for text in ax.get_xticklabels()) == list(range(9))


def test_leaves_of_a_dendrogram_have_names():
    """A formula in a name is text, and several vertices stay a number."""
    roads = nx.Graph()
    edges = [("Rome", "Pisa", 355), ("Pisa", "$x$", 165), ("Oslo", "Rome", 9)]
    roads.add_weighted_edges_from(edges)
    forest = wg.minimum_spanning_forest(roads)
    ax = plot.dendrogram(forest)
    shown = {text.get_text() for text in ax.get_xticklabels()}
    assert shown == {"Rome", "Pisa", r"\$x\$", "Oslo"}
    ax.figure.canvas.draw()
    ax = plot.dendrogram(forest, max_leaves=3)
    assert {text.get_text() for text in ax.get_xticklabels()} == {"(2)", "Pisa", r"\$x\$"}


def test_a_dendrogram_says_what_its_leaves_are():
    forest = wg.cluster.euclidean_mst(wg.generators.random_points(1200, 2))
    said = "branches of 1,200 vertices; (k): a branch of k"
    assert plot.dendrogram(forest, max_leaves=8).get_xlabel() == f"8 {said}"
    assert plot.dendrogram(forest, min_cluster_size=40).get_xlabel().endswith(said)
    few = wg.cluster.euclidean_mst(wg.generators.random_points(8, 2))
    assert plot.dendrogram(few).get_xlabel() == ""


def test_dendrogram_of_a_forest_ends_at_inf():
    graph = sp.csr_array(([1.0, 2.0], ([0, 3], [1, 4])), (6, 6))
    ax = MSTClustering(metric="precomputed").fit(graph).plot_dendrogram()
    heights = np.array(lines(ax)[0].get_segments())[:, 1, 1]
    assert np.isfinite(heights).all()
    assert (np.sort(heights)[2:] > 2).all()
    assert len(np.unique(heights)) == 5
    assert ax.get_yticklabels()[-1].get_text() == "inf"
    ax.figure.canvas.draw()


def spell_out_large_branches(joins, n, size):
    """Return the joins of two large branches as (height, their vertices), by sets."""
    members = {v: frozenset([v]) for v in range(n)}
    found = []
    for i, (a, b, height, _) in enumerate(joins.tolist()):
        left, right = members.pop(int(a)), members.pop(int(b))
        if min(len(left), len(right)) >= size:
            found.append((height, {len(left), len(right)}))
        members[n + i] = left | right
    return found


@pytest.mark.parametrize("size", [2, 3, 8, 40])
def test_dendrogram_without_small_branches(size):
    points = np.random.default_rng(size).random((400, 2))
    forest = wg.cluster.euclidean_mst(points)
    joins = wg.cluster.single_linkage(forest)
    wanted = spell_out_large_branches(joins, 400, size)
    assert len(wanted) > 1
    condensed = _condense.condense(joins, size)
    assert condensed.joins[:, 2].tolist() == [height for height, _ in wanted]
    assert hierarchy.is_valid_linkage(condensed.joins)
    n_leaves = len(wanted) + 1
    for row, (_, sizes) in zip(condensed.joins, wanted, strict=True):
        # A branch may grow by small ones until it is joined.
        assert {int(condensed.sizes[int(end)]) for end in row[:2]} == sizes
    ax = plot.dendrogram(forest, max_leaves=500, min_cluster_size=size)
    segments = np.array(lines(ax)[0].get_segments())
    np.testing.assert_array_equal(np.sort(segments[:, 1, 1]), condensed.joins[:, 2])
    shown = sorted(int(text.get_text().strip("()")) for text in ax.get_xticklabels())
    assert shown == sorted(condensed.sizes[:n_leaves].tolist())
    assert min(shown) >= size


def test_dendrogram_of_too_few_large_branches(points):
    forest = wg.cluster.euclidean_mst(points)
    ax = plot.dendrogram(forest, min_cluster_size=120)
    assert "fewer than two branches of 120 points" in ax.texts[0].get_text()
    assert "fewer than two" in plot.dendrogram(forest, min_cluster_size=999).texts[0].get_text()


def test_dendrogram_of_a_large_set_shows_its_clusters(points):
    model = MSTClustering(n_clusters=3, min_cluster_size=20).fit(points)
    ax = model.plot_dendrogram()
    (brackets,) = lines(ax)
    above = np.array(brackets.get_segments())[:, 1, 1] > model.threshold_
    assert above.sum() == 2
    assert len(model.plot_dendrogram(min_cluster_size=1).get_xticklabels()) == 30


def test_dendrogram_of_one_point():
    ax = MSTClustering().fit([[1.0]]).plot_dendrogram()
    assert "nothing to join" in ax.texts[0].get_text()


@pytest.mark.parametrize("n", [2, 3, 9, 200])
@pytest.mark.parametrize("max_leaves", [2, 3, 10, 500])
def test_dendrogram_is_that_of_scipy(n, max_leaves):
    joins = hierarchy.linkage(np.random.default_rng(n).random((n, 2)), "single")
    theirs = hierarchy.dendrogram(joins, truncate_mode="lastp", p=max_leaves, no_plot=True)
    ax = plot.dendrogram(
        wg.SpanningForest(n, [(v, v + 1) for v in range(n - 1)], joins[:, 2]),
        linkage=joins,
        max_leaves=max_leaves,
    )
    wanted = np.stack([theirs["icoord"], theirs["dcoord"]], axis=2)
    assert sorted(np.array(lines(ax)[0].get_segments()).tolist()) == sorted(wanted.tolist())
    assert [text.get_text() for text in ax.get_xticklabels()] == theirs["ivl"]


def test_dendrogram_deeper_than_the_recursion_limit():
    """Gaps that grow: every join is of all points so far with the next one."""
    n = sys.getrecursionlimit() + 200
    model = MSTClustering().fit(np.cumsum(np.arange(1.0, n + 1))[:, np.newaxis])
    ax = model.plot_dendrogram(max_leaves=n)
    segments = np.array(lines(ax)[0].get_segments())
    np.testing.assert_array_equal(np.sort(segments[:, 1, 1]), np.arange(2.0, n + 1))
    assert ax.get_xlim() == (0, 10 * n)


def test_forests_without_vertices():
    empty = wg.SpanningForest(0, [], [])
    assert plot.layout(empty).shape == (0, 2)
    for positions in (None, np.empty((0, 2))):
        plot.tree(positions, empty, []).figure.canvas.draw()
    plot.weights(empty).figure.canvas.draw()
    for size in (1, 5):
        ax = plot.dendrogram(empty, [], min_cluster_size=size)
        assert ax.texts[0].get_text() == "no points: nothing to join"


def test_tree_draws_points_edges_and_cuts(model, points):
    ax = model.plot_tree(points)
    within, between = lines(ax)
    assert len(within.get_segments()) == len(points) - 3
    assert len(between.get_segments()) == 2
    (dots,) = (c for c in ax.collections if isinstance(c, PathCollection))
    np.testing.assert_array_equal(dots.get_offsets(), points)
    assert len(np.unique(dots.get_facecolors(), axis=0)) == 3
    ax.figure.canvas.draw()


def test_tree_of_other_columns():
    points = np.random.default_rng(0).random((20, 4))
    forest = wg.cluster.euclidean_mst(points)
    ax = plot.tree(points, forest, axes=(3, 1))
    (dots,) = (c for c in ax.collections if isinstance(c, PathCollection))
    np.testing.assert_array_equal(dots.get_offsets(), points[:, [3, 1]])


@pytest.mark.parametrize("n_trees", [1, 4])
def test_layout_puts_trees_round_their_middles(n_trees):
    sizes = [7, 1, 2, 30][-n_trees:]
    starts = np.cumsum([0, *sizes[:-1]])
    edges = np.array([(v, v + 1) for v in range(sum(sizes) - 1) if v + 1 not in starts])
    places = plot.layout(wg.SpanningForest(sum(sizes), edges, np.ones(len(edges))))
    assert len(np.unique(places.round(9), axis=0)) == sum(sizes)
    radii = np.hypot(*places.T)
    for at, n in zip(starts, sizes, strict=True):
        inner = radii[at : at + n].min()
        assert inner == pytest.approx(0 if n_trees == 1 else 1)
        assert at + radii[at : at + n].argmin() in (at + (n - 1) // 2, at + n // 2)
        assert radii[at : at + n].max() == pytest.approx(inner + n // 2)
    np.testing.assert_allclose(np.abs(np.subtract(*radii[edges.T])), 1)


def test_layout_spreads_branches():
    star = wg.SpanningForest(13, [(0, i) for i in range(1, 13)], np.ones(12))
    places = plot.layout(star)
    np.testing.assert_allclose(places[0], 0, atol=1e-12)
    angles = np.sort(np.arctan2(places[1:, 1], places[1:, 0]))
    np.testing.assert_allclose(np.diff(angles), 2 * np.pi / 12)


def test_graphs_are_laid_out():
    graph = sp.csr_array(([1.0, 2.0, 9.0], ([0, 3, 1], [1, 4, 2])), (6, 6))
    model = MSTClustering(metric="precomputed", n_clusters=4).fit(graph)
    ax = model.plot_tree()
    (dots,) = (c for c in ax.collections if isinstance(c, PathCollection))
    assert len(np.unique(dots.get_offsets().round(9), axis=0)) == 6
    ax.figure.canvas.draw()


def test_noise_is_grey(points):
    model = MSTClustering(n_clusters=3, min_cluster_size=20).fit(np.r_[points, [[300.0, 300.0]]])
    assert model.labels_[-1] == -1
    ax = model.plot_tree(np.r_[points, [[300.0, 300.0]]])
    (dots,) = (c for c in ax.collections if isinstance(c, PathCollection))
    grey = mpl.colors.to_rgba(plot._ABOVE)
    assert [tuple(c) == grey for c in dots.get_facecolors()] == [False] * 180 + [True]
    model.plot_dendrogram().figure.canvas.draw()


def test_given_axes_are_used(model, points):
    _, axes = plt.subplots(1, 3)
    assert model.plot_weights(axes[0]) is axes[0]
    assert model.plot_dendrogram(axes[1]) is axes[1]
    assert model.plot_tree(points, axes[2]) is axes[2]
    assert len(plt.get_fignums()) == 1


def test_points_that_do_not_fit(model, points):
    with pytest.raises(ValueError, match=r"a row for each of the 180 vertices"):
        model.plot_tree(points[:5])
    with pytest.raises(ValueError, match=r"axes=\(0, 2\) are not two columns"):
        model.plot_tree(points, axes=(0, 2))


@pytest.mark.parametrize("labels", [np.zeros(179, int), np.zeros(181, int), np.zeros((180, 1))])
def test_labels_that_do_not_fit(model, points, labels):
    sentence = "180 vertices", f"shape {labels.shape}"
    with checks.raises_sentence(ValueError, *sentence):
        plot.tree(points, model.mst_, labels)
    with checks.raises_sentence(ValueError, *sentence):
        plot.dendrogram(model.mst_, labels)
    with checks.raises_sentence(ValueError, "linkage", "(179, 4)", "(178, 4)"):
        plot.dendrogram(model.mst_, linkage=model.linkage_[1:])
    with checks.raises_sentence(ValueError, "bins", "0"):
        plot.weights(model.mst_, bins=0)


@pytest.mark.parametrize("most", [1, 0, -4])
def test_a_dendrogram_has_two_leaves_at_least(model, most):
    with pytest.raises(ValueError, match=rf"max_leaves must be in 2\.\.\d+, got {most}"):
        model.plot_dendrogram(max_leaves=most)
    with pytest.raises(ValueError, match=rf"min_cluster_size must be at least 1, got {most - 1}"):
        model.plot_dendrogram(min_cluster_size=most - 1)
    assert len(model.plot_dendrogram(max_leaves=2).get_xticklabels()) == 2


def test_without_matplotlib():
    program = """
import sys
sys.modules["matplotlib"] = None
import warpgraph as wg
forest = wg.cluster.euclidean_mst([[0.0], [1.0]])
from warpgraph import plot
try:
    plot.weights(forest)
except ImportError as error:
    assert "pip install 'warpgraph[plot]'" in str(error)
else:
    raise AssertionError
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_dendrogram_coloured_by_size(points):
    ax = MSTClustering().fit(points).plot_dendrogram(cmap="magma", max_leaves=12)
    (brackets,) = lines(ax)
    sizes = np.sort(brackets.get_array())
    linkage = wg.cluster.single_linkage(points)
    np.testing.assert_allclose(sizes, np.sort(np.log2(linkage[-11:, 3])))
    assert brackets.get_cmap().name == "magma"
    assert len(ax.figure.axes) == 2
    plain = plot.dendrogram(wg.cluster.euclidean_mst(points), cmap="magma", colorbar=False)
    assert len(plain.figure.axes) == 1
    ax.figure.canvas.draw()
    large = MSTClustering(min_cluster_size=20, cut=None).fit(points)
    (brackets,) = lines(large.plot_dendrogram(cmap="viridis"))
    assert (brackets.get_array() >= np.log2(40)).all()


def test_single_linkage_tree_as_a_graph(points):
    tree = HDBSCAN(5, 3).fit(points).single_linkage_tree_
    graph, n = tree.to_networkx(), len(points)
    linkage = tree.to_numpy()
    assert nx.is_arborescence(graph)
    assert graph.number_of_nodes() == 2 * n - 1
    for row in (0, n // 2, n - 2):
        first, second, height, size = linkage[row].tolist()
        assert dict(graph[n + row]) == {
            int(first): {"weight": height},
            int(second): {"weight": height},
        }
        assert (
            graph.nodes[n + row]["size"]
            == size
            == sum(below < n for below in nx.descendants(graph, n + row))
        )
    assert graph.nodes[0]["size"] == 1
    hdbscan = pytest.importorskip("hdbscan")
    theirs = hdbscan.plots.SingleLinkageTree(linkage).to_networkx()
    assert set(graph.edges(data="weight")) == set(theirs.edges(data="weight"))


def test_the_pair_of_shortest_path_is_no_path():
    roads = wg.datasets.load("model-roads")
    found = wg.shortest_path(roads, 0, 9_000)
    with pytest.raises(TypeError, match=r"pair of a length and a path.*pass its second value"):
        wg.plot.path(roads, found)
    wg.plot.path(roads, found[1])


def test_a_map_has_about_the_shape_of_its_graph():
    positions = np.array([[0.0, 0], [1000, 0], [1000, 4000]])
    tall = wg.Graph(np.ones((3, 3)), coordinates=positions)
    wide = wg.Graph(np.ones((3, 3)), coordinates=positions[:, ::-1])
    sizes = [wg.plot.distances(g, [1.0, 2, 3]).figure.get_size_inches() for g in (tall, wide)]
    assert sizes[0][1] > sizes[0][0]
    assert sizes[1][1] < sizes[1][0]
