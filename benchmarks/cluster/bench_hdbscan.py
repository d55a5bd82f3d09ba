"""wg.cluster.HDBSCAN against hdbscan, fast_hdbscan and scikit-learn.

The first two are rivals if installed: pip install hdbscan fast_hdbscan. With a million points they
take minutes, so each is timed once. hdbscan computes its exact tree (approx_min_span_tree=False),
as the others do. All use the same core distances: hdbscan and fast_hdbscan do not count the point
itself as a sample, warpgraph and scikit-learn do.

Where distances tie, programs choose different trees of the same weight, and their labels differ at
some points: see bench_row_order.py. So whole fits agree if the heights of their dendrograms do;
where all start from one dendrogram, equal heights are made distinct, and labels must be the same.
"""

import importlib.util
import time
from functools import cache, partial

import numpy as np
from sklearn import cluster

import warpgraph as wg
from benchmarks.harness import Case, Input, Once, Timed, main
from benchmarks.trees import bench_emst
from benchmarks.trees.bench_emst import points_on_device
from warpgraph import _core

SECTION = (
    "HDBSCAN",
    "`wg.cluster.HDBSCAN` is compared with hdbscan and fast_hdbscan on cores, and with "
    "warpgraph on cores where it runs on a GPU.",
)

MIN_SAMPLES = 5
MIN_CLUSTER_SIZE = 50
SWEEP = (5, 10, 20, 50, 100, 200, 500, 1000)


def uniform(n: int, d: int):
    """Return a function that makes n points in the unit cube."""

    def build() -> np.ndarray:
        return np.random.default_rng(11).random((n, d))

    return build


