"""Estimators and scores of clusters: by the definition, or beside the function that they call."""

from __future__ import annotations

import numpy as np

from fuzz import structures
from fuzz.oracles import trees, validity
from fuzz.searches import judge_error
from fuzz.targets.base import Target, first_difference, maybe, options, pick
from fuzz.targets.clusters import VARIABLE, OfSubject, forest_of, overflows
from fuzz.targets.densities import HDBSCAN
from fuzz.targets.orders import LeidenCommunities, LouvainCommunities

#: Oracles of pairs take quadratic memory.
_MOST_POINTS = 300


class RobustSingleLinkage(HDBSCAN):
    """The pieces of the tree of mutual-reachability distances below a cut."""

    function = "RobustSingleLinkage"

    def draw(self, rng, subject, device):
        args = super().draw(rng, subject, device)
        if args is None:
            return None
        args = {"cut": pick(rng, (0.25, 0.5, 1.0, 2.0, 30.0)), "device": device}
        if self.subject == "points" and device == "cpu":
            args["k"] = int(rng.integers(1, 10))
        return {**args, "gamma": int(rng.integers(1, 7))}

    def source(self, args, subject):
        given = options({"k": 1, "alpha": 1.0, **self.metric, **args})[2:]
        return f"result = wg.cluster.RobustSingleLinkage({given}).fit({VARIABLE[self.subject]})"

    def judge(self, args, world, result, error):
        forest = self._forest_of(args.get("k", 1), world)
        if forest is None:
            return judge_error(error, {ValueError}, set())
        wrong = judge_error(error, overflows(self.subject, forest), set())
        if wrong or error:
            return wrong
        n, edges, weights = forest
        kept = sum(weight < args["cut"] for weight in weights.tolist())
        labels, n_clusters = trees.labels_of(n, edges[:kept], args["gamma"])
        if result.n_clusters_ != n_clusters:
            return f"n_clusters_: expected {n_clusters}, got {result.n_clusters_}"
        return first_difference(result.labels_, labels, "labels_")


class TreeOfDistances(Target):
    """Distances in any form are one tree: a full matrix, condensed, of float32, or lists."""

    name = "mst_of_points, distances"
    subject = "distances"
    largest = structures.MEDIUM
    vertices = ()
    needed = ("form", "device")

    def draw(self, rng, subject, device):
        if device != "cpu":
            return None
        return {"form": pick(rng, ("full", "condensed", "lists", "fortran")), "device": device}

    def source(self, args, subject):
        form = {
            "full": "distances",
            "condensed": "distances[np.triu_indices(len(distances), 1)]",
            "lists": "distances.tolist()",
            "fortran": "np.asfortranarray(distances)",
        }[args["form"]]
        given = options({"metric": "precomputed", **args}, "form")
        return f"result = wg.cluster.mst_of_points({form}{given})"

    def judge(self, args, world, result, error):
        n, edges, weights = forest_of("distances", world)
        # One point has no distance to another, and so no condensed form.
        wrong = judge_error(
            error, {ValueError} if args["form"] == "condensed" and n == 1 else set(), set()
        )
        if wrong or error:
            return wrong
        wrong = first_difference(result.edges, edges, "edges")
        return wrong or first_difference(result.weights, weights, "weights")


class NeighboursOfDistances(Target):
    name = "kneighbors_graph, distances"
    subject = "distances"
    largest = structures.MEDIUM
    vertices = ()
    needed = ("k", "include_self")

    def draw(self, rng, subject, device):
        n = len(subject.array)
        k = pick(rng, (1, 2, 5, n - 1, n, n + 1))
        args = {"k": k, "include_self": bool(rng.integers(2))}
        maybe(rng, args, 0.3, "condensed", lambda: True)
        return args

    def source(self, args, subject):
        given = options({**args, "mode": "distance", "metric": "precomputed"}, "k", "condensed")
        form = "distances"
        if "condensed" in args:
            form = "distances[np.triu_indices(len(distances), 1)]"
        return f"result = wg.cluster.kneighbors_graph({form}, {args['k']}{given})"

    def judge(self, args, world, result, error):
        matrix, k, with_self = world.edges.array, args["k"], args["include_self"]
        n = len(matrix)
        rows = matrix.astype(np.float64)
        np.fill_diagonal(rows, -1 if with_self else np.inf)  # itself is the first one, or none
        order = np.argsort(rows, axis=1, kind="stable")[:, : max(k, 0)]
        found = np.take_along_axis(rows, order, axis=1)
        is_refused = not 1 <= k <= n - (not with_self) or ("condensed" in args and n == 1)
        is_refused = is_refused or bool(np.isinf(found).any())
        wrong = judge_error(error, {ValueError} if is_refused else set(), set())
        if wrong or error:
            return wrong
        wrong = first_difference(result.indices.reshape(n, k), order.astype(np.int32), "indices")
        return wrong or first_difference(result.data.reshape(n, k), np.maximum(found, 0), "data")


