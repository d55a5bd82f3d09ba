"""distributed.cluster_labels and single_linkage: a forest cut and linked on the worker it is on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from warpgraph._arguments.errors import of_kind
from warpgraph.distributed import _values
from warpgraph.distributed._engine import Tasks
from warpgraph.distributed._forest import PartitionedForest, as_forest
from warpgraph.distributed._values import VertexValues

if TYPE_CHECKING:
    from warpgraph._arguments import types

Array = npt.NDArray[Any]


def cluster_labels(
    forest: PartitionedForest,
    *,
    n_clusters: int | None = None,
    distance_threshold: float | None = None,
    cut: str | None = "largest_gap",
    min_cluster_size: int = 1,
    device: types.Device = "auto",
) -> VertexValues:
    """Label clusters by removing the heaviest edges of a spanning forest.

    Parameters
    ----------
    forest : PartitionedForest
        The lightest forest of the graph, whose weights are distances.
    n_clusters, distance_threshold, cut, min_cluster_size
        As for `warpgraph.cluster.MSTClustering`.
    device : str
        Where workers run; see `warpgraph.devices`. It makes the dendrogram, which `n_clusters`
        beside `min_cluster_size` needs.

    Returns
    -------
    VertexValues
        Labels, int32: those of ``MSTClustering(...).fit(forest.gather()).labels_``; -1 is noise.

    Notes
    -----
    The forest is cut on the worker that has it, which takes about 100 bytes for each vertex.

    Examples
    --------
    >>> import warpgraph as wg
    >>> engine = wg.distributed.LocalEngine()
    >>> blocks = [([0, 1], [1, 2], [1.0, 9.0]), ([2], [3], [2.0])]
    >>> edges = wg.distributed.graph(blocks, engine, n_vertices=4)
    >>> forest = wg.distributed.minimum_spanning_forest(edges)
    >>> wg.distributed.cluster_labels(forest, n_clusters=2).gather().tolist()
    [0, 0, 1, 1]
    """
    options = {
        "n_clusters": n_clusters,
        "distance_threshold": distance_threshold,
        "cut": cut,
        "min_cluster_size": min_cluster_size,
        "device": device,
    }
    graph = _partitioned(forest).graph
    with Tasks(graph.engine) as tasks:
        arguments = graph.offsets, forest.first_edges, forest.maximum, options, forest.root
        ranges = tasks.split(_labels, *arguments, pieces=len(graph.offsets) - 1)
        return VertexValues(graph, tasks.finish(ranges), "cluster", np.int32)


def single_linkage(forest: PartitionedForest, *, device: types.Device = "auto") -> types.FloatArray:
    """Return the single-linkage dendrogram of a spanning forest in SciPy's format.

    Parameters
    ----------
    forest : PartitionedForest
        The lightest forest of the graph, whose weights are distances.
    device : str
        Where workers run; see `warpgraph.devices`.

    Returns
    -------
    ndarray of float64, shape (n_vertices - 1, 4)
        As by `warpgraph.cluster.single_linkage` of ``forest.gather()``, computed on the worker that
        has the forest, and gathered.

    Examples
    --------
    >>> import warpgraph as wg
    >>> engine = wg.distributed.LocalEngine()
    >>> edges = wg.distributed.graph([([0, 1], [1, 2], [4.0, 1.0])], engine, n_vertices=3)
    >>> forest = wg.distributed.minimum_spanning_forest(edges)
    >>> wg.distributed.single_linkage(forest).tolist()
    [[1.0, 2.0, 1.0, 2.0], [0.0, 3.0, 4.0, 3.0]]
    """
    forest = _partitioned(forest)
    arguments = forest.n_vertices, forest.first_edges, forest.maximum, device, forest.root
    with Tasks(forest.graph.engine) as tasks:
        linkage: types.FloatArray = tasks.gather([tasks.submit(_linkage, *arguments)])[0]
    return linkage


def _partitioned(forest: Any) -> PartitionedForest:
    source = "warpgraph.distributed.minimum_spanning_forest makes it"
    return of_kind(forest, PartitionedForest, "forest", source)


def _labels(
    offsets: Array, first_edges: Array, maximum: bool, options: dict[str, Any], edges: Any
) -> list[Array]:
    from warpgraph.cluster import MSTClustering

    forest = as_forest(int(offsets[-1]), edges, first_edges, maximum)
    labels = MSTClustering(**options).fit(forest).labels_
    return _values.cut(offsets, labels)


def _linkage(n: int, first_edges: Array, maximum: bool, device: Any, edges: Any) -> Array:
    from warpgraph.cluster import single_linkage

    forest = as_forest(n, edges, first_edges, maximum)
    linkage: Array = single_linkage(forest, device=device)
    return linkage
