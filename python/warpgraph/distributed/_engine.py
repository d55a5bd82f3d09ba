"""The protocol of engines, and the tasks of one call."""

from __future__ import annotations

import errno
import os
import socket
import threading
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from itertools import zip_longest
from types import TracebackType
from typing import Any, NamedTuple, Protocol

from warpgraph import _core
from warpgraph._arguments import device as _device, validate

#: A result that an engine keeps on its workers: a future of Dask, an object reference of Ray.
Handle = Any
#: A collection of an engine: a Dask DataFrame, a Ray Dataset. These packages are optional, so type
#: checkers see neither.
Collection = Any


class Engine(Protocol):
    """A system that runs tasks on workers and keeps their results there.

    Tasks are functions of their arguments alone, so an engine may run one again after a worker
    died, and the results are the same. The adapters are `LocalEngine`, `warpgraph.dask.DaskEngine`
    and `warpgraph.ray.RayEngine`; another needs these members and no base class.

    Attributes
    ----------
    slots : int
        Number of tasks that run at a time.
    memory_limit : int
        Bytes that one task may take; 0 if that is not known.

    Examples
    --------
    >>> import warpgraph as wg
    >>> engine: wg.distributed.Engine = wg.distributed.LocalEngine(2)
    >>> engine.gather([engine.submit(max, 3, 5)])
    [5]
    """

    @property
    def slots(self) -> int:
        """Number of tasks that run at a time."""

    @property
    def memory_limit(self) -> int:
        """Bytes that one task may take; 0 if that is not known."""

    def submit(
        self, function: Callable[..., Any], *arguments: Any, pieces: int = 1, place: str = ""
    ) -> Handle:
        """Start a task; arguments that are handles are replaced by the results that they stand for.

        Returns a handle; with ``pieces`` above 1 a list of as many, one for each item of the
        sequence that `function` returns. The task runs at `place` if possible: see `place`.
        """

    def wait(self, handles: Sequence[Handle]) -> tuple[list[Handle], list[Handle]]:
        """Return (finished, others) once one has finished; raise the error of one that failed."""

    def place(self, handle: Handle) -> str:
        """Return where the result of a finished task lies: results of equal texts share memory."""

    def gather(self, handles: Sequence[Handle]) -> list[Any]:
        """Return the results."""

    def cancel(self, handles: Sequence[Handle]) -> None:
        """Do not start these tasks, and stop those that run where the engine can."""

    def collection(self, handles: Sequence[Handle], dtypes: dict[str, Any]) -> Collection:
        """Return a collection of the engine with a partition for each handle.

        Each result is a dictionary of arrays of equal length: columns of these names and dtypes.
        """


#: Steps of a chain of tasks that are started before the first of them has ended.
_STEPS_AHEAD = 4


class _Task(NamedTuple):
    """A task that may not have ended: the handles of its results, and the tasks that it needs."""

    handles: list[Handle]
    needed: list[_Task]


