"""wg.predicate_filter against NumPy's boolean index: uniform numbers, of which a share passes.

The same call also runs with one thread, and on one and two endpoints of the host: what a second
core is worth is the ratio of "1 endpoint" in a run with ``--threads 2``. Beyond the caches that
says how many channels of the memory a core can use; a million numbers lie in the caches, and a file
that is mapped anew for each call costs a core more for its pages than for their numbers.

The floor is the time to read the values once and to write those that pass.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path

import numpy as np

import warpgraph as wg
from benchmarks.harness import Case, Contestant, Input, main

SECTION = (
    "Filtering an array",
    "`wg.predicate_filter` is compared with NumPy's boolean index and with itself on fewer "
    "threads or endpoints.",
)

LARGEST = 100  # of integers, and one more

Build = Callable[[], np.ndarray]


def uniform(n: int, dtype: str) -> np.ndarray:
    random = np.random.default_rng(3)
    if np.dtype(dtype).kind == "f":
        return random.random(n, dtype)
    return random.integers(0, LARGEST, n, dtype)


def mapped(n: int, dtype: str) -> np.ndarray:
    file = Path(folder().name) / f"{n}-{dtype}"
    uniform(n, dtype).tofile(file)
    return np.memmap(file, dtype, "r")


@cache
def folder() -> tempfile.TemporaryDirectory[str]:
    """Return a folder for the files behind mapped arrays, until the program ends."""
    return tempfile.TemporaryDirectory()


def fresh(values: np.ndarray) -> np.ndarray:
    """Return the values; if they are a file's, in pages that are yet to be mapped."""
    if isinstance(values, np.memmap):
        return np.memmap(values.filename, values.dtype, "r")
    return values


def largest(dtype: np.dtype, share: float) -> float:
    """Return the bound below which a share of the numbers lies."""
    return share if dtype.kind == "f" else round(share * LARGEST) - 1


def numpy(x: Input, share: float) -> np.ndarray:
    values = fresh(x.matrix)
    return values[values <= largest(values.dtype, share)]


def ours(share: float, device: list[str] | None, threads: int | None, given: bool) -> Contestant:
    """Return the call on a device, by default that of the run; `given`: with memory of its own."""
    memory: dict[str, np.ndarray] = {}

    def call(x: Input) -> np.ndarray:
        values = fresh(x.matrix)
        if given and not memory:
            memory["out"] = np.zeros_like(values)
        wg.set_num_threads(threads or x.threads)
        return wg.predicate_filter(
            values,
            high=largest(values.dtype, share),
            out=memory.get("out"),
            device=device or x.device,
        )

    return call


def case(
    n: str, build: Build, share: float, dtype: str, detail: str = "", suite: str = "standard"
) -> Case:
    call = partial(ours, share, given=detail == "to given memory")
    return Case(
        f"predicate_filter, {n}, {share:.0%} pass, {dtype}" + (f", {detail}" if detail else ""),
        build,
        call(None, None),
        {
            "1 thread": call(None, 1),
            "1 endpoint": call(["cpu"], None),
            "2 endpoints": call(["cpu"] * 2, None),
            "numpy": partial(numpy, share=share),
        },
        suite,
        resident=False,
        agree=np.array_equal,
        floor_bytes=lambda values: int((1 + share) * values.nbytes),
        size=lambda values: {"numbers": len(values)},
        devices=["cpu"],
    )


small = partial(uniform, 100_000, "float64")
in_caches = partial(uniform, 1_000_000, "float64")
large = partial(uniform, 32_000_000, "float64")

CASES = [
    case("100 thousand", small, 0.5, "float64", suite="smoke"),
    case("100 thousand", partial(mapped, 100_000, "int32"), 0.5, "int32", "mapped anew", "smoke"),
    case("100 thousand", small, 0.5, "float64", "to given memory", "smoke"),
    *(case("32 million", large, share, "float64") for share in (0.01, 0.5, 1.0)),
    case("32 million", large, 0.5, "float64", "to given memory"),
    *(
        case("32 million", partial(uniform, 32_000_000, dtype), 0.5, dtype)
        for dtype in ("float32", "int32", "int64", "int8")
    ),
    case("32 million", partial(mapped, 32_000_000, "float64"), 0.5, "float64", "mapped anew"),
    case("1 million", in_caches, 0.5, "float64"),
    case("1 million", in_caches, 0.5, "float64", "to given memory"),
]

if __name__ == "__main__":
    main(__file__, CASES)
