"""PageRank, in NetworkX's function and with its rule for the end of iterations."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np

from warpgraph._arguments import validate
from warpgraph._arguments.errors import ConvergenceError
from warpgraph._rank import stopping
from warpgraph._rank.pagerank import pagerank as rank
from warpgraph.nx_backend._graph import BackendGraph

#: The largest change in sum that ends iterations without a warning.
_MAX_TO_CHANGE = 0.01


def pagerank(
    G: Any,
    alpha: float = 0.85,
    personalization: Any = None,
    max_iter: int = 100,
    tol: float = 1e-6,
    nstart: Any = None,
    weight: Any = "weight",
    dangling: Any = None,
) -> Any:
    """See NetworkX."""
    if not len(G):
        return {}
    given = {"personalization": personalization, "nstart": nstart, "dangling": dangling}
    starts = {k: _by_number(G, values) for k, values in given.items() if values is not None}
    if "personalization" in starts and starts["personalization"].sum() == 0:
        raise ZeroDivisionError
    if max_iter <= 0:
        raise nx.PowerIterationFailedConvergence(max_iter)
    stopping.damping(alpha)  # what is no probability is an error here, with its reason
    unweighted = not G.has_lengths(weight)
    matrix = G.structure() if unweighted else G.matrix(weight)
    how: dict[str, Any] = {"alpha": alpha, "max_iter": max_iter, **starts}
    try:
        rule: Any = stopping.ChangePerVertex(tol)
        scores = rank(matrix, tol=rule, unweighted=unweighted, method="pull", **how)
    except ConvergenceError:
        raise nx.PowerIterationFailedConvergence(max_iter) from None
    except (TypeError, ValueError) as error:  # NetworkX allows more than makes sense
        raise NotImplementedError(str(error)) from None
    change = len(G) * float(tol)
    if change > _MAX_TO_CHANGE:
        validate.warn(
            f"nx.pagerank ends when the scores change by less than len(G) * tol = {change:.3g} in "
            f"sum, where all scores add up to 1, so they may be far from the limit; pass a smaller "
            f"tol, as {_MAX_TO_CHANGE / 1000 / len(G):.1g}, or call warpgraph.pagerank, whose tol "
            "bounds the error whatever the number of nodes"
        )
    return dict(zip(G.nodes, scores.tolist(), strict=True))


def _by_number(G: BackendGraph, values: Any) -> Any:
    """Return an array with the value of each node, 0 where it is missing."""
    return np.fromiter((values.get(node, 0) for node in G.nodes), np.float64, len(G))
