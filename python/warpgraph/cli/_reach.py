"""``warpgraph nearest`` and ``within``: what is near, as rows of two vertices and a distance."""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

import warpgraph as wg
from warpgraph.cli._files import NamedGraph
from warpgraph.cli._options import shared
from warpgraph.cli._report import LISTED, Report, emit, timed
from warpgraph.cli._write import write_columns


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
        named=named,
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
    near = timed(
        report, args, wg.within, named.graph, given, args.limit, named=named, **shared(args)
    )
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
