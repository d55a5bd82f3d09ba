"""PageRank, against a power iteration in extended precision."""

from __future__ import annotations

import numpy as np

import warpgraph as wg
from fuzz import structures
from fuzz.searches import judge_error
from fuzz.targets.base import Target, maybe, maybe_progress, options, perhaps_several, pick
from fuzz.targets.forests import normal

VECTORS = ("personalization", "dangling", "nstart")
MEMORY_LIMITS = (100, 5_000, 100_000, 10**8)
#: Sums of weights that are refused, with a margin for rounding.
LEAST, MOST = 1e-270, 1e270
#: What rounding may change in all scores together.
ROUNDING = 1e-11
#: Enough for every alpha that is drawn.
SWEEPS = 700
#: Iterations over undirected graphs before they differ from the power iteration.
PLAIN_SWEEPS = 4
#: The smallest graphs for which method="auto" may push.
MAY_PUSH = 4096


class PageRank(Target):
    name = "pagerank"
    largest = structures.LARGE

    def draw(self, rng, subject, device):
        args = {"max_iter": SWEEPS}
        maybe(rng, args, 0.3, "directed", lambda: False)
        maybe(rng, args, 0.15, "unweighted", lambda: True)
        maybe(rng, args, 0.6, "alpha", lambda: pick(rng, (0.01, 0.3, 0.5, 0.85, 0.95)))
        maybe(rng, args, 0.5, "tol", lambda: pick(rng, (1e-3, 1e-9, 1e-14)))
        maybe(rng, args, 0.6, "method", lambda: pick(rng, ("pull", "push", "push", "auto")))
        maybe(rng, args, 0.15, "max_iter", lambda: int(rng.integers(1, 30)))
        for name in VECTORS:
            maybe(rng, args, 0.25, name, lambda: _numbers(rng, subject.n))
        maybe(rng, args, 0.04, "memory_limit", lambda: pick(rng, MEMORY_LIMITS))
        maybe_progress(rng, args)
        pushes = args.get("method") == "push"
        return {**args, "device": device if pushes else perhaps_several(rng, device)}

    def source(self, args, subject):
        return f"result = wg.pagerank(graph{options(args)})"

    def renumbered(self, args, new):
        changed = dict(args)
        for name in VECTORS:
            if name in args:
                changed[name] = {new[v]: x for v, x in args[name].items() if v in new}
        return changed

    def judge(self, args, world, result, error):
        may = {MemoryError} if "memory_limit" in args else set()
        pushes = args.get("method") == "push"
        if pushes and "nstart" in args:
            return judge_error(error, {ValueError}, may)
        if world.n == 0:
            return judge_error(error, set(), may) if error else None
        if any(sum(args.get(name, {0: 1}).values()) == 0 for name in VECTORS):
            return judge_error(error, {ValueError}, may)
        graph = world.once(("pagerank", *_form(args)), lambda: _Walk(world.edges, *_form(args)))
        if graph.is_refused:
            return judge_error(error, {ValueError}, may)
        if pushes:
            return _judge_push(args, world, graph, result, error, may)
        walk = graph.iterate(args)
        bound = world.n * args.get("tol", 1e-6)
        sweeps = next((k for k, change in enumerate(walk, 1) if change < bound), None)
        alpha = args.get("alpha", 0.85)
        if isinstance(error, wg.ConvergenceError):
            needed = sweeps if sweeps is None or not graph.is_symmetric else 2 * sweeps + 4
            converged = needed is not None and walk[sweeps - 1] < 0.999999 * bound - ROUNDING
            if converged and needed <= error.iterations:
                return f"expected convergence in {needed} iterations, got {error}"
            if not graph.is_symmetric or error.iterations <= PLAIN_SWEEPS:
                wanted = graph.scores_after(args, error.iterations)
                return _difference(error.scores, wanted, ROUNDING)
            limit = graph.scores_after(args, 4 * SWEEPS)
            # Later sweeps may triple the change once, but not more.
            most = 3 * walk[PLAIN_SWEEPS - 1] / (1 - alpha)
            return _difference(error.scores, limit, ROUNDING + most)
        if error:
            return judge_error(error, set(), may)
        if graph.is_symmetric:
            limit = graph.scores_after(args, 4 * SWEEPS)
            return _difference(result, limit, ROUNDING + 1.01 * bound / (1 - alpha))
        may_push = args.get("method", "auto") == "auto" and world.n >= MAY_PUSH
        if sweeps is None and not may_push and walk[-1] > 1.000001 * bound + ROUNDING:
            return f"expected no convergence, since the change is {walk[-1]}, not below {bound}"
        limit = graph.scores_after(args, 4 * SWEEPS)
        return _difference(result, limit, ROUNDING + 1.01 * bound * alpha / (1 - alpha))


