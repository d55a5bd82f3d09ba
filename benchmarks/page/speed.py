"""Commits that changed the speed of methods: older rows are of methods that are gone.

A commit that makes a method faster or slower gets an entry here, in place of the one before it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Change:
    """A commit after which some cases of a benchmark on cores or GPUs take another time."""

    benchmark: str
    on: str  # "cpu", "cuda", or "" for both
    commit: str
    when: str  # in UTC, as results have it
    cases: str = ""  # regular expression


CHANGES = (
    Change("sssp", "cpu", "5e47b234", "2026-11-26T00:04:44+00:00"),
    Change("sssp", "cuda", "c4ded059", "2026-11-26T14:46:22+00:00", "bellman_ford"),
    Change("many_to_many", "", "0f462465", "2026-12-01T01:59:14+00:00", "^many_to_many, "),
    Change("hierarchy", "cuda", "bed9bba8", "2026-11-20T12:20:04+00:00"),
    Change("apsp", "", "5dcd9085", "2026-11-20T20:13:09+00:00"),
    Change("bfs", "cpu", "f2f54431", "2026-11-23T08:02:17+00:00"),
    Change("bfs", "cuda", "475127d0", "2026-11-26T11:59:40+00:00", "^(?!.*hops stay)"),
    Change("connected_components", "cpu", "943a757e", "2026-11-23T15:39:40+00:00", "^weak"),
    Change("connected_components", "cuda", "d05e9a6c", "2026-11-27T01:11:08+00:00", "^weak"),
    Change("pagerank", "", "f8dc59f3", "2026-11-27T17:45:20+00:00"),
    Change("betweenness", "cpu", "c19de083", "2026-11-29T10:46:14+00:00"),
    Change("mst", "cpu", "a73b711e", "2026-11-22T12:31:42+00:00"),
    Change("mst", "cuda", "fd8e5052", "2026-11-20T14:56:50+00:00"),
    Change("emst", "cpu", "349c0b0f", "2026-11-25T00:56:36+00:00"),
    Change("emst", "cuda", "c834f105", "2026-11-20T15:25:40+00:00"),
    Change("hdbscan", "cpu", "349c0b0f", "2026-11-25T00:56:36+00:00"),
    Change("hdbscan", "cuda", "ec5a63e0", "2026-11-23T04:23:12+00:00"),
    Change("kmeans", "", "f4278e1f", "2026-11-20T11:09:12+00:00"),
    Change("predicate_filter", "cpu", "6d7cdb0a", "2026-11-22T15:00:58+00:00"),
    Change("csgraph", "cpu", "772022c9", "2026-11-28T03:49:22+00:00"),
    Change("nx_backend", "cpu", "329d2090", "2026-11-23T05:31:03+00:00"),
    Change("first_call", "", "33da2760", "2026-12-01T03:03:32+00:00"),
)


def is_older(line: Any) -> bool:
    """Return whether a measurement is older than the method that its call takes now."""
    return any(line.started < change.when for change in _changes_of(line))


def _changes_of(line: Any) -> list[Change]:
    measurement = line.measurement
    kind = "cpu" if measurement["device"] == "cpu" else "cuda"
    return [
        change
        for change in CHANGES
        if change.benchmark == line.benchmark and change.on in ("", kind)
        if re.search(change.cases, measurement["case"])
    ]
