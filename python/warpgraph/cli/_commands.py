"""The commands: each reads, makes one call, reports and writes."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

import warpgraph as wg
from warpgraph import _config
from warpgraph._arguments import validate
from warpgraph._files.text import ending_of, written_whole
from warpgraph._graph.graph import like
from warpgraph.cli._files import NamedGraph, format_of, naming, read_points
from warpgraph.cli._options import shared
from warpgraph.cli._reach import run_many_to_many
from warpgraph.cli._report import Report, emit, largest, timed
from warpgraph.cli._write import (
    check_place,
    within_limit,
    write_columns,
    write_graph,
    write_points,
)


def run_info(args: argparse.Namespace) -> None:
    """Describe this installation, or a graph."""
    if args.graph is None:
        config = _config.show_config("dicts") or {} if args.json else _config.lines()
        emit(config, as_json=args.json)
        return
    named = NamedGraph(args)
    graph = named.graph
    degrees = np.diff(graph.indptr)
    report = named.summary()
    if graph.n_edges:
        report["lightest"], report["heaviest"] = graph.data.min(), graph.data.max()
    if graph.n_vertices:
        report["largest_degree"] = int(degrees.max())
        entered = np.bincount(graph.indices, minlength=graph.n_vertices) > 0
        report["isolated_vertices"] = int(np.sum(~entered & (degrees == 0)))
    report["stored_both_ways"] = graph._undirected() is graph
    report["components"] = wg.connected_components(graph)[0]
    report["bytes"] = graph.nbytes
    emit(report, as_json=args.json)


def run_sssp(args: argparse.Namespace) -> None:
    """Find the shortest paths from a vertex, or the distances from several."""
    if args.sources is not None:
        run_many_to_many(args)
        return
    named = NamedGraph(args)
    source = named.vertex(args.source, "--source")
    targets = None if args.targets is None else named.vertices(args.targets, "--targets")
    report = named.summary() | {"source": named.name_of(source)}
    distances, predecessors = timed(
        report,
        args,
        wg.sssp,
        named.graph,
        source,
        targets=targets,
        limit=args.limit,
        return_predecessors=True,
        **shared(args),
    )
    if targets is None:
        report |= _reach(named, distances, np.isfinite(distances), "distance")
    else:
        report["targets"] = [
            _target(named, source, target, distance, predecessors)
            for target, distance in zip(targets, distances, strict=True)
        ]
        if args.directed and args.limit == np.inf and not np.isfinite(distances).all():
            _warn_of_directions(named.graph, source, targets)
    if args.output:
        chosen = np.arange(named.graph.n_vertices) if targets is None else np.array(targets, int)
        columns = {
            "vertex": named.names(chosen),
            "predecessor": named.names_before(predecessors[chosen]),
            "distance": distances,
        }
        write_columns(args.output, columns, rows=within_limit(args, np.isfinite(distances)))
    emit(report, as_json=args.json)


def _warn_of_directions(graph: wg.Graph, source: int, targets: list[int]) -> None:
    """Say that there are paths if edges are walked both ways, where there are."""
    labels = wg.connected_components(graph, device="cpu")[1]
    if (labels[targets] == labels[source]).all():
        validate.warn(
            "a target is not reached along the directions of the edges, of which a table has one a "
            "row; with --undirected there is a path"
        )


def _reach(named: NamedGraph, values: Any, reached: Any, what: str) -> Report:
    """Return how many vertices were reached, and the farthest."""
    farthest = int(np.argmax(np.where(reached, values, -np.inf)))
    return {
        "reached": int(reached.sum()),
        "farthest": {"vertex": named.name_of(farthest), what: values[farthest]},
    }


def _target(named: NamedGraph, source: int, target: int, distance: Any, tree: Any) -> Report:
    row = {"vertex": named.name_of(target), "distance": distance}
    if np.isfinite(distance):
        path = wg.reconstruct_path(tree, source, target)
        row["path"] = named.names(path).tolist()
    return row


def run_bfs(args: argparse.Namespace) -> None:
    """Count the hops from a vertex to all others."""
    named = NamedGraph(args)
    source = named.vertex(args.source, "--source")
    report = named.summary() | {"source": named.name_of(source)}
    hops, predecessors = timed(
        report,
        args,
        wg.bfs,
        named.graph,
        source,
        limit=args.limit,
        return_predecessors=True,
        **shared(args),
    )
    report |= _reach(named, hops, hops >= 0, "hops")
    if args.output:
        columns = {
            "vertex": named.names(),
            "predecessor": named.names_before(predecessors),
            "hops": hops,
        }
        write_columns(args.output, columns, rows=within_limit(args, hops >= 0))
    emit(report, as_json=args.json)


def run_components(args: argparse.Namespace) -> None:
    """Find the connected components."""
    named = NamedGraph(args)
    report = named.summary()
    connection: Literal["strong", "weak"] = "strong" if args.strong else "weak"
    n_components, labels = timed(
        report, args, wg.connected_components, named.graph, connection=connection, **shared(args)
    )
    report["components"] = n_components
    report["largest"] = largest(labels)
    if args.output:
        write_columns(args.output, {"vertex": named.names(), "component": labels})
    emit(report, as_json=args.json)


def run_mst(args: argparse.Namespace) -> None:
    """Find the minimum spanning forest."""
    named = NamedGraph(args)
    report = named.summary()
    forest = timed(
        report,
        args,
        wg.minimum_spanning_forest,
        named.graph,
        maximum=args.maximum,
        **shared(args),
    )
    report["trees"] = forest.n_trees
    report["tree_edges"] = len(forest.edges)
    report["total_weight"] = forest.total_weight
    if args.output:
        graph = like(wg.Graph(forest.to_csr()), named.graph)
        if format_of(args.output, args.output_format) == "metis":
            graph = graph._undirected()  # METIS lists an edge at both of its ends
        report |= write_graph(args.output, graph, named.ids, args.output_format)
    emit(report, as_json=args.json)


def run_cluster(args: argparse.Namespace) -> None:
    """Cut the spanning tree of a graph or of points."""
    points = args.points or ending_of(args.graph) == ".npy"
    figure = None if args.plot is None else _figure_for(args.plot)
    if figure is not None:
        check_place(args.plot)
    data: Any
    if points:
        data = read_points(args.graph)
        report: Report = {"points": len(data), "dimensions": data.shape[1]}
        names = np.arange(len(data))
    else:
        named = NamedGraph(args)
        if named.looks_like_points:
            raise ValueError(f"{args.graph} looks like points, not like edges: give --points")
        data, names, report = named.graph, named.names(), named.summary()
    model = wg.cluster.MSTClustering(
        n_clusters=args.n_clusters,
        distance_threshold=args.threshold,
        min_cluster_size=args.min_cluster_size,
        metric="euclidean" if points else "precomputed",
        **shared(args),
    )
    timed(report, args, model.fit, data)
    report["clusters"] = model.n_clusters_
    report["largest"] = largest(model.labels_)
    if args.min_cluster_size > 1:
        report["noise"] = int(np.count_nonzero(model.labels_ < 0))
    report["threshold"] = model.threshold_
    if args.output:
        of_rows = "point" if points else "vertex"
        columns: dict[str, npt.NDArray[Any]] = {of_rows: names, "label": model.labels_}
        write_columns(args.output, columns, linkage=model.linkage_)
    if figure is not None:
        _draw_clusters(figure, model, data)
        with naming(args.plot), written_whole(args.plot) as file:
            figure.savefig(file, dpi=150, format=ending_of(args.plot)[1:])
    emit(report, as_json=args.json)


def _draw_clusters(figure: Any, model: Any, data: Any) -> None:
    """Draw points, or a graph that has coordinates, the weights of the tree, and the dendrogram."""
    has_places = not isinstance(data, wg.Graph) or data.coordinates is not None
    *plane, left, right = figure.subplots(1, 2 + has_places)
    if isinstance(data, wg.Graph) and has_places:
        model.plot_tree(ax=plane[0])
    elif has_places:
        second = min(1, data.shape[1] - 1)
        model.plot_tree(data, ax=plane[0], axes=(0, second))
        if data.shape[1] > 2:
            plane[0].set(xlabel=f"column 0 of {data.shape[1]}", ylabel="column 1")
    model.plot_weights(ax=left)
    model.plot_dendrogram(ax=right)


def _figure_for(path: str) -> Any:
    """Return an empty figure that can be saved to `path`."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise ImportError(
            "--plot draws with matplotlib, which is not installed: pip install 'warpgraph[plot]'"
        ) from None
    figure = Figure(figsize=(16, 4.8), layout="constrained")
    known = figure.canvas.get_supported_filetypes()
    if ending_of(path)[1:] not in known:
        raise ValueError(f"--plot must end in .{', .'.join(sorted(known))}, got {path!r}")
    return figure


