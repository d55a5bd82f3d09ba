"""Clusters of HDBSCAN that change when the rows are shuffled, in this and other programs.

Each program finds the clusters of 200 data sets, and again with the rows in other orders. Beside
the time of all, it counts the data sets whose clusters change, and the points with another label
after labels have been matched, and takes the mean adjusted Rand index of all pairs of orders. The
same is counted between the programs, the index of all orders of one and all of the other: that is
to be compared with what shuffling changes in one of them. docs/how/hdbscan.md has the tables.

Mutual-reachability distances are often equal. Their number grows with min_samples, which goes from
1 to 30; in the second case, coordinates are also rounded. Eight more cases have 25 data sets of one
kind each, of 50 to 1,500 points, and six orders: among them points on grids of integers, of which
most distances are equal, copies of points, and points of one dimension.
"""

import importlib.util
import itertools
import time
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn import cluster
from sklearn.datasets import make_blobs, make_circles, make_moons
from sklearn.metrics import adjusted_rand_score

import warpgraph as wg
from benchmarks.harness import Case, Input, Timed, main


class DataSet(NamedTuple):
    points: np.ndarray
    min_samples: int
    min_cluster_size: int
    orders: list[np.ndarray]  # of the rows; the first is their own


def data_set(seed: int, decimals: int | None) -> DataSet:
    """Return blobs, moons, circles in noise, or clouds that overlap."""
    rng = np.random.default_rng(seed)
    n, kind = int(rng.integers(200, 900)), seed % 5
    centres = int(rng.integers(2, 9))
    if kind == 0:
        points = make_blobs(n, centers=centres, random_state=seed)[0]
    elif kind == 1:
        spread, d = rng.uniform(0.3, 2.5), int(rng.integers(2, 6))
        points = make_blobs(n, d, centers=centres, cluster_std=spread, random_state=seed)[0]
    elif kind == 2:
        points = make_moons(n, noise=rng.uniform(0.03, 0.12), random_state=seed)[0]
    elif kind == 3:
        circles = make_circles(n, factor=0.4, noise=0.05, random_state=seed)[0]
        points = np.r_[circles, rng.uniform(-1.5, 1.5, (n // 5, 2))]
    else:
        clouds = rng.integers(0, 4, (n, 1)) * rng.uniform(0, 5)
        points = rng.normal(size=(n, int(rng.integers(2, 6)))) + clouds
    if decimals is not None:
        points = points.round(decimals)
    size = int(rng.choice([5, 10, 15, 25]))
    return DataSet(points, 1 + seed % 30, size, orders_of(points, 2, rng))


def orders_of(points: np.ndarray, n: int, rng: np.random.Generator) -> list[np.ndarray]:
    """Return n orders of rows, of which the first changes nothing."""
    return [np.arange(len(points)), *(rng.permutation(len(points)) for _ in range(n - 1))]


def blobs(rng: np.random.Generator, n: int, d: int = 2) -> np.ndarray:
    """Return points around some centres, with one spread for each."""
    k = int(rng.integers(2, 9))
    of = rng.integers(0, k, n)
    centres, spreads = rng.uniform(-10, 10, (k, d)), rng.uniform(0.2, 1.5, (k, 1))
    return centres[of] + spreads[of] * rng.normal(size=(n, d))


def anisotropic(rng: np.random.Generator, n: int) -> np.ndarray:
    return blobs(rng, n) @ rng.normal(size=(2, 2))


def moons(rng: np.random.Generator, n: int) -> np.ndarray:
    return make_moons(n, noise=rng.uniform(0.03, 0.12), random_state=int(rng.integers(2**31)))[0]


def circles(rng: np.random.Generator, n: int) -> np.ndarray:
    made = {"noise": rng.uniform(0.02, 0.08), "random_state": int(rng.integers(2**31))}
    return make_circles(n, factor=0.4, **made)[0]


def noise(rng: np.random.Generator, n: int) -> np.ndarray:
    return rng.uniform(size=(n, int(rng.integers(2, 5))))


def grid(rng: np.random.Generator, n: int) -> np.ndarray:
    """Return points on a grid of integers, about half of which is taken."""
    return rng.integers(0, max(2, int((2 * n) ** 0.5)), (n, 2)).astype(np.float64)


def copies(rng: np.random.Generator, n: int) -> np.ndarray:
    """Return blobs with about two copies of each of their points."""
    points = blobs(rng, n)
    return points[rng.integers(0, max(1, n // 2), n)]


def line(rng: np.random.Generator, n: int) -> np.ndarray:
    return blobs(rng, n, d=1)


#: Kinds of data sets, by the names that the table has.
KINDS = {
    "blobs": blobs,
    "stretched blobs": anisotropic,
    "moons": moons,
    "circles": circles,
    "noise": noise,
    "grids of integers": grid,
    "copies of points": copies,
    "one dimension": line,
}


def data_set_of(kind: str, seed: int) -> DataSet:
    """Return a data set of one of eight kinds."""
    rng = np.random.default_rng([seed, list(KINDS).index(kind)])
    points = KINDS[kind](rng, int(rng.integers(50, 1501)))
    samples, size = int(rng.integers(1, 31)), int(rng.choice([5, 10, 15, 25]))
    return DataSet(points, samples, size, orders_of(points, 6, rng))


def data_sets(n: int, decimals: int | None = None) -> Callable[[], list[DataSet]]:
    """Return a function that makes n data sets."""
    return lambda: [data_set(seed, decimals) for seed in range(n)]


def data_sets_of(kind: str, n: int) -> Callable[[], list[DataSet]]:
    """Return a function that makes n data sets of one kind."""
    return lambda: [data_set_of(kind, seed) for seed in range(n)]


def labels_of_warpgraph(points, min_samples: int, size: int, device: str):
    return wg.cluster.HDBSCAN(size, min_samples, device=device).fit(points).labels_


def labels_of_sklearn(points, min_samples: int, size: int, device: str):
    return cluster.HDBSCAN(size, min_samples=min_samples, copy=True).fit(points).labels_


def labels_of_hdbscan(points, min_samples: int, size: int, device: str):
    """Fit with one sample less: it does not count the point. 1 and 2 of the others are 1 here."""
    import hdbscan

    samples = max(min_samples - 1, 1)
    model = hdbscan.HDBSCAN(size, samples, approx_min_span_tree=False, core_dist_n_jobs=1)
    return model.fit(points).labels_


PROGRAMS = {"warpgraph": labels_of_warpgraph, "sklearn": labels_of_sklearn}
if importlib.util.find_spec("hdbscan"):
    PROGRAMS["hdbscan"] = labels_of_hdbscan


Fits = list[list[np.ndarray]]  # of each data set: its labels in each order, row by row


def fits(name: str, sets: list[DataSet], device: str) -> Fits:
    """Return labels in the order of the data sets' own rows."""
    found = []
    for points, min_samples, size, orders in sets:
        labels = [PROGRAMS[name](points[order], min_samples, size, device) for order in orders]
        found.append([of[np.argsort(order)] for of, order in zip(labels, orders, strict=True)])
    return found


def n_moved(a: np.ndarray, b: np.ndarray) -> int:
    """Return the number of points whose labels differ, after the best renaming of labels."""
    _, of_a = np.unique(a, return_inverse=True)
    _, of_b = np.unique(b, return_inverse=True)
    joint = np.zeros((of_a.max() + 1, of_b.max() + 1), np.int64)
    np.add.at(joint, (of_a, of_b), 1)
    return len(a) - int(joint[linear_sum_assignment(-joint)].sum())


def differences(named: str, moved: list[int], agreements: list[float]) -> dict[str, int]:
    """Return counts of what differs, and the mean ARI in millionths."""
    return {
        f"data sets {named}": sum(n > 0 for n in moved),
        f"points {named}": sum(moved),
        f"millionths of mean ARI, {named}": round(1e6 * float(np.mean(agreements))),
    }


def between_orders(found: Fits) -> dict[str, int]:
    """Compare the first order of each data set with the others, and all pairs of orders."""
    moved = [max(n_moved(labels[0], others) for others in labels[1:]) for labels in found]
    pairs = [pair for labels in found for pair in itertools.combinations(labels, 2)]
    agreements = [adjusted_rand_score(a, b) for a, b in pairs]
    return differences("changed by shuffling", moved, agreements)


def between_programs(other: str, found: Fits, others: Fits) -> dict[str, int]:
    """Compare two programs in the first order of each data set, and all orders of both."""
    both = list(zip(found, others, strict=True))
    moved = [n_moved(mine[0], theirs[0]) for mine, theirs in both]
    pairs = [pair for mine, theirs in both for pair in itertools.product(mine, theirs)]
    agreements = [adjusted_rand_score(a, b) for a, b in pairs]
    return differences(f"that differ from {other}'s", moved, agreements)


#: The labels of a program for data sets by their id. The data sets are kept, so that it is theirs.
_found: dict[tuple[str, int], tuple[list[DataSet], Fits]] = {}


def all_orders(x: Input, name: str) -> Timed:
    """Fit a program to all data sets in all orders; compare it with itself and others."""
    start = time.perf_counter()
    found = fits(name, x.matrix, x.device)
    seconds = time.perf_counter() - start
    _found[name, id(x.matrix)] = x.matrix, found
    counts = between_orders(found)
    for other in PROGRAMS:
        if other == name:
            continue
        if (other, id(x.matrix)) not in _found:
            _found[other, id(x.matrix)] = x.matrix, fits(other, x.matrix, x.device)
        counts |= between_programs(other, found, _found[other, id(x.matrix)][1])
    return Timed(seconds, found, counts)


def mostly_equal(found: Fits, others: Fits) -> bool:
    both = zip(found, others, strict=True)
    agreements = [adjusted_rand_score(mine[0], theirs[0]) for mine, theirs in both]
    return float(np.mean(agreements)) > 0.8


def any_labels(found, others) -> bool:
    """Return True: on a grid, labels of other programs are as the order of the rows has them."""
    return True


def order_case(name: str, build, suite: str = "standard", agree=mostly_equal) -> Case:
    calls = {program: partial(all_orders, name=program) for program in PROGRAMS}
    return Case(
        f"HDBSCAN in orders of the rows, {name}",
        build,
        calls.pop("warpgraph"),
        calls,
        suite,
        resident=False,
        agree=agree,
        size=lambda sets: {"data sets": len(sets), "points": sum(len(s.points) for s in sets)},
    )


CASES = [
    order_case("4 data sets", data_sets(4), "smoke"),
    order_case("200 data sets", data_sets(200)),
    order_case("200 data sets, rounded to 0.1", data_sets(200, decimals=1)),
    *(
        order_case(
            f"25 data sets, {kind}",
            data_sets_of(kind, 25),
            agree=any_labels if kind == "grids of integers" else mostly_equal,
        )
        for kind in KINDS
    ),
]

if __name__ == "__main__":
    main(__file__, CASES)
