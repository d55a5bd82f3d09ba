"""ECL-APSP as a rival, if WARPGRAPH_ECL_APSP names its program.

Its times are those of the rounds alone, from the matrix of the arcs on the GPU to the matrix of
distances there. The sum of the finite distances must equal warpgraph's.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks.rivals.ecl import Ecl


def rivals() -> dict[str, Any]:
    """Return the rival, whose result is the sum of the finite distances, or none."""
    program = os.environ.get("WARPGRAPH_ECL_APSP")
    if program is None:
        return {}
    times, total = r"Milliseconds:\s+([\d.]+)", r"Sum: (\d+)"
    return {"ecl-apsp": Ecl(program, milliseconds=times, answer=total, prepare=simple)}


def simple(matrix: Any) -> Any:
    """Return the matrix without its diagonal, and with only the lightest of parallel edges.

    The program reads a loop as a distance, and the last of parallel edges as the only one.
    """
    edges = sp.coo_array(matrix)
    row, col = edges.coords
    order = np.lexsort((edges.data, col, row))
    row, col, weight = row[order], col[order], edges.data[order]
    first = np.append(True, (row[1:] != row[:-1]) | (col[1:] != col[:-1])) & (row != col)
    return sp.csr_array((weight[first], (row[first], col[first])), shape=matrix.shape)
