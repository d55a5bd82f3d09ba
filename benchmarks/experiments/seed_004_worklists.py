"""Shortest paths by the worklist of the runtime, beside the rounds of a team.

Cases of bench_runtime.py --suite seed-004-worklists. Both search on one GPU, two, and as many as
there are; with one GPU, on two virtual members of it. Graphs are kept on the GPUs ("resident"), or
come from the host in each call. Distances are float64.

make experiments SEED=004 EXPERIMENT='--device cuda --sizes article'
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

import warpgraph as wg
from benchmarks import inputs
from benchmarks.experiments import seed_004
from benchmarks.harness import Case, Input
from benchmarks.paths import bench_sssp

SUITE = "seed-004-worklists"
NAME = "worklist beside team, "
#: Graphs of the scaling suite, and smaller ones.
GRAPHS = {
    "ny-road": partial(bench_sssp.new_york, np.int32),
    **({"ne-road": partial(bench_sssp.northeast, np.int32)} if inputs.HAS_NORTHEAST else {}),
    **inputs.votes(np.int32),
    "grid 2048 x 2048": partial(bench_sssp.grid, 2048, np.int32),
    "ssca2 20": partial(bench_sssp.ssca2, 20, np.int32),
    "rmat 20": partial(bench_sssp.rmat, 20, np.int32),
    "rmat 22": partial(bench_sssp.rmat, 22, np.int32),
    **{
        name: seed_004.GRAPHS[name]
        for name in ("grid 4900 x 4900", "ssca2 22", "kron 21", "rmat 24")
    },
}
#: Names of graphs in the order of tables, which does not depend on files that are there or not.
NAMES = tuple(dict.fromkeys(("ny-road", "ne-road", "wiki-Vote", *GRAPHS)))


def by_team(x: Input, devices: Any, method: str = "auto") -> Any:
    return wg.sssp(x.graph, inputs.source_of(x.matrix), method=method, device=devices)


def by_worklist(x: Input, devices: list[str]) -> Any:
    endpoints = wg.runtime.Context(devices).endpoints
    source = inputs.source_of(x.matrix)
    return wg.runtime.DistributedWorklist.shortest_paths(endpoints, x.graph, source)


def case(
    graph: str, build: Callable[[], Any], name: str, devices: list[str], resident: bool
) -> Case:
    return Case(
        f"{NAME}{graph}, {name}, {'resident' if resident else 'from the host'}",
        build,
        lambda x: by_team(x, devices),
        {
            "near_far": lambda x: by_team(x, devices, "near_far"),
            "bellman_ford": lambda x: by_team(x, devices, "bellman_ford"),
            "worklist": lambda x: by_worklist(x, devices),
        },
        SUITE,
        resident=resident,
        agree=np.array_equal,
        devices=["cuda"],
    )


def cases(files: Sequence[str] = ()) -> list[Case]:
    """Return the cases, those of a graph after each other; with files, only of their graphs."""
    lists = {
        name: [on] if isinstance(on, str) else on for name, on in seed_004.lists_of("cuda").items()
    }
    return [
        case(graph, build, name, devices, resident)
        for graph, build in (inputs.of_files(files, np.int32) or GRAPHS).items()
        for resident in (True, False)
        for name, devices in lists.items()
    ]
