"""The experiment of the article behind method="bellman_ford" on CUDA [5 in sssp.hpp].

Undirected R-MAT graphs with 32 arcs per vertex and weights in float64, searched from 32 sources:
edge-parallel Bellman-Ford with both optimisations, without either, and without both, against
Dijkstra's algorithm on a core. The figure is the arcs of the graph, both ways counted, in millions
by the seconds of a search: its mean, least and largest over the sources.

So many edges are drawn that 32 arcs per vertex are left without loops and duplicates. The library
permutes edges by segments only where distances outgrow the second-level cache; here the length of
the segments is given, so that edges are permuted at every scale.

make experiments SEED=000 EXPERIMENT='--device cuda --sizes article'

The graph is resident; distances of a search on a GPU stay there. A core searches large graphs from
fewer sources, for some minutes.

Tables use the newest measurement of each contestant at each scale; they mark those with fewer
sources.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csgraph

import warpgraph as wg
from benchmarks import inputs, report
from benchmarks.harness import Case, Input, Timed
from benchmarks.laboratory import laboratory
from warpgraph import _core

SCALES = range(14, 25)
N_SOURCES = 32
#: Largest scales of a core beside a GPU, and of SciPy.
LARGEST_FOR_DIJKSTRA, LARGEST_FOR_SCIPY = 24, 20
#: Scale from which on it searches from fewer sources, and their number.
MANY_SECONDS_FOR_DIJKSTRA, FEW_SOURCES = 21, 8

#: Edges drawn per vertex, by scale, for 32.00 arcs per vertex without duplicates (found by secants
#: up to scale 22, extrapolated beyond; the results have the numbers of arcs).
EDGE_FACTORS = {
    **{8: 44.12, 14: 20.2954, 15: 19.3851, 16: 18.7030, 17: 18.1628, 18: 17.7429, 19: 17.4149},
    **{20: 17.1468, 21: 16.9332, 22: 16.7602, 23: 16.6206, 24: 16.5087},
}

BOTH = "segments and read-only loads"
SHORT = "short segments and read-only loads"
#: Largest segments of distances: three of them fit half the second-level cache of an H200, which
#: the library would choose, or the first-level cache of a multiprocessor.
LONG_SEGMENT, SHORT_SEGMENT = 1_310_720, 8192
#: Read-only loads, the largest length of segments (0: edges in the order of the rows), and rounds
#: over frontiers, which the article does not have.
VARIANTS = {
    BOTH: (True, LONG_SEGMENT, False),
    SHORT: (True, SHORT_SEGMENT, False),
    "segments off": (True, 0, False),
    "read-only loads off": (False, LONG_SEGMENT, False),
    "both off": (False, 0, False),
    "both, and frontiers as the library": (True, LONG_SEGMENT, True),
}
CORE = "Dijkstra, 1 core"
#: The method of the article without its optimisations, which are for GPUs.
ALL_CORES = "Bellman-Ford, all cores"
Distances = npt.NDArray[np.float64]
Curves = dict[str, dict[int, list[float]]]  #: million arcs per second by contestant and scale


def on_host(x: Input) -> Distances:
    return np.zeros(x.matrix.shape[0])


def on_device(x: Input) -> _core.DeviceArray:
    return _core.device_array(x.matrix.shape[0], np.dtype(np.float64), x.device)


class FromNextSource:
    """A contestant with a new source at each call, in the same order as all others.

    With fewer than all sources, the times of the first ones stand for the others; the table says
    of how many sources they are.
    """

    def __init__(
        self,
        search: Callable[[Input, int, Any], Any],
        make_out: Callable[[Input], Any] = on_host,
        n_sources: int = N_SOURCES,
    ) -> None:
        self.search = search
        self.make_out = make_out
        self.n_sources = n_sources
        self.calls = 0
        self.out: Any = None
        self.seconds: list[float] = []

    def __call__(self, x: Input) -> Any:
        if self.out is None:
            self.out = self.make_out(x)
        call, self.calls = self.calls, self.calls + 1
        if call > self.n_sources:  # call 0 warms up
            return Timed(self.seconds[1 + (call - 1) % self.n_sources], None)
        # The ends of random arcs are not isolated vertices.
        arc = np.random.default_rng(call % N_SOURCES).integers(x.matrix.nnz)
        start = time.perf_counter()
        result = self.search(x, int(x.matrix.indices[arc]), self.out)
        self.seconds.append(time.perf_counter() - start)
        return Timed(self.seconds[-1], result)


def agree(a: Any, b: Any) -> bool:
    host = [d.to_numpy() if isinstance(d, _core.DeviceArray) else d for d in (a, b)]
    return np.array_equal(*host)


def on_cuda(
    x: Input, source: int, out: _core.DeviceArray, *, variant: tuple[bool, int, bool]
) -> _core.DeviceArray:
    """Search with optimisations that users cannot switch, in at least four segments if any."""
    read_only_loads, longest, frontier_rounds = variant
    laboratory().bellman_ford(
        x.graph._handle_for(np.dtype(np.float64)),
        source,
        out,
        False,
        x.graph._is_mirrored(),
        x.device,
        read_only_loads=read_only_loads,
        segments=longest > 0,
        segment_length=min(longest, x.matrix.shape[0] // 4),
        frontier_rounds=frontier_rounds,
    )
    return out


def dijkstra(x: Input, source: int, out: Distances) -> Distances:
    return wg.sssp(x.graph, source, method="dijkstra", device="cpu", out=out)


def bellman_ford(x: Input, source: int, out: Distances) -> Distances:
    return wg.sssp(x.graph, source, method="bellman_ford", device="cpu", out=out)


def scipy(x: Input, source: int, out: Distances) -> Distances:
    return csgraph.dijkstra(inputs.for_scipy(x.matrix), indices=source)


def build(scale: int) -> Any:
    graph = wg.generators.rmat(
        scale, EDGE_FACTORS[scale], seed=1, weights=(1, 1000), dtype=np.float64
    )
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
    rivals = {ALL_CORES: FromNextSource(bellman_ford)}
    if scale <= LARGEST_FOR_SCIPY:
        rivals["SciPy"] = FromNextSource(scipy)
    return _case(scale, matrix, FromNextSource(dijkstra), rivals, "cpu")


def _on_gpu(scale: int, matrix: Callable[[], Any]) -> Case:
    variants = {
        name: FromNextSource(partial(on_cuda, variant=variant), on_device)
        for name, variant in VARIANTS.items()
    }
    ours = variants.pop(BOTH)
    if scale <= LARGEST_FOR_DIJKSTRA:
        n_sources = N_SOURCES if scale < MANY_SECONDS_FOR_DIJKSTRA else FEW_SOURCES
        variants[CORE] = FromNextSource(dijkstra, n_sources=n_sources)
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
        with_copy=False,
        agree=agree,
        devices=[kind],
    )


def _scale(measurement: dict[str, Any]) -> int:
    return int(measurement["case"].split("rmat ")[1].split(",")[0])


def collect(results: Sequence[dict[str, Any]]) -> Curves:
    """Return the newest rates of each contestant at each scale."""
    curves: Curves = {}
    for result in sorted(results, key=lambda result: str(result["started"])):
        for measurement in result["measurements"]:
            scale = _scale(measurement)
            arcs = measurement["size"]["edges"]
            for name, seconds in measurement["runs"].items():
                if name == measurement["ours"]:
                    name = CORE if measurement["device"] == "cpu" else BOTH
                curves.setdefault(name, {})[scale] = [arcs / s / 1e6 for s in seconds]
    return curves


def cell(rates: list[float] | None) -> str:
    """Return "1,776 (1,107 to 2,056)"."""
    if rates is None:
        return "-"
    n_sources = len(set(rates))
    sources = "" if n_sources == N_SOURCES else f", {n_sources} sources"
    mean, least, most = (_shown(f(rates)) for f in (np.mean, min, max))
    return f"{mean} ({least} to {most}{sources})"


def _shown(rate: float) -> str:
    return f"{rate:,.0f}" if rate >= 999.5 else f"{rate:.4g}"


def speed_up(curves: Curves, name: str, scale: int) -> tuple[float, float, float]:
    """Return how many times a core a contestant is: of the means, and the least and largest source.

    Runs of both are of the same sources in the same order; the first ones if the core has fewer.
    """
    ours, core = (np.array(curves[of][scale]) for of in (name, CORE))
    different = len(set(core))
    by_source = ours[:different] / core[:different]
    seconds = [np.mean(1 / rates) for rates in (core, ours)]
    return float(seconds[0] / seconds[1]), float(by_source.min()), float(by_source.max())


def draw(results: Sequence[dict[str, Any]], path: Path) -> None:
    """Draw the mean rate of each contestant and the speed-up over a core, with ranges as bands."""
    plt = report.pyplot()
    curves = collect(results)
    figure, (rates, gains) = plt.subplots(1, 2, figsize=(12, 4.5), layout="constrained")
    for name, curve in curves.items():
        scales = sorted(curve)
        low, high = ([f(curve[s]) for s in scales] for f in (min, max))
        _band(rates, scales, [np.mean(curve[s]) for s in scales], low, high, name)
    best = BOTH if BOTH in curves else ALL_CORES
    common = sorted(set(curves.get(best, {})) & set(curves.get(CORE, {})))
    if common:
        _band(gains, common, *zip(*(speed_up(curves, best, s) for s in common), strict=True), best)
    rates.set_ylabel("million arcs a second")
    gains.set_ylabel("times as fast as Dijkstra's algorithm on a core")
    for axes in (rates, gains):
        axes.set_yscale("log")
        axes.set_xlabel("scale: the graph has 2^scale vertices")
        axes.legend()
    report.save(figure, path)


def _band(axes: Any, x: Any, mean: Any, low: Any, high: Any, name: str) -> None:
    (line,) = axes.plot(x, mean, "o-", label=name)
    axes.fill_between(x, low, high, color=line.get_color(), alpha=0.15, linewidth=0)
