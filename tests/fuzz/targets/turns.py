"""Graph.with_turns: distances along edges whose turns are forbidden or cost something."""

from __future__ import annotations

import math

import numpy as np

from fuzz import oracles, structures
from fuzz.cases import Edges
from fuzz.searches import judge_error
from fuzz.targets.base import DTYPES, Target, first_difference, maybe, options, pick

#: The turns of an edge into an edge and their costs: some of all, by their numbers.
TABLE = (
    "kept = wg.Graph(graph)\n"
    "heads = kept.to_edges()[1].tolist()\n"
    "pairs = [(e, f) for e, v in enumerate(heads)\n"
    "         for f in range(int(kept.indptr[v]), int(kept.indptr[v + 1]))\n"
    "         if (7 * e + 3 * f + {seed}) % {every} == 0]\n"
    "costs = [(0, 1, 3, math.inf)[(5 * e + f + {seed}) % 4] for e, f in pairs]\n"
    "table = np.array(pairs, np.int64).reshape(-1, 2)\n"
    "turned = kept.with_turns(table[:, 0], table[:, 1], np.array(costs, float))\n"
)


class WithTurns(Target):
    name = "with_turns"
    share = 0.6
    largest = structures.SMALL
    needed = ("source", "seed", "every", "device")

    def draw(self, rng, subject, device):
        if subject.n == 0:
            return None
        args = {"source": int(rng.integers(subject.n)), "seed": int(rng.integers(8))}
        args["every"] = pick(rng, (1, 2, 5, 9))
        maybe(rng, args, 0.5, "dtype", lambda: pick(rng, DTYPES))
        return {**args, "device": device}

    def source(self, args, subject):
        given = options(args, "source", "seed", "every")
        table = TABLE.format(**args)
        return f"import math\n{table}result = wg.sssp(turned, {args['source']}{given})"

    def judge(self, args, world, result, error):
        if world.has_negative:
            return judge_error(error, {ValueError}, {OverflowError})
        dtype = world.distance_dtype(args.get("dtype"))
        line, overflows = _line_graph(world.rows, args)
        graph = oracles.World(line).weighted(dtype)
        may = graph.errors | ({OverflowError} if overflows else set())
        may |= world.weighted(dtype).errors
        if error or graph.errors or overflows:
            # Sums of integers along paths may not fit, too.
            may |= {OverflowError} if np.dtype(dtype).kind == "i" else set()
            return judge_error(error, set(), may)
        found = graph.distances(line.n - 1)
        least = [math.inf] * world.n
        for head, distance in zip(world.rows.head.tolist(), found[:-1], strict=True):
            if distance is not None:
                least[head] = min(least[head], distance)
        least[args["source"]] = 0
        far = oracles.largest(dtype)
        if far != math.inf and any(far <= d < math.inf for d in least):
            return "expected OverflowError, got a result"
        expected = np.array([far if d == math.inf else d for d in least], dtype)
        return first_difference(result, expected, "distances")


def _line_graph(rows: Edges, args) -> tuple[Edges, bool]:
    """Return the graph of edges, and whether a weight and a cost do not fit one number.

    Its last vertex leads to the edges that leave the source.
    """
    kind = _dtype_of_graph(rows.weight.dtype)
    heads, weights, m = rows.head.tolist(), rows.weight.tolist(), len(rows.head)
    first = np.searchsorted(rows.tail, np.arange(rows.n + 1)).tolist()
    arcs = [(m, e, weights[e]) for e in range(first[args["source"]], first[args["source"] + 1])]
    for e, v in enumerate(heads):
        for f in range(first[v], first[v + 1]):
            is_listed = (7 * e + 3 * f + args["seed"]) % args["every"] == 0
            cost = (0, 1, 3, math.inf)[(5 * e + f + args["seed"]) % 4] if is_listed else 0
            if cost != math.inf:
                # The sum of floats is rounded to their type.
                total = (
                    weights[f] + cost
                    if kind.kind == "i"
                    else float(kind.type(weights[f]) + kind.type(cost))
                )
                arcs.append((e, f, total))
    tails, ends, sums = zip(*arcs, strict=True) if arcs else ((), (), ())
    largest = int(np.iinfo(kind).max) if kind.kind == "i" else math.inf
    overflows = kind.kind == "i" and any(total >= largest for total in sums)
    line = (np.array(side, np.int64) for side in (tails, ends))
    return Edges(m + 1, *line, np.array([0 if overflows else s for s in sums], kind)), overflows


def _dtype_of_graph(kind: np.dtype) -> np.dtype:
    if kind.kind == "f":
        return kind if kind.itemsize >= 4 else np.dtype(np.float32)
    is_wide = kind.itemsize == 8 or (kind.kind == "u" and kind.itemsize == 4)
    return np.dtype(np.int64 if is_wide else np.int32)


TARGETS = [WithTurns()]
