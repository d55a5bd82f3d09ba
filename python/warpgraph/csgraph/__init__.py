"""Drop-in for scipy.sparse.csgraph: the same functions, on CPU cores and GPUs.

``import warpgraph.csgraph as csgraph`` in place of ``from scipy.sparse import csgraph`` is the only
change that a program needs. Signatures, dtypes, the order of results, exceptions and warnings are
those of the installed SciPy; functions that run here take ``device=``, too. What is not
accelerated is SciPy's own function, behind a check of its input where it would follow any number:
`maximum_flow`, conversions and the like; the list is in docs/csgraph.md. Matchings end here where
SciPy's do not. SciPy's functions are taken when this module is imported, so a program may put those
of this module in their place.

Calls on small graphs take a short way: one thread of the core, without a choice of devices. Orders
and trees of searches of small CSR matrices, a few shortest paths (`yen`) in them, and Dijkstra's
algorithm with negative weights, whose distances SciPy warns of, are left to SciPy itself, which is
faster there or gives its own answer.

Where several shortest-path trees are valid, SciPy promises any of them; here a predecessor is the
smallest vertex that ends a shortest path, see `warpgraph.sssp`. Trees of breadth-first and
depth-first searches, spanning trees and the numbers of components are exactly SciPy's.
"""

from __future__ import annotations

from typing import Any

from scipy.sparse import csgraph as _theirs
from scipy.sparse.csgraph import (
    NegativeCycleError,
    csgraph_from_dense,
    csgraph_from_masked,
    csgraph_masked_from_dense,
)

from warpgraph.csgraph._components import connected_components
from warpgraph.csgraph._dijkstra import dijkstra
from warpgraph.csgraph._floyd_warshall import floyd_warshall
from warpgraph.csgraph._matching import (
    maximum_bipartite_matching,
    min_weight_full_bipartite_matching,
    structural_rank,
)
from warpgraph.csgraph._passed_on import (
    construct_dist_matrix,
    csgraph_to_dense,
    csgraph_to_masked,
    laplacian,
    maximum_flow,
    reconstruct_path,
    reverse_cuthill_mckee,
)
from warpgraph.csgraph._shortest_path import bellman_ford, johnson, shortest_path
from warpgraph.csgraph._spanning_tree import minimum_spanning_tree
from warpgraph.csgraph._traversal import (
    breadth_first_order,
    breadth_first_tree,
    depth_first_order,
    depth_first_tree,
)
from warpgraph.csgraph._yen import yen

__all__ = [
    "NegativeCycleError",
    "bellman_ford",
    "breadth_first_order",
    "breadth_first_tree",
    "connected_components",
    "construct_dist_matrix",
    "csgraph_from_dense",
    "csgraph_from_masked",
    "csgraph_masked_from_dense",
    "csgraph_to_dense",
    "csgraph_to_masked",
    "depth_first_order",
    "depth_first_tree",
    "dijkstra",
    "floyd_warshall",
    "johnson",
    "laplacian",
    "maximum_bipartite_matching",
    "maximum_flow",
    "min_weight_full_bipartite_matching",
    "minimum_spanning_tree",
    "reconstruct_path",
    "reverse_cuthill_mckee",
    "shortest_path",
    "structural_rank",
    "yen",
]


def __dir__() -> list[str]:
    return sorted(__all__)


def __getattr__(name: str) -> Any:
    """Return what a newer SciPy has beside these functions."""
    if name in _theirs.__all__:
        return getattr(_theirs, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
