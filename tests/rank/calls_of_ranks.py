"""The entries of betweenness and PageRank in the table of calls.py."""

from __future__ import annotations

import warpgraph as wg
from call_entry import Call, arrays_of, first_vertices, planned

_SLOW_WALK = {"alpha": 0.95, "tol": 5e-7}


_BETWEENNESS_PLANNED = {
    "betweenness_centrality": {
        "": planned("both_ways", sources=5),
        "parallel edges": planned("parallel_edges", sources=5, unweighted=True),
        "undirected": planned("one_way", exact=False, sources=5, directed=False),
    },
    "edge_betweenness_centrality": {
        "": planned("both_ways", sources=5),
        "unweighted": planned("both_ways", sources=5, unweighted=True),
        "parallel edges": planned("parallel_edges", exact=False, sources=5),
        "undirected": planned("one_way", exact=False, sources=5, directed=False),
    },
}


def _betweenness(name: str) -> Call:
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
            "hops": ("roads", {"sources": 9, "unweighted": True}),
            "distances": ("roads", {"sources": 6}),
        },
        planned=_BETWEENNESS_PLANNED[name],
    )


CALLS = [
    _betweenness("betweenness_centrality"),
    _betweenness("edge_betweenness_centrality"),
    Call(
        "pagerank",
        lambda g, **o: arrays_of(wg.pagerank(g, **o)),
        weights_in=(1e-200, 1e200),
        variants={
            "": {},
            "undirected": {"directed": False},
            "unweighted": {"unweighted": True},
            "push": {"method": "push"},
        },
        methods={m: {"tol": 1e-10, "method": m} for m in ("pull", "push")},
        # Every second iteration is at every second vertex, so that changes fall by `alpha` only.
        long={
            "pull": ("roads", {**_SLOW_WALK, "personalization": {0: 1}, "method": "pull"}),
            "push": ("city", {**_SLOW_WALK, "method": "push"}),
        },
        planned={
            "": planned("both_ways"),
            "entering edges": planned("one_way"),
            "pushes": planned("both_ways", method="push"),
            "workers": planned("both_ways", device=["cpu"] * 3),
            "undirected": planned("one_way", exact=False, directed=False),
        },
    ),
]
