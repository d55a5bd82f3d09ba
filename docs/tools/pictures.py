"""Pictures of the algorithms, drawn from the package's own answers.

A function `draw_x` fills an axes; its picture is ``x.svg``. They are drawn again when this file has
changed.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.patches import Circle, FancyArrowPatch, Rectangle

import warpgraph as wg

BLUE, RED, GREY, ORANGE, GREEN = "#4a6fa5", "#c0392b", "#b8b8b8", "#e08e0b", "#3a8f5c"
SIDE = 24


def town(seed: int = 4) -> tuple[wg.Graph, np.ndarray]:
    """Return a grid of streets with random lengths, and the positions of its crossings."""
    graph = wg.generators.grid(SIDE, SIDE, seed=seed, weights=(1, 9), removed=0.12)
    rng = np.random.default_rng(seed)
    rows, cols = np.divmod(np.arange(SIDE * SIDE), SIDE)
    return graph, np.stack([cols, -rows], axis=1) + rng.uniform(-0.25, 0.25, (SIDE * SIDE, 2))


def ends(graph: wg.Graph) -> np.ndarray:
    """Return the two ends of each entry, shape (n_edges, 2)."""
    rows = np.repeat(np.arange(graph.n_vertices), np.diff(graph.indptr))
    return np.stack([rows, graph.indices], axis=1)


def lines(ax: Any, places: np.ndarray, edges: np.ndarray, **style: Any) -> None:
    """Draw edges between the positions of their ends."""
    ax.add_collection(LineCollection(list(places[edges]), **{"zorder": 1, **style}))
    ax.autoscale_view()


def tree_edges(predecessors: np.ndarray) -> np.ndarray:
    """Return the edges of a shortest-path tree."""
    reached = np.flatnonzero(predecessors >= 0)
    return np.stack([predecessors[reached], reached], axis=1)


def draw_sssp(ax: Any) -> None:
    """Draw distances from the middle, and the tree of shortest paths."""
    graph, places = town()
    source = SIDE * SIDE // 2 + SIDE // 2
    distances, predecessors = wg.sssp(graph, source, return_predecessors=True)
    lines(ax, places, ends(graph), color=GREY, linewidth=0.5)
    lines(ax, places, tree_edges(predecessors), color="black", linewidth=1)
    buckets = np.where(np.isfinite(distances), distances, 0) // 10
    ax.scatter(*places.T, c=buckets, cmap="viridis_r", s=22, zorder=2)
    ax.scatter(*places[source], color=RED, s=70, zorder=3)
    ax.set_title("buckets of 10 units of length, by colour, and the tree")


def draw_bfs(ax: Any) -> None:
    """Draw the levels of a graph with hubs: sizes of the frontier and of what is left."""
    graph = wg.generators.rmat(16, seed=1, weights=None)
    hops = wg.bfs(graph, int(np.diff(graph.indptr).argmax()))
    arcs = np.diff(graph.indptr)
    levels = np.arange(hops.max() + 1)
    leaving = np.array([arcs[hops == level].sum() for level in levels])
    left = leaving.sum() - np.cumsum(leaving)
    ax.bar(levels - 0.2, leaving, 0.4, color=BLUE, label="arcs that leave the frontier (top-down)")
    ax.bar(levels + 0.2, left, 0.4, color=ORANGE, label="arcs of unreached vertices (bottom-up)")
    ax.set(xlabel="level", yscale="log", title="an R-MAT graph of 65,536 vertices from a hub")
    ax.legend()
    ax.set_axis_on()


def draw_shortest_path(ax: Any) -> None:
    """Draw what the searches from both ends settle, and the path."""
    graph, places = town()
    source, target = 5 * SIDE + 5, 17 * SIDE + 18
    length, path = wg.shortest_path(graph, source, target)
    forward, backward = wg.sssp(graph, source), wg.sssp(graph, target)
    lines(ax, places, ends(graph), color=GREY, linewidth=0.5)
    ax.scatter(*places.T, color=GREY, s=6, zorder=2)
    for distances, colour in ((forward, BLUE), (backward, ORANGE)):
        ax.scatter(*places[distances <= length / 2].T, color=colour, s=24, zorder=2)
    ring = (forward <= length) & (forward > length / 2) & (backward > length / 2)
    ax.scatter(*places[ring].T, facecolor="none", edgecolor=BLUE, s=24, zorder=2)
    ax.plot(*places[path].T, color=RED, linewidth=2.5, zorder=3)
    ax.set_title("filled: settled from both ends; rings: by one search alone")


def draw_k_shortest_paths(ax: Any) -> None:
    """Draw the first paths between two vertices."""
    graph, places = town()
    lengths, paths = wg.k_shortest_paths(graph, 8 * SIDE + 4, 16 * SIDE + 20, 40)
    chosen = np.unique(lengths, return_index=True)[1][:4]
    lines(ax, places, ends(graph), color=GREY, linewidth=0.5)
    for i, colour in reversed(list(zip(chosen, (RED, BLUE, ORANGE, GREEN), strict=False))):
        label = f"path {i + 1}: {lengths[i]:.0f}"
        shift = 0.12 * list(chosen).index(i)
        ax.plot(*(places[paths[i]] + shift).T, color=colour, linewidth=2.5, label=label)
    handles, labels = ax.get_legend_handles_labels()
    below = {"loc": "upper center", "bbox_to_anchor": (0.5, 0.02), "ncols": 4, "frameon": False}
    ax.legend(handles[::-1], labels[::-1], **below)
    ax.set_title("the first path of each of four lengths")


def draw_traversal(ax: Any) -> None:
    """Draw the orders of both searches by colour."""
    side = 12
    graph = wg.generators.grid(side, side, seed=5, weights=None, removed=0.2)
    rows, cols = np.divmod(np.arange(side * side), side)
    for left, search, name in (
        (0, wg.breadth_first_order, "breadth first"),
        (side + 2, wg.depth_first_order, "depth first"),
    ):
        order, predecessors = search(graph, 0, return_predecessors=True)
        places = np.stack([cols + left, -rows], axis=1).astype(float)
        lines(ax, places, tree_edges(predecessors), color="black", linewidth=1)
        ax.scatter(*places[order].T, c=np.arange(len(order)), cmap="viridis", s=46, zorder=2)
        ax.text(left, -side - 0.6, name)
    ax.set_aspect("equal")
    ax.set_title("dark: visited first; light: visited last")


def draw_many_to_many(ax: Any) -> None:
    """Draw the nearest of five sources for every vertex."""
    graph, places = town()
    sources = np.array([40, 130, 300, 420, 550])
    distances = wg.many_to_many(graph, sources)
    nearest = distances.argmin(axis=0)
    edges = ends(graph)
    within = nearest[edges[:, 0]] == nearest[edges[:, 1]]
    lines(ax, places, edges[~within], color=GREY, linewidth=0.5, linestyle="dotted")
    lines(ax, places, edges[within], color=GREY, linewidth=0.8)
    ax.scatter(*places.T, c=nearest, cmap="Set2", s=24, zorder=2)
    ax.scatter(*places[sources].T, color="black", marker="*", s=130, zorder=3)
    ax.set_title("a row of distances for each star; the nearest star by colour")


def draw_within(ax: Any) -> None:
    """Draw what is within three limits of a vertex, by colour."""
    graph, places = town()
    source = SIDE * SIDE // 2 + SIDE // 2
    near = wg.within(graph, [source], 45)
    bands = np.digitize(near.data, [15, 30], right=True)
    lines(ax, places, ends(graph), color=GREY, linewidth=0.5)
    for band, (colour, label) in enumerate(
        ((GREEN, "up to 15"), (ORANGE, "15 to 30"), (BLUE, "30 to 45"))
    ):
        some = near.indices[bands == band]
        ax.scatter(*places[some].T, color=colour, s=24, zorder=2, label=label)
    ax.scatter(*places[source], color=RED, s=70, zorder=3)
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, 0.02), ncols=3, frameon=False)
    ax.set_title(f"{near.nnz} of {graph.n_vertices} vertices are within 45")


def draw_nearest_facilities(ax: Any) -> None:
    """Draw the two nearest of five facilities for every vertex."""
    graph, places = town()
    facilities = np.array([40, 130, 300, 420, 550])
    nearest = np.searchsorted(facilities, wg.nearest_facilities(graph, facilities, 2)[1])
    lines(ax, places, ends(graph), color=GREY, linewidth=0.5)
    colours = {"cmap": "Set2", "vmin": 0, "vmax": 4}
    ax.scatter(*places.T, c=nearest[:, 1], s=44, zorder=2, **colours)
    ax.scatter(*places.T, c=nearest[:, 0], s=14, zorder=3, edgecolor="white", **colours)
    ax.scatter(*places[facilities].T, color="black", marker="*", s=130, zorder=4)
    ax.set_title("the nearest star in the middle, the second nearest around it")


def draw_shortest_path_dag(ax: Any) -> None:
    """Draw the edges of all shortest paths in a grid, and their number."""
    side = 6
    graph = wg.generators.grid(side, side, seed=5, weights=None, removed=0.15)
    rows, cols = np.divmod(np.arange(side * side), side)
    places = np.stack([1.6 * cols, -rows], axis=1).astype(float)
    dag = wg.shortest_path_dag(graph, 0)
    heads = np.repeat(np.arange(side * side), np.diff(dag.indptr))
    lines(ax, places, ends(graph), color=GREY, linewidth=0.5)
    lines(ax, places, np.stack([dag.predecessors, heads], axis=1), color=BLUE, linewidth=2)
    for place, count in zip(places, dag.counts(), strict=True):
        ax.text(*place, f"{count:.0f}", ha="center", va="center", zorder=3, backgroundcolor="white")
    ax.set_title("edges of shortest paths from the corner, and the number of paths")


def draw_hierarchy(ax: Any) -> None:
    """Draw a path up the hierarchy and down again."""
    rng = np.random.default_rng(0)
    heights = np.array([0, 1, 2, 3.2, 4, 3, 1.7, 1, 0])
    across = np.arange(9.0)
    for x, y in zip(rng.uniform(-0.5, 8.5, 60), rng.beta(1, 3, 60) * 4, strict=True):
        ax.add_patch(Circle((x, y), 0.06, color=GREY))
    for i in range(8):
        up = i < 4
        ax.add_patch(
            FancyArrowPatch(
                (across[i], heights[i]),
                (across[i + 1], heights[i + 1]),
                arrowstyle="-|>",
                mutation_scale=14,
                color=BLUE if up else ORANGE,
                linewidth=1.8,
            )
        )
    ax.scatter(across, heights, color="black", s=36, zorder=3)
    ax.text(0.6, 2.4, "upward sweep", color=BLUE)
    ax.text(6.3, 2.8, "downward sweep", color=ORANGE)
    ax.text(-0.3, -0.45, "source")
    ax.text(7.8, -0.45, "target")
    ax.annotate("contracted last", (4, 4), (4.4, 4.25))
    ax.set(xlim=(-0.8, 9), ylim=(-0.7, 4.7), title="height: order of contraction")


def draw_apsp(ax: Any) -> None:
    """Draw the three phases of a round of the blocked algorithm."""
    pivot = 2
    for i in range(6):
        for j in range(6):
            n_pivot = (i == pivot) + (j == pivot)
            colour = ("#e6e6e6", BLUE, RED)[n_pivot]
            ax.add_patch(Rectangle((j, 5 - i), 0.94, 0.94, color=colour))
            ax.text(j + 0.47, 5.47 - i, str(3 - n_pivot), ha="center", va="center", color="black")
    ax.set(xlim=(-0.1, 6.1), ylim=(-0.1, 6.1), aspect="equal")
    ax.set_title("phases of round 3: pivot tile, its panels, all others")


def draw_connected_components(ax: Any) -> None:
    """Draw components of a grid of which many edges are missing."""
    _, places = town()
    graph = wg.generators.grid(SIDE, SIDE, seed=3, weights=None, removed=0.52)
    n, labels = wg.connected_components(graph)
    large = np.bincount(labels) >= 8
    colours = np.where(large[labels], labels % 20, -1)
    lines(ax, places, ends(graph), color=GREY, linewidth=1)
    ax.scatter(*places[colours < 0].T, color=GREY, s=14, zorder=2)
    kept = colours >= 0
    ax.scatter(*places[kept].T, c=colours[kept], cmap="tab20", s=24, zorder=2)
    ax.set_title(f"{n} components; those of fewer than 8 vertices are grey")


def draw_pagerank(ax: Any) -> None:
    """Draw the scores of the vertices of a small graph with hubs."""
    graph = wg.generators.rmat(7, 2, seed=5, weights=None)
    scores = wg.pagerank(graph)
    forest = wg.minimum_spanning_forest(graph)
    joined = np.bincount(forest.labels)[forest.labels] > 1
    places = wg.plot.layout(forest)
    lines(ax, places, ends(graph), color=GREY, linewidth=0.4)
    ax.scatter(*places[joined].T, s=9000 * scores[joined], c=scores[joined], zorder=2)
    ax.set_aspect("equal")
    ax.set_title("area and colour: score")


def draw_betweenness(ax: Any) -> None:
    """Draw the streets as wide as their part of all shortest paths."""
    graph, places = town()
    scores = wg.edge_betweenness_centrality(graph)
    wide = scores / scores.max()
    lines(ax, places, ends(graph), color=BLUE, linewidth=0.4 + 6 * wide)
    ax.scatter(*places.T, s=60 * wg.betweenness_centrality(graph) ** 0.5, color=RED, zorder=2)
    ax.set_aspect("equal")
    ax.set_title("width and area: part of all shortest paths")


def near_points() -> tuple[wg.Graph, np.ndarray]:
    """Return blobs of points, and the graph that joins each to those that are near."""
    points = wg.generators.random_points(420, 2, seed=8, dist="normal")
    apart = np.linalg.norm(points[:, None] - points[None], axis=2)
    tails, heads = np.nonzero(np.triu(apart < 0.22, 1))
    return wg.Graph.from_edges(tails, heads, n_vertices=len(points)), points


def draw_core_numbers(ax: Any) -> None:
    """Draw points by their core numbers."""
    graph, points = near_points()
    lines(ax, points, ends(graph), color=GREY, linewidth=0.8)
    drawn = ax.scatter(*points.T, c=wg.core_numbers(graph), s=11, zorder=2)
    ax.figure.colorbar(drawn, ax=ax, label="core number")
    ax.set_aspect("equal")


def draw_triangles(ax: Any) -> None:
    """Draw points by their clustering coefficients."""
    graph, points = near_points()
    lines(ax, points, ends(graph), color=GREY, linewidth=0.8)
    drawn = ax.scatter(*points.T, c=wg.clustering_coefficients(graph), s=11, zorder=2)
    ax.figure.colorbar(drawn, ax=ax, label="share of pairs of neighbours that are joined")
    ax.set_aspect("equal")


def draw_communities(ax: Any) -> None:
    """Draw points by the communities of the graph that joins near ones; lone points are grey."""
    graph, points = near_points()
    found = wg.leiden_communities(graph)
    several = found.sizes > 1
    lines(ax, points, ends(graph), color=GREY, linewidth=0.8)
    kept = several[found.labels]
    ax.scatter(*points[~kept].T, color=GREY, s=8, zorder=2)
    colours = np.cumsum(several)[found.labels[kept]] % 20
    ax.scatter(*points[kept].T, c=colours, s=11, zorder=2, cmap="tab20")
    ax.set_aspect("equal")
    ax.set_title(f"{several.sum()} communities of several points; modularity {found.quality:.2f}")


def draw_mst(ax: Any) -> None:
    """Draw the lightest tree of the streets, and the lightest edge of every vertex."""
    graph, places = town()
    forest = wg.minimum_spanning_forest(graph)
    edges = ends(graph)
    order = np.lexsort((edges.max(axis=1), edges.min(axis=1), graph.data, edges[:, 0]))
    firsts = order[np.unique(edges[order, 0], return_index=True)[1]]
    lines(ax, places, edges, color=GREY, linewidth=0.5, linestyle="dotted")
    lines(ax, places, forest.edges, color=BLUE, linewidth=1.2)
    lines(ax, places, edges[firsts], color=RED, linewidth=1.2)
    ax.scatter(*places.T, color="black", s=6, zorder=2)
    ax.set_title("red: lightest edge of a vertex (round 1); blue: later rounds")


def draw_steiner_tree(ax: Any) -> None:
    """Draw the regions of some terminals, and the tree that joins these."""
    graph, places = town()
    terminals = np.array([30, 55, 130, 201, 300, 340, 420, 531, 550])
    _, _, nearest = wg.many_to_many(graph, terminals, min_only=True, return_predecessors=True)
    tree = wg.steiner_tree(graph, terminals)
    lines(ax, places, ends(graph), color=GREY, linewidth=0.5)
    lines(ax, places, tree.edges, color="black", linewidth=2)
    ax.scatter(*places.T, c=np.searchsorted(terminals, nearest), s=14, zorder=2, cmap="Set3")
    ax.scatter(*places[terminals].T, color=RED, s=60, zorder=3)
    ax.set_title("colours: the nearest red vertex; black: the tree that joins all of them")


def draw_minimum_arborescence(ax: Any) -> None:
    """Draw the lightest entering edge of every vertex, and the arborescence."""
    rng = np.random.default_rng(11)
    places = wg.generators.random_points(26, 2, seed=6)
    apart = np.linalg.norm(places[:, None] - places[None], axis=2)
    graph = np.where(apart < 0.33, apart * rng.uniform(0.5, 2, apart.shape), 0)
    tree = wg.minimum_arborescence(graph)
    firsts = np.where(graph > 0, graph, np.inf).argmin(axis=0)
    for edges, style in (
        (np.stack([firsts, np.arange(26)], axis=1), {"color": ORANGE, "linewidth": 3}),
        (tree.edges, {"color": "black", "linewidth": 1}),
    ):
        for tail, head in places[edges]:
            ax.add_patch(FancyArrowPatch(tail, head, arrowstyle="-|>", mutation_scale=11, **style))
    ax.scatter(*places.T, color=BLUE, s=24, zorder=3)
    ax.scatter(*places[tree.root], color=RED, s=70, zorder=4)
    ax.set_title("orange: the lightest edge into each vertex; black: the tree")


def draw_bottleneck_paths(ax: Any) -> None:
    """Draw the path between two vertices in the forest, and its heaviest edge."""
    graph, places = town()
    forest = wg.minimum_spanning_forest(graph)
    source, target = 25, 545
    _, (edge,) = wg.bottleneck_paths(forest, [source], [target], return_edges=True)
    _, path = wg.shortest_path(forest.to_csr(), source, target, directed=False)
    lines(ax, places, ends(graph), color=GREY, linewidth=0.5, linestyle="dotted")
    lines(ax, places, forest.edges, color=GREY, linewidth=1)
    lines(ax, places, np.stack([path[:-1], path[1:]], axis=1), color=BLUE, linewidth=2)
    lines(ax, places, forest.edges[[edge]], color=RED, linewidth=4)
    ax.scatter(*places[[source, target]].T, color="black", s=50, zorder=3)
    ax.set_title(f"every path has an edge of weight {forest.weights[edge]:.0f} or more")


def draw_dense_mst(ax: Any) -> None:
    """Draw the order in which Prim's algorithm reads rows."""
    points = wg.generators.random_points(40, 2, seed=3)
    forest = wg.cluster.euclidean_mst(points)
    distances = np.linalg.norm(points[:, None] - points, axis=2)
    nearest, rank = distances[0].copy(), np.zeros(len(points))
    nearest[0] = np.inf
    for step in range(1, len(points)):
        v = int(nearest.argmin())
        rank[v] = step
        nearest = np.minimum(nearest, distances[v])
        nearest[(rank > 0) | (np.arange(len(points)) == 0)] = np.inf
    lines(ax, points, forest.edges, color=GREY, linewidth=1.2)
    ax.scatter(*points.T, c=rank, cmap="viridis", s=60, zorder=2)
    ax.scatter(*points[0], facecolor="none", edgecolor=RED, s=160, zorder=3)
    ax.set_title("the tree of a matrix of distances, grown from vertex 0")


