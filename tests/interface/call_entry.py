"""The entry of a public function in the table of `calls.py`, and what entries are made of."""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import networkx as nx
import numpy as np
import scipy.sparse as sp

import warpgraph as wg

Options = Mapping[str, Any]
Arrays = tuple[np.ndarray, ...]


@dataclass(frozen=True)
class Planned:
    """A call on cores whose memory tests/plan/test_explain_memory.py compares with its plan's."""

    #: An input of `INPUTS` there.
    on: str
    args: tuple[Any, ...]
    options: Options
    #: Whether the plan has all that the call asks for. What forms of the graph, later steps or the
    #: result take may not be known before.
    exact: bool


def planned(on: str, *args: Any, exact: bool = True, **options: Any) -> Planned:
    """Return a call with these arguments after its input."""
    return Planned(on, args, options, exact)


@dataclass(frozen=True)
class Call:
    """A public function, and how to call it."""

    #: Its name below `warpgraph`.
    name: str
    #: run(input, **options) calls it and returns its result as arrays.
    run: Callable[..., Arrays]
    #: The kind of input: "graph", "points", "forest", or "sizes", which `run` has itself.
    takes: str = "graph"
    reads_weights: bool = True
    on_cores_alone: bool = False  # although it takes a device
    #: The most vertices for which `run` is fast and its result small.
    most_vertices: int = 10**6
    #: Its weights are finite, and 0 or in this range.
    weights_in: tuple[float, float] | None = None
    takes_zero_weights: bool = True
    #: In a dense matrix of distances 0 is a distance, not a missing edge.
    reads_dense_distances: bool = False
    #: Options of results that differ, by name; each has the same bits on every device.
    variants: Mapping[str, Options] = field(default_factory=lambda: {"": {}})
    #: Options of each implementation, by name; graphs have at least 100 vertices.
    methods: Mapping[str, Options] = field(default_factory=lambda: {"": {}})
    #: Calls long enough to be interrupted, by name: an input of large_inputs.py, and options.
    long: Mapping[str, tuple[str, Options]] = field(default_factory=dict)
    #: The options and calls of implementations that are for GPUs.
    methods_on_gpus: Mapping[str, Options] = field(default_factory=dict)
    long_on_gpus: Mapping[str, tuple[str, Options]] = field(default_factory=dict)
    #: The long calls that run on cores alone.
    long_on_cores: Mapping[str, tuple[str, Options]] = field(default_factory=dict)
    #: Calls whose memory is compared with their plans, by name, if `wg.explain` plans the function.
    planned: Mapping[str, Planned] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.name

    @property
    def function(self) -> Callable[..., Any]:
        return operator.attrgetter(self.name)(wg)

    @property
    def parameters(self) -> Mapping[str, inspect.Parameter]:
        return inspect.signature(self.function).parameters

    @property
    def flags(self) -> list[str]:
        return [p.name for p in self.parameters.values() if isinstance(p.default, bool)]

    @property
    def choices(self) -> list[str]:
        """Options whose value is one of several words."""
        others = ("weight", "device")
        parameters = self.parameters.values()
        return [p.name for p in parameters if isinstance(p.default, str) and p.name not in others]


def has_weights_for(call: Call, graph: Any) -> bool:
    """Return whether the weights are in the range that the function takes."""
    weights = getattr(graph, "data", None)
    if call.weights_in is None or not isinstance(weights, np.ndarray) or weights.dtype.kind == "O":
        return True
    if not call.takes_zero_weights and (weights == 0).any():
        return False
    least, most = call.weights_in
    weights = weights[weights != 0].astype(np.float64)
    return bool(((weights >= least) & (weights <= most)).all())


def first_vertices(graph: Any, most: int) -> Any:
    """Return some vertices, by name if the graph has names."""
    names = list(graph) if isinstance(graph, nx.Graph) else getattr(graph, "names", None)
    return range(min(most, n_vertices(graph))) if names is None else list(names)[:most]


def n_vertices(graph: Any) -> int:
    if isinstance(graph, wg.Graph):
        return graph.n_vertices
    return len(graph) if isinstance(graph, nx.Graph) else getattr(graph, "shape", (1,))[0]


def arrays_of(result: Any) -> Arrays:
    """Return a result of any function as arrays."""
    if isinstance(result, wg.Graph):
        return result.indptr.astype(np.int64), result.indices, result.data
    if isinstance(result, wg.SpanningForest):
        parts = (result.edges, result.weights, result.edge_ids, result.labels, result.total_weight)
        return tuple(np.asarray(part) for part in parts if part is not None)
    if sp.issparse(result):
        return result.indptr.astype(np.int64), result.indices, result.data
    if isinstance(result, wg.ShortestPathDag):
        return result.distances, result.indptr, result.predecessors, result.edge_ids
    return tuple(map(np.asarray, result)) if isinstance(result, tuple) else (np.asarray(result),)
