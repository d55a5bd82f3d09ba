"""Work items that the endpoints of a context process and pass on, in arrays."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from warpgraph import _core
from warpgraph._arguments import device as _device, validate
from warpgraph.runtime import _routing, _worklist_paths
from warpgraph.runtime._context import Context, Endpoint
from warpgraph.runtime._worklist_callbacks import (
    Array,
    Callbacks,
    Flags,
    checked,
    item_dtype,
    module_of,
    require_numbers,
)

_LIMITS = np.iinfo(np.int64)
_LARGEST_SIZE = 2**62


class DistributedWorklist:
    """Work items that several endpoints process, and whose processing makes new ones.

    Each worker repeats: it divides what has arrived into items that it keeps and items that it
    passes on, processes a batch of those that it has kept, and divides what the batch has made. The
    worklist ends when no item is left anywhere. Items are entries of NumPy arrays, and callbacks
    get arrays, never empty ones.

    Parameters
    ----------
    source : Endpoint
        Who sends the first items, as a rule ``context.host``. It must not be a worker.
    workers : list of Endpoint
        Who processes items. The callbacks know workers by their ranks, their indices in this list.
        Those on GPUs get CuPy arrays.
    dtype : dtype
        Type of the items, often a structured one. With workers on GPUs it must be a type of
        numbers, since CuPy has no structured ones, and so must `remote_dtype`.
    process : callable
        ``process(worker, items)`` processes a batch and returns an array of new items, or None.
    owner : callable, optional
        ``owner(items)`` returns the rank of the worker to which each item belongs.
    on_send, on_receive : callable, optional
        ``on_send(worker, items)`` returns `Flags` for each new item, ``on_receive(worker, items)``
        for each item that has arrived, as it travels. By default a worker keeps what it owns and
        passes on the rest.
    pack, unpack : callable, optional
        ``pack(items)`` returns items as they travel, of `remote_dtype`, and ``unpack(items)`` the
        opposite. By default items travel as they are.
    remote_dtype : dtype, optional
        By default `dtype`.
    priority : callable, optional
        ``priority(items)`` returns an integer for each item; smaller is more urgent. Items beyond a
        threshold, on which all workers agree, are deferred until no others are left; then the
        threshold rises to the most urgent of them, and by `step` at least.
    first_threshold, step : int
        The threshold at the beginning, and by how much it rises at least.
    policy : RoutingPolicy
        `all_to_all` sends what is passed on to its owner, `ring` to the next worker, which decides
        by `on_receive`.
    batch : int
        Most items that are processed between two looks at what has arrived.
    packet_size : int
        Most bytes that are received at a time.

    Raises
    ------
    TypeError
        A callback is not callable, or `dtype` has Python objects in it.
    ValueError
        The source is on a GPU, a worker is named twice, or callbacks are missing.
    ImportError
        A worker is on a GPU, and CuPy is not installed.

    Notes
    -----
    Workers call the callbacks on their own threads, several at a time, with the GIL: several cores
    are used where NumPy releases it. Workers that wait do not hold it.

    A callback of a worker on a GPU gets CuPy arrays on its device, and returns such arrays; `owner`
    and `pack` get NumPy arrays of the first items from the source, too. Items stay on GPUs: they
    travel from one to another directly. But the host waits for the numbers of items that are kept
    and passed on, so a batch should have many. `shortest_paths` is an application in C++ without
    such waits: ``warpgraph::runtime::DeviceWorklist``.

    Examples
    --------
    Numbers at most 10 that 1 leads to by steps of 2 and 3; a number belongs to the worker of its
    remainder by division by 2:

    >>> import numpy as np
    >>> from warpgraph import runtime
    >>> found = [set(), set()]
    >>> def step(worker, items):
    ...     new = np.setdiff1d(items, list(found[worker]))
    ...     found[worker].update(new.tolist())
    ...     made = np.concatenate([new + 2, new + 3])
    ...     return made[made <= 10]
    >>> context = runtime.Context(["cpu"] * 2)
    >>> worklist = runtime.DistributedWorklist(
    ...     context.host, context.endpoints, np.int64, step, owner=lambda items: items % 2
    ... )
    >>> context.run(worklist.work, lambda: worklist.start(np.array([1])))
    >>> print(sorted(found[0]), sorted(found[1]))
    [4, 6, 8, 10] [1, 3, 5, 7, 9]
    """

    def __init__(
        self,
        source: Endpoint,
        workers: Sequence[Endpoint],
        dtype: npt.DTypeLike,
        process: Callable[[int, Array], Array | None],
        *,
        owner: Callable[[Array], Array] | None = None,
        on_send: Callable[[int, Array], Array] | None = None,
        on_receive: Callable[[int, Array], Array] | None = None,
        pack: Callable[[Array], Array] | None = None,
        unpack: Callable[[Array], Array] | None = None,
        remote_dtype: npt.DTypeLike | None = None,
        priority: Callable[[Array], Array] | None = None,
        first_threshold: int = 0,
        step: int = 0,
        policy: _routing.RoutingPolicy = _routing.all_to_all,
        batch: int = 1 << 16,
        packet_size: int = 1 << 20,
    ) -> None:
        context = getattr(source, "_context", None)
        if context is None:
            raise TypeError(f"source must be an endpoint, got {validate.shown(source)}")
        _require_thread(context, source, "source")
        if source.device != "cpu":
            raise ValueError(f"source is {source}, but the first items come from the host")
        endpoints = _workers(context, workers, source)
        items = item_dtype(dtype, "dtype")
        remote = items if remote_dtype is None else item_dtype(remote_dtype, "remote_dtype")
        if any(endpoint.device != "cpu" for endpoint in endpoints):
            require_numbers(items, "dtype")
            require_numbers(remote, "remote_dtype")
            _device.cupy("items of workers on GPUs")
        given: dict[str, Callable[..., Any] | None] = {
            "process": process,
            "owner": owner,
            "on_send": on_send,
            "on_receive": on_receive,
            "pack": pack,
            "unpack": unpack,
            "priority": priority,
        }
        functions = {name: callback for name, callback in given.items() if callback is not None}
        self._callbacks = Callbacks(len(endpoints), items, remote, functions)
        self._goes_round = _goes_round(policy)
        self._callbacks.require_complete(self._goes_round)
        self._batch = validate.positive(batch, "batch")
        threshold = validate.count(
            first_threshold, "first_threshold", least=_LIMITS.min, most=_LIMITS.max
        )
        rise = validate.count(step, "step", most=_LIMITS.max)
        packet = validate.count(
            packet_size, "packet_size", least=remote.itemsize, most=_LARGEST_SIZE
        )
        self._connect(context, source, endpoints, policy, packet)
        inboxes = [worker.inbox for worker in self._workers]
        self._core = _core.runtime_worklist(context._core, inboxes, threshold, rise)
        for worker in self._workers:
            worker.threshold = threshold
        self._started = False

    def start(self, seeds: Array) -> None:
        """Send the first items; the source calls it once.

        Parameters
        ----------
        seeds : ndarray of the dtype of items
            There may be none.

        Raises
        ------
        RuntimeError
            It was called before: a worklist ends once.
        """
        if self._started:
            raise RuntimeError("start was called before: a worklist starts and ends once")
        self._started = True
        items = np.array(checked(seeds, "seeds", self._callbacks.dtype), order="C")
        self._core.settle(len(items))
        self._send(self._seeds, items, 0)
        self._core.settle(-1)

    def work(self, endpoint: Endpoint) -> None:
        """Process items until the worklist ends; each worker calls it on its thread.

        Parameters
        ----------
        endpoint : Endpoint
            The worker.

        Raises
        ------
        ValueError
            The endpoint is not a worker, or a callback returns a wrong value.
        TypeError
            A callback returns an array of a wrong dtype, or no array.
        """
        worker = next((w for w in self._workers if w.endpoint == endpoint), None)
        if worker is None:
            raise ValueError(
                f"{validate.shown(endpoint)} is not one of the workers of the worklist"
            )
        while True:
            for visits, items in self._arrived(worker).items():
                self._split_receive(worker, _joined(items), visits)
            present = self._core.round()
            if present is None:
                return
            if present != worker.round:
                self._begin_round(worker, present)
            if not self._process_batch(worker):
                self._core.wait(worker.rank, worker.round)

    shortest_paths = staticmethod(_worklist_paths.shortest_paths)

    def _connect(
        self,
        context: Context,
        source: Endpoint,
        endpoints: list[Endpoint],
        policy: _routing.RoutingPolicy,
        packet: int,
    ) -> None:
        """Add a router and its links to the context."""
        core, n = context._core, len(endpoints)
        origin = context._id(source, "source")
        router = core.router(n + 1, n, policy.name, policy._given, policy._to_all, "worklist")
        self._seeds = core.link(origin, router, packet, 1)
        self._workers = [
            _Worker(
                rank,
                endpoint,
                core.link(router, endpoint.id, packet, 1 if endpoint.device == "cpu" else None),
                core.link(endpoint.id, router, packet, 1),
            )
            for rank, endpoint in enumerate(endpoints)
        ]

    def _arrived(self, worker: _Worker) -> dict[int, list[Array]]:
        """Receive what is there, by the number of workers that have passed it on."""
        arrived: dict[int, list[Array]] = {}
        receive = self._receive if worker.endpoint.device == "cpu" else self._receive_on_gpu
        while (received := receive(worker)) is not None:
            items, visits = received
            arrived.setdefault(visits if self._goes_round else 0, []).append(items)
        return arrived

    def _receive(self, worker: _Worker) -> tuple[Array, int] | None:
        """Return the next items that have arrived, and their metadata. Does not wait."""
        return self._core.receive(worker.rank, self._callbacks.remote_dtype)

    def _receive_on_gpu(self, worker: _Worker) -> tuple[Array, int] | None:
        segment = worker.inbox.try_receive()
        if segment is None:
            return None
        cupy = _device.cupy("items of workers on GPUs")
        items = cupy.empty(segment.n_items(), self._callbacks.remote_dtype)
        segment.wait_into(items)
        return items, segment.describe()[2]

    def _split_receive(self, worker: _Worker, remote: Array, visits: int) -> None:
        """Keep items that have arrived, or pass them on."""
        if not self._goes_round and "on_receive" not in self._callbacks:
            flags = module_of(remote).full(len(remote), int(Flags.KEEP))
        else:
            flags = self._callbacks.on_receive(worker.rank, remote)
        passed = remote[(flags & int(Flags.PASS)) != 0]
        if len(passed):
            self._require_way_on(worker, passed[0], visits + 1)
        kept = self._callbacks.unpack(remote[(flags & int(Flags.KEEP)) != 0])
        active = self._keep(worker, kept)
        self._core.settle(len(passed) + active - len(remote))
        self._send_packed(worker.out, passed, visits + 1)

    def _require_way_on(self, worker: _Worker, item: Any, visits: int) -> None:
        """Refuse to pass on an item that no other worker may get."""
        if self._goes_round and visits < len(self._workers):
            return
        where = "every worker has seen it" if self._goes_round else "it has reached its owner"
        raise ValueError(
            f"{worker.endpoint} passes on the item {validate.shown(item.item())} after {where}: "
            "on_receive must keep or drop it"
        )

    def _process_batch(self, worker: _Worker) -> bool:
        """Process items of the queue and divide what they make; False if the queue is empty."""
        batch = worker.take(self._batch)
        if len(batch) == 0:
            return False
        n = len(batch)
        made = self._callbacks.process(worker.rank, batch)
        flags = self._callbacks.on_send(worker.rank, made)
        passed = made[(flags & int(Flags.PASS)) != 0]
        active = self._keep(worker, made[(flags & int(Flags.KEEP)) != 0])
        # New items are counted before others can see them.
        self._core.settle(len(passed) + active - n)
        self._send(worker.out, passed, 0)
        return True

    def _keep(self, worker: _Worker, items: Array) -> int:
        """Queue items, or defer them; return how many are active."""
        if "priority" not in self._callbacks:
            worker.append(items)
            return len(items)
        return self._by_threshold(worker, items, self._callbacks.priority(items))

    def _by_threshold(self, worker: _Worker, items: Array, priorities: Array) -> int:
        urgent = priorities <= worker.threshold
        worker.append(items[urgent])
        if not urgent.all():
            worker.defer(items[~urgent], priorities[~urgent])
            self._core.set_deferred(worker.rank, worker.n_deferred, worker.most_urgent)
        return int(urgent.sum())

    def _begin_round(self, worker: _Worker, present: int) -> None:
        """Queue deferred items that are within the new threshold, and settle the round's token."""
        worker.round = present
        worker.threshold = self._core.threshold()
        parts = worker.take_deferred()
        self._core.set_deferred(worker.rank, 0, _LIMITS.max)
        moved = sum(self._by_threshold(worker, items, urgency) for items, urgency in parts)
        self._core.settle(moved - 1)

    def _send(self, link: _core.RuntimeLink, items: Array, visits: int) -> None:
        """Send items to their owners, or to the next worker."""
        if self._goes_round:
            self._send_packed(link, self._callbacks.pack(items), visits)
            return
        xp = module_of(items)
        ranks = self._callbacks.owner(items)
        # CuPy's sort is stable, and older versions have no argument for that.
        order = xp.argsort(ranks, **({"kind": "stable"} if xp is np else {}))
        packed = self._callbacks.pack(items)[order]
        ends = xp.searchsorted(ranks[order], xp.arange(len(self._workers) + 1)).tolist()
        for rank in range(len(self._workers)):
            self._send_packed(link, packed[ends[rank] : ends[rank + 1]], rank)

    def _send_packed(self, link: _core.RuntimeLink, packed: Array, metadata: int) -> None:
        """Send items with the receiver's rank, or with how many workers have passed them on."""
        if len(packed):
            link.send(packed, metadata, None)


