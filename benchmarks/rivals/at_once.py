"""Contestants of one thread that are too slow for turns."""

from __future__ import annotations

import itertools
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from benchmarks.harness import Contestant, Input, Timed, no_garbage_collection


class AtOnce:
    """A contestant of one thread that is too slow for turns: its runs are at once, a core each.

    All are in the warm-up; each turn then has the time of one of them.
    """

    def __init__(self, call: Contestant, n_runs: int) -> None:
        self.call = call
        self.n_runs = n_runs
        self.matrix: Any = None
        self.threads = 0

    def __call__(self, x: Input) -> Timed:
        if self.matrix is not x.matrix or self.threads != x.threads:
            with no_garbage_collection(), ThreadPoolExecutor(x.threads) as pool:
                runs = list(pool.map(self._run, itertools.repeat(x, self.n_runs)))
            self.matrix, self.threads, self.next = x.matrix, x.threads, itertools.cycle(runs)
        return next(self.next)

    def _run(self, x: Input) -> Timed:
        start = time.perf_counter()
        result = self.call(x)
        return Timed(time.perf_counter() - start, result)
