"""The experiment of the article on minimum spanning trees that the transformations go back to.

R-MAT and SSCA2 graphs of the GraphHPC contest, 32 arcs a vertex, uniform weights in float64. The
article times graphs that were transformed beforehand: vertices renumbered, weights ranked, rows
sorted. That is the case "transformed"; the graph as it came is a rival there. The figure is the
arcs of the graph, both ways counted, in millions by the seconds of a forest: medians.

python benchmarks/bench_mst.py --suite seed-003 --device cuda
python benchmarks/seed_003.py benchmarks/results/mst-seed-003-*.json

Its second table has the bytes of each graph: neighbours of 4 bytes with weights of 8, and
compressed neighbours with ranks. Columns are of what was measured: without a GPU, cores only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csgraph

import inputs
import report
import warpgraph as wg
from harness import Case, Input

SCALES = range(16, 27)
KINDS = ("rmat", "ssca2")
#: Beyond this SciPy takes minutes.
LARGEST_FOR_SCIPY = 20

PLAIN = "as it came"

Rates = dict[str, dict[str, dict[int, float]]]  #: million arcs a second by graph, contestant, scale
Sizes = dict[str, dict[int, dict[str, int]]]  #: by graph and scale


def build(kind: str, scale: int) -> wg.Graph:
    """Return a graph of the contest."""
    if kind == "ssca2":
        return wg.generators.ssca2(scale, seed=1, dtype=np.float64)
    return wg.generators.rmat(
        scale,
        seed=1,
        dtype=np.float64,
        parameters="graphhpc",
        keep_loops=True,
        keep_duplicates=True,
    )


class Transformed:
    """A graph as it came, and after all transformations; what the cases are built of."""

    def __init__(self, kind: str, scale: int) -> None:
        self.plain = build(kind, scale)
        near = wg.transform.reorder(self.plain)
        ranked = wg.transform.rank_weights(near.graph)
        self.ranks = ranked.values
        rows = wg.transform.sort_by_weight(ranked.graph)
        self.graph = rows.graph
        self.reports = (near.report, ranked.report, rows.report)
        self.resident: dict[str, wg.Graph] = {}

    def on(self, device: str, *, transformed: bool) -> wg.Graph:
        """Return one of the graphs on a device, known to be symmetric."""
        graph = self.graph if transformed else self.plain
        graph.is_mirrored()
        return graph if device == "cpu" else graph.to(device)


def size(x: Transformed) -> dict[str, int]:
    """Return what the second table shows; the seconds of the transformations in microseconds."""
    small = wg.transform.compress(x.graph)
    vertices = {"vertices": x.plain.n_vertices, "edges": x.plain.n_edges}
    return {
        **vertices,
        "bytes": x.plain.indices.nbytes + x.plain.data.nbytes,
        "bytes of neighbours": x.plain.indices.nbytes,
        "bytes compressed": small.nbytes + x.graph.data.nbytes,
        "bytes of compressed neighbours": small.nbytes,
        "microseconds of transforming": round(
            1e6 * sum(r.seconds for r in (*x.reports, small.report))
        ),
    }


def ours(x: Input) -> Any:
    found = wg.minimum_spanning_forest(x.matrix.on(x.device, transformed=True), device=x.device)
    return x.matrix.ranks[found.weights]


def as_it_came(x: Input) -> Any:
    found = wg.minimum_spanning_forest(x.matrix.on(x.device, transformed=False), device=x.device)
    return found.weights


def scipy(x: Input) -> Any:
    return csgraph.minimum_spanning_tree(inputs.matrix_of(x.matrix.plain)).data


def agree(weights: Any, others: Any) -> bool:
    return np.array_equal(np.sort(weights), np.sort(others))


def cases() -> list[Case]:
    """Return a case for each graph and scale, and a tiny one of each for the tests."""
    return [_case(kind, scale) for scale in (8, *SCALES) for kind in KINDS]


def _case(kind: str, scale: int) -> Case:
    rivals: dict[str, Callable[[Input], Any]] = {PLAIN: as_it_came}
    if scale <= LARGEST_FOR_SCIPY and kind == "ssca2":
        # Of parallel arcs SciPy's matrices would have the sum.
        rivals["SciPy"] = scipy
    return Case(
        f"article's forest, {kind} {scale}, float64",
        partial(Transformed, kind, scale),
        ours,
        rivals,
        "seed-003" if scale in SCALES else "smoke",
        resident=False,
        agree=agree,
        size=size,
    )


def collect(results: Sequence[dict[str, Any]]) -> tuple[Rates, Sizes]:
    """Return the newest rate of each contestant and the sizes, by graph and scale."""
    rates: Rates = {}
    sizes: Sizes = {}
    for result in sorted(results, key=lambda result: str(result["started"])):
        for measurement in result["measurements"]:
            kind, scale_text = measurement["case"].split(", ")[1].split()
            scale = int(scale_text)
            sizes.setdefault(kind, {})[scale] = measurement["size"]
            for name, seconds in measurement["medians"].items():
                named = _contestant(name, measurement)
                rate = measurement["size"]["edges"] / seconds / 1e6
                rates.setdefault(kind, {}).setdefault(named, {})[scale] = rate
    return rates, sizes


def _contestant(name: str, measurement: dict[str, Any]) -> str:
    """Return what the picture calls a contestant: "GPU", "2 threads, as it came"."""
    on_gpu = measurement["device"] != "cpu"
    threads = report.threads(measurement["threads"])
    where = "GPU" if on_gpu and not name.startswith("warpgraph cpu") else threads
    if name == PLAIN:
        return f"{where}, {PLAIN}"
    return name if name == "SciPy" else where


def markdown(rates: Rates, sizes: Sizes) -> str:
    """Return two tables: rates, a row for each scale and graph, and sizes."""
    names = list(dict.fromkeys(name for curves in rates.values() for name in curves))
    lines = [
        f"| million arcs a second | {' | '.join(names)} |",
        "|---|" + "--:|" * len(names),
    ]
    for kind, curves in rates.items():
        for scale in sorted(sizes[kind]):
            cells = [_rate(curves.get(name, {}).get(scale)) for name in names]
            lines.append(f"| {kind} {scale} | {' | '.join(cells)} |")
    lines += [
        "",
        "| graph | vertices | arcs | GB | compressed | neighbours shrink | transforming, s |",
        "|---|--:|--:|--:|--:|--:|--:|",
    ]
    lines += [
        _size(kind, scale, sizes[kind][scale]) for kind in sizes for scale in sorted(sizes[kind])
    ]
    return "\n".join(lines)


def _rate(rate: float | None) -> str:
    return "-" if rate is None else f"{rate:.4g}"


def _size(kind: str, scale: int, size: dict[str, int]) -> str:
    shrinks = size["bytes of neighbours"] / size["bytes of compressed neighbours"]
    return (
        f"| {kind} {scale} | {size['vertices']:,} | {size['edges']:,} | {size['bytes'] / 1e9:.3f} "
        f"| {size['bytes compressed'] / 1e9:.3f} | {shrinks:.2f}x "
        f"| {size['microseconds of transforming'] / 1e6:.2f} |"
    )


def draw(rates: Rates, sizes: Sizes, path: Path) -> None:
    """Draw a panel of rates for each kind of graph, and one of sizes."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 3, figsize=(13, 4.2), layout="constrained")
    for axis, (kind, curves) in zip(axes, rates.items(), strict=False):
        for name, curve in curves.items():
            scales = sorted(curve)
            axis.plot(scales, [curve[s] for s in scales], "o-", label=name)
        axis.set_title(kind)
        axis.set_yscale("log")
        axis.set_ylabel("million arcs a second")
        axis.legend(fontsize=8, frameon=False)
    for kind, by_scale in sizes.items():
        scales = sorted(by_scale)
        for what, style in (("bytes", "o-"), ("bytes compressed", "s--")):
            values = [by_scale[s][what] / 1e9 for s in scales]
            axes[2].plot(scales, values, style, label=f"{kind}, {what}")
    axes[2].set_yscale("log")
    axes[2].set_ylabel("GB of neighbours and weights")
    axes[2].legend(fontsize=8, frameon=False)
    for axis in axes:
        axis.set_xlabel("scale: the graph has 2^scale vertices, 32 arcs each")
        axis.spines[["top", "right"]].set_visible(False)
    report.save(figure, path)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the tables and draw the picture."""
    results, picture = report.read_experiment("seed-003", arguments)
    rates, sizes = collect(results)
    if all(m["device"] == "cpu" for result in results for m in result["measurements"]):
        print("There are columns of cores only: the results are of machines without a GPU.\n")
    print(markdown(rates, sizes))
    draw(rates, sizes, picture)
    print(f"\n{picture}")


if __name__ == "__main__":
    main()
