"""First calls, from a SciPy matrix to the result, beside calls of a kept graph and the bus.

"bfs, R-MAT scale 20, first call": the matrix is checked, on a GPU also copied there, and the result
comes to the host. "kept graph" is the same call of a `wg.Graph` that is where it runs. "matrix of
CuPy" is the same call of a matrix on the GPU, which is checked there. "pinned copy" copies as many
bytes as the call reads from page-locked memory: what the bus allows.

"copy to the device, R-MAT scale 20": `wg.Graph.to` of a graph that was checked; CuPy's own copy of
the matrix is its rival.

"sssp, R-MAT scale 20 of int32, first call": distances are float64, to which weights are converted.
"R-MAT scale 22 with indices of int64": they are narrowed to int32 on the host.

"bfs, R-MAT scale 22, first call on 2 GPUs" is the first call of a list of all GPUs here. "PageRank
to the host, from 2 GPUs" makes one sweep on a kept graph, so that most of its time is the copy of
the scores. "pinned copies" moves the same bytes over all connections at a time, divided evenly.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from typing import Any

import numpy as np

import warpgraph as wg
from benchmarks import inputs
from benchmarks.harness import Case, Input, Timed, main

SECTION = (
    "First calls",
    "A call of a SciPy matrix, whose arrays are checked and, on a GPU, copied there, is "
    "compared with the same call of a kept `wg.Graph`, and with a copy of as many bytes as it "
    "reads from page-locked memory to the GPU.",
)

_kept: dict[str, Any] = {}
_there: dict[str, Any] = {}

GPUS = wg.devices()[1:]

#: Calls by name, and whether they read weights.
CALLS: dict[str, tuple[Callable[[Any, Input], Any], bool]] = {
    "bfs": (lambda g, x: wg.bfs(g, inputs.source_of(x.matrix), device=x.device), False),
    "connected_components": (lambda g, x: wg.connected_components(g, device=x.device)[1], False),
    "sssp": (lambda g, x: wg.sssp(g, inputs.source_of(x.matrix), device=x.device), True),
    "pagerank": (lambda g, x: wg.pagerank(g, device=x.device), True),
    "minimum_spanning_forest": (
        lambda g, x: inputs.whole(wg.minimum_spanning_forest(g, device=x.device)).edge_ids,
        True,
    ),
}


def kept_graph(x: Input) -> wg.Graph:
    """Return the graph of a matrix, which later calls of the same matrix and device share."""
    if _kept.get("matrix") is not x.matrix or _kept["device"] != x.device:
        graph = inputs.on_device(x.matrix, x.device, copy=False)
        _kept.update(matrix=x.matrix, device=x.device, graph=graph)
    return _kept["graph"]


def matrix_of_cupy(x: Input) -> Any:
    """Return the matrix as CuPy has it on the GPU, which later calls of the same matrix share."""
    from cupyx.scipy.sparse import csr_matrix

    if _there.get("of") is not x.matrix:
        _there.clear()  # frees the memory of the last one
        _there.update(of=x.matrix, matrix=csr_matrix(x.matrix))
    return _there["matrix"]


def bytes_of(matrix: Any, reads_weights: bool) -> int:
    """Return the bytes of a matrix that a call reads."""
    structure = matrix.indptr.nbytes + matrix.indices.nbytes
    return structure + matrix.data.nbytes * reads_weights


@cache
def pinned(n_bytes: int) -> tuple[Any, Any, Any]:
    """Return page-locked memory, memory on the device, and CuPy."""
    import cupy

    host = cupy.cuda.alloc_pinned_memory(n_bytes)
    view = np.frombuffer(host, np.uint8, n_bytes)
    view[:] = 1
    return view, cupy.empty(n_bytes, np.uint8), cupy


def pinned_copy(n_bytes: int) -> Timed:
    """Time the copy of so many bytes from page-locked memory."""
    host, device, cupy = pinned(n_bytes)
    start = time.perf_counter()
    device.set(host)
    cupy.cuda.get_current_stream().synchronize()
    return Timed(time.perf_counter() - start, None)


def agree(ours: Any, theirs: Any) -> bool:
    return theirs is None or bool(np.allclose(ours, theirs, rtol=1e-12, atol=0, equal_nan=True))


def first_call(name: str, graph: str, build: Any, suite: str, device: str) -> Case:
    call, reads_weights = CALLS[name]
    rivals = {"kept graph": lambda x: call(kept_graph(x), x)}
    if device == "cuda":
        if not graph.endswith("int32"):  # which CuPy has no matrices of
            rivals["matrix of CuPy"] = lambda x: call(matrix_of_cupy(x), x)
        rivals["pinned copy"] = lambda x: pinned_copy(bytes_of(x.matrix, reads_weights))
    return Case(
        f"{name}, {graph}, first call",
        build,
        lambda x: call(x.matrix, x),
        rivals,
        suite,
        resident=False,
        devices=[device],
        agree=agree,
    )


def copy_of(graph: str, build: Any, suite: str) -> Case:
    def ours(x: Input) -> Timed:
        made = wg.Graph(x.matrix, copy=False)
        start = time.perf_counter()
        made.to(x.device)
        return Timed(time.perf_counter() - start, None)

    def cupys(x: Input) -> Timed:
        import cupy
        from cupyx.scipy.sparse import csr_matrix

        start = time.perf_counter()
        csr_matrix(x.matrix)
        cupy.cuda.get_current_stream().synchronize()
        return Timed(time.perf_counter() - start, None)

    return Case(
        f"copy to the device, {graph}",
        build,
        ours,
        {"pinned copy": lambda x: pinned_copy(bytes_of(x.matrix, True)), "cupy": cupys},
        suite,
        resident=False,
        devices=["cuda"],
    )


def weighted(build: Callable[[], Any]) -> Callable[[], Any]:
    """Return a function that makes the matrix with integers as float64 weights, equal both ways."""

    @cache
    def made() -> Any:
        matrix = build()
        tails = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
        sums = tails + matrix.indices.astype(np.int64)
        matrix.data = (1 + sums * 2654435761 % 2**32 % 255).astype(np.float64)
        return matrix

    return made


GRAPHS = [
    ("R-MAT scale 12", weighted(lambda: inputs.rmat(12)), "smoke"),
    ("ny-road", inputs.ny_road, "standard"),
    *([("ne-road", inputs.northeast, "standard")] if inputs.HAS_NORTHEAST else []),
    ("grid 2048 x 2048", weighted(inputs.grid_2048), "standard"),
    ("R-MAT scale 20", weighted(inputs.rmat_20), "standard"),
    ("R-MAT scale 22", weighted(inputs.rmat_22), "large"),
    ("grid 4900 x 4900", weighted(inputs.grid_4900), "large"),
]

CASES = [
    case
    for graph, build, suite in GRAPHS
    for case in (
        copy_of(graph, build, suite),
        *(first_call(name, graph, build, suite, d) for name in CALLS for d in ("cuda", "cpu")),
    )
]


MATRICES = {name: build for name, build, _ in GRAPHS}


def of_int32() -> Any:
    return MATRICES["R-MAT scale 20"]().astype(np.int32)


def with_wide_indices() -> Any:
    matrix = MATRICES["R-MAT scale 22"]()
    wide = (matrix.data, matrix.indices.astype(np.int64), matrix.indptr.astype(np.int64))
    made = type(matrix)(matrix.shape, dtype=matrix.dtype)
    made.data, made.indices, made.indptr = wide  # the constructor would narrow them
    return made


CASES += [
    first_call("sssp", "R-MAT scale 20 of int32", of_int32, "standard", d) for d in ("cuda", "cpu")
]
CASES += [
    first_call("bfs", "R-MAT scale 22 with indices of int64", with_wide_indices, "large", d)
    for d in ("cuda", "cpu")
]


def forest_to_host(graph: str, build: Any) -> Case:
    """Compare a forest whose arrays are read with one that stays on the device, of a kept graph."""

    def left(x: Input) -> None:
        wg.minimum_spanning_forest(x.graph, device=x.device)

    return Case(
        f"forest to the host, {graph}",
        build,
        lambda x: inputs.whole(wg.minimum_spanning_forest(x.graph, device=x.device)).edge_ids,
        {"left on the device": left},
        "large",
        resident=True,
        devices=["cuda"],
        agree=agree,
    )


def pinned_copies(n_bytes: int, to_host: bool = False) -> Timed:
    """Time the copies of equal parts of so many bytes between page-locked memory and all GPUs."""
    import cupy

    part = n_bytes // len(GPUS)
    host, _, _ = pinned(n_bytes)
    streams, arrays = [], []
    for i in range(len(GPUS)):
        with cupy.cuda.Device(i):
            arrays.append(cupy.empty(part, np.uint8))
            streams.append(cupy.cuda.Stream(non_blocking=True))
            cupy.cuda.runtime.deviceSynchronize()
    start = time.perf_counter()
    for i, (array, stream) in enumerate(zip(arrays, streams, strict=True)):
        with cupy.cuda.Device(i):
            piece = host[i * part : (i + 1) * part]
            if to_host:
                array.get(stream, out=piece, blocking=False)
            else:
                array.set(piece, stream)
    for stream in streams:
        stream.synchronize()
    return Timed(time.perf_counter() - start, None)


def first_call_of_all(name: str, graph: str) -> Case:
    """Compare the first call of all GPUs with that of one, and with copies of what it reads."""
    call, reads_weights = CALLS[name]
    read = partial(bytes_of, reads_weights=reads_weights)
    return Case(
        f"{name}, {graph}, first call on {len(GPUS)} GPUs",
        MATRICES[graph],
        lambda x: call(x.matrix, replace(x, device=GPUS)),
        {
            "one GPU": lambda x: call(x.matrix, x),
            "pinned copy": lambda x: pinned_copy(read(x.matrix)),
            "pinned copies": lambda x: pinned_copies(read(x.matrix)),
        },
        "large",
        resident=False,
        devices=["cuda"],
        agree=agree,
    )


def scores_of_all() -> Case:
    """Compare one sweep of PageRank on all GPUs, scores to the host, with one GPU and copies."""
    kept: dict[str, wg.Graph] = {}

    def sweep(x: Input, devices: Any) -> Any:
        graph = kept.setdefault(str(devices), wg.Graph(x.matrix, copy=False))
        return wg.pagerank(graph, directed=False, unweighted=True, tol=1, device=devices)

    return Case(
        f"PageRank to the host, grid 8000 x 8000, from {len(GPUS)} GPUs",
        cache(lambda: wg.generators.grid(8000, 8000, **FLOATS).to_csr()),
        lambda x: sweep(x, GPUS),
        {
            "one GPU": lambda x: sweep(x, x.device),
            "pinned copies": lambda x: pinned_copies(8 * x.matrix.shape[0], to_host=True),
        },
        "large",
        resident=False,
        devices=["cuda"],
        agree=agree,
    )


FLOATS = {"seed": 1, "dtype": np.float32}
CASES += [
    forest_to_host("grid 8000 x 8000", lambda: wg.generators.grid(8000, 8000, **FLOATS)),
    forest_to_host("R-MAT scale 25", lambda: wg.generators.rmat(25, **FLOATS)),
]
CASES.append(copy_of("R-MAT scale 24", weighted(inputs.rmat_24), "large"))
if len(GPUS) > 1:
    CASES += [
        first_call_of_all(name, graph)
        for graph in ("R-MAT scale 20", "R-MAT scale 22", "grid 4900 x 4900")
        for name in CALLS
    ]
    CASES.append(scores_of_all())

if __name__ == "__main__":
    main(__file__, CASES)
