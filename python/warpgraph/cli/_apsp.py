"""``warpgraph apsp``: the distances between all vertices."""

from __future__ import annotations

import argparse
import contextlib
import os
import shutil
from collections.abc import Iterator
from typing import Any

import numpy as np

import warpgraph as wg
from warpgraph import _core
from warpgraph._arguments import validate
from warpgraph._arguments.new_array import bytes_of
from warpgraph._files.text import are_same_file, ending_of, is_regular, written_whole
from warpgraph._paths.apsp import arrays_of_result
from warpgraph.cli._files import NamedGraph, naming
from warpgraph.cli._options import shared
from warpgraph.cli._report import Report, emit, is_plan, timed
from warpgraph.cli._write import check_output, write_table

#: Distances that a report looks at together, so that it takes little memory beside them.
_LOOKED_AT = 1 << 22


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
    with _place(args, named.graph) as out:
        result = timed(
            report,
            args,
            wg.apsp,
            named.graph,
            dtype=args.dtype,
            return_predecessors=args.predecessors is not None,
            out=out,
            **shared(args),
        )
        distances, trees = result if args.predecessors else (result, None)
        report |= _summary(named, distances)
    if args.output and out is None:
        write_table(args.output, named.names(), named.names(), distances, "distance")
    if trees is not None:
        before = named.names_before(trees)
        write_table(args.predecessors, named.names(), named.names(), before, "predecessor")
    emit(report, as_json=args.json)


@contextlib.contextmanager
def _place(args: argparse.Namespace, graph: wg.Graph) -> Iterator[Any]:
    """Yield the array for the distances: None, or the output where memory has no space for them.

    The output is complete when this ends; after an error it is as it was before.
    """
    n, dtype = graph.n_vertices, validate.distance_dtype(args.dtype, graph.dtype)
    needed = bytes_of(*arrays_of_result(n, dtype, args.predecessors is not None))
    if _core.has_memory("cpu", needed, args.memory_limit or 0) or not _can_map(args, needed):
        yield None
        return
    with naming(args.output), written_whole(args.output) as file:
        distances = np.lib.format.open_memmap(file.name, "w+", dtype, (n, n))
        if not is_plan(args):
            _reserve(file.name)
        yield distances
        distances.flush()


def _can_map(args: argparse.Namespace, needed: int) -> bool:
    """Return whether the output can be the array of distances; else memory must have the space."""
    path = args.output
    advice = "pass --output FILE.npy, which may be larger than the memory"
    if args.predecessors is not None:
        advice = "leave out --predecessors: --output FILE.npy may then be larger than the memory"
    if path is not None and ending_of(path) == ".npy" and args.predecessors is None:
        free = shutil.disk_usage(os.path.dirname(os.path.realpath(path))).free
        if needed <= free and (not os.path.exists(path) or is_regular(path)):
            return True
        advice = f"make room for {path}, which may be larger: its disk has {free} bytes free"
    advice += "; or ask for a narrower --dtype, or for fewer sources: warpgraph sssp --sources"
    validate.ledger(args.memory_limit).require("the result of apsp", needed, advice)
    return False


def _reserve(path: str) -> None:
    """Take the space of a file on its disk: a full disk would end the process later."""
    if hasattr(os, "posix_fallocate"):
        with open(path, "r+b") as file:
            os.posix_fallocate(file.fileno(), 0, os.path.getsize(path))


def _summary(named: NamedGraph, distances: Any) -> Report:
    """Return the number of pairs joined by a path, and the pair of largest distance."""
    n_reached, farthest = 0, None
    n = len(distances)
    at_once = max(_LOOKED_AT // max(n, 1), 1)
    for first in range(0, n, at_once):
        rows = np.asarray(distances[first : first + at_once])
        is_reached = rows != validate.infinity(rows.dtype)
        n_reached += int(np.count_nonzero(is_reached))
        # Every vertex reaches itself.
        lowest = -np.inf if rows.dtype.kind == "f" else np.iinfo(rows.dtype).min
        source, target = divmod(int(np.argmax(np.where(is_reached, rows, lowest))), n)
        if farthest is None or rows[source, target] > distances[farthest]:
            farthest = first + source, target
    report: Report = {"pairs_reached": n_reached}
    if farthest is not None:
        source, target = farthest
        report["farthest"] = {
            "source": named.name_of(source),
            "target": named.name_of(target),
            "distance": distances[source, target],
        }
    return report
