"""A value for each vertex, in ranges of vertices on the workers."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from warpgraph.distributed._engine import Collection, Handle, Tasks
from warpgraph.distributed._graph import PartitionedGraph

Array = npt.NDArray[Any]


class VertexValues:
    """A value for each vertex of a graph: labels, scores or distances, kept on the workers.

    Attributes
    ----------
    name : str
        The column of the values in `collection`.
    dtype : dtype
        The type of the values.
    handles : list
        For each range of consecutive vertices, the engine's handle of an array of values.

    Examples
    --------
    >>> import warpgraph as wg
    >>> engine = wg.distributed.LocalEngine(2)
    >>> edges = wg.distributed.graph([(["a", "c"], ["b", "d"])], engine, weight=None)
    >>> labels = wg.distributed.connected_components(edges)
    >>> labels.gather()
    array([0, 0, 1, 1], dtype=int32)
    >>> [part["vertex"].tolist() for part in labels.collection()]
    [['a', 'b'], ['c', 'd']]
    """

    def __init__(
        self, graph: PartitionedGraph, handles: list[Handle], name: str, dtype: npt.DTypeLike
    ):
        self._graph = graph
        self.handles = handles
        self.name, self.dtype = name, np.dtype(dtype)

    def __repr__(self) -> str:
        of = f"{self.name} ({self.dtype}) of {self._graph.n_vertices:,} vertices"
        return f"<warpgraph.distributed.VertexValues: {of}; gather() or collection()>"

    def gather(self) -> Array:
        """Return all values, shape (n_vertices,), in the order of the vertices' numbers."""
        with Tasks(self._graph.engine) as tasks:
            return np.concatenate([np.empty(0, self.dtype), *tasks.gather(self.handles)])

    def collection(self) -> Collection:
        """Return a collection of the engine: the columns ``vertex`` and ``self.name``.

        A Dask DataFrame or a Ray Dataset; of `LocalEngine` a list of dictionaries of arrays. Each
        range of consecutive vertices is a partition.
        """
        graph, names = self._graph, self._graph.names
        kind = np.dtype(np.int64)
        if names is not None:
            kind = graph.engine.gather([graph.engine.submit(_dtype, names[0])])[0]
        first = graph.offsets[:-1].tolist()
        tables = [
            graph.engine.submit(
                _table, first[r], None if names is None else names[r], self.name, handle
            )
            for r, handle in enumerate(self.handles)
        ]
        return graph.engine.collection(tables, {"vertex": kind, self.name: self.dtype})


def _dtype(values: Array) -> np.dtype[Any]:
    return values.dtype


def _table(first: int, names: Array | None, title: str, values: Array) -> dict[str, Array]:
    vertices = np.arange(first, first + len(values)) if names is None else names
    return {"vertex": vertices, title: values}


def cut(offsets: Array, values: Array) -> list[Array]:
    """Return the values of each range of vertices."""
    return [part.copy() for part in np.split(values, offsets[1:-1])]


def dtypes(table: dict[str, Array]) -> dict[str, np.dtype[Any]]:
    """Return the types of columns."""
    return {name: column.dtype for name, column in table.items()}
