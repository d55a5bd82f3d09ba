"""Communities, in NetworkX's functions."""

from __future__ import annotations

from typing import Any

import networkx as nx

from warpgraph import _core
from warpgraph._communities.communities import leiden_communities as find_communities
from warpgraph.nx_backend._graph import BackendGraph, no_collections


def leiden_communities(
    G: BackendGraph,
    weight: Any = "weight",
    resolution: Any = 1,
    max_level: Any = None,
    seed: Any = None,
    metric: Any = "modularity",
    theta: Any = None,
) -> list[set[Any]]:
    """See NetworkX, which has a function of its own from 3.7 on. By modularity, for all levels.

    `theta`, which says how random merges are in NetworkX's function, has no effect here.
    """
    number = nx.utils.create_py_random_state(0 if seed is None else seed).getrandbits(32)
    found = find_communities(G.matrix(weight), resolution=resolution, seed=number)
    with no_collections():
        sets: list[set[Any]] = list(_core.sets_by_label(G.nodes, found.labels, found.n_communities))
    return sets
