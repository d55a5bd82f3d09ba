"""wg.apsp against SciPy's Floyd-Warshall, and its methods against each other.

Integer distances must agree bit for bit, others within the bound that wg.apsp states. The floor is
the time of n^3 sums and minima in registers, in the type of the sums. SciPy is timed once a case.

    python -m benchmarks.paths.bench_apsp --suite seed-001

is the experiment of seed_001.py, which makes tables and a picture of the result; without
``--device cuda`` it has the columns of cores only.
"""

import sys
from functools import partial

import numpy as np
from scipy.sparse import csgraph

import warpgraph as wg
from benchmarks import inputs
from benchmarks.experiments import seed_001
from benchmarks.harness import Case, Input, Once, main
from benchmarks.rivals import ecl_apsp
from warpgraph import _core

SECTION = (
    "Shortest paths between all vertices",
    "`wg.apsp` is compared with SciPy's Floyd-Warshall, with ECL-APSP on a GPU, and with the "
    "same call without predecessors.",
)

#: Arcs per vertex. They do not change the time of Floyd and Warshall's method, but that of
#: recovering predecessors.
DEGREE = 16

#: Weights by the type of the sums: integers up to 99, up to 10^6, and in 0..1.
WEIGHTS = {
    "uint16": lambda rng, m: rng.integers(1, 100, m),
    "int32": lambda rng, m: rng.integers(1, 1_000_000, m),
    "float32": lambda rng, m: rng.random(m),
    "float64": lambda rng, m: rng.random(m),
}


def random_graph(n, sums, dtype):
    rng = np.random.default_rng(1)
    tail, head = rng.integers(0, n, (2, DEGREE * n))
    weights = WEIGHTS[sums](rng, DEGREE * n).astype(dtype)
    return inputs.matrix_of(wg.Graph.from_edges(tail, head, weights, n_vertices=n))


class Ours:
    """A call that reuses its output array, since fresh pages are slow."""

    def __init__(self, *, part_of_memory=None):
        self.part_of_memory = part_of_memory
        self.out = np.zeros((0, 0))

    def __call__(self, x: Input):
        shape, kind = x.matrix.shape, x.matrix.dtype
        if self.out.shape != shape or self.out.dtype != kind:
            self.out = np.zeros(shape, kind)
        how = {"out": self.out}
        if self.part_of_memory is not None and x.device != "cpu":
            how["memory_limit"] = int(self.part_of_memory * self.out.nbytes)
        return fresh(x, **how)


def fresh(x: Input, **options):
    """Call it with a new result, as users do; predecessors are always new arrays."""
    how = {"method": "floyd_warshall", "device": x.device, "dtype": x.matrix.dtype, **options}
    return wg.apsp(x.graph, **how)


with_trees = partial(fresh, return_predecessors=True)


def on_device(x: Input, method="floyd_warshall"):
    """Leave the distances on the device."""
    kind = x.matrix.dtype
    out = inputs.device_output(x.device, x.matrix.shape, kind, method)
    return wg.apsp(x.graph, method=method, dtype=kind, out=out, device=x.device)


def scipy(x: Input):
    return csgraph.floyd_warshall(x.matrix)


def as_floats(result):
    """Return distances as a NumPy array of floats, with inf for unreachable vertices."""
    if isinstance(result, tuple):
        result = result[0]
    if isinstance(result, _core.DeviceArray):
        result = result.to_numpy()
    if result.dtype.kind == "i":
        return np.where(result == np.iinfo(result.dtype).max, np.inf, result)
    return result


def agree(a, b) -> bool:
    """Sums of n terms that were rounded in different orders are 2 n rounding units apart.

    ECL-APSP returns only the sum of the finite distances.
    """
    if isinstance(b, int):
        a = as_floats(a)
        return int(a.sum(where=np.isfinite(a))) == b
    a, b = as_floats(a), as_floats(b)
    widest = max(np.finfo(x.dtype).eps for x in (a, b))
    exact = (a % 1 == 0).all(where=np.isfinite(a))
    return np.array_equal(a, b) if exact else np.allclose(a, b, rtol=len(a) * widest, atol=0)


def relaxations(sums, matrix):
    return sums, matrix.shape[0] ** 3


def case(n, sums, dtype, suite, *, ours=None, rivals=None, what="", **more) -> Case:
    kind = {"uint16": "16-bit sums", "int32": "32-bit sums"}.get(sums, "general")
    return Case(
        f"apsp, n = {n}, {dtype}, {kind}{what}",
        partial(random_graph, n, sums, dtype),
        ours or Ours(),
        {"scipy": Once(scipy)} if rivals is None else rivals,
        suite,
        agree=agree,
        floor_relaxations=partial(relaxations, sums),
        **more,
    )


KINDS = (
    ("float64", "float64"),
    ("float32", "float32"),
    ("int32", "int32"),
    ("uint16", "int32"),
    ("uint16", "float64"),
)


def on_cores(n, suite):
    """Make a case for each kind of sums and one with trees; SciPy if it takes seconds only."""
    rivals = None if n <= 2000 else {}
    cases = [case(n, sums, dtype, suite, rivals=rivals, devices=["cpu"]) for sums, dtype in KINDS]
    for sums, dtype in KINDS:
        alone = {"without": fresh}
        cases.append(
            case(n, sums, dtype, suite, ours=with_trees, rivals=alone, what=", with predecessors")
        )
    return cases


def resident(n, suite):
    """Make cases in which graph and distances stay on a GPU."""
    naive = {"naive": partial(on_device, method="floyd_warshall_naive")} if n <= 4096 else {}
    return [
        case(
            n,
            sums,
            dtype,
            suite,
            ours=on_device,
            rivals={**naive, **(ecl_apsp.rivals() if dtype == "int32" else {})},
            what=", distances stay on the device",
            devices=["cuda"],
        )
        for sums, dtype in KINDS[:4]
    ]


def streamed(n, suite, part=0.25):
    """Make a case of a matrix that passes through a device with memory for a part of it.

    For small results, `part` of their memory does not hold the pieces.
    """
    return case(
        n,
        "int32",
        "int32",
        suite,
        ours=Ours(part_of_memory=part),
        rivals={"in memory": Ours()},
        what=f", in {part:.0%} of its memory",
        devices=["cuda"],
    )


SMOKE = partial(case, 100, suite="smoke")
NAIVE = {"scipy": scipy, "naive": partial(fresh, method="floyd_warshall_naive")}

CASES = [
    SMOKE("float64", "float64", rivals=NAIVE),
    *(SMOKE(sums, dtype, rivals={"scipy": scipy}) for sums, dtype in KINDS[1:]),
    SMOKE("float32", "float32", ours=with_trees, what=", with predecessors"),
    *resident(100, "smoke"),
    streamed(600, "smoke", 1),
]
for N in (1000, 2000):
    CASES += on_cores(N, "standard")
for N in (1024, 2048, 4096, 8192, 16384):
    CASES += resident(N, "standard" if N < 16384 else "large")
CASES += [*on_cores(4000, "standard"), streamed(32768, "large")]


def run(arguments):
    """Give seed-001 the article's number of runs; warn about columns that will be missing."""
    if "seed-001" in arguments:
        if "--repeat" not in arguments:
            arguments = [*arguments, "--repeat", str(seed_001.N_RUNS)]
        if len(wg.devices()) == 1:
            print("no GPU is here: there will be the columns of cores only", file=sys.stderr)
    main(__file__, [*CASES, *seed_001.cases()], arguments)


if __name__ == "__main__":
    run(sys.argv[1:])
