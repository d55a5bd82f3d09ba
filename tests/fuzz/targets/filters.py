"""Filters of arrays, against Python's own comparisons, which are exact for integers and floats."""

from __future__ import annotations

import math

import numpy as np

from fuzz.searches import judge_error
from fuzz.targets.base import Target, first_difference, maybe, maybe_progress, options, pick

BOUNDS = (0, 0.5, -0.5, 2**31, 2**53 + 1, 2**63, 2**64, -(2**63), 1e300, math.inf, -math.inf)
MEMORY_LIMITS = (1, 10**4, 10**6, 10**8)


class PredicateFilter(Target):
    name = "predicate_filter"
    subject = "values"
    vertices = ()
    share = 0.5

    def draw(self, rng, subject, device):
        if device != "cpu":
            return None
        array = subject.array.ravel()

        def bound():
            if len(array) == 0 or rng.random() < 0.3:
                return pick(rng, BOUNDS)
            value = array[int(rng.integers(len(array)))].item()
            return 0 if value != value else value + pick(rng, (0, 0, 1, -1, 0.5))

        args = {"device": pick(rng, ("cpu", ["cpu"], ["cpu"] * 2, ["cpu"] * 5))}
        maybe(rng, args, 0.8, "low", bound)
        maybe(rng, args, 0.8, "high", bound)
        maybe(rng, args, 0.3, "out", lambda: pick(rng, (0, len(array) // 2, len(array) + 3)))
        maybe(rng, args, 0.1, "memory_limit", lambda: pick(rng, MEMORY_LIMITS))
        maybe_progress(rng, args)
        return args

    def source(self, args, subject):
        given, before, after = options(args, "out"), [], []
        if "out" in args:
            before = [f"out = np.full({args['out']}, 7, values.dtype.newbyteorder('='))"]
            after = ["assert (out[len(result):] == 7).all()"]
            given += ", out=out"
        return "\n".join([*before, f"result = wg.predicate_filter(values{given})", *after])

    def judge(self, args, world, result, error):
        expected = self.expected(args, world.edges.array.ravel())
        must = {ValueError} if args.get("out", len(expected)) < len(expected) else set()
        may = {MemoryError} if "memory_limit" in args else set()
        wrong = judge_error(error, must, may)
        return wrong if wrong or error else first_difference(result, expected, "values")

    @staticmethod
    def expected(args, array):
        low, high = args.get("low"), args.get("high")
        passes = [
            (low is None or value >= low) and (high is None or value <= high)
            for value in array.tolist()
        ]
        return array[np.array(passes, bool)]


TARGETS = (PredicateFilter(),)
