"""The form of a graph that the functions of this folder read, and arrays for their results."""

from __future__ import annotations

from typing import Any

import numpy as np

from warpgraph import _core
from warpgraph._arguments import device as _device, validate
from warpgraph._arguments.new_array import new_arrays
from warpgraph._graph import plan
from warpgraph._graph.graph import Graph, as_graph

_ADVICE = "; weights of communities must be finite and at least 0"


def both_ways(
    function: str,
    algorithm: str,
    graph: Any,
    device: Any,
    memory_limit: Any,
    *kinds: Any,
    weight: str | None = "weight",
    reads_weights: bool = False,
    method: str = "auto",
) -> tuple[Graph, _core.Ledger, list[Any]]:
    """Return the graph with each edge stored both ways, the call's ledger, and arrays for results.

    The results are an array for each dtype in `kinds`, with an item for each vertex, and an empty
    one for each None.
    """
    graph = as_graph(graph, weight, reads_weights=reads_weights)
    ledger = validate.ledger(memory_limit)
    _device.require_cpu(device, function)
    wanted = [((0 if kind is None else graph.n_vertices,), kind or np.int32) for kind in kinds]
    # Not only functions find communities, but also an estimator, which the error must not misname.
    what = "storing the labels" if algorithm == "communities" else f"the result of {function}"
    results = new_arrays(ledger, what, "use a smaller graph", *wanted)
    known = graph._known_undirected(reads_weights=reads_weights)
    request = {"is_directed": False, "unweighted": not reads_weights, "method": method}
    plan.make(algorithm, graph, known, graph.dtype, _device.ON_CPU, request, ledger=ledger)
    if reads_weights:
        graph._refuse_negative(function, _ADVICE)
        _refuse_infinite(graph)
        _warn_of_unequal_directions(graph)
    return graph._undirected(ledger, reads_weights=reads_weights), ledger, results


def _warn_of_unequal_directions(graph: Graph) -> None:
    """Warn if all edges are stored both ways, but not all with equal weights."""
    if graph._has_mirrored_structure() and not graph._is_mirrored():
        validate.warn(
            "every entry (i, j) has an entry (j, i), but their weights are not all equal, so each "
            "entry counts as an edge of its own, and the graph has twice as many; if they differ "
            "by rounding alone, pass (A + A.T) / 2, whose weights are equal"
        )


def _refuse_infinite(graph: Graph) -> None:
    if graph.dtype.kind != "f":
        return
    infinite = np.isinf(graph.data)
    if infinite.any():
        first = int(infinite.argmax())
        tail = int(np.searchsorted(graph.indptr, first, side="right")) - 1
        raise ValueError(
            f"the weight inf of entry {graph._shown(tail, int(graph.indices[first]))} is "
            f"negative or infinite{_ADVICE}"
        )
