"""TurnGraph: a graph with costs of turns, which searches take as a graph without."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from warpgraph import _core
from warpgraph._arguments import validate
from warpgraph._arguments.hints import hinted
from warpgraph._arguments.names import Names
from warpgraph._graph.arrays import Fixed
from warpgraph._graph.methods import corners as _corners

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from warpgraph._arguments import types
    from warpgraph._graph.protocol import AnyGraph, Graph

Array = npt.NDArray[Any]

_BELONGS = "since both graphs belong together: make another TurnGraph by Graph.with_turns()"


class _NamesOfStates(Names):
    """The names of an expanded graph's vertices in errors: of a state, that of its vertex."""

    def __init__(self, graph: AnyGraph, origins: Array) -> None:
        self._graph, self._origins = graph, origins

    def shown(self, *vertices: int) -> str:
        """Return the text for a vertex, or for the edge from one to another, in messages."""
        n = self._graph.n_vertices
        return self._graph._shown(*(int(self._origins[v - n]) if v >= n else v for v in vertices))


class TurnGraph:
    """A graph in which passing from one edge to the next may cost something, or be forbidden.

    `Graph.with_turns` makes it. `sssp`, `many_to_many`, `shortest_path` and `Hierarchy` take it as
    a graph, with the same vertices and names. Their paths may visit a vertex more than once, as
    where a turn to the left is forbidden and the way leads around the block.

    Attributes
    ----------
    graph : Graph
        The graph without turns.
    expanded : Graph
        The graph that is searched. Its first vertices are those of `graph`, where paths end; the
        others are states of vertices with turns.
    origins : ndarray of int32, shape (expanded.n_vertices - graph.n_vertices,)
        The vertex of each state.
    starts : ndarray of int32, shape (graph.n_vertices,)
        The vertex of `expanded` where paths from each vertex start.

    Examples
    --------
    >>> import warpgraph as wg
    >>> streets = wg.Graph.from_edges([0, 1, 1, 2], [1, 2, 3, 3], [5.0, 4.0, 3.0, 1.0])
    >>> no_turn = streets.with_turns(corners=[(0, 1, 3)])  # from 0 -> 1 to 1 -> 3
    >>> no_turn
    <warpgraph.TurnGraph: 4 vertices, 4 edges, 2 states of vertices with turns>
    >>> wg.sssp(no_turn, 0).tolist()
    [0.0, 5.0, 9.0, 10.0]
    """

    graph: Fixed[AnyGraph] = Fixed(_BELONGS)
    expanded: Fixed[AnyGraph] = Fixed(_BELONGS)
    origins: Fixed[Array] = Fixed(_BELONGS)
    starts: Fixed[Array] = Fixed(_BELONGS)

    def __init__(self, graph: AnyGraph, expanded: AnyGraph, origins: Array, starts: Array) -> None:
        self.graph, self.expanded = graph, expanded
        self.origins, self.starts = origins, starts
        self._protect()

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._protect()

    def _protect(self) -> None:
        """Make the arrays read-only, since paths are wrong if they change."""
        for array in (self.origins, self.starts):
            array.flags.writeable = False
        self.expanded._names_in_errors = _NamesOfStates(self.graph, self.origins)

    @property
    def n_vertices(self) -> int:
        """Number of vertices of the graph without turns."""
        return self.graph.n_vertices

    @property
    def n_edges(self) -> int:
        """Number of stored entries of the graph without turns."""
        return self.graph.n_edges

    @property
    def shape(self) -> tuple[int, int]:
        """``(n_vertices, n_vertices)``, as of the graph without turns."""
        return self.graph.shape

    @property
    def names(self) -> Array | None:
        """The name of each vertex, shape (n_vertices,), or None."""
        return self.graph.names

    @property
    def nbytes(self) -> int:
        """Bytes of both graphs and of the arrays."""
        arrays = self.origins.nbytes + self.starts.nbytes
        return self.graph.nbytes + self.expanded.nbytes + arrays

    def __repr__(self) -> str:
        return (
            f"<warpgraph.TurnGraph: {self.n_vertices} vertices, {self.n_edges} edges, "
            f"{len(self.origins)} states of vertices with turns>"
        )

    def _starts_of(self, vertices: Any, argument: str) -> npt.NDArray[np.int32]:
        """Return where the searches from some vertices start in `expanded`."""
        starts: npt.NDArray[np.int32] = self.starts[self.graph._find_vertices(vertices, argument)]
        return starts

    def _start_of(self, vertex: Any, argument: str) -> int:
        """Return where a search from a vertex starts in `expanded`."""
        return int(self.starts[self.graph._find_vertex(vertex, argument)])

    def _ends_of(self, targets: Any) -> npt.NDArray[np.int32]:
        """Return the targets' numbers, which `expanded` has, too; None: all vertices."""
        if targets is None:
            return np.arange(self.n_vertices, dtype=np.int32)
        return self.graph._find_vertices(targets, "targets")

    def _path(self, found: Array) -> Array:
        """Return the vertices of a path in `expanded`, by name if there are names."""
        n = self.n_vertices
        is_state = found >= n
        vertices = found.copy()
        vertices[is_state] = self.origins[found[is_state] - n]
        # The arc of length 0 from a state to its vertex is no step.
        if len(found) > 1 and found[-2] == self.starts[found[-1]]:
            vertices = vertices[:-1]
        return self.graph._named_vertices(vertices)


