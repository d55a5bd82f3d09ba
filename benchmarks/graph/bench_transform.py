"""wg.transform: the cost of each transformation, and the gain of a spanning forest by it.

"transform.sort_by_weight, ssca2 18": the transformation; its size has the measure of its report,
before and after. Rivals are what NumPy has for the same.

"minimum_spanning_forest after sort_by_weight, ssca2 18": a forest of the transformed graph; rival:
of the untransformed graph. For "compress" both use sorted rows, with compressed neighbours and with
plain ones, which a GPU keeps between calls; cores would compress them each time.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np

import warpgraph as wg
from benchmarks import inputs
from benchmarks.harness import Case, Input, Timed, main
from benchmarks.laboratory import laboratory

SECTION = (
    "Transformations of graphs",
    "The functions of `wg.transform` are compared with NumPy, and the search for a spanning "
    "forest of the transformed graph with that of the untransformed one.",
)

#: Transformations by name, each with the unit and the scale of its measure, which is an integer.
TRANSFORMATIONS: dict[str, tuple[Callable[..., Any], str, int]] = {
    "sort_by_weight": (wg.transform.sort_by_weight, "entries to look at", 1),
    "reorder": (wg.transform.reorder, "thousandths of a bit between ends", 1000),
    "rank_weights": (wg.transform.rank_weights, "bytes of weights", 1),
    "compress": (wg.transform.compress, "bytes of neighbours", 1),
}
#: Transformations that a GPU does, too.
ON_GPUS = ("sort_by_weight", "rank_weights")


class Alone:
    """A graph before and after each of the transformations."""

    def __init__(self, kind: str, scale: int) -> None:
        make = wg.generators.ssca2 if kind == "ssca2" else wg.generators.rmat
        self.plain = make(scale, seed=1, weights="uniform", dtype=np.float64)
        self.tails = np.repeat(np.arange(self.plain.n_vertices), np.diff(self.plain.indptr))
        self.made = cache(lambda name: TRANSFORMATIONS[name][0](self.plain))

    def size(self, name: str) -> dict[str, int]:
        """Return the graph's size, and the transformation's measure."""
        _, unit, scale = TRANSFORMATIONS[name]
        report = self.made(name).report
        return {
            "vertices": self.plain.n_vertices,
            "edges": self.plain.n_edges,
            f"{unit} before": round(scale * report.before),
            f"{unit} after": round(scale * report.after),
        }

    def forest(self, graph: wg.Graph, x: Input, values: Any = None, **how: Any) -> Timed:
        """Time a forest, without the lookup of ranks and the reordering."""
        start = time.perf_counter()
        weights = inputs.whole(wg.minimum_spanning_forest(graph, device=x.device, **how)).weights
        seconds = time.perf_counter() - start
        return Timed(seconds, weights if values is None else values[weights])

    def forest_of_compressed(self, x: Input) -> Timed:
        """Time a forest over sorted rows with compressed neighbours, by the laboratory."""
        upper, _ = self.plain._upper_triangle()
        find = partial(laboratory().boruvka, upper._handle, upper.dtype, x.device, None)
        start = time.perf_counter()
        _, weights, _ = find(compressed=True)
        return Timed(time.perf_counter() - start, weights)


def transform(x: Input, name: str) -> Any:
    on = {"device": x.device} if name in ON_GPUS else {}
    return TRANSFORMATIONS[name][0](x.matrix.plain, **on)


def forest(x: Input, name: str) -> Timed:
    made = x.matrix.made(name)
    if name == "compress":
        return x.matrix.forest_of_compressed(x)
    return x.matrix.forest(made.graph, x, made.values if name == "rank_weights" else None)


def forest_as_it_came(x: Input, name: str) -> Timed:
    method = "boruvka" if name == "compress" else "auto"
    return x.matrix.forest(x.matrix.plain, x, method=method)


def lexsort(x: Input) -> Any:
    return np.lexsort((x.matrix.plain.data, x.matrix.tails))


def unique(x: Input) -> Any:
    return np.unique(x.matrix.plain.data, return_inverse=True)


ARRAYS = ("indptr", "indices", "data")
RIVALS = {"sort_by_weight": {"numpy lexsort": lexsort}, "rank_weights": {"numpy unique": unique}}


def same_answer(ours: Any, theirs: Any) -> bool:
    """Compare with NumPy's order, or its values and ranks; or with ours on another device."""
    if isinstance(theirs, type(ours)):
        pairs = ((getattr(made.graph, name) for made in (ours, theirs)) for name in ARRAYS)
        return all(np.array_equal(*pair) for pair in pairs)
    if isinstance(ours, wg.transform.SortedGraph):
        return np.array_equal(ours.edge_ids, theirs)
    return np.array_equal(ours.values, theirs[0]) and np.array_equal(ours.graph.data, theirs[1])


def cases(kind: str, scale: int, suite: str) -> list[Case]:
    """Return two cases for each transformation."""
    build = partial(Alone, kind, scale)
    made = []
    for name in TRANSFORMATIONS:
        size = partial(Alone.size, name=name)
        devices = ("cpu", "cuda") if name in ON_GPUS else ("cpu",)
        solvers = ("cuda",) if name == "compress" else ("cpu", "cuda")
        how = {"resident": False, "size": size}
        made += [
            Case(
                f"transform.{name}, {kind} {scale}",
                build,
                partial(transform, name=name),
                RIVALS.get(name, {}),
                suite,
                agree=same_answer if name in RIVALS else None,
                devices=devices,
                **how,
            ),
            Case(
                f"minimum_spanning_forest after {name}, {kind} {scale}",
                build,
                partial(forest, name=name),
                {"as it came": partial(forest_as_it_came, name=name)},
                suite,
                agree=lambda a, b: np.array_equal(np.sort(a), np.sort(b)),
                devices=solvers,
                **how,
            ),
        ]
    return made


CASES = [
    *cases("ssca2", 8, "smoke"),
    *cases("ssca2", 18, "standard"),
    *cases("rmat", 18, "standard"),
    *cases("ssca2", 20, "large"),
    *cases("rmat", 20, "large"),
]

if __name__ == "__main__":
    main(__file__, CASES)
