"""GVE-Leiden and GVE-Louvain as rivals, if WARPGRAPH_GVE_LEIDEN names their program.

It is the one of Sahu's repository leiden-communities-openmp, which runs both on a graph in a file
and times them from the graph in memory. The number of threads is compiled into it.
"""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks.harness import Input, Once, Timed

#: Names of the methods in what the program prints.
_PRINTED = {"leiden": "leidenStaticOmp", "louvain": "louvainStaticOmp"}


def rivals(method: str, edges_of: Callable[[Any], sp.coo_array]) -> dict[str, Any]:
    """Return the rival, whose result is the modularity that it printed, or none.

    `edges_of` returns each edge of a graph once.
    """
    program = os.environ.get("WARPGRAPH_GVE_LEIDEN")
    if program is None:
        return {}
    return {f"GVE-{method.title()}": Once(partial(_run, program, method, edges_of))}


def _run(program: str, method: str, edges_of: Callable[[Any], sp.coo_array], x: Input) -> Timed:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "graph.mtx"
        _write(edges_of(x.matrix), path)
        done = subprocess.run([program, str(path), "0"], capture_output=True, text=True, check=True)
    threads = re.search(r"OMP_NUM_THREADS=(\d+)", done.stdout)
    line = re.search(
        rf"\{{([\d.]+)ms, .* ([\d.]+) modularity, .*\}} {_PRINTED[method]}", done.stdout
    )
    if threads is None or line is None:
        raise SystemExit(f"{program} printed something else:\n{done.stdout}")
    if int(threads[1]) != x.threads:
        raise SystemExit(f"{program} was compiled for {threads[1]} threads, not {x.threads}")
    return Timed(float(line[1]) / 1000, float(line[2]))


def _write(edges: sp.coo_array, path: Path) -> None:
    """Write each edge once, the larger end first, as a Matrix Market file."""
    ends = np.stack([edges.col, edges.row], axis=1) + 1
    header = "%%MatrixMarket matrix coordinate pattern symmetric"
    sizes = f"{edges.shape[0]} {edges.shape[0]} {edges.nnz}"
    np.savetxt(path, ends, fmt="%d", header=f"{header}\n{sizes}", comments="")