@dataclass
class _Worker:
    """The links and the items of one worker."""

    rank: int
    endpoint: Endpoint
    inbox: _core.RuntimeLink
    out: _core.RuntimeLink
    queue: deque[Array] = field(default_factory=deque)
    deferred: list[tuple[Array, Array]] = field(default_factory=list)  # with their priorities
    n_deferred: int = 0
    most_urgent: int = _LIMITS.max
    round: int = 0
    threshold: int = 0

    def append(self, items: Array) -> None:
        if len(items):
            self.queue.append(items)

    def take(self, most: int) -> Array:
        """Remove and return the first items of the queue."""
        parts: list[Array] = []
        while self.queue and most > 0:
            part = self.queue.popleft()
            if len(part) > most:
                self.queue.appendleft(part[most:])
            parts.append(part[:most])
            most -= len(parts[-1])
        return _joined(parts)

    def defer(self, items: Array, priorities: Array) -> None:
        self.deferred.append((items, priorities))
        self.n_deferred += len(items)
        self.most_urgent = min(self.most_urgent, int(priorities.min()))

    def take_deferred(self) -> list[tuple[Array, Array]]:
        """Remove and return all deferred items."""
        parts, self.deferred = self.deferred, []
        self.n_deferred, self.most_urgent = 0, _LIMITS.max
        return parts


