"""ECL-APSP as a rival, where WARPGRAPH_ECL_APSP names its program.

The program reads a graph with 32-bit integer weights from a file and times its own solves, from the
matrix of the arcs on the GPU to the matrix of distances there: the rounds alone. Changed as
README.md says, it solves several times and prints the sum of the finite distances, which must be
ours.
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
import scipy.sparse as sp

from ecl import write_egr
from harness import Input, Timed


def rivals() -> dict[str, Any]:
    """Return the rival, whose result is the sum of the finite distances, or none."""
    program = os.environ.get("WARPGRAPH_ECL_APSP")
    return {} if program is None else {"ecl-apsp": EclApsp(program)}


class EclApsp:
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
            write_egr(simple(matrix), file)
            done = subprocess.run(
                [self._program, str(file)],
                env={**os.environ, "CUDA_MODULE_LOADING": "EAGER"},
                capture_output=True,
                text=True,
                check=True,
            )
        times = [float(t) / 1e3 for t in re.findall(r"Milliseconds: ([\d.]+)", done.stdout)]
        total = re.search(r"Sum: (\d+)", done.stdout)
        if len(times) < 2 or total is None:
            raise SystemExit(f"{self._program} printed something else:\n{done.stdout}")
        return Timed(statistics.median(times[1:]), int(total[1]))


def simple(matrix: Any) -> Any:
    """Return the matrix without its diagonal, and with the lightest of parallel edges alone.

    The program takes a loop for a distance, and the last edge for the only one.
    """
    edges = sp.coo_array(matrix)
    row, col = edges.coords
    order = np.lexsort((edges.data, col, row))
    row, col, weight = row[order], col[order], edges.data[order]
    first = np.append(True, (row[1:] != row[:-1]) | (col[1:] != col[:-1])) & (row != col)
    return sp.csr_array((weight[first], (row[first], col[first])), shape=matrix.shape)
