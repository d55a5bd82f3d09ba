"""Nearest neighbours and core distances of points."""

from __future__ import annotations

import numpy as np

from fuzz import structures
from fuzz.oracles import trees
from fuzz.searches import judge_error
from fuzz.targets.base import Target, first_difference, maybe, options, pick


def in_order(points, i, *, include_self):
    """Return the ids of the other points in the order of neighbours, and the squared distances."""
    squares = trees.squared_distances(points, points[i])
    order = np.argsort(squares, kind="stable")
    order = np.concatenate([[i] if include_self else [], order[order != i]]).astype(np.int32)
    return order, squares[order]


class KneighborsGraph(Target):
    name = "kneighbors_graph"
    subject = "points"
    largest = structures.MEDIUM
    vertices = ()
    needed = ("k", "device")

    def draw(self, rng, subject, device):
        n = len(subject.array)
        args = {"k": pick(rng, (1, 2, 5, 16, 24, 41, 64, n - 1, n, n + 1))}
        maybe(rng, args, 0.6, "mode", lambda: pick(rng, ("connectivity", "distance")))
        maybe(rng, args, 0.6, "include_self", lambda: pick(rng, (True, False, "auto")))
        maybe(rng, args, 0.05, "memory_limit", lambda: pick(rng, (1000, 10**5, 10**8)))
        return {**args, "device": device}

    def source(self, args, subject):
        given = options(args, "k")
        return f"result = wg.cluster.kneighbors_graph(points, {args['k']}{given})"

    def judge(self, args, world, result, error):
        points, k = world.edges.array, args["k"]
        with_distances = args.get("mode") == "distance"
        include_self = args.get("include_self", False)
        include_self = not with_distances if include_self == "auto" else include_self
        may = {MemoryError} if "memory_limit" in args else set()
        if not 1 <= k <= len(points) - (not include_self):
            return judge_error(error, {ValueError}, may)
        wrong = judge_error(error, set(), may)
        if wrong or error:
            return wrong
        with np.errstate(all="ignore"):
            rows = [in_order(points, i, include_self=include_self) for i in range(len(points))]
        ids = np.array([order[:k] for order, _ in rows])
        wrong = first_difference(result.indices.reshape(-1, k), ids, "indices")
        squares = np.array([near[:k] for _, near in rows]).astype(np.float64)
        data = np.sqrt(squares) if with_distances else np.ones(ids.shape)
        return wrong or first_difference(result.data.reshape(-1, k), data, "data")


class CoreDistances(Target):
    name = "core_distances"
    subject = "points"
    largest = structures.MEDIUM
    vertices = ()
    needed = ("k", "device")

    def draw(self, rng, subject, device):
        n = len(subject.array)
        return {"k": pick(rng, (1, 2, 5, 16, 24, 41, 64, n, n + 1)), "device": device}

    def source(self, args, subject):
        given = options(args, "k")
        return f"result = wg.cluster.core_distances(points, {args['k']}{given})"

    def judge(self, args, world, result, error):
        points, k = world.edges.array, args["k"]
        wrong = judge_error(error, {ValueError} if k > len(points) else set(), set())
        if wrong or error:
            return wrong
        with np.errstate(all="ignore"):
            squares = trees.core_squares(points, k).astype(np.float64)
        return first_difference(result, np.sqrt(squares), "core distances")


TARGETS = [KneighborsGraph(), CoreDistances()]
