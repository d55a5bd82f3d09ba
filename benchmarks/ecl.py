"""ECL-MST as a rival, where WARPGRAPH_ECL_MST names its program.

The program reads a graph with 32-bit integer weights from a file and times its own solves, from the
graph on the GPU to a flag for each arc there. Changed as README.md says, it solves several times
and prints the weight of the forest, which must be ours.
"""

from __future__ import annotations

import os
import re
import statistics
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from harness import Input, Timed


def rivals() -> dict[str, Any]:
    """Return the rival, whose result is the weight of the forest, or none."""
    program = os.environ.get("WARPGRAPH_ECL_MST")
    return {} if program is None else {"ecl-mst": Ecl(program)}


class Ecl:
    """Calls the program once a graph; what its solves take stands for all turns."""

    def __init__(self, program: str) -> None:
        self._program = program
        self._matrix: Any = None
        self._known: Timed | None = None

    def __call__(self, x: Input) -> Timed:
        """Return the median of the solves, of which the first warms up."""
        if self._matrix is not x.matrix or self._known is None:
            self._matrix, self._known = x.matrix, self._run(x.matrix)
        return self._known

    def _run(self, matrix: Any) -> Timed:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "graph.egr"
            write_egr(matrix, file)
            done = subprocess.run(
                [self._program, str(file)],
                env={**os.environ, "CUDA_MODULE_LOADING": "EAGER"},
                capture_output=True,
                text=True,
                check=True,
            )
        times = [float(t) for t in re.findall(r"Dev[+-]:\s*([\d.]+)", done.stdout)]
        weight = re.search(r"Weight: (\d+)", done.stdout)
        if len(times) < 2 or weight is None:
            raise SystemExit(f"{self._program} printed something else:\n{done.stdout}")
        return Timed(statistics.median(times[1:]), int(weight[1]))


def write_egr(matrix: Any, path: Path) -> None:
    """Write a matrix as the program's binary format."""
    with path.open("wb") as file:
        np.array([matrix.shape[0], len(matrix.data)], np.int32).tofile(file)
        for array in (matrix.indptr, matrix.indices, matrix.data):
            np.asarray(array).astype(np.int32, copy=False).tofile(file)
