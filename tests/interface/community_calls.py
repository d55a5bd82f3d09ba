"""The entries of cores, triangles and communities in the table of calls.py."""

from __future__ import annotations

import numpy as np

import warpgraph as wg
from call_entry import Call


def _call(name: str, large: str) -> Call:
    return Call(
        name,
        lambda graph, **options: (np.asarray(getattr(wg, name)(graph, **options)),),
        reads_weights=False,
        on_cores_alone=True,
        long_on_cores={"": (large, {})},
    )


def community_calls() -> list[Call]:
    """Return the entries."""
    return [
        _call("core_numbers", "social"),
        _call("triangles", "social"),
        _call("clustering_coefficients", "social"),
        _call("transitivity", "social"),
    ]
