"""The entries of Steiner trees, arborescences and bottleneck paths in the table of calls.py."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

import warpgraph as wg
from call_entry import Arrays, Call, arrays_of, first_vertices, planned

#: Errors of graphs that have no such tree.
_NO_TREE = re.compile("terminals must have|no path joins|no vertex reaches|a graph without")


def _steiner(graph, **options):
    return arrays_of(wg.steiner_tree(graph, first_vertices(graph, 9), **options))


def _arborescence(graph, **options):
    found = wg.minimum_arborescence(graph, **options)
    return np.array(found.root), found.predecessors, found.weights, found.edge_ids


def _bottleneck(graph, **options):
    vertices = list(first_vertices(graph, 30))
    options = {"return_edges": True, **options}
    return arrays_of(wg.bottleneck_paths(graph, vertices, vertices[::-1], **options))


def _or_none(run: Callable[..., Arrays]) -> Callable[..., Arrays]:
    """Return a call that returns a single number if the graph has no such tree."""

    def call(graph: Any, **options: Any) -> Arrays:
        try:
            return run(graph, **options)
        except ValueError as error:
            if not _NO_TREE.match(str(error)):
                raise
            return (np.array(-1),)

    return call


CALLS = [
    Call(
        "steiner_tree",
        _or_none(_steiner),
        on_cores_alone=True,
        long_on_cores={"": ("roads", {})},
        planned={
            "": planned("roads", [0, 5, 99]),
        },
    ),
    Call(
        "minimum_arborescence",
        _or_none(_arborescence),
        on_cores_alone=True,
        long_on_cores={"": ("roads", {})},
        planned={
            "": planned("roads"),
        },
    ),
    Call(
        "bottleneck_paths",
        _bottleneck,
        on_cores_alone=True,
        variants={"": {}, "maximum": {"maximum": True}},
        planned={
            "in a forest": planned("forest", [0, 3], [5, 9]),
            "": planned("both_ways", [0, 3], [5, 9]),
            "one way": planned("one_way", [0, 3], [5, 9], exact=False),
        },
    ),
]
