"""LocalEngine: threads of this process as workers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Any

from warpgraph._arguments import validate
from warpgraph.distributed._engine import Handle, run_task


class LocalEngine:
    """Threads of this process as workers, for graphs that one machine holds, and for tests.

    Parameters
    ----------
    slots : int
        Number of tasks that run at a time.
    memory_limit : int, float or str, optional
        Bytes that a task may take, or a size such as "2GB". By default, all free memory.

    Notes
    -----
    Results stay in the memory of the process. For graphs that fit there, the functions of
    `warpgraph` itself are faster.

    Examples
    --------
    >>> import warpgraph as wg
    >>> engine = wg.distributed.LocalEngine(2)
    >>> edges = wg.distributed.graph([([0, 1], [1, 2]), ([3], [4])], engine, weight=None)
    >>> wg.distributed.connected_components(edges).gather()
    array([0, 0, 0, 1, 1], dtype=int32)
    """

    def __init__(self, slots: int = 2, *, memory_limit: validate.MemoryLimitLike = None) -> None:
        self.slots = validate.count(slots, "slots", least=1, most=1 << 16)
        self.memory_limit = validate.memory_limit(memory_limit)
        self._pool = ThreadPoolExecutor(self.slots, thread_name_prefix="warpgraph")

    def submit(
        self, function: Callable[..., Any], *arguments: Any, pieces: int = 1, place: str = ""
    ) -> Handle:
        """Start a task."""
        # Tasks start in the order in which they were submitted, so those that a task waits for run
        # or have finished.
        whole = self._pool.submit(_call, function, arguments)
        if pieces == 1:
            return whole
        return [self._pool.submit(_call, _item, (whole, i)) for i in range(pieces)]

    def wait(self, handles: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        """Return (finished, others) as soon as one has finished; raise the error of one."""
        done = wait(handles, return_when=FIRST_COMPLETED).done
        for handle in done:
            handle.result()
        return [h for h in handles if h in done], [h for h in handles if h not in done]

    def place(self, handle: Handle) -> str:
        """Return where a result lies: here."""
        return "here"

    def gather(self, handles: Sequence[Any]) -> list[Any]:
        """Return the results."""
        return [handle.result() for handle in handles]

    def cancel(self, handles: Sequence[Any]) -> None:
        """Do not start these tasks."""
        for handle in handles:
            handle.cancel()

    def collection(self, handles: Sequence[Any], dtypes: dict[str, Any]) -> list[dict[str, Any]]:
        """Return a list of the results, dictionaries of arrays."""
        return self.gather(handles)


def _call(function: Callable[..., Any], arguments: Sequence[Any]) -> Any:
    return run_task(0, function, *(a.result() if isinstance(a, Future) else a for a in arguments))


def _item(items: Sequence[Any], i: int) -> Any:
    return items[i]
