"""Pictures on coordinates."""

import io

import networkx as nx
import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.collections import LineCollection, PathCollection

import warpgraph as wg
from checks import raises_sentence
from warpgraph import plot
from warpgraph.cluster import MSTClustering


def of_type(ax, kind):
    return [c for c in ax.collections if isinstance(c, kind)]


def test_a_path_lies_on_the_coordinates(town):
    _, tree = wg.sssp(town, 0, return_predecessors=True)
    path = wg.reconstruct_path(tree, 0, 19)
    ax = plot.path(town, path)
    np.testing.assert_array_equal(ax.lines[0].get_xydata(), town.coordinates[path])
    assert [text.get_text() for text in ax.texts] == ["0", "19"]
    (streets,) = of_type(ax, LineCollection)
    drawn = {frozenset(map(tuple, segment.tolist())) for segment in streets.get_segments()}
    row, col, _ = town.to_edges()
    ends = town.coordinates[np.stack([row, col], axis=1)]
    assert drawn == {frozenset(map(tuple, pair)) for pair in ends.tolist()}
    assert len(streets.get_segments()) == town.n_edges // 2
    assert ax.get_aspect() == 1


def test_ends_of_a_path_have_their_names(town):
    names = [f"v${i}$" for i in range(20)]
    ax = plot.path(wg.Graph(town, names=names), names[3:5], edges=False)
    assert [text.get_text() for text in ax.texts] == [r"v\$3\$", r"v\$4\$"]
    assert not of_type(ax, LineCollection)
    ax.figure.canvas.draw()


def test_several_paths_differ(town):
    lengths, paths = wg.k_shortest_paths(town, 0, 19, 3)
    ax = None
    for i, path in enumerate(paths):
        ax = plot.path(town, path, label=f"{lengths[i]}", edges=i == 0, ends=False, ax=ax)
    ax = plot.path(town, paths[0], color="black", edges=False, ends=False, ax=ax)
    colours = [line.get_color() for line in ax.lines]
    assert len(set(colours)) == 4
    assert colours[3] == "black"
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert texts == [str(length) for length in lengths]
    assert not ax.texts
    assert len(of_type(ax, LineCollection)) == 1
    assert plot.path(town, paths[0]).get_legend() is None


def test_paths_have_colours_and_a_legend(town):
    _, found = wg.k_shortest_paths(town, 0, 19, 3)
    ax = plot.paths(town, {"a $ way": found[0], "none": [], "b": found[1], "c": found[2]})
    ways = [line for line in ax.lines if line.get_gid() == "warpgraph.plot.path"]
    for line, path in zip(ways, found, strict=True):
        np.testing.assert_array_equal(line.get_xydata(), town.coordinates[path])
    assert len({line.get_color() for line in ways}) == 3
    # A path that shares its way with a later one is seen below it.
    assert ways[0].get_linewidth() > ways[1].get_linewidth() > ways[2].get_linewidth()
    legend = ax.get_legend()
    assert [text.get_text() for text in legend.get_texts()] == [r"a \$ way", "b", "c"]
    shown = [line.get_color() for line in legend.get_lines()]
    assert shown == [line.get_color() for line in ways]
    assert [text.get_text() for text in ax.texts] == ["0", "19"]
    assert len(of_type(ax, LineCollection)) == 1
    listed = plot.paths(town, found, ends=False, edges=False)
    assert [text.get_text() for text in listed.get_legend().get_texts()] == ["1", "2", "3"]
    assert not listed.texts
    assert not of_type(listed, LineCollection)
    assert plot.paths(town, []).get_legend() is None


def test_paths_that_are_none(town):
    with raises_sentence(TypeError, "a list or mapping of paths, got one path", "[path]"):
        plot.paths(town, [0, 1])
    with raises_sentence(ValueError, "no edge joins paths['a'][0], which is 0"):
        plot.paths(town, {"a": [0, 7]})


def test_ends_are_written_on_the_outer_sides(town):
    for path, sides in (([0, 1, 2], ["right", "left"]), ([2, 1, 0], ["left", "right"])):
        assert [text.get_ha() for text in plot.path(town, path).texts] == sides