def run_generate(args: argparse.Namespace) -> None:
    """Make a graph, or points."""
    if args.kind == "points":
        points = wg.generators.random_points(
            _needed(args, "count"), args.dim, seed=args.seed, dist="blobs"
        )
        write_points(args.output, points)
        report: Report = {"points": len(points), "dimensions": args.dim}
    else:
        _check_weights(args)
        graph = _GENERATORS[args.kind](args)
        write_graph(args.output, graph, None, args.output_format)
        report = {"vertices": graph.n_vertices, "edges": graph.n_edges}
    emit(report | {"output": args.output}, as_json=args.json)


_GENERATORS: dict[str, Callable[[argparse.Namespace], wg.Graph]] = {
    "rmat": lambda args: wg.generators.rmat(
        _needed(args, "scale"), args.edge_factor, seed=args.seed, weights=_weights(args.weights)
    ),
    "ssca2": lambda args: wg.generators.ssca2(
        _needed(args, "scale"), seed=args.seed, weights=_weights(args.weights)
    ),
    "grid": lambda args: wg.generators.grid(
        *_shape(_needed(args, "shape")), seed=args.seed, weights=_weights(args.weights)
    ),
}


def _needed(args: argparse.Namespace, option: str) -> Any:
    value = getattr(args, option)
    if value is None:
        raise ValueError(f"generate {args.kind} needs --{option}")
    return value


