"""Synthetic graphs."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from warpgraph import _core
from warpgraph._arguments import validate
from warpgraph._arguments.hints import hinted
from warpgraph._graph.graph import Graph

WeightsLike = str | tuple[int, int] | None

#: The largest number of vertices, and of coordinates of a point.
LARGEST = 2**31 - 1

#: Probabilities of the four quadrants, and their relative variation from level to level.
_RMAT_PARAMETERS = {
    "graph500": ((0.57, 0.19, 0.19, 0.05), 0.0),
    "graphhpc": ((0.45, 0.25, 0.15, 0.15), 0.1),
}


@hinted
def rmat(
    scale: int,
    edge_factor: float = 16,
    *,
    seed: int = 0,
    weights: WeightsLike = "uniform",
    dtype: npt.DTypeLike | None = None,
    parameters: str | Sequence[float] = "graph500",
    noise: float | None = None,
    relabel: bool = True,
    directed: bool = False,
    keep_loops: bool = False,
    keep_duplicates: bool = False,
) -> Graph:
    """Generate an R-MAT graph, which has the few hubs and many leaves of a social network.

    Parameters
    ----------
    scale : int
        The graph has ``2**scale`` vertices, at most ``2**30``.
    edge_factor : float
        Edges drawn per vertex. An undirected edge is stored both ways, so that the average degree
        is up to twice as much.
    seed : int
        The same seed gives the same result.
    weights : "uniform", (low, high), or None
        Uniform in [0, 1), integers uniform in low..high, or all 1. Both directions of an
        undirected edge have the same weight.
    dtype : {"float32", "float64", "int32", "int64"}, optional
        Type of the weights. By default int32 or int64 for integers, whichever holds them, else
        float64.
    parameters : "graph500", "graphhpc", or (a, b, c, d)
        Probabilities of the quadrants of the adjacency matrix: (0.57, 0.19, 0.19, 0.05) as in the
        Graph500 benchmark, (0.45, 0.25, 0.15, 0.15) with a noise of 0.1 as in the GraphHPC
        contest, or others that add up to 1.
    noise : float, optional
        Total relative variation of the probabilities from level to level within an edge.
    relabel : bool
        Give the vertices random numbers; else hubs are those with few bits set.
    directed : bool
        False: edges have no direction. Each is stored both ways, not only as drawn.
    keep_loops, keep_duplicates : bool
        Keep edges from a vertex to itself, and edges that were drawn more than once. Rows are
        sorted if duplicates are dropped, and in the order of drawing if not.

    Returns
    -------
    Graph

    Raises
    ------
    MemoryError
        Before anything is drawn, if the graph does not fit.

    Examples
    --------
    >>> import warpgraph as wg
    >>> graph = wg.generators.rmat(10, seed=3, weights=(1, 9))
    >>> graph.n_vertices, graph.n_edges
    (1024, 21148)
    """
    (a, b, c, d), usual_noise = _rmat_parameters(parameters)
    weights, weight_dtype = _weights(weights, dtype)
    return _to_graph(
        _core.generate_rmat(
            scale=_scale(scale),
            edge_factor=validate.as_float(edge_factor, "edge_factor"),
            a=a,
            b=b,
            c=c,
            d=d,
            noise=validate.as_float(usual_noise if noise is None else noise, "noise"),
            relabel=validate.flag(relabel, "relabel"),
            edges=(
                validate.flag(directed, "directed"),
                validate.flag(keep_loops, "keep_loops"),
                validate.flag(keep_duplicates, "keep_duplicates"),
            ),
            seed=validate.seed(seed),
            weights=weights,
            dtype=weight_dtype,
        )
    )


@hinted
def ssca2(
    scale: int,
    *,
    seed: int = 0,
    weights: WeightsLike = "uniform",
    dtype: npt.DTypeLike | None = None,
    max_clique_size: int = 49,
    inter_clique_probability: float = 0.1,
    decay: float = 0.5,
    relabel: bool = True,
    keep_duplicates: bool = False,
) -> Graph:
    """Generate an undirected graph of random cliques that are joined by few edges.

    The defaults are those of the GraphHPC contest: average degree about 32, and many connected
    components of different size.

    Parameters
    ----------
    scale : int
        The graph has ``2**scale`` vertices, at most ``2**30``.
    seed, weights, dtype, keep_duplicates
        As for `rmat`.
    max_clique_size : int
        Sizes are uniform in 1..max_clique_size.
    inter_clique_probability, decay : float
        From each vertex an edge to a random vertex at a distance in ``d .. 1.5 d - 1`` is tried for
        d = 2, 4, 8, ...; it exists, unless within the clique, with a probability that starts as
        `inter_clique_probability` and is multiplied by `decay` from one d to the next.
    relabel : bool
        Give the vertices random numbers; else those of a clique follow each other.

    Returns
    -------
    Graph

    Notes
    -----
    ``max_clique_size=45, inter_clique_probability=0.4, decay=0.74, relabel=False`` gives one big
    component with nearly all vertices, an average degree near 31, and cliques that are contiguous
    in memory.

    Examples
    --------
    >>> import warpgraph as wg
    >>> graph = wg.generators.ssca2(8, seed=3)
    >>> graph.n_vertices, graph.n_edges
    (256, 8732)
    """
    weights, weight_dtype = _weights(weights, dtype)
    return _to_graph(
        _core.generate_ssca2(
            scale=_scale(scale),
            max_clique_size=validate.count(
                max_clique_size, "max_clique_size", least=1, most=LARGEST
            ),
            inter_clique_probability=validate.as_float(
                inter_clique_probability, "inter_clique_probability"
            ),
            decay=validate.as_float(decay, "decay"),
            relabel=validate.flag(relabel, "relabel"),
            edges=(False, False, validate.flag(keep_duplicates, "keep_duplicates")),
            seed=validate.seed(seed),
            weights=weights,
            dtype=weight_dtype,
        )
    )


@hinted
def grid(
    rows: int,
    cols: int,
    *,
    seed: int = 0,
    weights: WeightsLike = "uniform",
    dtype: npt.DTypeLike | None = None,
    removed: float = 0.0,
) -> Graph:
    """Generate an undirected grid, a simple model of a road network.

    Parameters
    ----------
    rows, cols : int
        The vertex in row r and column c has the number ``r * cols + c``.
    seed, weights, dtype
        As for `rmat`.
    removed : float
        Fraction of the edges that are missing, at random.

    Returns
    -------
    Graph

    Examples
    --------
    >>> import warpgraph as wg
    >>> wg.generators.grid(2, 2, weights=None).to_csr().toarray()
    array([[0., 1., 1., 0.],
           [1., 0., 0., 1.],
           [1., 0., 0., 1.],
           [0., 1., 1., 0.]])
    """
    weights, weight_dtype = _weights(weights, dtype)
    return _to_graph(
        _core.generate_grid(
            rows=validate.count(rows, "rows", most=LARGEST),
            cols=validate.count(cols, "cols", most=LARGEST),
            removed=validate.as_float(removed, "removed"),
            seed=validate.seed(seed),
            weights=weights,
            dtype=weight_dtype,
        )
    )


def _to_graph(arrays: tuple[Any, Any, Any]) -> Graph:
    return Graph._of_own(*arrays)


def _scale(scale: Any) -> int:
    return validate.count(scale, "scale", most=30)


def _rmat_parameters(parameters: Any) -> tuple[tuple[float, float, float, float], float]:
    if isinstance(parameters, str):
        known = tuple(_RMAT_PARAMETERS)
        return _RMAT_PARAMETERS[validate.choice(parameters, known, "parameters")]
    try:
        if isinstance(parameters, bytes):  # numbers, too
            raise TypeError
        a, b, c, d = (validate.as_float(p, "each parameter") for p in parameters)
    except (TypeError, ValueError):
        raise TypeError(
            "parameters must be 'graph500', 'graphhpc' or four probabilities, "
            f"got {validate.shown(parameters)}"
        ) from None
    return (a, b, c, d), 0.0


def _weights(
    weights: Any, dtype: npt.DTypeLike | None
) -> tuple[str | tuple[int, int] | None, np.dtype[Any]]:
    """Return the core's arguments for weights, and their dtype."""
    rule: str | tuple[int, int] | None = None
    usual: npt.DTypeLike = np.float64
    if isinstance(weights, str):
        rule = validate.choice(weights, ("uniform",), "weights")
    elif weights is not None:
        validate.refuse_unordered(weights, "weights")
        try:
            low, high = (operator.index(bound) for bound in weights)
        except (TypeError, ValueError):
            raise TypeError(
                f"weights must be 'uniform', a range (low, high) of integers or None, "
                f"got {validate.shown(weights)}"
            ) from None
        for bound in (low, high):
            if not -(2**63) <= bound < 2**63:
                raise ValueError(f"integer weights must fit 64 bits, got the bound {bound}")
        rule = (low, high)
        usual = np.int32 if low >= -LARGEST and high <= LARGEST else np.int64
    return rule, validate.weight_dtype(usual if dtype is None else dtype)