def test_ends_are_written_away_from_the_last_step(town):
    """The paths lead up at 0 and come from the right at 11, or from below at 12."""
    first, last = plot.path(town, [0, 5, 6, 7, 12, 11]).texts
    assert (first.get_ha(), first.get_va()) == ("right", "top")
    assert (last.get_ha(), last.get_va()) == ("right", "baseline")
    *_, last = plot.path(town, [0, 5, 6, 7, 12]).texts
    assert (last.get_ha(), last.get_va()) == ("left", "baseline")


def test_a_legend_is_beside_the_map_if_there_is_room(town):
    ax = plot.path(town, [0, 1, 2], label="a way")
    ax.figure.draw_without_rendering()
    legend = ax.get_legend().get_window_extent()
    assert legend.x0 >= ax.get_window_extent().x1
    assert legend.x1 <= ax.figure.bbox.x1
    given = plt.figure().subplots()
    legend = plot.path(town, [0, 1, 2], label="a way", ax=given).get_legend()
    given.figure.draw_without_rendering()
    inside = legend.get_window_extent()
    assert inside.x1 <= given.get_window_extent().x1


def test_empty_paths_and_other_columns(town):
    high = wg.Graph(town, coordinates=np.arange(60).reshape(20, 3))
    ax = plot.path(high, [], axes=(2, 0))
    assert len(ax.lines[0].get_xdata()) == 0
    ax = plot.path(high, [1], axes=(2, 0))
    assert ax.lines[0].get_xydata().tolist() == [[5, 3]]
    empty = wg.Graph(np.empty((0, 0)), coordinates=np.empty((0, 2)))
    plot.path(empty, []).figure.canvas.draw()
    plot.distances(empty, []).figure.canvas.draw()


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.int64])
def test_distances_are_colours(town, dtype):
    far = wg.sssp(town, 7, dtype=dtype, limit=9)
    ax = plot.distances(town, far, label="minutes")
    lost, reached = of_type(ax, PathCollection)
    beyond = np.inf if np.dtype(dtype).kind == "f" else np.iinfo(dtype).max
    is_reached = far != beyond
    assert 0 < is_reached.sum() < 20
    np.testing.assert_array_equal(reached.get_offsets(), town.coordinates[is_reached])
    np.testing.assert_array_equal(reached.get_array(), far[is_reached])
    np.testing.assert_array_equal(lost.get_offsets(), town.coordinates[~is_reached])
    assert ax.figure.axes[1].get_ylabel() == "minutes"


def test_edges_have_the_colour_of_their_farther_end(town):
    far = wg.sssp(town, 7, limit=9)
    lost, reached = of_type(plot.distances(town, far, edges=True), LineCollection)
    row, col, _ = town.to_edges()
    row, col = row[row < col], col[row < col]
    shown = np.isfinite(far[row]) & np.isfinite(far[col])
    assert 0 < shown.sum() < len(row)
    np.testing.assert_array_equal(reached.get_array(), np.maximum(far[row], far[col])[shown])
    assert len(lost.get_segments()) == (~shown).sum()
    nothing = plot.distances(town, np.full(20, np.inf), edges=True)
    assert len(nothing.figure.axes) == 1


def test_bands_have_a_colour_each(town):
    far = wg.sssp(town, 7)
    limits = [3, 6, 9.5]
    lost, reached = of_type(plot.distances(town, far, bands=limits), PathCollection)
    assert len(lost.get_offsets()) == (far > 9.5).sum()
    bands = reached.norm(reached.get_array())
    inside = far[far <= 9.5]
    np.testing.assert_array_equal(np.unique(bands), [0, 1, 2])
    np.testing.assert_array_equal(bands, np.searchsorted(limits, inside, side="left"))
    for wrong, words in (([], "a list of finite numbers"), ([3, 2], "must ascend, got [3, 2]")):
        with raises_sentence(ValueError, words):
            plot.distances(town, far, bands=wrong)


def test_hops_are_distances(town):
    ax = plot.distances(town, wg.bfs(town, 0, limit=2))
    assert len(of_type(ax, PathCollection)[1].get_offsets()) == 6
    unreached = plot.distances(town, np.full(20, np.inf))
    assert len(unreached.figure.axes) == 1


