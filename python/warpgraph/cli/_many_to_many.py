"""``warpgraph sssp --sources``: a table of distances."""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

import warpgraph as wg
from warpgraph.cli._files import NamedGraph
from warpgraph.cli._options import shared
from warpgraph.cli._report import Report, emit, timed
from warpgraph.cli._write import within_limit, write_table


def run_many_to_many(args: argparse.Namespace) -> None:
    """Find the distances from several vertices to all, or to some."""
    named = NamedGraph(args)
    sources = named.vertices(args.sources, "--sources")
    targets = None if args.targets is None else named.vertices(args.targets, "--targets")
    report = named.summary() | {"sources": len(sources)}
    distances = timed(
        report,
        args,
        wg.many_to_many,
        named.graph,
        sources,
        targets,
        limit=args.limit,
        named=named,
        **shared(args),
    )
    columns = np.arange(named.graph.n_vertices) if targets is None else np.array(targets, int)
    report["distances"] = [
        _row(named, source, columns, row) for source, row in zip(sources, distances, strict=True)
    ]
    if args.output:
        starts = named.names(np.array(sources, int))
        reached = within_limit(args, np.isfinite(distances))
        write_table(
            args.output, starts, named.names(columns), distances, "distance", reached=reached
        )
    emit(report, as_json=args.json)


def _row(named: NamedGraph, source: int, columns: Any, row: Any) -> Report:
    """Return how many of the columns a source reaches, and the farthest."""
    reached = np.isfinite(row)
    report: Report = {"source": named.name_of(source), "reached": int(reached.sum())}
    if reached.any():
        farthest = int(np.argmax(np.where(reached, row, -np.inf)))
        report |= {"farthest": named.name_of(int(columns[farthest])), "distance": row[farthest]}
    return report
