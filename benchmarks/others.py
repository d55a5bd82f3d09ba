"""Programs of others among the contestants of results, by the name that readers know.

All other contestants are variants of warpgraph.
"""

from __future__ import annotations

from typing import Any

OTHERS = {
    "adds": "ADDS",
    "cupq": "CUPQ",
    "ecl-apsp": "ECL-APSP",
    "ecl-mst": "ECL-MST",
    "fast_hdbscan": "fast_hdbscan",
    "gap": "GAP",
    "gardenia": "Gardenia",
    "hdbscan": "hdbscan",
    "networkx": "NetworkX",
    "numpy": "NumPy",
    "pbbs filter-kruskal": "PBBS",
    "quitefastmst": "quitefastmst",
    "scipy": "SciPy",
    "SciPy": "SciPy",
    "scipy Delaunay": "SciPy",
    "scipy breadth_first_order": "SciPy",
    "scipy dijkstra": "SciPy",
    "scipy, one triangle": "SciPy",
    "scipy_strong": "SciPy",
    "scipy_undirected": "SciPy",
    "scipy_weak": "SciPy",
    "sklearn": "scikit-learn",
    "sklearn elkan": "scikit-learn",
    "sklearn lloyd": "scikit-learn",
}


def ratios_of_others(measurement: dict[str, Any]) -> dict[str, float]:
    """Return how many times longer the programs of others took; of several names, the least."""
    found: dict[str, float] = {}
    for rival, ratio in measurement["ratios"].items():
        name = OTHERS.get(rival)
        if name is not None:
            found[name] = min(ratio, found.get(name, ratio))
    return found
