"""wg.Hierarchy.customize: new weights on a kept structure, and what queries take then.

"customizing" is the time from a wg.Graph with new weights to a hierarchy that answers queries. It
is compared with a hierarchy that is made anew, and with RoutingKit, if WARPGRAPH_ROUTINGKIT_CCH
names routingkit_cch.cpp, compiled: with the same order of contraction and as many threads.
RoutingKit's time is that of its basic customization, which keeps all arcs; "routingkit, perfect"
adds that of its perfect one on one thread, which drops arcs that no shortest path needs, as
warpgraph's customization does. On a GPU the structure is there, the weights are copied to it, and
the hierarchy comes back. The sum of the distances of some pairs must be equal.

Queries of a customized hierarchy are compared with those of one that was made for its weights.
"""

import os
import re
import statistics
import subprocess
import tempfile
import time
from functools import cache, partial
from pathlib import Path

import numpy as np

import warpgraph as wg
from benchmarks import inputs
from benchmarks.harness import Case, Input, Once, Timed, main
from benchmarks.paths.bench_many_to_many import grid, ours
from benchmarks.rivals.ecl import write_egr

SECTION = (
    "New weights on a kept hierarchy",
    "`wg.Hierarchy.customize` is compared with a hierarchy that is made anew, and with "
    "RoutingKit by the same order of contraction; queries with those of a hierarchy that was "
    "made for its weights.",
)

N_PAIRS = 1000


@cache
def structure(build):
    """Return a case's graph with a customizable hierarchy."""
    return wg.Hierarchy(wg.Graph(build()), customizable=True)


@cache
def prepared(build, customized):
    """Return a graph that keeps a hierarchy, customized or made for its weights."""
    if customized:
        known = structure(build)
        return known.customize(known.graph.with_weights(known.graph.data)).graph
    return wg.Hierarchy(wg.Graph(build())).graph


@cache
def pairs_of(n):
    return np.random.default_rng(4).integers(0, n, (N_PAIRS, 2)).astype(np.int32)


def sum_of_pairs(graph):
    lengths = wg.shortest_paths(
        graph, *pairs_of(graph.n_vertices).T, method="hierarchy", return_paths=False
    )
    return int(lengths.sum())


def find_structure(x: Input):
    return wg.Hierarchy(wg.Graph(x.matrix), customizable=True).n_vertices


def timed(prepare, graph):
    start = time.perf_counter()
    made = prepare(graph)
    seconds = time.perf_counter() - start
    return Timed(seconds, sum_of_pairs(made.graph))


def customize(x: Input, build):
    known = structure(build)
    how = partial(known.customize, device=x.device)
    if x.device != "cpu":
        how(known.graph.with_weights(known.graph.data))  # the structure is copied once
    return timed(how, known.graph.with_weights(known.graph.data))


def anew(x: Input, build):
    return timed(wg.Hierarchy, wg.Graph(build()))


def routingkit(x: Input, build, perfect):
    """Return the median time, and the sum of the distances."""
    order = structure(build).graph._known("hierarchy structure").order
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / name for name in ("graph", "order", "pairs")]
        write_egr(x.matrix, files[0])
        order.tofile(files[1])
        pairs_of(len(order)).tofile(files[2])
        program = os.environ["WARPGRAPH_ROUTINGKIT_CCH"]
        command = [program, *map(str, files), str(x.threads)]
        printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout

    def median(what):
        times = re.findall(rf"{what}: ([\d.]+) ms", printed)
        return statistics.median(map(float, times)) / 1000

    seconds = median("Customize") + (median("Perfect") if perfect else 0)
    return Timed(seconds, int(re.findall(r"Sum: (\d+)", printed)[0]))


def sweep(x: Input, build, customized):
    return ours(
        Input(x.matrix, prepared(build, customized), x.device, x.threads), 256, method="hierarchy"
    )


def paths(x: Input, build, customized):
    graph = prepared(build, customized)
    pairs = pairs_of(graph.n_vertices)[:200].tolist()
    found = [wg.shortest_path(graph, *pair, method="hierarchy") for pair in pairs]
    return np.concatenate([[length, *vertices] for length, vertices in found])


def cases(name, build, suite):
    """Make the cases of one graph."""
    rivals = {"hierarchy anew": Once(partial(anew, build=build))}
    if "WARPGRAPH_ROUTINGKIT_CCH" in os.environ:
        for title, perfect in (("routingkit", False), ("routingkit, perfect", True)):
            rivals[title] = Once(partial(routingkit, build=build, perfect=perfect))
    on_cores = {"resident": False, "devices": ("cpu",)}
    structure_found = Case(
        f"finding the structure, {name}", build, find_structure, {}, suite, **on_cores
    )
    customizing = partial(customize, build=build)
    same = np.array_equal
    return [
        structure_found,
        Case(f"customizing, {name}", build, customizing, rivals, suite, agree=same, resident=False),
        *(
            Case(
                f"{what} of a customized hierarchy, {name}",
                build,
                partial(query, build=build, customized=True),
                {"own hierarchy": partial(query, build=build, customized=False)},
                suite,
                agree=same,
                devices=devices,
            )
            for what, query, devices in (
                ("256 sweeps", sweep, ("cpu", "cuda")),
                ("200 paths", paths, ("cpu",)),
            )
        ),
    ]


CASES = [
    *cases("grid 30 x 30", partial(grid, 30), "smoke"),
    *cases("ny-road", inputs.new_york, "standard"),
]
if inputs.dimacs_file("COL") is not None:
    CASES += cases("col-road", inputs.colorado, "standard")
if inputs.HAS_NORTHEAST:
    CASES += cases("ne-road", inputs.northeast, "standard")

if __name__ == "__main__":
    main(__file__, CASES)
