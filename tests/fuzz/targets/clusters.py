"""Trees of points, dendrograms, and the estimators."""

from __future__ import annotations

import numpy as np
import scipy.cluster.hierarchy as hierarchy

from fuzz import structures
from fuzz.oracles import lloyd, ranges, trees
from fuzz.searches import judge_error
from fuzz.targets.base import Target, first_difference, maybe, options, pick
from fuzz.targets.forests import _kruskal_of, normal

#: The variable that a call passes, by the kind of its subject.
VARIABLE = {"graph": "graph", "points": "points", "distances": "distances"}


def forest_of(kind, world):
    """Return (n, edges, weights) of the oracle's tree, or None if the graph must be refused."""
    return world.once("forest", lambda: _forest_of(kind, world))


def overflows(kind, forest) -> set[type[Exception]]:
    """Return the error for points so far apart that their tree has infinite edges."""
    is_far = kind == "points" and len(forest[2]) > 0 and bool(np.isinf(forest[2]).any())
    return {OverflowError} if is_far else set()


def _forest_of(kind, world):
    if kind == "graph":
        if world.n == 0 or world.has_negative:
            return None
        rows, ids = world.rows, _kruskal_of(world.rows, None, False)
        ends = np.stack([rows.tail[ids], rows.head[ids]], axis=1)
        return world.n, np.sort(ends, axis=1), normal(rows.weight)[ids]
    array = world.edges.array
    if kind == "points":
        return len(array), *trees.tree_of_points(array)
    edges, lengths = trees.prim_of_matrix(array)
    return len(array), edges, lengths.astype(np.float64)


class OfSubject(Target):
    """A target in three forms: for a graph, for points, and for a matrix of distances."""

    def __init__(self, subject: str) -> None:
        self.subject = subject
        self.largest = structures.MEDIUM
        self.name = f"{self.function}, {subject}"
        self.vertices = ()

    function = ""

    @property
    def metric(self) -> dict[str, str]:
        return {} if self.subject == "points" else {"metric": "precomputed"}


class EuclideanMst(OfSubject):
    function = "euclidean_mst"
    share = 3.0

    def __init__(self) -> None:
        super().__init__("points")
        self.name = "euclidean_mst"

    def draw(self, rng, subject, device):
        args = {}
        maybe(rng, args, 0.1, "out", lambda: True)
        maybe(rng, args, 0.05, "memory_limit", lambda: pick(rng, (1000, 10**5, 10**8)))
        n = len(subject.array)
        maybe(rng, args, 0.5, "min_samples", lambda: pick(rng, (1, 2, 3, 5, 9, 16, 40, n)))
        maybe(rng, args, 0.2, "alpha", lambda: pick(rng, (0.5, 0.9, 1.3, 2.0)))
        return {**args, "device": device}

    def source(self, args, subject):
        given, lines = options(args, "out"), []
        if args.get("out"):
            n = len(subject.array)
            lines = [f"out = np.zeros(({n - 1}, 2), 'i4'), np.zeros({n - 1})"]
            given += ", out=out"
        return "\n".join([*lines, f"result = wg.cluster.euclidean_mst(points{given})"])

    def judge(self, args, world, result, error):
        may = {MemoryError} if "memory_limit" in args else set()
        points = world.edges.array
        how = {name: args[name] for name in ("min_samples", "alpha") if name in args}
        if how.get("min_samples", 1) > len(points):
            return judge_error(error, {ValueError}, may)
        found = world.once(("tree", *how.items()), lambda: trees.tree_of_points(points, **how))
        forest = len(points), *found
        wrong = judge_error(error, overflows("points", forest), may)
        if wrong or error:
            return wrong
        _, edges, weights = forest
        found = result if args.get("out") else (result.edges, result.weights)
        wrong = first_difference(found[0], edges.astype(np.int32), "edges")
        return wrong or first_difference(found[1], weights, "weights")


