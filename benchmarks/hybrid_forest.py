"""Cases of bench_mst.py: CPU threads beside a GPU, and graphs of which it holds but half.

Rows are prepared beforehand, and vertices renumbered where the name says so, as the article does
(see seed_003.py). What is timed is the search for the forest until its edges' ranks are in the
caller's memory, which is the same for all contestants:

"resident": all edges are on the GPU; rival: it works alone.
"half fits": half of the arcs fit on the GPU: those are the lightest of each row, and CPU threads
and GPU search the others in page-locked host memory; rival: the GPU works alone, has the first rows
and reads the others over the bus.

python benchmarks/bench_mst.py --suite hybrid --device cuda --threads 16 --repeat 9 --warmup 6

The first solves teach how to divide each round, and when not to, so there should be six to warm up.
"""

from __future__ import annotations

import re
from functools import partial
from typing import Any

import numpy as np

import warpgraph as wg
from harness import Case, Input
from warpgraph import _core, _hybrid_forest


class Prepared:
    """A graph's rows, and what solves them, made when first asked for."""

    def __init__(self, kind: str, scale: int, *, renumbered: bool, half: bool) -> None:
        generate = wg.generators.ssca2 if kind == "ssca2" else wg.generators.rmat
        self.graph = generate(scale, seed=1, dtype=np.float32)
        if renumbered:
            self.graph = wg.transform.reorder(self.graph).graph
        self.rows = _hybrid_forest.hybrid_forests(self.graph, maximum=False).rows
        self.half = half
        self.made: dict[bool, Any] = {}

    def on(self, device: str, *, device_alone: bool) -> Any:
        """Return what solves; both contestants have their part of the edges on the device."""
        if device_alone not in self.made:
            limit = self.limit(device, device_alone) if self.half else 0
            self.made[device_alone] = _core.hybrid_forest(
                self.rows, device, memory_limit=limit, device_alone=device_alone
            )
        return self.made[device_alone]

    def limit(self, device: str, device_alone: bool) -> int:
        """Return the bytes with which half of the edges fit: what vertices need, and 8 an arc."""
        try:
            _core.hybrid_forest(self.rows, device, memory_limit=1, device_alone=device_alone)
        except MemoryError as error:
            (vertices,) = re.findall(r"needs .*?(\d+) bytes", str(error))
        return int(vertices) + 8 * (self.graph.n_edges // 2)


def together(x: Input) -> Any:
    return x.matrix.on(x.device, device_alone=False).solve_ranks()


def alone(x: Input) -> Any:
    return x.matrix.on(x.device, device_alone=True).solve_ranks()


def size(x: Prepared) -> dict[str, int]:
    """Return vertices, arcs, and how many of them lie on the device."""
    found = {"vertices": x.graph.n_vertices, "edges": x.graph.n_edges}
    arcs = [forest.n_resident_arcs for forest in x.made.values()]
    return {**found, "arcs on the device": min(arcs, default=0)}


def _case(kind: str, scale: int, suite: str, *, renumbered: bool, half: bool) -> Case:
    name = f"{kind} {scale}{', renumbered' if renumbered else ''}, float32"
    return Case(
        f"ranks of the forest by CPU and GPU, {name}, {'half fits' if half else 'resident'}",
        partial(Prepared, kind, scale, renumbered=renumbered, half=half),
        together,
        {"GPU over the bus" if half else "GPU alone": alone},
        suite,
        resident=False,
        agree=np.array_equal,
        size=size,
        devices=("cuda",),
    )


def cases() -> list[Case]:
    """Return the cases, and a tiny one of either kind for the tests."""
    graphs = (("ssca2", True), ("ssca2", False), ("rmat", False))
    return [
        _case(kind, scale, "smoke" if scale < 20 else "hybrid", renumbered=renumbered, half=half)
        for half in (False, True)
        for scale in (8, 22, 24)
        for kind, renumbered in (graphs if scale >= 20 else graphs[:1])
    ]
