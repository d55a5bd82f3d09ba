"""The entries of betweenness in the table of calls.py."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import warpgraph as wg
from call_entry import Call


def betweenness_call(name: str, first_vertices: Callable[[Any, int], Any]) -> Call:
    """Return the entry of a function, which searches from some vertices."""

    def run(graph, sources=None, **options):
        sources = first_vertices(graph, 40) if sources is None else sources
        return (getattr(wg, name)(graph, sources=sources, **options),)

    return Call(
        name,
        run,
        weights_in=(1e-6, 1e9),  # sums of other ones are rounded to one of the summands
        takes_zero_weights=False,
        variants={
            "": {},
            "undirected": {"directed": False},
            "unweighted": {"unweighted": True, "limit": 3},
        },
        methods={"hops": {"unweighted": True}, "distances": {}},
        long={
            "hops": ("roads", {"sources": 20, "unweighted": True}),
            "distances": ("roads", {"sources": 10}),
        },
    )
