"""Nearest neighbours and core distances of points."""

from __future__ import annotations

import numpy as np

from fuzz import structures
from fuzz.oracles import ranges, trees
from fuzz.searches import judge_error
from fuzz.targets.base import Target, first_difference, maybe, options, pick

BY_PAIRS = ("manhattan", "chebyshev", "hamming")
POWERS = (1.0000001, 1.5, 3.0, 50.0)
#: "manhattan" as a function, whose differences are added one by one.
BY_FUNCTION = "metric=lambda x, y: np.cumsum(np.abs(x - y))[-1]"


def in_order(points, i, *, include_self, metric="euclidean"):
    """Return the ids of the other points in the order of neighbours, and the distances."""
    if metric in BY_PAIRS:
        keys = distances = trees.distances_by(metric, points, points[i])
    else:
        scaled, exponent = ranges.in_range(points)
        keys = trees.squared_distances(scaled, scaled[i])
        distances = ranges.lengths(keys, exponent)
    order = np.argsort(keys, kind="stable")
    order = np.concatenate([[i] if include_self else [], order[order != i]]).astype(np.int32)
    return order, distances[order]


def may_have_powers(points):
    """Return whether all distances in extended precision, of which powers are, take seconds."""
    return len(points) * points.size <= 1 << 24


def draw_metric(rng, args, *, powers=False):
    """With some probability, pass a metric. Powers are for cores alone."""
    others = ("minkowski",) if powers else ()
    maybe(rng, args, 0.4, "metric", lambda: pick(rng, ("euclidean", *BY_PAIRS, *others)))
    if args.get("metric") == "minkowski":
        args["p"] = pick(rng, POWERS)


def misses_powers(points, queries, ids, distances, p):
    """Return what is wrong about neighbours under "minkowski", whose last digits pow() has."""
    rows = np.array([trees.powers_by(p, points, query) for query in queries])
    wanted = np.sort(rows, axis=1)[:, : ids.shape[1]]
    taken = np.take_along_axis(rows, ids.astype(np.int64), axis=1)
    for found, name in ((wanted, "least distances"), (taken, "distances of indices")):
        if not np.allclose(distances, found, rtol=1e-12, atol=1e-320):
            return f"{name} differ by {np.nanmax(np.abs(distances - found))}"
    return None


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
        draw_metric(rng, args)
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
            how = {"include_self": include_self, "metric": args.get("metric", "euclidean")}
            rows = [in_order(points, i, **how) for i in range(len(points))]
        ids = np.array([order[:k] for order, _ in rows])
        wrong = first_difference(result.indices.reshape(-1, k), ids, "indices")
        distances = np.array([near[:k] for _, near in rows])
        data = distances if with_distances else np.ones(ids.shape)
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
            scaled, exponent = ranges.in_range(points)
            cores = ranges.lengths(trees.core_squares(scaled, k), exponent)
        return first_difference(result, cores, "core distances")


class NearestNeighbors(Target):
    """Queries: the points in reverse."""

    name = "nearest_neighbors"
    subject = "points"
    largest = structures.MEDIUM
    vertices = ()
    needed = ("k",)

    def draw(self, rng, subject, device):
        n = len(subject.array)
        args = {"k": pick(rng, (1, 2, 5, 24, n, n + 1))}
        draw_metric(rng, args, powers=may_have_powers(subject.array))
        if "metric" not in args and subject.array.shape[1] > 8 and args["k"] <= 128:
            args["device"] = device  # a GPU has no other search for queries
        return args

    def source(self, args, subject):
        given = options(args, "k")
        k = args["k"]
        return f"result = wg.cluster.nearest_neighbors(points, {k}, queries=points[::-1]{given})"

    def judge(self, args, world, result, error):
        points, k = world.edges.array, args["k"]
        wrong = judge_error(error, {ValueError} if k > len(points) else set(), set())
        if wrong or error:
            return wrong
        if "p" in args:
            return misses_powers(points, points[::-1], *result, args["p"])
        rows = within(points, np.inf, args.get("metric", "euclidean"))[::-1]
        ids = np.array([order[:k] for order, _ in rows])
        wrong = first_difference(result.indices, ids, "indices")
        return wrong or first_difference(
            result.distances, np.array([near[:k] for _, near in rows]), "distances"
        )


