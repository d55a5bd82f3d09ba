"""Tables of distances: ``warpgraph sssp --sources``, ``nearest`` and ``within``."""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

import warpgraph as wg
from warpgraph.cli._files import NamedGraph
from warpgraph.cli._options import shared
from warpgraph.cli._report import LISTED, Report, emit, timed
from warpgraph.cli._write import within_limit, write_columns, write_table


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


def run_nearest(args: argparse.Namespace) -> None:
    """Find the nearest of some vertices, the facilities, for each vertex."""
    named = NamedGraph(args)
    facilities = named.vertices(args.facilities, "--facilities")
    report = named.summary() | {"facilities": len(set(facilities))}
    distances, nearest = timed(
        report,
        args,
        wg.nearest_facilities,
        named.graph,
        facilities,
        args.k,
        limit=args.limit,
        to_facilities=args.to_facilities,
        **shared(args),
    )
    has_one = nearest[:, 0] >= 0
    report["reached"] = int(has_one.sum())
    if has_one.any():
        farthest = int(np.argmax(np.where(has_one, distances[:, 0], -np.inf)))
        report["farthest"] = {
            "vertex": named.name_of(farthest),
            "facility": named.name_of(int(nearest[farthest, 0])),
            "distance": distances[farthest, 0],
        }
    counts = np.bincount(nearest[has_one, 0], minlength=named.graph.n_vertices)
    most = np.argsort(-counts, kind="stable")[:LISTED]
    report["most"] = [
        {"facility": named.name_of(int(v)), "vertices": int(counts[v])} for v in most if counts[v]
    ]
    if args.output:
        vertices, rank = np.nonzero(nearest >= 0)
        columns = {
            "vertex": named.names(vertices),
            "facility": named.names(nearest[vertices, rank]),
            "distance": distances[vertices, rank],
        }
        write_columns(args.output, columns)
    emit(report, as_json=args.json)


def run_within(args: argparse.Namespace) -> None:
    """Find the vertices within a distance of some vertices, or of all."""
    named = NamedGraph(args)
    given = None if args.sources is None else named.vertices(args.sources, "--sources")
    sources = np.arange(named.graph.n_vertices) if given is None else np.array(given)
    report = named.summary() | {"sources": len(sources)}
    near = timed(report, args, wg.within, named.graph, given, args.limit, **shared(args))
    report["pairs"] = near.nnz
    counts = np.diff(near.indptr)
    # Those that are given, in their order; of all vertices, those with the most around them.
    rows = np.arange(len(sources)) if given else np.argsort(-counts, kind="stable")[:LISTED]
    report["within" if given else "most"] = [
        {"source": named.name_of(int(sources[i])), "vertices": int(counts[i])}
        | _farthest(named, near.indices, near.data, slice(near.indptr[i], near.indptr[i + 1]))
        for i in rows
    ]
    if args.output:
        columns = {
            "source": named.names(np.repeat(sources, counts)),
            "target": named.names(near.indices),
            "distance": near.data,
        }
        write_columns(args.output, columns)
    emit(report, as_json=args.json)


def _farthest(named: NamedGraph, vertices: Any, distances: Any, row: slice) -> Report:
    farthest = int(np.argmax(distances[row]))  # a source is within any distance of itself
    return {
        "farthest": named.name_of(int(vertices[row][farthest])),
        "distance": distances[row][farthest],
    }
