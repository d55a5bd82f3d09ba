"""wg.Hierarchy: the time of the preparation, and its gain.

Sweeps with a prepared hierarchy are compared with searches. "on the device": the results stay
there. Distances must agree bit for bit: weights are integers.
"""

from functools import cache, partial

import numpy as np

import inputs
import warpgraph as wg
from bench_many_to_many import agree, compared, grid, ours, ours_on_device, sources_of
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
    """Sweep with the prepared hierarchy."""
    prepared = Input(x.matrix, kept(build), x.device, x.threads)
    return ours(prepared, n_sources, method="hierarchy", **options)


def on_device(x: Input, build, n_sources):
    """Sweep, and leave the results, float32 numbers, on the device."""
    return ours_on_device(x, n_sources, "hierarchy", graph=kept(build))


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
            {},
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
