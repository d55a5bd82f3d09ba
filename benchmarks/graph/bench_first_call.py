"""First calls, from a SciPy matrix to the result, beside calls of a kept graph and the bus.

"bfs, R-MAT scale 20, first call": the matrix is checked, on a GPU also copied there, and the result
comes to the host. "kept graph" is the same call of a `wg.Graph` that is where it runs. "matrix of
CuPy" is the same call of a matrix on the GPU, which is checked there. "pinned copy" copies as many
bytes as the call reads from page-locked memory: what the bus allows.

"copy to the device, R-MAT scale 20": `wg.Graph.to` of a graph that was checked; CuPy's own copy of
the matrix is its rival.

"sssp, R-MAT scale 20 of int32, first call": distances are float64, to which weights are converted.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

import warpgraph as wg
from benchmarks import inputs
from benchmarks.harness import Case, Input, Timed, main

_kept: dict[str, Any] = {}
_there: dict[str, Any] = {}

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


def of_int32() -> Any:
    (build,) = (build for name, build, _ in GRAPHS if name == "R-MAT scale 20")
    return build().astype(np.int32)


CASES += [
    first_call("sssp", "R-MAT scale 20 of int32", of_int32, "standard", d) for d in ("cuda", "cpu")
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


FLOATS = {"seed": 1, "dtype": np.float32}
CASES += [
    forest_to_host("grid 8000 x 8000", lambda: wg.generators.grid(8000, 8000, **FLOATS)),
    forest_to_host("R-MAT scale 25", lambda: wg.generators.rmat(25, **FLOATS)),
]
CASES.append(copy_of("R-MAT scale 24", weighted(inputs.rmat_24), "large"))

if __name__ == "__main__":
    main(__file__, CASES)
