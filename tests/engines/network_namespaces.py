"""Compares a Dask cluster over TCP with one machine: workers in three network namespaces.

    python tests/engines/network_namespaces.py

Each namespace is a host of its own for the network: it reaches the others only over a virtual cable
to a bridge, by TCP. Needs root and iproute2; without either it says so and ends with status 0.
``make test-distributed`` runs it.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator

import warpgraph as wg
from distributed_support import CHECKS, blocks_of, random_edges, same_forest
from graphs import SAMPLES

HOSTS = 3
#: Names and addresses carry the process id, so that several may run.
TAG = f"wg{os.getpid() % 10000}"
NET = f"10.{100 + os.getpid() % 100}.{os.getpid() // 100 % 250}"
SCHEDULER = f"tcp://{NET}.254:8786"


def ip(*arguments: str, check: bool = True) -> None:
    subprocess.run(["ip", *arguments], check=check, capture_output=True, text=True)


@contextlib.contextmanager
def namespaces() -> Iterator[list[str]]:
    """Make namespaces on a bridge, and remove them in the end."""
    names = [f"{TAG}n{i}" for i in range(HOSTS)]
    try:
        ip("link", "add", f"{TAG}br", "type", "bridge")
        ip("addr", "add", f"{NET}.254/24", "dev", f"{TAG}br")
        ip("link", "set", f"{TAG}br", "up")
        for i, name in enumerate(names):
            outer, inner = f"{TAG}o{i}", f"{TAG}i{i}"
            ip("netns", "add", name)
            ip("link", "add", outer, "type", "veth", "peer", "name", inner, "netns", name)
            ip("link", "set", outer, "master", f"{TAG}br", "up")
            ip("-n", name, "addr", "add", f"{NET}.{i + 1}/24", "dev", inner)
            ip("-n", name, "link", "set", inner, "up")
            ip("-n", name, "link", "set", "lo", "up")
        yield names
    finally:
        for name in names:
            ip("netns", "del", name, check=False)
        ip("link", "del", f"{TAG}br", check=False)


@contextlib.contextmanager
def cluster(names: list[str]) -> Iterator[None]:
    """Start a scheduler here and a worker in each namespace, and end them."""
    python = [sys.executable, "-m", "distributed.cli"]
    started = []
    try:
        scheduler = ["dask_scheduler", "--host", f"{NET}.254", "--no-dashboard", "--no-show"]
        commands = [[python[0], "-m", f"{python[2]}.{scheduler[0]}", *scheduler[1:]]]
        for i, name in enumerate(names):
            worker = [python[0], "-m", f"{python[2]}.dask_worker", SCHEDULER]
            options = ["--host", f"{NET}.{i + 1}", "--nthreads", "1", "--memory-limit", "600MB"]
            commands.append(["ip", "netns", "exec", name, *worker, *options, "--no-dashboard"])
        for command in commands:
            log = subprocess.DEVNULL
            started.append(subprocess.Popen(command, stdout=log, stderr=log))
        yield
    finally:
        for process in reversed(started):
            process.terminate()
        for process in started:
            process.wait(30)


def compare(engine: wg.dask.DaskEngine) -> None:
    """Compare every function with one machine, and a graph that is cut into many blocks."""
    for name, (check, _) in CHECKS.items():
        started = time.monotonic()
        for graph in ("medium_random", "many_islands"):
            check(engine, SAMPLES[graph])
        print(f"{name:25} {time.monotonic() - started:6.1f} s")
    tails, heads, weights = random_edges(20_000, 400_000, seed=3)
    blocks = blocks_of((tails, heads, weights), 9)
    edges = wg.distributed.graph(blocks, engine, n_vertices=20_000)
    matrix = wg.Graph.from_edges(tails, heads, weights, n_vertices=20_000)
    found = wg.distributed.minimum_spanning_forest(edges, arity=2).gather()
    same_forest(found, wg.minimum_spanning_forest(matrix))


def main() -> None:
    if os.geteuid() != 0 or shutil.which("ip") is None:
        print("skipped: network namespaces need root and iproute2")
        return
    import distributed

    with namespaces() as names, cluster(names), distributed.Client(SCHEDULER, timeout=60) as client:
        client.wait_for_workers(HOSTS, timeout=60)
        hosts = {w["host"] for w in client.scheduler_info(n_workers=-1)["workers"].values()}
        assert hosts == {f"{NET}.{i + 1}" for i in range(HOSTS)}
        compare(wg.dask.DaskEngine(client, threads=1))
    print(f"the answers of {HOSTS} hosts are those of one machine")


if __name__ == "__main__":
    main()
