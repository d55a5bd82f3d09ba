"""The entries of searches and components in the table of calls.py."""

from __future__ import annotations

import warpgraph as wg
from call_entry import Call, arrays_of, first_vertices, planned

_TREES = {"return_predecessors": True}


def _order_call(name):
    return Call(
        name,
        lambda g, **o: arrays_of(getattr(wg, name)(g, first_vertices(g, 1)[0], **o)),
        reads_weights=False,
        on_cores_alone=True,
        variants={"": _TREES, "undirected": {**_TREES, "directed": False}},
        long_on_cores={"": ("roads", _TREES)},
    )


CALLS = [
    Call(
        "bfs",
        lambda g, **o: arrays_of(wg.bfs(g, first_vertices(g, 1)[0], **o)),
        reads_weights=False,
        variants={"": _TREES},
        methods={"": _TREES},
        long={"": ("roads", _TREES)},
        planned={
            "": planned("both_ways", 0),
            "targets": planned("both_ways", 0, targets=[5, 6]),
            "workers": planned("both_ways", 0, device=["cpu"] * 3),
        },
    ),
    *map(_order_call, ("breadth_first_order", "depth_first_order")),
    Call(
        "connected_components",
        lambda g, **o: arrays_of(wg.connected_components(g, **o)),
        reads_weights=False,
        variants={"weak": {}, "strong": {"connection": "strong"}},
        methods={kind: {"connection": kind} for kind in ("weak", "strong")},
        long={"weak": ("roads", {}), "strong": ("social", {"connection": "strong"})},
        planned={
            "": planned("both_ways"),
            "strong": planned("one_way", connection="strong"),
            "workers": planned("both_ways", device=["cpu"] * 3),
        },
    ),
]
