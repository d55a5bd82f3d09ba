"""The experiment of the article on minimum spanning trees behind the transformations.

R-MAT and SSCA2 graphs of the GraphHPC contest, 32 arcs per vertex, uniform weights in float64. The
article times graphs that were transformed beforehand: vertices renumbered, weights ranked, rows
sorted. So do all contestants here except "as it came". The figure is the arcs of the graph, both
ways counted, in millions by the seconds of a forest: medians.

GPU: method="boruvka"; the graph is on the GPU, prepared by the first call, and the edge ids stay
there. "not renumbered": the same without renumbering, which shows what that gains. "compressed":
the same with compressed neighbours. In the contestants "to the host" the ranks of the edges are
copied to the host, by GPU alone if all arcs fit, or by GPU and cores that divide the search if the
GPU may hold no more than half of them; "hybrid" leaves a smaller share to the cores although all
arcs would fit, as the article does. Cores return the whole forest.

make experiments SEED=003 EXPERIMENT='--device cuda --sizes article'

After the runs, if PyTorch is there, its profiler counts the rounds of one more search on the GPU
and the time of its kernels: a process for each graph keeps the profiler out of all measured runs.

R-MAT graphs of scale 26 take two minutes to transform; ranking their weights takes 96 GiB of the
GPU's memory, or 88 of the host's beside 50 of the graph. An H200 does not hold that graph twice, so
there it needs --without "as it came|not renumbered"; both were measured before, when graphs of this
scale were not transformed. Graphs of scale 27 are searched as they came, by one GPU, by all GPUs
and by cores: their transformations would take twice that memory. The second table has the bytes of
each graph: neighbours of 4 bytes with weights of 8, and compressed neighbours with ranks; the time
of the transformations, and of the preparation on the device; the third, rounds and kernels.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csgraph

import warpgraph as wg
from benchmarks import inputs, report
from benchmarks.harness import Case, Input, Once, Timed
from benchmarks.kernel_times import kernel_times
from benchmarks.laboratory import laboratory
from warpgraph import _core
from warpgraph._trees import hybrid_forest

SCALES = range(16, 27)
#: The scale of graphs that are not transformed.
PLAIN_SCALE = 27
KINDS = ("rmat", "ssca2")
#: Above this scale SciPy takes minutes.
LARGEST_FOR_SCIPY = 20
#: Above this scale cores search once.
LARGEST_FOR_CORES = 25

PLAIN = "as it came"
CORES = "cores"
CORES_PLAIN = f"{CORES}, {PLAIN}"
NOT_RENUMBERED = "GPU, not renumbered"
#: A limit of memory that is none.
EVERYTHING = 1 << 62
#: The kernels that search for lightest edges, once a round.
SEARCHES = ("lower_from_cursors", "scan_rows")
#: The method of the laboratory.
COMPRESSED = "boruvka, compressed"
#: The hybrid search on a graph that would fit: percent of the arcs that are left to the cores, the
#: heavy ones of each row. The article gives them 20 to 25 at most.
SHARES = (5, 10, 20)
HYBRID = "hybrid, {} % of the arcs on the cores"

#: Bytes of a forest per vertex on a device, for trees and positions in the rows.
BYTES_OF_A_VERTEX = 64
#: Solves after which the share of the cores in each round is tuned.
SOLVES_TO_LEARN = 5

Rates = dict[str, dict[str, dict[int, float]]]  #: 10^6 arcs per second by graph, contestant, scale
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
    """A graph before and after all transformations; the input of the cases."""

    def __init__(self, kind: str, scale: int) -> None:
        self.plain = build(kind, scale)
        self.seconds = 0.0
        if scale != PLAIN_SCALE:
            self.graph = self._transform()
        self.upper: Any = None
        self.device: Any = None  # of searches on a GPU
        self.ids: dict[Any, Any] = {}
        self.taught: dict[int, Any] = {}
        self.preparing: dict[Any, float] = {}

    def _transform(self) -> wg.Graph:
        """Renumber vertices, rank weights, sort rows."""
        self.graph = self._graph_of(wg.transform.reorder(self.plain))
        ranked = wg.transform.rank_weights(self.graph)
        self.ranks = ranked.values
        self.graph = self._graph_of(ranked)
        return self._graph_of(wg.transform.sort_by_weight(self.graph))

    def _graph_of(self, made: Any) -> wg.Graph:
        """Record the time of a transformation; at scale 26 only its graph may stay in memory."""
        self.seconds += made.report.seconds
        return made.graph

    def on(self, device: str, *, transformed: bool) -> wg.Graph:
        """Return one of the graphs on a device, known to be symmetric."""
        graph = self.graph if transformed else self.plain
        graph._is_mirrored()
        return graph if device == "cpu" else graph.to(device)

    def for_scipy(self) -> Any:
        """Return SciPy's best input: its own types, and each edge once; made by the first call."""
        if self.upper is None:
            self.upper = inputs.for_scipy(inputs.matrix_of(self.plain), one_triangle=True)
        return self.upper

    def values_of(self, weights: Any) -> Any:
        """Return the weights for the ranks of a forest of the transformed graph."""
        return self.ranks[weights]

    def find_on_device(self, device: str, *, transformed: bool, method: str) -> Timed:
        """Find a forest; the ids of its edges stay on the device."""
        graph = self.on(device, transformed=transformed)
        self.device = device
        key = method, transformed
        if key not in self.ids:
            self.ids[key] = _core.device_array(graph.n_vertices, np.dtype(np.int64), device)
        ids = self.ids[key]
        find = partial(wg.minimum_spanning_forest, graph, method=method, out=ids, device=device)
        if method == COMPRESSED:
            handle = graph._upper_triangle()[0]._handle
            find = partial(laboratory().boruvka_on_device, handle, graph.dtype, ids, device)
            find = partial(find, compressed=True)
        start = time.perf_counter()
        count = find()
        seconds = time.perf_counter() - start
        self.preparing.setdefault(key, seconds)

        @cache
        def weights() -> Any:
            found = graph.data[ids.to_numpy()[:count]]
            return np.sort(self.values_of(found) if transformed else found)

        return Timed(seconds, weights)

    def divide(self, device: str, limit: int) -> Timed:
        """Find the ranks of a forest's edges on the device, and cores if not all arcs fit."""
        forests = hybrid_forest.hybrid_forests(self.graph, maximum=False)
        if limit not in self.taught:
            self.taught[limit] = _core.hybrid_forest(forests.rows, device, _core.ledger(limit))
            for _ in range(SOLVES_TO_LEARN):
                self.taught[limit].solve_ranks()
        forest = self.taught[limit]
        start = time.perf_counter()
        forest.solve_ranks()
        seconds = time.perf_counter() - start

        @cache
        def weights() -> Any:
            graph = self.graph._handle
            found = forest.solve(graph, self.graph.dtype, forests.rows, None)[1]
            return np.sort(self.values_of(found))

        return Timed(seconds, weights)


