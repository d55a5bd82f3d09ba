"""wg.shortest_path_dag and wg.ShortestPathDag."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from warpgraph import _core
from warpgraph._arguments import validate
from warpgraph._arguments.names import Names, put_into
from warpgraph._arguments.new_array import Unpickled, new_array
from warpgraph._graph.graph import as_graph, names_of
from warpgraph._graph.named_errors import errors_by_name
from warpgraph._paths.sssp import sssp

if TYPE_CHECKING:
    from warpgraph._arguments import types

#: float64 has all integers up to this one.
_EXACT = 2.0**53


@dataclass(frozen=True, eq=False, repr=False)
class ShortestPathDag(Unpickled):
    """All shortest paths from a vertex, as `shortest_path_dag` returns them.

    The edges by which they come to vertex v are those from ``predecessors[i]`` for i in
    ``indptr[v]:indptr[v + 1]``.

    Attributes
    ----------
    source : int
        The vertex where all paths begin.
    distances : ndarray, shape (n_vertices,)
        The lengths of the paths, as `sssp` returns them.
    indptr : ndarray of int64, shape (n_vertices + 1,)
    predecessors : ndarray of int32, shape (indptr[-1],)
        The vertices before v on shortest paths, in ascending order. The source has none, nor have
        vertices that cannot be reached.
    edge_ids : ndarray of int64, shape (indptr[-1],)
        Where these edges stand in the graph's CSR arrays: of parallel ones, the first of the
        lightest; without directions, whichever way it is stored.

    See Also
    --------
    shortest_path_dag : Finds the paths.

    Examples
    --------
    >>> import warpgraph as wg
    >>> dag = wg.shortest_path_dag(wg.generators.grid(2, 3, weights=None), 0)
    >>> dag.counts()
    array([1., 1., 1., 1., 2., 3.])
    >>> [path.tolist() for path in dag.paths(4)]
    [[0, 1, 4], [0, 3, 4]]
    >>> [edges.tolist() for edges in dag.edge_paths(4)]
    [[0, 4], [1, 8]]
    """

    source: int
    distances: types.Weights
    indptr: npt.NDArray[np.int64]
    predecessors: npt.NDArray[np.int32]
    edge_ids: npt.NDArray[np.int64]
    _names: Names | None = field(default=None)

    def __repr__(self) -> str:
        return (
            f"<warpgraph.ShortestPathDag: from vertex {self.source}, "
            f"{len(self.distances)} vertices, {len(self.predecessors)} edges>"
        )

    def counts(self) -> npt.NDArray[np.float64]:
        """Return the number of shortest paths to each vertex.

        Returns
        -------
        counts : ndarray of float64, shape (n_vertices,)
            1 for the source, 0 for vertices that cannot be reached. Numbers are exact up to 2**53,
            beyond that sums are rounded, and beyond 1.8e308 they are inf; `n_paths` is exact.

        Raises
        ------
        ValueError
            Edges of shortest paths form a cycle, see `shortest_path_dag`; a vertex of it is named.
        """
        counts = new_array(self.distances.shape, np.float64)
        try:
            _core.count_shortest_paths(self.indptr, self.predecessors, self.source, counts)
        except ValueError as error:
            put_into(error, self._names)
            raise
        return counts

    def n_paths(self, target: Hashable) -> int:
        """Return the number of shortest paths to a vertex, which is given as for `sssp`.

        Raises
        ------
        ValueError
            `target` is not a vertex, or paths cannot be counted, as for `counts`.
        """
        end = self._find(target)
        count = float(self.counts()[end])
        return int(count) if count < _EXACT else self._exact_count(end)

    def paths(self, target: Hashable) -> Iterator[npt.NDArray[Any]]:
        """Iterate over the shortest paths to a vertex.

        Parameters
        ----------
        target : int, or name of a vertex
            Where the paths end: its name if the graph has names, see `Graph`, else its number.

        Yields
        ------
        vertices : ndarray of int32
            The vertices ``source, ..., target`` of a path; their names, if
            the graph has names. Paths are in ascending order of their vertices, read from `target`
            back. No path visits a vertex twice.

        Raises
        ------
        ValueError
            `target` is not a vertex.
        """
        end = self._find(target)
        return self._vertices_of_paths(end)

    def edge_paths(self, target: Hashable) -> Iterator[npt.NDArray[np.int64]]:
        """Iterate over the shortest paths to a vertex, as `paths`, by their edges.

        Yields
        ------
        edge_ids : ndarray of int64
            Where the edges of a path stand in the graph's CSR arrays, from the source on.
        """
        end = self._find(target)
        return (self.edge_ids[arcs] for arcs in self._arcs_of_paths(end))

    def _find(self, target: Hashable) -> int:
        if self._names is None:
            return validate.vertex(target, len(self.distances), "target")
        return self._names.number(target, "target")

    def _vertices_of_paths(self, target: int) -> Iterator[npt.NDArray[Any]]:
        last = np.array([target], np.int32)
        for arcs in self._arcs_of_paths(target):
            path = np.concatenate([self.predecessors[arcs], last])
            yield path if self._names is None else self._names.of(path)

    def _arcs_of_paths(self, target: int) -> Iterator[npt.NDArray[np.int64]]:
        """Yield the positions of each path's edges in `predecessors`, from the source on.

        A depth-first search from the target back, of which each branch is a simple path.
        """
        if target == self.source:
            yield np.empty(0, np.int64)
            return
        starts = self.indptr
        stack = [target]  # the vertices of the branch
        next_arcs = [int(starts[target])]
        on_branch = {target}
        arcs: list[int] = []
        while stack:
            v, arc = stack[-1], next_arcs[-1]
            if arc == starts[v + 1]:
                on_branch.remove(stack.pop())
                next_arcs.pop()
                if arcs:
                    arcs.pop()
                continue
            next_arcs[-1] += 1
            u = int(self.predecessors[arc])
            if u == self.source:
                yield np.array([arc, *reversed(arcs)], np.int64)
            elif u not in on_branch:
                stack.append(u)
                next_arcs.append(int(starts[u]))
                on_branch.add(u)
                arcs.append(arc)

    def _exact_count(self, target: int) -> int:
        """Return the number of paths, added up in integers of any length; there is no cycle."""
        counts = {self.source: 1}
        stack = [target]
        while stack:
            v = stack[-1]
            tails = self.predecessors[self.indptr[v] : self.indptr[v + 1]].tolist()
            unknown = [u for u in tails if u not in counts]
            stack += unknown
            if not unknown:
                counts[v] = sum(counts[u] for u in tails) if v != self.source else 1
                stack.pop()
        return counts[target]


@errors_by_name
def shortest_path_dag(
    graph: types.GraphLike,
    source: Hashable,
    *,
    directed: bool = True,
    unweighted: bool = False,
    weight: str | None = "weight",
    dtype: types.DType[Any] | None = None,
    progress: validate.ProgressLike = None,
    memory_limit: validate.MemoryLimitLike = None,
    device: types.Device = "auto",
) -> ShortestPathDag:
    """Return all shortest paths from a vertex: the directed acyclic graph of their edges.

    It has the number of the paths, their vertices and their edges, where `sssp` returns one path to
    each vertex.

    Parameters
    ----------
    graph : sparse array or matrix, ndarray, networkx.Graph, or Graph
        Entry (i, j) is the edge i -> j. Stored zeros are edges of weight zero, of parallel edges
        the lightest counts, a weight of inf is an edge that is never used. Weights may be negative.
    source : int, or name of a vertex
        The vertex to start from: its name if the graph has names, else its number.
    directed : bool
        False: edges have no direction; of (i, j) and (j, i) the lighter counts.
    unweighted : bool
        True: every edge weighs 1.
    weight : str or None
        Attribute of a NetworkX graph that has the weights, as for `warpgraph.Graph`.
    dtype : {"float32", "float64", "int32", "int64"}, optional
        Type of distances. By default float32 for float32 weights, else float64; int64 is exact.
    progress : bool or callable, optional
        True for a progress bar, or a callable ``(done, total)``; counts settled vertices.
    memory_limit : int, float or str, optional
        Bytes for work and results, or a size such as "2GB"; by default, all free memory.
    device : str or list of str
        Where to run; see `warpgraph.devices`. Devices find distances, as by `sssp`, and cores the
        edges.

    Returns
    -------
    ShortestPathDag

    Raises
    ------
    NegativeCycleError
        A cycle of negative weight can be reached, so there is no shortest path.
    ValueError
        `source` is not a vertex.
    OverflowError
        A weight or a distance does not fit `dtype`, as for `sssp`.
    MemoryError
        More memory is needed than there is, or than `memory_limit` allows.
    DeviceError
        `device` is not here.

    See Also
    --------
    sssp : One shortest path to each vertex.
    k_shortest_paths : The shortest paths to a vertex, and longer ones.

    Notes
    -----
    An edge belongs to a shortest path if the distance of its beginning and its weight add up to the
    distance of its end, in the floats of `dtype`. Paths are sequences of vertices that visit none
    twice; parallel edges of the same weight do not make several paths.

    Edges of weight zero, and those whose weight vanishes in rounding, may form cycles; without
    directions, each of them does. Then `ShortestPathDag.paths` lists the paths that visit no vertex
    twice, where a search may meet many dead ends. How many they are is not counted: for such paths
    no method is known that does not list them [1]_.

    References
    ----------
    .. [1] Valiant, "The complexity of enumeration and reliability problems", SIAM J. Comput. 8,
       1979.

    Examples
    --------
    >>> import numpy as np
    >>> import warpgraph as wg
    >>> roads = np.array([[0, 1, 2, 0], [0, 0, 1, 2], [0, 0, 0, 1], [0, 0, 0, 0]])
    >>> dag = wg.shortest_path_dag(roads, 0)
    >>> dag.n_paths(3)
    3
    >>> [path.tolist() for path in dag.paths(3)]
    [[0, 1, 3], [0, 2, 3], [0, 1, 2, 3]]
    >>> dag.predecessors[dag.indptr[3] : dag.indptr[4]]
    array([1, 2], dtype=int32)
    """
    directed = validate.flag(directed, "directed")
    graph = as_graph(graph, weight, reads_weights=not validate.flag(unweighted, "unweighted"))
    start = graph._find_vertex(source, "source")
    kind = validate.distance_dtype(dtype, graph.dtype)
    ledger = validate.ledger(memory_limit)
    passed_on: Any = ledger
    how: dict[str, Any] = {"directed": directed, "unweighted": unweighted, "dtype": dtype}
    how |= {"progress": progress, "memory_limit": passed_on, "device": device}
    distances = sssp(graph._unnamed(), start, **how)
    host = ledger.on_host()
    host.charge(distances.nbytes)
    handle = graph._handle_for(None if unweighted else kind, host)
    arcs = _core.shortest_path_dag(
        handle, distances, unweighted, source=start, both_ways=not directed, ledger=host
    )
    return ShortestPathDag(start, distances, *arcs, names_of(graph))
