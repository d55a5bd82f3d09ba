"""Shortest paths with costs of turns, beside SciPy on the graph of all edges."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse import csgraph

import warpgraph as wg
from benchmarks import inputs
from benchmarks.harness import Case, Input, main

SECTION = (
    "Turns that cost something, or are forbidden",
    "`wg.sssp` of a graph with turns is compared with SciPy's Dijkstra on the graph of all "
    "edges, which was made before.",
)

#: The cost of a turn back, about half the weight of a road.
TURN_BACK = 1000


@cache
def prepared(build: Callable[[], Any], n_turns: int | None) -> tuple[Any, Any, Any]:
    """Return a graph with turns, the graph of its edges for SciPy, and where a search starts there.

    Some turns are forbidden, or all turns back cost something, if `n_turns` is None.
    """
    graph = wg.Graph(build())
    tails, heads, weights = graph.to_edges()
    first, after = consecutive(graph)
    if n_turns is None:
        chosen = np.flatnonzero(heads[after] == tails[first])
        costs = np.full(len(chosen), float(TURN_BACK))
    else:
        chosen = np.random.default_rng(1).choice(len(first), n_turns, replace=False)
        costs = np.full(n_turns, np.inf)
    turned = graph.with_turns(first[chosen], after[chosen], costs)
    lengths = weights[after].astype(float)
    lengths[chosen] += costs
    source = graph.n_edges  # a vertex that leads to the edges from vertex 0
    starts = np.arange(graph.indptr[0], graph.indptr[1])
    allowed = np.isfinite(lengths)
    rows = np.concatenate([first[allowed], np.full(len(starts), source)])
    columns = np.concatenate([after[allowed], starts])
    values = np.concatenate([lengths[allowed], weights[starts]])
    edges = sp.csr_array((values, (rows, columns)), shape=(source + 1, source + 1))
    return turned, edges, heads


def consecutive(graph: wg.Graph) -> tuple[Any, Any]:
    """Return all pairs of an edge and one that begins where it ends."""
    degrees = np.diff(graph.indptr)[graph.indices]
    first = np.repeat(np.arange(graph.n_edges), degrees)
    begins = np.repeat(graph.indptr[graph.indices] - np.cumsum(degrees) + degrees, degrees)
    return first, begins + np.arange(len(first))


def ours(x: Input, build: Any, n_turns: int | None) -> Any:
    return wg.sssp(prepared(build, n_turns)[0], 0, device=x.device)


def scipys(x: Input, build: Any, n_turns: int | None) -> Any:
    turned, edges, heads = prepared(build, n_turns)
    lengths = csgraph.dijkstra(edges, indices=edges.shape[0] - 1)[:-1]
    found = np.full(turned.n_vertices, np.inf)
    np.minimum.at(found, heads, lengths)
    found[0] = 0
    return found


def case(name: str, build: Any, n_turns: int | None, suite: str) -> Case:
    how = {"build": build, "n_turns": n_turns}
    what = "turns back cost" if n_turns is None else f"{n_turns:,} forbidden turns"
    rivals = {"scipy, graph of edges": partial(scipys, **how)}
    ours_of = partial(ours, **how)
    return Case(
        f"sssp with turns, {name}, {what}", build, ours_of, rivals, suite, agree=np.array_equal
    )


CASES = [
    case("grid 40 x 40", partial(inputs.grid, 40, 40), 200, "smoke"),
    case("ny-road", inputs.ny_road, 10_000, "standard"),
    case("ny-road", inputs.ny_road, None, "standard"),
]

if __name__ == "__main__":
    main(__file__, CASES)
