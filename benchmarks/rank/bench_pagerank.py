"""wg.pagerank against NetworkX's power iteration on SciPy matrices, and GAP's PageRank if given.

All end with scores whose L1 error is below ERROR, since the last change is below BOUND. The cases
"accuracy" compare the default of wg.pagerank, a bound of the error, with NetworkX's rule.
"""

import bisect
import contextlib
import statistics
import time
from functools import partial

import networkx as nx
import numpy as np
import scipy.sparse as sp

import warpgraph as wg
from benchmarks import inputs
from benchmarks.harness import Case, Input, Timed, main
from benchmarks.rivals import gap
from warpgraph import _core
from warpgraph._rank.stopping import ChangePerVertex

SECTION = (
    "PageRank",
    "`wg.pagerank` is compared with NetworkX's iteration on SciPy matrices and with GAP; all "
    "end with the same bound on the error.",
)

ALPHA = 0.85
#: The changes of the power iteration add up to less than this, and so errors to less than that.
BOUND = 1e-6
ERROR = BOUND * ALPHA / (1 - ALPHA)
#: Error of scores that are compared with others: hardly above what rounding hides.
_CONVERGED = 1e-11
#: No sweep changes as little.
_NEVER = 1e-300
_CALLS_IN_A_ROW = 9


def ours(x: Input):
    return wg.pagerank(x.graph, tol=ERROR, device=x.device)


def ours_on_device(x: Input):
    """Leave the scores on the device, to time the sweeps alone."""
    contestant = f"pagerank of a {type(x.graph).__name__}"
    out = inputs.device_output(x.device, x.matrix.shape[0], np.float64, contestant)
    return wg.pagerank(x.graph, tol=ERROR, out=out, device=x.device)


def seconds_per_sweep(x: Input, first: int, last: int) -> float:
    """Return the time of a sweep after the first ones: the difference of two calls."""
    contestant = f"pagerank of a {type(x.graph).__name__}"
    out = inputs.device_output(x.device, x.matrix.shape[0], np.float64, contestant)

    def seconds(sweeps: int) -> float:
        times = []
        for _ in range(_CALLS_IN_A_ROW):
            start = time.perf_counter()
            with contextlib.suppress(wg.ConvergenceError):
                wg.pagerank(x.graph, tol=_NEVER, max_iter=sweeps, out=out, device=x.device)
            times.append(time.perf_counter() - start)
        return statistics.median(times)

    return (seconds(last) - seconds(first)) / (last - first)