def refuse(graph: Any) -> None:
    """Raise a TypeError for a graph with turns, where a function does not search with them."""
    if isinstance(graph, TurnGraph):
        raise TypeError(
            "a graph with turns is for sssp, many_to_many, shortest_path and Hierarchy; other "
            "functions take the graph without turns, which is its attribute graph"
        )


def searched(graph: Any, directed: Any, unweighted: Any) -> Any:
    """Return the graph that searches read: of a graph with turns, the expanded one."""
    if not isinstance(graph, TurnGraph):
        return graph
    _refuse_options({"directed": directed, "unweighted": unweighted})
    return graph.expanded


def search_with_turns(search: Callable[..., Any], arguments: dict[str, Any]) -> Any:
    """Return what a function of paths finds in a graph with turns: it searches the expanded one."""
    graph, options = arguments["graph"], {**arguments}
    del options["weight"]  # of NetworkX graphs
    _refuse_options(options)
    options["graph"] = graph.expanded
    if "sources" in options:
        options["sources"] = graph._starts_of(options["sources"], "sources")
    else:
        options["source"] = graph._start_of(options["source"], "source")
    if "target" not in options:
        options["targets"] = graph._ends_of(options["targets"])
        return search(**options)
    options["target"] = graph.graph._find_vertex(options["target"], "target")
    length, path = search(**options)
    return length, graph._path(path)


#: Options that have no meaning with turns: their value, and why.
_REFUSED = {
    "directed": (False, "edges have directions"),
    "unweighted": (True, "edges have weights: make a graph whose edges all weigh 1"),
    "return_predecessors": (
        True,
        "the shortest paths from a vertex form no tree of vertices: shortest_path finds a path",
    ),
    "min_only": (True, "distances are from each source"),
}


def _refuse_options(options: dict[str, Any]) -> None:
    for name, (refused, reason) in _REFUSED.items():
        if name in options and validate.flag(options[name], name) is refused:
            raise ValueError(f"with turns, {reason}, got {name}={refused}")


