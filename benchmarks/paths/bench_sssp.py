"""wg.sssp against SciPy's Dijkstra, and its methods against each other.

Distances must agree bit for bit: all add along the path from the source.

python -m benchmarks.paths.bench_sssp --suite seed-000

is the experiment of seed_000.py, which makes a table and a picture of the result; without
``--device cuda`` it has the curves of cores only.
"""

import sys
from functools import partial

import numpy as np
from scipy.sparse import csgraph

import warpgraph as wg
from benchmarks import inputs
from benchmarks.experiments import seed_000
from benchmarks.harness import Case, Input, main
from benchmarks.rivals import gap
from warpgraph import _core

SECTION = (
    "Shortest paths from one vertex",
    "`wg.sssp` is compared with SciPy's Dijkstra, with GAP on cores, with ADDS and Gardenia on "
    "a GPU, and with its own methods.",
)


def ours(x: Input, **options):
    return wg.sssp(x.graph, inputs.source_of(x.matrix), **{"device": x.device, **options})


def ours_on_device(x: Input, **options):
    """Leave the distances on the device, to time the search alone."""
    out = inputs.device_output(x.device, x.matrix.shape[0], x.matrix.dtype, options["method"])
    return ours(x, out=out, dtype=x.matrix.dtype, **options)


def on_cores(x: Input):
    return ours(x, device="cpu", dtype=x.matrix.dtype)


def scipy(x: Input, **options):
    matrix = inputs.for_scipy(x.matrix)
    return csgraph.dijkstra(matrix, indices=inputs.source_of(x.matrix), **options)


def as_floats(result):
    """Return distances as a NumPy array, with inf for unreachable vertices."""
    if isinstance(result, _core.DeviceArray):
        result = result.to_numpy()
    if result.dtype.kind == "i":
        return np.where(result == np.iinfo(result.dtype).max, np.inf, result)
    return result


def agree(a, b) -> bool:
    if isinstance(a, tuple):  # SciPy may choose another of equally short paths
        return np.array_equal(a[0], b[0])
    if isinstance(b, int):  # the vertices that GAP reached
        return np.count_nonzero(np.isfinite(as_floats(a))) == b
    return np.array_equal(as_floats(a), as_floats(b))


def floor_bytes(matrix) -> int:
    """Read the graph once, write the distances once."""
    read = matrix.indptr.nbytes + matrix.indices.nbytes + matrix.data.nbytes
    return read + matrix.shape[0] * matrix.data.itemsize


def new_york(dtype=np.float64):
    return inputs.ny_road().astype(dtype)


def rmat(scale, dtype=np.float64, edge_factor=16):
    graph = wg.generators.rmat(scale, edge_factor, seed=1, weights=(1, 255), dtype=dtype)
    return inputs.matrix_of(graph)


def ssca2(scale, dtype=np.float64):
    return inputs.ssca2(scale, weights=(1, 255), dtype=dtype)


def grid(side, dtype=np.float64):
    graph = wg.generators.grid(side, side, removed=0.05, seed=1, weights=(1, 1000), dtype=dtype)
    return inputs.matrix_of(graph)


def northeast(dtype=np.float64):
    return inputs.northeast().astype(dtype)


def road_like(side, dtype=np.float64):
    return inputs.road_like(side).astype(dtype)


def case(name, build, suite, ours=ours, rivals=None, **more) -> Case:
    return Case(
        f"sssp, {name}",
        build,
        ours,
        {"scipy": scipy} if rivals is None else rivals,
        suite,
        agree=agree,
        floor_bytes=floor_bytes,
        **more,
    )


METHODS = {
    "scipy": scipy,
    "dijkstra": partial(ours, method="dijkstra", device="cpu"),
    "bellman_ford": partial(ours, method="bellman_ford", device="cpu"),
}
WITH_TREE = {
    "ours": partial(ours, return_predecessors=True),
    "rivals": {"scipy": partial(scipy, return_predecessors=True)},
}


def on_device(name, make, suite="large", methods=(), *, dense=False, others=None):
    """Make cases that measure the search alone: the graph and the distances stay on the device.

    Rivals for 32-bit integers are `others`, or those for GPUs that terminate on such a graph.
    """
    if others is None:
        others = gap.rivals_on_gpu(inputs.source_of, dense=dense)
    search = partial(ours_on_device, method="auto")
    rivals = {m: partial(ours_on_device, method=m) for m in methods}
    return [
        case(
            f"{name}, {dtype}, distances stay on the device",
            partial(make, dtype=np.dtype(dtype)),
            suite,
            ours=search,
            rivals={
                **rivals,
                "cores": on_cores,
                **(others if dtype == "int32" else {}),
            },
            devices=["cuda"],
        )
        for dtype in ("int32", "float32")
    ]


