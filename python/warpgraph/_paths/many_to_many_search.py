"""The searches of `many_to_many`, once its arguments are checked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from warpgraph import _core
from warpgraph._arguments import device as _device, foreign, validate
from warpgraph._arguments.new_array import NO_VERTICES
from warpgraph._graph import plan
from warpgraph._graph.graph import Graph
from warpgraph._paths import hierarchy, johnson
from warpgraph._paths.hierarchies import rows

Array = npt.NDArray[Any]


class Call(NamedTuple):
    """Checked arguments of a call."""

    graph: Graph  # that is searched, or of which the undirected form is
    unweighted: bool
    dtype: np.dtype[Any]  # of the distances
    sources: Array
    distances: Any
    predecessors: Array  # empty: not wanted
    limit: Any
    targets: Array | None = None
    is_directed: bool = True
    mirrored: bool | None = None  # all edges are stored both ways; None: the graph may be asked

    @property
    def weights(self) -> np.dtype[Any] | None:
        """Return the dtype of the weights that the search reads; None: it reads none."""
        return None if self.unweighted else self.dtype

    @property
    def is_empty(self) -> bool:
        """Return whether there is nothing to search for."""
        return 0 in (len(self.sources), 1 if self.targets is None else len(self.targets))

    def arrays(self) -> tuple[Array, Array, Any, Array, Any]:
        """Return what the core searches, with an empty array for no targets."""
        targets = NO_VERTICES if self.targets is None else self.targets
        return self.sources, targets, self.distances, self.predecessors, self.limit

    def request(self, method: str) -> dict[str, Any]:
        """Return the request of a plan."""
        n = len(self.sources)
        some = [self.sources.item(i) for i in (0, n // 2, n - 1)] if n > 0 else []
        has_limit = bool(self.limit < validate.infinity(self.dtype))
        return {
            "method": method,
            "is_empty": self.is_empty,
            "is_directed": self.is_directed,
            "unweighted": self.unweighted,
            "has_limit": has_limit,
            "wants_predecessors": self.predecessors.size > 0,
            "n_sources": n,
            "n_targets": -1 if self.targets is None else len(self.targets),
            "some_sources": some,
            "results_on_device": foreign.is_on_device(self.distances),
        }


def search(
    call: Call, method: str, wanted: _device.Wanted, ledger: _core.Ledger, report: Any
) -> None:
    """Fill the distances and predecessors of a call."""
    given = call.graph
    if not call.unweighted and given._first_negative() is not None:
        johnson.refuse_others(given, method)
    if ledger.is_limited or not call.is_directed:
        form = given if call.is_directed else given._known_undirected()
        known = hierarchy.facts(given if form is None else form, call.unweighted, ledger)
        first = "many_to_many", given, form, call.dtype, wanted, call.request(method), known
        wanted = plan.devices_first(*first, ledger=ledger)
        if not call.is_directed:
            call = call._replace(graph=given._undirected(ledger))
    known = hierarchy.facts(call.graph, call.unweighted, ledger)
    task = "many_to_many", given, call.graph, call.dtype, wanted, call.request(method), known
    chosen = plan.make(*task, ledger=ledger)
    by = chosen.method, chosen.otherwise
    fill(call, by, chosen.devices, ledger, report, chosen.ways)


def fill(
    call: Call,
    by: tuple[str, str],
    devices: list[str],
    ledger: _core.Ledger,
    report: Any,
    ways: Sequence[Any] = (),
) -> None:
    """Fill the distances and predecessors of a call as it is planned.

    `by`: the method, and what takes the call if that is a hierarchy that cannot be made. `ways`:
    those of the plan that share the sources.
    """
    graph = call.graph
    method = hierarchy.method_of(by, graph, call.unweighted, ledger)
    if call.is_empty:
        call.predecessors.fill(-1)
        return
    if method == "hierarchy":
        # First of all, since this refuses weights that do not fit the dtype.
        graph._handle_for(None if call.unweighted else call.dtype, ledger)
        rows.fill(
            hierarchy.prepared(graph, call.unweighted, ledger, None),
            graph,
            call.unweighted,
            call.sources,
            call.targets,
            call.distances,
            call.predecessors,
            call.dtype,
            call.limit,
            devices,
            ledger,
            report,
        )
        return
    mirrored = call.mirrored
    if mirrored is None:
        mirrored = method == "breadth_first" and graph._has_mirrored_structure()
    handle = graph._handle_for(call.weights, ledger)
    potentials = np.empty(0, call.dtype)
    if method == "johnson":
        potentials = johnson.potentials(graph, call.dtype, ledger)
    transposed = graph._known("transposed")
    _core.many_to_many(
        handle,
        None if transposed is None else transposed._handle,
        *call.arrays(),
        call.unweighted,
        potentials,
        devices,
        list(ways),
        report,
        method=method,
        mirrored=mirrored,
        ledger=ledger,
    )
