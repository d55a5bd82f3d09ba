"""Trees of points by a metric that is a function, of Python and of numba, on cores.

The rivals are SciPy's pdist with the same function and its single linkage, and the same metric by
its name here. Calls by a function compute all n (n - 1) / 2 distances once. Cases of numba need
numba.
"""

import importlib.util
from functools import cache, partial
from typing import Any

import numpy as np
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import pdist

import warpgraph as wg
from benchmarks.harness import Case, Input, main
from benchmarks.trees.bench_knn import uniform

SECTION = (
    "Functions as metrics",
    "`wg.cluster.mst_of_points` by a function of Python, of NumPy's operations and of numba is "
    "compared with SciPy's `pdist` and `linkage`, and with the same metric by name.",
)

HAS_NUMBA = importlib.util.find_spec("numba") is not None


def canberra(x: Any, y: Any) -> float:
    """Return a distance that has no name here."""
    total = 0.0
    for a, b in zip(x, y, strict=True):
        total += abs(a - b) / (abs(a) + abs(b))
    return total


def manhattan(x: Any, y: Any) -> Any:
    """Return the sum of differences, as NumPy computes it."""
    return np.abs(x - y).sum()


@cache
def of_numba(name: str) -> Any:
    """Return the sum of differences, compiled by a decorator of numba."""
    import numba

    if name == "cfunc":

        @numba.cfunc("float64(CPointer(float64), CPointer(float64), intp)")
        def of_pointers(x: Any, y: Any, n: Any) -> Any:
            total = 0.0
            for i in range(n):
                total += abs(x[i] - y[i])
            return total

        return of_pointers

    @numba.njit
    def of_arrays(x: Any, y: Any) -> Any:
        total = 0.0
        for i in range(len(x)):
            total += abs(x[i] - y[i])
        return total

    return of_arrays


def function_of(name: str) -> Any:
    return {"Python": canberra, "NumPy": manhattan}.get(name) or of_numba(name)


def ours(x: Input, *, function: str):
    return wg.cluster.mst_of_points(x.matrix, metric=function_of(function)).weights


def by_name(x: Input):
    return wg.cluster.mst_of_points(x.matrix, metric="manhattan", device="cpu").weights


def scipy_linkage(x: Input, *, function: str):
    return linkage(pdist(x.matrix, function_of(function)), "single")[:, 2]


def same_weights(a, b) -> bool:
    return len(a) == len(b) and bool(np.allclose(a, np.sort(b), rtol=1e-9))


def case(n: int, name: str, function: str, suite: str = "standard") -> Case:
    rivals: dict[str, Any] = {"scipy pdist, linkage": partial(scipy_linkage, function=function)}
    if function == "cfunc":  # which SciPy does not take
        rivals = {}
    if function != "Python":
        rivals["warpgraph, metric='manhattan'"] = by_name
    return Case(
        f"mst_of_points, {name}, 3-D, by a function of {function}",
        uniform(n, 3),
        partial(ours, function=function),
        rivals,
        suite,
        resident=False,
        agree=same_weights,
        devices=("cpu",),
    )


CASES = [
    case(200, "200 points", "Python", "smoke"),
    case(1_000, "1 thousand points", "Python"),
    case(1_000, "1 thousand points", "NumPy"),
]
if HAS_NUMBA:
    CASES += [case(3_000, "3 thousand points", "njit"), case(10_000, "10 thousand points", "cfunc")]

if __name__ == "__main__":
    main(__file__, CASES)