class SingleLinkage(OfSubject):
    function = "single_linkage"

    def draw(self, rng, subject, device):
        if self.subject == "distances" and device != "cpu":
            return None
        return {"device": device}

    def source(self, args, subject):
        given = options({**self.metric, **args})
        return f"result = wg.cluster.single_linkage({VARIABLE[self.subject]}{given})"

    def judge(self, args, world, result, error):
        forest = forest_of(self.subject, world)
        if forest is None:
            return judge_error(error, {ValueError}, set())
        wrong = judge_error(error, overflows(self.subject, forest), set())
        if wrong or error:
            return wrong
        n, edges, weights = forest
        wrong = first_difference(result, trees.linkage(n, edges, weights), "Z")
        return wrong or self._judge_by_scipy(world, result)

    def _judge_by_scipy(self, world, result):
        if self.subject != "points" or not 1 < len(world.edges.array) <= 300:
            return None
        points = world.edges.array.astype(np.float64)
        reach = np.abs(points).max() * points.shape[1]
        if not 1e-15 < reach < 1e15:
            return None  # squares are near the limits of floats
        heights = hierarchy.linkage(points, "single")[:, 2]
        eps = float(np.finfo(world.edges.array.dtype).eps)
        if np.allclose(result[:, 2], heights, rtol=20 * eps, atol=4 * eps * reach):
            return None
        return f"heights: SciPy's are {heights.tolist()}, got {result[:, 2].tolist()}"


class MSTClustering(OfSubject):
    function = "MSTClustering"
    cuts = ("n_clusters", "distance_threshold", "cut", "min_cluster_size")

    def draw(self, rng, subject, device):
        if self.subject == "distances" and device != "cpu":
            return None
        n = subject.n if self.subject == "graph" else len(subject.array)
        args = {}
        which = rng.random()
        if which < 0.4:
            args["n_clusters"] = int(rng.integers(1, max(n, 1) + 2))
        elif which < 0.7:
            values = (subject.weight if self.subject == "graph" else subject.array).ravel()
            some = float(np.abs(pick(rng, values))) if len(values) else 1.0
            args["distance_threshold"] = some if np.isfinite(some) else 2.5
        else:
            maybe(rng, args, 0.3, "cut", lambda: None)
        maybe(rng, args, 0.3, "min_cluster_size", lambda: int(rng.integers(1, 6)))
        maybe(rng, args, 0.3, "recut", lambda: True)
        return {**args, "device": device}

    def source(self, args, subject):
        given = {name: args[name] for name in self.cuts if name in args}
        made = {**self.metric, "device": args["device"]}
        variable = VARIABLE[self.subject]
        if args.get("recut"):
            given.setdefault("cut", "largest_gap")
            first = f"wg.cluster.MSTClustering({options(made)[2:]}).fit({variable})"
            return f"result = {first}.recut({options(given)[2:]})"
        keywords = options({**given, **made})[2:]
        return f"result = wg.cluster.MSTClustering({keywords}).fit({variable})"

    def judge(self, args, world, result, error):
        forest = forest_of(self.subject, world)
        if forest is None:
            return judge_error(error, {ValueError}, set())
        n, edges, weights = forest
        how = {name: args[name] for name in self.cuts if name in args}
        min_size = how.pop("min_cluster_size", 1)
        how.setdefault("cut", "largest_gap")
        kept = trees.edges_kept(n, edges, weights, **how, min_size=min_size)
        must = overflows(self.subject, forest) or ({ValueError} if kept is None else set())
        wrong = judge_error(error, must, set())
        if wrong or error:
            return wrong
        labels, count = trees.labels_of(n, edges[:kept], min_size)
        wrong = first_difference(result.labels_, labels, "labels_")
        if wrong is None and result.n_clusters_ != count:
            wrong = f"n_clusters_: expected {count}, got {result.n_clusters_}"
        if wrong is None and result.n_connected_components_ != n - len(edges):
            wrong = f"n_connected_components_: {result.n_connected_components_}"
        wrong = wrong or self._judge_threshold(args, weights, kept, result.threshold_)
        return wrong or first_difference(
            result.linkage_, trees.linkage(n, edges, weights), "linkage_"
        )

    def _judge_threshold(self, args, weights, kept, found):
        below = weights[kept - 1] if kept else 0
        if "distance_threshold" in args:
            fits = found == args["distance_threshold"]
        elif kept == len(weights):
            fits = found == np.inf
        else:
            fits = float(below) <= found <= float(weights[kept])
        return None if fits else f"threshold_ {found} does not lie at the cut"


