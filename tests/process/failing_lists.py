"""Calls on lists of devices for test_failing_allocator.py."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import graphs
import warpgraph as wg

ROADS = wg.generators.grid(12, 12, seed=3, weights=(1, 1000)).to_csr()
HUBS = graphs.SAMPLES["medium_power_law"]
SOURCES = np.arange(0, 144, 7)
#: Bytes of a device for two members, each of which has 64 rows and columns of pivots, and four
#: bands of 64 rows, of a matrix of 192 rows in 32 bits. With less, one member takes all bands.
FOR_BANDS = 2 * (4 * (6 * 64 * 192 + 64 * 64) + 64)

Call = Callable[[Any], Any]


def _streamed(devices: list[str]) -> Any:
    out = np.empty(ROADS.shape)
    how: dict[str, Any] = {"method": "floyd_warshall", "memory_limit": FOR_BANDS, "out": out}
    return [wg.apsp(ROADS, device=devices, **how)]


def _partition(_: list[str]) -> Any:
    made = [wg.transform.partition(HUBS, 3, name) for name in ("communities", "rcm")]
    return [array for one in made for array in (one.starts, one.order, one.graph.indices)]


#: By name: call(devices) returns arrays and numbers.
CALLS: dict[str, Call] = {
    "sssp": lambda on: wg.sssp(ROADS, 0, return_predecessors=True, device=on),
    "sssp hubs": lambda on: wg.sssp(HUBS, 0, directed=False, device=on),
    "sssp, delta_stepping": lambda on: wg.sssp(ROADS, 0, method="delta_stepping", device=on),
    "bfs": lambda on: wg.bfs(ROADS, 0, return_predecessors=True, device=on),
    "bfs hubs": lambda on: wg.bfs(HUBS, 0, directed=False, return_predecessors=True, device=on),
    "bfs hubs one way": lambda on: wg.bfs(HUBS, 0, targets=[3, 4], device=on),
    "pagerank, pull": lambda on: wg.pagerank(HUBS, method="pull", device=on),
    "connected_components": lambda on: wg.connected_components(HUBS, device=on),
    "many_to_many": lambda on: wg.many_to_many(ROADS, SOURCES, device=on),
    "apsp": lambda on: wg.apsp(ROADS, method="floyd_warshall", device=on),
    "apsp in bands": _streamed,
    "transform.partition": _partition,
}


def calls() -> Iterator[tuple[str, Call]]:
    """Yield (name, call): call(device) runs on two members."""
    for name, call in CALLS.items():
        yield f"two members, {name}", lambda device, call=call: call([device] * 2)
