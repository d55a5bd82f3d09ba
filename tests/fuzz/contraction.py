"""Hierarchies with a small core; those of public functions have most of a small graph as core."""

from __future__ import annotations

import warpgraph as wg
from warpgraph import _core
from warpgraph._paths import hierarchy


def contracted(graph, core: int, directed: bool, unweighted: bool) -> wg.Graph:
    """Return a Graph that keeps a hierarchy whose core has at most `core` vertices.

    If the graph has no hierarchy, return just the graph.
    """
    kept = wg.Graph(graph)
    form = kept if directed else kept._undirected()
    symmetric = form._has_mirrored_structure() if unweighted else form._is_mirrored()
    try:
        form._refuse_negative("a hierarchy")
        handle = _core.build_hierarchy(
            form._handle, form.dtype, unweighted, None, symmetric=symmetric, core_vertices=core
        )
    except (ValueError, OverflowError):
        return kept
    form._derive(hierarchy.key(unweighted), lambda: hierarchy.Prepared(handle))
    return kept