class RadiusNeighborsGraph(Target):
    name = "radius_neighbors_graph"
    subject = "points"
    largest = structures.MEDIUM
    vertices = ()
    needed = ("radius",)

    def draw(self, rng, subject, device):
        points = subject.array
        args = {}
        draw_metric(rng, args)
        metric = args.get("metric", "euclidean")
        with np.errstate(all="ignore"):
            near = in_order(
                points, int(rng.integers(len(points))), include_self=True, metric=metric
            )
        args["radius"] = float(pick(rng, (*near[1][:20], np.median(near[1]), 0, np.inf)))
        maybe(rng, args, 0.05, "memory_limit", lambda: pick(rng, (1000, 10**5, 10**8)))
        return args if args["radius"] == args["radius"] else None

    def source(self, args, subject):
        given = options({**args, "mode": "distance", "include_self": True}, "radius")
        radius = f"float({str(args['radius'])!r})"
        return f"result = wg.cluster.radius_neighbors_graph(points, {radius}{given})"

    def judge(self, args, world, result, error):
        points = world.edges.array
        wrong = judge_error(error, set(), {MemoryError} if "memory_limit" in args else set())
        if wrong or error:
            return wrong
        rows = []
        with np.errstate(all="ignore"):
            for i in range(len(points)):
                how = {"include_self": True, "metric": args.get("metric", "euclidean")}
                order, distances = in_order(points, i, **how)
                rows.append((order[distances <= args["radius"]], distances))
        ends = np.cumsum([0, *(len(order) for order, _ in rows)]).astype(np.int32)
        wrong = first_difference(result.indptr, ends, "indptr")
        wrong = wrong or first_difference(
            result.indices, np.concatenate([order for order, _ in rows]), "indices"
        )
        data = np.concatenate([distances[: len(order)] for order, distances in rows])
        return wrong or first_difference(result.data, data, "data")


class MstOfPoints(Target):
    name = "mst_of_points"
    subject = "points"
    largest = structures.MEDIUM
    vertices = ()
    needed = ("metric", "device")

    def draw(self, rng, subject, device):
        n = len(subject.array)
        has_powers = device == "cpu" and may_have_powers(subject.array)
        others = ("minkowski",) if has_powers else ()
        args = {"metric": pick(rng, (*BY_PAIRS, *others))}
        if args["metric"] == "minkowski":
            args["p"] = pick(rng, POWERS)
        maybe(rng, args, 0.5, "min_samples", lambda: pick(rng, (1, 2, 5, n, n + 1)))
        maybe(rng, args, 0.3, "alpha", lambda: pick(rng, (1.0, 1.5, 0.5)))
        maybe(rng, args, 0.05, "memory_limit", lambda: pick(rng, (1000, 10**5, 10**8)))
        if args["metric"] == "manhattan" and device == "cpu":
            maybe(rng, args, 0.3, "by_function", lambda: True)
        return {**args, "device": device}

    def source(self, args, subject):
        given = options(args, "by_function")
        if "by_function" in args:
            given = given.replace("metric='manhattan'", BY_FUNCTION)
        return f"result = wg.cluster.mst_of_points(points{given})"

    def judge(self, args, world, result, error):
        points, k = world.edges.array, args.get("min_samples", 1)
        may = {MemoryError} if "memory_limit" in args else set()
        if k > len(points):
            return judge_error(error, {ValueError}, may)
        with np.errstate(all="ignore"):
            if "p" in args:
                rows = [trees.powers_by(args["p"], points, point) for point in points]
            else:
                rows = [trees.distances_by(args["metric"], points, point) for point in points]
            distances = np.array(rows)
            cores = np.partition(distances, k - 1, axis=1)[:, k - 1]
            apart = distances / args.get("alpha", 1.0)
        is_lost = np.isinf(apart) | ((apart == 0) & (distances > 0))
        if "by_function" in args and is_lost.any():  # no edge, or lost by alpha
            return judge_error(error, set(), {OverflowError, *may})
        reach = np.maximum(apart, np.maximum.outer(cores, cores))
        edges, weights = trees.prim_of_matrix(reach)
        if len(edges) < len(points) - 1:
            return judge_error(error, {OverflowError}, may)
        wrong = judge_error(error, set(), may)
        if wrong or error:
            return wrong
        if "p" in args:
            is_near = np.allclose(result.weights, weights, rtol=1e-12, atol=1e-320)
            return None if is_near else "weights differ"
        wrong = first_difference(result.edges, edges.astype(np.int32), "edges")
        return wrong or first_difference(result.weights, weights, "weights")


def clusters(name, points, how):
    """Return the line that finds the clusters of both sets of points, if these are enough."""
    model = f"wg.cluster.HDBSCAN(min(3, len(points)), {how})"
    return f"{name} = [{model}.fit(X).labels_ for X in {points} if len(X) > 1] or [[], []]"


