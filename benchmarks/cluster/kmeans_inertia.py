"""The inertia of wg.cluster.KMeans against scikit-learn's with n_init=10, over 30 data sets.

``python -m benchmarks.cluster.kmeans_inertia`` prints the table of docs/how/kmeans.md.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn import datasets
from sklearn.cluster import KMeans
from sklearn.preprocessing import StandardScaler

import warpgraph as wg

#: Blobs: points, dimensions, blobs, clusters that are asked for, spread.
BLOBS = [
    *((1000, 2, 5, 5, 1.0), (1000, 2, 20, 20, 1.0), (2000, 2, 50, 50, 0.5), (3000, 8, 10, 10, 1.0)),
    *((3000, 8, 30, 30, 1.0), (5000, 16, 20, 20, 2.0), (2000, 64, 10, 10, 4.0)),
    *((2000, 2, 10, 20, 2.0), (4000, 3, 40, 30, 1.0), (3000, 2, 8, 3, 1.0)),
]
UNIFORM = [(2000, 2, 10), (3000, 2, 50), (3000, 8, 20), (2000, 16, 8), (1500, 5, 12)]
SKEWED = [(2000, 2, 10), (2000, 3, 25), (3000, 6, 15), (2000, 4, 8), (2500, 2, 40)]


def data_sets() -> Iterator[tuple[npt.NDArray[Any], int]]:
    """Yield points and numbers of clusters."""
    for i, (n, d, blobs, k, spread) in enumerate(BLOBS):
        made = datasets.make_blobs(n, d, centers=blobs, cluster_std=spread, random_state=i)
        yield made[0], k
    for i, (n, d, k) in enumerate(UNIFORM):
        yield np.random.default_rng(i).random((n, d)), k
    for i, (n, d, k) in enumerate(SKEWED):
        yield np.random.default_rng(50 + i).lognormal(0, 1, (n, d)), k
    for k in (3, 8, 20):
        yield datasets.make_moons(1500, noise=0.1, random_state=k)[0], k
    for k in (10, 20, 50):
        yield datasets.load_digits().data, k
    yield datasets.load_iris().data, 3
    yield datasets.load_iris().data, 8
    yield StandardScaler().fit_transform(datasets.load_wine().data), 3
    yield StandardScaler().fit_transform(datasets.load_breast_cancer().data), 8


def median_inertia(estimator: Any, points: npt.NDArray[Any], k: int, runs: int) -> float:
    """Return the median over seeds."""
    fits = [estimator(k, seed).fit(points).inertia_ for seed in range(runs)]
    return float(np.median(fits))


COMPARED = {
    "KMeans(k)": (lambda k, seed: wg.cluster.KMeans(k, random_state=seed), 5),
    "KMeans(k, n_init=10)": (lambda k, s: wg.cluster.KMeans(k, n_init=10, random_state=s), 3),
    'KMeans(k, init="farthest")': (lambda k, seed: wg.cluster.KMeans(k, init="farthest"), 1),
    "scikit-learn KMeans(k)": (lambda k, seed: KMeans(k, random_state=seed), 5),
}


def main() -> None:
    """Print a table in Markdown."""
    warnings.simplefilter("ignore")
    ratios: dict[str, list[float]] = {name: [] for name in COMPARED}
    for points, k in data_sets():
        of_ten = median_inertia(
            lambda k, seed: KMeans(k, n_init=10, random_state=seed), points, k, 3
        )
        for name, (estimator, runs) in COMPARED.items():
            ratios[name].append(median_inertia(estimator, points, k, runs) / of_ten)
    print("| | median | mean | worst set |\n|---|---:|---:|---:|")
    for name, found in ratios.items():
        print(f"| {name} | {np.median(found):.3f} | {np.mean(found):.3f} | {max(found):.2f} |")


if __name__ == "__main__":
    main()
