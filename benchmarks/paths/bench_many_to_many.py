"""wg.many_to_many against SciPy's Dijkstra, and its methods against each other.

Distances must agree bit for bit: all add along the path from the source.

    python -m benchmarks.paths.bench_many_to_many --suite seed-002 [USA-road-d.NY.gr ...]

is CUPQ's experiment: 1024 random origins on road networks, with buckets on cores (one and all) and,
with ``--device cuda``, a heap per warp on a GPU, also on an R-MAT graph, and CUPQ's own searches on
roads if WARPGRAPH_CUPQ names cupq_main.cu, compiled. On cores, WARPGRAPH_HEAPS may name heaps.cpp,
compiled: the heaps of Boost and of the standard library on one core. Without files it uses New York
and, if the folder that WARPGRAPH_DATA names has them, the Bay Area and Colorado: their topology
with weights of our own, since the true ones have no place there. Files in DIMACS format have the
true weights. docs/experiments.md shows the results.
"""

import sys
from functools import cache, partial

import numpy as np
from scipy.sparse import csgraph

import warpgraph as wg
from benchmarks import inputs
from benchmarks.harness import Case, Input, Once, main
from benchmarks.rivals import ecl
from warpgraph import _core

SECTION = (
    "Shortest paths from many vertices",
    "`wg.many_to_many` is compared with SciPy's Dijkstra and with its own methods.",
)

#: Number of compared columns: enough to detect a wrong row, without a copy of a gigabyte.
N_COMPARED = 997
#: Origins of CUPQ's experiment, and its contestants beside a GPU.
N_ORIGINS = 1024
ALL_CORES, ONE_CORE = "buckets, all cores", "buckets, 1 core"


@cache
def sources_of(n_vertices: int, n_sources: int):
    """Return random vertices."""
    return np.random.default_rng(2).integers(0, n_vertices, n_sources).astype(np.int32)


@cache
def host_output(shape, dtype):
    """Return an array with mapped pages, the same at each call."""
    return np.zeros(shape, dtype)


def columns_of(n):
    """Return the columns that are compared."""
    return np.linspace(0, n - 1, min(n, N_COMPARED)).astype(int)


def compared(distances):
    """Return some columns of all rows, as float64."""
    if isinstance(distances, _core.DeviceArray):
        distances = distances.to_numpy()
    return distances[:, columns_of(distances.shape[1])].astype(np.float64)


def ours(x: Input, n_sources, dtype=np.float64, **options):
    n = x.matrix.shape[0]
    out = host_output((n_sources, n), np.dtype(dtype))
    options = {"device": x.device, "dtype": dtype, "out": out, **options}
    return compared(wg.many_to_many(x.graph, sources_of(n, n_sources), **options))


def ours_on_device(x: Input, n_sources, method, dtype=np.float32, graph=None):
    """Leave the rows on the device, to time the searches alone."""
    n = x.matrix.shape[0]
    out = inputs.device_output(x.device, (n_sources, n), dtype, method)
    sources = sources_of(n, n_sources)
    return wg.many_to_many(
        graph or x.graph, sources, method=method, dtype=dtype, out=out, device=x.device
    )


def agree(a, b) -> bool:
    if isinstance(b, int):  # CUPQ's sum, exact since all distances are integers
        rows = a.to_numpy()
        return int(rows[np.isfinite(rows)].sum(dtype=np.float64)) == b
    return np.array_equal(compared(a), compared(b))


def agree_in_columns(ours, theirs) -> bool:
    """Compare the distances in some columns; heaps of others print their sum, which is exact."""
    if isinstance(theirs, int):
        return int(ours[np.isfinite(ours)].sum()) == theirs
    return np.array_equal(ours, theirs)


def on_one_core(x: Input, **options):
    """Search by one thread, whatever the number of the others."""
    wg.set_num_threads(1)
    try:
        return ours(x, device="cpu", **options)
    finally:
        wg.set_num_threads(x.threads)


def scipy(x: Input, n_sources, unweighted=False):
    sources = sources_of(x.matrix.shape[0], n_sources)
    return compared(csgraph.dijkstra(x.matrix, indices=sources, unweighted=unweighted))


def rmat(scale):
    return inputs.matrix_of(wg.generators.rmat(scale, seed=1, weights=(1, 255), dtype=np.float64))


def grid(side):
    return inputs.matrix_of(
        wg.generators.grid(side, side, seed=1, weights=(1, 1000), dtype=np.float64)
    )


def floor_bytes(n_sources, item, matrix) -> int:
    """Read the graph once, write the distances once."""
    read = matrix.indptr.nbytes + matrix.indices.nbytes + matrix.data.nbytes
    return read + n_sources * matrix.shape[0] * item


def case(name, build, suite, n_sources=64, rivals=("scipy", "dijkstra", "batched"), **options):
    """Make a case whose rivals are SciPy and methods of ours, by name."""
    methods = {
        name: partial(ours, n_sources=n_sources, method=name, device="cpu", **options)
        for name in rivals
        if name != "scipy"
    }
    unweighted = options.get("unweighted", False)
    theirs = partial(scipy, n_sources=n_sources, unweighted=unweighted)
    others = {"scipy": theirs} if "scipy" in rivals else {}
    item = np.dtype(options.get("dtype", np.float64)).itemsize
    return Case(
        f"many_to_many, {name}, {n_sources} sources",
        build,
        partial(ours, n_sources=n_sources, **options),
        {**others, **methods},
        suite,
        agree=np.array_equal,
        floor_bytes=partial(floor_bytes, n_sources, item),
    )


