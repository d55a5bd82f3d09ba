"""wg.cluster.KMeans against scikit-learn: ten iterations from the same start, the first points.

On a GPU the points are there beforehand. Cases of one iteration take the difference of two runs
that are ten iterations apart, so that one-time work, such as returning ten million labels, does not
count.
"""

import time
import warnings

import numpy as np
from sklearn.cluster import KMeans

import warpgraph as wg
from benchmarks.harness import Case, Input, Timed, main
from warpgraph import _core

SECTION = (
    "k-means",
    "`wg.cluster.KMeans` is compared with scikit-learn: both make ten iterations from the same "
    "start unless the case says otherwise.",
)

ITERATIONS = 10


def uniform(n: int, d: int, k: int, dtype=np.float32):
    """Return a function that makes n points without structure, the hardest case for bounds."""

    def build() -> tuple[np.ndarray, int]:
        return np.random.default_rng(12).random((n, d)).astype(dtype), k

    return build


def blobs(n: int, d: int, k: int, dtype=np.float32):
    """Return a function that makes n points around k centres that overlap a little."""

    def build() -> tuple[np.ndarray, int]:
        rng = np.random.default_rng(13)
        points = rng.random((k, d))[rng.integers(0, k, n)] + rng.normal(0, 0.1, (n, d))
        return points.astype(dtype), k

    return build


class Resident:
    """The points of the last input, on a device."""

    def __init__(self) -> None:
        self.points: np.ndarray | None = None
        self.there: _core.DeviceArray | None = None

    def of(self, x: Input):
        points = x.matrix[0]
        if x.device == "cpu":
            return points
        if self.points is not points:
            self.there = None  # frees the former one first
            self.there = _core.device_array(points.shape, points.dtype, wg.devices()[1])
            self.there.set(points)
            self.points = points
        return self.there


RESIDENT = Resident()


def fit(x: Input, iterations: int):
    points, k = x.matrix
    start = points[:k]
    model = wg.cluster.KMeans(k, init=start, max_iter=iterations, device=x.device)
    return model.fit(RESIDENT.of(x)).inertia_


def fit_scikit_learn(x: Input, iterations: int, algorithm: str = "lloyd"):
    points, k = x.matrix
    model = KMeans(k, init=points[:k], n_init=1, max_iter=iterations, tol=0, algorithm=algorithm)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about missing convergence
        return model.fit(points).inertia_


def ours(x: Input):
    return fit(x, ITERATIONS)


def scikit_learn(algorithm: str):
    return lambda x: fit_scikit_learn(x, ITERATIONS, algorithm)


def one_iteration(fit):
    """Return a contestant that computes the time of an iteration from two runs of `fit`."""

    def call(x: Input) -> Timed:
        start = time.perf_counter()
        fit(x, 1)
        middle = time.perf_counter()
        inertia = fit(x, 1 + ITERATIONS)
        longer = time.perf_counter() - middle
        return Timed((longer - (middle - start)) / ITERATIONS, inertia)

    return call


def farthest(x: Input):
    k = x.matrix[1]
    model = wg.cluster.KMeans(k, init="farthest", max_iter=1, device=x.device)
    return model.fit(RESIDENT.of(x)).inertia_


def size(matrix) -> dict[str, int]:
    points, k = matrix
    return {"rows": len(points), "columns": points.shape[1], "clusters": k}


def agree(a, b) -> bool:
    """Compare inertias: float32 distances are rounded differently, which moves a few points."""
    return bool(np.isclose(a, b, rtol=1e-3))


RIVALS = {"sklearn lloyd": scikit_learn("lloyd"), "sklearn elkan": scikit_learn("elkan")}


def case(name, build, suite="standard", call=ours, rivals=None) -> Case:
    return Case(
        f"KMeans, {name}",
        build,
        call,
        RIVALS if rivals is None else rivals,
        suite,
        resident=False,
        agree=agree,
        size=size,
    )


UNIFORM = uniform(1_000_000, 16, 64)
BLOBS = blobs(1_000_000, 16, 64)
PLANE = blobs(1_000_000, 2, 20, np.float64)
LARGE = uniform(10_000_000, 16, 64)
CASES = [
    case("1 thousand points, 4-D, 5 clusters", blobs(1_000, 4, 5), "smoke"),
    case("1 million points, 16-D, 64 clusters, uniform", UNIFORM),
    case("1 million points, 16-D, 64 clusters, blobs", BLOBS),
    case("1 million points, 16-D, farthest start and 1 iteration", BLOBS, call=farthest, rivals={}),
    case("1 million points, 2-D, 20 clusters, blobs, float64", PLANE),
    case("10 million points, 16-D, 64 clusters, blobs", blobs(10_000_000, 16, 64), "large"),
    case(
        "10 million points, 16-D, 64 clusters, uniform, one iteration",
        LARGE,
        "large",
        call=one_iteration(fit),
        rivals={"sklearn lloyd": one_iteration(fit_scikit_learn)},
    ),
]

if __name__ == "__main__":
    main(__file__, CASES)