@hinted
def with_turns(
    graph: Graph,
    from_edges: npt.ArrayLike | None = None,
    to_edges: npt.ArrayLike | None = None,
    costs: npt.ArrayLike = np.inf,
    *,
    corners: types.Table | Array | Sequence[Sequence[Hashable]] | None = None,
    memory_limit: validate.MemoryLimitLike = None,
) -> TurnGraph:
    """Return this graph with costs for passing from one edge to the next.

    Parameters
    ----------
    from_edges, to_edges : array_like of int, shape (t,), optional
        The turns: positions of edges in `indices`, the order that `to_edges` has. The second edge
        of a turn begins where the first one ends.
    costs : array_like, shape (t,), or number
        What each turn adds to the length of a path, at least 0; inf forbids it, as the default does
        for all. Turns that are not listed cost nothing.
    corners : DataFrame, pyarrow.Table, array, or list of rows, optional
        The turns by their vertices, in place of edges: each row is the vertex before the turn, the
        vertex where it is, and the vertex after it, by name if the graph has names. A fourth entry
        is its cost. Rows of four integers are refused, since the last may be a vertex, as of a
        restriction over a way: write (0, 1, 2, 3.0), or pass `costs`. A data frame has the columns
        ``from``, ``via``, ``to`` and perhaps ``cost``, among others or not, or just three or four,
        in this order. One with another column such as "via_way" is refused, since restrictions over
        a way need a copy of it. One whose cost seems to have another name is refused: as "penalty",
        or a fourth column of numbers after the three that does not end in "id". A turn back is
        (u, v, u). Between parallel edges, a row is for all of them.
    memory_limit : int, float or str, optional
        Bytes that the call may take, or a size such as "2GB"; by default, all free memory.

    Returns
    -------
    TurnGraph
        A graph for `sssp`, `many_to_many`, `shortest_path` and `Hierarchy`. This one stays as it
        is.

    Raises
    ------
    ValueError
        An edge or a vertex that is not in the graph, two vertices of a corner without an edge,
        edges that do not follow each other, a negative cost or NaN, two costs for one turn, rows of
        four integers, or a graph with a negative weight.
    TypeError
        Costs that are no numbers.
    OverflowError
        A cost that does not fit the graph's dtype, or the sum of one with the weight of the edge
        that follows that does not fit its integers.
    MemoryError
        More memory is needed than there is, or than `memory_limit` allows.

    Notes
    -----
    The cost of a turn, as a number of the graph's dtype, is added to the weight of the edge that
    follows, and the sum is rounded to that dtype. A path ends without a turn, and starts without
    one. Only vertices at which the table has turns are divided, into a state for each edge that a
    turn begins with and one for the others [1]_. For k such edges, whose vertices have d edges that
    leave, this takes O(k d) memory beyond the graph, and O(n + m + k d + t log t) time.

    References
    ----------
    .. [1] Caldwell, "On finding minimum routes in a network with turn penalties", Comm. ACM 4,
       1961.

    Examples
    --------
    At the mill, who comes from the gate may not go on to the square:

    >>> import numpy as np
    >>> import warpgraph as wg
    >>> town = wg.Graph.from_edges(["gate", "park", "mill"], ["mill", "mill", "square"])
    >>> turns = town.with_turns(corners=[("gate", "mill", "square")])
    >>> wg.many_to_many(turns, ["gate", "park"], ["square"]).tolist()
    [[inf], [2.0]]

    A turn back costs 20 everywhere:

    >>> streets = wg.generators.grid(3, 3, weights=(1, 9), seed=1)
    >>> tail, head, _ = streets.to_edges()
    >>> edge = {ends: e for e, ends in enumerate(zip(tail.tolist(), head.tolist()))}
    >>> back = [edge[v, u] for u, v in edge]
    >>> turns = streets.with_turns(list(edge.values()), back, 20)
    >>> np.array_equal(wg.sssp(turns, 0), wg.sssp(streets, 0))
    True
    """
    ledger = validate.ledger(memory_limit)
    first, after, checked = _turns_of(graph, from_edges, to_edges, costs, corners, ledger)
    graph._refuse_negative("a graph with turns", "")
    indptr, indices, data, origins, starts = _core.expand_turns(
        graph._handle, first, after, checked, ledger=ledger
    )
    expanded = type(graph)._of_own(indptr, indices, data)
    if graph.coordinates is not None:
        expanded.coordinates = np.concatenate([graph.coordinates, graph.coordinates[origins]])
    return TurnGraph(graph, expanded, origins, starts)


