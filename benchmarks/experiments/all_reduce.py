"""All-reduce over the runtime's links, which article 004 lists among its collective operations.

Cases of bench_runtime.py --suite seed-004. Each endpoint has an array, and gets the sum of all. In
a ring, an array is divided into as many chunks as there are endpoints. Each chunk goes round once,
where each endpoint adds its own, then again, complete. So each endpoint sends less than two arrays,
whatever their number is. The rivals send whole arrays to the host, which adds them up and sends the
sum to all, one after the other or by the policy broadcast.

The application is in Python: endpoints on GPUs add up CuPy arrays.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import warpgraph as wg
from benchmarks.harness import Case, Input, Timed

NAME = "all-reduce of "
RING, HOST, POLICY = "ring of links", "sum by the host", "sum by the host, policy broadcast"
#: Bytes of a segment.
PACKET = 4 << 20
#: Bytes of an array, by what the case says of them.
SIZES = {"1 MB": 1 << 20, "64 MB": 1 << 26}

Arrays = list[Any]


def arrays_of(n_endpoints: int, n_bytes: int) -> Arrays:
    """Return an array for each endpoint, of whole numbers, whose sums are exact."""
    rng = np.random.default_rng(n_endpoints)
    return [rng.integers(0, 1000, n_bytes // 8).astype(np.float64) for _ in range(n_endpoints)]


def chunks(values: Any, n: int) -> Arrays:
    """Return views of n parts of an array, of about the same length."""
    cuts = [len(values) * i // n for i in range(n + 1)]
    return [values[cuts[i] : cuts[i + 1]] for i in range(n)]


def receive_into(link: wg.runtime.Link, chunk: Any, *, adds: bool) -> None:
    """Take a chunk's segments, which arrive in order."""
    at = 0
    while at < len(chunk):
        pending = link.receive()
        if pending is None:
            raise RuntimeError(f"{len(chunk) - at} items of a chunk are missing")
        values = pending.wait().values
        place = chunk[at : at + len(values)]
        if adds:
            place += values
        else:
            place[:] = values
        at += len(values)


def over_ring(context: wg.runtime.Context, arrays: Arrays) -> Arrays:
    """Replace each array by the sum of all; a chunk has passed all endpoints after n - 1 steps."""
    endpoints = context.endpoints
    n = len(endpoints)
    links = [
        wg.runtime.Link(endpoint, endpoints[(i + 1) % n], packet_size=PACKET)
        for i, endpoint in enumerate(endpoints)
    ]
    rank = {endpoint: i for i, endpoint in enumerate(endpoints)}

    def work(endpoint: wg.runtime.Endpoint) -> None:
        me = rank[endpoint]
        mine = chunks(arrays[me], n)
        for step in range(2 * (n - 1)):
            links[me].send(mine[(me - step) % n])
            # A chunk that was sent is overwritten n - 1 steps later, by a sum that has gone round
            # and so contains it: by then it was delivered.
            receive_into(links[me - 1], mine[(me - step - 1) % n], adds=step < n - 1)
        links[me].shutdown()

    context.run(work)
    return arrays


def over_host(context: wg.runtime.Context, arrays: Arrays, *, policy: bool) -> Arrays:
    """Send all arrays to the host, and the sum from there."""
    endpoints, host = context.endpoints, context.host
    to_host = [wg.runtime.Link(e, host, packet_size=PACKET) for e in endpoints]
    if policy:
        router = wg.runtime.Router(context, 1, len(endpoints), wg.runtime.broadcast)
        from_host = [wg.runtime.Link(host, router, packet_size=PACKET)]
        to_all = [wg.runtime.Link(router, e, packet_size=PACKET) for e in endpoints]
    else:
        from_host = to_all = [wg.runtime.Link(host, e, packet_size=PACKET) for e in endpoints]
    rank = {endpoint: i for i, endpoint in enumerate(endpoints)}

    def work(endpoint: wg.runtime.Endpoint) -> None:
        me = rank[endpoint]
        to_host[me].send(arrays[me]).wait()
        to_host[me].shutdown()
        receive_into(to_all[me], arrays[me], adds=False)

    def collect() -> None:
        total = np.zeros(len(arrays[0]))
        for link in to_host:
            receive_into(link, total, adds=True)
        for event in [link.send(total) for link in from_host]:
            event.wait()
        for link in from_host:
            link.shutdown()

    context.run(work, collect)
    return arrays


class AllReduce:
    """A contestant: copies the arrays to the endpoints' devices, untimed, then adds them up."""

    def __init__(self, devices: list[str], how: Callable[..., Arrays]) -> None:
        self.devices = devices
        self.how = how

    def __call__(self, x: Input) -> Any:
        there = [on_device(a, device) for a, device in zip(x.matrix, self.devices, strict=True)]
        started = time.perf_counter()
        found = self.how(wg.runtime.Context(self.devices), there)
        seconds = time.perf_counter() - started
        return Timed(seconds, [a if isinstance(a, np.ndarray) else a.get() for a in found])


def on_device(values: np.ndarray, device: str) -> Any:
    """Return a copy on a device; on GPUs by CuPy."""
    if device == "cpu":
        return values.copy()
    import cupy

    with cupy.cuda.Device(int(device.split(":")[1])):
        return cupy.asarray(values)


def agree(ours: Arrays, theirs: Arrays) -> bool:
    return all(np.array_equal(ours[0], other) for other in (*ours, *theirs))


def case(size: str, name: str, devices: list[str], suite: str) -> Case:
    return Case(
        f"{NAME}{size}, {name}",
        partial(arrays_of, len(devices), SIZES[size]),
        AllReduce(devices, over_ring),
        {
            HOST: AllReduce(devices, partial(over_host, policy=False)),
            POLICY: AllReduce(devices, partial(over_host, policy=True)),
        },
        suite,
        resident=False,
        agree=agree,
        size=lambda arrays: {"endpoints": len(arrays), "bytes of array": arrays[0].nbytes},
        devices=[devices[0].split(":")[0]],
    )


def cases(lists: dict[str, Any], suite: str) -> list[Case]:
    """Return the cases of lists of devices that have several."""
    several = {name: on for name, on in lists.items() if isinstance(on, list)}
    return [case(size, name, on, suite) for size in SIZES for name, on in several.items()]