def plain_size(x: Transformed) -> dict[str, int]:
    """Return the figures of a graph before transformations."""
    return {
        "vertices": x.plain.n_vertices,
        "edges": x.plain.n_edges,
        "bytes": x.plain.indices.nbytes + x.plain.data.nbytes,
        "bytes of neighbours": x.plain.indices.nbytes,
    }


def size(x: Transformed) -> dict[str, int]:
    """Return the figures for the second and third table; times in microseconds."""
    found = plain_size(x)
    small = wg.transform.compress(x.graph)
    found |= {
        "bytes compressed": small.nbytes + x.graph.data.nbytes,
        "bytes of compressed neighbours": small.nbytes,
        "microseconds of transforming": round(1e6 * (x.seconds + small.report.seconds)),
        "microseconds of preparing": round(1e6 * x.preparing.get(("boruvka", True), 0.0)),
    }
    return found | rounds_and_kernels(x)


def rounds_and_kernels(x: Transformed) -> dict[str, int]:
    """Return the rounds of a search on the GPU and the time of its kernels, if PyTorch is there."""
    if x.device is None:
        return {}
    kernels = kernel_times(lambda: x.find_on_device(x.device, transformed=True, method="boruvka"))
    searches = [
        kernel for name, kernel in kernels.items() if any(search in name for search in SEARCHES)
    ]
    if not searches:
        return {}
    return {
        "rounds": max(kernel.launches for kernel in searches),
        "microseconds of search kernels": round(sum(kernel.microseconds for kernel in searches)),
        "microseconds of kernels": round(sum(k.microseconds for k in kernels.values())),
    }


