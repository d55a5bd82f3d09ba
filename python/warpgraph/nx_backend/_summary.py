"""nx_backend.summary: which functions of NetworkX ran where, for how long, and why.

NetworkX asks the backend before each call, but does not tell it which calls it runs itself. So when
the backend declines a function for the first time, that of NetworkX is wrapped: a call that the
backend has declined is counted when NetworkX runs it, and others pass through. All this takes less
than a microsecond for a call.
"""

from __future__ import annotations

import functools
import sys
import threading
from collections.abc import Callable, Generator
from time import perf_counter
from types import GeneratorType
from typing import Any, NamedTuple

import networkx as nx

#: Seconds of an item of a generator, to which a measurement adds little. When one takes less, the
#: others are not measured.
_LONG_ITEM = 2e-5

_WARPGRAPH, _NETWORKX = "warpgraph", "NetworkX"
_FAILED_BEFORE = "a conversion of the graph has failed before"
_LACKS = "the backend does not have it"


class Calls(NamedTuple):
    """The calls of one function of NetworkX that ran in one place.

    Attributes
    ----------
    function : str
        Its name.
    calls : int
        Their number.
    seconds : float
        The time that they took together, conversions of graphs and calls within included.
    ran_by : str
        "warpgraph" or "NetworkX".
    reason : str
        Why NetworkX ran the longest of them; empty for warpgraph.
    """

    function: str
    calls: int
    seconds: float
    ran_by: str
    reason: str


class Summary(tuple[Calls, ...]):
    """The rows of `summary`, which print as a table."""

    __slots__ = ()

    def __repr__(self) -> str:
        """Return a table of text, with a line for each row."""
        if not self:
            return "no function of NetworkX was offered to the backend warpgraph"
        rows = [
            (row.function, str(row.calls), f"{row.seconds:.4f}", row.ran_by, row.reason)
            for row in self
        ]
        widths = [max(map(len, column)) for column in zip(Calls._fields, *rows, strict=True)]
        lines = []
        for function, calls, seconds, ran_by, reason in (Calls._fields, *rows):
            numbers = f"{calls:>{widths[1]}}  {seconds:>{widths[2]}}"
            line = f"{function:<{widths[0]}}  {numbers}  {ran_by:<{widths[3]}}  {reason}"
            lines.append(line.replace("ran_by", "ran by").rstrip())
        return "\n".join(lines)


#: Calls of one function in one place: their number, seconds, those of the longest, and its reason.
_Row = list[Any]
#: The rows of all threads, each of which writes to its own, without a lock.
_all: list[dict[tuple[str, str], _Row]] = []


class _OfThread(threading.local):
    """Counts of a thread, and the reasons why NetworkX is to run what it will call next."""

    def __init__(self) -> None:
        self.rows: dict[tuple[str, str], _Row] = {}
        self.reasons: dict[str, str] = {}
        _all.append(self.rows)


_here = _OfThread()
_lock = threading.Lock()
#: Functions of NetworkX that are wrapped.
_watched: set[str] = set()


def summary() -> Summary:
    """Return what the backend knows of calls of NetworkX in this process, as a table.

    With ``WARPGRAPH_NX_SUMMARY=1`` in the environment, it is printed when the program ends.

    Returns
    -------
    tuple of Calls
        A row for each function and place, by decreasing seconds. It prints as a table; the fields
        of a row are ``function``, ``calls``, ``seconds``, ``ran_by`` and ``reason``.

    Notes
    -----
    Functions that NetworkX did not offer to the backend are missing: it offers those for which
    ``nx.config.backend_priority`` or ``backend=`` names it. A call that the backend declined is
    counted if NetworkX ran it. Generators are measured until an item takes less than 20
    microseconds, which is mostly the first one.

    Examples
    --------
    >>> import networkx as nx
    >>> import warpgraph as wg
    >>> ranks = nx.pagerank(nx.path_graph(30), backend="warpgraph")
    >>> ("pagerank", "warpgraph") in {row[:1] + row[3:4] for row in wg.nx_backend.summary()}
    True
    """
    total: dict[tuple[str, str], _Row] = {}
    for rows in _all.copy():
        for key, (calls, seconds, longest, reason) in rows.copy().items():
            row = total.setdefault(key, [0, 0.0, -1.0, ""])
            row[:2] = row[0] + calls, row[1] + seconds
            row[2:] = max(row[2:], [longest, reason])
    found = [
        Calls(function, calls, seconds, ran_by, reason)
        for (function, ran_by), (calls, seconds, _, reason) in total.items()
        if calls
    ]
    return Summary(sorted(found, key=lambda row: -row.seconds))


