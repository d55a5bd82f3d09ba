"""``warpgraph apsp``: the distances between all vertices."""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

import warpgraph as wg
from warpgraph.cli._files import NamedGraph, check_output, write_table
from warpgraph.cli._report import Report, emit, timed
from warpgraph.io._text import are_same_file


def run_apsp(args: argparse.Namespace) -> None:
    """Find the distances between all vertices."""
    if args.predecessors is not None:
        check_output(args.predecessors, "arrays", "--predecessors")
        if args.output is not None and are_same_file(args.output, args.predecessors):
            raise ValueError(
                f"--output and --predecessors are both {args.output}, which can hold one matrix"
            )
    named = NamedGraph(args)
    report = named.summary()
    result = timed(
        report,
        args.device,
        lambda: wg.apsp(
            named.graph,
            directed=not args.undirected,
            unweighted=args.unweighted,
            method=args.method,
            dtype=args.dtype,
            return_predecessors=args.predecessors is not None,
            device=args.device,
        ),
    )
    distances, trees = result if args.predecessors else (result, None)
    report |= _summary(named, distances)
    if args.output:
        write_table(args.output, named.names(), named.names(), distances, "distance")
    if args.predecessors:
        before = named.names(trees)
        write_table(args.predecessors, named.names(), named.names(), before, "predecessor")
    emit(report, as_json=args.json)


def _summary(named: NamedGraph, distances: Any) -> Report:
    """Return the number of pairs joined by a path, and the pair of largest distance."""
    far = np.inf if distances.dtype.kind == "f" else np.iinfo(distances.dtype).max
    reached = distances != far
    report: Report = {"pairs_reached": int(reached.sum())}
    if distances.size:
        lowest = -np.inf if distances.dtype.kind == "f" else np.iinfo(distances.dtype).min
        place = int(np.argmax(np.where(reached, distances, lowest)))
        source, target = divmod(place, distances.shape[1])
        report["farthest"] = {
            "source": named.name_of(source),
            "target": named.name_of(target),
            "distance": distances[source, target],
        }
    return report
