"""Targets: PageRank and betweenness.

The L1 error of PageRank is below `tol`, against a solution in extended precision. Betweenness is
that of counts of shortest paths in integers and fractions.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np

import warpgraph as wg
from fuzz import structures
from fuzz.searches import judge_error
from fuzz.targets.base import Target, maybe, maybe_progress, options, perhaps_several, pick
from fuzz.targets.forests import normal

VECTORS = ("personalization", "dangling", "nstart")
MEMORY_LIMITS = (100, 5_000, 100_000, 10**8)
#: Sums of weights that are refused, with a margin for rounding.
LIGHTEST, HEAVIEST = 1e-270, 1e270
#: What rounding may change in all scores together.
ROUNDING = 1e-11
#: What the solution may lack.
UNSOLVED = 1e-15
#: What may hide whether an error is reached, times 1 - alpha: below, a call may be refused.
LEAST = 2.0**-44
#: Changes show every error above this part of 1 / (1 - alpha) ** 2; pushes those above PUSHED.
SURELY = 2.0**-41
PUSHED = 1e-9
#: A graph of at most as many vertices is solved by elimination.
SOLVED = 60
SWEEPS = 3000
#: Iterations over undirected graphs before they differ from the power iteration.
PLAIN_SWEEPS = 4


class PageRank(Target):
    name = "pagerank"
    largest = structures.LARGE

    def draw(self, rng, subject, device):
        args = {}
        maybe(rng, args, 0.3, "directed", lambda: False)
        maybe(rng, args, 0.15, "unweighted", lambda: True)
        maybe(rng, args, 0.6, "alpha", lambda: pick(rng, _alphas(subject.n)))
        maybe(rng, args, 0.5, "tol", lambda: pick(rng, (1, 1e-3, 1e-8, 1e-11, 1e-14)))
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
        if isinstance(error, ValueError) and "max_iter" not in args and _is_below_rounding(args):
            return None
        if world.n == 0:
            return judge_error(error, set(), may) if error else None
        if any(sum(args.get(name, {0: 1}).values()) == 0 for name in VECTORS):
            return judge_error(error, {ValueError}, may)
        graph = world.once(("pagerank", *_form(args)), lambda: _Walk(world.edges, *_form(args)))
        if graph.is_refused:
            return judge_error(error, {ValueError}, may)
        if isinstance(error, wg.ConvergenceError):
            return _judge_unfinished(args, graph, error)
        if error:
            return judge_error(error, set(), may)
        tol = args.get("tol", 1e-6)
        return _difference(result, graph.solution(args), tol + UNSOLVED)


def _alphas(n):
    """Return numbers for which the solution is found; near 1 only by elimination."""
    return (0, 0.01, 0.3, 0.5, 0.85, 0.95) + ((0.999,) if n <= SOLVED else ())


def _is_below_rounding(args):
    return args.get("tol", 1e-6) * (1 - args.get("alpha", 0.85)) < 1.01 * LEAST


def _judge_unfinished(args, graph, error):
    """Judge scores of a call that has used all iterations: they are near, but perhaps too few."""
    alpha, tol = args.get("alpha", 0.85), args.get("tol", 1e-6)
    pushes = args.get("method") == "push"
    if "max_iter" not in args and tol > (max(SURELY / (1 - alpha) ** 2, PUSHED) if pushes else 0):
        return f"expected that the default number of iterations suffices, got {error}"
    k, solution = error.iterations, graph.solution(args)
    if pushes:
        # A round pushes three quarters of the residual at least.
        left = 2 * alpha * (1 - 0.75 * (1 - alpha)) ** k
        reaches = left < 0.99 * tol - PUSHED
    else:
        first = graph.first_change(args)
        left = first * alpha**k / (1 - alpha)
        plain = not graph.is_symmetric or k <= PLAIN_SWEEPS
        reaches = not graph.is_symmetric and left < 0.99 * tol - SURELY / (1 - alpha) ** 2
        # Later sweeps may triple the change once, but not more.
        left = left if plain else 3 * first * alpha ** (PLAIN_SWEEPS - 1) / (1 - alpha)
    if reaches:
        return f"expected convergence after {k} iterations, got {error}"
    return _difference(error.scores, solution, ROUNDING + 1.001 * left)


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
        self.n, self.is_refused, self._solutions = edges.n, True, {}
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
        self.is_refused = bool(((used < LIGHTEST) | (used > HEAVIEST)).any())
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

    def solution(self, args):
        """Return the scores that a step does not change: eliminated, or after all steps."""
        alpha, p, d = self._numbers(args)
        key = alpha, p.tobytes(), d.tobytes()
        if key not in self._solutions:
            solve = self._eliminated if self.n <= SOLVED else self._stepped
            self._solutions = {key: solve(alpha, p, d)}
        return self._solutions[key]

    def first_change(self, args):
        alpha, p, d = self._numbers(args)
        x = self._vector(args, "nstart", self._uniform())
        return float(np.abs(self._after(x, alpha, p, d) - x).sum())

    def _numbers(self, args):
        p = self._vector(args, "personalization", self._uniform())
        return np.longdouble(args.get("alpha", 0.85)), p, self._vector(args, "dangling", p)

    def _uniform(self):
        return np.full(self.n, np.longdouble(1) / self.n)

    def _after(self, x, alpha, p, d):
        new = alpha * x[self._is_dangling].sum() * d + (1 - alpha) * p
        np.add.at(new, self._head, alpha * self._step * x[self._tail])
        return new

    def _eliminated(self, alpha, p, d):
        """Solve the linear system; columns are dominated by the diagonal, so no row is swapped."""
        rows = np.eye(self.n, self.n + 1, dtype=np.longdouble)
        np.subtract.at(rows, (self._head, self._tail), alpha * self._step)
        rows[:, :-1] -= alpha * np.outer(d, self._is_dangling)
        rows[:, -1] = (1 - alpha) * p
        for k in range(self.n):
            rows[k] /= rows[k, k]
            others = np.arange(self.n) != k
            rows[others] -= np.outer(rows[others, k], rows[k])
        return rows[:, -1]

    def _stepped(self, alpha, p, d):
        x = p
        for _ in range(SWEEPS):
            before, x = x, self._after(x, alpha, p, d)
            if np.abs(x - before).sum() < 1e-17:
                break
        return x

    def _vector(self, args, name, otherwise):
        if name not in args:
            return otherwise
        numbers = np.zeros(self.n, np.longdouble)
        for vertex, value in args[name].items():
            numbers[vertex] = value
        return numbers / numbers.sum()


#: Rounding of a few additions, and of fixed point.
ROUNDED = {"rtol": 1e-11, "atol": 1e-15}
LARGEST_INT64 = 2**63 - 1


class Betweenness(Target):
    name = "betweenness_centrality"
    largest = structures.SMALL
    needed = ("device",)
    of_edges = False

    def draw(self, rng, subject, device):
        args = {}
        for flag in ("directed", "normalized"):
            maybe(rng, args, 0.4, flag, lambda: False)
        maybe(rng, args, 0.3, "unweighted", lambda: True)
        maybe(rng, args, 0.3, "limit", lambda: pick(rng, (0, 1, 2, 3.5, 10, 1e6)))
        for name in ("sources", "targets"):
            maybe(rng, args, 0.3, name, lambda: _some(rng, subject.n))
        if not self.of_edges:
            maybe(rng, args, 0.3, "endpoints", lambda: True)
        maybe(rng, args, 0.04, "memory_limit", lambda: pick(rng, MEMORY_LIMITS))
        maybe_progress(rng, args)
        return {**args, "device": perhaps_several(rng, device)}

    def source(self, args, subject):
        return f"result = wg.{self.name}(graph{options(args)})"

    def judge(self, args, world, result, error):
        may = {MemoryError} if "memory_limit" in args else set()
        unweighted = args.get("unweighted", False)
        weight = world.edges.weight
        if not unweighted and (weight <= 0).any():
            return judge_error(error, {ValueError}, may)
        kind = "int64" if unweighted or weight.dtype.kind == "i" else "float64"
        graph = world.weighted(kind, args.get("directed", True), unweighted)
        if graph.errors:
            return judge_error(error, set(), graph.errors | may)
        expected = _Shares(graph, args)
        if expected.is_uncertain:
            may |= {ValueError, OverflowError}
        if error or expected.is_uncertain:
            return judge_error(error, set(), may)
        wanted = expected.of_entries(world.rows) if self.of_edges else expected.of_vertices()
        if np.allclose(result, wanted, **ROUNDED):
            return None
        return f"expected {wanted}, got {result.tolist()}"


def _some(rng, n):
    return rng.integers(n, size=3).tolist() if n else []


class EdgeBetweenness(Betweenness):
    name = "edge_betweenness_centrality"
    of_edges = True


class _Shares:
    """Exact scores of vertices and of arcs, by (tail, head)."""

    def __init__(self, graph, args):
        self._graph, self._args = graph, args
        self._vertices = [Fraction(0)] * graph.n
        self._arcs: dict[tuple[int, int], Fraction] = {}
        #: A distance does not fit int64, or does not change where a weight is added.
        self.is_uncertain = False
        self._lightest: list[dict[int, float]] = [{} for _ in range(graph.n)]
        for u, row in enumerate(graph.out):
            for v, w in row:
                if u != v:
                    self._lightest[u][v] = min(w, self._lightest[u].get(v, w))
        every = range(graph.n)
        ends = set(args.get("targets", every))
        for source in args.get("sources", every):
            self._add(source, ends)

    def _add(self, source, ends):
        distance, out = self._graph.distances(source), self._lightest
        limit, add = self._args.get("limit", float("inf")), self._graph.add
        is_integer = all(isinstance(d, int) for d in distance if d is not None)
        order = [v for v, d in enumerate(distance) if d is not None and d <= limit]
        order.sort(key=lambda v: distance[v])
        tight = {v: [] for v in order}
        counts = dict.fromkeys(order, 0) | {source: 1}
        for u in order:
            self.is_uncertain |= is_integer and distance[u] >= LARGEST_INT64
            for v, w in out[u].items():
                if v in counts and add(distance[u], w) == distance[v]:
                    self.is_uncertain |= distance[u] == distance[v]
                    tight[u].append(v)
                    counts[v] += counts[u]
        if self.is_uncertain:
            return
        dependency = dict.fromkeys(order, Fraction(0))
        for u in reversed(order):
            for v in tight[u]:
                share = Fraction(counts[u], counts[v]) * ((v in ends) + dependency[v])
                self._arcs[u, v] = self._arcs.get((u, v), 0) + share
                dependency[u] += share
            if u != source:
                counts_end = self._args.get("endpoints", False) and u in ends
                self._vertices[u] += dependency[u] + counts_end
                self._vertices[source] += counts_end

    def _scale(self, endpoints) -> Fraction:
        n = self._graph.n if endpoints else self._graph.n - 1
        if n < 2:
            return Fraction(1)
        if self._args.get("normalized", True):
            return Fraction(1, n * (n - 1))
        return Fraction(1) if self._args.get("directed", True) else Fraction(1, 2)

    def of_vertices(self):
        scale = self._scale(self._args.get("endpoints", False))
        return [float(scale * score) for score in self._vertices]

    def of_entries(self, edges):
        directed, found = self._args.get("directed", True), []
        unweighted, scale = self._args.get("unweighted", False), self._scale(True)
        stored = zip(edges.tail.tolist(), edges.head.tolist(), edges.weight.tolist(), strict=True)
        entries = [
            ((u, v), u != v and (unweighted or w == self._lightest[u].get(v))) for u, v, w in stored
        ]
        sharers = Counter(ends for ends, is_lightest in entries if is_lightest)
        for (u, v), is_lightest in entries:
            score = self._arcs.get((u, v), 0) + (0 if directed else self._arcs.get((v, u), 0))
            n_sharers = max(sharers[u, v], 0 if directed else sharers[v, u])
            found.append(float(scale * score / n_sharers) if is_lightest else 0.0)
        return found


TARGETS = [PageRank(), Betweenness(), EdgeBetweenness()]