def near_one_vertex(x: Input, method: str):
    """Start all walks at one vertex, in the middle of grids."""
    n = x.matrix.shape[0]
    start = {n // 2 + int(n**0.5) // 2: 1.0}
    how = {"tol": ERROR, "method": method, "device": x.device}
    return wg.pagerank(x.graph, personalization=start, **how)


def scipy_iteration(x: Input):
    """The power iteration of NetworkX's pagerank, from a matrix instead of its own graph."""
    matrix = x.matrix.astype(np.float64)
    n = matrix.shape[0]
    sums = np.asarray(matrix.sum(axis=1)).ravel()
    dangling = sums == 0
    scaled = sp.diags_array(1 / np.where(dangling, 1, sums)) @ matrix
    steps = sp.csr_array(scaled)
    scores = np.full(n, 1 / n)
    for _ in range(1000):
        before = scores
        scores = ALPHA * (before @ steps + before[dangling].sum() / n) + (1 - ALPHA) / n
        if np.abs(scores - before).sum() < BOUND:
            break
    return scores


def ours_of_networkx(x: Input):
    return wg.pagerank(x.matrix, tol=ERROR, device=x.device)


def networkx_own(x: Input):
    how = {"tol": BOUND / len(x.matrix), "max_iter": 1000, "backend": "networkx"}
    return np.array(list(nx.pagerank(x.matrix, **how).values()))


class WithError:
    """A call that also counts its iterations and the L1 error of its scores, once and untimed."""

    def __init__(self, rule: str, tol) -> None:
        self.rule, self.tol = rule, tol
        self.known: tuple[object, str, dict[str, int]] = (None, "", {})

    def __call__(self, x: Input) -> Timed:
        start = time.perf_counter()
        scores = self._scores(x)
        seconds = time.perf_counter() - start
        if self.known[0] is not x.matrix or self.known[1] != x.device:
            limit = wg.pagerank(x.graph, tol=_CONVERGED, method="pull", device=x.device)
            error = float(np.abs(scores - limit).sum())
            counts = {"iterations": self._iterations(x), "x 1e-9 L1 error": round(1e9 * error)}
            self.known = (x.matrix, x.device, counts)
            print(f"{self.rule}: {counts['iterations']} iterations, L1 error {error:.2g}")
        return Timed(seconds, scores, self.known[2])

    def _scores(self, x: Input, **options):
        return wg.pagerank(x.graph, tol=self.tol, method="pull", device=x.device, **options)

    def _iterations(self, x: Input) -> int:
        """Return the least number of iterations with which the call converges."""
        return bisect.bisect(range(1, 1 << 12), 0, key=partial(self._converges, x)) + 1

    def _converges(self, x: Input, most: int) -> bool:
        try:
            self._scores(x, max_iter=most)
        except wg.ConvergenceError:
            return False
        return True


def agree(a, b) -> bool:
    """Each differs from the limit by less than ERROR, in sum.

    Of GAP's scores, which are of float32, only the highest are known.
    """
    if isinstance(b, gap.Highest):
        return bool((a[list(b)] >= (1 - 1e-3) * np.partition(a, -len(b))[-len(b)]).all())
    a, b = (s.to_numpy() if isinstance(s, _core.DeviceArray) else s for s in (a, b))
    return bool(np.abs(a - b).sum() < 2 * ERROR)


def floor_bytes(matrix) -> int:
    """Return the bytes of one sweep as in pagerank.hpp, if caches hold the contributions."""
    weights = 0 if (matrix.data == 1).all() else matrix.data.nbytes
    return matrix.indptr.nbytes + matrix.indices.nbytes + weights + 24 * matrix.shape[0]


def networkx_size(graph) -> dict[str, int]:
    return {"vertices": graph.number_of_nodes(), "edges": graph.number_of_edges()}


def networkx_graph():
    """Return a NetworkX graph of 100,000 vertices and a million edges."""
    return nx.gnm_random_graph(100_000, 1_000_000, seed=1, directed=True)


def cases(name, build, suite, *, for_gap=True):
    """Return the call with the matrix, with a kept graph, and with scores that stay on a device.

    `for_gap`: all weights are 1, and edges are stored both ways.
    """
    rivals = {"scipy": scipy_iteration}
    gaps = gap.pagerank_rivals(BOUND) if for_gap else {}
    named = {"suite": suite, "agree": agree, "floor_bytes": floor_bytes}
    return [
        Case(f"pagerank, {name}", build, ours, rivals, **named),
        Case(
            f"pagerank, {name}, kept graph",
            build,
            gap.repeated(ours),
            rivals | gaps,
            resident=True,
            **named,
        ),
        Case(
            f"pagerank, {name}, scores stay on the device",
            build,
            gap.repeated(ours_on_device),
            rivals,
            resident=True,
            devices=["cuda"],
            **named,
        ),
    ]


def sweeps(name, build, suite="large") -> list[Case]:
    """Return the time of a sweep: the first ones are those of the power iteration."""
    kinds = {"a sweep": (1, 4), "an accelerated sweep": (20, 60)}
    return [
        Case(
            f"pagerank, {kind}, {name}, scores stay on the device",
            build,
            partial(seconds_per_sweep, first=first, last=last),
            suite=suite,
            resident=True,
            timed_by_callable=True,
            floor_bytes=floor_bytes,
            devices=["cuda"],
        )
        for kind, (first, last) in kinds.items()
    ]


def from_one_vertex(name, build):
    """Return the calls with one start, for each method; pulling is the rival."""
    pull = {"pull": gap.repeated(partial(near_one_vertex, method="pull"))}
    return [
        Case(
            f"pagerank from one vertex, {name}, {method}",
            build,
            gap.repeated(partial(near_one_vertex, method=method)),
            pull,
            suite="standard",
            agree=agree,
            resident=True,
        )
        for method in ("push", "auto")
    ]


def accuracy(name, build, suite="standard") -> list[Case]:
    """Return what the default of wg.pagerank costs beside NetworkX's rule with the same `tol`.

    The counts say how many iterations that are, and how far the scores are from the limit.
    """
    error = WithError("L1 error below tol", 1e-6)
    change = WithError("NetworkX's rule", ChangePerVertex(1e-6))
    named = {"suite": suite, "resident": True}
    return [
        Case(
            f"pagerank, accuracy, {name}, L1 error below tol",
            build,
            error,
            {"NetworkX's rule": change},
            **named,
        ),
        Case(f"pagerank, accuracy, {name}, NetworkX's rule", build, change, **named),
    ]


def star():
    """Return a hub and three million leaves, joined both ways."""
    leaves = np.arange(1, 3_000_001, dtype=np.int32)
    hub = np.zeros_like(leaves)
    ends = np.r_[leaves, hub], np.r_[hub, leaves]
    return sp.csr_array(sp.coo_array((np.ones(2 * len(leaves)), ends)))


def unweighted(build) -> sp.csr_array:
    """Return a graph with the weight 1 for every edge."""
    matrix = build()
    matrix.data[:] = 1
    return matrix


NEW_YORK, NORTHEAST = (partial(unweighted, build) for build in (inputs.ny_road, inputs.northeast))

CASES = [
    *cases("R-MAT scale 10", inputs.rmat_10, "smoke"),
    *sweeps("R-MAT scale 10", inputs.rmat_10, "smoke"),
    *accuracy("R-MAT scale 10", inputs.rmat_10, "smoke"),
    *cases("ny-road, weighted", inputs.ny_road, "standard", for_gap=False),
    *cases("ny-road", NEW_YORK, "standard"),
    *(cases("ne-road", NORTHEAST, "standard") if inputs.HAS_NORTHEAST else []),
    *cases("grid 2048 x 2048", inputs.grid_2048, "standard"),
    *cases("R-MAT scale 20", inputs.rmat_20, "standard"),
    *from_one_vertex("ny-road", NEW_YORK),
    *from_one_vertex("grid 2048 x 2048", inputs.grid_2048),
    *cases("R-MAT scale 20, directed", inputs.rmat_20_directed, "standard", for_gap=False),
    *accuracy("R-MAT scale 20, directed", inputs.rmat_20_directed),
    *accuracy("R-MAT scale 20", inputs.rmat_20),
    *accuracy("ny-road", NEW_YORK),
    *accuracy("star of 3 million leaves", star),
    Case(
        "pagerank, NetworkX graph, 1 million edges",
        networkx_graph,
        ours_of_networkx,
        {"networkx": networkx_own},
        "standard",
        resident=False,
        agree=agree,
        size=networkx_size,
    ),
    *cases("R-MAT scale 22", inputs.rmat_22, "large"),
    *sweeps("R-MAT scale 22", inputs.rmat_22),
    *accuracy("R-MAT scale 22", inputs.rmat_22, "large"),
    *cases("SSCA2 scale 22", inputs.ssca2_22, "large"),
    *sweeps("SSCA2 scale 22", inputs.ssca2_22),
    *cases("grid 4900 x 4900", inputs.grid_4900, "large"),
    *sweeps("grid 4900 x 4900", inputs.grid_4900),
    *sweeps("R-MAT scale 24", inputs.rmat_24),
]

if __name__ == "__main__":
    main(__file__, CASES)
