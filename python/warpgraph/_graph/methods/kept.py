"""Data that a graph keeps between calls: methods of wg.Graph."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from warpgraph._graph.protocol import Graph

#: The `Planning` of the calls in this thread that are planned only; None: calls run.
planning: ContextVar[Any] = ContextVar("planning", default=None)


def ends_call() -> bool:
    """Return whether a call in this thread is planned only: it makes and keeps nothing."""
    return planning.get() is not None


def derive(graph: Graph, key: str, make: Callable[[], Any]) -> Any:
    """Return the result of `make`, called once for each `key` until clear().

    Objects with ``nbytes``, and tuples of them, count in `nbytes`.
    """
    with graph._locked():
        if key not in graph._derived:
            if ends_call():
                return make()
            graph._derived[key] = make()
        return graph._derived[key]


def forget(graph: Graph, beginning: str) -> None:
    """Drop what `derive` keeps under keys with this beginning."""
    with graph._locked():
        for key in [key for key in graph._derived if key.startswith(beginning)]:
            del graph._derived[key]


def known_keys(graph: Graph, beginning: str) -> list[str]:
    """Return the keys with this beginning under which `derive` keeps values."""
    with graph._locked():
        return [key for key in graph._derived if key.startswith(beginning)]


def known(graph: Graph, key: str) -> Any:
    """Return the value that `derive` keeps under `key`, or None."""
    with graph._locked():
        return graph._derived.get(key)