class AddPoints(OfSubject):
    """Points that are added to a tree."""

    function = "MSTClustering.add_points"

    def __init__(self) -> None:
        super().__init__("points")
        self.name = self.function

    def draw(self, rng, subject, device):
        n = len(subject.array)
        return {"known": int(rng.integers(1, n + 1)), "device": device} if n > 1 else None

    needed = ("known", "device")

    def source(self, args, subject):
        known, where = args["known"], args["device"]
        return (
            f"model = wg.cluster.MSTClustering(cut=None, device={where!r}).fit(points[:{known}])\n"
            f"result = model.add_points(points[{known}:]) if len(points) > {known} else model"
        )

    def judge(self, args, world, result, error):
        forest = n, _, weights = forest_of("points", world)
        _, lengths = trees.tree_of_points(world.edges.array[: args["known"]])
        first = {OverflowError} if np.isinf(lengths).any() else set()
        wrong = judge_error(error, overflows("points", forest), first)
        if wrong or error:
            return wrong
        if result.mst_.n_vertices != n:
            return f"n_vertices: expected {n}, got {result.mst_.n_vertices}"
        wrong = first_difference(result.mst_.weights, weights, "weights")
        if wrong is None and result.mst_.labels.any():
            wrong = "the tree does not join all points"
        return wrong


class KMeans(OfSubject):
    function = "KMeans"
    share = 2.0
    needed = ("n_clusters", "random_state", "device")

    def __init__(self) -> None:
        super().__init__("points")
        self.name = self.function

    def draw(self, rng, subject, device):
        n = len(subject.array)
        args = {"n_clusters": int(rng.integers(1, min(n, 12) + 1))}
        maybe(rng, args, 0.6, "init", lambda: pick(rng, ("farthest", "random", "first")))
        if args.get("init", "random") == "random":
            args["random_state"] = int(rng.integers(100))
        maybe(rng, args, 0.3, "n_init", lambda: int(rng.integers(1, 4)))
        maybe(rng, args, 0.3, "weights", lambda: int(rng.integers(100)))
        maybe(rng, args, 0.4, "max_iter", lambda: int(rng.integers(1, 5)))
        maybe(rng, args, 0.2, "tol", lambda: pick(rng, (1e-4, 0.1, 10.0)))
        return {**args, "device": device}

    def source(self, args, subject):
        weights, given = "", options(args, "weights")[2:]
        if "weights" in args:
            weights = f", sample_weight={self.weights_of}({args['weights']}, len(points))"
        return f"result = wg.cluster.KMeans({given}).fit(points{weights})"

    #: An expression: weights from a seed and a number of points, of which many are 0 or equal.
    weights_of = "(lambda s, n: np.random.default_rng(s).integers(0, 4, n) * 0.37)"

    def judge(self, args, world, result, error):
        points = world.edges.array
        how = {name: value for name, value in args.items() if name != "device"}
        how.setdefault("init", "k-means++")
        if "weights" in how:
            how["weights"] = (
                np.random.default_rng(how["weights"]).integers(0, 4, len(points)) * 0.37
            )
        if args["n_clusters"] > np.count_nonzero(how.get("weights", np.ones(len(points)))):
            return judge_error(error, {ValueError}, set())
        scaled, exponent = ranges.in_range(points)
        with np.errstate(all="ignore"):
            centres, labels, inertia, n_iter = lloyd.k_means(scaled, **how)
            inertia = np.ldexp(inertia, 2 * exponent)
            centres = np.ldexp(centres, exponent).astype(points.dtype)
            wrong = judge_error(error, set() if np.isfinite(inertia) else {OverflowError}, set())
            if wrong or error:
                return wrong
            both, _ = ranges.in_range(np.concatenate([points, result.cluster_centers_]))
            nearest = lloyd.assign(both[: len(points)], both[len(points) :])
        wrong = first_difference(result.cluster_centers_, centres, "cluster_centers_")
        wrong = wrong or first_difference(result.labels_, labels, "labels_")
        wrong = wrong or first_difference(result.predict(points), nearest, "predict")
        if wrong is None and result.n_iter_ != n_iter:
            wrong = f"n_iter_: expected {n_iter}, got {result.n_iter_}"
        if wrong is None and not np.isclose(result.inertia_, inertia, rtol=1e-12, equal_nan=True):
            wrong = f"inertia_: expected {inertia!r}, got {result.inertia_!r}"
        return wrong


TARGETS = [
    EuclideanMst(),
    *(SingleLinkage(subject) for subject in VARIABLE),
    *(MSTClustering(subject) for subject in VARIABLE),
    AddPoints(),
    KMeans(),
]
