"""The clustering experiment of article 003: the tree cut into clusters, beside k-means.

Cases of bench_cluster.py --suite seed-003-clusters. Points in the plane lie as the article says
that a tree does well (condensations, ribbons) and badly (a sparse background, a narrow bridge).
The minimum spanning tree is cut in two ways: its K - 1 longest edges, or those from a weight that
is read off the sorted weights, where their largest gap is. k-means starts from the first points,
from random ones, and from points far apart. `counts` has the adjusted Rand index of each result
with the clusters that were drawn, in thousandths; points of the background and the bridge do not
count. The tree is also made as in the article, by NetworkX from the complete graph.

There is no k-medians here: the library has none. Where outliers disturb means, it has HDBSCAN.

python -m benchmarks.cluster.bench_cluster --suite seed-003-clusters
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy.spatial.distance import pdist, squareform

import warpgraph as wg
from benchmarks import report
from benchmarks.harness import Case, Input, Timed

SUITE = "seed-003-clusters"
NAME = "clusters of article 003, "
INDEX = "thousandths of the adjusted Rand index"
#: Points of the small case, which NetworkX connects with each other, and of the large one.
SMALL, LARGE = 600, 100_000
CUT, THRESHOLD = "tree, K - 1 edges cut", "tree, cut at the largest gap"
STARTS = {
    "k-means from the first points": "first",
    "k-means from random points": "random",
    "k-means from points far apart": "farthest",
}
#: Points that belong to no cluster.
NONE = -1

Drawn = tuple[np.ndarray, np.ndarray]  #: points, and the cluster of each


def condensations(n: int) -> Drawn:
    """Draw three round clusters."""
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 3, n)
    centres = np.array([(0, 0), (6, 1), (3, 6)])
    return centres[truth] + rng.normal(0, 0.5, (n, 2)), truth


def ribbons(n: int) -> Drawn:
    """Draw two arcs that lie in each other."""
    rng = np.random.default_rng(4)
    truth = rng.integers(0, 2, n)
    angle = np.pi * rng.random(n)
    arcs = np.column_stack([np.cos(angle), np.sin(angle)])
    arcs[truth == 1] = np.array([1, 0.35]) - arcs[truth == 1]
    return 4 * arcs + rng.normal(0, 0.08, (n, 2)), truth


def background(n: int) -> Drawn:
    """Draw condensations with a twentieth of the points spread over all."""
    points, truth = condensations(n)
    rng = np.random.default_rng(5)
    alone = rng.random(n) < 0.05
    points[alone] = rng.uniform((-2, -2), (8, 8), (int(alone.sum()), 2))
    truth[alone] = NONE
    return points, truth


def bridge(n: int) -> Drawn:
    """Draw condensations of which two are joined by a line of points."""
    points, truth = condensations(n)
    on_line = max(20, n // 30)
    points[:on_line] = np.linspace((0, 0), (6, 1), on_line)
    truth[:on_line] = NONE
    return points, truth


DATA: dict[str, Callable[[int], Drawn]] = {
    "condensations": condensations,
    "ribbons": ribbons,
    "a sparse background": background,
    "a narrow bridge": bridge,
}


def n_clusters(drawn: Drawn) -> int:
    return int(drawn[1].max()) + 1


def adjusted_rand(labels: np.ndarray, drawn: Drawn) -> int:
    """Return thousandths of the index, over the points that belong to a cluster."""
    from sklearn.metrics import adjusted_rand_score

    counted = drawn[1] != NONE
    return round(1000 * adjusted_rand_score(drawn[1][counted], labels[counted]))


def timed(x: Input, fit: Callable[[], Any]) -> Timed:
    """Time an estimator's fit; the result is its sorted weights, if it has a tree."""
    started = time.perf_counter()
    found = fit()
    seconds = time.perf_counter() - started
    tree = getattr(found, "mst_", None)
    weights = None if tree is None else np.sort(tree.weights)
    return Timed(seconds, weights, {INDEX: adjusted_rand(found.labels_, x.matrix)})


def cut(x: Input) -> Timed:
    estimator = wg.cluster.MSTClustering(n_clusters(x.matrix), device=x.device)
    return timed(x, lambda: estimator.fit(x.matrix[0]))


def at_gap(x: Input) -> Timed:
    estimator = wg.cluster.MSTClustering(cut="largest_gap", device=x.device)
    return timed(x, lambda: estimator.fit(x.matrix[0]))


