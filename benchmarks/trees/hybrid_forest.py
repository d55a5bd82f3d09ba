"""Cases of bench_mst.py: graphs of which a GPU holds only half, with CPU threads beside it.

Rows are prepared beforehand, and vertices renumbered if the name says so, as in the article (see
seed_003.py). The timed part is the search for the forest until the ranks of its edges are in the
caller's memory. The lightest arcs of each row are on the GPU, and CPU threads and GPU search the
others in page-locked host memory.

python -m benchmarks.trees.bench_mst --suite hybrid --device cuda --threads 16 --repeat 9 --warmup 6

The first solves tune the division of each round, so six of them should warm up.
"""

from __future__ import annotations

import re
from functools import partial
from typing import Any

import numpy as np

import warpgraph as wg
from benchmarks.harness import Case, Input
from warpgraph import _core
from warpgraph._trees import hybrid_forest


class Prepared:
    """The rows of a graph and its solver, made at first use."""

    def __init__(self, kind: str, scale: int, *, renumbered: bool) -> None:
        generate = wg.generators.ssca2 if kind == "ssca2" else wg.generators.rmat
        self.graph = generate(scale, seed=1, dtype=np.float32)
        if renumbered:
            self.graph = wg.transform.reorder(self.graph).graph
        self.rows = hybrid_forest.hybrid_forests(self.graph, maximum=False).rows
        self.made: Any = None

    def on(self, device: str) -> Any:
        """Return the solver, with its part of the edges on the device."""
        if self.made is None:
            self.made = _core.hybrid_forest(self.rows, device, _core.ledger(self.limit(device)))
        return self.made

    def limit(self, device: str) -> int:
        """Return the bytes with which half of the edges fit: those of vertices, and 8 per arc."""
        try:
            _core.hybrid_forest(self.rows, device, _core.ledger(1))
        except MemoryError as error:
            (vertices,) = re.findall(r"needs .*?(\d+) bytes", str(error))
        return int(vertices) + 8 * (self.graph.n_edges // 2)


def together(x: Input) -> Any:
    return x.matrix.on(x.device).solve_ranks()


def size(x: Prepared) -> dict[str, int]:
    """Return the numbers of vertices, of arcs, and of arcs on the device."""
    found = {"vertices": x.graph.n_vertices, "edges": x.graph.n_edges}
    return {**found, "arcs on the device": 0 if x.made is None else x.made.n_resident_arcs}


def _case(kind: str, scale: int, suite: str, *, renumbered: bool) -> Case:
    name = f"{kind} {scale}{', renumbered' if renumbered else ''}, float32"
    return Case(
        f"ranks of the forest by CPU and GPU, {name}, half fits",
        partial(Prepared, kind, scale, renumbered=renumbered),
        together,
        {},
        suite,
        resident=False,
        size=size,
        devices=("cuda",),
    )


def cases() -> list[Case]:
    """Return the cases, and a tiny one for the tests."""
    graphs = (("ssca2", True), ("ssca2", False), ("rmat", False))
    return [
        _case(kind, scale, "smoke" if scale < 20 else "hybrid", renumbered=renumbered)
        for scale in (8, 22, 24)
        for kind, renumbered in (graphs if scale >= 20 else graphs[:1])
    ]
