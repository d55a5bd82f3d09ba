"""Filters of arrays, against Python's own comparisons, which are exact for integers and floats."""

from __future__ import annotations

import math

import numpy as np

from fuzz.searches import judge_error
from fuzz.targets.base import Target, first_difference, maybe, options, pick

BOUNDS = (0, 0.5, -0.5, 2**31, 2**53 + 1, 2**63, 2**64, -(2**63), 1e300, math.inf, -math.inf)


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
        return args

    def source(self, args, subject):
        return f"result = wg.predicate_filter(values{options(args)})"

    def judge(self, args, world, result, error):
        if error:
            return judge_error(error, set(), set())
        array = world.edges.array.ravel()
        low, high = args.get("low"), args.get("high")
        passes = [
            (low is None or value >= low) and (high is None or value <= high)
            for value in array.tolist()
        ]
        return first_difference(result, array[np.array(passes, bool)], "values")


TARGETS = (PredicateFilter(),)
