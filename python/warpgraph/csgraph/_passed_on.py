"""SciPy's own functions that read a graph or predecessors without a check of what they follow.

With a wrong number there they end the process, never return, or return what was in memory. Here the
arguments are checked first; what passes is SciPy's call.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from typing import Any, ParamSpec, TypeVar

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from warpgraph._arguments import validate
from warpgraph.csgraph._input import NO_VERTEX
from warpgraph.csgraph._originals import like, original
from warpgraph.csgraph._well_formed import require_well_formed

_P = ParamSpec("_P")
_R = TypeVar("_R")

_Check = Callable[[Mapping[str, Any]], None]


def _checked(function: Callable[_P, _R], *checks: _Check) -> Callable[_P, _R]:
    """Return SciPy's function behind checks of its arguments, the first of which is a graph."""
    names = list(inspect.signature(function).parameters)

    @like(function)
    def call(*args: _P.args, **options: _P.kwargs) -> _R:
        given: dict[str, Any] = dict(zip(names, args, strict=False)) | options
        require_well_formed(given.get(names[0]))
        for check in checks:
            check(given)
        return function(*args, **options)

    return call


def _check_ends(given: Mapping[str, Any]) -> None:
    """Refuse floats: SciPy compares the ends, 0.5 and 0, and only then cuts 0.5 off to 0."""
    for name in ("source", "sink"):
        end = given.get(name)
        if isinstance(end, (float, np.floating)):
            raise TypeError(f"{name} must be the number of a vertex, got {validate.shown(end)}")


def _check_capacities(given: Mapping[str, Any]) -> None:
    """Refuse integers beyond int32, which SciPy cuts off to 32 bits, and sums of parallel arcs."""
    graph: Any = given.get("csgraph")
    if getattr(graph, "format", None) != "csr" or graph.dtype.kind not in "iu":
        return  # SciPy says so
    bound = np.iinfo(np.int32)
    stored = graph.data[: graph.indptr[-1]]
    if graph.dtype.itemsize >= bound.dtype.itemsize:
        bad = (stored > bound.max) | (stored < bound.min)
        _refuse_capacity(graph, stored, bad, "is")
    if not graph.has_canonical_format:
        total = graph.astype(np.int64)  # a copy
        total.sum_duplicates()
        bad = (total.data > bound.max) | (total.data < bound.min)
        _refuse_capacity(total, total.data, bad, "has parallel entries whose sum is")


def _refuse_capacity(
    graph: Any, stored: npt.NDArray[Any], bad: npt.NDArray[np.bool_], verb: str
) -> None:
    if not bad.any():
        return
    i = int(bad.argmax())
    row = int(np.searchsorted(graph.indptr, i, side="right")) - 1
    raise ValueError(
        f"csgraph[{row}, {graph.indices[i]}] {verb} {stored[i]}, but maximum_flow computes with "
        f"32-bit integers, up to {np.iinfo(np.int32).max}; scale the capacities"
    )


def _check_degrees(given: Mapping[str, Any]) -> None:
    """Refuse degrees beyond the integers in which SciPy adds them up, and which wrap around."""
    graph: Any = given.get("csgraph")
    is_array: bool = sp.issparse(graph) or isinstance(graph, np.ndarray)
    if not is_array or given.get("normed", False) or given.get("form", "array") != "array":
        return  # floats, or lists, which become arrays of the widest integers
    if graph.ndim != 2 or graph.shape[0] != graph.shape[1] or graph.dtype.kind not in "iuf":
        return
    symmetrized = given.get("symmetrized", False)
    wanted = np.dtype(given["dtype"]) if given.get("dtype") is not None else graph.dtype
    used = wanted if sp.issparse(graph) and not symmetrized else graph.dtype
    bounds = [np.iinfo(dtype) for dtype in (used, wanted) if dtype.kind in "iu"]
    if not bounds:
        return
    exact: Any = graph.astype(np.float64)
    exact = exact + exact.T if symmetrized else exact
    degrees = np.asarray(exact.sum(axis=1 if given.get("use_out_degree", False) else 0)).ravel()
    for bound in bounds:
        bad = (degrees >= float(bound.max) + 1) | (degrees < float(bound.min))
        if bad.any():
            v = int(bad.argmax())
            raise ValueError(
                f"the weights of vertex {v} add up to {degrees[v]:.17g}, beyond {bound.dtype}, in "
                "which laplacian computes; convert the graph to a wider dtype"
            )