class Units(Target):
    """Points times a power of two, which no coordinate loses a digit by."""

    name = "units of length"
    subject = "points"
    largest = structures.SMALL
    vertices = ()
    needed = ("exponent", "device", "clusters")

    def draw(self, rng, subject, device):
        points = subject.array
        exponent = int(
            rng.integers(-1070, 1020) if points.itemsize == 8 else rng.integers(-148, 120)
        )
        with np.errstate(all="ignore"):
            there = np.ldexp(points, exponent)
            is_exact = (np.ldexp(there, -exponent) == points).all()
            most = np.abs(there).max() * points.shape[1]
        if not (is_exact and most < np.finfo(points.dtype).max / 4):
            return None
        # Of smaller numbers, HDBSCAN refuses the inverses.
        return {"exponent": exponent, "device": device, "clusters": bool(most > 2.0**-980)}

    def source(self, args, subject):
        how = f"device={args['device']!r}"
        clustered = "units" if args["clusters"] else "units[:1] * 2"
        return (
            f"units = points, np.ldexp(points, {args['exponent']})\n"
            f"near = [wg.cluster.nearest_neighbors(X, min(4, len(X)), {how}) for X in units]\n"
            f"forests = [wg.cluster.euclidean_mst(X, {how}) for X in units]\n"
            f"{clusters('labels', clustered, how)}\n"
            "result = near, forests, labels"
        )

    def judge(self, args, world, result, error):
        wrong = judge_error(error, set(), set())
        if wrong or error:
            return wrong
        near, forests, labels = result
        same = [
            (near[0].indices, near[1].indices, "indices"),
            (forests[0].edges, forests[1].edges, "edges"),
            (*labels, "labels"),
        ]
        with np.errstate(under="ignore"):
            for name, pair in (
                ("distances", [found.distances for found in near]),
                ("weights", [forest.weights for forest in forests]),
            ):
                same.append((np.ldexp(pair[0], args["exponent"]), pair[1], name))
        for wanted, found, name in same:
            wrong = wrong or first_difference(found, wanted, name)
        return wrong


class ParallelRows(Target):
    """Rows of integers times factors: no answer by cosine changes."""

    name = "parallel rows"
    subject = "points"
    largest = structures.SMALL
    vertices = ()
    needed = ("factors", "device")

    def draw(self, rng, subject, device):
        points = subject.array
        most = 1 << (20 if points.itemsize == 8 else 10)
        is_whole = (points == np.round(points)).all() and np.abs(points).max() <= most
        if not is_whole or not points.any(axis=1).all():
            return None
        return {"factors": int(rng.integers(10**6)), "device": device}

    def source(self, args, subject):
        how = f"metric='cosine', device={args['device']!r}"
        return (
            f"powers = np.random.default_rng({args['factors']}).uniform(-9, 9, (len(points), 1))\n"
            "rows = points, points * (10**powers).astype(points.dtype)\n"
            f"near = [wg.cluster.nearest_neighbors(X, min(4, len(X)), {how}) for X in rows]\n"
            f"forests = [wg.cluster.mst_of_points(X, {how}) for X in rows]\n"
            f"{clusters('labels', 'rows', how)}\n"
            "result = near, forests, labels"
        )

    def judge(self, args, world, result, error):
        wrong = judge_error(error, set(), set())
        if wrong or error:
            return wrong
        near, forests, labels = result
        for name, (wanted, found) in (
            ("indices", [one.indices for one in near]),
            ("distances", [one.distances for one in near]),
            ("edges", [forest.edges for forest in forests]),
            ("weights", [forest.weights for forest in forests]),
            ("labels", labels),
        ):
            wrong = wrong or first_difference(found, wanted, name)
        return wrong


def within(points, radius, metric):
    """Return the ids and distances of all points within a radius, nearest first, by row."""
    rows = []
    scaled, exponent = ranges.in_range(points)
    with np.errstate(all="ignore"):
        for point, scaled_point in zip(points, scaled, strict=True):
            if metric in BY_PAIRS:
                keys = distances = trees.distances_by(metric, points, point)
            else:
                keys = trees.squared_distances(scaled, scaled_point)
                distances = ranges.lengths(keys, exponent)
            order = np.argsort(keys, kind="stable").astype(np.int32)
            order = order[distances[order] <= radius]
            rows.append((order, distances[order]))
    return rows


TARGETS = [
    KneighborsGraph(),
    CoreDistances(),
    NearestNeighbors(),
    RadiusNeighborsGraph(),
    MstOfPoints(),
    Units(),
    ParallelRows(),
]
