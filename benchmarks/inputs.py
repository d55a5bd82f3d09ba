"""Graphs that several benchmarks use, as SciPy matrices with the index types that SciPy gives."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

import warpgraph as wg
from warpgraph import _core

_sources: dict[str, Any] = {}
_for_scipy: dict[str, Any] = {}


def source_of(matrix) -> int:
    """Return a vertex of the largest degree, which is in the giant component.

    Finding it takes longer than some searches, so that of the last matrix is kept.
    """
    if _sources.get("matrix") is not matrix:
        _sources.update(matrix=matrix, vertex=int(np.argmax(np.diff(matrix.indptr))))
    return _sources["vertex"]


def for_scipy(matrix, *, one_triangle: bool = False) -> sp.csr_array:
    """Return a matrix with the types that SciPy's graph routines compute with.

    They would convert others at each call. The first call, which warms up, converts it; the result
    for the last matrix is kept. `one_triangle` leaves out the lower one and the diagonal: enough
    for a spanning tree, and half the work.
    """
    if _for_scipy.get("matrix") is not matrix or _for_scipy.get("part") != one_triangle:
        made = sp.csr_array(sp.triu(matrix, k=1) if one_triangle else matrix)
        data = made.data.astype(np.float64, copy=False)
        indices, indptr = (a.astype(np.int32, copy=False) for a in (made.indices, made.indptr))
        converted = sp.csr_array((data, indices, indptr), made.shape)
        _for_scipy.update(matrix=matrix, part=one_triangle, converted=converted)
    return _for_scipy["converted"]


@cache
def device_output(
    device: str, shape: Any, dtype: npt.DTypeLike, contestant: str
) -> _core.DeviceArray:
    """Return memory for a contestant's result on a device, the same at each call.

    Each has its own: a result is still compared when another contestant runs.
    """
    return _core.device_array(shape, np.dtype(dtype), device)


def matrix_of(graph: wg.Graph) -> sp.csr_array:
    """Return a graph as a matrix, with 32-bit indices where they are wide enough."""
    wide = graph.n_edges > np.iinfo(np.int32).max
    index = np.int64 if wide else np.int32
    indices, indptr = graph.indices.astype(index), graph.indptr.astype(index)
    data = graph.data.copy()  # which a graph does not let others write to, as SciPy does
    return sp.csr_array((data, indices, indptr), (graph.n_vertices, graph.n_vertices))


def whole(forest: wg.SpanningForest) -> wg.SpanningForest:
    """Return a forest with its arrays on the host: a GPU keeps those that are not read."""
    for name in ("edges", "weights", "edge_ids"):
        getattr(forest, name)
    return forest


def rmat(scale: int, *, directed: bool = False) -> sp.csr_array:
    """Return an R-MAT graph with 16 drawn edges per vertex: hubs, and a small diameter."""
    return matrix_of(wg.generators.rmat(scale, seed=1, weights=None, directed=directed))


def grid(rows: int, columns: int) -> sp.csr_array:
    """Return a grid: even degrees, and a large diameter."""
    return matrix_of(wg.generators.grid(rows, columns, weights=None))


def ssca2(scale: int, *, weights: Any = None, dtype: npt.DTypeLike = np.float64) -> sp.csr_array:
    """Return cliques of consecutive vertices, and enough edges between them for one component."""
    cliques: dict[str, Any] = {"max_clique_size": 45, "decay": 0.8, "relabel": False}
    return matrix_of(wg.generators.ssca2(scale, seed=1, weights=weights, dtype=dtype, **cliques))


# Graphs of several benchmarks.

rmat_10 = partial(rmat, 10)
rmat_20 = partial(rmat, 20)
rmat_20_directed = partial(rmat, 20, directed=True)
rmat_22 = partial(rmat, 22)
rmat_24 = partial(rmat, 24)
ssca2_22 = partial(ssca2, 22)
grid_2048 = partial(grid, 2048, 2048)
grid_4900 = partial(grid, 4900, 4900)


def ny_road() -> sp.csr_array:
    """Return New York's roads."""
    return matrix_of(wg.datasets.load("ny-road"))


def new_york() -> sp.csr_array:
    """Return New York's roads with weights of SciPy's type."""
    return ny_road().astype(np.float64)


def road_like(side: int) -> sp.csr_array:
    """Return a grid with about as many edges per vertex as roads."""
    return matrix_of(
        wg.generators.grid(side, side, removed=0.3, seed=1, weights=(100, 4100), dtype=np.float64)
    )


