"""``warpgraph bench``: the algorithms on a graph of the user's own, beside SciPy's."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from typing import Any

import numpy as np
from scipy.sparse import csgraph

import warpgraph as wg
from warpgraph.cli._files import NamedGraph
from warpgraph.cli._report import emit
from warpgraph.demo._comparison import REPEATS, Task, same_hops, same_partition, solve_all

#: The meaning of the columns, above the table.
_EXPLAINED = {
    "time": f"of a call of warpgraph, the shortest of {REPEATS}",
    "scipy": f"of SciPy's function for the same, on one core, the shortest of {REPEATS}",
    "ratio": "SciPy's time divided by that of warpgraph: 10x is ten times as fast",
    "verified": "whether both answers are the same",
}

_SOURCES = 8  # of many_to_many: few, since SciPy is slow
#: Rounding in sums of weights: ours have the type of the weights, SciPy's are float64.
_TOLERANCE, _TOLERANCE_OF_FLOAT32 = 1e-9, 1e-4


def run(args: argparse.Namespace) -> int:
    """Time each algorithm on each device; return 0 if every answer is SciPy's."""
    named = NamedGraph(args)
    graph = named.graph
    if graph.n_vertices == 0:
        raise ValueError(f"{named.name} has no vertices, and there is nothing to time")
    if args.source is None:
        source = int(np.argmax(np.diff(graph.indptr)))
    else:
        source = named.vertex(args.source, "--source")
    devices = wg.devices() if args.device is None else [args.device]
    report = named.summary() | {"source": named.name_of(source)}
    if not args.json:
        emit(report | _EXPLAINED, as_json=False)
    rows = solve_all(_tasks(graph, source), devices, silent=args.json)
    if args.json:
        emit(report | _EXPLAINED | {"rows": [asdict(row) for row in rows]}, as_json=True)
    return 0 if all(row.verified for row in rows) else 1


def _tasks(graph: wg.Graph, source: int) -> list[Task]:
    matrix = _for_scipy(graph)
    size = f"{graph.n_vertices:,} vertices, {graph.n_edges:,} edges"
    sources = np.linspace(0, graph.n_vertices - 1, min(_SOURCES, graph.n_vertices), dtype=int)
    is_negative = graph.n_edges > 0 and graph.data.min() < 0
    search: Any = csgraph.bellman_ford if is_negative else csgraph.dijkstra
    tolerance = _TOLERANCE_OF_FLOAT32 if graph.dtype == np.float32 else _TOLERANCE

    def close(ours: Any, theirs: Any) -> bool:
        # The absolute tolerance is for the numbers that stand for 0.
        return bool(np.allclose(ours, theirs, rtol=tolerance, atol=1e-300))

    return [
        Task(
            "shortest paths",
            size,
            lambda device: wg.sssp(graph, source, device=device),
            lambda: search(matrix, indices=source),
            close,
        ),
        Task(
            "many sources",
            f"{len(sources)} vertices to all",
            lambda device: wg.many_to_many(graph, sources, device=device),
            lambda: search(matrix, indices=sources),
            close,
        ),
        Task(
            "hops",
            size,
            lambda device: wg.bfs(graph, source, device=device),
            lambda: csgraph.breadth_first_order(matrix, source),
            lambda hops, found: same_hops(hops, *found),
        ),
        Task(
            "components",
            size,
            lambda device: wg.connected_components(graph, device=device),
            lambda: csgraph.connected_components(matrix, connection="weak"),
            lambda ours, theirs: ours[0] == theirs[0] and same_partition(ours[1], theirs[1]),
        ),
        Task(
            "spanning forest",
            size,
            lambda device: _whole(wg.minimum_spanning_forest(graph, device=device)),
            lambda: csgraph.minimum_spanning_tree(matrix),
            lambda forest, tree: close(forest.total_weight, tree.sum()),
        ),
    ]


def _whole(forest: wg.SpanningForest) -> wg.SpanningForest:
    """Return a forest with its arrays on the host: a GPU keeps those that are not read."""
    for name in ("edges", "weights", "edge_ids"):
        getattr(forest, name)
    return forest


def _for_scipy(graph: wg.Graph) -> Any:
    """Return the matrix with the least positive number for 0, which SciPy may take for no edge."""
    matrix: Any = graph.to_csr().astype(np.float64)
    matrix.data[matrix.data == 0] = np.nextafter(0.0, 1.0)
    return matrix