def blobs(n: int, d: int):
    """Return a function that makes n points around 50 centres, a tenth of them noise."""

    def build() -> np.ndarray:
        rng = np.random.default_rng(11)
        points = rng.random((50, d))[rng.integers(0, 50, n)]
        points += 0.02 * rng.standard_normal((n, d))
        points[: n // 10] = rng.random((n // 10, d))
        return rng.permutation(points)

    return build


def dendrogram(make):
    """Return a function that makes the tree of points of another, with distinct heights."""

    def build() -> tuple[wg.SpanningForest, np.ndarray]:
        found = wg.cluster.euclidean_mst(make(), min_samples=MIN_SAMPLES)
        ranks = np.arange(len(found))  # the bits of positive floats are in the order of the floats
        heights = np.maximum.accumulate(found.weights.view(np.int64) - ranks) + ranks
        forest = wg.SpanningForest(found.n_vertices, found.edges, heights.view(np.float64))
        return forest, wg.cluster.single_linkage(forest)

    return build


def fit(x: Input, *, min_samples: int):
    model = wg.cluster.HDBSCAN(MIN_CLUSTER_SIZE, min_samples, device=x.device).fit(x.matrix)
    return model.linkage_[:, 2]


def sklearn(x: Input, *, min_samples: int):
    model = cluster.HDBSCAN(
        MIN_CLUSTER_SIZE, min_samples=min_samples, n_jobs=x.threads, copy=True
    ).fit(x.matrix)
    return model._single_linkage_tree_["value"]


def hdbscan(x: Input, *, min_samples: int):
    import hdbscan

    model = hdbscan.HDBSCAN(
        MIN_CLUSTER_SIZE,
        min_samples - 1,
        approx_min_span_tree=False,
        core_dist_n_jobs=x.threads,
    ).fit(x.matrix)
    return model.single_linkage_tree_.to_numpy()[:, 2]


_compiled_for: set[int] = set()


def fast_hdbscan(x: Input, *, min_samples: int) -> Timed:
    import fast_hdbscan
    import numba

    numba.set_num_threads(x.threads)
    model = fast_hdbscan.HDBSCAN(min_cluster_size=MIN_CLUSTER_SIZE, min_samples=min_samples - 1)
    if x.matrix.shape[1] not in _compiled_for:  # it compiles at the first call
        model.fit(x.matrix[:1000].copy())
        _compiled_for.add(x.matrix.shape[1])
    start = time.perf_counter()
    model.fit(x.matrix)
    seconds = time.perf_counter() - start
    return Timed(seconds, np.asarray(model.single_linkage_tree_.to_numpy()[:, 2]))


def same_heights(a, b) -> bool:
    """Compare heights, which fast_hdbscan rounds to float32."""
    return len(a) == len(b) and bool(np.allclose(a, b, rtol=1e-5, atol=1e-7))


def condense(x: Input):
    return wg.cluster.HDBSCAN(MIN_CLUSTER_SIZE).fit(x.matrix[0]).labels_


def condense_by_hdbscan(x: Input):
    from hdbscan.hdbscan_ import _tree_to_labels

    return _tree_to_labels(None, x.matrix[1], MIN_CLUSTER_SIZE)[0]


def sweep(x: Input):
    model = wg.cluster.HDBSCAN(MIN_CLUSTER_SIZE).fit(x.matrix[0])
    return model.sweep(SWEEP).labels[SWEEP.index(MIN_CLUSTER_SIZE)]


def sweep_by_hdbscan(x: Input):
    from hdbscan.hdbscan_ import _tree_to_labels

    labels = [_tree_to_labels(None, x.matrix[1], size)[0] for size in SWEEP]
    return labels[SWEEP.index(MIN_CLUSTER_SIZE)]


def same_partition(a, b) -> bool:
    joint = np.unique(np.stack([a, b]), axis=1).shape[1]
    return joint == len(np.unique(a)) == len(np.unique(b))


@cache
def results_on_device(n: int, device: str):
    """Return memory for labels and probabilities of n points, the same at each call."""
    return tuple(_core.device_array(n, np.dtype(kind), device) for kind in (np.int32, np.float64))


def on_device(x: Input, *, size: int):
    """Find the clusters of points on the device; return labels and probabilities there."""
    out = results_on_device(len(x.matrix), x.device)
    wg.cluster.HDBSCAN(size, MIN_SAMPLES).fit(points_on_device(x), out=out)
    return out


def on_cores(x: Input, *, size: int):
    model = wg.cluster.HDBSCAN(size, MIN_SAMPLES, device="cpu").fit(x.matrix)
    return model.labels_, model.probabilities_


def installed(**rivals) -> dict:
    return {name: call for name, call in rivals.items() if importlib.util.find_spec(name)}


RIVALS = installed(hdbscan=hdbscan, fast_hdbscan=fast_hdbscan)
tree_case = partial(
    Case,
    resident=False,
    agree=same_partition,
    size=lambda made: {"points": made[0].n_vertices},
)


def of_hdbscan(call) -> dict:
    return {"hdbscan": Once(call)} if "hdbscan" in RIVALS else {}


def fit_case(
    name: str, build, suite: str = "standard", min_samples: int = MIN_SAMPLES, **other_rivals
) -> Case:
    """Return the whole fit beside those of rivals, which run once where points are many."""
    named = "" if min_samples == MIN_SAMPLES else f", min_samples {min_samples}"
    rivals = {
        rival: partial(call, min_samples=min_samples)
        for rival, call in {**RIVALS, **other_rivals}.items()
    }
    return Case(
        f"HDBSCAN, {name}{named}",
        build,
        partial(fit, min_samples=min_samples),
        rivals if suite == "smoke" else {name: Once(call) for name, call in rivals.items()},
        suite,
        resident=False,
        agree=same_heights,
    )


def whole_fits(n: int, named: str) -> list[Case]:
    points = {
        f"{named} {kind} points in {d}-D": make(n, d)
        for kind, make in (("uniform", uniform), ("clustered", blobs))
        for d in (2, 3, 5)
    }
    return [fit_case(name, build, min_samples=m) for name, build in points.items() for m in (5, 15)]


def device_case(name: str, build, suite: str = "standard", size: int = MIN_CLUSTER_SIZE) -> Case:
    return Case(
        f"HDBSCAN, {name}, clusters of at least {size}, all on the device",
        build,
        partial(on_device, size=size),
        {"warpgraph cpu": Once(partial(on_cores, size=size))},
        suite=suite,
        resident=False,
        agree=bench_emst.same_tree,
        devices=("cuda",),
    )


def device_cases(n: int, named: str, suite: str = "standard", dimensions=(3,)) -> list[Case]:
    kinds = ("uniform", bench_emst.fast_uniform), ("clustered", bench_emst.blobs)
    return [
        device_case(f"{named} {kind} points in {d}-D, float32", make(n, d), suite)
        for kind, make in kinds
        for d in dimensions
    ]


CASES = [
    *device_cases(3_000, "3 thousand", "smoke"),
    fit_case("500 points", blobs(500, 2), "smoke", sklearn=sklearn),
    tree_case(
        "HDBSCAN of a tree, 500 points",
        dendrogram(blobs(500, 2)),
        condense,
        rivals=of_hdbscan(condense_by_hdbscan),
        suite="smoke",
    ),
    fit_case("10 thousand points", blobs(10_000, 2), sklearn=sklearn),
    *whole_fits(100_000, "100 thousand"),
    *whole_fits(1_000_000, "1 million"),
    *device_cases(1_000_000, "1 million", dimensions=(2, 3, 5)),
    device_case(
        "1 million clustered points in 3-D, float32", bench_emst.blobs(1_000_000, 3), size=5
    ),
    *device_cases(10_000_000, "10 million", "large"),
    device_case(
        "10 million clustered points in 3-D, float32",
        bench_emst.blobs(10_000_000, 3),
        "large",
        size=5,
    ),
    tree_case(
        "HDBSCAN of a tree, 1 million points",
        dendrogram(blobs(1_000_000, 3)),
        condense,
        rivals=of_hdbscan(condense_by_hdbscan),
    ),
    tree_case(
        "HDBSCAN.sweep of eight sizes, 1 million points",
        dendrogram(blobs(1_000_000, 3)),
        sweep,
        rivals=of_hdbscan(sweep_by_hdbscan),
    ),
]

if __name__ == "__main__":
    main(__file__, CASES)
