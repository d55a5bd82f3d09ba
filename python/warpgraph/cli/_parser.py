"""The options of every command."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import warpgraph as wg
from warpgraph._paths.apsp import METHODS as METHODS_OF_APSP
from warpgraph.cli import (
    _apsp as _apsp_command,
    _commands,
    _options,
    _reach,
    _scores,
)
from warpgraph.cli._completion import SHELLS, PrintCompletion
from warpgraph.cli._mistakes import Parser
from warpgraph.cli._tune import run_tune

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[Parser]

_SOURCE = (
    "vertex to start from: its id in an edge list, its name if the file has names, else its "
    "number, counted from 0 (--file-ids: as in the file)"
)
_TREE = (
    "{0} and predecessors (.csv, .npz, .parquet), or {0} alone {1}; the predecessor is -1 where "
    "there is none, or empty where vertices have names that are text or negative"
)
_TASKS = """\
Shortest paths, spanning trees and clusters, on CPU cores and GPUs.

to                                command
  try it                          warpgraph demo
  look at a graph                 warpgraph info roads.csv
  find a route                    warpgraph sssp roads.csv --source A --targets B
  write distances from a vertex   warpgraph sssp roads.csv --source A --output a.csv
  find the nearest of some        warpgraph nearest roads.csv --facilities A,B
  find what is within a distance  warpgraph within roads.csv --sources A --limit 9
  rank vertices, or edges         warpgraph betweenness roads.csv --edges
  divide a network                warpgraph communities friends.csv
  cluster points                  warpgraph cluster points.npy --plot tree.png
  find the spanning forest        warpgraph mst roads.csv --output tree.csv
  write another format            warpgraph convert roads.csv --output roads.npz
  ask what a command would take   warpgraph explain apsp roads.csv
