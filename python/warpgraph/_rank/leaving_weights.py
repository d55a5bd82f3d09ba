"""Sums of the weights that leave each vertex: what PageRank divides scores by."""

from __future__ import annotations

from functools import partial

import numpy as np
import numpy.typing as npt

from warpgraph import _core
from warpgraph._arguments.new_array import new_arrays
from warpgraph._graph import weights
from warpgraph._graph.graph import Graph
from warpgraph._tables import no_edge

Sums = npt.NDArray[np.float64]

_ON_DEVICE: Sums = np.empty(0)


def sums(
    graph: Graph, unweighted: bool, ledger: _core.Ledger, only_on: str | None
) -> tuple[Sums, bool]:
    """Return the sums of the weights that leave each vertex, and whether all weights are 1.

    A `Graph` keeps them. Sums that are read on the device `only_on` alone stay there, if it has the
    graph: then the array is empty.
    """
    if not unweighted:
        _refuse_negative(graph)
        if only_on is not None and graph._known(_key(unweighted)) is None:
            found = _core.keep_leaving_weights(graph._handle, graph.dtype, only_on)
            if found is not None:
                in_range, all_ones = found
                if not in_range:
                    _refuse_sums(graph)
                return _ON_DEVICE, all_ones
    sums_of = partial(_sum_leaving, graph, unweighted, ledger)
    kept: tuple[Sums, bool] = graph._derive(_key(unweighted), sums_of)
    return kept


def check(graph: Graph, form: Graph | None, unweighted: bool, ledger: _core.Ledger) -> Graph | None:
    """Raise the errors of `sums` of a form of the graph and charge what it does, but keep nothing.

    Return the form. None is the undirected one, which is made if weights of the graph are bad.
    """
    try:
        _check(graph if form is None else form, unweighted, ledger)
    except ValueError:
        if form is not None:
            raise
        form = graph._undirected(ledger, reads_weights=not unweighted)
        _check(form, unweighted, ledger)
    return form


def _check(graph: Graph, unweighted: bool, ledger: _core.Ledger) -> None:
    if not unweighted:
        _refuse_negative(graph)
    if graph._known(_key(unweighted)) is None:
        _sum_leaving(graph, unweighted, ledger)


def _key(unweighted: bool) -> str:
    return "leaving_degrees" if unweighted else "leaving_weight_sums"


def _refuse_negative(graph: Graph) -> None:
    negative = graph._first_negative()
    if negative is not None:
        _, tail, head, weight = negative
        raise ValueError(
            f"the weight {weight} of entry {graph._shown(tail, head)} is negative, "
            f"but no edge can be followed with a negative probability{no_edge.hint(graph)}"
        )


def _sum_leaving(graph: Graph, unweighted: bool, ledger: _core.Ledger) -> tuple[Sums, bool]:
    advice = "pass a graph with fewer vertices"
    wanted = (graph.n_vertices,), np.float64
    (found,) = new_arrays(ledger, "summing weights for PageRank", advice, wanted)
    in_range, all_ones = _core.sum_leaving_weights(graph._handle, graph.dtype, unweighted, found)
    if not in_range:
        _refuse_sums(graph)
    return found, all_ones


def _refuse_sums(graph: Graph) -> None:
    """Raise a ValueError that names the first weight of inf, or the first sum out of range."""
    infinite = np.isinf(graph.data)
    if infinite.any():
        first = weights.entry(graph, int(np.argmax(infinite)))
        raise ValueError(f"the weight of entry {first} is inf, but PageRank needs finite weights")
    for tail, (first, last) in enumerate(zip(graph.indptr[:-1], graph.indptr[1:], strict=True)):
        with np.errstate(over="ignore"):
            total = graph.data[first:last].sum(dtype=np.float64)
        if total != 0 and not 1e-270 <= total <= 1e270:
            raise ValueError(
                f"the weights of the edges that leave vertex {graph._shown(tail)} add up to "
                f"{total:.3g}, but PageRank needs sums in 1e-270 .. 1e270; scale the weights"
            )
