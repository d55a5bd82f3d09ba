"""Strong scaling over the GPUs of a machine: figures 10 to 12 and table 3 of seed 004's article.

Cases of bench_runtime.py --suite seed-004. Each algorithm runs on 1, 2, 4 and 8 GPUs, as many as
there are, and on what "cuda:all" means; all give the same answer. Graphs are kept on the GPUs. With
one GPU there are two virtual members, which share it; with --device cpu, virtual members on the
cores. Neither scales: they tell what dividing the work costs.

Then all-reduce over links, and searches and ranks on a graph in the order of METIS's parts, beside
the same devices on equal ranges of vertices as they are. Partitioning is not timed. Without pymetis
these cases are left out. So are those beside the authors' programs, where these are not there.

make experiments SEED=004 EXPERIMENT='--device cuda --sizes article'
make experiments SEED=004 EXPERIMENT='--device cuda soc-LiveJournal1.txt.gz'  # one's own graph
"""

from __future__ import annotations

import importlib.util
import itertools
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

import warpgraph as wg
from benchmarks import inputs, report
from benchmarks.experiments import all_reduce, beside_groute
from benchmarks.harness import Case, Input, Timed, matrix_size
from benchmarks.paths import bench_apsp, bench_sssp

SUITE = "seed-004"
#: Numbers of GPUs in the article's figures.
COUNTS = (1, 2, 4, 8)


def sssp(x: Input, device: Any, dtype: Any = None) -> Any:
    return wg.sssp(x.graph, inputs.source_of(x.matrix), dtype=dtype, device=device)


def bfs(x: Input, device: Any) -> Any:
    return wg.bfs(x.graph, inputs.source_of(x.matrix), device=device)


def until(n_vertices: int) -> dict[str, Any]:
    """Return options: until scores change by less than 1e-12 on average, after tens of sweeps.

    Graphs are undirected: an error of the change divided by 1 - alpha.
    """
    return {"unweighted": True, "tol": n_vertices * 1e-12 / (1 - 0.85), "max_iter": 500}


def pagerank(x: Input, device: Any) -> Any:
    return wg.pagerank(x.graph, device=device, **until(x.matrix.shape[0]))


def components(x: Input, device: Any) -> Any:
    return wg.connected_components(x.graph, device=device)[1]


def forest(x: Input, device: Any) -> Any:
    return inputs.whole(wg.minimum_spanning_forest(x.graph, device=device)).edge_ids


