"""Hierarchies with a small core; those of public functions have most of a small graph as core."""

from __future__ import annotations

import contextlib

import warpgraph as wg
from warpgraph import _core
from warpgraph._paths import hierarchy


def contracted(graph, core: int, directed: bool, unweighted: bool, device: str = "cpu") -> wg.Graph:
    """Return a Graph that keeps a hierarchy whose core has at most `core` vertices.

    For no core, that of other weights is customized on the device, unless there are none. If the
    graph has no hierarchy, return just the graph.
    """
    kept = wg.Graph(graph)
    if core == 0 and not unweighted:
        with contextlib.suppress(ValueError, OverflowError):
            ones = kept.with_weights(1)
            wg.Hierarchy(ones, directed=directed, customizable=True).customize(kept, device=device)
        return kept
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
