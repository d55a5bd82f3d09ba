"""wg.predicate_filter against NumPy's boolean index: uniform numbers, of which a share passes.

The floor is the time to read the values once and to write those that pass.
"""

from functools import partial

import numpy as np

import warpgraph as wg
from harness import Case, Input, main


def uniform(n: int) -> np.ndarray:
    return np.random.default_rng(3).random(n)


small = partial(uniform, 100_000)
large = partial(uniform, 32_000_000)


def ours(x: Input, share: float):
    return wg.predicate_filter(x.matrix, high=share, device=x.device)


def numpy(x: Input, share: float):
    return x.matrix[x.matrix <= share]


def case(build, share: float, suite: str) -> Case:
    n = f"{build.args[0]:,}".replace(",000,000", " million").replace(",000", " thousand")
    return Case(
        f"predicate_filter, {n}, {share:.0%} pass, float64",
        build,
        partial(ours, share=share),
        {"numpy": partial(numpy, share=share)},
        suite,
        resident=False,
        agree=np.array_equal,
        floor_bytes=lambda values: int((1 + share) * values.nbytes),
        size=lambda values: {"numbers": len(values)},
        devices=["cpu"],
    )


CASES = [
    case(small, 0.5, "smoke"),
    *(case(large, share, "standard") for share in (0.01, 0.5, 1.0)),
]

if __name__ == "__main__":
    main(__file__, CASES)