def from_many(x: Input, device: Any, n: int = 1024) -> Any:
    sources = np.arange(n) * (x.matrix.shape[0] // n)
    return wg.many_to_many(x.graph, sources, targets=np.arange(1000), device=device)


class Alone:
    """A contestant with nothing on the GPUs but what it keeps there itself.

    The largest graphs do not fit next to their parts for other numbers of GPUs. All runs are in the
    warm-up, after two calls that copy the graph and list its edges; each turn then has the time of
    one of them. The call may measure its own time.
    """

    N_RUNS = 5

    def __init__(self, call: Callable[..., Any]) -> None:
        self.call = call
        self.graph: Any = None
        self.runs: dict[str, Iterator[Timed]] = {}

    def __call__(self, x: Input, device: Any) -> Timed:
        if self.graph is not x.graph:
            self.graph, self.runs = x.graph, {}
        if str(device) not in self.runs:
            x.graph._drop_device_copies()
            self.runs[str(device)] = itertools.cycle(self._run_all(x, device))
        return next(self.runs[str(device)])

    def _run_all(self, x: Input, device: Any) -> list[Timed]:
        """Return the runs after the first two, all with the last result; others are freed."""
        runs = []
        for _ in range(2 + self.N_RUNS):
            last = self._run(x, device)
            runs.append((last.seconds, last.counts))
        return [Timed(seconds, last.result, counts) for seconds, counts in runs[2:]]

    def _run(self, x: Input, device: Any) -> Timed:
        started = time.perf_counter()
        found = self.call(x, device)
        elapsed = time.perf_counter() - started
        return found if isinstance(found, Timed) else Timed(elapsed, found)


class AllPairs:
    """All pairs into the same array in each run, since touching a new one takes longer."""

    def __init__(self) -> None:
        self.out = np.empty((0, 0), np.int32)

    def __call__(self, x: Input, device: Any) -> Any:
        n = x.matrix.shape[0]
        if len(self.out) != n:
            self.out = np.empty((n, n), np.int32)
        found = wg.apsp(
            x.graph, dtype=np.int32, method="floyd_warshall", device=device, out=self.out
        )
        return found[:: n // 64].copy()  # enough to compare


ALGORITHMS = {
    "sssp": sssp,
    "bfs": bfs,
    "pagerank": pagerank,
    "components": components,
    "spanning forest": forest,
    "paths from 1024 vertices": from_many,
}
#: Edges that are drawn for a vertex of the article's kron21.sym, as the Graph500 benchmark's.
EDGES_OF_KRON = 48
GRAPHS = {
    "ny-road": partial(bench_sssp.new_york, np.int32),
    **inputs.votes(np.int32),
    "grid 4900 x 4900": partial(bench_sssp.grid, 4900, np.int32),
    "ssca2 22": partial(bench_sssp.ssca2, 22, np.int32),
    "rmat 22": partial(bench_sssp.rmat, 22, np.int32),
    "kron 21": partial(bench_sssp.rmat, 21, np.int32, EDGES_OF_KRON),
    "rmat 24": partial(bench_sssp.rmat, 24, np.int32),
}
#: Names of graphs in the order of tables, which does not depend on files that are there or not.
NAMES = tuple(dict.fromkeys(("ny-road", "wiki-Vote", *GRAPHS)))
#: Algorithms on the largest graph.
ON_LARGEST = ("sssp", "bfs", "pagerank", "components", "spanning forest")
#: Graphs that fill several GPUs, and the algorithms there. The last one takes 34 GB of one GPU, if
#: distances are integers of 32 bits.
FOR_SEVERAL: dict[str, tuple[Callable[[], Any], dict[str, Callable[..., Any]]]] = {
    "rmat 26": (
        partial(bench_sssp.rmat, 26, np.int32),
        {name: ALGORITHMS[name] for name in ON_LARGEST} | {"sssp": Alone(sssp)},
    ),
    "grid 12000 x 12000": (
        partial(bench_sssp.grid, 12000, np.int32),
        {name: ALGORITHMS[name] for name in ("pagerank", "components")},
    ),
    "rmat 27": (
        partial(bench_sssp.rmat, 27, np.int32),
        {"sssp, int32": Alone(partial(sssp, dtype=np.int32)), "bfs": bfs},
    ),
}
#: Beyond the article, on GPUs. 1024 searches leave most of two GPUs idle.
MORE: dict[str, tuple[Callable[..., Any], str, Callable[[], Any]]] = {
    "paths from 8192 vertices": (partial(from_many, n=8192), "ny-road", GRAPHS["ny-road"]),
    "paths from 65536 vertices": (partial(from_many, n=65536), "ny-road", GRAPHS["ny-road"]),
    "all pairs": (
        AllPairs(),
        "32 k vertices, 1 M edges",
        partial(bench_apsp.random_graph, 1 << 15, "int32", np.int32),
    ),
}

#: Algorithms on parts by METIS, by name: the call, of a graph, a source and devices.
ON_PARTS: dict[str, Callable[[wg.Graph, int, Any], Any]] = {
    "sssp": lambda graph, source, device: wg.sssp(graph, source, device=device),
    "bfs": lambda graph, source, device: wg.bfs(graph, source, device=device),
    "pagerank": lambda graph, _, device: wg.pagerank(
        graph, device=device, **until(graph.n_vertices)
    ),
}
#: METIS takes many minutes for the others, whose parts it hardly improves.
PARTITIONED = ("ny-road", "wiki-Vote", "grid 4900 x 4900")
SCALING = " on all GPUs, "
#: Name of the largest degree in the sizes of a graph.
LARGEST_DEGREE = "arcs from a vertex at most"
PARTS = " with parts by METIS, "


@cache
def n_gpus() -> int:
    return len(wg.devices()) - 1


def lists_of(device: str) -> dict[str, Any]:
    """Return the devices of contestants by name: real ones, else virtual ones."""
    if device == "cpu":
        return {f"{n} virtual members on the cores": ["cpu"] * n for n in COUNTS if n > 1}
    real: dict[str, Any] = {
        f"{n} GPU{'s' * (n > 1)}": [f"cuda:{i}" for i in range(n)] if n > 1 else "cuda:0"
        for n in COUNTS
        if n <= n_gpus()
    }
    return real if n_gpus() > 1 else real | {"2 virtual members of 1 GPU": ["cuda:0"] * 2}


def case(
    algorithm: str, graph: str, build: Callable[[], Any], device: str, call: Callable[..., Any]
) -> Case:
    ours = "cpu" if device == "cpu" else "cuda:all"
    return Case(
        f"{algorithm}{SCALING}{graph}",
        build,
        lambda x: call(x, ours),
        {name: lambda x, on=on: call(x, on) for name, on in lists_of(device).items()},
        SUITE,
        resident=True,
        agree=np.array_equal,
        size=sizes_of,
        devices=[device],
    )


def sizes_of(matrix: Any) -> dict[str, int]:
    """Return what the article's table 4 has of a graph."""
    return matrix_size(matrix) | {LARGEST_DEGREE: int(np.diff(matrix.indptr).max())}


class Partitioned:
    """A graph in the order of METIS's parts, made when it is first asked for."""

    def __init__(self, n_parts: int) -> None:
        self.n_parts = n_parts
        self.matrix: Any = None
        self.made: Any = None

    def of(self, matrix: Any) -> Any:
        if self.matrix is not matrix:
            self.made = wg.transform.partition(matrix, self.n_parts, "metis")
            self.matrix = matrix
        return self.made

    def size(self, matrix: Any) -> dict[str, int]:
        """Return the graph's size, and the arcs between parts."""
        cut = self.of(matrix).report
        return {
            "vertices": int(matrix.shape[0]),
            "edges": int(matrix.nnz),
            "arcs between equal ranges": round(cut.before),
            "arcs between parts": round(cut.after),
        }

    def call(self, x: Input, algorithm: str, on: Any) -> Timed:
        """Time the call alone; the answer is in the order of the graph as it is."""
        made = self.of(x.matrix)
        source = int(made.inverse[inputs.source_of(x.matrix)])
        started = time.perf_counter()
        found = ON_PARTS[algorithm](made.graph, source, on)
        return Timed(time.perf_counter() - started, found[made.inverse])


def same_ranks(ours: np.ndarray, theirs: np.ndarray) -> bool:
    """Return whether ranks are equal but for the order of their sums."""
    return np.allclose(ours, theirs, rtol=1e-9, atol=0)


def partition_case(
    algorithm: str,
    graph: str,
    build: Callable[[], Any],
    made: Partitioned,
    name: str,
    on: list[str],
) -> Case:
    device = on[0].split(":")[0]
    return Case(
        f"{algorithm}{PARTS}{graph}, {name}",
        build,
        lambda x: made.call(x, algorithm, on),
        {"equal split": lambda x: ON_PARTS[algorithm](x.graph, inputs.source_of(x.matrix), on)},
        SUITE,
        resident=True,
        agree=same_ranks if algorithm == "pagerank" else np.array_equal,
        size=made.size,
        devices=[device],
    )


def partition_cases(graph: str, build: Callable[[], Any], device: str) -> list[Case]:
    """Return cases for each number of GPUs from two on, or for two members on cores."""
    several = {name: on for name, on in lists_of(device).items() if isinstance(on, list)}
    if device == "cpu":
        several = dict(list(several.items())[:1])
    listed = []
    for name, on in several.items():
        made = Partitioned(len(on))
        listed += [partition_case(call, graph, build, made, name, on) for call in ON_PARTS]
    return listed


def cases(device: str, files: Sequence[str] = ()) -> list[Case]:
    """Return the cases of a kind of device, those of a graph after each other.

    With files, only their graphs are measured. Searches from 1024 vertices of the larger graphs
    would take minutes.
    """
    has_metis = importlib.util.find_spec("pymetis") is not None
    if not has_metis:
        print("cases with parts by METIS are left out: there is no pymetis", file=sys.stderr)
    listed = []
    given = inputs.of_files(files, np.int32)
    for graph, build in (given or GRAPHS).items():
        listed += [
            case(algorithm, graph, build, device, call)
            for algorithm, call in ALGORITHMS.items()
            if (call is not from_many or graph == "ny-road")
            and (graph != "rmat 24" or algorithm in ON_LARGEST)
        ]
        if has_metis and (given or graph in PARTITIONED):
            listed += partition_cases(graph, build, device)
    listed += beside_groute.cases(given or GRAPHS, lists_of(device), SUITE)
    return listed if given else listed + _beyond_graphs(device)


def _beyond_graphs(device: str) -> list[Case]:
    """Return all-reduce, and on GPUs the cases beyond the article."""
    listed = []
    if device == "cpu" or importlib.util.find_spec("cupy") is not None:
        listed += all_reduce.cases(lists_of(device), SUITE)
    else:
        print("all-reduce is left out: there is no CuPy", file=sys.stderr)
    if device != "cpu":
        listed += [
            case(name, graph, build, device, call) for name, (call, graph, build) in MORE.items()
        ]
    if device != "cpu" and n_gpus() > 1:
        listed += [
            case(name, graph, build, device, call)
            for graph, (build, calls) in FOR_SEVERAL.items()
            for name, call in calls.items()
        ]
    return listed


def is_scaling(measurement: dict[str, Any]) -> bool:
    return SCALING in measurement["case"]


def scaling_of(results: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the newest measurement of each case, of one with several GPUs if there is one."""
    newest: dict[str, dict[str, Any]] = {}
    for result in sorted(results, key=lambda result: str(result["started"])):
        newest |= {m["case"]: m for m in result["measurements"] if _has_several_gpus(m)}
        newest |= {m["case"]: m for m in result["measurements"] if m["case"] not in newest}
    return [m for m in newest.values() if is_scaling(m)]


def _has_several_gpus(measurement: dict[str, Any]) -> bool:
    return any(name.endswith(" GPUs") for name in measurement["ratios"])


def members_of(measurement: dict[str, Any]) -> dict[int, float]:
    """Return the seconds by the number of real devices, or of virtual members on cores."""
    medians = measurement["medians"]
    if measurement["device"] == "cpu":
        named = {1: medians[measurement["ours"]]}
        return named | {int(n.split()[0]): medians[n] for n in measurement["ratios"]}
    return {int(n.split()[0]): medians[n] for n in measurement["ratios"] if "virtual" not in n}


def draw(results: Sequence[dict[str, Any]], path: Path) -> None:
    """Draw the speed-up over one device: a panel an algorithm, a line a graph.

    Virtual members are drawn only if no case has several GPUs.
    """
    plt = report.pyplot()
    measurements = scaling_of(results)
    if several := [m for m in measurements if _has_several_gpus(m)]:
        measurements = several
    shown = sorted({n for m in measurements for n in members_of(m)})
    measured = [m["case"].split(SCALING)[1] for m in measurements]
    known = [graph for graph in (*NAMES, *FOR_SEVERAL) if graph in measured]
    graphs = list(dict.fromkeys([*known, *measured]))
    figure, panels = plt.subplots(2, 3, figsize=(11, 6), sharex=True, layout="constrained")
    for axes, algorithm in zip(panels.flat, ALGORITHMS, strict=True):
        for m in measurements:
            name, graph = m["case"].split(SCALING)
            if name != algorithm:
                continue
            counted = members_of(m)
            gpus = list(counted)
            times_faster = [counted[1] / seconds for seconds in counted.values()]
            color = f"C{graphs.index(graph)}"
            axes.plot(gpus, times_faster, marker="o", label=graph, color=color)
        axes.set_title(algorithm)
        axes.axhline(1, color="black", linewidth=0.8)
        axes.set_xscale("log", base=2)
        axes.set_xticks(shown, shown)
    lines = {line.get_label(): line for axes in panels.flat for line in axes.get_lines()}
    named = {graph: lines[graph] for graph in graphs if graph in lines}
    figure.legend(named.values(), named, loc="outside right upper")
    kinds = {m["device"].split(":")[0] for m in measurements}
    figure.supxlabel("virtual members on the same cores" if kinds == {"cpu"} else "GPUs")
    figure.supylabel("times as fast as one")
    report.save(figure, path)
