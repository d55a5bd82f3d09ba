"""Pictures of nothing are empty, in all functions of wg.plot."""

import numpy as np
import pytest
import scipy.sparse as sp

import warpgraph as wg
from warpgraph import plot
from warpgraph.cluster import HDBSCAN

pytest.importorskip("matplotlib")


def graph_without_edges(n):
    return wg.Graph(sp.csr_array((n, n)), coordinates=np.arange(2.0 * n).reshape(n, 2))


def forest_without_edges(n):
    return wg.minimum_spanning_forest(graph_without_edges(n))


#: For each function: what draws n vertices without edges, paths or scores.
OF_NOTHING = {
    "condensed_tree": lambda n: plot.condensed_tree(
        HDBSCAN(2, 1).fit(np.full((n or 1, 1), 0.0 if n else np.nan)).condensed_tree_
    ),
    "dendrogram": lambda n: plot.dendrogram(forest_without_edges(n)),
    "distances": lambda n: plot.distances(graph_without_edges(n), np.full(n, np.inf)),
    "edges": lambda n: plot.edges(graph_without_edges(n), []),
    "interactive": lambda n: plot.interactive(graph_without_edges(n), paths=[], tiles=None),
    "layout": lambda n: plot.layout(forest_without_edges(n)),
    "path": lambda n: plot.path(graph_without_edges(n), []),
    "paths": lambda n: plot.paths(graph_without_edges(n), {}),
    "tree": lambda n: plot.tree(None, forest_without_edges(n)),
    "weights": lambda n: plot.weights(forest_without_edges(n)),
}


@pytest.mark.parametrize("n", [0, 1, 4])
@pytest.mark.parametrize("name", plot.__all__)
def test_nothing_to_draw_is_an_empty_picture(name, n):
    if name == "interactive":
        folium = pytest.importorskip("folium")
        assert isinstance(OF_NOTHING[name](n), folium.Map)
    elif name == "layout":
        assert OF_NOTHING[name](n).shape == (n, 2)
    else:
        ax = OF_NOTHING[name](n)
        ax.figure.canvas.draw()


def test_a_map_of_a_data_set_in_metres():
    pytest.importorskip("folium")
    streets = wg.datasets.load("helsinki")
    with pytest.raises(ValueError, match=r"datasets\.info\(name\)\.map_origin"):
        plot.interactive(streets)
    plot.interactive(streets, origin=wg.datasets.info("helsinki").map_origin)