def ours(x: Input) -> Any:
    if x.device != "cpu":
        return x.matrix.find_on_device(x.device, transformed=True, method="boruvka")
    return on_cores(x)


def not_renumbered(x: Input) -> Any:
    return x.matrix.find_on_device(x.device, transformed=False, method="boruvka")


def to_the_host(x: Input) -> Any:
    """All arcs fit."""
    return x.matrix.divide(x.device, EVERYTHING)


def compressed(x: Input) -> Any:
    return x.matrix.find_on_device(x.device, transformed=True, method=COMPRESSED)


def as_it_came(x: Input) -> Any:
    if x.device != "cpu":
        return x.matrix.find_on_device(x.device, transformed=False, method="filter")
    found = wg.minimum_spanning_forest(x.matrix.on(x.device, transformed=False), device=x.device)
    return found.weights


def whole_forest(x: Input, devices: Any) -> Timed:
    """Find the forest of the graph as it came, which the devices keep."""
    graph = x.matrix.on("cpu", transformed=False)
    start = time.perf_counter()
    found = wg.minimum_spanning_forest(graph, device=devices)
    seconds = time.perf_counter() - start
    return Timed(seconds, lambda: np.sort(found.weights))


def scipy(x: Input) -> Any:
    return csgraph.minimum_spanning_tree(x.matrix.for_scipy()).data


def with_cores(x: Input, percent: int) -> Any:
    """Limit the device to the memory of the vertices, and heads and ranks of the other arcs."""
    graph = x.matrix.graph
    arcs = graph.n_edges * (100 - percent) // 100
    return x.matrix.divide(x.device, BYTES_OF_A_VERTEX * graph.n_vertices + 8 * arcs)


def on_cores(x: Input) -> Any:
    """Find the whole forest; weights are made of ranks for the comparison only."""
    graph = x.matrix.on("cpu", transformed=True)
    start = time.perf_counter()
    found = wg.minimum_spanning_forest(graph, device="cpu")
    seconds = time.perf_counter() - start
    return Timed(seconds, lambda: np.sort(x.matrix.values_of(found.weights)))


def agree(weights: Any, others: Any) -> bool:
    """Compare sorted weights; weights on a device are copied for that only."""
    ours, theirs = (x() if callable(x) else np.sort(x) for x in (weights, others))
    return np.array_equal(ours, theirs)


def cases() -> list[Case]:
    """Return two cases for each graph and scale, and tiny ones for the tests."""
    transformed = [
        case
        for scale in (8, *SCALES)
        for kind in KINDS
        for case in (_on_cores(kind, scale), _on_gpu(kind, scale))
    ]
    return transformed + [_as_they_came(kind) for kind in KINDS]


def _as_they_came(kind: str) -> Case:
    gpus = wg.devices()[1:]
    rivals: dict[str, Callable[[Input], Any]] = {
        CORES_PLAIN: Once(partial(whole_forest, devices="cpu"))
    }
    if len(gpus) > 1:
        rivals[f"{len(gpus)} GPUs, {PLAIN}"] = partial(whole_forest, devices=gpus)
    return Case(
        f"article's forest, {kind} {PLAIN_SCALE}, float64",
        partial(Transformed, kind, PLAIN_SCALE),
        lambda x: whole_forest(x, x.device),
        rivals,
        "seed-003",
        resident=False,
        agree=agree,
        size=plain_size,
        devices=("cuda",),
    )


def _on_cores(kind: str, scale: int) -> Case:
    rivals: dict[str, Callable[[Input], Any]] = {PLAIN: as_it_came}
    if scale <= LARGEST_FOR_SCIPY and kind == "ssca2":
        # SciPy's matrices would sum parallel arcs.
        rivals["SciPy"] = scipy
    return _case(kind, scale, rivals, "cpu")


def _on_gpu(kind: str, scale: int) -> Case:
    rivals = {
        PLAIN: as_it_came,
        NOT_RENUMBERED: not_renumbered,
        "GPU, compressed": compressed,
        "GPU, ranks to the host": to_the_host,
        "larger than memory": partial(with_cores, percent=50),
        **{HYBRID.format(part): partial(with_cores, percent=part) for part in SHARES},
        CORES: on_cores if scale <= LARGEST_FOR_CORES else Once(on_cores),
    }
    return _case(kind, scale, rivals, "cuda")


