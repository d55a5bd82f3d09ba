"""wg.cluster.KMeans against scikit-learn: ten iterations from the same start, the first points."""

import warnings

import numpy as np
from sklearn.cluster import KMeans

import warpgraph as wg
from harness import Case, Input, main

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


def ours(x: Input):
    points, k = x.matrix
    model = wg.cluster.KMeans(k, init="first", max_iter=ITERATIONS, device=x.device)
    return model.fit(points).inertia_


def scikit_learn(algorithm: str):
    def call(x: Input):
        points, k = x.matrix
        model = KMeans(
            k, init=points[:k], n_init=1, max_iter=ITERATIONS, tol=0, algorithm=algorithm
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that it has not converged
            return model.fit(points).inertia_

    return call


def farthest(x: Input):
    points, k = x.matrix
    return wg.cluster.KMeans(k, init="farthest", max_iter=1, device=x.device).fit(points).inertia_


def size(matrix) -> dict[str, int]:
    points, k = matrix
    return {"rows": len(points), "columns": points.shape[1], "clusters": k}


def agree(a, b) -> bool:
    """Compare inertias: float32 distances are rounded otherwise, which moves a few points."""
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
        devices=("cpu",),
    )


UNIFORM = uniform(1_000_000, 16, 64)
BLOBS = blobs(1_000_000, 16, 64)
PLANE = blobs(1_000_000, 2, 20, np.float64)
CASES = [
    case("1 thousand points, 4-D, 5 clusters", blobs(1_000, 4, 5), "smoke"),
    case("1 million points, 16-D, 64 clusters, uniform", UNIFORM),
    case("1 million points, 16-D, 64 clusters, blobs", BLOBS),
    case("1 million points, 16-D, farthest start and 1 iteration", BLOBS, call=farthest, rivals={}),
    case("1 million points, 2-D, 20 clusters, blobs, float64", PLANE),
    case("10 million points, 16-D, 64 clusters, blobs", blobs(10_000_000, 16, 64), "large"),
]

if __name__ == "__main__":
    main(__file__, CASES)
