"""The time of ``import warpgraph`` after NumPy and SciPy. Each run is a fresh interpreter."""

import subprocess
import sys

from benchmarks.harness import Case, Input, main

SECTION = (
    "Import",
    "The time of `import warpgraph` after NumPy and SciPy is compared with the import of these "
    "two.",
)

PREREQUISITES = "import numpy, scipy.sparse"
CLOCKED = "import time; {before}; start = time.perf_counter(); {what}; print({clock})"


def seconds(before: str, what: str) -> float:
    clock = "time.perf_counter() - start"
    code = CLOCKED.format(before=before or "pass", what=what, clock=clock)
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return float(done.stdout)


def warpgraph_alone(x: Input) -> float:
    return seconds(PREREQUISITES, "import warpgraph")


def prerequisites(x: Input) -> float:
    return seconds("", PREREQUISITES)


CASES = [
    Case(
        "import, beyond NumPy and SciPy",
        lambda: None,
        warpgraph_alone,
        {"importing those": prerequisites},
        suite,
        timed_by_callable=True,
        devices=("cpu",),
    )
    for suite in ("smoke", "standard")
]

if __name__ == "__main__":
    main(__file__, CASES)