def _case(kind: str, scale: int, rivals: dict[str, Callable[[Input], Any]], device: str) -> Case:
    return Case(
        f"article's forest, {kind} {scale}, float64",
        partial(Transformed, kind, scale),
        ours,
        rivals,
        "seed-003" if scale in SCALES else "smoke",
        resident=False,
        agree=agree,
        size=size,
        devices=(device,),
    )


def collect(results: Sequence[dict[str, Any]]) -> tuple[Rates, Sizes]:
    """Return rates and sizes by graph and scale, those of the newest run of each."""
    rates: Rates = {}
    sizes: Sizes = {}
    for result in sorted(results, key=lambda result: str(result["started"])):
        for measurement in result["measurements"]:
            kind, scale_text = measurement["case"].split(", ")[1].split()
            scale = int(scale_text)
            sizes.setdefault(kind, {})[scale] = measurement["size"]
            for curve in rates.setdefault(kind, {}).values():
                curve.pop(scale, None)  # of an older run
            for named, rate in rates_of(measurement).items():
                rates[kind].setdefault(named, {})[scale] = rate
    return rates, sizes


def rates_of(measurement: dict[str, Any]) -> dict[str, float]:
    """Return the million arcs a second by the contestants' names in the picture."""
    arcs = measurement["size"]["edges"]
    medians = measurement["medians"]
    return {_contestant(name, measurement): arcs / s / 1e6 for name, s in medians.items()}


def _contestant(name: str, measurement: dict[str, Any]) -> str:
    """Return a contestant's name in the picture: "GPU", "2 threads, as it came"."""
    on_gpu = measurement["device"] != "cpu"
    threads = report.threads(measurement["threads"])
    if name == CORES:
        return f"{threads}, whole forest"
    scale = int(measurement["case"].split(", ")[1].split()[1])
    if scale == PLAIN_SCALE:
        where = "GPU" if name == measurement["ours"] else name.removesuffix(f", {PLAIN}")
        return f"{threads if where == CORES else where}, {PLAIN}, whole forest"
    if name == PLAIN:
        return f"{'GPU' if on_gpu else threads}, {PLAIN}"
    if name.startswith("warpgraph") and on_gpu:
        return "GPU" if "bytes compressed" in measurement["size"] else NOT_RENUMBERED
    if name.startswith("warpgraph"):
        return f"{threads}, whole forest"
    return f"{name}, ranks to the host" if name == "larger than memory" else name


def draw(results: Sequence[dict[str, Any]], path: Path) -> None:
    """Draw a panel of rates for each kind of graph, and one of sizes."""
    plt = report.pyplot()
    rates, sizes = collect(results)
    figure, panels = plt.subplots(2, 2, figsize=(10, 8), layout="constrained")
    axes = list(panels.flat)[:3]
    rates = {kind: {n: c for n, c in curves.items() if c} for kind, curves in rates.items()}
    names = list(dict.fromkeys(name for curves in rates.values() for name in curves))
    lines = {}
    for axis, (kind, curves) in zip(axes, rates.items(), strict=False):
        for name, curve in curves.items():
            scales = sorted(curve)
            place = names.index(name)
            style = {"color": f"C{place % 10}", "marker": "osD"[place // 10], "label": name}
            (lines[name],) = axis.plot(scales, [curve[s] for s in scales], **style)
        axis.set_title(kind)
        axis.set_yscale("log")
        axis.set_ylabel("million arcs a second")
    panels[1, 1].set_axis_off()
    panels[1, 1].legend(lines.values(), lines, loc="center left", title="rates of")
    for i, (kind, by_scale) in enumerate(sizes.items()):
        wide = {"linewidth": 4 - 2.5 * i, "markersize": 10 - 5 * i}  # one may lie on the other
        scales = sorted(by_scale)
        for what, style in (("bytes", "o-"), ("bytes compressed", "s--")):
            known = [s for s in scales if what in by_scale[s]]
            values = [by_scale[s][what] / 1e9 for s in known]
            axes[2].plot(known, values, style, label=f"{kind}, {what}", **wide)
    axes[2].set_yscale("log")
    axes[2].set_ylabel("GB of neighbours and weights")
    axes[2].legend()
    axes[2].set_title("sizes")
    for axis in axes:
        axis.set_xlabel("scale: the graph has 2^scale vertices, 32 arcs each")
    report.save(figure, path)
