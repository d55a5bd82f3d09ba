"""``warpgraph pagerank``: the probability of each vertex to be visited."""

from __future__ import annotations

import argparse

import numpy as np

import warpgraph as wg
from warpgraph.cli._files import NamedGraph, write_columns
from warpgraph.cli._options import shared
from warpgraph.cli._report import LISTED, emit, timed


def run_pagerank(args: argparse.Namespace) -> None:
    """Rank the vertices by the probability that a random walk is there."""
    named = NamedGraph(args)
    starts = None
    if args.sources is not None:
        starts = dict.fromkeys(named.vertices(args.sources, "--sources"), 1.0)
    report = named.summary()
    graph = named.graph
    if not args.directed:  # as Graph.read reads it: an edge that is stored both ways is one
        graph = wg.Graph.from_edges(*graph.to_edges(), n_vertices=graph.n_vertices, directed=False)
    scores = timed(
        report,
        args.device,
        lambda: wg.pagerank(
            graph,
            alpha=args.alpha,
            personalization=starts,
            max_iter=args.max_iter,
            tol=args.tol,
            **shared(args),
        ),
        named,
    )
    first = np.argsort(-scores, kind="stable")[:LISTED]
    report["highest"] = [{"vertex": named.name_of(int(v)), "score": scores[v]} for v in first]
    if args.output:
        write_columns(args.output, {"vertex": named.names(), "score": scores})
    emit(report, as_json=args.json)
