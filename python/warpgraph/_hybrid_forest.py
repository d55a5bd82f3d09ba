"""Spanning forests on CPU threads and a GPU together, and of graphs that a GPU cannot hold."""

from __future__ import annotations

import logging
import threading
from typing import Any

import numpy.typing as npt

from warpgraph import _core
from warpgraph._graph import Graph

logger = logging.getLogger("warpgraph")

Array = npt.NDArray[Any]


class HybridForests:
    """A graph's rows, prepared once, and a device's part of them; a `Graph` keeps it."""

    def __init__(self, rows: _core.PreparedRows) -> None:
        self.rows = rows
        self._lock = threading.Lock()
        self._key: tuple[str, int, bool] | None = None
        self._forest: _core.HybridForest | None = None

    def on(self, device: str, limit: int, *, device_alone: bool = False) -> _core.HybridForest:
        """Return what solves on this device in so many bytes; the last one made is kept."""
        key = (device, limit, device_alone)
        with self._lock:
            if self._forest is None or self._key != key:
                self._forest = None  # two need not fit
                self._forest = _core.hybrid_forest(
                    self.rows, device, memory_limit=limit, device_alone=device_alone
                )
                self._key = key
            return self._forest

    @property
    def nbytes(self) -> int:
        """Bytes on the host, and on the device."""
        forest = self._forest
        return self.rows.nbytes + (0 if forest is None else forest.nbytes)


def hybrid_forests(upper: Graph, maximum: bool) -> HybridForests:
    """Return the prepared rows of a graph whose entries above the diagonal are its edges."""
    kept: HybridForests = upper.derived(
        f"hybrid forests, {'maximum' if maximum else 'minimum'}",
        lambda: HybridForests(_core.prepare_rows(upper.handle, upper.dtype, maximum)),
    )
    return kept


def solve(
    upper: Graph, maximum: bool, device: str, limit: int, report: Any
) -> tuple[Array, Array, Array]:
    """Return edges, weights and edge ids."""
    forests = hybrid_forests(upper, maximum)
    forest = forests.on(device, limit)
    logger.info(
        "%s and CPU threads search together; %d arcs are in the memory of %s",
        device,
        forest.n_resident_arcs,
        device,
    )
    return forest.solve(upper.handle, upper.dtype, forests.rows, report)
