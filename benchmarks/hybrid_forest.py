"""Cases of bench_mst.py: CPU threads beside a GPU, and graphs of which it holds only half.

Rows are prepared beforehand, and vertices renumbered if the name says so, as in the article (see
seed_003.py). The timed part is the search for the forest until the ranks of its edges are in the
caller's memory:

"resident": all edges are on the GPU.
"half fits": half of the arcs fit on the GPU: those are the lightest of each row, and CPU threads
and GPU search the others in page-locked host memory.

python benchmarks/bench_mst.py --suite hybrid --device cuda --threads 16 --repeat 9 --warmup 6

The first solves tune the division of each round, so six of them should warm up.
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
    """The rows of a graph and its solvers, made at first use."""

    def __init__(self, kind: str, scale: int, *, renumbered: bool, half: bool) -> None:
        generate = wg.generators.ssca2 if kind == "ssca2" else wg.generators.rmat
        self.graph = generate(scale, seed=1, dtype=np.float32)
        if renumbered:
            self.graph = wg.transform.reorder(self.graph).graph
        self.rows = _hybrid_forest.hybrid_forests(self.graph, maximum=False).rows
        self.half = half
        self.made: Any = None

    def on(self, device: str) -> Any:
        """Return the solver, with its part of the edges on the device."""
        if self.made is None:
            limit = self.limit(device) if self.half else 0
            self.made = _core.hybrid_forest(self.rows, device, limit)
        return self.made

    def limit(self, device: str) -> int:
        """Return the bytes with which half of the edges fit: those of vertices, and 8 per arc."""
        try:
            _core.hybrid_forest(self.rows, device, 1)
        except MemoryError as error:
            (vertices,) = re.findall(r"needs .*?(\d+) bytes", str(error))
        return int(vertices) + 8 * (self.graph.n_edges // 2)


def together(x: Input) -> Any:
    return x.matrix.on(x.device).solve_ranks()


def size(x: Prepared) -> dict[str, int]:
    """Return the numbers of vertices, of arcs, and of arcs on the device."""
    found = {"vertices": x.graph.n_vertices, "edges": x.graph.n_edges}
    return {**found, "arcs on the device": 0 if x.made is None else x.made.n_resident_arcs}


def _case(kind: str, scale: int, suite: str, *, renumbered: bool, half: bool) -> Case:
    name = f"{kind} {scale}{', renumbered' if renumbered else ''}, float32"
    return Case(
        f"ranks of the forest by CPU and GPU, {name}, {'half fits' if half else 'resident'}",
        partial(Prepared, kind, scale, renumbered=renumbered, half=half),
        together,
        {},
        suite,
        resident=False,
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
