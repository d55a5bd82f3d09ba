"""Strong scaling over the GPUs of a machine: figures 10 to 12 and table 3 of seed 004's article.

Cases of bench_runtime.py --suite seed-004. Each algorithm runs on 1, 2, 4 and 8 GPUs, as many as
there are, and on what "cuda:all" means; all give the same answer. Graphs are kept on the GPUs.

python benchmarks/seed_004.py results/runtime-seed-004-*.json      # prints tables, draws a picture
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

import bench_sssp
import inputs
import report
import warpgraph as wg
from harness import Case, Input

SUITE = "seed-004"
#: What the article's figures have, on 8 GPUs.
COUNTS = (1, 2, 4, 8)


def sssp(x: Input, device: Any) -> Any:
    return wg.sssp(x.graph, inputs.source_of(x.matrix), device=device)


def bfs(x: Input, device: Any) -> Any:
    return wg.bfs(x.graph, inputs.source_of(x.matrix), device=device)


def pagerank(x: Input, device: Any) -> Any:
    """Rank until scores of all vertices change by less than 1e-12 of them, after tens of sweeps."""
    return wg.pagerank(x.graph, unweighted=True, tol=1e-12, max_iter=500, device=device)


def components(x: Input, device: Any) -> Any:
    return wg.connected_components(x.graph, device=device)[1]


def forest(x: Input, device: Any) -> Any:
    return wg.minimum_spanning_forest(x.graph, device=device).edge_ids


def from_many(x: Input, device: Any) -> Any:
    sources = np.arange(1024) * (x.matrix.shape[0] // 1024)
    return wg.many_to_many(x.graph, sources, targets=np.arange(1000), device=device)


ALGORITHMS = {
    "sssp": sssp,
    "bfs": bfs,
    "pagerank": pagerank,
    "components": components,
    "spanning forest": forest,
    "paths from 1024 vertices": from_many,
}
GRAPHS = {
    "ny-road": partial(bench_sssp.new_york, np.int32),
    "grid 4900 x 4900": partial(bench_sssp.grid, 4900, np.int32),
    "ssca2 22": partial(bench_sssp.ssca2, 22, np.int32),
    "rmat 22": partial(bench_sssp.rmat, 22, np.int32),
    "rmat 24": partial(bench_sssp.rmat, 24, np.int32),
}
#: What the largest graph is for: the others would take minutes on two GPUs.
ON_LARGEST = ("pagerank", "components")


@cache
def n_gpus() -> int:
    return len(wg.devices()) - 1


def on_gpus(call: Callable[[Input, Any], Any], n: int) -> Callable[[Input], Any]:
    device = [f"cuda:{i}" for i in range(n)] if n > 1 else "cuda:0"
    return lambda x: call(x, device)


def case(algorithm: str, graph: str) -> Case:
    call = ALGORITHMS[algorithm]
    return Case(
        f"{algorithm} on all GPUs, {graph}",
        GRAPHS[graph],
        lambda x: call(x, "cuda:all"),
        {f"{n} GPU{'s' * (n > 1)}": on_gpus(call, n) for n in COUNTS if n <= n_gpus()},
        SUITE,
        agree=np.array_equal,
        devices=["cuda"],
    )


def cases() -> list[Case]:
    """Return the cases, those of a graph after each other.

    Searches from 1024 vertices of the larger graphs would take minutes.
    """
    return [
        case(algorithm, graph)
        for graph in GRAPHS
        for algorithm, call in ALGORITHMS.items()
        if (call is not from_many or graph == "ny-road")
        and (graph != "rmat 24" or algorithm in ON_LARGEST)
    ]


def table(measurements: Sequence[dict[str, Any]]) -> str:
    """Return milliseconds by the number of GPUs."""
    counts = list(dict.fromkeys(name for m in measurements for name in m["ratios"]))
    rows = [
        "| ms | cuda:all | " + " | ".join(counts) + " |",
        "|---|" + "--:|" * (1 + len(counts)),
    ]
    for m in measurements:
        times = [m["medians"][name] for name in (m["ours"], *counts)]
        shown = " | ".join(f"{1e3 * seconds:.3g}" for seconds in times)
        rows.append(f"| {m['case'].replace(' on all GPUs', '')} | {shown} |")
    return "\n".join(rows)


def draw(measurements: Sequence[dict[str, Any]], path: Path) -> None:
    """Draw the speed-up over one GPU: a panel an algorithm, a line a graph."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    counts = list(dict.fromkeys(name for m in measurements for name in m["ratios"]))
    figure, panels = plt.subplots(2, 3, figsize=(11, 6), sharex=True, layout="constrained")
    for axes, algorithm in zip(panels.flat, ALGORITHMS, strict=True):
        for m in measurements:
            name, graph = m["case"].split(" on all GPUs, ")
            if name != algorithm:
                continue
            one = m["medians"]["1 GPU"]
            gpus = [int(n.split()[0]) for n in m["ratios"]]
            times_faster = [one / m["medians"][n] for n in m["ratios"]]
            axes.plot(
                gpus, times_faster, marker="o", label=graph, color=f"C{list(GRAPHS).index(graph)}"
            )
        axes.set_title(algorithm, fontsize=9)
        axes.axhline(1, color="black", linewidth=0.8)
        axes.set_xscale("log", base=2)
        axes.set_xticks(COUNTS[: len(counts)], COUNTS[: len(counts)])
    lines = {line.get_label(): line for axes in panels.flat for line in axes.get_lines()}
    shown = {graph: line for graph, line in lines.items() if graph in GRAPHS}
    figure.legend(shown.values(), shown, loc="outside right upper", fontsize=8)
    figure.supxlabel("GPUs")
    figure.supylabel("times faster than one GPU")
    report.save(figure, path)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the tables of results, and draw a picture of the last result of each case."""
    results, picture = report.read_experiment(SUITE, arguments)
    for result in results:
        print(f"{report.machine_name(result['machine'])}, commit {result['commit'][:9]}\n")
        print(table(result["measurements"]) + "\n")
    last = {m["case"]: m for result in results for m in result["measurements"]}
    draw(list(last.values()), picture)


if __name__ == "__main__":
    main()
