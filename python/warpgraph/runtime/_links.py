"""Links of `warpgraph.runtime`, and segments that they receive."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy.typing as npt

from warpgraph import _core
from warpgraph._arguments import device as _device, foreign, validate
from warpgraph.runtime._context import Context, Endpoint
from warpgraph.runtime._routing import Router
from warpgraph.runtime._segments import EventFuture, Segment

#: Kinds of items that segments may have: numbers, true and false.
_KINDS = "biufc"
_DEFAULT_PACKET = 1 << 20


class PendingSegment:
    """A segment that is being received; it has a buffer of its link until `wait` or `forward`.

    Examples
    --------
    >>> from warpgraph import runtime
    >>> context = runtime.Context(["cpu"] * 2)
    >>> first, second = context.endpoints
    >>> there = runtime.Link(context.host, first)
    >>> onwards = runtime.Link(first, second)
    >>> def pass_on(endpoint):
    ...     while (pending := there.receive()) is not None:
    ...         pending.forward(onwards)
    >>> def show(endpoint):
    ...     for segment in onwards:
    ...         print(endpoint, segment.values)
    >>> def feed():
    ...     there.send([1, 2])
    ...     there.shutdown()
    >>> context.run({first: pass_on, second: show}, feed)
    endpoint 1 (cpu) [1 2]
    """

    def __init__(self, core: _core.RuntimePendingSegment, receiver: Endpoint) -> None:
        self._core = core
        self._receiver = receiver
        self._segment: Segment | None = None

    def wait(self) -> Segment:
        """Wait until the data have arrived, and return them.

        On a GPU this returns at once; CuPy's current stream has the data.
        """
        if self._segment is None:
            source, offset, metadata = self._core.describe()
            sender = self._receiver._of_same_context(source)
            n = self._core.n_items()
            self._segment = Segment(self._values(n), offset, n, metadata, sender)
        return self._segment

    def _values(self, n: int) -> Any:
        if self._receiver.device == "cpu":
            return self._core.wait()
        cupy = _device.cupy("segments that endpoints on GPUs receive")
        values = cupy.empty(n, self._core.dtype())
        self._core.wait_into(values)
        return values

    def forward(self, link: Link) -> None:
        """Send the segment on over another link, from where it is; it cannot be waited for then."""
        if self._segment is not None:
            raise ValueError("the segment was waited for already; send its values")
        self._core.forward(link._core)


class Link:
    """Connects a source with a destination, of which one may be a router.

    Iterating over a link yields the segments that arrive, until no more will come.

    Parameters
    ----------
    source, destination : Endpoint or Router
        Its ends.
    packet_size : int
        Most bytes of a segment.
    n_buffers : int, optional
        Segments that the destination may hold at a time, 1 to 64. By default as many as keep the
        link busy, see the notes.

    Raises
    ------
    ValueError
        The link is a loop or parallel to another one, both ends are routers, or a router has no
        place for it.

    Notes
    -----
    While an endpoint on a GPU works on one buffer, another one is filled; and packets are claimed
    as long before their data arrive as the latency of the link is. So by default a link has two
    buffers, and as many more as it carries packets within its latency. On H200s, that is 10.1
    microseconds between GPUs, at 394 GB/s, and 9.1 microseconds between a GPU and the host, at 55
    GB/s; a packet takes at least the 4.2 microseconds of the calls to the driver. With packets of
    1 MB, a link has 4 and 2 buffers. Links between endpoints on the host have two: the receiver
    copies when it waits. A link with a router counts as one to a device like that of its other end.

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
        n_buffers: int | None = None,
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
            None if n_buffers is None else validate.count(n_buffers, "n_buffers", least=1, most=64),
        )

    @property
    def n_buffers(self) -> int:
        """Segments that the destination may hold at a time."""
        return self._core.n_buffers

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
        if foreign.is_on_device(values):
            cupy = _device.cupy("values in the memory of a device")
            array = cupy.ascontiguousarray(cupy.asarray(foreign.view(values)))
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
