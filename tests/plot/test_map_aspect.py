"""Maps of longitudes and latitudes: a kilometre is as long to the north as to the east."""

import numpy as np
import pytest
from matplotlib import pyplot as plt

import warpgraph as wg
from warpgraph import plot

HELSINKI, QUITO = (24.944, 60.172), (-78.5, -0.2)


@pytest.mark.parametrize("at", [HELSINKI, QUITO, (151.2, -33.9), (0, 89.99)])
def test_degrees_have_the_aspect_of_their_latitude(town, at):
    """A degree to the east is shorter than one to the north, by the cosine of the latitude."""
    degrees = wg.Graph(town, coordinates=town.coordinates / 1000 + at)
    latitude = min(abs(degrees.coordinates[:, 1].mean()), 85)
    expected = 1 / np.cos(latitude / 180 * np.pi)
    if at == HELSINKI:
        assert expected == pytest.approx(2.0106, abs=1e-4)
    far = wg.sssp(degrees, 0)
    forest = wg.minimum_spanning_forest(degrees)
    for ax in (
        plot.path(degrees, [0, 1]),
        plot.paths(degrees, [[0, 1], [1, 2]]),
        plot.distances(degrees, far),
        plot.distances(degrees, far, edges=True),
        plot.edges(degrees, np.zeros(degrees.n_edges)),
        plot.tree(None, forest),
    ):
        assert ax.get_aspect() == pytest.approx(expected, rel=1e-12)
        ax.figure.canvas.draw()
        box = ax.get_window_extent()
        (left, right), (low, high) = ax.get_xlim(), ax.get_ylim()
        per_degree = box.height / (high - low), box.width / (right - left)
        assert per_degree[0] / per_degree[1] == pytest.approx(expected, rel=1e-9)
        plt.close(ax.figure)
    # Columns that are the other way around.
    turned = wg.Graph(town, coordinates=degrees.coordinates[:, ::-1])
    assert plot.path(turned, [0, 1], axes=(1, 0)).get_aspect() == pytest.approx(expected)


def test_other_coordinates_are_not_stretched(town):
    """Whole numbers are of a grid, others than degrees of a plane; so are points of clusters."""
    far = wg.sssp(town, 0)
    for places in (
        town.coordinates,
        town.coordinates + 60,
        town.coordinates + np.array([24.9, 600.2]),
    ):
        plane = wg.Graph(town, coordinates=places)
        assert plot.distances(plane, far).get_aspect() == 1
    metres = wg.Graph(town, coordinates=town.coordinates * 100.5)
    assert plot.distances(metres, far).get_aspect() == 1
    points = town.coordinates / 1000 + HELSINKI
    assert plot.tree(points, wg.cluster.euclidean_mst(points)).get_aspect() == 1
    small = wg.Graph(town, coordinates=town.coordinates / 5)
    assert plot.distances(small, far).get_aspect() == pytest.approx(1, abs=1e-4)
    empty = wg.Graph(np.empty((0, 0)), coordinates=np.empty((0, 2)))
    assert plot.distances(empty, []).get_aspect() == 1
