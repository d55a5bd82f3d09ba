"""The picture of a condensed tree, its colours, and options that methods pass on."""

import inspect
import itertools
import re

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.patches import Rectangle

import checks
import warpgraph as wg
from warpgraph import plot
from warpgraph.cluster import HDBSCAN, MSTClustering

SET1, BLUES = "colormaps['Set1'].colors is one", "colormaps['Blues'].resampled(8)(range(8)) is one"


def test_condensed_tree_of_clusters_that_split_into_three():
    """At once, of which one may be left out: then two bars lie below that of the parent."""
    sides = [np.zeros(9), np.full(5, 100.0), np.full(7, -100.0)]
    line = np.concatenate([side + 0.5 * np.arange(len(side)) for side in sides])
    distances = np.abs(line[:, None] - line)
    distances[distances > 50] = 50
    model = HDBSCAN(5, 1, metric="precomputed").fit(distances)
    assert model.condensed_tree_.parents.tolist() == [-1, 0, 0, 0]
    for max_leaves, n_framed in ((3, 3), (2, 2), (1, 1)):
        ax = model.condensed_tree_.plot(
            max_leaves=max_leaves, selection_palette=["red", "green", "blue"], colorbar=False
        )
        frames = [patch for patch in ax.patches if isinstance(patch, Rectangle)]
        assert len(frames) == n_framed
        assert len({frame.get_edgecolor() for frame in frames}) == n_framed
        spans = sorted((frame.get_x(), frame.get_x() + frame.get_width()) for frame in frames)
        assert all(end <= begin for (_, end), (begin, _) in itertools.pairwise(spans))
        ax.figure.canvas.draw()
    with pytest.raises(ValueError, match="selection_palette must have at least one colour"):
        model.condensed_tree_.plot(selection_palette=[])


@pytest.mark.parametrize(
    ("palette", "kind", "parts"),
    [
        ("Set1", TypeError, ["must be a sequence of colours, got 'Set1'", SET1]),
        (mpl.colormaps["Set1"], TypeError, ["got matplotlib.colors.ListedColormap", SET1]),
        ("Blues", TypeError, ["must be a sequence of colours, got 'Blues'", BLUES]),
        ("red", TypeError, ["must be a sequence of colours, got 'red'", "pass ['red']"]),
        (7, TypeError, ["must be a sequence of colours, got int"]),
        (["red", "rde"], ValueError, ["selection_palette[1] must be a colour", "'rde'"]),
    ],
)
def test_palettes_that_are_none(palette, kind, parts, points):
    tree = HDBSCAN(5).fit(points).condensed_tree_
    with checks.raises_sentence(kind, "selection_palette", *parts):
        tree.plot(selection_palette=palette)


def test_palettes_that_messages_name(points):
    model = HDBSCAN(5).fit(points)
    maps = mpl.colormaps
    for palette in (maps["Set1"].colors, maps["Blues"].resampled(8)(range(8))):
        ax = model.plot_condensed_tree(selection_palette=palette)
        found = [patch.get_edgecolor() for patch in ax.patches if isinstance(patch, Rectangle)]
        wanted = [mpl.colors.to_rgba(colour) for colour in palette[: len(found)]]
        np.testing.assert_allclose(found, wanted)


@pytest.mark.parametrize(
    ("method", "function", "given"),
    [
        (HDBSCAN.plot_condensed_tree, plot.condensed_tree, set()),
        (wg.cluster.CondensedTree.plot, plot.condensed_tree, set()),
        (wg.cluster.SingleLinkageTree.plot, plot.dendrogram, {"linkage"}),
        (MSTClustering.plot_dendrogram, plot.dendrogram, {"labels", "threshold", "linkage"}),
        (MSTClustering.plot_weights, plot.weights, {"threshold"}),
        (MSTClustering.plot_tree, plot.tree, {"forest", "labels", "X"}),
    ],
)
def test_methods_name_their_options(method, function, given):
    _, *others = inspect.signature(function).parameters
    text = inspect.getdoc(method)
    named = set(re.findall(r"\w+", text[text.index("options:") :]))
    assert set(others) - given - {"ax"} <= named
