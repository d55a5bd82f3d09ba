"""Spanning forests of graphs that a GPU may hold in part only; CPU threads then search with it."""

from __future__ import annotations

import logging
import threading
from typing import Any

import numpy.typing as npt

from warpgraph import _core
from warpgraph._graph.graph import Graph

logger = logging.getLogger("warpgraph")

Array = npt.NDArray[Any]


class HybridForests:
    """The prepared rows of a graph and one device's part of them; kept by the `Graph`."""

    def __init__(self, rows: _core.PreparedRows) -> None:
        self.rows = rows
        self._lock = threading.Lock()
        self._key: tuple[str, int] | None = None
        self._forest: _core.HybridForest | None = None

    def on(self, device: str, ledger: _core.Ledger) -> _core.HybridForest:
        """Return the solver for this device and memory limit; the last one is kept."""
        key = (device, ledger.left)
        with self._lock:
            if self._forest is None or self._key != key:
                self._forest = None  # frees the former one first: both might not fit
                self._forest = _core.hybrid_forest(self.rows, device, ledger)
                self._key = key
            return self._forest

    @property
    def nbytes(self) -> int:
        """Bytes on the host, and on the device."""
        forest = self._forest
        return self.rows.nbytes + (0 if forest is None else forest.nbytes)


def hybrid_forests(upper: Graph, maximum: bool) -> HybridForests:
    """Return the prepared rows of a graph whose entries above the diagonal are its edges."""
    kept: HybridForests = upper._derive(
        f"hybrid forests, {'maximum' if maximum else 'minimum'}",
        lambda: HybridForests(_core.prepare_rows(upper._handle, upper.dtype, maximum)),
    )
    return kept


def solve(
    upper: Graph, maximum: bool, device: str, ledger: _core.Ledger, report: Any
) -> tuple[Array, Array, Array]:
    """Return edges, weights and edge ids."""
    forests = hybrid_forests(upper, maximum)
    forest = forests.on(device, ledger)
    logger.info(
        "%d arcs are in the memory of %s; CPU threads help to search any others",
        forest.n_resident_arcs,
        device,
    )
    return forest.solve(upper._handle, upper.dtype, forests.rows, report)
