"""Segments and events of wg.runtime."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from warpgraph import _core
from warpgraph.runtime._context import Endpoint


@dataclass(frozen=True, eq=False)  # arrays have no truth value
class Segment:
    """A part of a message, or all of it.

    Attributes
    ----------
    values : ndarray, or None for a routing policy
        The items; the array belongs to the receiver. On a GPU it is a CuPy array, which is filled
        on CuPy's current stream.
    offset : int
        Items of the message before this segment.
    n_items : int
        Number of items.
    metadata : int
        The number that the sender passed to `Link.send`.
    source : Endpoint
        The sender.

    Examples
    --------
    >>> from warpgraph import runtime
    >>> context = runtime.Context(["cpu"])
    >>> link = runtime.Link(context.host, context.endpoints[0], packet_size=16)
    >>> def show(endpoint):
    ...     for segment in link:
    ...         print(segment.offset, segment.values, segment.metadata)
    >>> def feed():
    ...     link.send([1.0, 2.0, 3.0], metadata=7)
    ...     link.shutdown()
    >>> context.run(show, feed)
    0 [1. 2.] 7
    2 [3.] 7
    """

    values: Any
    offset: int
    n_items: int
    metadata: int
    source: Endpoint


class EventFuture:
    """A handle on an event that one can test or wait for, such as the delivery of a message.

    Examples
    --------
    >>> from warpgraph import runtime
    >>> context = runtime.Context(["cpu"])
    >>> link = runtime.Link(context.host, context.endpoints[0])
    >>> def feed():
    ...     delivered = link.send([1, 2, 3])
    ...     delivered.wait()  # the array may change from here on
    ...     link.shutdown()
    ...     return delivered.is_complete()
    >>> context.run(lambda endpoint: list(link), feed)
    True
    """

    def __init__(self, core: _core.RuntimeEventFuture) -> None:
        self._core = core

    def is_complete(self) -> bool:
        """Return whether the event has happened."""
        return self._core.is_complete()

    def wait(self) -> None:
        """Wait for the event.

        Before a run, it waits until the event happens or Ctrl-C, since another thread may receive
        what was sent, or begin the run.

        Raises
        ------
        RuntimeError
            It will never happen: the run has failed, or no endpoint can end the wait.
        """
        self._core.wait()
