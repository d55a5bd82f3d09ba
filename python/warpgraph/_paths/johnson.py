"""Johnson's algorithm for many_to_many: the potentials with which no weight is negative."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from warpgraph import _core
from warpgraph._arguments import validate
from warpgraph._graph.graph import Graph
from warpgraph._paths import sssp

Array = npt.NDArray[Any]


def refuse_others(graph: Graph, method: str) -> None:
    """Raise a ValueError for a negative weight if another method is named, and for one of -inf."""
    if method not in ("auto", "johnson"):
        graph._refuse_negative(f"method {method!r}")
    sssp.refuse_minus_infinity(graph)


def potentials(graph: Graph, dtype: np.dtype[Any], ledger: _core.Ledger) -> Array:
    """Return the least length of a path that ends in each vertex.

    A `Graph` keeps them. They are found on the host, by one search from all vertices.

    Raises
    ------
    NegativeCycleError
        There is a cycle of negative weight anywhere.
    """
    handle = graph._handle_for(dtype, ledger)
    key = f"potentials, {dtype}"
    found: Array = graph._derive(key, lambda: _find(handle, graph.n_vertices, dtype, ledger))
    return found


def _find(handle: Any, n: int, dtype: np.dtype[Any], ledger: _core.Ledger) -> Array:
    everywhere = np.arange(n, dtype=np.int32)
    found, nothing = np.empty(n, dtype), np.empty(0, np.int32)
    meanwhile = ledger.on_host()  # of its own, since `everywhere` is freed after the search
    meanwhile.charge(everywhere.nbytes)
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
        ledger=meanwhile,
    )
    ledger.charge(found.nbytes)
    return found