@pytest.mark.parametrize("dtype", [np.float64, np.int32])
def test_masked_distances_are_not_reached(town, dtype):
    far = np.ma.masked_greater(np.arange(20, dtype=dtype), 7)
    lost, reached = of_type(plot.distances(town, far), PathCollection)
    np.testing.assert_array_equal(reached.get_offsets(), town.coordinates[:8])
    np.testing.assert_array_equal(reached.get_array(), np.arange(8))
    np.testing.assert_array_equal(lost.get_offsets(), town.coordinates[8:])


def test_labels_are_within_the_figure(town):
    long = wg.Graph(town, names=[f"the {i}th crossing of the town" for i in range(20)])
    forest = wg.minimum_spanning_forest(town)
    for ax in (
        plot.path(long, long.names[:5]),
        plot.distances(town, wg.sssp(town, 0), label="distance in thousands of metres"),
        plot.weights(forest, 3.0),
        plot.dendrogram(forest),
    ):
        ax.figure.savefig(io.BytesIO())
        inside = ax.figure.bbox.padded(1)
        for each in ax.figure.axes:
            box = each.get_tightbbox()
            assert inside.x0 <= box.x0 <= box.x1 <= inside.x1
            assert inside.y0 <= box.y0 <= box.y1 <= inside.y1


def test_trees_of_graphs_lie_on_their_coordinates(town):
    forest = wg.minimum_spanning_forest(town)
    (points,) = of_type(plot.tree(None, forest), PathCollection)
    np.testing.assert_array_equal(points.get_offsets(), town.coordinates)
    model = MSTClustering(n_clusters=3, metric="precomputed").fit(town)
    (points,) = of_type(model.plot_tree(), PathCollection)
    np.testing.assert_array_equal(points.get_offsets(), town.coordinates)
    other = np.ones((20, 2))
    (points,) = of_type(plot.tree(other, forest), PathCollection)
    np.testing.assert_array_equal(points.get_offsets(), other)
    bare = wg.minimum_spanning_forest(town.to_csr())
    (points,) = of_type(plot.tree(None, bare), PathCollection)
    np.testing.assert_array_equal(points.get_offsets(), plot.layout(bare))


def test_paths_that_go_against_edges_or_stand_still(town):
    one_way = wg.Graph(np.triu(town.to_csr().toarray()), coordinates=town.coordinates)
    for way in ([0, 1, 2, 7], [7, 2, 1, 0], [0, 1, 1, 2]):
        ax = plot.path(one_way, way, edges=False, ends=False)
        np.testing.assert_array_equal(ax.lines[0].get_xydata(), town.coordinates[way])


def test_coordinates_as_the_error_says():
    graph = wg.Graph(nx.karate_club_graph())
    with pytest.raises(ValueError, match="has no coordinates") as found:
        plot.path(graph, [])
    layout = str(found.value).partition("spring_layout: ")[2]
    positions = eval(layout, {"networkx": nx, "graph": graph, "list": list})
    drawn = wg.Graph(graph, coordinates=positions)
    assert drawn.coordinates.shape == (34, 2)
    plot.path(drawn, [])


def test_what_cannot_be_drawn(town):
    bare = wg.Graph(town.to_csr())
    for draw in (plot.path, plot.distances):
        with raises_sentence(ValueError, "the graph has no coordinates"):
            draw(bare, [0])
        with raises_sentence(TypeError, "a warpgraph.Graph with coordinates, got csr_array"):
            draw(town.to_csr(), [0])
        with raises_sentence(ValueError, "axes=(0, 2) are not two columns of the coordinates"):
            draw(town, np.arange(20), axes=(0, 2))
    with raises_sentence(ValueError, "20"):
        plot.path(town, [0, 20])
    with raises_sentence(ValueError, "no edge joins path[1], which is 1, and path[2], which is 7"):
        plot.path(town, [0, 1, 7])
    names = [f"v{i}" for i in range(20)]
    with raises_sentence(ValueError, "path[0], which is 'v0', and path[1], which is 'v5'"):
        plot.path(
            wg.Graph(wg.generators.grid(20, 1), names=names, coordinates=np.ones((20, 2))),
            ["v0", "v5"],
        )
    with raises_sentence(ValueError, "numbers of shape (20,), got an array of int64, shape (2,)"):
        plot.distances(town, [1, 2])


