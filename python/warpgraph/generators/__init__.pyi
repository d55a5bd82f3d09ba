# Written by scripts/stubs/public.py from the signatures of functions: make stub.
from typing import Literal, overload

import numpy.typing as npt

from warpgraph._arguments import types
from warpgraph.generators._graphs import grid, rmat, ssca2

__all__ = [
    "grid",
    "random_points",
    "rmat",
    "ssca2",
]

@overload
def random_points(
    n: int,
    dim: int,
    *,
    seed: int = 0,
    dist: types.PointDistribution = "uniform",
    n_blobs: int = 10,
    spread: float = 0.02,
    dtype: types.DType[types.Float] | None = ...,
    return_labels: Literal[False] = False,
) -> npt.NDArray[types.Float]: ...
@overload
def random_points(
    n: int,
    dim: int,
    *,
    seed: int = 0,
    dist: types.PointDistribution = "uniform",
    n_blobs: int = 10,
    spread: float = 0.02,
    dtype: types.DType[types.Float] | None = ...,
    return_labels: Literal[True],
) -> tuple[npt.NDArray[types.Float], types.Int32Array]: ...
@overload
def random_points(
    n: int,
    dim: int,
    *,
    seed: int = 0,
    dist: types.PointDistribution = "uniform",
    n_blobs: int = 10,
    spread: float = 0.02,
    dtype: types.DType[types.Float] | None = ...,
    return_labels: bool = False,
) -> npt.NDArray[types.Float] | tuple[npt.NDArray[types.Float], types.Int32Array]: ...