def draw_emst(ax: Any) -> None:
    """Draw points, their tree, and the boxes of a k-d tree."""
    points = wg.generators.random_points(600, 2, dist="blobs", n_blobs=6, spread=0.07, seed=8)
    forest = wg.cluster.euclidean_mst(points)

    def boxes(which: np.ndarray, depth: int) -> None:
        low, high = points[which].min(axis=0), points[which].max(axis=0)
        if depth == 5:
            ax.add_patch(Rectangle(low, *(high - low), fill=False, edgecolor=ORANGE, linewidth=0.8))
            return
        axis = int(np.argmax(high - low))
        order = which[np.argsort(points[which, axis])]
        boxes(order[: len(order) // 2], depth + 1)
        boxes(order[len(order) // 2 :], depth + 1)

    boxes(np.arange(len(points)), 0)
    lines(ax, points, forest.edges, color=BLUE, linewidth=0.9)
    ax.scatter(*points.T, color="black", s=3, zorder=2)
    ax.set_aspect("equal")
    ax.set_title("boxes of a k-d tree; a search skips boxes that are too far")


def draw_knn(ax: Any) -> None:
    """Draw points, the neighbours of some, and circles at their core distances."""
    points = wg.generators.random_points(160, 2, dist="blobs", n_blobs=4, spread=0.12, seed=5)
    k = 8
    near = wg.cluster.kneighbors_graph(points, k, include_self=True)
    cores = wg.cluster.core_distances(points, k)
    ax.scatter(*points.T, color=GREY, s=12)
    for centre, colour in zip(
        (int(cores.argmin()), int(cores.argmax()), 3), (BLUE, RED, ORANGE), strict=True
    ):
        neighbours = near.indices[near.indptr[centre] : near.indptr[centre + 1]]
        lines(ax, points, [(centre, q) for q in neighbours], color=colour, linewidth=0.9)
        ax.add_patch(Circle(points[centre], cores[centre], fill=False, edgecolor=colour))
        ax.scatter(*points[centre], color=colour, s=30, zorder=3)
    ax.set_aspect("equal")
    ax.set_title(f"core distances: circles that contain {k} points with the centre")


def draw_single_linkage(ax: Any) -> None:
    """Draw a dendrogram with a cut."""
    points = wg.generators.random_points(300, 2, dist="blobs", n_blobs=4, spread=0.03, seed=2)
    model = wg.cluster.MSTClustering(n_clusters=4).fit(points)
    ax.set_axis_on()
    model.plot_dendrogram(ax)
    ax.set_title("cutting at a height leaves the clusters below it")


def draw_hdbscan(ax: Any) -> None:
    """Draw a condensed tree, and beside it the points by cluster."""
    rng = np.random.default_rng(3)
    spots = ((0.0, 0.0, 0.12, 300), (1.0, 0.2, 0.05, 200), (0.6, 1.0, 0.2, 350))
    parts = [rng.normal((x, y), spread, (n, 2)) for x, y, spread, n in spots]
    points = np.concatenate([*parts, rng.uniform(-0.7, 1.7, (150, 2))])
    model = wg.cluster.HDBSCAN(30, 6).fit(points)
    ax.set_axis_on()
    model.plot_condensed_tree(ax, colorbar=False)
    ax.set_title("clusters by density; points by cluster, noise in grey")
    ax.set_xlim(0, 1.6 * len(points))
    inset = ax.inset_axes((0.64, 0.15, 0.36, 0.7))
    colours = np.array([BLUE, ORANGE, GREEN, GREY])  # the last one is that of label -1
    inset.scatter(*points.T, color=colours[model.labels_], s=3)
    inset.set(xticks=[], yticks=[], aspect="equal")


def draw_kmeans(ax: Any) -> None:
    """Draw points by their nearest centre."""
    points = wg.generators.random_points(900, 2, dist="blobs", n_blobs=5, spread=0.09, seed=11)
    model = wg.cluster.KMeans(5, init="farthest").fit(points)
    ax.scatter(*points.T, c=model.labels_, cmap="Set2", s=9)
    ax.scatter(*model.cluster_centers_.T, color="black", marker="x", s=90)
    ax.set_aspect("equal")
    ax.set_title("each point has the colour of its nearest centre")


def draw_predicate_filter(ax: Any) -> None:
    """Draw segments that go to any available endpoint, and come back in order."""
    colours = (BLUE, ORANGE, GREEN)
    taken = (0, 1, 2, 1, 1, 0, 1, 2)
    place = 0.0
    for i, (endpoint, passed) in enumerate(zip(taken, (5, 3, 6, 2, 4, 5, 3, 4), strict=True)):
        ax.add_patch(Rectangle((i, 4), 0.94, 0.6, color=colours[endpoint]))
        ax.add_patch(Rectangle((place, 0), passed / 8 - 0.04, 0.6, color=colours[endpoint]))
        box = 1.2 + 2.8 * endpoint
        ax.plot([i + 0.47, box], [4, 2.6], color=colours[endpoint], linewidth=0.7)
        ax.plot([box, place + passed / 16], [2, 0.6], color=colours[endpoint], linewidth=0.7)
        place += passed / 8
    for endpoint, name in enumerate(("core", "GPU", "core")):
        ax.add_patch(Rectangle((0.6 + 2.8 * endpoint, 2), 1.2, 0.6, color=colours[endpoint]))
        ax.text(1.2 + 2.8 * endpoint, 2.3, name, ha="center", va="center", color="white")
    ax.text(8.1, 4.2, "values")
    ax.text(8.1, 0.2, "those that pass")
    ax.set(xlim=(-0.2, 10.4), ylim=(-0.2, 4.9), title="fast endpoints take more segments")


PICTURES: dict[str, Callable[[Any], None]] = {
    name.removeprefix("draw_"): value
    for name, value in list(globals().items())
    if name.startswith("draw_")
}


def draw_all(folder: Path) -> None:
    """Draw the pictures that are not there, or older than this file."""
    folder.mkdir(exist_ok=True)
    changed = Path(__file__).stat().st_mtime
    for name, draw in PICTURES.items():
        file = folder / f"{name}.svg"
        if file.exists() and file.stat().st_mtime > changed:
            continue
        with mpl.rc_context({"svg.hashsalt": name}):
            figure = Figure(figsize=(6.4, 4.2), layout="constrained")
            ax = figure.subplots()
            ax.set_axis_off()
            draw(ax)
            figure.savefig(file, metadata={"Date": None})
