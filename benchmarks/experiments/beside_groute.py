"""Searches and components beside the programs of seed 004's authors, on the same GPUs and graphs.

Cases of bench_runtime.py --suite seed-004, if WARPGRAPH_GROUTE names the programs. Like theirs, our
answers on one GPU stay there; those of several GPUs are copied to the host, theirs are not.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import warpgraph as wg
from benchmarks import inputs
from benchmarks.harness import Case, Input
from benchmarks.rivals import groute
from warpgraph import _core

BESIDE = " beside Groute, "
GROUTE = "Groute"
#: Graphs whose edges have useful weights and that its programs read within the limit.
GRAPHS = ("ny-road", "wiki-Vote", "rmat 22", "kron 21")
#: Names of the algorithms in Groute.
PROGRAMS = {"bfs": "bfs", "sssp": "sssp", "components": "cc"}


class Ours:
    """Calls of one algorithm, whose answer on one GPU is written to the same array there."""

    def __init__(self, algorithm: str, on: list[str]) -> None:
        self.algorithm = algorithm
        self.on: Any = on if len(on) > 1 else on[0]
        self.out: Any = None

    def __call__(self, x: Input) -> Any:
        n = x.matrix.shape[0]
        if isinstance(self.on, str) and (self.out is None or len(self.out) != n):
            self.out = _core.device_array(n, np.dtype(np.int32), self.on)
        how = {"device": self.on, "out": self.out}
        if self.algorithm == "components":
            return wg.connected_components(x.graph, **how)[0]
        source = inputs.source_of(x.matrix)
        if self.algorithm == "bfs":
            return wg.bfs(x.graph, source, **how)
        return wg.sssp(x.graph, source, dtype=np.int32, **how)


def same(ours: Any, theirs: Any) -> bool:
    """Compare numbers of components, or distances where a vertex is reached."""
    if isinstance(theirs, int):
        return int(ours) == theirs
    found = ours.to_numpy() if isinstance(ours, _core.DeviceArray) else ours
    found = found.astype(np.int64)
    found[found == np.iinfo(np.int32).max] = -1
    return np.array_equal(found, theirs)


def cases(graphs: dict[str, Callable[[], Any]], lists: dict[str, Any], suite: str) -> list[Case]:
    """Return a case for each graph, algorithm and number of real GPUs."""
    if groute.folder() is None:
        return []
    listed = []
    for graph in (name for name in GRAPHS if name in graphs):
        for name, on in lists.items():
            if "virtual" in name:
                continue
            devices = [on] if isinstance(on, str) else on
            for algorithm, program in PROGRAMS.items():
                how = {"is_road": graph == "ny-road"}
                theirs = groute.rival(program, len(devices), inputs.source_of, **how)
                listed.append(
                    Case(
                        f"{algorithm}{BESIDE}{graph}, {name}",
                        graphs[graph],
                        Ours(algorithm, devices),
                        {GROUTE: theirs},
                        suite,
                        resident=True,
                        agree=same,
                        devices=["cuda"],
                    )
                )
    return listed
