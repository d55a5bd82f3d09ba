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
    _pagerank as _pagerank_command,
)
from warpgraph.cli._completion import SHELLS, PrintCompletion
from warpgraph.cli._files import split_names
from warpgraph.cli._mistakes import Parser

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[Parser]

_GRAPH = (
    "a graph file (its ending names the format), - for stdin (give --format), or a data set such "
    "as ny-road"
)
_SOURCE = (
    "vertex to start from: its id in an edge list, its name if the file has names, else its "
    "number, counted from 0 (--file-ids: as in the file)"
)
_TREE = (
    "{0} and predecessors (.csv, .npz), or {0} alone {1}; the predecessor is -1 where there is "
    "none, or empty where vertices have names that are text or negative"
)
_METHODS = ("auto", "dijkstra", "delta_stepping", "near_far", "bellman_ford", "batched")
_METHODS_OF_PAGERANK = ("auto", "pull", "push")


def build_parser() -> argparse.ArgumentParser:
    """Return the parser; each command leaves its function in ``arguments.run``."""
    parser = Parser(
        prog="warpgraph",
        description="Shortest paths, spanning trees and clusters, on CPU cores and GPUs.",
        epilog=(
            "'warpgraph demo' is an example; 'warpgraph COMMAND --help' lists the options. Reports "
            "are lines of text, in which a path has one vertex a line and a name with blanks, "
            "commas or quotes is a JSON string, or with --json one JSON object."
        ),
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
    for add in (_demo, _info, _sssp, _apsp, _bfs, _components, _pagerank, _mst, _cluster):
        add(commands)
    for add in (_generate, _convert, _bench):
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


def _reads_graph(
    command: argparse.ArgumentParser, *, nargs: str | None = None, help: str = _GRAPH
) -> None:
    command.add_argument("graph", nargs=nargs, help=help)
    command.add_argument(
        "--format", choices=wg.io.formats(), help="format of the graph; default: by its ending"
    )
    command.add_argument(
        "--columns",
        type=_column_list,
        metavar="FROM,TO[,WEIGHT]",
        help="columns of a table, by name in its header or by position, counted from 0; default: "
        "by the names that are known, such as source, target and weight",
    )
    command.add_argument(
        "--header",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="whether the first line of a table is a header; default: by what it says",
    )
    command.add_argument(
        "--decimal", choices=(".", ","), help="decimal mark of a table's weights; default: a point"
    )
    command.add_argument(
        "--comment",
        metavar="MARK",
        help="leave out all lines of a table that begin so; default: only those above the first "
        "row that begin with # or %%",
    )
    command.add_argument(
        "--id-dtype",
        choices=("int64", "str"),
        help="type of the vertex names of a table or of GraphML",
    )
    command.add_argument(
        "--weight", metavar="NAME", help="attribute of edges in GraphML that has their weights"
    )
    command.add_argument(
        "--direction",
        type=_column,
        metavar="COLUMN",
        help="column of a table that tells which edges lead both ways, by name or by position, or "
        "none: each row leads from source to target; default: one that is called oneway, directed "
        "or the like, or a comment that says undirected",
    )
    command.add_argument(
        "--max-vertices", type=int, metavar="N", help="refuse a file with more vertices than N"
    )
    command.add_argument(
        "--file-ids",
        action="store_true",
        default=None,
        help="number vertices as the file does: from 1 on in .gr, .graph and .mtx",
    )


def _column_list(text: str) -> list[str | int]:
    return list(map(_column, split_names(text.strip())))


def _column(name: str) -> str | int:
    return int(name) if name.isdecimal() else name


def _with_output(
    command: argparse.ArgumentParser, what: str, *, kind: str = "arrays", required: bool = False
) -> None:
    text = f"write {what}; the ending names the format; - is stdout, and the report is on stderr"
    command.add_argument("--output", metavar="FILE", required=required, help=text)
    if kind == "graph":
        command.add_argument(
            "--output-format", choices=wg.io.formats(), help="format of --output; needed for -"
        )
    command.set_defaults(writes=kind)


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
    _reads_graph(info, nargs="?")


def _sssp(commands: Commands) -> None:
    sssp = _command(commands, "sssp", _commands.run_sssp, "find the shortest paths from a vertex")
    _reads_graph(sssp)
    start = sssp.add_mutually_exclusive_group(required=True)
    start.add_argument("--source", help=_SOURCE)
    start.add_argument("--sources", metavar="V,W,...", help="several vertices to start from")
    sssp.add_argument("--targets", metavar="V,W,...", help="report these vertices only")
    sssp.add_argument("--limit", type=float, default=float("inf"), help="largest distance")
    _options.add_unweighted(sssp, _METHODS)
    _options.add_device(sssp)
    _with_output(sssp, _TREE.format("distances", "(.npy, and of --sources)"))


def _apsp(commands: Commands) -> None:
    apsp = _command(
        commands, "apsp", _apsp_command.run_apsp, "find the distances between all vertices"
    )
    _reads_graph(apsp)
    _options.add_unweighted(apsp, METHODS_OF_APSP)
    apsp.add_argument("--dtype", help="type of the distances: float32, float64, int32, int64")
    _options.add_device(apsp)
    _with_output(apsp, "the matrix of distances (.csv, .npz; .npy may be larger than memory)")
    apsp.add_argument(
        "--predecessors", metavar="FILE", help="write the matrix of predecessors (.csv, .npy, .npz)"
    )


def _bfs(commands: Commands) -> None:
    bfs = _command(commands, "bfs", _commands.run_bfs, "count the hops from a vertex to all others")
    _reads_graph(bfs)
    bfs.add_argument("--source", required=True, help=_SOURCE)
    bfs.add_argument("--limit", type=int, metavar="HOPS", help="largest number of hops")
    _options.add_undirected(bfs)
    _options.add_device(bfs)
    _with_output(bfs, _TREE.format("hops", "(.npy)"))


def _components(commands: Commands) -> None:
    components = _command(
        commands, "components", _commands.run_components, "find the connected components"
    )
    _reads_graph(components)
    components.add_argument(
        "--strong", action="store_true", help="find the strongly connected components"
    )
    _options.add_device(components)
    _with_output(components, "labels (.csv, .npy, .npz)")


def _pagerank(commands: Commands) -> None:
    pagerank = _command(
        commands,
        "pagerank",
        _pagerank_command.run_pagerank,
        "rank the vertices by the probability that a random walk is there",
    )
    _reads_graph(pagerank)
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
    _with_output(pagerank, "scores (.csv, .npy, .npz)")


def _mst(commands: Commands) -> None:
    mst = _command(commands, "mst", _commands.run_mst, "find the minimum spanning forest")
    _reads_graph(mst)
    mst.add_argument(
        "--maximum", action="store_true", help="find the maximum spanning forest instead"
    )
    _options.add_device(mst)
    _with_output(mst, "the forest as a graph", kind="graph")


def _cluster(commands: Commands) -> None:
    cluster = _command(
        commands, "cluster", _commands.run_cluster, "cut the spanning tree of a graph or of points"
    )
    _reads_graph(cluster, help=f"{_GRAPH}, or points: a .npy file, or any with --points")
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
    _with_output(cluster, "labels (.csv, .npy; .npz adds the linkage)")
    cluster.add_argument(
        "--plot",
        metavar="FILE",
        help="draw the weights of the tree and the dendrogram, as .png, .pdf or .svg",
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
    generate.add_argument(
        "--seed", type=int, default=0, help="seed of the random numbers; default: 0"
    )
    _with_output(generate, "the graph, or points (.csv, .npy)", kind="graph", required=True)


def _convert(commands: Commands) -> None:
    convert = _command(
        commands, "convert", _commands.run_convert, "write a graph in another format"
    )
    _reads_graph(convert)
    convert.add_argument(
        "--coordinates",
        metavar="FILE",
        help="the vertices' coordinates (.co), which .npz and .graphml keep",
    )
    _with_output(convert, "the graph", kind="graph", required=True)


def _bench(commands: Commands) -> None:
    bench = _command(
        commands,
        "bench",
        _commands.run_bench,
        "time shortest paths, hops, components and the spanning forest of a graph on each device, "
        "beside SciPy's functions on one core, and compare the answers",
    )
    _reads_graph(bench, nargs="?", help=f"{_GRAPH}; default: ny-road")
    bench.set_defaults(graph="ny-road")
    bench.epilog = (
        "Each call is made three times, and the shortest time counts. The ratio is SciPy's time "
        "divided by that of warpgraph: 10x is ten times as fast. Exit status 1: an answer differs."
    )
    bench.add_argument("--source", help=f"{_SOURCE}; default: the vertex with the most edges")
    bench.add_argument("--device", help="use this device only; default: each available device")
