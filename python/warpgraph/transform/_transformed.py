"""Results of the functions of wg.transform."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy.typing as npt

from warpgraph._graph.graph import Graph

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class Report:
    """The cost and the gain of a transformation.

    Attributes
    ----------
    seconds : float
        Time of the transformation.
    measure : str
        The quantity that it reduces.
    before, after : float
        The measure of the given graph, and of the result.

    Examples
    --------
    >>> import warpgraph as wg
    >>> report = wg.transform.Report(seconds=0.5, measure="bytes", before=300.0, after=100.0)
    >>> report.gain
    3.0
    """

    seconds: float
    measure: str
    before: float
    after: float

    @property
    def gain(self) -> float:
        """Factor by which the measure became smaller; 1 if there was nothing to gain."""
        if self.after:
            return self.before / self.after
        return math.inf if self.before else 1.0

    def __str__(self) -> str:
        return (
            f"{self.measure}: {self.before:.6g} -> {self.after:.6g} ({self.gain:.2f}x) "
            f"in {self.seconds:.3g} s"
        )


@dataclass(frozen=True)
class SortedGraph:
    """A graph with sorted rows, as `sort_by_weight` returns it.

    Attributes
    ----------
    graph : Graph
        The graph with the entries of each row in the order of their weights.
    edge_ids : ndarray of int64, shape (n_edges,)
        Position of each entry in the graph that was given.
    report : Report
        Measures the entries to read for the lightest one of every vertex.

    Examples
    --------
    >>> import warpgraph as wg
    >>> graph = wg.generators.grid(2, 2)
    >>> by_weight = wg.transform.sort_by_weight(graph)
    >>> bool((by_weight.graph.data == graph.data[by_weight.edge_ids]).all())
    True
    """

    graph: Graph
    edge_ids: Array = field(repr=False)
    report: Report


@dataclass(frozen=True)
class ReorderedGraph:
    """A graph with vertices in another order, as `reorder` and `permute` return it.

    Attributes
    ----------
    graph : Graph
        The graph with its vertices renumbered.
    order : ndarray of int32, shape (n_vertices,)
        ``order[i]`` is the vertex that became number i. ``old[order] = new`` maps results for the
        new graph to the old one.
    inverse : ndarray of int32, shape (n_vertices,)
        ``inverse[v]`` is the new number of vertex v.
    edge_ids : ndarray of int64, shape (n_edges,)
        Position of each entry in the graph that was given.
    report : Report
        Measures the mean number of bits of the difference between the two ends of an entry.

    Examples
    --------
    >>> import numpy as np
    >>> import warpgraph as wg
    >>> distances = np.empty(4)
    >>> renumbered = wg.transform.reorder(wg.generators.grid(2, 2, weights=None), "rcm")
    >>> source = renumbered.inverse[0]
    >>> distances[renumbered.order] = wg.sssp(renumbered.graph, source)
    >>> distances
    array([0., 1., 1., 2.])
    """

    graph: Graph
    order: Array = field(repr=False)
    inverse: Array = field(repr=False)
    edge_ids: Array = field(repr=False)
    report: Report


@dataclass(frozen=True)
class PartitionedGraph(ReorderedGraph):
    """A `ReorderedGraph`, as `partition` returns it; its report counts entries between parts.

    Attributes
    ----------
    starts : ndarray of int32, shape (n_parts + 1,)
        Part p has the vertices ``starts[p] .. starts[p + 1] - 1`` of the new graph.

    Examples
    --------
    >>> import warpgraph as wg
    >>> parts = wg.transform.partition(wg.generators.grid(4, 4), 2, "rcm")
    >>> len(parts.starts)
    3
    """

    starts: Array = field(repr=False)


@dataclass(frozen=True)
class RankedGraph:
    """A graph whose weights are ranks, as `rank_weights` returns it.

    Attributes
    ----------
    graph : Graph
        The graph with ranks as weights: int32, or int64 if there are more than ``2**32`` different
        weights.
    values : ndarray
        The different weights in their order: rank r means ``values[r - first_rank]``.
    first_rank : int
        The rank of the least weight: 0, or ``-2**31`` if there are more than ``2**31`` different
        weights, which int32 then still holds.
    report : Report
        Measures the bytes of the weights.

    Examples
    --------
    >>> import numpy as np
    >>> import warpgraph as wg
    >>> ranked = wg.transform.rank_weights(np.array([[0, 1.5], [30, 0]]))
    >>> ranked.values[ranked.graph.data - ranked.first_rank]
    array([ 1.5, 30. ])
    """

    graph: Graph
    values: Array = field(repr=False)
    first_rank: int
    report: Report