RMAT_8, RMAT_18, RMAT_20, RMAT_22 = (partial(rmat, scale) for scale in (8, 18, 20, 22))
GRID_1024, GRID_4900 = (partial(grid, side) for side in (1024, 4900))

#: Graph with as many vertices as the roads of the northeastern USA, but longer paths.
ROAD_LIKE = partial(road_like, 1233)
DENSE = {"methods": ("near_far", "bellman_ford"), "dense": True}

CASES = [
    case("rmat 8, float64", RMAT_8, "smoke", rivals=METHODS),
    case("rmat 8, float64, with predecessors", RMAT_8, "smoke", **WITH_TREE),
    case("ny-road, float64", new_york, "standard", rivals=METHODS),
    case("ny-road, float64, with predecessors", new_york, "standard", **WITH_TREE),
    case("grid 1024 x 1024, float64", GRID_1024, "standard"),
    case("rmat 18, float64", RMAT_18, "standard", rivals=METHODS),
    case("rmat 18, float64, with predecessors", RMAT_18, "standard", **WITH_TREE),
    case("rmat 20, float64", RMAT_20, "standard"),
    case("rmat 22, float64", RMAT_22, "large", rivals={}),
    case("grid 4900 x 4900, float64", GRID_4900, "large", rivals={}, devices=["cpu"]),
    *on_device("rmat 8", partial(rmat, 8), "smoke", **DENSE),
    *on_device("ny-road", new_york, "standard"),
    *(on_device("ne-road", northeast, "standard") if inputs.HAS_NORTHEAST else []),
    *on_device("rmat 20", partial(rmat, 20), "standard", **DENSE),
    *on_device("ssca2 20", partial(ssca2, 20), "standard", **DENSE),
    *on_device("road-like grid 1233 x 1233", ROAD_LIKE),
    *on_device("grid 2048 x 2048", partial(grid, 2048)),
    *on_device("grid 4900 x 4900", partial(grid, 4900)),
    *on_device("rmat 22", partial(rmat, 22), **DENSE),
    *on_device("ssca2 22", partial(ssca2, 22), **DENSE),
    # Neither of the rivals for GPUs terminates on it; GAP runs on the cores.
    *on_device("rmat 24", partial(rmat, 24), others=gap.rivals(inputs.source_of), **DENSE),
]

# The graph checked and kept, as in the programs that others measure: 32-bit integers, where GAP
# competes if there is one, and float64. SciPy is left out where it takes many seconds.
RESIDENT = [
    ("ny-road", new_york, "standard"),
    *([("ne-road", northeast, "standard")] if inputs.HAS_NORTHEAST else []),
    ("grid 2048 x 2048", partial(grid, 2048), "standard"),
    ("ssca2 20", partial(ssca2, 20), "standard"),
    ("rmat 20", partial(rmat, 20), "standard"),
    ("grid 4900 x 4900", partial(grid, 4900), "large"),
    ("ssca2 22", partial(ssca2, 22), "large"),
    ("rmat 22", partial(rmat, 22), "large"),
    ("rmat 24", partial(rmat, 24), "large"),
]
for graph, build, size in RESIDENT:
    for dtype in (np.int32, np.float64):
        kind = np.dtype(dtype).name
        CASES.append(
            case(
                f"{graph}, {kind}, resident",
                partial(build, dtype=dtype),
                size,
                ours=gap.repeated(partial(ours, dtype=kind)),
                rivals={
                    **({"scipy": scipy} if size == "standard" else {}),
                    **(gap.rivals(inputs.source_of) if dtype == np.int32 else {}),
                },
                resident=True,
            )
        )


def run(arguments):
    """Give the suite seed-000 its own number of repetitions: one per source."""
    if "seed-000" in arguments:
        if "--repeat" not in arguments:
            arguments = [*arguments, "--repeat", str(seed_000.N_SOURCES)]
        if len(wg.devices()) == 1:
            print("no GPU is here: there will be the curves of cores only", file=sys.stderr)
    main(__file__, [*CASES, *seed_000.cases()], arguments)


if __name__ == "__main__":
    run(sys.argv[1:])
