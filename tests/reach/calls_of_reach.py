"""The entries of what is near in the table of calls.py."""

from __future__ import annotations

import numpy as np

import warpgraph as wg
from call_entry import Call, arrays_of, first_vertices, planned
from checks import EMULATED


def _within(graph, sources=None, limit=5, **options):
    sources = first_vertices(graph, 40) if sources is None else sources
    return arrays_of(wg.within(graph, sources, limit, **options))


def _accessibility(graph, sources=None, limits=(5, 1, np.inf), **options):
    sources = first_vertices(graph, 40) if sources is None else sources
    return arrays_of(wg.accessibility(graph, sources, limits, **options))


def _nearest_facilities(graph, k=3, **options):
    return arrays_of(wg.nearest_facilities(graph, first_vertices(graph, 40), k, **options))


CALLS = [
    Call(
        "within",
        _within,
        variants={"": {}, "undirected": {"directed": False}, "unweighted": {"unweighted": True}},
        long_on_cores={"": ("town", {"sources": range(1000), "limit": np.inf})},
        long_on_gpus={"": ("town", {"sources": range(8000), "limit": np.inf})},
        planned={
            "": planned("both_ways", [0, 1], 10, exact=False),
        },
    ),
    Call(
        "accessibility",
        _accessibility,
        variants={"": {}, "undirected": {"directed": False}, "unweighted": {"unweighted": True}},
        long_on_cores={"": ("town", {"sources": range(2000)})},
        long_on_gpus={"": ("town", {"sources": [*range(8000)] * 3})},
        planned={
            "": planned("both_ways", [0, 1], [10, 20]),
            "undirected": planned("one_way", [0, 1], [10, 20], exact=False, directed=False),
        },
    ),
    Call(
        "nearest_facilities",
        _nearest_facilities,
        variants={"": {}, "undirected": {"directed": False}, "outward": {"to_facilities": False}},
        long_on_cores={"": ("roads", {"k": 6})},
        long_on_gpus={"": ("town", {"k": 2}) if EMULATED else ("roads", {"k": 40})},
        planned={
            "": planned("both_ways", [0, 1]),
            "entering edges": planned("one_way", [0, 1], exact=False),
        },
    ),
]
