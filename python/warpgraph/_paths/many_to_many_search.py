"""The searches of `many_to_many`, once its arguments are checked."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from warpgraph import _core
from warpgraph._arguments import device as _device, validate
from warpgraph._graph import memory, plan
from warpgraph._graph.graph import Graph
from warpgraph._graph.weights import bytes_to_convert
from warpgraph._paths import hierarchy, johnson

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class Call:
    """Checked arguments of a call."""

    graph: Graph  # that is searched, or of which the undirected form is
    is_directed: bool
    unweighted: bool
    dtype: np.dtype[Any]  # of the distances
    sources: Array
    targets: Array | None
    distances: Any
    predecessors: Array  # empty: not wanted
    limit: Any
    is_restricted: bool  # a search may end early
    mirrored: bool | None  # whether every edge is stored both ways; None: the graph may be asked

    @property
    def weights(self) -> np.dtype[Any] | None:
        """Return the dtype of the weights that the search reads; None: it reads none."""
        return None if self.unweighted else self.dtype

    def arrays(self) -> tuple[Array, Array, Any, Array, Any]:
        """Return what the core searches, with an empty array for no targets."""
        targets = np.empty(0, np.int32) if self.targets is None else self.targets
        return self.sources, targets, self.distances, self.predecessors, self.limit

    def request(self, method: str) -> dict[str, Any]:
        """Return the request of a plan."""
        some = self.sources[[0, len(self.sources) // 2, -1]] if len(self.sources) else self.sources
        converts = self.weights is not None and not self.graph.has_weights_of(self.weights)
        return {
            "method": method,
            "is_directed": self.is_directed,
            "unweighted": self.unweighted,
            "is_restricted": self.is_restricted,
            "has_limit": self.limit < validate.infinity(self.dtype),
            "wants_predecessors": self.predecessors.size > 0,
            "n_sources": len(self.sources),
            "some_sources": some.tolist(),
            "bytes_to_convert": bytes_to_convert(self.graph, self.dtype) if converts else 0,
        }

    def facts(self, limit: int) -> dict[str, Any]:
        """Return what the plan may know beside the graph's own facts."""
        handle, arrays = self.graph.handle, self.arrays()
        known = hierarchy.facts(self.graph, self.unweighted, limit)
        known["bytes_of_searches"] = lambda method, device: _core.many_to_many_bytes(
            handle, *arrays, device, method=method
        )
        return known


def search(call: Call, method: str, wanted: _device.Wanted, left: int, report: Any) -> None:
    """Fill the distances and predecessors of a call; `left` is the rest of the memory limit."""
    given = call.graph
    where = ""  # of the memory that is limited
    if left or not call.is_directed:
        form = given if call.is_directed else memory.known_undirected(given)
        how, known = call.request(method), replace(call, graph=form or given).facts(left)
        task = "many_to_many", given, form, call.dtype, wanted, known
        wanted = plan.devices_first(*task, **how)
        where = memory.where_limited(wanted.named)
        if not call.is_directed:
            made, left = memory.undirected(given, left, where)
            call = replace(call, graph=made)
    chosen, left = _plan(call, given, method, wanted, where, left)
    where = memory.where_limited(chosen.devices)
    if chosen.has_negative:
        johnson.refuse_others(call.graph, method)
    n_columns = given.n_vertices if call.targets is None else len(call.targets)
    if len(call.sources) == 0 or n_columns == 0:
        call.predecessors.fill(-1)
        return
    _fill(call, chosen, where, left, report)


def _plan(
    call: Call, given: Graph, method: str, wanted: _device.Wanted, where: str, left: int
) -> tuple[_core.Plan, int]:
    """Return the plan, which may be another one if there is no hierarchy; the rest of the limit."""
    graph, how = call.graph, call.request(method)
    before, limit = memory.counted(graph, left, where), left if where == "cpu" else 0
    task = "many_to_many", given, graph, call.dtype, wanted, call.facts(limit)
    chosen = plan.make(*task, logs=False, memory_limit=left, **how)
    plan.log(chosen.reasons[:-1])
    tries = method == "auto" and chosen.method == "hierarchy"
    refused = tries and not hierarchy.can_prepare(graph, call.unweighted, limit)
    left = memory.left_of(left, graph, before, where)
    if refused:
        chosen = plan.make(*task, memory_limit=left, without_hierarchy=True, **how)
    else:
        plan.log(chosen.reasons[-1:])
    return chosen, left


def _fill(call: Call, chosen: _core.Plan, where: str, left: int, report: Any) -> None:
    graph, method = call.graph, chosen.method
    if method == "hierarchy":
        hierarchy.fill(
            graph,
            call.unweighted,
            call.sources,
            call.targets,
            call.distances,
            call.predecessors,
            call.dtype,
            call.limit,
            chosen.devices,
            left,
            report,
        )
        return
    mirrored = call.mirrored
    if mirrored is None:
        mirrored = method == "breadth_first" and graph.has_mirrored_structure()
    handle, left = memory.handle_for(graph, call.weights, left, where)
    potentials = np.empty(0, call.dtype)
    if method == "johnson":
        potentials, left = johnson.potentials(graph, call.dtype, left, where)
    transposed = graph.known("transposed")
    _core.many_to_many(
        handle,
        None if transposed is None else transposed.handle,
        *call.arrays(),
        call.unweighted,
        potentials,
        chosen.devices,
        report,
        method=method,
        mirrored=mirrored,
        memory_limit=left,
    )
