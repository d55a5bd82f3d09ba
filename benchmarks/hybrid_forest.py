"""Cases of bench_mst.py: CPU threads beside a GPU, and graphs of which it holds but half.

Rows are prepared beforehand, and vertices renumbered where the name says so, as the article does
(see seed_003.py). What is timed is the search for the forest until its edges' ranks are in the
caller's memory:

"resident": all edges are on the GPU.
"half fits": half of the arcs fit on the GPU: those are the lightest of each row, and CPU threads
and GPU search the others in page-locked host memory.

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
        self.made: Any = None

    def on(self, device: str) -> Any:
        """Return what solves, with its part of the edges on the device."""
        if self.made is None:
            limit = self.limit(device) if self.half else 0
            self.made = _core.hybrid_forest(self.rows, device, limit)
        return self.made

    def limit(self, device: str) -> int:
        """Return the bytes with which half of the edges fit: what vertices need, and 8 an arc."""
        try:
            _core.hybrid_forest(self.rows, device, 1)
        except MemoryError as error:
            (vertices,) = re.findall(r"needs .*?(\d+) bytes", str(error))
        return int(vertices) + 8 * (self.graph.n_edges // 2)


def together(x: Input) -> Any:
    return x.matrix.on(x.device).solve_ranks()


def size(x: Prepared) -> dict[str, int]:
    """Return vertices, arcs, and how many of them lie on the device."""
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
