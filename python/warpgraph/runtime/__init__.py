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

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy.typing as npt

from warpgraph import _core
from warpgraph._arguments import device as _device, validate
from warpgraph._core import Stopped
from warpgraph.runtime import _routing
from warpgraph.runtime._routing import (
    Endpoint,
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
from warpgraph.runtime._segments import EventFuture, PendingSegment, Segment
from warpgraph.runtime._worklist import DistributedWorklist
from warpgraph.runtime._worklist_callbacks import Flags

if TYPE_CHECKING:
    from warpgraph._arguments import types

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

#: Kinds of items that segments may have: numbers, true and false.
_KINDS = "biufc"
_DEFAULT_PACKET = 1 << 20


class Context:
    """The runtime of one application: its endpoints, its data-flow graph, and one run of it.

    Parameters
    ----------
    devices : list of str
        An endpoint for each entry, with a thread of its own; equal entries make virtual endpoints
        on one device. ``"cuda:all"`` has one for each GPU.

    Attributes
    ----------
    endpoints : list of Endpoint
        In the order of `devices`.
    host : Endpoint
        The thread that calls `run`.

    Raises
    ------
    DeviceError
        A device is named that is not there.

    Examples
    --------
    >>> import warpgraph as wg
    >>> context = wg.runtime.Context(["cpu"])
    >>> context.run(lambda endpoint: print("on", endpoint), lambda: "from the host")
    on endpoint 0 (cpu)
    'from the host'
    """

    def __init__(self, devices: Sequence[str]) -> None:
        is_all = _device.is_named(devices, "cuda:all")
        names = devices if is_all else validate.items(devices, "devices", "devices")
        names = _device.endpoints(names, most=1)
        self._core = _core.runtime_context(names)
        self._policies: list[Callable[..., Sequence[Endpoint]]] = []
        self.endpoints = [Endpoint(self, i) for i in range(len(names))]
        self.host = Endpoint(self, len(names))

    def run(
        self,
        on_endpoint: Callable[[Endpoint], Any] | Mapping[Endpoint, Callable[[Endpoint], Any]],
        on_host: Callable[[], types.Result] | None = None,
    ) -> types.Result:
        """Run the application; return when all functions have returned.

        Parameters
        ----------
        on_endpoint : callable, or dict of callables
            ``on_endpoint(endpoint)`` is called on the thread of each endpoint; a dict has the
            function of each. When it returns, the endpoint's links are shut down.
        on_host : callable, optional
            Called without arguments on this thread.

        Returns
        -------
        object
            What `on_host` returns.

        Raises
        ------
        ValueError
            The data-flow graph is not complete, a policy names an endpoint that is not there, or
            the context has run already.
        RuntimeError
            No endpoint can continue, with a sentence that says who waits for whom; or a segment
            was sent but never received.

        Notes
        -----
        If a function raises an exception, the others end by `Stopped`, and this method raises that
        exception. So does Ctrl-C. A long call into another library is waited for, and so is
        `on_host`.
        """
        functions = self._functions(on_endpoint)
        if on_host is not None and not callable(on_host):
            raise TypeError(f"on_host must be a function, got {validate.shown(on_host)}")
        result: list[Any] = []

        def call_host() -> None:
            result.append(None if on_host is None else on_host())

        def call_endpoint(number: int) -> None:
            endpoint = self.endpoints[number]
            with _device.current(endpoint.device):
                functions[number](endpoint)

        self._core.run(call_endpoint, call_host)
        return cast("types.Result", result[0])

    def _functions(self, given: Any) -> list[Callable[[Endpoint], Any]]:
        if isinstance(given, Mapping):
            for key in given:
                if key not in self.endpoints:
                    shown = key if isinstance(key, Endpoint) else validate.shown(key)
                    raise ValueError(
                        f"on_endpoint has a function for {shown}, but its keys must be endpoints "
                        "of this context"
                    )
            missing = [e for e in self.endpoints if e not in given]
            if missing:
                raise ValueError(f"on_endpoint has no function for {missing[0]}")
            functions = [given[endpoint] for endpoint in self.endpoints]
        else:
            functions = [given] * len(self.endpoints)
        for function in functions:
            if not callable(function):
                raise TypeError(f"on_endpoint must be a function, got {validate.shown(function)}")
        return functions

    def _id(self, endpoint: Any, name: str) -> int:
        """Return the number of an endpoint of this context."""
        if isinstance(endpoint, Router):
            endpoint = endpoint.endpoint
        if not isinstance(endpoint, Endpoint):
            raise TypeError(
                f"{name} must be an endpoint or a router, got {validate.shown(endpoint)}"
            )
        if endpoint._context is not self:
            raise ValueError(f"{name} is {endpoint}, which belongs to another context")
        return endpoint.id


class Router:
    """Connects several endpoints; a policy decides which outputs a segment may go to.

    Parameters
    ----------
    context : Context
        The application's context.
    n_inputs, n_outputs : int
        Numbers of links that enter and leave.
    policy : RoutingPolicy, or callable
        A function ``policy(segment, source, outputs)`` returns the list of those outputs that
        `segment` may go to; of `segment`, it has the offset, the number of items and the metadata.
        It is called for each segment, on the thread that sends.
    name : str, optional
        What error messages call it.

    Raises
    ------
    ValueError
        It has no inputs or no outputs.

    Examples
    --------
    >>> import warpgraph as wg
    >>> context = wg.runtime.Context(["cpu"] * 2)
    >>> wg.runtime.Router(context, 1, 2, wg.runtime.scatter, name="deal")
    <Router: router 'deal'>
    """

    def __init__(
        self,
        context: Context,
        n_inputs: int,
        n_outputs: int,
        policy: RoutingPolicy | Callable[[Segment, Endpoint, list[Endpoint]], Sequence[Endpoint]],
        *,
        name: str = "",
    ) -> None:
        most = _device._MOST_THREADS
        n_inputs = validate.count(n_inputs, "n_inputs", least=1, most=most)
        n_outputs = validate.count(n_outputs, "n_outputs", least=1, most=most)
        if not isinstance(policy, RoutingPolicy):
            policy = RoutingPolicy("function", _routing.chooser(context, policy))
        given = policy._given_to_core(context)
        number = context._core.router(
            n_inputs, n_outputs, policy.name, given, policy._to_all, str(name)
        )
        self.endpoint = Endpoint(context, number)
        self._context = context

    def __repr__(self) -> str:
        return f"<Router: {self.endpoint.name}>"


class Link:
    """Connects a source with a destination, of which one may be a router.

    Iterating over a link yields the segments that arrive, until no more will come.

    Parameters
    ----------
    source, destination : Endpoint or Router
        Its ends.
    packet_size : int
        Most bytes of a segment.
    n_buffers : int
        Segments that the destination may hold at a time, 1 to 64.

    Raises
    ------
    ValueError
        The link is a loop or parallel to another one, both ends are routers, or a router has no
        place for it.

    Examples
    --------
    >>> import warpgraph as wg
    >>> context = wg.runtime.Context(["cpu"])
    >>> link = wg.runtime.Link(context.host, context.endpoints[0])
    >>> def feed():
    ...     link.send([1, 2, 3])
    ...     link.shutdown()
    >>> context.run(lambda endpoint: print(*(s.values for s in link)), feed)
    [1 2 3]
    """

    def __init__(
        self,
        source: Endpoint | Router,
        destination: Endpoint | Router,
        packet_size: int = _DEFAULT_PACKET,
        n_buffers: int = 2,
    ) -> None:
        context = getattr(source, "_context", None)
        if not isinstance(context, Context):
            raise TypeError(f"source must be an endpoint or a router, got {source!r}")
        self._context = context
        receiver = context._id(destination, "destination")
        self._receiver = Endpoint(context, receiver)
        self._core = context._core.link(
            context._id(source, "source"),
            receiver,
            validate.count(packet_size, "packet_size", least=1, most=2**62),
            validate.count(n_buffers, "n_buffers", least=1, most=64),
        )

    def send(
        self, values: npt.ArrayLike, metadata: int = 0, *, ready: EventFuture | None = None
    ) -> EventFuture:
        """Send an array; return at once.

        Parameters
        ----------
        values : array_like of numbers, or CUDA array
            The items, in one dimension. They must not change until they are delivered. Those of a
            CUDA array, such as CuPy's, are read after what is on its stream now.
        metadata : int
            Any number for the receiver.
        ready : EventFuture, optional
            The items are read after this event.

        Returns
        -------
        EventFuture
            The delivery of all items.
        """
        array: Any
        if hasattr(values, "__cuda_array_interface__"):
            cupy = _device.cupy("values in the memory of a device")
            array = cupy.ascontiguousarray(cupy.asarray(values))
        else:
            array = validate.in_place(validate.unmasked(values, "values"))
        if array.ndim != 1 or array.dtype.kind not in _KINDS or not array.dtype.isnative:
            raise TypeError(
                "values must be numbers in one dimension and in the machine's byte order, "
                f"got an array of shape {array.shape} and dtype {array.dtype}"
            )
        limit = 2**63 - 1
        number = validate.count(metadata, "metadata", least=-limit, most=limit)
        after = None if ready is None else ready._core
        return EventFuture(self._core.send(array, number, after))

    def shutdown(self) -> None:
        """Say that nothing more will be sent."""
        self._core.shutdown()

    def receive(self) -> PendingSegment | None:
        """Wait for the next segment and return it; None if no more will come.

        In a run, a wait that no endpoint can end is an error. Before it, another thread may send or
        begin the run, so the wait goes on until then, or until Ctrl-C.
        """
        core = self._core.receive()
        return None if core is None else PendingSegment(core, self._receiver)

    def __iter__(self) -> Iterator[Segment]:
        while (pending := self.receive()) is not None:
            yield pending.wait()
