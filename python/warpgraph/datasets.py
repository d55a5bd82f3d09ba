"""Built-in graphs for examples and tests, without a download.

>>> import warpgraph as wg
>>> graph = wg.datasets.load("ny-road")
>>> graph.n_vertices, graph.n_edges
(264346, 730100)
"""

from __future__ import annotations

import lzma
from dataclasses import dataclass
from importlib import resources

import numpy as np
import numpy.typing as npt

from warpgraph import _validate
from warpgraph._graph import Graph

__all__ = ["DatasetInfo", "info", "load", "names"]

Vertices = npt.NDArray[np.int64]


@dataclass(frozen=True)
class DatasetInfo:
    """The size, the meaning and the origin of a data set.

    Examples
    --------
    >>> import warpgraph as wg
    >>> info = wg.datasets.info("ny-road")
    >>> info.n_vertices, info.licence
    (264346, 'public domain')
    """

    name: str
    description: str
    n_vertices: int
    n_edges: int  #: Stored entries: an undirected edge counts twice.
    directed: bool
    weights: str
    origin: str
    licence: str


_DATASETS = {
    "ny-road": DatasetInfo(
        name="ny-road",
        description="road network of New York City, one connected component",
        n_vertices=264_346,
        n_edges=730_100,
        directed=False,
        weights="integers in 100..4099, made up by hashing the two ends of a road",
        origin=(
            "US Census Bureau, TIGER/Line; 9th DIMACS implementation challenge; "
            "https://github.com/ben-strasser/road-graphs-pace16"
        ),
        licence="public domain",
    ),
}


def names() -> list[str]:
    """Return the names that `load` takes.

    Examples
    --------
    >>> import warpgraph as wg
    >>> "ny-road" in wg.datasets.names()
    True
    """
    return sorted(_DATASETS)


def info(name: str) -> DatasetInfo:
    """Return the size, the weights' meaning, the origin and the licence of the data set `name`.

    Examples
    --------
    >>> import warpgraph as wg
    >>> wg.datasets.info("ny-road").description
    'road network of New York City, one connected component'
    """
    return _DATASETS[_validate.choice(name, names(), "name")]


def load(name: str, *, dtype: npt.DTypeLike = np.float64) -> Graph:
    """Load a built-in graph.

    Parameters
    ----------
    name : str
        One of `names()`.
    dtype : dtype
        Type of the weights: float32, float64, int32 or int64; their values are the same.

    Returns
    -------
    Graph
        Every undirected edge is stored both ways; rows are sorted by column.

    Examples
    --------
    >>> import warpgraph as wg
    >>> wg.datasets.load("ny-road", dtype="int32").data[:3]
    array([ 891, 3197,  969], dtype=int32)
    """
    described = info(name)
    weight_dtype = _validate.weight_dtype(dtype)
    low, high = _unpack(f"{name}.xz")
    weights = road_weights(low, high).astype(weight_dtype)
    # The smaller neighbours of a row come before the larger ones, so the row is sorted.
    return Graph.from_edges(
        np.concatenate([high, low]),
        np.concatenate([low, high]),
        np.concatenate([weights, weights]),
        n_vertices=described.n_vertices,
    )


def road_weights(low: Vertices, high: Vertices) -> Vertices:
    """Return the weights of edges, ``low < high``: 100 plus a hash of the ends modulo 4000."""
    mixed = low.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    mixed ^= high.astype(np.uint64) * np.uint64(0xC2B2AE3D27D4EB4F)
    mixed ^= mixed >> np.uint64(29)
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    mixed ^= mixed >> np.uint64(32)
    weights: Vertices = (mixed % np.uint64(4000)).astype(np.int64) + 100
    return weights


def _unpack(file_name: str) -> tuple[Vertices, Vertices]:
    """Return the smaller and the larger ends of all edges; data/README.md has the format."""
    packed = (resources.files("warpgraph") / "data" / file_name).read_bytes()
    payload = np.frombuffer(lzma.decompress(packed), np.uint8)
    n, m = (int(size) for size in payload[:16].view("<i8"))
    counts, planes = payload[16 : 16 + n], payload[16 + n :].reshape(4, m)
    low = np.repeat(np.arange(n, dtype=np.int64), counts)
    differences = np.ascontiguousarray(planes.T).view("<u4").ravel()
    return low, low + differences