class ValidityIndex(OfSubject):
    """By the definition, without core distances, of which rounding may decide between two."""

    function = "validity_index"

    def draw(self, rng, subject, device):
        if device != "cpu" or len(subject.array) > _MOST_POINTS:
            return None
        args = {"labels": int(rng.integers(1000)), "n_clusters": int(rng.integers(1, 6))}
        if self.subject == "points":
            args["metric"] = pick(rng, ("manhattan", "chebyshev"))
        return args

    needed = ("labels", "n_clusters", "metric")

    def source(self, args, subject):
        rows = VARIABLE[self.subject]
        given = options(
            {**self.metric, "mst_raw_dist": True, "per_cluster_scores": True, **args},
            *("labels", "n_clusters"),
        )
        return (
            f"rng = np.random.default_rng({args['labels']})\n"
            f"labels = rng.integers(-1, {args['n_clusters']}, len({rows}))\n"
            f"result = labels, *wg.cluster.validity_index({rows}, labels{given})"
        )

    def judge(self, args, world, result, error):
        array = world.edges.array
        labels = np.random.default_rng(args["labels"]).integers(-1, args["n_clusters"], len(array))
        distances = array.astype(np.float64)
        if self.subject == "points":
            order = np.lexsort(array.T[::-1])  # which decides between equal distances
            array, labels = array[order], labels[order]
            with np.errstate(over="ignore"):
                rows = [trees.distances_by(args["metric"], array, point) for point in array]
            distances = np.array(rows, np.float64)
        is_far = validity.has_infinite_trees(distances, labels)
        refused: type[Exception] = OverflowError if self.subject == "points" else ValueError
        wrong = judge_error(error, {refused} if is_far else set(), set())
        if wrong or error:
            return wrong
        _, index, scores = result
        wanted, by_cluster = validity.by_definition(distances, labels, 1.0, raw=True)
        if abs(index - wanted) > 1e-9:
            return f"index: expected {wanted!r}, got {index!r}"
        present = np.unique(labels[labels >= 0])
        if not np.allclose(scores[present], by_cluster[present], atol=1e-9):
            return f"scores: expected {by_cluster.tolist()}, got {scores.tolist()}"
        missing = np.setdiff1d(np.arange(len(scores)), present)
        return None if np.isnan(scores[missing]).all() else f"scores of no points: {scores}"


class ShuffledValidity(ValidityIndex):
    """The points and labels in another order, with core distances."""

    def __init__(self) -> None:
        super().__init__("points")
        self.name = "validity_index, shuffled points"

    def draw(self, rng, subject, device):
        args = super().draw(rng, subject, device)
        if args is None:
            return None
        args["metric"] = pick(rng, ("euclidean", "manhattan", "chebyshev", "minkowski"))
        maybe(rng, args, 0.3, "mst_raw_dist", lambda: True)
        maybe(rng, args, 0.3, "d", lambda: pick(rng, (0.5, 1.0, 3.0, 100.0)))
        return args

    def source(self, args, subject):
        given = options({"per_cluster_scores": True, **args}, "labels", "n_clusters")
        return (
            f"rng = np.random.default_rng({args['labels']})\n"
            f"labels = rng.integers(-1, {args['n_clusters']}, len(points))\n"
            "order = rng.permutation(len(points))\n"
            f"result = [wg.cluster.validity_index(points[rows], labels[rows]{given})\n"
            "          for rows in (np.arange(len(points)), order)]"
        )

    def judge(self, args, world, result, error):
        wrong = judge_error(error, set(), {OverflowError})
        if wrong or error:
            return wrong
        (index, scores), (other, others) = result
        if index != other:
            return f"index: {index!r}, but {other!r} of shuffled rows"
        return first_difference(others, scores, "scores of shuffled rows")


class Leiden(LeidenCommunities):
    """The estimator, beside the function of the same options."""

    name = "Leiden"
    function = "leiden_communities"

    def draw(self, rng, subject, device):
        args = super().draw(rng, subject, device)
        if args is None:
            return None
        return {name: value for name, value in args.items() if name in ("resolution", "quality")}

    needed = ()

    def source(self, args, subject):
        given = options(args)[2:]
        return (
            f"result = wg.cluster.{self.name}({given}).fit(graph), "
            f"wg.{self.function}(graph{options(args)})"
        )

    def judge(self, args, world, result, error):
        weights = np.asarray(world.rows.weight).astype(float)
        if ((weights < 0) | ~np.isfinite(weights)).any() or world.n == 0:
            return judge_error(error, set(), {ValueError})
        if error:
            return judge_error(error, set(), set())
        model, found = result
        if model.quality_ != found.quality and not np.isnan(found.quality):
            return f"quality_: expected {found.quality!r}, got {model.quality_!r}"
        return first_difference(model.labels_, found.labels, "labels_")


class Louvain(Leiden, LouvainCommunities):
    name = "Louvain"
    function = "louvain_communities"


TARGETS = [
    *(RobustSingleLinkage(subject) for subject in VARIABLE),
    TreeOfDistances(),
    NeighboursOfDistances(),
    ValidityIndex("points"),
    ValidityIndex("distances"),
    ShuffledValidity(),
    Leiden(),
    Louvain(),
]