def hops(name, build, suite, n_sources):
    """Make a case of searches over edges of length 1."""
    return case(f"hops, {name}", build, suite, n_sources, ("scipy", "dijkstra"), unweighted=True)


def case_on_device(name, build, suite, n_sources, others=None) -> Case:
    """Make a case of searches whose rows, float32 numbers, stay on a GPU."""
    how = {"n_sources": n_sources}
    return Case(
        f"many_to_many on the device, {name}, {n_sources} sources, float32",
        build,
        partial(ours_on_device, method="batched", **how),
        {"dijkstra": partial(ours_on_device, method="dijkstra", **how), **(others or {})},
        suite,
        agree=agree,
        floor_bytes=partial(floor_bytes, n_sources, 4),
        devices=("cuda",),
    )


def seed_cases_of(name, build, others=None, heaps_of_others=None) -> list[Case]:
    """CUPQ's experiment on one graph, in float32 as there: on cores, beside a GPU, and on it."""
    how = {"n_sources": N_ORIGINS, "dtype": np.float32}
    heaps = partial(ours, method="dijkstra", **how)
    batched = {"batched": partial(ours, method="batched", device="cpu", **how)}
    beside_a_gpu = {
        ALL_CORES: partial(heaps, device="cpu"),
        ONE_CORE: Once(partial(on_one_core, method="dijkstra", **how)),
    }
    make = partial(
        Case,
        f"{N_ORIGINS} origins, {name}, float32",
        build,
        heaps,
        suite="seed-002",
        agree=agree_in_columns,
        floor_bytes=partial(floor_bytes, N_ORIGINS, 4),
    )
    return [
        make(rivals=batched | (heaps_of_others or {}), devices=("cpu",)),
        make(rivals=beside_a_gpu | batched, devices=("cuda",)),
        case_on_device(name, build, "seed-002", N_ORIGINS, others),
    ]


RMAT_8, RMAT_16, RMAT_18 = (partial(rmat, scale) for scale in (8, 16, 18))
NEW_YORK = inputs.new_york
COLORADO = inputs.colorado

CASES = [
    case("rmat 8", RMAT_8, "smoke"),
    case_on_device("rmat 8", RMAT_8, "smoke", 64),
    case("ny-road", NEW_YORK, "standard"),
    case("ny-road", NEW_YORK, "standard", 256),
    case("rmat 16", RMAT_16, "standard"),
    case("rmat 16", RMAT_16, "standard", 256),
    case("grid 512 x 512", partial(grid, 512), "standard"),
    hops("rmat 8", RMAT_8, "smoke", 64),
    hops("rmat 16", RMAT_16, "standard", 16),
    hops("rmat 16", RMAT_16, "standard", 64),
    hops("rmat 16", RMAT_16, "standard", 512),
    hops("ny-road", NEW_YORK, "standard", 64),
    case("ny-road", NEW_YORK, "large", 1024),
    case("ny-road, float32", NEW_YORK, "large", 1024, ("dijkstra", "batched"), dtype=np.float32),
    case("rmat 16", RMAT_16, "large", 1024),
    case("rmat 18", RMAT_18, "large", 256),
    case_on_device("ny-road", NEW_YORK, "large", 1024),
    case_on_device("rmat 16", RMAT_16, "large", 1024),
]
if inputs.dimacs_file("COL") is not None:
    CASES += [case("col-road", COLORADO, "standard"), case("col-road", COLORADO, "large", 1024)]


def seed_cases(files):
    """Return the cases of suite seed-002: the given files, else the available ones."""
    roads = inputs.of_files(files, np.float64)
    if not files:
        further = {"bay-road": inputs.dimacs_file("BAY"), "col-road": inputs.dimacs_file("COL")}
        found = {name: partial(inputs.road, str(file)) for name, file in further.items() if file}
        roads = {"ny-road": NEW_YORK, **found}

    def origins(matrix):
        return sources_of(matrix.shape[0], N_ORIGINS)

    def columns(matrix):
        return columns_of(matrix.shape[0])

    # CUPQ's queues are too small for R-MAT graphs.
    others, theirs = ecl.cupq_rivals(origins), ecl.heaps_of_one_core(origins, columns)
    return [
        *(case for road in roads.items() for case in seed_cases_of(*road, others, theirs)),
        case_on_device("rmat 16", RMAT_16, "seed-002", N_ORIGINS),
    ]


def run(arguments):
    """Split the road networks from the harness's options, and give seed-002 its own defaults."""
    files, options = inputs.split_files(arguments)
    if any("seed-002" in option for option in options):
        on_gpu = any("cuda" in option for option in options)
        defaults = {"--threads": "0" if on_gpu else "1,0", "--repeat": "3"}
        options = [*(part for pair in defaults.items() for part in pair), *options]
        if len(wg.devices()) == 1:
            print("no GPU is here: the table will have the rows of cores only")
    elif files:
        raise SystemExit(f"expected --suite seed-002 for the graph of a file, got {files[0]}")
    main(__file__, [*CASES, *seed_cases(files)], options)


if __name__ == "__main__":
    run(sys.argv[1:])
