"""Synthetic graphs and points; a seed gives the same result on every machine.

>>> import warpgraph as wg
>>> wg.generators.grid(3, 4, seed=7, weights=(1, 9)).n_edges
34
"""

from warpgraph.generators._graphs import grid, rmat, ssca2
from warpgraph.generators._points import random_points

__all__ = ["grid", "random_points", "rmat", "ssca2"]


def __dir__() -> list[str]:
    return sorted(__all__)