@pytest.mark.parametrize("dtype", [np.float64, np.int32])
def test_edges_have_the_colours_of_their_scores(town, dtype):
    """Of both entries of an edge, and of parallel edges, the highest score is drawn, on top."""
    tail, head, _ = town.to_edges()
    twice = wg.Graph.from_edges(
        np.append(tail, [0, 3]), np.append(head, [1, 3]), n_vertices=town.n_vertices
    )
    twice = wg.Graph(twice, coordinates=town.coordinates)
    tail, head, _ = twice.to_edges()
    scores = np.random.default_rng(1).permutation(len(tail)).astype(dtype)
    expected = {}
    for u, v, score in zip(tail.tolist(), head.tolist(), scores.tolist(), strict=True):
        ends = min(u, v), max(u, v)
        expected[ends] = max(score, expected.get(ends, -1))
    ax = plot.edges(twice, scores, label="load")
    lost, drawn = of_type(ax, LineCollection)
    assert not lost.get_segments()
    assert drawn.get_array().tolist() == sorted(expected.values())
    ends_of = {score: ends for ends, score in expected.items()}
    for score, segment in zip(drawn.get_array(), drawn.get_segments(), strict=True):
        np.testing.assert_array_equal(segment, town.coordinates[list(ends_of[score])])
    assert ax.figure.axes[1].get_ylabel() == "load"


def test_bands_of_scores_are_quantiles():
    """Of the edges, each once: half of them in the first band, and up to 80, 95, 99 and 100 %."""
    big = wg.generators.grid(20, 30, seed=2, weights=(1, 9))
    big = wg.Graph(big, coordinates=np.stack(np.divmod(np.arange(600), 30)[::-1], axis=1))
    loads = wg.edge_betweenness_centrality(big)
    both = big.with_weights(loads).to_csr().toarray()
    row, col, _ = big.to_edges()
    once = np.sort(np.maximum(both, both.T)[row, col][row < col])
    parts = np.ceil(np.array([0.5, 0.8, 0.95, 0.99, 1]) * len(once)).astype(int)
    ax = plot.edges(big, loads)
    lost, drawn = of_type(ax, LineCollection)
    assert not lost.get_segments()
    band = drawn.norm(drawn.get_array())
    assert np.cumsum(np.bincount(band)).tolist() == parts.tolist()
    np.testing.assert_array_equal(drawn.norm.boundaries[1:], np.nextafter(once[parts - 1], 9))
    widths = np.array(drawn.get_linewidths())
    assert (np.diff(widths[np.searchsorted(band, range(5))]) > 0).all()
    assert all(len(set(widths[band == i])) == 1 for i in range(5))
    labels = [text.get_text() for text in ax.figure.axes[1].get_yticklabels()]
    assert labels == [f"{score:.4g}" for score in once[parts - 1]]
    far = plot.distances(big, wg.sssp(big, 0), bands=[2.5, 7])
    assert [text.get_text() for text in far.figure.axes[1].get_yticklabels()] == ["2.5", "7"]


def test_bands_of_few_scores(town):
    """Quantiles that are equal are one band; most edges may have the score 0."""
    for scores, boundaries in (
        (np.ones(town.n_edges), [0, 1]),
        (np.zeros(town.n_edges), [-1, 0]),
        (np.where(np.arange(town.n_edges) < 2, 7, 0), [-1, 0, 7]),
    ):
        drawn = of_type(plot.edges(town, scores), LineCollection)[1]
        np.testing.assert_allclose(drawn.norm.boundaries, boundaries, atol=1e-300)
        assert len(drawn.get_segments()) == town.n_edges // 2