def _joined(parts: list[Array]) -> Array:
    """Concatenate arrays of one dtype, which keeps its padding."""
    if len(parts) == 1:
        return parts[0]
    if not parts:
        return np.empty(0)
    xp = module_of(parts[0])
    joined: Array = xp.concatenate(parts, **({"dtype": parts[0].dtype} if xp is np else {}))
    return joined


def _goes_round(policy: Any) -> bool:
    """Return whether items travel round a ring, instead of directly to their owners."""
    if policy == _routing.ring:
        return True
    if policy != _routing.all_to_all:
        raise ValueError(f"policy must be all_to_all or ring, got {validate.shown(policy)}")
    return False


def _workers(context: Context, given: Any, source: Endpoint) -> list[Endpoint]:
    """Return the workers if they are different endpoints, without the source."""
    endpoints: list[Endpoint] = validate.items(given, "workers", "endpoints")
    if not endpoints:
        raise ValueError("workers is an empty list; name at least one endpoint")
    for i, endpoint in enumerate(endpoints):
        _require_thread(context, endpoint, f"workers[{i}]")
        if endpoint in endpoints[:i]:
            raise ValueError(f"workers names {endpoint} twice")
        if endpoint == source:
            raise ValueError(f"{endpoint} is the source and cannot be a worker, too")
    return endpoints


def _require_thread(context: Context, endpoint: Any, name: str) -> None:
    """Require an endpoint of the context that is no router."""
    number = context._id(endpoint, name)
    if endpoint not in (*context.endpoints, context.host):
        raise ValueError(f"{name} is {context._core.name(number)}, which has no thread")
