"""HDBSCAN, whose condensed tree is compared with the definition on sets of points."""

from __future__ import annotations

import numpy as np

import hdbscan_oracle
from fuzz import structures
from fuzz.oracles import trees
from fuzz.searches import judge_error
from fuzz.targets.base import first_difference, maybe, options, pick
from fuzz.targets.clusters import VARIABLE, OfSubject, forest_of, overflows

#: The oracle's sets take quadratic memory.
_MOST_POINTS = 400


class HDBSCAN(OfSubject):
    function = "HDBSCAN"

    def __init__(self, subject: str) -> None:
        super().__init__(subject)
        self.largest = structures.SMALL

    def draw(self, rng, subject, device):
        n = subject.n if self.subject == "graph" else len(subject.array)
        if (self.subject == "distances" and device != "cpu") or n > _MOST_POINTS:
            return None
        args = {"min_cluster_size": int(rng.integers(2, 8))}
        if self.subject == "points" and device == "cpu":
            maybe(rng, args, 0.6, "min_samples", lambda: pick(rng, (2, 3, 5, 9)))
        maybe(rng, args, 0.4, "allow_single_cluster", lambda: True)
        return {**args, "device": device}

    def source(self, args, subject):
        given = options({"min_samples": 1, **self.metric, **args})[2:]
        return f"result = wg.cluster.HDBSCAN({given}).fit({VARIABLE[self.subject]})"

    def judge(self, args, world, result, error):
        forest = self._forest_of(args.get("min_samples", 1), world)
        if forest is None:
            return judge_error(error, {ValueError}, set())
        n, edges, weights = forest
        must = overflows(self.subject, forest) | _too_dense(weights)
        wrong = judge_error(error, must, set())
        if wrong or error:
            return wrong
        linkage = trees.linkage(n, edges, weights)
        wrong = first_difference(result.linkage_, linkage, "linkage_")
        heights = np.asarray(weights, np.float64).tolist()  # integers may be equal as such
        pairs = zip(heights, *edges.T.tolist(), strict=True)
        merges = hdbscan_oracle.merge_tree(n, pairs)
        root = hdbscan_oracle.condensed_tree(merges, args.get("min_cluster_size", 5))
        wrong = wrong or self._judge_tree(result, root)
        wrong = wrong or self._judge_selection(args, result, root)
        return wrong or self._judge_cut(result, n, edges, weights)

    def _forest_of(self, min_samples, world):
        """Return the oracle's tree; None if the input must be refused, as too few points are."""
        if min_samples == 1:
            return forest_of(self.subject, world)
        points = world.edges.array
        if min_samples > len(points):
            return None
        return len(points), *trees.tree_of_points(points, min_samples)

    def _judge_tree(self, result, root):
        tree = result.condensed_tree_
        found, clusters = members_of(tree), {c.points: c for c in root.below()}
        if len(found) != len(clusters) or set(found) != set(clusters):
            return f"condensed_tree_: expected {len(clusters)} clusters, got {len(found)}"
        expected = [clusters[points] for points in found]
        for name, values in (
            ("births", [c.birth for c in expected]),
            ("deaths", [c.death for c in expected]),
        ):
            wrong = first_difference(getattr(tree, name), np.array(values, np.float64), name)
            if wrong:
                return wrong
        leaving = np.empty(tree.n_points)
        for cluster in expected:
            for point, density in cluster.leaves.items():
                leaving[point] = density
        wrong = first_difference(tree.point_lambdas, leaving, "point_lambdas")
        stabilities = [c.stability for c in expected]
        if wrong is None and not np.allclose(tree.stabilities, stabilities, rtol=1e-9):
            wrong = f"stabilities: expected {stabilities}, got {tree.stabilities.tolist()}"
        scores = hdbscan_oracle.glosh(root)
        if wrong is None and not np.allclose(result.outlier_scores_, scores, atol=1e-9):
            wrong = f"outlier_scores_: expected {scores.tolist()}"
        return wrong

    def _judge_selection(self, args, result, root):
        # With the sums that were found: rounding may decide between equal ones.
        tree = result.condensed_tree_
        stability = dict(zip(members_of(tree), tree.stabilities.tolist(), strict=True))
        single = args.get("allow_single_cluster", False)
        chosen = hdbscan_oracle.selected_by_mass(root, stability, single)
        labels, chances = hdbscan_oracle.labels_of(root, chosen)
        wrong = first_difference(result.labels_, labels, "labels_")
        if wrong is None and not np.allclose(result.probabilities_, chances, rtol=1e-12):
            wrong = f"probabilities_: expected {chances.tolist()}"
        return wrong

    def _judge_cut(self, result, n, edges, weights):
        cut = float(weights[len(weights) // 2]) if len(weights) else 1.0
        kept = sum(weight < cut for weight in weights.tolist())  # also of integers, exactly
        labels, _ = trees.labels_of(n, edges[:kept], 3)
        return first_difference(result.dbscan_clustering(cut, 3), labels, "dbscan_clustering")


def _few(args, world):
    """Return the error of more samples than points."""
    return {ValueError} if args.get("min_samples", 1) > len(world.edges.array) else set()


def _too_dense(weights):
    """Return the error of distances that are all tiny, the least with an infinite inverse."""
    lengths = np.asarray(weights, np.float64)
    finite = lengths[(lengths > 0) & np.isfinite(lengths)].tolist()
    is_tiny = bool(finite) and max(finite) < 2.0**-1000
    return {OverflowError} if is_tiny and min(finite) < 1 / np.finfo(np.float64).max else set()


class MissingRows(HDBSCAN):
    """Points with missing rows between them, beside the same points without."""

    def __init__(self) -> None:
        super().__init__("points")
        self.name = "HDBSCAN, missing rows"

    needed = ("places", "device")

    def draw(self, rng, subject, device):
        args = super().draw(rng, subject, device)
        if args is None:
            return None
        maybe(rng, args, 0.3, "cluster_selection_method", lambda: "leaf")
        maybe(rng, args, 0.2, "cluster_selection_persistence", lambda: 0.1)
        n_missing = int(pick(rng, (1, 1, 2, 5, 300)))
        return {**args, "places": rng.integers(0, 400, n_missing).tolist()}

    def source(self, args, subject):
        given = options({"min_samples": 1, **args}, "places")[2:]
        return (
            f"places = np.array({args['places']}) % (len(points) + 1)\n"
            "whole = np.insert(points, places, [[np.nan]], axis=0)\n"
            f"whole, alone = (wg.cluster.HDBSCAN({given}).fit(x) for x in (whole, points))\n"
            "result = whole, alone"
        )

    def judge(self, args, world, result, error):
        wrong = judge_error(error, _few(args, world), {OverflowError})
        if wrong or error:
            return wrong
        whole, alone = result
        places = np.array(args["places"]) % (len(alone.labels_) + 1)
        rows = np.flatnonzero(np.insert(np.ones(len(alone.labels_), bool), places, False))
        for name, nothing in (("labels_", -1), ("probabilities_", 0), ("outlier_scores_", 1)):
            found, wanted = getattr(whole, name), getattr(alone, name)
            wrong = wrong or first_difference(found[rows], wanted, name)
            if wrong is None and (np.delete(found, rows) != nothing).any():
                wrong = f"{name}: expected {nothing} for missing rows, got {found.tolist()}"
        for name in ("births", "deaths", "stabilities", "selected"):
            found, wanted = (getattr(m.condensed_tree_, name) for m in (whole, alone))
            wrong = wrong or first_difference(found, wanted, name)
        found, wanted = whole.cluster_persistence_, alone.cluster_persistence_
        return wrong or first_difference(found, wanted, "cluster_persistence_")


class ShuffledRows(HDBSCAN):
    """The rows of points or distances in another order; predictions of points and others."""

    needed = ("order", "device")

    def __init__(self, subject: str) -> None:
        super().__init__(subject)
        self.name = f"HDBSCAN, shuffled {subject}"

    def draw(self, rng, subject, device):
        args = super().draw(rng, subject, device)
        if args is None:
            return None
        maybe(rng, args, 0.3, "cluster_selection_method", lambda: "leaf")
        maybe(rng, args, 0.2, "cluster_selection_persistence", lambda: 0.1)
        maybe(rng, args, 0.2, "cluster_selection_epsilon", lambda: 0.5)
        return {**args, "order": int(rng.integers(1000))}

    def source(self, args, subject):
        given = options({"min_samples": 1, **self.metric, **args}, "order")[2:]
        rows = VARIABLE[self.subject]
        other = f"{rows}[order]" if self.subject == "points" else f"{rows}[order][:, order]"
        return (
            f"order = np.random.default_rng({args['order']}).permutation(len({rows}))\n"
            f"fits = [wg.cluster.HDBSCAN({given}).fit(x) for x in ({rows}, {other})]\n"
            f"result = order, fits, {self._predictions()}"
        )

    def _predictions(self):
        """Return the code of predictions by both fits."""
        if self.subject != "points":
            return "None"
        new = "np.r_[points, points + 1.0, points / 2 + points[::-1] / 2]"
        return f"[model.approximate_predict({new}) for model in fits]"

    def judge(self, args, world, result, error):
        of_points = self.subject == "points"
        refused = {OverflowError} if of_points else {OverflowError, ValueError}
        wrong = judge_error(error, _few(args, world) if of_points else set(), refused)
        if wrong or error:
            return wrong
        order, (model, other), predictions = result
        for name in ("probabilities_", "outlier_scores_"):
            wrong = wrong or first_difference(
                getattr(other, name), getattr(model, name)[order], name
            )
        pairs = set(zip(model.labels_[order].tolist(), other.labels_.tolist(), strict=True))
        if not len(pairs) == len(set(model.labels_)) == len(set(other.labels_)):
            wrong = wrong or f"labels_: {model.labels_[order].tolist()}, {other.labels_.tolist()}"
        if facts_of(model, range(len(order))) != facts_of(other, order.tolist()):
            wrong = wrong or "condensed_tree_: another order of the rows has other clusters"
        if predictions and not wrong:
            wrong = judge_predictions(model.labels_, other.labels_[np.argsort(order)], *predictions)
        return wrong


def judge_predictions(labels, others, mine, theirs):
    """Compare predictions by two fits, whose labels may have other names; first of the points."""
    wrong = first_difference(mine[0][: len(labels)], labels, "labels of points")
    name = {-1: -1, **dict(zip(labels.tolist(), others.tolist(), strict=True))}
    renamed = np.array([name[label] for label in mine[0].tolist()], np.int32)
    wrong = wrong or first_difference(theirs[0], renamed, "predicted labels")
    return wrong or first_difference(theirs[1], mine[1], "predicted probabilities")


def facts_of(model, row_of):
    """Return the facts of each cluster by its points, as rows of the given numbers."""
    tree = model.condensed_tree_
    parts = tree.births, tree.deaths, tree.sizes, tree.stabilities
    facts = zip(*(part.tolist() for part in parts), strict=True)
    selected = dict(zip(tree.selected.tolist(), model.cluster_persistence_.tolist(), strict=True))
    members = [frozenset(row_of[point] for point in points) for points in members_of(tree)]
    return {
        (points, *numbers, selected.get(cluster))
        for cluster, (points, numbers) in enumerate(zip(members, facts, strict=True))
    }


def members_of(tree):
    """Return the points of each cluster."""
    members = [set() for _ in range(tree.n_clusters)]
    for point, cluster in enumerate(tree.point_clusters.tolist()):
        members[cluster].add(point)
    for cluster in range(tree.n_clusters - 1, 0, -1):
        members[tree.parents[cluster]] |= members[cluster]
    return [frozenset(points) for points in members]


TARGETS = [
    *(HDBSCAN(subject) for subject in VARIABLE),
    MissingRows(),
    ShuffledRows("points"),
    ShuffledRows("distances"),
]