class Tasks:
    """The tasks of one call, which are cancelled if it ends by an error or Ctrl-C.

    It refers to the results of tasks that may not have ended. When a task has ended, so have all
    tasks that it needed, and the engine can drop their results if nothing else refers to them.
    """

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._unfinished: dict[int, _Task] = {}

    def __enter__(self) -> Tasks:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        if error is not None:
            tasks = {id(task): task for task in self._unfinished.values()}
            self.engine.cancel([handle for task in tasks.values() for handle in task.handles])
        self._unfinished.clear()

    def submit(
        self, function: Callable[..., Any], *arguments: Any, pieces: int = 1, place: str = ""
    ) -> Any:
        """Start a task as `Engine.submit` does."""
        if pieces == 1:
            handle = self.engine.submit(function, *arguments, place=place)
            self._remember([handle], arguments)
            return handle
        made = self.engine.submit(function, *arguments, pieces=pieces)
        self._remember(list(made), arguments)
        return made

    def _remember(self, handles: list[Handle], arguments: Iterable[Any]) -> None:
        known = (self._unfinished.get(id(argument)) for argument in arguments)
        task = _Task(handles, [needed for needed in known if needed is not None])
        self._unfinished.update((id(handle), task) for handle in handles)

    def split(self, function: Callable[..., Any], *arguments: Any, pieces: int) -> list[Handle]:
        """Start a task that returns a sequence; return a handle for each of its items."""
        if pieces == 1:
            return [self.submit(_only, function, *arguments)]
        made: list[Handle] = self.submit(function, *arguments, pieces=pieces)
        return made

    def wait(self, handles: Sequence[Handle]) -> tuple[list[Handle], list[Handle]]:
        """Return (finished, others) as soon as one has finished."""
        finished, others = self.engine.wait(handles)
        self.forget(finished)
        return finished, others

    def gather(self, handles: Sequence[Handle]) -> list[Any]:
        """Return the results, as soon as all are there or one is an error."""
        others = list(handles)
        while others:
            _, others = self.wait(others)
        return self.engine.gather(handles)

    def chain(
        self, starts: Sequence[Handle], steps: Sequence[Sequence[Callable[[Handle], Handle]]]
    ) -> list[Handle]:
        """Run chains of tasks, and return the last handle of each.

        A step starts a task on the result of the step before. Steps start when most of those before
        have finished, so that the engine keeps few results at a time.
        """
        last, ahead = list(starts), deque[list[Handle]]()
        for started in zip_longest(*steps):
            for i, step in enumerate(started):
                if step is not None:
                    last[i] = step(last[i])
            ahead.append([last[i] for i, step in enumerate(started) if step is not None])
            if len(ahead) > _STEPS_AHEAD:
                self.finish(ahead.popleft())
        return last

    def finish(self, handles: Sequence[Handle]) -> list[Handle]:
        """Return the handles when all have finished."""
        others = list(handles)
        while others:
            _, others = self.wait(others)
        return list(handles)

    def forget(self, handles: Iterable[Handle]) -> None:
        """Let the engine drop these results and those that their tasks needed.

        The tasks must have ended. Results to which something else refers are not dropped.
        """
        ended = [self._unfinished[id(h)] for h in handles if id(h) in self._unfinished]
        while ended:
            task = ended.pop()
            for handle in task.handles:
                self._unfinished.pop(id(handle), None)
            ended += task.needed
            task.handles.clear()
            task.needed.clear()

    def merge(
        self, handles: list[Handle], function: Callable[..., Any], arity: int, *options: Any
    ) -> Handle:
        """Return the handle of all results merged by ``function(*options, *results)``.

        At most `arity` results are merged at a time, in the order in which they finish: so the
        function must be associative and commutative. Results that share memory are merged first.
        Then one result a place is left, and ``places - 1`` results move from one to another.
        The list of handles is emptied, so that the engine can drop what has been merged.
        """
        running, ready = handles[:], dict[str, list[Handle]]()
        handles.clear()
        while True:
            if running:
                finished, running = self.wait(running)
                while finished:
                    ready.setdefault(self.engine.place(finished[-1]), []).append(finished.pop())
            groups = _groups(ready, arity, is_last=not running)
            if not groups and not running:
                return next(group[0] for group in ready.values() if group)
            while groups:
                place, group = groups.pop()
                running.append(self.submit(function, *options, *group, place=place))
                del group


def _groups(
    ready: dict[str, list[Handle]], arity: int, *, is_last: bool
) -> list[tuple[str, list[Handle]]]:
    """Take groups of results that are merged next out of `ready`, a list for each place.

    Returns where to merge them, and the groups.

    is_last: whether no task runs, so that no place gets another result by waiting.
    """
    groups: list[tuple[str, list[Handle]]] = []
    for place, group in ready.items():
        while len(group) >= (2 if is_last else arity):
            groups.append((place, group[:arity]))
            del group[:arity]
    if is_last and not groups:
        left = [(place, handle) for place, group in ready.items() for handle in group]
        ready.clear()
        for i in range(0, len(left), arity):
            part = left[i : i + arity]
            groups.append((part[0][0], [handle for _, handle in part]))
        if len(groups[-1][1]) == 1:  # a single result has nothing to be merged with yet
            ready.update([groups.pop()])
    return groups


def _only(function: Callable[..., Any], *arguments: Any) -> Any:
    """Return the single item of the sequence that a function returns."""
    (item,) = function(*arguments)
    return item


def run_task(threads: int, function: Callable[..., Any], *arguments: Any) -> Any:
    """Run a task on a worker, on this number of threads (0: as many as are set).

    Of several GPUs, "auto" and "cuda" mean the one of `gpu_of_thread`.
    """
    if threads and _core.num_threads() != threads:
        _core.set_num_threads(threads)
    with _device.gpus_chosen_by(gpu_of_thread):
        return function(*arguments)


#: Beginning of the names of claims, the same for all processes of a user on a host.
_CLAIMS = f"warpgraph-{os.getuid()}"


class _Name:
    """A name that only one process can have: a Unix socket's, which is no file.

    The system frees it when the process ends, at the latest.
    """

    def __init__(self, text: str) -> None:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as bound:
            bound.bind(f"\0{text}")
            self._descriptor = bound.detach()

    def __del__(self) -> None:
        if hasattr(self, "_descriptor"):
            os.close(self._descriptor)


class _Claim(threading.local):
    """The number of a thread among those of its host that run tasks on GPUs."""

    number = 0
    held: _Name | None = None

    def take(self) -> int:
        """Return the number: at first the smallest that no other thread of the host has."""
        while self.held is None:
            try:
                self.held = _Name(f"{_CLAIMS}-{self.number}")
            except OSError as error:
                if error.errno != errno.EADDRINUSE:
                    raise
                self.number += 1
        return self.number


_claim = _Claim()


def gpu_of_thread(count: int) -> int:
    """Return which of `count` GPUs the tasks of this thread use: each has about as many threads."""
    return _claim.take() % count if count > 1 else 0


def check_arity(arity: Any) -> int:
    """Return the number of results to merge at a time."""
    return validate.count(arity, "arity", least=2, most=1 << 20)
