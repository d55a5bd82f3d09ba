"""Measurement of this machine: ``warpgraph tune``."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import warpgraph as wg
from warpgraph import _core, _rates
from warpgraph.cli._report import Report, emit

#: A call is measured so often, and the median taken.
_RUNS = 5


def run_tune(args: argparse.Namespace) -> None:
    """Measure how fast this machine is, and keep that."""

    def show(done: int, total: int) -> None:
        if not args.json and sys.stderr.isatty():
            end = "\n" if done == total else ""
            print(f"\rmeasured {done} of {total} calls", end=end, file=sys.stderr, flush=True)

    start = time.perf_counter()
    rates = measure(show)
    report: Report = {"rates": _rates.described(), "file": str(_rates.save(rates))}
    report["seconds"] = round(time.perf_counter() - start, 1)
    emit(report, as_json=args.json)


def measure(report: Callable[[int, int], Any] = lambda done, total: None) -> dict[str, Any]:
    """Return the rates of this machine, by which plans go from now on.

    Calls are measured beside what plans expect of them; the geometric mean of the ratios counts.
    """
    _core.set_scales(1, 1)
    was_learning = _core.is_learning()
    _core.set_learning(False)
    try:
        places = ("cpu", "cuda")[: 1 + (_core.cuda_device_count() > 0)]
        total = len(places) * sum(1 for _ in _calls("cpu"))
        ratios: dict[str, list[float]] = {place: [] for place in places}
        for place in places:
            for call, expected in _calls(place):
                ratios[place].append(_seconds(call) / expected)
                report(sum(map(len, ratios.values())), total)
    finally:
        _core.set_learning(was_learning)
    means = {place: float(np.exp(np.log(found).mean())) for place, found in ratios.items()}
    rates = {"machine": _rates.machine(), "cores": means["cpu"], "gpu": means.get("cuda", 1.0)}
    _rates.take(rates)
    return rates


def _seconds(call: Callable[[], Any]) -> float:
    """Return the median of some runs, after a first one."""
    call()
    found = []
    for _ in range(_RUNS):
        start = time.perf_counter()
        call()
        found.append(time.perf_counter() - start)
    return float(np.median(found))


def _calls(device: str) -> Iterator[tuple[Callable[[], Any], float]]:
    """Return calls on a device, and the seconds that plans expect of each."""
    skewed = wg.generators.rmat(16, seed=1, weights=(1, 255), dtype=np.float64)
    roads = wg.generators.grid(500, 500, removed=0.2, seed=1, weights=(1, 255), dtype=np.float64)
    points = np.random.default_rng(1).random((50_000, 3))
    some = np.arange(0, 200_000, 10_000)
    planned: list[tuple[Callable[..., Any], tuple[Any, ...]]] = []
    for graph in (skewed, roads):
        hub = int(np.diff(graph.indptr).argmax())
        planned += [
            (wg.bfs, (graph, hub)),
            (wg.sssp, (graph, hub)),
            (wg.connected_components, (graph,)),
            (wg.minimum_spanning_forest, (graph,)),
            (wg.pagerank, (graph,)),
            (wg.many_to_many, (graph, some % graph.n_vertices, some % graph.n_vertices)),
        ]
    planned += [(wg.cluster.euclidean_mst, (points,)), (wg.cluster.nearest_neighbors, (points, 10))]
    for function, arguments in planned:
        run = _call(function, arguments, device)
        run()  # what a graph keeps is made
        yield run, wg.explain(function, *arguments, device=device).seconds


def _call(function: Callable[..., Any], arguments: Any, device: str) -> Callable[[], Any]:
    return lambda: function(*arguments, device=device)