def _judge_push(args, world, graph, result, error, may):
    alpha = args.get("alpha", 0.85)
    bound = world.n * args.get("tol", 1e-6)
    limit = graph.scores_after(args, 4 * SWEEPS)
    if not isinstance(error, wg.ConvergenceError):
        if error:
            return judge_error(error, set(), may)
        return _difference(result, limit, ROUNDING + 1.01 * bound * alpha / (1 - alpha))
    # A round pushes three quarters of the residual at least.
    left = (1 - 0.75 * (1 - alpha)) ** error.iterations
    if (1 - alpha) * left < 0.49 * bound - ROUNDING:
        return f"expected convergence after {error.iterations} rounds, got {error}"
    return _difference(error.scores, limit, ROUNDING + 2 * alpha * left)


def _numbers(rng, n):
    """Return numbers for some vertices."""
    some = rng.choice(n, int(rng.integers(1, min(n, 9) + 1)), replace=False) if n else []
    return {int(v): pick(rng, (0, 1, 2, 0.1, 7.5, 1e-9)) for v in some}


def _form(args):
    return args.get("directed", True), args.get("unweighted", False)


def _difference(found, wanted, bound):
    if found.shape != wanted.shape or found.dtype != np.float64:
        return f"expected float64 scores of shape {wanted.shape}, got {found.dtype} {found.shape}"
    distance = float(np.abs(found - wanted).sum())
    return None if distance <= bound else f"scores differ by {distance} in sum, not {bound}"


class _Walk:
    """The probabilities of a step along an edge."""

    def __init__(self, edges, directed, unweighted):
        weight = np.ones(len(edges.tail)) if unweighted else normal(edges.weight)
        self.n, self.is_refused = edges.n, True
        self._tail, self._head = edges.tail, edges.head
        if (weight < 0).any() or np.isinf(weight).any():
            return
        back = self._missing_directions(weight)
        self.is_symmetric = not directed or not len(back[0])
        if not directed:
            self._tail, self._head = np.r_[self._tail, back[0]], np.r_[self._head, back[1]]
            weight = np.r_[weight, back[2]]
        weight = weight.astype(np.longdouble)
        sums = np.zeros(self.n, np.longdouble)
        np.add.at(sums, self._tail, weight)
        used = sums[sums > 0]
        self.is_refused = bool(((used < LEAST) | (used > MOST)).any())
        self._is_dangling = sums == 0
        self._step = weight / np.where(self._is_dangling, 1, sums)[self._tail]

    def _missing_directions(self, weight):
        """Return the other direction of each edge, or nothing if all are there; loops have one."""
        tail, head = self._tail, self._head
        apart = tail != head
        there = [tail[apart], head[apart], weight[apart]]
        back = [there[1], there[0], there[2]]
        if sorted(zip(*there, strict=True)) == sorted(zip(*back, strict=True)):
            return [items[:0] for items in back]
        return back

    def scores_after(self, args, sweeps):
        *_, (scores, _) = self._sweeps(args, sweeps)
        return scores

    def iterate(self, args):
        """Return the change of each iteration up to max_iter, or until there is none."""
        return [change for _, change in self._sweeps(args, args["max_iter"])]

    def _sweeps(self, args, most):
        alpha = np.longdouble(args.get("alpha", 0.85))
        uniform = np.full(self.n, np.longdouble(1) / self.n)
        p = self._vector(args, "personalization", uniform)
        d = self._vector(args, "dangling", p)
        x = self._vector(args, "nstart", uniform)
        for _ in range(most):
            before = x
            x = alpha * before[self._is_dangling].sum() * d + (1 - alpha) * p
            np.add.at(x, self._head, alpha * self._step * before[self._tail])
            change = np.abs(x - before).sum()
            yield x, float(change)
            if change < 1e-17:
                return

    def _vector(self, args, name, otherwise):
        if name not in args:
            return otherwise
        numbers = np.zeros(self.n, np.longdouble)
        for vertex, value in args[name].items():
            numbers[vertex] = value
        return numbers / numbers.sum()


TARGETS = [PageRank()]
