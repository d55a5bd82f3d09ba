"""What the steps of algorithms in rounds take on each GPU of a team, beside one GPU alone.

python benchmarks/seed_004_steps.py rmat:24 grid:4900 [--gpus 1,2] [--only sssp,components]

Needs NumPy alone. Prints a line for each algorithm, graph and number of GPUs: milliseconds of whole
calls whose results come to arrays of the host that were written before, each of them; then those of
the steps of the last call, by GPU, by events on its stream. On one GPU there are no steps; results
that stay there tell what its copy to the host takes. Answers are compared.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

import warpgraph as wg
from warpgraph import _core

CALLS = 4


def build(text: str) -> wg.Graph:
    kind, size = text.split(":")
    n = int(size)
    started = time.perf_counter()
    if kind == "grid":
        graph = wg.generators.grid(n, n, removed=0.05, seed=1, weights=(1, 1000), dtype=np.int32)
    else:
        make = {"rmat": wg.generators.rmat, "ssca2": wg.generators.ssca2}[kind]
        graph = make(n, seed=1, weights=(1, 255), dtype=np.int32)
    print(
        f"{text}: {graph.n_vertices} vertices, {graph.n_edges} edges, built in "
        f"{time.perf_counter() - started:.1f} s",
        flush=True,
    )
    return graph


def pagerank(graph: wg.Graph, device: Any, out: Any) -> Any:
    return wg.pagerank(
        graph, unweighted=True, tol=1e-12, max_iter=500, method="pull", device=device, out=out
    )


def components(graph: wg.Graph, device: Any, out: Any) -> Any:
    return wg.connected_components(graph, device=device, out=out)[1]


@cache
def source_of(graph: wg.Graph) -> int:
    """Return a vertex of the largest component."""
    labels = wg.connected_components(graph, device="cuda:0")[1]
    return int(np.argmax(labels == np.argmax(np.bincount(labels))))


def sssp(graph: wg.Graph, device: Any, out: Any) -> Any:
    return wg.sssp(graph, source_of(graph), dtype=np.int32, device=device, out=out)


def bfs(graph: wg.Graph, device: Any, out: Any) -> Any:
    return wg.bfs(graph, source_of(graph), device=device, out=out)


def forest(graph: wg.Graph, device: Any, out: Any) -> Any:
    """Return the edge ids, or their number where they stay on a device."""
    if isinstance(out, np.ndarray):
        return wg.minimum_spanning_forest(graph, device=device).edge_ids
    return wg.minimum_spanning_forest(graph, device=device, out=out)


ALGORITHMS: dict[str, tuple[Callable[..., Any], type]] = {
    "pagerank": (pagerank, np.float64),
    "components": (components, np.int32),
    "sssp": (sssp, np.int32),
    "bfs": (bfs, np.int32),
    "forest": (forest, np.int64),
}


def sweeps_of(graph: wg.Graph, device: Any, out: Any) -> int:
    """Return how many sweeps a call of pagerank makes."""
    low, high = 0, 500
    while high - low > 1:
        middle = (low + high) // 2
        try:
            wg.pagerank(
                graph, unweighted=True, tol=1e-12, max_iter=middle, method="pull", device=device,
                out=out,
            )  # fmt: skip
            high = middle
        except wg.ConvergenceError:
            low = middle
    return high


def measured(
    call: Callable[..., Any], graph: wg.Graph, device: Any, out: Any
) -> tuple[list[float], list[tuple[str, int, float]], Any]:
    """Return the milliseconds of calls after the first two; steps and result of the last one."""
    times = []
    result = None
    for i in range(CALLS + 2):
        _core.team_step_times(i == CALLS + 1)
        started = time.perf_counter()
        result = call(graph, device, out)
        times.append(1e3 * (time.perf_counter() - started))
    return times, _core.team_step_times(False), result


def shown(times: Sequence[float]) -> str:
    return " ".join(f"{t:.3g}" for t in times)


def compare(name: str, graph: wg.Graph, counts: Sequence[int]) -> None:
    call, dtype = ALGORITHMS[name]
    first = np.zeros(graph.n_vertices, dtype)
    times, _, expected = measured(call, graph, "cuda:0", first)
    print(f"{name}, 1 GPU: {shown(times)} ms", flush=True)
    resident = _core.device_array((graph.n_vertices,), np.dtype(dtype), "cuda:0")
    times, _, _ = measured(call, graph, "cuda:0", resident)
    print(f"{name}, 1 GPU, result stays there: {shown(times)} ms", flush=True)
    for n in counts:
        if n == 1:
            continue
        out = np.zeros(graph.n_vertices, dtype)
        times, steps, found = measured(call, graph, [f"cuda:{i}" for i in range(n)], out)
        same = np.array_equal(expected, found)
        print(f"{name}, {n} GPUs: {shown(times)} ms, same answer: {same}", flush=True)
        for step in dict.fromkeys(step for step, _, _ in steps):
            by_gpu = [[s for which, gpu, s in steps if (which, gpu) == (step, i)] for i in range(n)]
            totals = shown([1e3 * sum(seconds) for seconds in by_gpu])
            print(f"    {step}: {totals} ms, {len(by_gpu[0])} times", flush=True)
    if name == "pagerank":
        print(f"    sweeps: {sweeps_of(graph, 'cuda:0', first)}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("graphs", nargs="+")
    parser.add_argument("--gpus", default="1,2")
    parser.add_argument("--only", default=",".join(ALGORITHMS))
    options = parser.parse_args()
    counts = [int(n) for n in options.gpus.split(",") if int(n) < len(wg.devices())]
    for text in options.graphs:
        graph = build(text)
        for name in options.only.split(","):
            compare(name, graph, counts)
        graph.clear()


if __name__ == "__main__":
    main()
