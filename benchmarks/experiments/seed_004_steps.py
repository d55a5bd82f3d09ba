"""Times of the steps of algorithms in rounds on each GPU of a team, beside one GPU alone.

Cases of bench_runtime.py --suite seed-004-steps. Results come to arrays of the host that were
written before, but those of forests, which are new; on one GPU they also stay there, which tells
what their copy takes. `counts` of several GPUs has the microseconds of each step, by events on the
streams, on the GPU that takes longest.

make experiments SEED=004 EXPERIMENT='--device cuda --sizes article'
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

import warpgraph as wg
from benchmarks import inputs
from benchmarks.experiments import seed_004
from benchmarks.harness import Case, Input, Timed
from benchmarks.paths import bench_sssp
from warpgraph import _core

SUITE = "seed-004-steps"
STEPS = ", steps, "
STAYS = "1 GPU, result stays there"
MICROSECONDS = "microseconds of "


def pagerank(x: Input, device: Any, out: Any) -> Any:
    how = seed_004.until(x.matrix.shape[0])
    return wg.pagerank(x.graph, method="pull", device=device, out=out, **how)


def components(x: Input, device: Any, out: Any) -> Any:
    return wg.connected_components(x.graph, device=device, out=out)[1]


def sssp(x: Input, device: Any, out: Any) -> Any:
    source = inputs.source_of(x.matrix)
    return wg.sssp(x.graph, source, dtype=np.int32, device=device, out=out)


def bfs(x: Input, device: Any, out: Any) -> Any:
    return wg.bfs(x.graph, inputs.source_of(x.matrix), device=device, out=out)


def forest(x: Input, device: Any, out: Any) -> Any:
    """Return the edge ids, or their number where they stay on a device."""
    if isinstance(out, np.ndarray):
        return inputs.whole(wg.minimum_spanning_forest(x.graph, device=device)).edge_ids
    return wg.minimum_spanning_forest(x.graph, device=device, out=out)


#: The call, of an input, devices and an array for the result, and the type of that.
ALGORITHMS: dict[str, tuple[Callable[..., Any], type]] = {
    "pagerank": (pagerank, np.float64),
    "components": (components, np.int32),
    "sssp, int32": (sssp, np.int32),
    "bfs": (bfs, np.int32),
    "spanning forest": (forest, np.int64),
}
#: Graphs of `seed_004.FOR_SEVERAL` that gain by several GPUs.
LARGEST = {
    "rmat 24": (seed_004.GRAPHS["rmat 24"], tuple(ALGORITHMS)),
    "rmat 26": (seed_004.FOR_SEVERAL["rmat 26"][0], tuple(ALGORITHMS)),
    "grid 12000 x 12000": (
        partial(bench_sssp.grid, 12000, np.int32),
        ("pagerank", "components", "spanning forest"),
    ),
    "rmat 27": (seed_004.FOR_SEVERAL["rmat 27"][0], ("sssp, int32", "bfs")),
}


class Steps:
    """A call whose result comes to memory that was written before."""

    def __init__(self, algorithm: str, stays: bool) -> None:
        self.call, self.dtype = ALGORITHMS[algorithm]
        self.stays = stays
        self.results: dict[str, Any] = {}  # by devices, so that two can be compared

    def __call__(self, x: Input, device: Any) -> Timed:
        shape = (x.graph.n_vertices,)
        if self.stays:
            out = _core.device_array(shape, np.dtype(self.dtype), device)
        else:
            if str(device) not in self.results:
                self.results[str(device)] = np.ones(shape, self.dtype)
            out = self.results[str(device)]
        _core.team_step_times(True)
        started = time.perf_counter()
        found = self.call(x, device, out)
        elapsed = time.perf_counter() - started
        return Timed(elapsed, found, longest_steps(_core.team_step_times(False)))


def longest_steps(steps: Sequence[tuple[str, int, float]]) -> dict[str, int]:
    """Return the microseconds of each step on the GPU that spends most in it."""
    by_gpu: dict[str, dict[int, float]] = {}
    for step, gpu, seconds in steps:
        of_step = by_gpu.setdefault(step, {})
        of_step[gpu] = of_step.get(gpu, 0) + seconds
    return {
        f"{MICROSECONDS}{step}": round(1e6 * max(of_step.values()))
        for step, of_step in by_gpu.items()
    }


def same_on_host(ours: Any, theirs: Any) -> bool:
    """Return whether results are equal; one that stays on a device is not compared."""
    return not isinstance(theirs, np.ndarray) or np.array_equal(ours, theirs)


def case(algorithm: str, graph: str, build: Callable[[], Any]) -> Case:
    to_host = seed_004.Alone(Steps(algorithm, stays=False))
    stays = seed_004.Alone(Steps(algorithm, stays=True))
    several = {
        name: lambda x, on=on: to_host(x, on)
        for name, on in seed_004.lists_of("cuda").items()
        if isinstance(on, list)
    }
    return Case(
        f"{algorithm}{STEPS}{graph}",
        build,
        lambda x: to_host(x, "cuda:0"),
        {STAYS: lambda x: stays(x, "cuda:0"), **several},
        SUITE,
        resident=True,
        agree=same_on_host,
        devices=["cuda"],
    )


def cases() -> list[Case]:
    """Return the cases, those of a graph after each other; the largest are for several GPUs."""
    graphs = LARGEST if seed_004.n_gpus() > 1 else {"rmat 24": LARGEST["rmat 24"]}
    return [
        case(algorithm, graph, build)
        for graph, (build, algorithms) in graphs.items()
        for algorithm in algorithms
    ]