def by_means(x: Input, init: str) -> Timed:
    k = n_clusters(x.matrix)
    estimator = wg.cluster.KMeans(k, init=init, n_init=1, random_state=0, device=x.device)
    return timed(x, lambda: estimator.fit(x.matrix[0]))


def by_scikit_learn(x: Input) -> Timed:
    from sklearn.cluster import AgglomerativeClustering

    estimator = AgglomerativeClustering(n_clusters(x.matrix), linkage="single")
    return timed(x, lambda: estimator.fit(x.matrix[0]))


def by_networkx(x: Input) -> Timed:
    """Make the tree from the complete graph of all distances, as the article does."""
    import networkx as nx

    started = time.perf_counter()
    distances = squareform(pdist(x.matrix[0]))
    graph = nx.from_numpy_array(distances)
    tree = nx.minimum_spanning_tree(graph)
    seconds = time.perf_counter() - started
    return Timed(seconds, np.sort([weight for *_, weight in tree.edges(data="weight")]))


def agree(ours: np.ndarray | None, theirs: np.ndarray | None) -> bool:
    """Compare the weights of trees; clusters by other methods are to differ."""
    return ours is None or theirs is None or np.allclose(ours, theirs, rtol=1e-9, atol=0)


def cases() -> list[Case]:
    """Return a case for each kind of points, small and large, and one for the tests."""
    listed = [_case(name, SMALL, SUITE) for name in DATA]
    listed += [_case(name, LARGE, SUITE) for name in DATA]
    return [_case("condensations", 60, "smoke"), *listed]


def _case(name: str, n: int, suite: str) -> Case:
    rivals: dict[str, Callable[[Input], Timed]] = {THRESHOLD: at_gap}
    rivals |= {start: partial(by_means, init=init) for start, init in STARTS.items()}
    if n <= SMALL:
        rivals |= {"NetworkX, tree of the complete graph": by_networkx}
        rivals |= {"scikit-learn, single linkage": by_scikit_learn}
    return Case(
        f"{NAME}{name}, {n} points",
        partial(DATA[name], n),
        cut,
        rivals,
        suite,
        resident=False,
        with_copy=False,
        agree=agree,
        size=lambda drawn: {"points": len(drawn[0]), "clusters": n_clusters(drawn)},
    )


def draw(results: Sequence[dict[str, Any]], path: Path) -> None:
    """Draw tree, weights and clusters of each kind of points, those that a result is of."""
    plt = report.pyplot()
    measured = {m["case"] for result in results for m in result["measurements"]}
    shown = [name for name in DATA if any(f"{NAME}{name}, " in case for case in measured)]
    columns = ("tree and its weights", "K - 1 edges cut", "largest gap", *STARTS)
    figure, panels = plt.subplots(
        len(shown), 1 + len(columns), figsize=(15, 2.6 * len(shown)), layout="constrained"
    )
    for row, name in zip(np.atleast_2d(panels), shown, strict=True):
        _draw_row(row, name, DATA[name](SMALL))
    report.save(figure, path)


def _draw_row(row: Any, name: str, drawn: Drawn) -> None:
    points, k = drawn[0], n_clusters(drawn)
    by_count = wg.cluster.MSTClustering(k).fit(points)
    by_gap = wg.cluster.MSTClustering(cut="largest_gap").fit(points)
    wg.plot.tree(points, by_count.mst_, ax=row[0])
    wg.plot.weights(by_count.mst_, threshold=by_gap.threshold_, bins=60, ax=row[1])
    row[0].set_title(f"{name}\nminimum spanning tree")
    row[1].set_title("weights of the tree\nand the largest gap")
    titles = {f"K - 1 = {k - 1} edges cut": by_count, "cut at the largest gap": by_gap}
    for init in STARTS.values():
        means = wg.cluster.KMeans(k, init=init, n_init=1, random_state=0).fit(points)
        titles[f"k-means, {init}"] = means
    for axes, (title, found) in zip(row[2:], titles.items(), strict=True):
        _, labels = np.unique(found.labels_, return_inverse=True)
        axes.scatter(*points.T, c=labels % 10, cmap="tab10", vmin=0, vmax=9, s=5, linewidths=0)
        index = adjusted_rand(found.labels_, drawn) / 1000
        axes.set_title(f"{title}\n{len(set(labels))} clusters, index {index:.2f}")
        axes.set_xticks([])
        axes.set_yticks([])
