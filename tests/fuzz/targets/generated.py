"""Generated graphs and points: the same on any number of threads, with the requested properties."""

from __future__ import annotations

import numpy as np

import warpgraph as wg
from fuzz.searches import judge_error
from fuzz.targets.base import DTYPES, Target, first_difference, maybe, options, pick
from fuzz.targets.transforms import entries_of

WEIGHTS = ((1, 9), (0, 0), (-5, 5), (0, 2**31 - 1), (0, 2**40), (-(2**62), 2**62))


class Generated(Target):
    subject = "nothing"
    share = 0.25
    vertices = ()

    def __init__(self, function: str) -> None:
        self.name, self.function = f"generators.{function}", function

    needed = ("scale", "rows", "cols")

    def draw(self, rng, subject, device):
        args = {"scale": int(rng.integers(0, 8))}
        if self.function == "grid":
            args = {"rows": int(rng.integers(0, 12)), "cols": int(rng.integers(0, 12))}
            maybe(rng, args, 0.3, "removed", lambda: pick(rng, (0.1, 0.5, 1.0)))
        elif self.function == "rmat":
            args["edge_factor"] = int(rng.integers(0, 9))
            maybe(rng, args, 0.3, "directed", lambda: True)
            maybe(rng, args, 0.3, "keep_loops", lambda: True)
            maybe(rng, args, 0.3, "parameters", lambda: "graphhpc")
        if self.function != "grid":
            maybe(rng, args, 0.3, "keep_duplicates", lambda: True)
            maybe(rng, args, 0.3, "relabel", lambda: False)
        args["seed"] = int(rng.integers(2**32))
        maybe(rng, args, 0.6, "weights", lambda: pick(rng, (*WEIGHTS, None)))
        maybe(rng, args, 0.3, "dtype", lambda: pick(rng, DTYPES))
        return args

    def source(self, args, subject):
        return f"result = wg.{self.name}({options(args)[2:]})"

    def judge(self, args, world, result, error):
        if error:
            return judge_error(error, set(), self._may_refuse(args))
        n = args["rows"] * args["cols"] if self.function == "grid" else 2 ** args["scale"]
        if result.n_vertices != n:
            return f"expected {n} vertices, got {result.n_vertices}"
        entries = entries_of(result)
        return self._judge_edges(args, entries) or self._judge_weights(args, result, entries)

    def _may_refuse(self, args):
        """Weights that do not fit the dtype; a uniform number is no integer."""
        return {ValueError, OverflowError, TypeError} if "dtype" in args else set()

    def _judge_edges(self, args, entries):
        ends = [(u, v) for u, v, _ in entries]
        if not args.get("directed"):
            if sorted(ends) != sorted((v, u) for u, v in ends):
                return "edges do not lie both ways"
            if sorted(entries) != sorted((v, u, w) for u, v, w in entries):
                return "the two directions of an edge differ in weight"
        if not args.get("keep_duplicates") and len(set(ends)) != len(ends):
            return "an edge is there twice"
        if not args.get("keep_loops") and any(u == v for u, v in ends):
            return "there is a loop"
        if self.function == "grid":
            columns = args["cols"]
            whole = {(v, v + 1) for v in range(args["rows"] * columns) if (v + 1) % columns}
            whole |= {(v, v + columns) for v in range((args["rows"] - 1) * columns)}
            upper = {(u, v) for u, v in ends if u < v}
            if not upper <= whole or ("removed" not in args and upper != whole):
                return f"edges that are no grid: {sorted(upper ^ whole)}"
        return None

    def _judge_weights(self, args, result, entries):
        rule = args.get("weights", "uniform")
        weights = [w for _, _, w in entries]
        low, high = {"uniform": (0, 1), None: (1, 1)}.get(rule, rule)
        if not all(low <= w <= high for w in weights):
            return f"weights beyond {low}..{high}: {weights}"
        before = wg.get_num_threads()
        wg.set_num_threads(1)
        again = getattr(wg.generators, self.function)(**args)
        wg.set_num_threads(before)
        wrong = first_difference(result.indices, again.indices, "indices")
        return wrong or first_difference(result.data, again.data, "data")


class RandomPoints(Target):
    name = "generators.random_points"
    subject = "nothing"
    share = 0.25
    vertices = ()
    needed = ("n", "dim")

    def draw(self, rng, subject, device):
        args = {"n": int(rng.integers(0, 300)), "dim": int(rng.integers(1, 10))}
        args["seed"] = int(rng.integers(2**32))
        maybe(rng, args, 0.6, "dist", lambda: pick(rng, ("uniform", "normal", "blobs")))
        maybe(rng, args, 0.4, "dtype", lambda: "float32")
        return args

    def source(self, args, subject):
        given = options(args)[2:]
        return f"result = wg.generators.random_points({given}, return_labels=True)"

    def judge(self, args, world, result, error):
        if error:
            return judge_error(error, set(), set())
        points, labels = result
        if points.shape != (args["n"], args["dim"]) or labels.shape != (args["n"],):
            return f"shapes: got {points.shape} and {labels.shape}"
        if not np.isfinite(points).all() or not ((labels >= 0) & (labels < 10)).all():
            return "points are not finite, or labels no blobs"
        if args.get("dist", "uniform") == "uniform" and not ((points >= 0) & (points < 1)).all():
            return "points outside the unit cube"
        before = wg.get_num_threads()
        wg.set_num_threads(1)
        again = wg.generators.random_points(**args)
        wg.set_num_threads(before)
        return first_difference(points, again, "points")


TARGETS = [Generated("rmat"), Generated("ssca2"), Generated("grid"), RandomPoints()]