def test_scores_without_a_number_are_grey(town):
    scores = np.ma.array(np.arange(town.n_edges, dtype=float))
    tail, head, _ = town.to_edges()
    scores[(tail == 0) | (head == 0)] = np.ma.masked
    scores[(tail == 19) | (head == 19)] = np.nan
    lost, drawn = of_type(plot.edges(town, scores), LineCollection)
    assert (len(lost.get_segments()), len(drawn.get_segments())) == (4, town.n_edges // 2 - 4)
    limits = [10, 20]
    lost, drawn = of_type(plot.edges(town, scores, bands=limits), LineCollection)
    assert drawn.get_array().max() <= 20
    assert set(drawn.norm(drawn.get_array())) == {0, 1}
    nothing = plot.edges(town, np.full(town.n_edges, np.nan))
    assert len(nothing.figure.axes) == 1
    empty = wg.Graph(np.empty((0, 0)), coordinates=np.empty((0, 2)))
    plot.edges(empty, []).figure.canvas.draw()


def test_the_scale_of_bands_begins_at_zero(town):
    """Unless the first band ends below."""
    for limits, lowest in (([0.25, 5], 0), ([3, 5], 0), ([0, 5], -1), ([-2, 5], -3)):
        (_, drawn) = of_type(plot.edges(town, np.zeros(town.n_edges), bands=limits), LineCollection)
        assert drawn.norm.boundaries[0] == lowest


def test_colour_maps(town):
    """A name or an object; the error of another name is matplotlib's, with bands or without."""
    loads, far = np.arange(town.n_edges), wg.sssp(town, 0)
    for cmap in ("plasma", plt.get_cmap("plasma")):
        drawn = of_type(plot.edges(town, loads, cmap=cmap), LineCollection)[1]
        assert drawn.to_rgba(loads.max())[:3] == plt.get_cmap("plasma")(0.9)[:3]
    for bands in (None, [5]):
        for draw, values in ((plot.edges, loads), (plot.distances, far)):
            with pytest.raises(ValueError, match="'abc' is not a"):
                draw(town, values, cmap="abc", bands=bands)
            with raises_sentence(TypeError, "cmap must be the name", "got 5"):
                draw(town, values, cmap=5, bands=bands)


def test_scores_that_are_none(town):
    for wrong in ([1.0, 2.0], np.zeros(town.n_vertices), np.array(["a"] * town.n_edges)):
        with raises_sentence(ValueError, f"scores must be numbers of shape ({town.n_edges},)"):
            plot.edges(town, wrong)
    with raises_sentence(ValueError, "distances takes a number for each vertex"):
        plot.edges(town, np.zeros(town.n_vertices))
    with raises_sentence(ValueError, "those of edges are scores, as in plot.edges"):
        plot.distances(town, np.zeros(town.n_edges))
    with raises_sentence(ValueError, "the graph has no coordinates"):
        plot.edges(wg.Graph(town.to_csr()), np.zeros(town.n_edges))
    with raises_sentence(ValueError, "must ascend"):
        plot.edges(town, np.zeros(town.n_edges), bands=[2, 1])


def test_axes_that_are_none(town):
    scores = np.zeros(town.n_edges)
    for axes in ((0,), (0, 1, 1), (0, -1)):
        with raises_sentence(ValueError, f"axes={axes} are not two columns of the coordinates"):
            plot.edges(town, scores, axes=axes)
    for axes in ("xy", None, (0, 1.0)):
        with raises_sentence(TypeError, "two numbers of columns, such as (0, 1)", f"got {axes!r}"):
            plot.edges(town, scores, axes=axes)
    with raises_sentence(ValueError, "two different columns, got (0, 0)"):
        plot.edges(town, scores, axes=(0, 0))
    line = wg.Graph(town, coordinates=np.arange(20.0)[:, None])
    plot.edges(line, scores, axes=(0, 0))
    for ax in (5, plt.subplots(2)[1]):
        with raises_sentence(TypeError, "ax must be the axes of a figure", "got"):
            plot.edges(town, scores, ax=ax)


@pytest.mark.parametrize("limits", [None, [0, 1.7e308]])
def test_numbers_too_far_apart_for_a_scale(town, limits):
    wide = np.full(town.n_edges, 1.7e308)
    wide[::3] = -1.7e308
    with raises_sentence(
        ValueError, "scores must be in -4.49e+307..4.49e+307", "from -1.7e+308 to 1.7e+308"
    ):
        plot.edges(town, wide, bands=limits)
    with raises_sentence(
        ValueError, "distances must be in -4.49e+307", "from -1.7e+308 to 1.7e+308"
    ):
        plot.distances(town, wide[:20], bands=limits)
    for most in (wide / 4, np.abs(wide) / 4):
        plot.edges(town, most, bands=limits).figure.canvas.draw()
