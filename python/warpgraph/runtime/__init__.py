"""The asynchronous runtime: endpoints that send segments of arrays over links and routers.

An application first builds its data-flow graph, then runs it: `Context.run` calls a function for
each endpoint, on a thread of its own, and one on the calling thread, the host. An endpoint is on
the host or on a GPU, and several may be on the same: ``Context(["cpu", "cuda:0", "cuda:0"])``. What
endpoints on GPUs receive are CuPy arrays. `DistributedWorklist` has work items that endpoints
process and pass on, until none is left. See docs/runtime.md.

Examples
--------
Three endpoints add up what is available to them:

>>> import numpy as np
>>> from warpgraph import runtime
>>> context = runtime.Context(["cpu"] * 3)
>>> parts = runtime.Router(context, 1, 3, runtime.any_available)
>>> sums = runtime.Router(context, 3, 1, runtime.gather)
>>> send = runtime.Link(context.host, parts, packet_size=80_000)
>>> receive = runtime.Link(sums, context.host, packet_size=80_000)
>>> links = {
...     endpoint: (
...         runtime.Link(parts, endpoint, packet_size=80_000),
...         runtime.Link(endpoint, sums, packet_size=80_000),
...     )
...     for endpoint in context.endpoints
... }
>>> def add(endpoint):
...     numbers, results = links[endpoint]
...     for segment in numbers:
...         results.send(segment.values.sum(keepdims=True))
>>> def feed():
...     send.send(np.arange(100_000.0))
...     send.shutdown()
...     return sum(segment.values[0] for segment in receive)
>>> print(context.run(add, feed))
4999950000.0
"""

from __future__ import annotations

from warpgraph._core import Stopped
from warpgraph.runtime._context import Context, Endpoint
from warpgraph.runtime._links import Link, PendingSegment
from warpgraph.runtime._routing import (
    Router,
    RoutingPolicy,
    all_to_all,
    any_available,
    broadcast,
    gather,
    one_way_reduce,
    ring,
    scatter,
    table,
    tree_reduce,
)
from warpgraph.runtime._segments import EventFuture, Segment
from warpgraph.runtime._worklist import DistributedWorklist
from warpgraph.runtime._worklist_callbacks import Flags

__all__ = [
    "Context",
    "DistributedWorklist",
    "Endpoint",
    "EventFuture",
    "Flags",
    "Link",
    "PendingSegment",
    "Router",
    "RoutingPolicy",
    "Segment",
    "Stopped",
    "all_to_all",
    "any_available",
    "broadcast",
    "gather",
    "one_way_reduce",
    "ring",
    "scatter",
    "table",
    "tree_reduce",
]


def __dir__() -> list[str]:
    return sorted(__all__)


Stopped.__module__ = __name__
Stopped.__doc__ = """Ends the function of an endpoint after another endpoint of the run has failed.

It is no `Exception`, so that a function that handles all errors still ends. `Context.run` raises
the error of the other endpoint.

Examples
--------
>>> import warpgraph as wg
>>> context = wg.runtime.Context(["cpu"])
>>> def work(endpoint):
...     raise ValueError("no data")
>>> def feed():
...     try:
...         link.receive()
...     except wg.runtime.Stopped:
...         print("no more will come")
>>> link = wg.runtime.Link(context.endpoints[0], context.host)
>>> context.run(work, feed)
Traceback (most recent call last):
ValueError: no data
"""
