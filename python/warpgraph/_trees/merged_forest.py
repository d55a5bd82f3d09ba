"""Spanning forests of the parts of a graph, one for each device, merged to that of the graph."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy.typing as npt

from warpgraph import _core
from warpgraph._arguments import device as _device
from warpgraph._graph.graph import Graph
from warpgraph._trees import parts as _parts
from warpgraph._trees.forest import Result, Results

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class Parts:
    """The rows of a graph divided among devices; kept by the `Graph`."""

    graphs: list[Graph]  # over all vertices; rows of other parts are empty
    first_entries: list[int]  # of each part, and the number of entries

    @property
    def nbytes(self) -> int:
        """Bytes on the host and on devices; the entries are those of the whole graph."""
        shared = sum(graph.indices.nbytes + graph.data.nbytes for graph in self.graphs)
        return sum(graph.nbytes for graph in self.graphs) - shared


def parts_of(graph: Graph, n_parts: int, ledger: _core.Ledger) -> Parts:
    """Return parts of consecutive rows with about as many entries above the diagonal each."""

    def divide() -> Parts:
        rows = _core.rows_of_parts(graph._handle, n_parts).tolist()
        parts = []
        for pair in itertools.pairwise(rows):
            part, _, taken = _parts.part_of_rows(graph, pair, ledger, "pass fewer devices")
            ledger.charge(taken)
            parts.append(part)
        return Parts(parts, [int(graph.indptr[row]) for row in rows])

    kept: Parts = graph._derive(f"{n_parts} parts", divide)
    return kept


def solve(
    graph: Graph, maximum: bool, devices: list[str], ledger: _core.Ledger, report: Any
) -> Results:
    """Return edges, weights and edge ids; the limit is for each device."""
    upper, positions = graph._upper_triangle(ledger)
    parts = parts_of(upper, len(devices), ledger)
    edges: Result
    weights: Result
    edge_ids: Result
    edges, weights, edge_ids = _core.forest_of_parts(
        upper._handle,
        [part._handle for part in parts.graphs],
        parts.first_entries,
        upper.dtype,
        devices,
        report,
        maximum=maximum,
        mirrored=graph._is_mirrored(),
        longest_row=0 if _device.fastest(devices) == "cpu" else upper._longest_row(),
        ledger=ledger,
    )
    return edges, weights, edge_ids if positions is None else _parts.looked_up(positions, edge_ids)
