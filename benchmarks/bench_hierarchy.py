"""wg.Hierarchy: how long preparing takes, and what it saves.

Sweeps are measured with the hierarchy at hand, against searches. "on the device" leaves the
results there. Distances must agree bit for bit: weights are integers.
"""

from functools import cache, partial

import numpy as np

import inputs
import warpgraph as wg
from bench_many_to_many import agree, compared, grid, ours, ours_on_device, room_on, sources_of
from harness import Case, Input, main


def prepare(x: Input):
    return wg.Hierarchy(wg.Graph(x.matrix)).n_vertices


@cache
def kept(build):
    """Return a case's graph with its hierarchy."""
    graph = wg.Graph(build())
    wg.Hierarchy(graph)
    return graph


def sweep(x: Input, build, n_sources, **options):
    """Sweep with the hierarchy that was prepared before."""
    prepared = Input(x.matrix, kept(build), x.device, x.threads)
    return ours(prepared, n_sources, method="hierarchy", **options)


def on_device(x: Input, build, n_sources):
    """Sweep, and leave the results, float32 numbers, on the device."""
    return ours_on_device(x, n_sources, "hierarchy", graph=kept(build))


def few_at_a_time(x: Input, build, n_sources):
    """Sweep from fewer sources at a time than is chosen, which users cannot ask for."""
    n = x.matrix.shape[0]
    out = room_on(x.device, (n_sources, n), np.dtype(np.float32), "32 at a time")
    handle = wg.Hierarchy(kept(build))._prepared.handle
    sources = sources_of(n, n_sources)
    wg._core.sweep(handle, sources, None, out, np.inf, x.device, None, lanes=32)
    return out


def to_targets(x: Input, build, n_sources, **options):
    n = x.matrix.shape[0]
    ends = np.random.default_rng(3).integers(0, n, n_sources)
    starts = sources_of(n, n_sources)
    return compared(wg.many_to_many(kept(build), starts, ends, device=x.device, **options))


def cases(name, build, suite, n_sources):
    """Make the cases of one graph."""
    searches = {
        method: partial(ours, n_sources=n_sources, method=method)
        for method in ("dijkstra", "batched")
    }
    few = partial(to_targets, build=build, n_sources=n_sources)
    return [
        Case(f"preparing, {name}", build, prepare, {}, suite, resident=False, devices=("cpu",)),
        Case(
            f"sweeps, {name}, {n_sources} sources",
            build,
            partial(sweep, build=build, n_sources=n_sources),
            searches,
            suite,
            agree=np.array_equal,
        ),
        Case(
            f"sweeps, {name}, {n_sources} sources to {n_sources} targets",
            build,
            partial(few, method="hierarchy"),
            {"dijkstra": partial(few, method="dijkstra")},
            suite,
            agree=np.array_equal,
        ),
        Case(
            f"sweeps on the device, {name}, {n_sources} sources",
            build,
            partial(on_device, build=build, n_sources=n_sources),
            {"32 at a time": partial(few_at_a_time, build=build, n_sources=n_sources)},
            suite,
            agree=agree,
            devices=("cuda",),
        ),
    ]


CASES = [
    *cases("grid 30 x 30", partial(grid, 30), "smoke", 64),
    *cases("ny-road", inputs.new_york, "standard", 1024),
    *cases("grid 300 x 300", partial(grid, 300), "standard", 1024),
]
if inputs.dimacs_file("COL") is not None:
    CASES += cases("col-road", inputs.colorado, "standard", 1024)

if __name__ == "__main__":
    main(__file__, CASES)