def _check_tree(given: Mapping[str, Any]) -> None:
    """Refuse predecessors of one search that are no vertices; negative ones mean "none"."""
    tree = np.asarray(given.get("predecessors"))
    shape = np.shape(given.get("csgraph"))  # type: ignore[arg-type]
    if len(shape) != 2 or shape[0] != shape[1]:
        return  # SciPy says so
    n = shape[0]
    if tree.ndim != 1 or len(tree) != n:
        raise ValueError(
            f"predecessors must have one entry for each of {n} vertices, got an array of shape "
            f"{tree.shape}"
        )
    if tree.dtype.kind not in "iuf":
        raise TypeError(f"predecessors must be integers, got an array of {tree.dtype}")
    with np.errstate(invalid="ignore"):
        bad = ~(tree < n) if tree.dtype.kind != "f" else ~(tree < n) | (tree != np.floor(tree))
    if bad.any():
        i = int(bad.argmax())
        raise ValueError(
            f"predecessors[{i}] is {tree[i]}, but the vertices are 0..{n - 1}, and a negative "
            "number means none"
        )


def _check_trees(given: Mapping[str, Any]) -> None:
    """Refuse predecessors of all searches that are no vertices, or that lead in a circle.

    What SciPy refuses itself, arrays of other dtypes and shapes, is left to it.
    """
    trees = given.get("predecessors")
    if isinstance(trees, np.ndarray) and trees.dtype == np.int64:
        # SciPy 1.13 takes them and returns what was in memory.
        raise TypeError("predecessors must be an array of int32, got one of int64")
    if not isinstance(trees, np.ndarray) or trees.dtype != np.int32 or trees.ndim != 2:
        return
    n = len(trees)
    if trees.shape != (n, n):
        return
    bad = ((trees < 0) & (trees != NO_VERTEX)) | (trees >= n)
    np.fill_diagonal(bad, False)  # a path ends at its source, whose predecessor is not read
    if bad.any():
        i, j = divmod(int(bad.argmax()), n)
        raise ValueError(
            f"predecessors[{i}, {j}] is {trees[i, j]}, but the vertices are 0..{n - 1}, and "
            f"{NO_VERTEX} means none"
        )
    for source, tree in enumerate(trees):
        _refuse_circle(tree, source)


def _refuse_circle(tree: npt.NDArray[np.int32], source: int) -> None:
    """Refuse predecessors that lead back to a vertex before they lead to the source."""
    n = len(tree)
    ahead = np.append(tree, np.int32(n))  # the vertex 2**i steps before each; n: the path has ended
    ahead[source] = n
    ahead[ahead < 0] = n
    for _ in range(math.ceil(math.log2(n)) + 1 if n else 0):
        if (ahead == n).all():
            return
        ahead = ahead[ahead]
    if not (ahead == n).all():
        vertex = int((ahead != n).argmax())
        raise ValueError(
            f"predecessors[{source}] has a circle: those of vertex {vertex} lead back to a vertex "
            "before they lead to the source"
        )


_their_dist_matrix = original("construct_dist_matrix")


@like(_their_dist_matrix)
def _dist_matrix(graph: Any, *args: Any, **options: Any) -> Any:
    """Call SciPy's function with a copy of a dense graph.

    It writes inf into one of float64 where there is no edge, and refuses other dtypes.
    """
    if isinstance(graph, (list, tuple, np.ndarray)):
        dense = np.asanyarray(graph)
        graph = dense.astype(np.float64) if dense.dtype.kind in "fiub" else graph
    return _their_dist_matrix(graph, *args, **options)


construct_dist_matrix = _checked(_dist_matrix, _check_trees)
csgraph_to_dense = _checked(original("csgraph_to_dense"))
csgraph_to_masked = _checked(original("csgraph_to_masked"))
laplacian = _checked(original("laplacian"), _check_degrees)
maximum_flow = _checked(original("maximum_flow"), _check_ends, _check_capacities)
reconstruct_path = _checked(original("reconstruct_path"), _check_tree)
reverse_cuthill_mckee = _checked(original("reverse_cuthill_mckee"))