def dimacs_file(region: str) -> Path | None:
    """Return the path of roads of the 9th DIMACS challenge in the folder of data sets, or None.

    For example of Colorado ("COL"), or of the northeastern USA ("NE").
    """
    return _in_folder(f"USA-road-{region}.gr.xz")


def _in_folder(name: str) -> Path | None:
    """Return the path of a file in the folder that WARPGRAPH_DATA names, as for wg.datasets."""
    folder = os.environ.get("WARPGRAPH_DATA")
    file = Path(folder or "") / name
    return file if folder and file.exists() else None


def colorado() -> sp.csr_array:
    """Return Colorado's roads."""
    return road(str(dimacs_file("COL")))


def northeast() -> sp.csr_array:
    """Return the roads of the northeastern USA."""
    return road(str(dimacs_file("NE")))


#: The roads of the northeastern USA have no place in the package; without their file, benchmarks
#: leave them out.
HAS_NORTHEAST = dimacs_file("NE") is not None


def road(file: str) -> sp.csr_array:
    """Read a road network; without weights it gets weights as in the built-in network.

    Of parallel arcs, the shortest stays: SciPy's matrices would add their lengths. The files of the
    9th DIMACS challenge have thousands of arcs twice.
    """
    graph, _ = wg.io.read(file)
    tail, head, weight = (a.astype(np.int64, copy=False) for a in graph.to_edges())
    if (weight == 1).all():
        weight = wg.datasets.road_weights(np.minimum(tail, head), np.maximum(tail, head))
    order = np.lexsort((weight, head, tail))
    tail, head, weight = tail[order], head[order], weight[order]
    is_first = np.append(True, (tail[1:] != tail[:-1]) | (head[1:] != head[:-1]))
    return _matrix(tail[is_first], head[is_first], weight[is_first], graph.n_vertices)


def social(file: str) -> sp.csr_array:
    """Read a list of edges as an undirected graph without loops.

    The lists of SNAP have no weights: edges get integers of 1 to 255 by hashing their ends, the
    range of the R-MAT graphs here.
    """
    graph, _ = wg.io.read(file)
    tail, head, _ = graph.to_edges()
    apart = tail != head
    n = graph.n_vertices
    low, high = np.minimum(tail, head)[apart], np.maximum(tail, head)[apart]
    low, high = np.divmod(np.unique(low.astype(np.int64) * n + high), n)
    weight = wg.datasets.road_weights(low, high) % 255 + 1
    ends = np.concatenate((low, high)), np.concatenate((high, low))
    return _matrix(*ends, np.concatenate((weight, weight)), n)


def _matrix(tail: Any, head: Any, weight: Any, n: int) -> sp.csr_array:
    ends = tail.astype(np.int32), head.astype(np.int32)
    return sp.csr_array((weight.astype(np.float64), ends), (n, n))


def of_file(file: str, dtype: npt.DTypeLike = np.float64) -> sp.csr_array:
    """Read roads (a file .gr), or another graph as an undirected one."""
    read = road if re.search(r"\.gr(\.\w+)?$", file) else social
    return read(file).astype(dtype)


def name_of(file: str) -> str:
    """Return the name that the tables show: "USA-road-d.NY" of ".../USA-road-d.NY.gr.gz"."""
    return re.sub(r"\.(gr|txt|tsv|csv|edges|el)(\.\w+)?$", "", Path(file).name)


def of_files(files: Sequence[str], dtype: npt.DTypeLike) -> dict[str, Callable[[], sp.csr_array]]:
    """Return the functions that read files, by the names of the graphs."""
    return {name_of(file): partial(of_file, file, dtype) for file in files}


def votes(dtype: npt.DTypeLike) -> dict[str, Callable[[], sp.csr_array]]:
    """Return wiki-Vote, a social network of SNAP, or nothing if the folder of data sets lacks it.

    Who voted on whom for administrators of Wikipedia.
    """
    file = _in_folder("wiki-Vote.txt")
    return of_files([str(file)], dtype) if file else {}


def split_files(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the files of graphs on a command line, and its other arguments."""
    files = [a for a in arguments if re.search(r"\.(gr|txt|tsv|csv|edges|el)(\.\w+)?$", a)]
    for file in files:
        if not Path(file).is_file():
            raise SystemExit(f"expected a file of a graph, got {file}, which does not exist")
    return files, [a for a in arguments if a not in files]


def on_device(matrix: Any, device: str, **options: Any) -> wg.Graph:
    """Return a graph that is kept on a device; to "cuda:all" the first call takes it."""
    graph = wg.Graph(matrix, **options)
    return graph if device == "cuda:all" else graph.to(device)
