"""Johnson's algorithm for many_to_many: the potentials that let negative weights be searched."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from warpgraph import _core
from warpgraph._arguments import validate
from warpgraph._graph import memory
from warpgraph._graph.graph import Graph
from warpgraph._paths import sssp

Array = npt.NDArray[Any]


def refuse_others(graph: Graph, method: str) -> None:
    """Raise a ValueError for a negative weight with another method, or for one of -inf."""
    if method not in ("auto", "johnson"):
        graph.refuse_negative(f"method {method!r}")
    sssp.refuse_minus_infinity(graph)


def potentials(
    graph: Graph, dtype: np.dtype[Any], memory_limit: int, where: str
) -> tuple[Array, int]:
    """Return the least length of a path that ends in each vertex, and the rest of the limit.

    A `Graph` keeps them. They are found on the host, by one search from all vertices.

    Raises
    ------
    NegativeCycleError
        There is a cycle of negative weight anywhere.
    """
    handle, memory_limit = memory.handle_for(graph, dtype, memory_limit, where)
    key = f"potentials, {dtype}"
    known = graph.known(key)
    if known is not None:
        return np.asarray(known), memory_limit
    limit = memory_limit if where == "cpu" else 0
    made: Array = graph.derived(key, lambda: _find(handle, graph.n_vertices, dtype, limit))
    return made, validate.left_of_limit(memory_limit, made.nbytes if where == "cpu" else 0)


def _find(handle: Any, n: int, dtype: np.dtype[Any], limit: int) -> Array:
    everywhere = np.arange(n, dtype=np.int32)
    found, nothing = np.empty(n, dtype), np.empty(0, np.int32)
    _core.sssp(
        handle,
        everywhere,
        found,
        nothing,
        validate.infinity(dtype),
        nothing,
        False,
        ["cpu"],
        None,
        method="bellman_ford",
        negative_weights=True,
        memory_limit=validate.left_of_limit(limit, everywhere.nbytes),
    )
    return found