def _shape(text: str) -> tuple[int, int]:
    rows, _, columns = text.partition("x")
    if not (rows.isdecimal() and columns.isdecimal()):
        raise ValueError(f"--shape must be ROWSxCOLUMNS such as 300x400, got {text!r}")
    return int(rows), int(columns)


def _weights(text: str) -> Any:
    """Return the generators' argument for --weights: uniform, none, or low-high."""
    low, _, high = text.partition("-")
    if low.isdecimal() and high.isdecimal():
        return int(low), int(high)
    return None if text == "none" else text


def _check_weights(args: argparse.Namespace) -> None:
    """Refuse --weights that the format of --output cannot hold, before a graph is made."""
    weights = _weights(args.weights)
    is_positive = weights is None or (isinstance(weights, tuple) and weights[0] > 0)
    if format_of(args.output, args.output_format) == "metis" and not is_positive:
        raise ValueError(
            f"{args.output} is to be in the METIS format, which has positive integers as weights: "
            f"--weights must be none, or LOW-HIGH with LOW from 1 on, got {args.weights!r}"
        )


def run_convert(args: argparse.Namespace) -> None:
    """Write a graph in another format."""
    named = NamedGraph(args)
    report = named.summary() | {"output": args.output}
    report |= write_graph(args.output, named.graph, named.ids, args.output_format)
    emit(report, as_json=args.json)


def run_demo(args: argparse.Namespace) -> int:
    """Run the main job; see `warpgraph.demo`."""
    from warpgraph import demo

    return demo.run(args.output, device=args.device, as_json=args.json)


def run_bench(args: argparse.Namespace) -> int:
    """Time the algorithms beside SciPy's, which takes a while to import."""
    from warpgraph.cli import _bench

    return _bench.run(args)