def _count(key: tuple[str, str], calls: int, seconds: float, reason: str = "") -> None:
    rows = _here.rows
    row = rows.get(key)
    if row is None:
        rows[key] = [calls, seconds, seconds, reason]
        return
    row[0] += calls
    row[1] += seconds
    if seconds > row[2]:
        row[2:] = seconds, reason


def counted(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of the backend that counts its calls."""
    name = function.__name__
    key = name, _WARPGRAPH

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        _here.reasons.pop(name, None)
        start = perf_counter()
        try:
            result = function(*args, **kwargs)
        except NotImplementedError as error:
            decline(name, str(error))
            raise
        except BaseException:
            _count(key, 1, perf_counter() - start)
            raise
        _count(key, 1, perf_counter() - start)
        return _measured(result, key) if type(result) is GeneratorType else result

    return call


def converting(convert: Callable[..., Any]) -> Callable[..., Any]:
    """Return the conversion of graphs, whose time is that of the function that needs it."""

    @functools.wraps(convert)
    def call(*args: Any, name: str | None = None, **kwargs: Any) -> Any:
        start = perf_counter()
        try:
            converted = convert(*args, name=name, **kwargs)
        except NotImplementedError as error:
            if name is not None:
                decline(name, str(error))
            raise
        if name is not None:
            _count((name, _WARPGRAPH), 0, perf_counter() - start)
        return converted

    return call


def decline(name: str, reason: str) -> None:
    """Note why NetworkX is to run a function: it is counted if this happens."""
    _here.reasons[name] = reason
    if name not in _watched:
        _watch(name)


def accept(name: str) -> None:
    """Note that the backend is to run a function, if NetworkX does not remember a failure."""
    if name in _watched:
        _here.reasons[name] = _FAILED_BEFORE


def lacks(name: str) -> None:
    """Note that the backend does not have a function of NetworkX that this has asked for."""
    decline(name, _LACKS)


def refuse_if_asked_for(name: str, reason: str) -> None:
    """Raise the reason why a call is declined that asks for this backend by ``backend=``.

    NetworkX would raise an error that does not have it. Two frames above the backend's function
    that is asked, the one that NetworkX dispatches calls in has the argument.
    """
    dispatcher = sys._getframe(2).f_back
    if dispatcher is not None and dispatcher.f_locals.get("backend") == _WARPGRAPH:
        raise NotImplementedError(f"the backend {_WARPGRAPH!r} does not run this {name}: {reason}")


def _watch(name: str) -> None:
    with _lock:
        if name in _watched:
            return
        _watched.add(name)
        # What dispatches the calls is wrapped in a function.
        dispatcher = nx.utils.backends._registered_algorithms[name].__wrapped__
        dispatcher.orig_func = _watching(name, dispatcher.orig_func)


def _watching(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    key = name, _NETWORKX

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        reason = _here.reasons.pop(name, None)
        if reason is None:
            return function(*args, **kwargs)
        start = perf_counter()
        try:
            result = function(*args, **kwargs)
        except NotImplementedError:  # NetworkX has the name only
            raise
        except BaseException:
            _count(key, 1, perf_counter() - start, reason)
            raise
        _count(key, 1, perf_counter() - start, reason)
        return _measured(result, key, reason) if type(result) is GeneratorType else result

    return call


def _measured(
    items: Generator[Any, Any, Any], key: tuple[str, str], reason: str = ""
) -> Generator[Any, Any, Any]:
    """Yield the items, and measure the time that they take."""
    seconds = 0.0
    try:
        while True:
            start = perf_counter()
            try:
                item = next(items)
            except StopIteration as end:
                return end.value
            finally:
                took = perf_counter() - start
                seconds += took
            yield item
            if took < _LONG_ITEM:
                return (yield from items)
    finally:
        _count(key, 0, seconds, reason)