def _turns_of(
    graph: Graph,
    from_edges: Any,
    to_edges: Any,
    costs: Any,
    corners: Any,
    ledger: _core.Ledger,
) -> tuple[Array, Array, Array]:
    """Return both edges of each turn, which are given by edges or by corners, and its cost."""
    if corners is None:
        if from_edges is None or to_edges is None:
            given = "neither" if from_edges is None and to_edges is None else "only one of them"
            raise ValueError(
                f"turns need both from_edges and to_edges, got {given}; a table of turns by "
                "vertices is corners="
            )
        first = validate.positions(from_edges, graph.n_edges, "from_edges")
        after = validate.positions(to_edges, graph.n_edges, "to_edges")
        if len(first) != len(after):
            raise ValueError(
                f"from_edges and to_edges must have one entry for each turn, got {len(first)} and "
                f"{len(after)}"
            )
        return first, after, _costs_of(costs, len(first), graph.dtype)
    if from_edges is not None or to_edges is not None:
        raise ValueError("turns are given by from_edges and to_edges, or by corners, not by both")
    columns = _corners.columns_of(corners)
    if len(columns) == 4:
        if np.ndim(costs) or costs != np.inf:
            raise ValueError("costs are given twice: by costs and in the last column of corners")
        costs = columns[3]
    checked = _costs_of(costs, len(columns[0]), graph.dtype)
    return _corners.edges_at(graph, columns, checked, ledger)


def _costs_of(costs: Any, n: int, dtype: np.dtype[Any]) -> types.Weights:
    """Return a cost of the graph's dtype for each turn."""
    given = _as_given(costs)
    if given.dtype.kind not in "iufO":
        raise TypeError(f"costs must be real numbers of at most 64 bits, got dtype {given.dtype}")
    if given.shape not in ((), (n,)):
        raise ValueError(
            f"costs must be one number, or one for each of the {n} turns, got shape {given.shape}"
        )
    with np.errstate(invalid="ignore"):
        bad = np.flatnonzero(~(given >= 0).astype(bool))  # NaN, too
    if len(bad):
        raise ValueError(f"costs must be at least 0, got {_text(given, bad[0])} for turn {bad[0]}")
    allowed = given != np.inf
    most = np.iinfo(dtype).max - 1 if dtype.kind == "i" else float(np.finfo(dtype).max)
    with np.errstate(over="ignore"):  # a smaller dtype of floats has room for less than `most`
        large = np.flatnonzero(allowed & (given > most))
    if len(large):
        raise OverflowError(
            f"the cost {_text(given, large[0])} of turn {large[0]} does not fit the graph's "
            f"{dtype} weights; inf forbids a turn, and a graph of int64 or float64 weights has "
            "room for larger costs"
        )
    if dtype.kind == "i":
        given = np.where(allowed, given, 0)
        refused = np.flatnonzero(given % 1 != 0)
        if len(refused):
            raise ValueError(
                "costs must be integers, as the weights are, got "
                f"{_text(given, refused[0])} for turn {refused[0]}"
            )
        given = given.astype(dtype)
        given[~allowed] = validate.infinity(dtype)
    return validate.in_place(np.broadcast_to(given, (n,)), dtype)


def _text(costs: Array, turn: Any) -> str:
    return validate.shown(validate.exact(costs.flat[turn]))


def _as_given(costs: Any) -> Array:
    """Return costs as an array that holds each as it is, of objects if no other one does.

    A list of integers and inf would be one of float64, which has no room for large integers.
    """
    array = validate.unmasked(costs, "costs")
    if array.dtype.kind not in "fOUS" or array.ndim > 1:
        return array
    if array.dtype.kind == "f" and (hasattr(costs, "dtype") or not array.ndim):
        return array
    numbers = np.asarray(costs, object)
    for i, cost in enumerate(numbers.flat):
        is_number = isinstance(cost, (int, float, np.integer, np.floating))
        if not is_number or isinstance(cost, (bool, np.timedelta64)):
            of = f" for turn {i}" if array.ndim else ""
            raise TypeError(f"costs must be real numbers, got {validate.shown(cost)}{of}")
    return numbers
