"""A graph's weights in another dtype, for results and for sums of distances."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from warpgraph import _core
from warpgraph._arguments import validate
from warpgraph._tables import no_edge

if TYPE_CHECKING:
    from warpgraph._graph.protocol import Graph

Array = npt.NDArray[Any]
Entry = tuple[int, int, int, Any]  # position, tail, head, weight


def fit(graph: Graph, dtype: np.dtype[Any]) -> bool:
    """Return whether `lengths_as` takes the weights, which are checked if some might not fit."""
    source = graph.dtype
    if dtype == source:
        return dtype.kind == "f" or _core.unusual_weights(graph._handle)[1] is None
    is_rounded = source.kind == "i" and dtype.kind == "f"
    if is_rounded or dtype in graph._weights or np.can_cast(source, dtype):
        return True
    try:
        lengths_as(graph, dtype)
    except (OverflowError, ValueError):
        return False
    return True


def convert_weights(
    graph: Graph,
    dtype: np.dtype[Any],
    ledger: _core.Ledger = validate.NO_LIMIT,
    *,
    are_lengths: bool = False,
) -> Array:
    """Return the graph's weights as `dtype`; an integer dtype takes integer values only."""
    made, beyond, fraction = _core.convert_weights(graph.data, dtype, are_lengths, ledger)
    if beyond >= 0:
        refuse_entry(graph, beyond, dtype, OverflowError)
    if fraction >= 0:
        refuse_entry(graph, fraction, dtype, ValueError)
    return made


def lengths_as(
    graph: Graph, dtype: np.dtype[Any], ledger: _core.Ledger = validate.NO_LIMIT
) -> Array:
    """Return the graph's weights as the summands of distances of type `dtype`.

    An integer is always a number; a float of inf is an edge that is never used. In integers, the
    largest one stands for inf: as a distance it means "unreachable", so no weight may equal it.
    """
    return convert_weights(graph, dtype, ledger, are_lengths=True)


def entry(graph: Graph, e: int) -> str:
    """Return the text for the entry at position `e`, for messages."""
    tail = int(np.searchsorted(graph.indptr, e, side="right")) - 1
    return graph._shown(tail, int(graph.indices[e]))


def refuse_entry(graph: Graph, e: int, dtype: np.dtype[Any], error: type[Exception]) -> None:
    """Raise an error that names entry `e` and the reason why its weight is no `dtype`."""
    weight = graph.data[e].item()
    reason = f"cannot be represented as {dtype}"
    if dtype.kind == "i" and weight == np.iinfo(dtype).max:
        reason = f"is the largest {dtype}, which as a distance means unreachable; ask for floats"
        reason += " or a wider dtype" if dtype.itemsize == 4 else ""
    raise error(f"the weight {weight} of entry {entry(graph, e)} {reason}")


def first_negative(graph: Graph) -> Entry | None:
    """Return the first negative weight, or None."""
    return _core.unusual_weights(graph._handle)[0]


def heaviest(graph: Graph) -> float:
    """Return the largest magnitude of a weight, apart from edges that are never used."""
    return weight_summary(graph)[0]


def weight_summary(graph: Graph) -> tuple[float, bool]:
    """Return `heaviest`, and whether float64 holds the sums along all paths exactly."""
    return _core.weight_summary(graph._handle)


def refuse_unreachable(graph: Graph) -> None:
    """Raise an OverflowError if an integer weight would mean "unreachable" as a distance."""
    largest = _core.unusual_weights(graph._handle)[1]
    if largest is not None:
        refuse_entry(graph, largest[0], graph.dtype, OverflowError)


_FOR_NEGATIVE = "; use many_to_many with method='johnson', or sssp with method='bellman_ford'"


def refuse_negative(graph: Graph, method: str, advice: str = _FOR_NEGATIVE) -> None:
    """Raise a ValueError that names the first negative weight, which `method` refuses."""
    negative = graph._first_negative()
    if negative is not None:
        _, tail, head, weight = negative
        raise ValueError(
            f"the weight {weight} of entry {graph._shown(tail, head)} is negative, which {method} "
            f"does not allow{advice}{no_edge.hint(graph)}"
        )