"""
_CLOSING = """\
'warpgraph COMMAND --help' lists the options. Results go to --output: .csv, .parquet
or NumPy's formats. Reports are lines of text, in which a path has one vertex a line
and a name with blanks, commas or quotes is a JSON string, or with --json one JSON
object.
"""
_METHODS = ("auto", "dijkstra", "delta_stepping", "near_far", "bellman_ford", "batched")
_METHODS_OF_PAGERANK = ("auto", "pull", "push")


def build_parser() -> argparse.ArgumentParser:
    """Return the parser; each command leaves its function in ``arguments.run``."""
    parser = Parser(
        prog="warpgraph",
        description=_TASKS,
        epilog=_CLOSING,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"warpgraph {wg.__version__}")
    parser.add_argument(
        "--print-completion",
        action=PrintCompletion,
        choices=SHELLS,
        metavar="SHELL",
        help="print the script by which bash, zsh or tcsh completes commands, options and files; "
        'for bash: eval "$(warpgraph --print-completion bash)" in ~/.bashrc',
    )
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for add in (_demo, _info, *_PLANNED, _generate, _convert, _bench, _explain, _tune):
        add(commands)
    return parser


def _command(
    commands: Commands, name: str, run: Callable[[argparse.Namespace], Any], text: str
) -> argparse.ArgumentParser:
    command = commands.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.")
    command.add_argument(
        "--json",
        action="store_true",
        help="report as one JSON object",
    )
    command.add_argument(
        "--threads", type=int, metavar="N", help="number of CPU threads; 0: default"
    )
    command.add_argument("-v", "--verbose", action="store_true", help="log decisions to stderr")
    command.set_defaults(run=run)
    return command


def _demo(commands: Commands) -> None:
    demo = _command(
        commands, "demo", _commands.run_demo, "solve a road network and compare with SciPy"
    )
    demo.add_argument(
        "--output", metavar="DIR", default="demo-output", help="folder for the picture"
    )
    demo.add_argument("--device", help="use this device only; default: each available device")


def _info(commands: Commands) -> None:
    info = _command(commands, "info", _commands.run_info, "describe this installation, or a graph")
    _options.reads_graph(info, nargs="?")


def _sssp(commands: Commands) -> None:
    sssp = _command(commands, "sssp", _commands.run_sssp, "find the shortest paths from a vertex")
    _options.reads_graph(sssp)
    start = sssp.add_mutually_exclusive_group(required=True)
    start.add_argument("--source", help=_SOURCE)
    start.add_argument("--sources", metavar="V,W,...", help="several vertices to start from")
    sssp.add_argument("--targets", metavar="V,W,...", help="report these vertices only")
    _options.add_limit(sssp)
    _options.add_unweighted(sssp, _METHODS)
    _options.add_device(sssp)
    _options.with_output(sssp, _TREE.format("distances", "(.npy, and of --sources)"))


def _nearest(commands: Commands) -> None:
    nearest = _command(
        commands,
        "nearest",
        _reach.run_nearest,
        "find the nearest of some vertices, such as shops, for each vertex",
    )
    _options.reads_graph(nearest)
    nearest.add_argument(
        "--facilities", metavar="V,W,...", required=True, help="vertices with a facility"
    )
    nearest.add_argument(
        "-k", type=int, default=1, metavar="K", help="the K nearest of each vertex; default: 1"
    )
    nearest.add_argument(
        "--from-facilities",
        dest="to_facilities",
        action="store_false",
        help="paths lead from the facilities to the vertices; default: to them",
    )
    _options.add_limit(nearest)
    _options.add_unweighted(nearest)
    _options.add_device(nearest)
    _options.with_output(
        nearest, "a row for each vertex and facility (.csv, .npz, .parquet)", kind="rows"
    )


def _within(commands: Commands) -> None:
    within = _command(
        commands, "within", _reach.run_within, "find the vertices within a distance of others"
    )
    _options.reads_graph(within)
    within.add_argument(
        "--sources", metavar="V,W,...", help="vertices to start from; default: each in turn"
    )
    _options.add_limit(within, required=True)
    _options.add_unweighted(within)
    _options.add_device(within)
    _options.with_output(
        within, "a row for each source and vertex (.csv, .npz, .parquet)", kind="rows"
    )


def _apsp(commands: Commands) -> None:
    apsp = _command(
        commands, "apsp", _apsp_command.run_apsp, "find the distances between all vertices"
    )
    _options.reads_graph(apsp)
    _options.add_unweighted(apsp, METHODS_OF_APSP)
    apsp.add_argument("--dtype", help="type of the distances: float32, float64, int32, int64")
    _options.add_device(apsp)
    _options.with_output(
        apsp, "the matrix of distances (.csv, .npz, .parquet; .npy may be larger than memory)"
    )
    apsp.add_argument(
        "--predecessors",
        metavar="FILE",
        help="write the matrix of predecessors (.csv, .npy, .npz, .parquet)",
    )


def _bfs(commands: Commands) -> None:
    bfs = _command(commands, "bfs", _commands.run_bfs, "count the hops from a vertex to all others")
    _options.reads_graph(bfs)
    bfs.add_argument("--source", required=True, help=_SOURCE)
    bfs.add_argument(
        "--limit",
        type=int,
        metavar="HOPS",
        help="largest number of hops; a table then has rows of what is reached alone",
    )
    _options.add_undirected(bfs)
    _options.add_device(bfs)
    _options.with_output(bfs, _TREE.format("hops", "(.npy)"))


def _components(commands: Commands) -> None:
    components = _command(
        commands, "components", _commands.run_components, "find the connected components"
    )
    _options.reads_graph(components)
    components.add_argument(
        "--strong", action="store_true", help="find the strongly connected components"
    )
    _options.add_device(components)
    _options.with_output(components, "labels (.csv, .npy, .npz, .parquet)")


def _pagerank(commands: Commands) -> None:
    pagerank = _command(
        commands,
        "pagerank",
        _scores.run_pagerank,
        "rank the vertices by the probability that a random walk is there",
    )
    _options.reads_graph(pagerank)
    pagerank.add_argument(
        "--alpha", type=float, default=0.85, help="probability to follow an edge; default: 0.85"
    )
    pagerank.add_argument(
        "--sources", metavar="V,W,...", help="vertices where walks start; default: all"
    )
    pagerank.add_argument(
        "--max-iter", type=int, metavar="N", help="iterations at most; default: as many as suffice"
    )
    pagerank.add_argument(
        "--tol", type=float, default=1e-6, help="error of all scores in sum; default: 1e-6"
    )
    _options.add_unweighted(pagerank, _METHODS_OF_PAGERANK)
    _options.add_device(pagerank)
    _options.with_output(pagerank, "scores (.csv, .npy, .npz, .parquet)")


def _betweenness(commands: Commands) -> None:
    betweenness = _command(
        commands,
        "betweenness",
        _scores.run_betweenness,
        "rank the vertices, or edges, by the part of all shortest paths that lead through them",
    )
    _options.reads_graph(betweenness)
    betweenness.add_argument("--edges", action="store_true", help="rank the edges")
    start = betweenness.add_mutually_exclusive_group()
    start.add_argument("--sources", metavar="V,W,...", help="where paths begin; default: all")
    start.add_argument(
        "--sample", type=int, metavar="K", help="estimate from K random sources, for large graphs"
    )
    betweenness.add_argument("--targets", metavar="V,W,...", help="where paths end; default: all")
    betweenness.add_argument(
        "--limit", type=float, default=float("inf"), help="largest length of a path"
    )
    betweenness.add_argument(
        "--normalized",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="divide by the number of pairs; default: yes",
    )
    _options.add_seed(betweenness)
    _options.add_unweighted(betweenness)
    _options.add_device(betweenness)
    _options.with_output(betweenness, "scores (.csv, .npy, .npz, .parquet)")


def _communities(commands: Commands) -> None:
    communities = _command(
        commands,
        "communities",
        _scores.run_communities,
        "divide a graph into communities, with more edges inside than chance would have",
    )
    _options.reads_graph(communities)
    communities.add_argument(
        "--method",
        dest="algorithm",
        choices=_scores.ALGORITHMS,
        default="leiden",
        help="default: leiden",
    )
    communities.add_argument(
        "--quality", choices=("modularity", "cpm"), help="what is increased; default: modularity"
    )
    communities.add_argument(
        "--resolution", type=float, help="more gives more communities; default: 1"
    )
    _options.add_seed(communities)
    communities.add_argument("--unweighted", action="store_true", help="every edge weighs 1")
    _options.add_device(communities)
    _options.with_output(communities, "labels (.csv, .npy, .npz, .parquet)")


def _mst(commands: Commands) -> None:
    mst = _command(commands, "mst", _commands.run_mst, "find the minimum spanning forest")
    _options.reads_graph(mst)
    mst.add_argument(
        "--maximum", action="store_true", help="find the maximum spanning forest instead"
    )
    _options.add_device(mst)
    _options.with_output(mst, "the forest as a graph", kind="graph")


def _cluster(commands: Commands) -> None:
    cluster = _command(
        commands, "cluster", _commands.run_cluster, "cut the spanning tree of a graph or of points"
    )
    _options.reads_graph(
        cluster, help=f"{_options.GRAPH}, or points: a .npy file, or any with --points"
    )
    cluster.add_argument("--points", action="store_true", help="the file holds a point in each row")
    cut = cluster.add_mutually_exclusive_group()
    cut.add_argument("--n-clusters", type=int, metavar="K", help="cut into K clusters")
    cut.add_argument("--threshold", type=float, metavar="T", help="cut edges of weight T or more")
    cluster.add_argument(
        "--min-cluster-size",
        type=int,
        default=1,
        metavar="M",
        help="label clusters of fewer points -1, as noise",
    )
    _options.add_device(cluster)
    _options.with_output(cluster, "labels (.csv, .npy; .npz adds the linkage)")
    cluster.add_argument(
        "--plot",
        metavar="FILE",
        help="draw the points, the weights of the tree and the dendrogram, as .png, .pdf or .svg",
    )


def _generate(commands: Commands) -> None:
    generate = _command(commands, "generate", _commands.run_generate, "make a graph, or points")
    generate.add_argument(
        "kind", choices=("rmat", "ssca2", "grid", "points"), help="kind of graph, or points"
    )
    generate.add_argument("--scale", type=int, help="rmat, ssca2: 2**SCALE vertices")
    generate.add_argument(
        "--edge-factor", type=float, default=16, help="rmat: edges per vertex; default: 16"
    )
    generate.add_argument("--shape", metavar="ROWSxCOLUMNS", help="grid: its size, such as 300x400")
    generate.add_argument("--count", type=int, metavar="N", help="points: number of points")
    generate.add_argument(
        "--dim", type=int, default=2, help="points: number of dimensions; default: 2"
    )
    generate.add_argument(
        "--weights",
        default="uniform",
        help="uniform (default, in 0..1), LOW-HIGH (integers) or none",
    )
    _options.add_seed(generate)
    _options.with_output(
        generate, "the graph, or points (.csv, .npy, .parquet)", kind="graph", required=True
    )


def _convert(commands: Commands) -> None:
    convert = _command(
        commands, "convert", _commands.run_convert, "write a graph in another format"
    )
    _options.reads_graph(convert)
    convert.add_argument(
        "--coordinates",
        metavar="FILE",
        help="the vertices' coordinates (.co), which .npz and .graphml keep",
    )
    _options.with_output(convert, "the graph", kind="graph", required=True)


def _bench(commands: Commands) -> None:
    bench = _command(
        commands,
        "bench",
        _commands.run_bench,
        "time shortest paths, hops, components and the spanning forest of a graph on each device, "
        "beside SciPy's functions on one core, and compare the answers",
    )
    _options.reads_graph(bench, nargs="?", help=f"{_options.GRAPH}; default: ny-road")
    bench.set_defaults(graph="ny-road")
    bench.epilog = (
        "Each call is made three times, and the shortest time counts. The ratio is SciPy's time "
        "divided by that of warpgraph: 10x is ten times as fast. Exit status 1: an answer differs."
    )
    bench.add_argument("--source", help=f"{_SOURCE}; default: the vertex with the most edges")
    bench.add_argument("--device", help="use this device only; default: each available device")


#: The commands whose calls have plans.
_PLANNED = (
    _sssp,
    _nearest,
    _within,
    _apsp,
    _bfs,
    _components,
    _pagerank,
    _betweenness,
    _communities,
    _mst,
    _cluster,
)


def _explain(commands: Commands) -> None:
    text = "tell the method, the devices, the memory and the time of a command, and do no more"
    explain = commands.add_parser(
        "explain",
        help=text,
        description=f"{text[0].upper()}{text[1:]}. The graph is read, and its weights are checked.",
    )
    explain.set_defaults(explains=True)
    explained = explain.add_subparsers(metavar="COMMAND", required=True)
    for add in _PLANNED:
        add(explained)


def _tune(commands: Commands) -> None:
    text = "measure how fast this machine is, for the choice of methods and devices"
    command = _command(commands, "tune", run_tune, text)
    command.description = (
        f"{text[0].upper()}{text[1:]}. Takes some seconds, in which nothing else should run; the "
        "report has the file that keeps the rates, which all later calls of this user read. "
        "Without that file, plans rest on the machines that the package was measured on."
    )
