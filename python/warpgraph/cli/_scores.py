"""``warpgraph pagerank``, ``betweenness`` and ``communities``: a number for each vertex or edge."""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

import warpgraph as wg
from warpgraph.cli._files import NamedGraph
from warpgraph.cli._options import shared
from warpgraph.cli._report import LISTED, Report, emit, largest, timed
from warpgraph.cli._write import write_columns


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
        args,
        wg.pagerank,
        graph,
        alpha=args.alpha,
        personalization=starts,
        max_iter=args.max_iter,
        tol=args.tol,
        **shared(args),
    )
    _report_scores(args, named, report, {"vertex": named.names(), "score": scores})


def run_betweenness(args: argparse.Namespace) -> None:
    """Rank the vertices or the edges by the shortest paths that lead through them."""
    named = NamedGraph(args)
    sources = args.sample
    if args.sources is not None:
        sources = named.vertices(args.sources, "--sources")
    targets = None if args.targets is None else named.vertices(args.targets, "--targets")
    report = named.summary()
    scores = timed(
        report,
        args,
        wg.edge_betweenness_centrality if args.edges else wg.betweenness_centrality,
        named.graph,
        sources=sources,
        targets=targets,
        limit=args.limit,
        normalized=args.normalized,
        seed=args.seed,
        **shared(args),
    )
    if args.edges:
        tails, heads, _ = named.graph.to_edges()
        columns = {"source": named.names(tails), "target": named.names(heads), "score": scores}
    else:
        columns = {"vertex": named.names(), "score": scores}
    _report_scores(args, named, report, columns)


def _report_scores(
    args: argparse.Namespace, named: NamedGraph, report: Report, columns: dict[str, Any]
) -> None:
    """Report the rows of the highest scores, and write all."""
    first = np.argsort(-columns["score"], kind="stable")[:LISTED].tolist()
    report["highest"] = [{name: column[i] for name, column in columns.items()} for i in first]
    if args.output:
        write_columns(args.output, columns)
    emit(report, as_json=args.json)


_ALGORITHMS = {
    "leiden": wg.leiden_communities,
    "louvain": wg.louvain_communities,
    "label_propagation": wg.label_propagation_communities,
}
ALGORITHMS = tuple(_ALGORITHMS)


def run_communities(args: argparse.Namespace) -> None:
    """Divide a graph into communities."""
    chosen = {name: getattr(args, name) for name in ("quality", "resolution")}
    options = {name: value for name, value in chosen.items() if value is not None}
    if options and args.algorithm == "label_propagation":
        raise ValueError(f"--{next(iter(options))} is for leiden and louvain")
    named = NamedGraph(args)
    report = named.summary()
    found = timed(
        report,
        args,
        _ALGORITHMS[args.algorithm],
        named.graph,
        seed=args.seed,
        **options,
        **shared(args),
    )
    report["communities"] = found.n_communities
    report["largest"] = largest(found.labels)
    report["quality"] = found.quality
    if args.output:
        write_columns(args.output, {"vertex": named.names(), "community": found.labels})
    emit(report, as_json=args.json)
