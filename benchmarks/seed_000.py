"""The experiment of the article that method="bellman_ford" on CUDA goes back to [5 in sssp.hpp].

Undirected R-MAT graphs with 32 arcs a vertex and weights in float64, searched from 32 sources:
edge-parallel Bellman-Ford with both optimisations, without either, and without both, against
Dijkstra's algorithm on a core. The figure is the arcs of the graph, both ways counted, in millions
by the seconds of a search: its mean, least and largest over the sources.

python benchmarks/bench_sssp.py --suite seed-000 --device cuda
python benchmarks/seed_000.py benchmarks/results/sssp-seed-000-*.json

The graph is resident; distances of a search on a GPU stay there. Beside a GPU the largest graphs
are not left to a core, which would take minutes. Without one they are; SciPy is better left out:

python benchmarks/bench_sssp.py --suite seed-000 --only "rmat (23|24)" --without SciPy

The table and the picture take the newest measurement of each contestant at each scale from all
files that they are given, and the table says where it has fewer sources.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csgraph

import inputs
import report
import warpgraph as wg
from harness import Case, Input
from warpgraph import _core

SCALES = range(14, 25)
N_SOURCES = 32
#: Beside a GPU; beyond these a core takes minutes for all sources.
LARGEST_FOR_DIJKSTRA, LARGEST_FOR_SCIPY = 22, 20

BOTH = "segments and read-only loads"
#: Read-only loads, segments, and the length of these (0: chosen for the device).
VARIANTS = {
    BOTH: (True, True, 0),
    "segments off": (True, False, 0),
    "read-only loads off": (False, True, 0),
    "both off": (False, False, 0),
}
CORE = "Dijkstra, 1 core"

Distances = npt.NDArray[np.float64]
Curves = dict[str, dict[int, list[float]]]  #: million arcs a second by contestant and scale


def on_host(x: Input) -> Distances:
    return np.zeros(x.matrix.shape[0])


def on_device(x: Input) -> _core.DeviceArray:
    return _core.device_array(x.matrix.shape[0], np.dtype(np.float64), x.device)


class FromNextSource:
    """A contestant that starts from another source at each call, the same ones as all others."""

    def __init__(
        self,
        search: Callable[[Input, int, Any], Any],
        make_room: Callable[[Input], Any] = on_host,
    ) -> None:
        self.search = search
        self.make_room = make_room
        self.calls = 0
        self.room: Any = None

    def __call__(self, x: Input) -> Any:
        if self.room is None:
            self.room = self.make_room(x)
        # The ends of random arcs are no lonely vertices.
        arc = np.random.default_rng(self.calls % N_SOURCES).integers(x.matrix.nnz)
        self.calls += 1
        return self.search(x, int(x.matrix.indices[arc]), self.room)


def agree(a: Any, b: Any) -> bool:
    host = [d.to_numpy() if isinstance(d, _core.DeviceArray) else d for d in (a, b)]
    return np.array_equal(*host)


def on_cuda(
    x: Input, source: int, room: _core.DeviceArray, *, tuning: tuple[bool, bool, int]
) -> _core.DeviceArray:
    """Search with the optimisations that users cannot switch."""
    _core.sssp(
        x.graph.handle_for(np.dtype(np.float64)),
        source,
        room,
        np.empty(0, np.int32),
        np.inf,
        np.empty(0, np.int32),
        False,
        x.device,
        None,
        method="bellman_ford",
        symmetric=x.graph.is_mirrored(),
        bellman_ford=tuning,
    )
    return room


def dijkstra(x: Input, source: int, room: Distances) -> Distances:
    return wg.sssp(x.graph, source, method="dijkstra", device="cpu", out=room)


def scipy(x: Input, source: int, room: Distances) -> Distances:
    return csgraph.dijkstra(x.matrix, indices=source)


def build(scale: int) -> Any:
    graph = wg.generators.rmat(scale, seed=1, weights=(1, 1000), dtype=np.float64)
    return inputs.matrix_of(graph)


def cases() -> list[Case]:
    """Return a case for each scale, on cores and on GPUs, and a tiny one for the tests."""
    return [
        case
        for scale in (8, *SCALES)
        for matrix in (partial(build, scale),)
        for case in (_on_cores(scale, matrix), _on_gpu(scale, matrix))
    ]


def _on_cores(scale: int, matrix: Callable[[], Any]) -> Case:
    return _case(scale, matrix, FromNextSource(dijkstra), {"SciPy": FromNextSource(scipy)}, "cpu")


def _on_gpu(scale: int, matrix: Callable[[], Any]) -> Case:
    variants = {
        name: FromNextSource(partial(on_cuda, tuning=tuning), on_device)
        for name, tuning in VARIANTS.items()
    }
    ours = variants.pop(BOTH)
    if scale <= LARGEST_FOR_DIJKSTRA:
        variants[CORE] = FromNextSource(dijkstra)
    if scale <= LARGEST_FOR_SCIPY:
        variants["SciPy"] = FromNextSource(scipy)
    return _case(scale, matrix, ours, variants, "cuda")


def _case(
    scale: int,
    matrix: Callable[[], Any],
    ours: FromNextSource,
    rivals: dict[str, FromNextSource],
    kind: str,
) -> Case:
    return Case(
        f"article's sssp, rmat {scale}, float64",
        matrix,
        ours,
        rivals,
        "seed-000" if scale in SCALES else "smoke",
        resident=True,
        agree=agree,
        devices=[kind],
    )


def collect(results: Sequence[dict[str, Any]]) -> Curves:
    """Return the newest rates of each contestant at each scale."""
    curves: Curves = {}
    for result in sorted(results, key=lambda result: str(result["started"])):
        for measurement in result["measurements"]:
            scale = int(measurement["case"].split("rmat ")[1].split(",")[0])
            arcs = measurement["size"]["edges"]
            for name, seconds in measurement["runs"].items():
                if name == measurement["ours"]:
                    name = CORE if measurement["device"] == "cpu" else BOTH
                curves.setdefault(name, {})[scale] = [arcs / s / 1e6 for s in seconds]
    return curves


def markdown(curves: Curves) -> str:
    """Return a table, a row for each scale: mean (least to largest)."""
    lines = [
        f"| million arcs a second, scale | {' | '.join(curves)} |",
        "|--:|" + "--:|" * len(curves),
    ]
    for scale in sorted({scale for curve in curves.values() for scale in curve}):
        cells = [_cell(curve.get(scale)) for curve in curves.values()]
        lines.append(f"| {scale} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _cell(rates: list[float] | None) -> str:
    if rates is None:
        return "-"
    sources = "" if len(rates) == N_SOURCES else f", {len(rates)} sources"
    return f"{np.mean(rates):.4g} ({min(rates):.4g} to {max(rates):.4g}{sources})"


def draw(curves: Curves, path: Path) -> None:
    """Draw the mean of each contestant, and its range as a band."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(8, 4.5), layout="constrained")
    for name, curve in curves.items():
        scales = sorted(curve)
        (line,) = axes.plot(scales, [np.mean(curve[s]) for s in scales], "o-", label=name)
        low, high = ([f(curve[s]) for s in scales] for f in (min, max))
        axes.fill_between(scales, low, high, color=line.get_color(), alpha=0.15, linewidth=0)
    axes.set_yscale("log")
    axes.set_xlabel("scale: the graph has 2^scale vertices, 32 arcs each")
    axes.set_ylabel("million arcs a second")
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(fontsize=8, frameon=False)
    report.save(figure, path)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table and draw the picture."""
    results, picture = report.read_experiment("seed-000", arguments)
    curves = collect(results)
    if BOTH not in curves:
        print("There are curves of cores only: the results are of machines without a GPU.\n")
    print(markdown(curves))
    draw(curves, picture)
    print(f"\n{picture}")


if __name__ == "__main__":
    main()
