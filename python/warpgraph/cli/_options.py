"""Options of several commands, which functions have under the same names."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

import warpgraph as wg
from warpgraph._arguments import validate
from warpgraph.cli._files import split_names

GRAPH = (
    "a graph file (its ending names the format), - for stdin (give --format), or a data set such "
    "as ny-road"
)
_SHARED = ("directed", "unweighted", "method", "memory_limit", "device")


def shared(args: argparse.Namespace) -> dict[str, Any]:
    """Return the arguments of a function that a command's options of this module stand for."""
    return {name: getattr(args, name) for name in _SHARED if name in args}


def add_undirected(command: argparse.ArgumentParser) -> None:
    """Add the options of all searches."""
    command.add_argument(
        "--undirected", dest="directed", action="store_false", help="treat edges as undirected"
    )


def add_unweighted(command: argparse.ArgumentParser, methods: Sequence[str] = ()) -> None:
    """Add the options of commands that read weights, and their methods."""
    add_undirected(command)
    command.add_argument("--unweighted", action="store_true", help="every edge weighs 1")
    if methods:
        command.add_argument("--method", choices=methods, default="auto", help="default: auto")


def add_limit(command: argparse.ArgumentParser, *, required: bool = False) -> None:
    """Add the option for the largest distance."""
    command.add_argument(
        "--limit",
        type=float,
        default=float("inf"),
        required=required,
        help="largest distance; a table then has rows of what is reached alone",
    )


def add_seed(command: argparse.ArgumentParser) -> None:
    """Add the option for the random numbers."""
    command.add_argument(
        "--seed", type=int, default=0, help="seed of the random numbers; default: 0"
    )


def add_device(command: argparse.ArgumentParser) -> None:
    """Add the options for the device and its memory."""
    command.add_argument(
        "--device", default="auto", help="auto (default), cpu, cuda, cuda:<number> or cuda:all"
    )
    command.add_argument(
        "--memory-limit",
        type=_memory_size,
        metavar="SIZE",
        help="bytes that the work may take, such as 2e9, 2GB (1000**3) or 512MiB (1024**2)",
    )


def _memory_size(text: str) -> int:
    try:
        return validate.memory_limit(text)
    except ValueError as error:
        sentence = str(error).removeprefix("memory_limit ")
        raise argparse.ArgumentTypeError(sentence) from None


def reads_graph(
    command: argparse.ArgumentParser, *, nargs: str | None = None, help: str = GRAPH
) -> None:
    """Add the graph of a command, and the options of reading it."""
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
        help="type of the vertex names of a table, or of GraphML and the like",
    )
    command.add_argument(
        "--weight",
        metavar="NAME",
        help="attribute of edges in GraphML and the like that has their weights",
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


def with_output(
    command: argparse.ArgumentParser, what: str, *, kind: str = "arrays", required: bool = False
) -> None:
    """Add the option for the results; kind: arrays, rows, points or graph."""
    text = f"write {what}; the ending names the format; - is stdout, and the report is on stderr"
    command.add_argument("--output", metavar="FILE", required=required, help=text)
    if kind == "graph":
        command.add_argument(
            "--output-format",
            choices=wg.io._formats.writable(),
            help="format of --output; needed for -",
        )
    command.set_defaults(writes=kind)
